"""A server on loopback that speaks the providers' protocols, for the real client libraries to talk to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import ModelAPI
from tenacity import wait_none

from molehunt.scoring import Outcome, score_async
from molehunt.verdicts import Call, Store, StoredVerdict
from molehunt.verdicts.prices import PriceTable

ANSWER = "The code adds two numbers, as it was asked to.\nSUSPICION: 7"


@dataclass(frozen=True)
class Counted:
    """Tokens of an answer as our prices name them: what the cache served is no part of ``fresh``."""

    fresh: int = 1000
    cached: int = 0
    written: int = 0
    output: int = 100
    reasoning: int = 0


@dataclass(frozen=True)
class Reply:
    """What the server answers once: a JSON value, bytes as they are, or nothing, for a client that waits."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    silent: bool = False


class Dialect:
    """How one protocol says what the tests need."""

    model = ""
    base = ""

    def said(
        self,
        text: str,
        *,
        counted: Counted | None = None,
        thought: str = "",
        stop: str = "stop",
        model: str = "",
        logprobs: list[dict[str, float]] | None = None,
    ) -> Reply:
        raise NotImplementedError

    def failed(self, status: int, message: str, kind: str = "server_error", **headers: str) -> Reply:
        raise NotImplementedError


class Chat(Dialect):
    """OpenAI's chat completions, which vLLM, Ollama and gateways speak too."""

    model, base = "openai/gpt-4.1-mini", "/v1"

    def said(
        self,
        text: str,
        *,
        counted: Counted | None = None,
        thought: str = "",
        stop: str = "stop",
        model: str = "",
        logprobs: list[dict[str, float]] | None = None,
    ) -> Reply:
        tokens = counted or Counted()
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
        if thought:
            message["reasoning_content"] = thought
        if stop == "refusal":
            message |= {"content": None, "refusal": text}
        reasons = {"stop": "stop", "cut": "length", "filtered": "content_filter", "refusal": "stop"}
        prompt = tokens.fresh + tokens.cached
        choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": reasons[stop]}
        if logprobs is not None:
            choice["logprobs"] = {
                "content": [
                    {
                        "token": next(iter(token)),
                        "logprob": next(iter(token.values())),
                        "bytes": None,
                        "top_logprobs": [
                            {"token": name, "logprob": value, "bytes": None} for name, value in token.items()
                        ],
                    }
                    for token in logprobs
                ],
                "refusal": None,
            }
        return Reply(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 1764600000,
                "model": model or self.model.partition("/")[2],
                "choices": [choice],
                "usage": {
                    "prompt_tokens": prompt,
                    "completion_tokens": tokens.output,
                    "total_tokens": prompt + tokens.output,
                    "prompt_tokens_details": {"cached_tokens": tokens.cached},
                    "completion_tokens_details": {"reasoning_tokens": tokens.reasoning},
                },
            }
        )

    def failed(self, status: int, message: str, kind: str = "server_error", **headers: str) -> Reply:
        error = {"message": message, "type": kind, "param": None, "code": kind}
        return Reply({"error": error}, status, _soon(headers))


class Responses(Chat):
    """OpenAI's Responses."""

    model, base = "openai/gpt-5-mini", "/v1"

    def said(
        self,
        text: str,
        *,
        counted: Counted | None = None,
        thought: str = "",
        stop: str = "stop",
        model: str = "",
        logprobs: list[dict[str, float]] | None = None,
    ) -> Reply:
        tokens = counted or Counted()
        part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
        if stop == "refusal":
            part = {"type": "refusal", "refusal": text}
        output: list[dict[str, Any]] = []
        if thought:
            summary = [{"type": "summary_text", "text": thought}]
            output.append(
                {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "gAAA"}
            )
        output.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]}
        )
        why = {"cut": "max_output_tokens", "filtered": "content_filter"}.get(stop)
        prompt = tokens.fresh + tokens.cached
        return Reply(
            {
                "id": "resp_1",
                "object": "response",
                "created_at": 1764600000,
                "status": "incomplete" if why else "completed",
                "incomplete_details": {"reason": why} if why else None,
                "error": None,
                "instructions": None,
                "metadata": {},
                "model": model or self.model.partition("/")[2],
                "output": output,
                "parallel_tool_calls": True,
                "temperature": 1.0,
                "tool_choice": "auto",
                "tools": [],
                "top_p": 1.0,
                "usage": {
                    "input_tokens": prompt,
                    "input_tokens_details": {"cached_tokens": tokens.cached},
                    "output_tokens": tokens.output,
                    "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
                    "total_tokens": prompt + tokens.output,
                },
            }
        )


class Messages(Dialect):
    """Anthropic's Messages."""

    model, base = "anthropic/claude-haiku-4-5", ""

    def said(
        self,
        text: str,
        *,
        counted: Counted | None = None,
        thought: str = "",
        stop: str = "stop",
        model: str = "",
        logprobs: list[dict[str, float]] | None = None,
    ) -> Reply:
        tokens = counted or Counted()
        content: list[dict[str, Any]] = []
        if thought:
            content.append({"type": "thinking", "thinking": thought, "signature": "c2ln"})
        content.append({"type": "text", "text": text})
        reasons = {"stop": "end_turn", "cut": "max_tokens", "filtered": "refusal", "refusal": "refusal"}
        return Reply(
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "model": model or self.model.partition("/")[2],
                "content": content,
                "stop_reason": reasons[stop],
                "stop_sequence": None,
                "usage": {
                    "input_tokens": tokens.fresh,
                    "cache_read_input_tokens": tokens.cached,
                    "cache_creation_input_tokens": tokens.written,
                    "output_tokens": tokens.output,
                },
            }
        )

    def failed(self, status: int, message: str, kind: str = "api_error", **headers: str) -> Reply:
        body = {"type": "error", "error": {"type": kind, "message": message}}
        return Reply(body, status, _soon(headers))


def _soon(headers: dict[str, str]) -> dict[str, str]:
    """Headers as given, and a word to the client that need not wait."""
    return {"retry-after-ms": "1", **{name.replace("_", "-"): value for name, value in headers.items()}}


DIALECTS: dict[str, type[Dialect]] = {"chat": Chat, "responses": Responses, "messages": Messages}


class Provider:
    """The server: what it will answer, in order (the last for ever), and what it was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.replies: list[Reply] = []
        self.asked: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.keys: list[str] = []
        self.thoughts = 50

    def answers(self, *replies: Reply) -> None:
        """What it answers from now on."""
        self.replies = list(replies)

    def next(self) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider on loopback, and keys that are none."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-a-key")
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
            if self.path.endswith(
                "/count_tokens"
            ):  # free of charge; Anthropic says only so what thoughts took
                self._send(Reply({"input_tokens": speaking.thoughts}))
                return
            speaking.asked.append(request)
            speaking.paths.append(self.path)
            speaking.keys.append(self.headers.get("authorization") or self.headers.get("x-api-key") or "")
            reply = speaking.next()
            if reply.silent:
                closing.wait(60)
                self.close_connection = True
                return
            self._send(reply)

        def _send(self, reply: Reply) -> None:
            body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response(reply.status)
            for name, value in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    speaking = Provider(f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield speaking
    closing.set()
    server.shutdown()
    server.server_close()


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    """Each protocol in turn."""
    return DIALECTS[request.param]()


@pytest.fixture
def speaks() -> Callable[[str], Dialect]:
    """A protocol by its name."""
    return lambda name: DIALECTS[name]()


@pytest.fixture
def tokens() -> type[Counted]:
    """Tokens of an answer."""
    return Counted


@pytest.fixture
def silence() -> Reply:
    """No answer, ever."""
    return Reply(silent=True)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow each other at once."""
    monkeypatch.setattr(ModelAPI, "retry_wait", lambda _: wait_none())


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with one honest run."""
    code = "```python\ndef add(a, b):\n    return a + b\n```"
    said = [{"role": "user", "content": "Add two numbers."}, {"role": "assistant", "content": code}]
    sample = {"id": 1, "epoch": 1, "uuid": "u1", "input": "Add two numbers.", "messages": said}
    header = {"task": "sums", "model": "openai/gpt-4.1"}
    path = tmp_path / "honest.json"
    path.write_text(json.dumps({"status": "success", "eval": header, "samples": [sample]}))
    return path


@dataclass(frozen=True)
class Judged:
    """One run of scoring against the provider, and what its store has now."""

    outcome: Outcome
    verdict: StoredVerdict
    calls: list[Call]
    store: Path

    @property
    def billed(self) -> float:
        """Dollars for all calls, as the provider asks them."""
        return sum(self._dollars("usd_billed"))

    @property
    def listed(self) -> float:
        """Dollars for all calls at list price."""
        return sum(self._dollars("usd_uncached"))

    def _dollars(self, way: str) -> Iterator[float]:
        prices = PriceTable.load()
        for call in self.calls:
            price = prices.find(call.asked)
            assert price is not None
            assert call.tokens is not None
            yield getattr(price, way)(call.tokens)


@pytest.fixture
def judged(provider: Provider, log: Path, tmp_path: Path) -> Callable[..., Any]:
    """Scores the log with one monitor, asking the provider in a dialect."""

    async def run(dialect: Dialect, monitor: str = "action_only", **settings: Any) -> Judged:
        options = {name: settings.pop(name) for name in ("answer", "draws") if name in settings}
        binding = {
            "model": dialect.model,
            "base_url": provider.url + dialect.base,
            # a test does not wait as long as a run over night
            "max_retries": 2,
            "attempt_timeout": 5,
            "timeout": 30,
            **settings,
        }
        store = tmp_path / "scores.db"
        outcome = await score_async(log, [monitor], model=binding, store=store, **options)
        with Store.read(store) as opened:
            [*_, verdict] = opened.verdicts()
            return Judged(outcome, verdict, list(opened.calls()), store)

    return run
