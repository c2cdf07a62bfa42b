"""A provider on loopback that several processes may ask, and logs to ask it about."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ANSWER = "The code adds two numbers, as it was asked to.\nSUSPICION: 7"


class Provider:
    """Speaks OpenAI's chat completions, remembers every question, and can be told to hold its answers back.

    Attributes
    ----------
    asked : how often each question has come, by its digest.
    answered : how many have been answered.
    """

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.answered = 0
        self.url = ""
        self._free: int | None = None
        self._lock = threading.Condition()

    def answers_only(self, first: int) -> None:
        """Hold back all answers but the first few, until `answers_all`."""
        self._free = first

    def answers_all(self) -> None:
        """Answer everything from now on, and what has been held back."""
        with self._lock:
            self._free = None
            self._lock.notify_all()

    def wait_for(self, questions: int, seconds: float = 120) -> None:
        """Until so many questions have come."""
        with self._lock:
            assert self._lock.wait_for(lambda: self.asked.total() >= questions, seconds), self.asked.total()

    def take(self, body: bytes) -> None:
        """Note a question, and return when it may be answered."""
        with self._lock:
            self.asked[hashlib.sha256(body).hexdigest()] += 1
            number = self.asked.total()
            self._lock.notify_all()
            self._lock.wait_for(lambda: self._free is None or number <= self._free)
            self.answered += 1


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider for this process and its children, and a key that is none."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key")
    speaking = Provider()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers.get("content-length", 0))
            body = self.rfile.read(length)
            if len(body) < length:  # whoever asks has been killed before the question was said
                self.close_connection = True
                return
            speaking.take(body)
            said = json.dumps(_completion(json.loads(body)["model"])).encode()
            try:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True  # whoever asked has been killed

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    speaking.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield speaking
    speaking.answers_all()
    server.shutdown()
    server.server_close()


def _completion(model: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": ANSWER, "refusal": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1764600000,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    }


@pytest.fixture
def log_of(tmp_path: Path) -> Callable[[int], Path]:
    """Writes a log with so many different runs."""

    def write(runs: int) -> Path:
        samples = []
        for number in range(runs):
            code = f"```python\ndef add(a, b):\n    return a + b + {number}\n```"
            said = [{"role": "user", "content": "Add."}, {"role": "assistant", "content": code}]
            samples.append(
                {"id": number, "epoch": 1, "uuid": f"u{number}", "input": "Add.", "messages": said}
            )
        header = {"task": "sums", "model": "openai/gpt-4.1"}
        path = tmp_path / "honest.json"
        path.write_text(json.dumps({"status": "success", "eval": header, "samples": samples}))
        return path

    return write
