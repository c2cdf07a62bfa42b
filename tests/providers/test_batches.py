"""The providers' batch APIs, through their real client libraries: what is sent, answered and billed."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from molehunt.cli import cli
from molehunt.scoring import Outcome, Watcher, plan_async, score_async
from molehunt.scoring.roles import Binding
from molehunt.trajectories import Problem
from molehunt.verdicts import Call, Store
from molehunt.verdicts.frames import read_store
from molehunt.verdicts.prices import BATCH_TABLE, PriceTable

ANSWER = "The code adds two numbers, as it was asked to.\nSUSPICION: 7"
NAMES = ["chat", "responses", "messages"]


@dataclass
class Batches:
    """A provider with a batch API: what came in which batch, and how its batches go wrong.

    Parameters
    ----------
    url : where it is.
    said : makes the body of an answer.
    sent : the requests of each batch.
    refusals : batches to refuse before any is taken.
    failing : requests, by number, that the provider fails to answer.
    expires : whether those fail for want of time.
    polls : how often a batch is asked about before it is done.
    """

    url: str = ""
    said: Callable[[], Any] = dict
    sent: list[list[dict[str, Any]]] = field(default_factory=list)
    refusals: int = 0
    failing: frozenset[int] = frozenset()
    expires: bool = False
    polls: int = 2

    def taken(self, requests: list[dict[str, Any]]) -> int:
        self.sent.append(requests)
        return len(self.sent)

    def answered(self, batch: int, ok: Callable[[str, Any], Any], bad: Callable[[str], Any]) -> bytes:
        before = sum(map(len, self.sent[: batch - 1]))
        lines = [
            bad(one["custom_id"]) if before + index in self.failing else ok(one["custom_id"], self.said())
            for index, one in enumerate(self.sent[batch - 1])
        ]
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


@pytest.fixture
def batches(monkeypatch: pytest.MonkeyPatch) -> Iterator[Batches]:
    """A provider on loopback that takes batches, and keys that are none."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-key")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-not-a-key")
    provider = Batches()
    files: list[list[dict[str, Any]]] = []
    polled: dict[int, int] = {}

    def done(batch: int) -> bool:
        polled[batch] = polled.get(batch, 0) + 1
        return polled[batch] >= provider.polls

    def openai_batch(number: int, status: str) -> dict[str, Any]:
        return {
            "id": f"batch_{number}",
            "object": "batch",
            "endpoint": "/v1/chat/completions",
            "input_file_id": f"file-{number}",
            "completion_window": "24h",
            "status": status,
            "created_at": 1764600000,
            "output_file_id": f"file-out-{number}" if status == "completed" else None,
        }

    def anthropic_batch(number: int, status: str) -> dict[str, Any]:
        zeros = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        return {
            "id": f"msgbatch_{number}",
            "type": "message_batch",
            "processing_status": status,
            "request_counts": zeros,
            "created_at": "2026-01-01T00:00:00Z",
            "expires_at": "2026-01-02T00:00:00Z",
            "ended_at": None,
            "archived_at": None,
            "cancel_initiated_at": None,
            "results_url": f"{provider.url}/v1/messages/batches/msgbatch_{number}/results",
        }

    def openai_line(name: str, body: Any) -> Any:
        return {"id": "r", "custom_id": name, "response": {"status_code": 200, "body": body}, "error": None}

    def openai_failure(name: str) -> Any:
        if provider.expires:
            error = {"code": "batch_expired", "message": "on fire for a day"}
            return {"id": "r", "custom_id": name, "response": None, "error": error}
        body = {"error": {"message": "on fire", "type": "invalid_request_error", "code": None}}
        return {"id": "r", "custom_id": name, "response": {"status_code": 400, "body": body}, "error": None}

    def anthropic_line(name: str, body: Any) -> Any:
        return {"custom_id": name, "result": {"type": "succeeded", "message": body}}

    def anthropic_failure(name: str) -> Any:
        error = {"type": "invalid_request_error", "message": "on fire"}
        body = {"type": "error", "error": error, "request_id": None}
        return {"custom_id": name, "result": {"type": "errored", "error": body}}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            if self.path.endswith("/count_tokens"):
                self._send({"input_tokens": 0})
            elif self.path.endswith("/files"):
                lines = re.findall(rb'^\{"custom_id".*$', body, re.MULTILINE)
                files.append([json.loads(line) for line in lines])
                self._send(
                    {
                        "id": f"file-{len(files)}",
                        "object": "file",
                        "bytes": 1,
                        "created_at": 1,
                        "filename": "b.jsonl",
                        "purpose": "batch",
                        "status": "processed",
                    }
                )
            elif not self.path.endswith("/batches"):
                self._send({"error": {"message": "no single requests"}}, 400)
            elif provider.refusals:
                provider.refusals -= 1
                error = {
                    "type": "invalid_request_error",
                    "message": "no batch today",
                    "code": "x",
                    "param": None,
                }
                self._send({"type": "error", "error": error}, 400)
            elif "messages" in self.path:
                self._send(anthropic_batch(provider.taken(json.loads(body)["requests"]), "in_progress"))
            else:
                number = int(json.loads(body)["input_file_id"].rpartition("-")[2])
                self._send(openai_batch(provider.taken(files[number - 1]), "validating"))

        def do_GET(self) -> None:
            [number] = map(int, re.findall(r"(?:batch_|out-)(\d+)", self.path))
            if self.path.endswith("/content"):
                self._send(provider.answered(number, openai_line, openai_failure))
            elif self.path.endswith("/results"):
                self._send(provider.answered(number, anthropic_line, anthropic_failure))
            elif "messages" in self.path:
                self._send(anthropic_batch(number, "ended" if done(number) else "in_progress"))
            else:
                self._send(openai_batch(number, "completed" if done(number) else "in_progress"))

        def _send(self, content: Any, status: int = 200) -> None:
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header(
                "content-type", "application/json" if body[:1] == b"{" else "application/x-jsonl"
            )
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    yield provider
    server.shutdown()
    server.server_close()


@dataclass(frozen=True)
class Judged:
    """A run of scoring in batches, and what it left."""

    outcome: Outcome
    statuses: list[str]
    calls: list[Call]
    said: list[str]


@pytest.fixture
def judged(batches: Batches, speaks: Callable[[str], Any], tmp_path: Path) -> Callable[..., Any]:
    """Scores runs in batches of a dialect."""

    async def run(name: str, *, monitors: Any = "action_only", runs: int = 3, **options: Any) -> Judged:
        dialect = speaks(name)
        batches.said = lambda: whole(dialect.said(ANSWER).body)
        at_once = {"size": 1, "send_delay": 0.3, "tick": 0.05}
        model = {
            "model": dialect.model,
            "base_url": batches.url + dialect.base,
            "batch": at_once,
            "max_retries": 0,
        }
        watcher = Said()
        outcome = await score_async(
            log_of(tmp_path, runs),
            monitors,
            model=model,
            store=tmp_path / "s.db",
            progress=watcher,
            **options,
        )
        with Store.read(tmp_path / "s.db") as store:
            statuses = [verdict.status for verdict in store.verdicts()]
            return Judged(outcome, statuses, list(store.calls()), watcher.lines)

    return run


def whole(body: Any) -> Any:
    """With all that the client's types ask for, which a batch's answers are held to."""
    if "input_tokens_details" in body["usage"]:
        body["usage"]["input_tokens_details"]["cache_write_tokens"] = 0
    return body


class Said(Watcher):
    """Keeps what is said."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, line: str) -> None:
        self.lines.append(line)


def log_of(folder: Path, runs: int) -> Path:
    samples = []
    for number in range(runs):
        code = f"```python\ndef add(a, b):\n    return a + b + {number}\n```"
        said = [{"role": "user", "content": "Add."}, {"role": "assistant", "content": code}]
        samples.append({"id": number, "epoch": 1, "uuid": f"u{number}", "input": "Add.", "messages": said})
    header = {"task": "sums", "model": "openai/gpt-4.1"}
    path = folder / "honest.json"
    path.write_text(json.dumps({"status": "success", "eval": header, "samples": samples}))
    return path


@pytest.mark.parametrize("name", NAMES)
async def test_questions_go_in_batches_and_none_by_itself(name: str, batches: Batches, judged: Any) -> None:
    done = await judged(name)
    assert done.statuses == ["scored"] * 3, done.outcome.failures
    assert sum(map(len, batches.sent)) == 3
    assert [len(batch) for batch in batches.sent] == [3]


@pytest.mark.parametrize("name", NAMES)
async def test_what_came_in_a_batch_is_billed_at_its_rate_in_the_run_and_in_the_store(
    name: str, judged: Any, speaks: Any, tmp_path: Path
) -> None:
    done = await judged(name, max_usd=5)
    price = PriceTable.load().find(speaks(name).model)
    assert price is not None
    whole = sum(price.usd_billed(call.tokens) for call in done.calls)
    assert done.outcome.usd == pytest.approx(whole / 2)
    calls = read_store(tmp_path / "s.db").calls
    assert all(calls["asked"].str.endswith("@batch"))
    assert all(calls["answered"].str.endswith("@batch"))
    in_store = PriceTable.load().find(calls["answered"].iloc[0])
    assert in_store is not None
    assert in_store.input == price.input / 2


@pytest.mark.parametrize("name", NAMES)
async def test_a_request_that_fails_in_a_batch_costs_itself_only(
    name: str, batches: Batches, judged: Any
) -> None:
    batches.failing = frozenset({1})
    done = await judged(name)
    assert sorted(done.statuses) == ["failed", "scored", "scored"], done.outcome.failures
    [reason] = done.outcome.failures
    assert "on fire" in reason
    # the next run asks for that one again
    batches.failing = frozenset()
    assert (await judged(name)).statuses == ["scored"] * 3
    assert sum(map(len, batches.sent)) == 4


async def test_a_request_that_came_too_late_in_its_batch_costs_itself_only(
    batches: Batches, judged: Any
) -> None:
    batches.failing, batches.expires = frozenset({0}), True
    done = await judged("chat")
    assert sorted(done.statuses) == ["failed", "scored", "scored"]
    assert "batch_expired" in next(iter(done.outcome.failures))


@pytest.mark.parametrize("name", ["chat", "messages"])
async def test_a_batch_that_is_refused_fails_its_requests_and_later_ones_are_sent(
    name: str, batches: Batches, judged: Any
) -> None:
    batches.refusals = 1
    # one at a time: the second is asked when the batch with the first has been refused
    async with asyncio.timeout(60):  # else they would wait for ever
        done = await judged(name, max_connections=1)
    assert done.statuses == ["failed", "scored", "scored"]
    assert "no batch today" in next(iter(done.outcome.failures))


async def test_all_monitors_of_a_run_are_asked_in_one_batch(batches: Batches, judged: Any) -> None:
    done = await judged("chat", monitors=["action_only", "cot_action"])
    assert done.outcome.counts["scored"] == 6
    assert [len(batch) for batch in batches.sent] == [6]


async def test_it_is_said_at_the_start_what_a_kill_costs_and_then_how_the_batches_go(
    judged: Any, capsys: Any
) -> None:
    done = await judged("chat")
    assert "if it is killed, batches under way are paid for and lost" in done.said[0]
    assert any(line.startswith("batches: 1 under way, 3 requests waiting") for line in done.said)
    assert capsys.readouterr().out == ""


async def test_what_came_in_batches_answers_without_them_as_well(
    judged: Any, tmp_path: Path, batches: Batches
) -> None:
    await judged("chat")
    again = await score_async(
        tmp_path / "honest.json",
        ["action_only"],
        store=tmp_path / "s.db",
        model={"model": "openai/gpt-4.1-mini", "base_url": f"{batches.url}/v1"},
    )
    assert again.already == 3


async def test_a_plan_has_the_price_of_batches(tmp_path: Path) -> None:
    log, model = log_of(tmp_path, 2), "anthropic/claude-haiku-4-5"
    plans = [
        await plan_async(log, "action_only", store=tmp_path / "s.db", model=model, batch=batch)
        for batch in (False, True)
    ]
    assert plans[1].usd == pytest.approx((plans[0].usd or 0) / 2)
    assert plans[1].rows[0].model == f"{model}@batch"


def test_a_batch_waits_for_a_day_and_is_not_given_up_after_minutes() -> None:
    config = Binding("openai/gpt-4.1-mini", transport={"batch": True}).generate_config({})
    assert config.attempt_timeout is not None
    assert config.attempt_timeout > 24 * 3600
    assert config.timeout == config.attempt_timeout


@pytest.mark.parametrize(
    "model", ["mistral/mistral-large", "openai/azure/gpt-4.1", "anthropic/bedrock/claude"]
)
def test_a_provider_without_batches_is_refused_and_not_asked_at_full_price(
    model: str, tmp_path: Path
) -> None:
    words = ["score", str(log_of(tmp_path, 1)), "--monitor", "action_only", "--model", model, "--batch"]
    said = CliRunner().invoke(cli, [*words, "--store", str(tmp_path / "s.db")])
    assert isinstance(said.exception, Problem)
    assert "has no batch API that Inspect uses" in str(said.exception)


def test_the_price_of_a_batch_is_unknown_where_nobody_says_it() -> None:
    assert PriceTable.load().find("grok/grok-4") is not None
    assert PriceTable.load().find("grok/grok-4@batch") is None
    told = PriceTable.load(overrides=["grok/grok-4@batch=1,2"])
    price = told.find("grok/grok-4@batch")
    assert price is not None
    assert (price.input, price.output) == (1, 2)
    standard = told.find("grok/grok-4")
    assert standard is not None
    assert standard.input == 3


def test_a_price_that_the_user_gave_is_the_standard_one_of_which_a_batch_asks_its_share() -> None:
    price = PriceTable.load(overrides=["openai/gpt-4.1=10,20"]).find("openai/gpt-4.1-2025-04-14@batch")
    assert price is not None
    assert (price.input, price.output) == (5, 10)


def test_every_share_has_a_day_and_a_source() -> None:
    rows = [line for line in BATCH_TABLE.read_text().splitlines() if not line.startswith("#")][1:]
    assert rows
    for row in rows:
        assert re.fullmatch(r"[a-z]+/\*,0\.\d+,2026-\d\d-\d\d,https://\S+", row)
