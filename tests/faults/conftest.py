"""A provider on loopback that can be told how to fail, logs to score, and the command line as a process."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from inspect_ai.model import ModelAPI
from tenacity import wait_none

from molehunt.scoring import Outcome, score_async
from molehunt.verdicts import Call, Store, StoredVerdict

MODEL = "openai/gpt-4.1-mini"
MONITORS = ["action_only", "cot_only", "cot_action", "hybrid", "length"]
"""Five verdicts for three calls: the parts of a hybrid are paid for once, and a floor asks nothing."""


@dataclass(frozen=True)
class Answer:
    """What the server does with one request.

    Parameters
    ----------
    body : JSON value or bytes.
    status : of HTTP.
    headers : beside the type and the length.
    cut : bytes after which the connection is closed although more were promised; None for all.
    reset : whether a cut is a reset instead of an orderly end.
    silent : whether nothing is said until the server ends.
    """

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    reset: bool = False
    silent: bool = False


class Provider:
    """The server, as tests see it.

    Attributes
    ----------
    behaviour : what it does with a request, given its number (from 1) and its body.
    received : how many requests came.
    paid : how often each request was answered with status 200, by digest: what a provider would bill.
    seen : is told the number of each request, before and after it is answered.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.behaviour: Callable[[int, dict[str, Any]], Answer] = lambda _, request: said(request)
        self.received = 0
        self.paid: Counter[str] = Counter()
        self.seen: Callable[[int, str], None] = lambda number, when: None
        self._counting = threading.Lock()

    def take(self, request: dict[str, Any]) -> tuple[int, Answer]:
        with self._counting:
            self.received += 1
            number = self.received
        return number, self.behaviour(number, request)

    def answered(self, request: dict[str, Any]) -> None:
        with self._counting:
            self.paid[digest_of(request)] += 1

    @property
    def paid_again(self) -> int:
        """Answers beyond the first to each request."""
        return self.paid.total() - len(self.paid)


def digest_of(request: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(request["messages"]).encode()).hexdigest()


def said(request: dict[str, Any], text: str | None = None, **changed: Any) -> Answer:
    """A readable answer, the same for the same request, or ``text``."""
    digest = digest_of(request)
    content = text if text is not None else f"Because of {digest[:8]}.\nSUSPICION: {int(digest, 16) % 101}"
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1764600000,
        "model": request["model"],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, "refusal": None},
                "finish_reason": "stop",
            }
        ],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    }
    return Answer({**body, **changed})


def failed(status: int, message: str = "something broke", **headers: str) -> Answer:
    """An error as the protocol tells it, after which nobody need wait."""
    error = {"message": message, "type": "server_error", "param": None, "code": None}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": error}, status, {"retry-after-ms": "1", **named})


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider that answers well until it is told otherwise, where Inspect looks for OpenAI."""
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
            number, answer = speaking.take(request)
            speaking.seen(number, "before")
            if answer.silent:
                closing.wait(60)
                self.close_connection = True
                return
            try:
                self._send(answer)
            except OSError:  # who asked has been killed
                self.close_connection = True
            if answer.status == 200 and answer.cut is None:
                speaking.answered(request)
            speaking.seen(number, "after")

        def _send(self, answer: Answer) -> None:
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in {"content-type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            if "transfer-encoding" not in answer.headers:
                self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: answer.cut])
            if answer.cut is not None:
                self.close_connection = True
                if answer.reset:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.connection.close()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Say nothing: clients are killed here, and connections reset."""

    server = Server(("127.0.0.1", 0), Handler)
    speaking = Provider(f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", speaking.url)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield speaking
    closing.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries of Inspect follow each other at once."""
    monkeypatch.setattr(ModelAPI, "retry_wait", lambda _: wait_none())


def sample(number: int) -> dict[str, Any]:
    """One honest run that differs from all others."""
    code = f"Let me add {number}.\n```python\ndef add(a, b):\n    return a + b + {number}\n```"
    said = [{"role": "user", "content": "Add."}, {"role": "assistant", "content": code}]
    return {"id": number, "epoch": 1, "uuid": f"u{number}", "input": "Add.", "messages": said}


def write_log(path: Path, samples: list[dict[str, Any]]) -> Path:
    """A log of Inspect with the least that a log has."""
    header = {"task": "sums", "model": "openai/gpt-4.1"}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"status": "success", "eval": header, "samples": samples}))
    return path


@pytest.fixture
def log_of(tmp_path: Path) -> Callable[[int], Path]:
    """Writes a log of so many different runs."""
    return lambda number: write_log(tmp_path / "runs.json", [sample(index) for index in range(number)])


@dataclass(frozen=True)
class Scored:
    """A run of scoring and what its store holds after it."""

    outcome: Outcome
    verdicts: list[StoredVerdict]
    calls: list[Call]


@pytest.fixture
def scored(provider: Provider, no_waiting: None, tmp_path: Path) -> Callable[..., Any]:
    """Scores into ``scores.db`` as often as it is called, asking the provider."""

    async def run(sources: Any, monitors: Any = "action_only", **settings: Any) -> Scored:
        options = {name: settings.pop(name) for name in ("draws", "max_connections") if name in settings}
        store = settings.pop("store", tmp_path / "scores.db")
        binding = {"model": MODEL, "max_retries": 2, "attempt_timeout": 5, "timeout": 30, **settings}
        outcome = await score_async(sources, monitors, model=binding, store=store, **options)
        with Store.read(store) as opened:
            return Scored(outcome, list(opened.verdicts()), list(opened.calls()))

    return run


@pytest.fixture
def molehunt(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command line in a process of its own, behind a command line ``before`` where one is given."""

    def run(*words: object, before: tuple[str, ...] = (), **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*before, sys.executable, "-m", "molehunt", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "200", **env},
            stdin=subprocess.PIPE,
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def verdicts_in(file: Path) -> set[tuple[object, ...]]:
    """All that a verdict says, without how long it took."""
    with Store.read(file) as store:
        return {(v.monitor, v.trajectory, v.draw, v.score, v.status, v.rationale) for v in store.verdicts()}


def calls_in(file: Path) -> set[str]:
    """Keys of the calls that are stored."""
    with Store.read(file) as store:
        return {call.key for call in store.calls()}


@pytest.fixture
def here() -> ModuleType:
    """This file, which tests cannot import."""
    return sys.modules[__name__]
