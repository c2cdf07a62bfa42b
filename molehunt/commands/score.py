"""``molehunt score``: let monitors judge recorded trajectories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from molehunt.commands.stating import labels_line, stated, stating
from molehunt.terminal import printable, widened
from molehunt.trajectories.problem import Problem
from molehunt.trajectories.wording import count
from molehunt.verdicts.verdict import STATUSES

if TYPE_CHECKING:
    from rich.console import Console

    from molehunt.scoring import ModelSpec, Outcome, Plan
    from molehunt.trajectories.unread import Unread

SHOWN = 10
"""Of a list that may be long."""


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE…")
@click.option(
    "--monitor",
    "monitors",
    multiple=True,
    required=True,
    metavar="SPEC",
    help="Monitor: eae, 'eae(min_excerpts=8)', mine.py@name, or a YAML file with a grid of monitors and "
    "models. May be repeated.",
)
@click.option("--store", required=True, type=click.Path(path_type=Path), help="SQLite file for the verdicts.")
@click.option("--model", metavar="M", help="Model for all roles, such as openai/gpt-4.1-mini.")
@click.option(
    "--role",
    "roles",
    multiple=True,
    metavar="R=M",
    help="Model of one role: evaluator=openai/gpt-4.1, or with settings "
    "'evaluator={model: openai/gpt-4.1, temperature: 0}'. May be repeated.",
)
@click.option("--draws", type=int, help="Verdicts per trajectory and monitor; 1 by default.")
@click.option("--preset", metavar="STUDY", help="Draws as in a published study: arnav2025.")
@click.option(
    "--answer",
    type=click.Choice(["text", "structured", "expected"]),
    help="How answers are read; by default expected if all models are embedded ones, else text.",
)
@click.option("--max-usd", type=click.FloatRange(min=0), metavar="X", help="Stop asking at X dollars.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked and what it would cost; ask nothing.")
@stating
@click.option(
    "--price", "overrides", multiple=True, metavar="MODEL=IN,OUT", help="Dollars per million tokens."
)
@click.option("--prices", type=click.Path(path_type=Path), metavar="FILE", help="CSV with prices.")
@click.option("--limit", type=int, metavar="N", help="Read N runs and no more.")
@click.option("--max-connections", type=int, metavar="N", help="Trajectories to ask about at a time.")
@click.option(
    "--batch",
    is_flag=True,
    help="Ask through the providers' batch APIs: about half the price, answers within a day.",
)
@click.option(
    "--runner",
    type=click.Choice(["local", "ray"]),
    default="local",
    help="Where the work is done: in this process, or by the workers of a Ray cluster.",
)
@click.option("--ray-address", metavar="ADDRESS", help="A Ray cluster that runs already: host:port, or auto.")
@click.option(
    "--shard",
    metavar="I/N",
    help="Score part I of N of the runs, into a store of its own; `molehunt merge` puts the parts together.",
)
def command(
    sources: tuple[str, ...],
    monitors: tuple[str, ...],
    store: Path,
    dry_run: bool,
    truth: str | None,
    honest: tuple[str, ...],
    attack: tuple[str, ...],
    task: str | None,
    roles: tuple[str, ...],
    model: str | None,
    overrides: tuple[str, ...],
    prices: Path | None,
    **options: Any,
) -> None:
    """Let monitors judge the runs in SOURCE…: files, folders or globs of logs of any known format.

    Each verdict is stored when it is made. The same command goes on where it stopped, tries again what failed
    and pays for no call twice.
    """
    from rich.console import Console

    from molehunt.scoring import plan, score
    from molehunt.scoring.progress import watcher_for
    from molehunt.verdicts.prices import PriceTable

    console = widened(Console(highlight=False, soft_wrap=True))
    options |= {
        "model": None if model is None else _model(model),
        "roles": _roles(roles),
        "truth": stated(truth, honest, attack, task),
        "prices": PriceTable.load(prices, overrides),
    }
    progress = watcher_for(Console(stderr=True, highlight=False))
    try:
        if dry_run:
            from molehunt.analysis.hygiene import Inspection
            from molehunt.commands.import_ import print_hygiene

            inspection = Inspection()
            planned = plan(sources, monitors, store=store, progress=progress, each=inspection.see, **options)
            progress.close()
            print_plan(planned, console, inspection.labels)
            print_hygiene(inspection.hygiene(), console)
            status = 0 if not planned.unread else 3 if planned.runs else 1
        else:
            outcome = score(sources, monitors, store=store, progress=progress, **options)
            progress.close()
            print_outcome(outcome, console)
            status = outcome.exit_status
    except KeyboardInterrupt:
        words = f"molehunt score: stopped. What was done is in {store}; the same command goes on from there."
        console.print(_plain(words))
        status = 130
    finally:
        progress.close()
    if status:
        raise click.exceptions.Exit(status)


def _model(text: str) -> ModelSpec:
    if not text.lstrip().startswith("{"):
        return text
    import yaml

    try:
        binding = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Problem(f"{text!r} cannot be read. Write {{model: openai/gpt-4.1, temperature: 0}}.") from error
    return binding if isinstance(binding, dict) else text


def _roles(texts: Sequence[str]) -> Mapping[str, ModelSpec]:
    roles: dict[str, ModelSpec] = {}
    for text in texts:
        role, equals, model = text.partition("=")
        if not (role.strip() and equals and model.strip()):
            raise Problem(f"--role {text!r} binds nothing. Write --role evaluator=openai/gpt-4.1-mini.")
        if role.strip() in roles:
            raise Problem(f"role {role.strip()!r} is bound twice. Give it one model.")
        roles[role.strip()] = _model(model)
    return roles


def print_plan(plan: Plan, console: Console, labels: Mapping[str, int] | None = None) -> None:
    """Print what would be asked, by monitor and role, and what it would cost.

    Parameters
    ----------
    labels : of the runs that were read; None if they are yet to be made.
    """
    from rich.table import Table

    from molehunt.scoring.progress import dollars

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("monitor", "role", "model"):
        table.add_column(title, overflow="fold")
    for title in ("calls", "free", "input tokens", "output tokens", "dollars"):
        table.add_column(title, justify="right")
    for row in plan.rows:
        usd = "price unknown" if row.usd is None else dollars(row.usd)
        counts = (f"{number:,}" for number in (row.calls, row.free, row.input_tokens, row.output_tokens))
        table.add_row(*map(_plain, (row.monitor, row.role, row.model, *counts, usd)))
    if plan.rows:
        console.print(table)
    _print_unread(plan.unread, console)
    if labels is None:
        console.print(f"runs      {plan.runs:,} to judge")
        console.print(f"verdicts  {plan.verdicts:,} to make")
    else:
        console.print(_runs_line(plan))
        console.print(labels_line(labels))
        console.print(f"verdicts  {plan.verdicts:,} to make, {plan.already:,} in the store")
    total = "unknown, since a price is" if plan.usd is None else f"about {dollars(plan.usd)}"
    console.print(f"dollars   {total}, for {count(plan.calls, 'call')}")
    console.print("Tokens and dollars are estimates. Nothing was asked and nothing was written.")


def print_outcome(outcome: Outcome, console: Console, *, goes_on: bool = False) -> None:
    """Print what was done, what was not, and what it cost; and what is next, unless the caller goes on."""
    from rich.table import Table

    from molehunt.scoring.progress import dollars

    statuses = [status for status in STATUSES if outcome.counts[status]]
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("monitor", overflow="fold")
    for status in statuses:
        table.add_column(status.replace("_", " "), justify="right")
    for monitor, counts in outcome.made.items():
        table.add_row(_plain(monitor), *(f"{counts.get(status, 0):,}" for status in statuses))
    if outcome.made:
        console.print(table)
    for reason, times in Counter(outcome.failures).most_common(SHOWN):
        console.print(_plain(f"failed    {times:,} × {reason}"))
    _print_unread(outcome.unread, console)
    for note in outcome.notes:
        console.print(_plain(f"note      {note}"))
    console.print(_runs_line(outcome))
    console.print(labels_line(outcome.labels))
    made = outcome.counts
    unscored = made.total() - made["scored"]
    console.print(
        f"verdicts  {made['scored']:,} scored, {unscored:,} unscored, {outcome.already:,} in the store before"
    )
    if outcome.left:
        reasons = {"budget": "the limit in dollars was reached", "workers": "workers died"}
        why = reasons.get(outcome.stopped or "", "the run was stopped")
        console.print(f"left      {outcome.left:,}, since {why}; the same command makes them")
    unknown = ""
    if outcome.unpriced:
        unknown = f" and what {', '.join(outcome.unpriced)} cost, whose price is unknown"
    at_most = (
        f", {outcome.unmetered:,} of them at most, as they reported no tokens" if outcome.unmetered else ""
    )
    was = "was" if outcome.replayed == 1 else "were"
    calls = f"{count(outcome.calls, 'call')}{at_most}; {outcome.replayed:,} {was} answered from the store"
    console.print(_plain(f"dollars   {dollars(outcome.usd)}{unknown}, for {calls}"))
    console.print(_plain(f"store     {outcome.store}"))
    if goes_on:
        return
    if outcome.labels.keys() <= {"unlabelled"} and outcome.runs:
        console.print(
            "next      say which runs are attacks, with --honest, --attack or --truth, to get a report"
        )
    elif outcome.already + made["scored"]:
        console.print(_plain(f"next      molehunt report {outcome.store} --out report"))


def _runs_line(read: Plan | Outcome) -> str:
    return f"runs      {read.runs:,} read, {count(read.trajectories, 'different trajectory')}"


def _print_unread(unread: Sequence[Unread], console: Console) -> None:
    for one in unread[:SHOWN]:
        console.print(_plain(f"unread    {one}"))
    if len(unread) > SHOWN:
        console.print(f"unread    {len(unread) - SHOWN:,} more")


def _plain(text: str) -> str:
    """Text of others without markup of rich's and without control characters."""
    from rich.markup import escape

    return escape(printable(text))
