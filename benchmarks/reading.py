"""What reading Inspect's logs costs: ``python -m benchmarks.reading``.

Each kind of log is read in turns by `molehunt.trajectories.read_runs` and by the least that any reader in
Python has to do: unpack the header and the samples with `zipfile`, or read the file, and parse them with
`json`. Printed is the ratio of their CPU, user and system. The kinds are real logs, where there are some,
logs whose samples are long conversations of long texts, logs of many small samples, both packed and as plain
JSON, and samples with a ``NaN``, which Inspect writes and JSON does not know. The made logs are laid out as
Inspect 0.3.285 writes them: a conversation's messages in full, its events with what they say moved to
attachments, and what models were given in a pool.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import zipfile_zstd  # noqa: F401  teaches zipfile about zstandard

from benchmarks.figures import Figure, Spent, keep_option, show
from molehunt.trajectories import read_runs

MOST = 1.5
ROUNDS = 7
REAL = Path(__file__).parents[2] / "shared" / "data" / "inspect-logs"
NOT_LOGS = frozenset({"manifest.json"})

ZSTANDARD = 93
START = "2026-01-01T00:00:"
LINES = (
    "    for index, row in enumerate(rows):\n",
    "        total += row[\"value\"] * weights.get(row['name'], 1.0)\n",
    "The test fails because the file is read before it is written.\n",
    "/repo/src/data/loader.py:118: in load\n",
    "    return [item.strip() for item in text.split(',') if item]\n",
    "drwxr-xr-x 2 root root 4096 Jan  1 00:00 results\n",
    "I will look at what the function returns for an empty list.\n",
    "E   AssertionError: assert [1, 2, 3] == [1, 2]\n",
)
NOT_ASCII = "✓ 12 passed, 1 skipped – see “résumé.txt”\n"


@dataclass
class Sample:
    """A sample in the making: an agent that says something, calls a tool and reads its answer, turn by turn.

    Parameters
    ----------
    number : of the sample; equal numbers, equal samples.
    turns : how often it calls the tool.
    lines : how many lines a tool answers.
    ratio : a number among the scores.
    """

    number: int
    turns: int
    lines: int
    ratio: float = 0.5
    attachments: dict[str, str] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """The sample as Inspect writes it."""
        self._chance = random.Random(self.number)
        opening = {"id": f"{self.number}-u", "role": "user", "source": "input", "content": self._text(12)}
        messages, pool, events = [opening], [self._moved(opening)], [*self._span("solvers", "begin")]
        for turn in range(self.turns):
            call = {"id": f"call-{self.number}-{turn}", "function": "bash", "type": "function"}
            said = {
                "id": f"{self.number}-{turn}-a",
                "role": "assistant",
                "source": "generate",
                "content": [
                    {"type": "reasoning", "reasoning": self._text(4), "redacted": False},
                    {"type": "text", "text": self._text(2)},
                ],
                "tool_calls": [{**call, "arguments": {"command": self._text(3)}}],
                "model": "gpt-4.1",
            }
            answered = {
                "id": f"{self.number}-{turn}-t",
                "role": "tool",
                "content": self._text(self.lines),
                "tool_call_id": call["id"],
                "function": "bash",
            }
            events += [self._model_event(said, len(pool)), *self._tool_events(call, said, answered)]
            messages += [said, answered]
            pool += [self._moved(said), self._moved(answered)]
        return {
            "id": f"s{self.number}",
            "epoch": 1,
            "uuid": f"uuid-{self.number}",
            "input": opening["content"],
            "target": "",
            "messages": messages,
            "output": {"model": "gpt-4.1", "choices": [], "completion": ""},
            "scores": {
                "accuracy": {"value": "C", "answer": self._text(1), "metadata": {"ratio": self.ratio}}
            },
            "metadata": {"source": "made"},
            "store": {},
            "events": [*events, *self._span("solvers", "end")],
            "model_usage": {"openai/gpt-4.1": self._usage()},
            "started_at": f"{START}00+00:00",
            "total_time": 12.5,
            "attachments": self.attachments,
            "events_data": {"messages": pool, "calls": []},
        }

    def _text(self, lines: int) -> str:
        return "".join(
            NOT_ASCII if self._chance.random() < 0.02 else self._chance.choice(LINES) for _ in range(lines)
        )

    def _moved(self, value: Any) -> Any:
        """``value`` with its long texts moved to the attachments."""
        if isinstance(value, str) and len(value) > 100:
            name = hashlib.md5(value.encode(), usedforsecurity=False).hexdigest()
            self.attachments[name] = value
            return f"attachment://{name}"
        if isinstance(value, dict):
            return {key: self._moved(item) for key, item in value.items()}
        return [self._moved(item) for item in value] if isinstance(value, list) else value

    def _event(self, kind: str, **more: Any) -> dict[str, Any]:
        second = f"{self._chance.random() * 59:09.6f}"
        return {
            "uuid": f"{self._chance.getrandbits(120):x}",
            "span_id": "agent",
            "timestamp": f"{START}{second}+00:00",
            "working_start": self._chance.random(),
            "event": kind,
            **more,
        }

    def _span(self, name: str, edge: str) -> Iterator[dict[str, Any]]:
        more = {"name": name, "type": name} if edge == "begin" else {}
        yield self._event(f"span_{edge}", id=f"{name}-{self.number}", **more)

    def _model_event(self, said: dict[str, Any], seen: int) -> dict[str, Any]:
        config = {"max_tokens": 4096, "temperature": 1.0}
        tools = [
            {
                "name": "bash",
                "description": "Runs a command.",
                "parameters": {"type": "object", "properties": {}},
            }
        ]
        output = {
            "model": "gpt-4.1",
            "choices": [{"message": self._moved(said), "stop_reason": "tool_calls"}],
            "completion": self._moved(said["content"][1]["text"]),
            "usage": self._usage(),
            "time": 1.5,
        }
        call = {
            "request": {"model": "gpt-4.1", "messages": [], "tools": tools, **config},
            "response": {"id": said["id"]},
        }
        return self._event(
            "model",
            model="openai/gpt-4.1",
            input=[],
            input_refs=[[0, seen]],
            tools=tools,
            tool_choice="auto",
            config=config,
            output=output,
            call=call,
            completed=f"{START}59+00:00",
        )

    def _tool_events(
        self, call: dict[str, Any], said: dict[str, Any], answered: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        arguments = self._moved(said["tool_calls"][0]["arguments"])
        yield self._event("span_begin", id=call["id"], name="bash", type="tool", parent_id="agent")
        yield self._event(
            "tool",
            **call,
            arguments=arguments,
            result=self._moved(answered["content"]),
            events=[],
            message_id=answered["id"],
            completed=f"{START}59+00:00",
        )
        yield self._event("state", changes=[{"op": "add", "path": "/messages/1", "value": said["id"]}])
        yield self._event("span_end", id=call["id"])

    def _usage(self) -> dict[str, int]:
        return {"input_tokens": 1200, "output_tokens": 300, "total_tokens": 1500, "reasoning_tokens": 100}


HEADER = {
    "version": 2,
    "status": "success",
    "eval": {
        "eval_id": "e",
        "run_id": "r",
        "task_id": "t",
        "task": "made",
        "model": "openai/gpt-4.1",
        "dataset": {},
    },
}


def write_eval(path: Path, samples: Sequence[dict[str, Any]]) -> Path:
    """An ``.eval`` log."""
    with zipfile.ZipFile(path, "w", ZSTANDARD) as archive:
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_1.json", _json(sample))
        archive.writestr("header.json", _json(HEADER))
    return path


def write_json(path: Path, samples: Sequence[dict[str, Any]]) -> Path:
    """A ``.json`` log, indented as Inspect's are."""
    path.write_text(_json({**HEADER, "samples": samples}, indent=2), encoding="utf-8")
    return path


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


def the_least(path: Path) -> None:
    """Unpack and parse what a reader of runs has to."""
    if path.suffix == ".json":
        json.loads(path.read_bytes())
        return
    with zipfile.ZipFile(path) as archive:
        for name in dict.fromkeys(archive.namelist()):
            if name == "header.json" or name.startswith("samples/"):
                json.loads(archive.read(name))


def ours(path: Path) -> None:
    """Read runs."""
    for _ in read_runs([path]):
        pass


def ratio(files: Sequence[Path]) -> float:
    """CPU of `ours` over that of `the_least` for all ``files``, in turns; of each the best round."""
    rounds: list[tuple[float, float]] = []
    for turn in range(-1, ROUNDS):  # the first one loads and warms up what there is to be
        spent = _cpu(the_least, files), _cpu(ours, files)
        if turn >= 0:
            rounds.append(spent)
    least, read = map(min, zip(*rounds, strict=True))
    return read / least


def _cpu(read: Callable[[Path], None], files: Sequence[Path]) -> float:
    spent = Spent()
    with spent.measured():
        for file in files:
            read(file)
    return spent.seconds


@click.command()
@click.option(
    "--logs",
    default=REAL,
    show_default="beside the checkout",
    type=click.Path(path_type=Path),
    help="Folder of real logs.",
)
@keep_option
def main(logs: Path, keep: bool) -> None:
    """Print ratios by kind of log."""
    kinds: dict[str, list[Path]] = {}
    for ending in (".eval", ".json"):
        real = [path for path in sorted(logs.glob(f"*{ending}")) if path.stat().st_size > 1000]
        if found := [path for path in real if path.name not in NOT_LOGS]:
            kinds[f"{len(found)} real {ending} logs"] = found
    if not kinds:
        click.echo(f"no real logs in {logs}: left out")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        long = [Sample(number, turns=40, lines=150).record() for number in range(6)]
        small = [Sample(number, turns=2, lines=3).record() for number in range(300)]
        with_nan = [Sample(number, turns=40, lines=150, ratio=math.nan).record() for number in range(6)]
        kinds["long texts, .eval"] = [write_eval(folder / "long.eval", long)]
        kinds["long texts, .json"] = [write_json(folder / "long.json", long)]
        kinds["long texts with a NaN, .eval"] = [write_eval(folder / "nan.eval", with_nan)]
        kinds["long texts with a NaN, .json"] = [write_json(folder / "nan.json", with_nan)]
        kinds["many small samples, .eval"] = [write_eval(folder / "small.eval", small)]
        kinds["many small samples, .json"] = [write_json(folder / "small.json", small)]
        figures = [
            Figure(f"{kind}, read : unpacked and parsed", ratio(files), "×", most=MOST)
            for kind, files in kinds.items()
        ]
    show("reading", figures, keep=keep)


if __name__ == "__main__":
    main()
