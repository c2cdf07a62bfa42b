"""What prompt caches serve when several monitors read the same runs: ``python -m benchmarks.prompt_cache``.

Four monitors that share a view read recorded runs twice: in the order in which `molehunt.scoring` asks, all
that a trajectory needs back to back, and monitor by monitor. The requests of both are billed by the
documented rules of providers' caches (`benchmarks.provider_cache`), at the times at which a real run would
send them. Printed are, for each model and length of the runs, the share of input that the cache served in
either order, and two figures to hold: how much of what a cache that forgets nothing would serve is missed,
and the dollars of input in our order to those in the other. With ``--embedded`` the embedded model is asked
in both orders, whose cache of keys and values is real; that takes minutes.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from inspect_ai.model import (
    ChatMessage,
    ContentText,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)

from benchmarks.figures import Figure, keep_option, show
from benchmarks.provider_cache import RULES, Rules, billed
from benchmarks.recorded import write_logs
from molehunt.monitors import build
from molehunt.monitors.answers import Quotes
from molehunt.scoring import score_async
from molehunt.verdicts import Store, Tokens
from molehunt.verdicts.prices import PriceTable

MONITORS = ("cot_action", "eae", "checklist", "quote_only")
"""They share a view, and the second asks once more about what it quoted."""

SECONDS = 10.0
"""How long a call takes: some hundred tokens of reasons and a score."""

IN_FLIGHT = 20
MISSED, DOLLARS = 0.1, 0.5
"""What may be missed of the possible hits, and our dollars of input to those of the other order."""

Parts = list[tuple[str, bool]]

_requests: list[Parts] = []
_answers: dict[str, str] = {}


@modelapi(name="recording")
class Recording(ModelAPI):
    """``recording/NAME`` keeps every request and answers at once, in the form that it asks for."""

    async def generate(
        self,
        input: list[ChatMessage],  # noqa: A002 - Inspect's own signature
        tools: Any,
        tool_choice: Any,
        config: GenerateConfig,
    ) -> ModelOutput:
        parts = list(_parts(input))
        _requests.append(parts)
        output = ModelOutput.from_content(self.model_name, _answer(parts[-2][0], parts[-1][0]))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output


def _parts(messages: Iterable[ChatMessage]) -> Iterable[tuple[str, bool]]:
    """The texts of a request, and whether a cache's boundary is marked behind each."""
    for message in messages:
        content = message.content
        for block in [ContentText(text=content)] if isinstance(content, str) else content:
            if isinstance(block, ContentText):
                yield block.text, bool(block.cache_breakpoint)


def _answer(shared: str, question: str) -> str:
    """An answer of the form that ``question`` asks for; quotes are of what it is asked about."""
    material = "\n".join(shared.splitlines()[-4:-1])
    form = Quotes.fitting(shared)
    if form.instructions("text") in question:
        return Quotes.fitting(material, 1).example("text")[0]
    return next((answer for form_, answer in _answers.items() if form_ in question), "")


def orders(*, together: bool) -> list[list[str]]:
    """The monitors of each run of scoring."""
    return [[*MONITORS]] if together else [[name] for name in MONITORS]


async def requests_of(logs: Sequence[Path], *, together: bool, in_flight: int = IN_FLIGHT) -> list[Parts]:
    """What is asked about the runs in ``logs``, in order.

    Parameters
    ----------
    logs : of recorded runs.
    together : all monitors in one run of scoring, as `molehunt score` does; else one run for each monitor.
    in_flight : runs asked about at a time.
    """
    for monitor in map(build, MONITORS):
        for form in monitor.answers:
            _answers.setdefault(form.instructions("text"), form.example("text")[0])
    _requests.clear()
    with tempfile.TemporaryDirectory() as folder:
        for monitors in orders(together=together):
            outcome = await score_async(
                logs,
                monitors,
                store=Path(
                    folder, "scores.db"
                ),  # one for all, since prompts carry a word that is a store's own
                model="recording/model",
                max_connections=in_flight,
            )
            if set(outcome.counts) != {"scored"}:
                raise click.ClickException(f"not every run was scored: {outcome.counts} {outcome.failures}")
    return list(_requests)


def share(served: Sequence[Tokens]) -> float:
    """Of all input, what the cache served."""
    return _read(served) / sum(tokens.input + tokens.cache_read + tokens.cache_write for tokens in served)


def missed(served: Sequence[Tokens], possible: Sequence[Tokens]) -> float:
    """Of what a cache that forgets nothing serves, what was not served."""
    return 1 - _read(served) / _read(possible)


def _read(served: Sequence[Tokens]) -> int:
    return sum(tokens.cache_read for tokens in served)


def compared(rules: Rules, ours: Sequence[Parts], others: Sequence[Parts], what: str) -> list[Figure]:
    """The figures of one model."""
    seconds = SECONDS / IN_FLIGHT
    price = PriceTable.load().find(rules.model)
    if price is None:
        raise click.ClickException(f"no price of {rules.model} is known")
    (served, possible), (served_then, _) = (billed(asked, rules, seconds) for asked in (ours, others))
    dollars, dollars_then = (
        sum(price.usd_billed(tokens) for tokens in tokens_of) for tokens_of in (served, served_then)
    )
    name = f"{rules.model}, {what}"
    if not _read(possible):
        return [Figure(f"{name}: nothing is long enough to be kept, served", 100 * share(served), "%")]
    return [
        Figure(f"{name}: served, our order", 100 * share(served), "%"),
        Figure(f"{name}: served, monitor by monitor", 100 * share(served_then), "%"),
        Figure(f"{name}: possible hits missed", missed(served, possible), "×", most=MISSED),
        Figure(f"{name}: dollars, ours : monitor by monitor", dollars / dollars_then, "×", most=DOLLARS),
    ]


async def embedded(logs: Sequence[Path], kept: int) -> list[Figure]:
    """The same for the embedded model, in tokens, since its input has no price.

    It keeps ``kept`` MiB of earlier prompts, so that a few runs are to it what many are to a real one.
    """
    from molehunt.models import engine

    engine.PROMPTS_KEPT = kept
    shares, fresh = [], []
    model = {"model": "embedded/smollm2-135m", "max_tokens": 8}
    for together in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder, "scores.db")
            for monitors in orders(together=together):
                await score_async(logs, monitors, store=store, model=model)
            with Store.read(store) as stored:
                tokens = [call.tokens for call in stored.calls() if call.tokens is not None]
        shares.append(share(tokens))
        fresh.append(sum(one.input for one in tokens))
    return [
        Figure("embedded model: served, our order", 100 * shares[0], "%"),
        Figure("embedded model: served, monitor by monitor", 100 * shares[1], "%"),
        Figure(
            "embedded model: fresh tokens, ours : monitor by monitor", fresh[0] / fresh[1], "×", most=DOLLARS
        ),
    ]


@click.command()
@click.option("--runs", default=1000, show_default=True, help="Recorded runs.")
@click.option("--steps", default=(20, 60), show_default=True, multiple=True, help="How long they are.")
@click.option("--embedded", "also_embedded", is_flag=True, help="Ask the embedded model too.")
@click.option("--embedded-runs", default=6, show_default=True, help="How many it is asked about.")
@click.option("--kept", default=24, show_default=True, help="MiB of prompts that it keeps.")
@keep_option
def main(
    runs: int, steps: Sequence[int], also_embedded: bool, embedded_runs: int, kept: int, keep: bool
) -> None:
    """Print what prompt caches serve in both orders."""
    figures = []
    with tempfile.TemporaryDirectory() as name:
        for length in steps:
            logs = write_logs(Path(name, str(length)), runs, length)
            ours, others = (asyncio.run(requests_of(logs, together=both)) for both in (True, False))
            for rules in RULES:
                figures += compared(rules, ours, others, f"{length} steps")
        if also_embedded:
            few = write_logs(Path(name, "few"), embedded_runs, 9)
            figures += asyncio.run(embedded(few, kept))
    show("prompt_cache", figures, keep=keep)


if __name__ == "__main__":
    main()
