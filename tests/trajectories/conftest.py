"""Inspect logs to read, written by hand, field by field."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import zipfile_zstd  # noqa: F401  teaches zipfile about zstandard

from molehunt.trajectories import Run, TruthOptions, Unread, read_runs

HEADER: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"task": "demo_task", "model": "openai/gpt-4.1", "eval_id": "eval1", "run_id": "run1"},
}

WriteLog = Callable[..., Path]
ReadOne = Callable[..., Run]


def assistant(
    text: str = "", name: str | None = None, calls: Sequence[Any] = (), **more: Any
) -> dict[str, Any]:
    """An agent's message with the id ``name``; ``calls`` are (id, function, arguments)."""
    made = [{"id": call, "function": function, "arguments": given} for call, function, given in calls]
    return {
        "role": "assistant",
        "content": text,
        "id": name,
        "source": "generate",
        "tool_calls": made,
        **more,
    }


def user(text: str, name: str | None = None, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, "id": name, **more}


def tool(text: str, call: str, name: str | None = None, **more: Any) -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": call, "id": name, "function": "bash", **more}


def model_event(message: dict[str, Any], seen: Sequence[Any] = (), **more: Any) -> dict[str, Any]:
    """A call to a model that was given ``seen`` and answered ``message``."""
    return {
        "event": "model",
        "model": "openai/gpt-4.1",
        "input": list(seen),
        "output": {"choices": [{"message": message}]},
        **more,
    }


def tool_event(call: str, result: Any = "done", **more: Any) -> dict[str, Any]:
    return {"event": "tool", "id": call, "function": "bash", "arguments": {}, "result": result, **more}


def sample_of(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A sample whose user asks "Do it.", after which come ``messages``."""
    opening = user("Do it.", "u0", source="input")
    return {"id": "s1", "uuid": "uuid1", "input": "Do it.", "messages": [opening, *messages], **more}


@pytest.fixture(scope="session")
def make() -> Any:
    """The makers of messages, events and samples, as attributes."""

    class Make:
        header = HEADER
        assistant = staticmethod(assistant)
        user = staticmethod(user)
        tool = staticmethod(tool)
        model_event = staticmethod(model_event)
        tool_event = staticmethod(tool_event)
        sample = staticmethod(sample_of)

    return Make


@pytest.fixture
def write_eval(tmp_path: Path) -> WriteLog:
    """Writes an ``.eval`` log of samples and says where it is."""

    def write(
        *samples: dict[str, Any] | bytes,
        name: str = "log.eval",
        header: dict[str, Any] | None = HEADER,
        members: dict[str, Any] | None = None,
        compression: int = 93,
    ) -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", compression) as archive:
            for number, sample in enumerate(samples):
                text = sample if isinstance(sample, bytes) else json.dumps(sample)
                archive.writestr(f"samples/{number}_epoch_1.json", text)
            for member, content in (members or {}).items():
                archive.writestr(member, json.dumps(content))
            if header is not None:
                archive.writestr("header.json", json.dumps(header))
        return path

    return write


@pytest.fixture
def write_json(tmp_path: Path) -> WriteLog:
    """Writes a ``.json`` log of samples and says where it is."""

    def write(*samples: dict[str, Any], name: str = "log.json", header: dict[str, Any] = HEADER) -> Path:
        path = tmp_path / name
        path.write_text(json.dumps({**header, "samples": samples}, indent=2))
        return path

    return write


@pytest.fixture
def read_one(write_eval: WriteLog) -> ReadOne:
    """Reads the one run of a log that has this one sample."""

    def read(sample: dict[str, Any], truth: TruthOptions | None = None, **log: Any) -> Run:
        [run] = read_runs([write_eval(sample, **log)], truth or TruthOptions())
        assert not isinstance(run, Unread), run
        return run

    return read


def outline(run: Run) -> list[tuple[str, str]]:
    """Kind and text of each step."""
    return [(step.kind, step.text) for step in run.trajectory.steps]


@pytest.fixture(scope="session")
def outlined() -> Callable[[Run], list[tuple[str, str]]]:
    return outline


@pytest.fixture
def write_lines(tmp_path: Path) -> WriteLog:
    """Writes JSON lines, of objects or of text as it is, and says where they are."""

    def write(*records: Any, name: str = "talk.jsonl") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
        return path

    return write


@pytest.fixture
def read_lines(write_lines: WriteLog) -> ReadOne:
    """Reads the one run of a file of these lines."""

    def read(*records: Any, truth: TruthOptions | None = None, name: str = "talk.jsonl", **how: Any) -> Run:
        [run] = read_runs([write_lines(*records, name=name)], truth or TruthOptions(), **how)
        assert not isinstance(run, Unread), run
        return run

    return read
