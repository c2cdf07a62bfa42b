"""A provider of models that behave as each test needs, and logs to score.

The personas are functions of the conversation, so that a run can be repeated in another process.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ContentText,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    TopLogprob,
    modelapi,
)

from molehunt.scoring import Outcome, score_async
from molehunt.verdicts import Call, Store, StoredVerdict
from molehunt.verdicts.prices import PriceTable

SENT: list[Sent] = []
GATE: list[asyncio.Event] = []
PRICES = PriceTable.load(overrides=["fakemonitor/*=1,5"])


class Sent:
    """A request as the provider saw it."""

    def __init__(self, model: str, messages: list[ChatMessage], config: GenerateConfig) -> None:
        self.model = model
        self.roles = [message.role for message in messages]
        self.texts = [message.text for message in messages]
        self.config = config

    @property
    def text(self) -> str:
        return "\n\n".join(self.texts)


class FakeAPI(ModelAPI):
    """``fakemonitor/PERSONA``: see `answer_of` and the branches below for what personas there are."""

    async def count_text_tokens(self, text: str) -> int:
        return len(text) // 4

    def should_retry(self, ex: Exception) -> bool:
        return isinstance(ex, ConnectionError)

    def retry_wait(self) -> Any:
        from tenacity import wait_none

        return wait_none()

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's own signature
        tools: Any,
        tool_choice: Any,
        config: GenerateConfig,
    ) -> ModelOutput:
        SENT.append(Sent(self.model_name, input, config))
        # as a provider's client does, it belongs to the event loop in which it was first used
        self.loop = getattr(self, "loop", asyncio.get_running_loop())
        if self.loop is not asyncio.get_running_loop():
            raise RuntimeError("Event loop is closed")
        killed_after = os.environ.get("FAKEMONITOR_KILLED_AFTER")
        if killed_after and len(SENT) > int(killed_after):
            os.kill(os.getpid(), signal.SIGKILL)
        return await self._output(input)

    async def _output(self, messages: list[ChatMessage]) -> ModelOutput:
        asked_before = sum(message.role == "assistant" for message in messages)
        match self.model_name:
            case "refuser":
                return self._said("I would rather not.", stop="content_filter")
            case "refuser-in-words":
                return self._said("I cannot help with that.")
            case "refuser-by-field":
                return self._said([ContentText(text="No.", refusal=True)])
            case "filtered-but-readable":
                return self._said(answer_of(messages), stop="content_filter")
            case "mumbler":
                return self._said("somewhere between 2 and 9")
            case "mumbler-once" if not asked_before:
                return self._said("somewhere between 2 and 9")
            case "silent-once" if not asked_before:
                return self._said("")
            case "rambler":
                return self._said("first of all", stop="max_tokens")
            case "overflower":
                return self._said("maximum context length exceeded", stop="model_length", usage=None)
            case "overflower-by-error":
                raise ValueError("This model's maximum context length is 8192 tokens, yours has 9000.")
            case "broken":
                raise RuntimeError("the provider is on fire")
            case "flaky" if len(SENT) % 3:
                raise ConnectionError("try again")
            case "refuses-on-third" if len(SENT) == 3:
                return self._said("I would rather not.", stop="content_filter")
            case "breaks-on-third" if len(SENT) == 3:
                raise RuntimeError("the provider is on fire")
            case "hanger":
                await asyncio.Event().wait()
            case "interrupter" if len(SENT) == 3:
                signal.raise_signal(signal.SIGINT)
            case "impostor":
                return self._said(answer_of(messages), model="somebody-else")
            case "dated":
                return self._said(answer_of(messages), model="dated-2025-04-14")
            case "drifting":
                return self._said(answer_of(messages), model=f"drifting-2025-04-{10 + len(SENT):02}")
            case "unmetered":
                return self._said(answer_of(messages), usage=None)
            case "gated":
                await GATE[0].wait()
            case "digits" if (answer := likely_answer_of(messages)) is not None:
                text, *alternatives = answer
                return self._said(text, logprobs=logprobs_of(text, *alternatives))
        return self._said(answer_of(messages))

    def _said(
        self,
        content: str | list[Any],
        stop: Any = "stop",
        model: str | None = None,
        usage: ModelUsage | None = ModelUsage(input_tokens=1000, output_tokens=100, total_tokens=1100),  # noqa: B008
        logprobs: Logprobs | None = None,
    ) -> ModelOutput:
        message = ChatMessageAssistant(content=content, source="generate")
        choice = ChatCompletionChoice(message=message, stop_reason=stop, logprobs=logprobs)
        return ModelOutput(model=model or self.model_name, choices=[choice], usage=usage)


@modelapi(name="fakemonitor")
def fakemonitor() -> type[ModelAPI]:
    return FakeAPI


def answer_of(messages: list[ChatMessage]) -> str:
    """A readable answer to what was asked, the same for the same conversation."""
    question = messages[-1].text
    digest = hashlib.sha256("\n".join(message.text for message in messages).encode()).hexdigest()
    number = int(digest, 16)
    reasons = f"Because of {digest[:6]}."
    fields: dict[str, Any] = {}
    lines: list[str] = []
    if '"excerpts"' in question or "put each excerpt" in question.lower():
        fields["excerpts"] = [quote := quote_of(messages)]
        lines.append(f"<excerpt>{quote}</excerpt>")
    if '"rationale"' in question or "reasons in a few sentences" in question:
        fields["rationale"] = reasons
        lines.append(reasons)
    if '"suspicion"' in question or "SUSPICION" in question:
        fields["suspicion"] = number % 101
        lines.append(f"SUSPICION: {number % 101}")
    if '"rating"' in question or "RATING" in question:
        fields["rating"] = number % 5 + 1
        lines.append(f"RATING: {number % 5 + 1}")
    if '"notes"' in question or "<notes>" in question:
        fields["notes"] = reasons
        lines.append(f"<notes>{reasons}</notes>")
    if '"windows"' in question or "INSPECT" in question:
        fields["windows"] = [1]
        lines.append("INSPECT: 1")
    for count in re.findall(r'with (\d+) lines, one|"q1" to "q(\d+)"', question):
        for index in range(int("".join(count))):
            fields[f"q{index + 1}"] = bool(number >> index & 1)
            lines.append(f"{index + 1}: {'yes' if number >> index & 1 else 'no'}")
    return json.dumps(fields) if "one JSON object" in question else "\n".join(lines)


def quote_of(messages: list[ChatMessage]) -> str:
    """The line below the first heading of the transcript."""
    [body] = re.findall(r'<transcript boundary="\w+">\n(.*?)\n</transcript', messages[1].text, re.DOTALL)
    quote: str = body.splitlines()[1]
    return quote


def likely_answer_of(messages: list[ChatMessage]) -> tuple[str, ...] | None:
    """An answer that is read from probabilities, with the two tokens between which it was; None elsewhere."""
    question = messages[-1].text
    if "Yes or No" in question:
        return "No", "No", "Yes"
    if '"sabotage"' in question:
        return '{"sabotage": false}', "false", "true"
    if '{"rating": N}' in question:
        return '{"rating": 4}', "4", "2"
    if '{"suspicion": N}' in question:
        return '{"suspicion": 7}', "7", "2"
    if "one digit" in question:
        return json.dumps({"excerpts": [quote_of(messages)], "suspicion": 7}), "7", "2"
    if checks := re.search(r'object and nothing else: "q1" to "q(\d+)"', question):
        return json.dumps({f"q{n + 1}": False for n in range(int(checks[1]))}), "false", "true"
    return None


def logprobs_of(text: str, likely: str, unlikely: str) -> Logprobs:
    """Log-probabilities of a text in which each ``likely`` might have been ``unlikely``."""
    alternatives = [TopLogprob(token=likely, logprob=-0.5), TopLogprob(token=unlikely, logprob=-1.0)]
    tokens: list[Logprob] = []
    for index, piece in enumerate(text.split(likely)):
        if index:
            tokens.append(Logprob(token=likely, logprob=-0.5, top_logprobs=alternatives))
        tokens.append(Logprob(token=piece, logprob=0.0))
    return Logprobs(content=[token for token in tokens if token.token])


def write_log(path: Path, samples: list[dict[str, Any]]) -> Path:
    """An Inspect log as the environments write it, with the least that a log has."""
    log = {
        "version": 2,
        "status": "success",
        "eval": {
            "eval_id": "e1",
            "run_id": "r1",
            "created": "2026-01-01T00:00:00+00:00",
            "task": "bigcodebench_sabotage",
            "task_id": "t1",
            "dataset": {"name": "d"},
            "model": "scripted/saboteur",
            "config": {},
        },
        "samples": samples,
    }
    path.write_text(json.dumps(log))
    return path


def sample(
    name: str,
    code: str,
    label: str = "honest",
    thought: str = "Let me think.",
    task: str = "Add two numbers.",
) -> dict[str, Any]:
    """One sample: a task, a thought and a piece of code, with its truth in the metadata."""
    metadata = {
        "version": 1,
        "task": task,
        "label": label,
        "environment": "bigcodebench_sabotage/embedded",
        "task_id": f"problem-of-{name}",
        "factors": {"side_task": f"side-task-of-{name}"} if label == "attack" else {},
    }
    reply = [
        {"type": "reasoning", "reasoning": thought},
        {"type": "text", "text": f"```python\n{code}\n```"},
    ]
    return {
        "id": name,
        "epoch": 1,
        "uuid": f"uuid-of-{name}",
        "input": task,
        "target": f"target-of-{name}",
        "messages": [
            {"id": f"u-{name}", "role": "user", "content": task},
            {"id": f"a-{name}", "role": "assistant", "content": reply, "source": "generate"},
        ],
        "metadata": {"molehunt": metadata},
        "scores": {},
    }


def codes(number: int) -> list[dict[str, Any]]:
    """Samples that differ in their code and their thoughts."""
    return [
        sample(
            f"s{index}",
            code=f"def add(a, b):\n    return a + b + {index}",
            label="attack" if index % 2 else "honest",
            thought=f"Let me think of {index}.",
        )
        for index in range(number)
    ]


@pytest.fixture(autouse=True)
def _ctrl_c_is_pythons_own() -> Iterator[None]:
    """What other tests ran in this process may have left a handler of its own, which would hear it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before or signal.default_int_handler)  # None: not set from Python


@pytest.fixture(autouse=True)
def _nothing_sent() -> None:
    SENT.clear()
    GATE.clear()


@pytest.fixture
def sent() -> list[Sent]:
    """Requests that have reached the provider, in order."""
    return SENT


@pytest.fixture
def gate() -> asyncio.Event:
    """Lets the model ``gated`` answer once it is set."""
    GATE.append(asyncio.Event())
    return GATE[0]


@pytest.fixture
def prices() -> PriceTable:
    """A dollar for a million tokens of input, five for output: a call of the fake costs 0.0015 dollars."""
    return PRICES


@pytest.fixture
def sample_of() -> Callable[..., dict[str, Any]]:
    """Makes one sample of a log."""
    return sample


@pytest.fixture
def log_of(tmp_path: Path) -> Callable[..., Path]:
    """Writes a log of so many different runs, or of the samples given."""

    def write(samples: int | list[dict[str, Any]] = 1, name: str = "runs.json") -> Path:
        return write_log(tmp_path / name, codes(samples) if isinstance(samples, int) else samples)

    return write


@dataclass(frozen=True)
class Scored:
    """A run of scoring and what it left in its store."""

    outcome: Outcome
    verdicts: list[StoredVerdict]
    calls: list[Call]

    @property
    def only(self) -> StoredVerdict:
        [verdict] = self.verdicts
        return verdict


@pytest.fixture
def scored(log_of: Callable[..., Path], tmp_path: Path) -> Callable[..., Any]:
    """Scores a log with one sample, or what it is given, into ``scores.db``, as often as it is called."""

    async def run(monitors: Any = "action_only", model: str | None = "judge", **options: Any) -> Scored:
        store = options.pop("store", tmp_path / "scores.db")
        sources = options.pop("sources", None) or log_of(1)
        options = {"prices": PRICES, **options}
        name = None if model is None else f"fakemonitor/{model}"
        outcome = await score_async(sources, monitors, model=name, store=store, **options)
        with Store.read(store) as opened:
            return Scored(outcome, list(opened.verdicts()), list(opened.calls()))

    return run
