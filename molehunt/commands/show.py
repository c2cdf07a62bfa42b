"""``molehunt show``: one trajectory as a person reads it, with what the monitors quoted of it marked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from molehunt.terminal import printable

if TYPE_CHECKING:
    from rich.text import Text

    from molehunt.trajectories import Step
    from molehunt.verdicts import Excerpt

STYLES = {"reasoning": "italic", "prose": "", "code": "cyan", "tool_call": "cyan", "tool_result": "dim"}


@click.command()
@click.argument("store", type=click.Path(path_type=Path))
@click.argument("trajectory")
def command(store: Path, trajectory: str) -> None:
    """Print TRAJECTORY of STORE: its runs and steps, the monitors' verdicts, and what they quoted.

    The beginning of an id is enough, of the trajectory or of a run of it; `molehunt export` lists them all.
    Quoted stretches are reversed.
    """
    from rich.console import Console
    from rich.rule import Rule
    from rich.table import Table

    from molehunt.verdicts.store import Store

    console = Console(soft_wrap=True)
    with Store.read(store) as opened:
        runs = list(opened.runs())
        named = [run.trajectory for run in runs if run.id.startswith(trajectory.strip().lower())]
        shown = opened.trajectory(named[0] if len(named) == 1 else trajectory)
        monitors = {record.id: record for record in opened.monitors()}
        verdicts = [verdict for verdict in opened.verdicts() if verdict.trajectory == shown.id]
    console.print(Rule(f"trajectory {shown.id}", align="left"))
    for run in runs:
        if run.trajectory == shown.id:
            label = run.truth.label if run.truth else "label unknown"
            console.print(_plain(f"{label} · {run.agent_model or 'agent unknown'} · {run.log}"), style="dim")
    console.print(_plain(shown.task), style="bold")
    excerpts = [excerpt for verdict in verdicts for excerpt in verdict.excerpts]
    for step in shown.steps:
        name = f"{step.kind.replace('_', ' ')} {step.tool or ''}".strip()
        console.print(Rule(_plain(f"{step.index} · {name}"), align="left", style="dim"))
        console.print(_marked(step, excerpts))
    console.print(Rule("verdicts", align="left"))
    table = Table(box=None, pad_edge=False)
    for title in ("monitor", "models", "draw", "suspicion", "rationale"):
        table.add_column(title, overflow="fold")
    for verdict in verdicts:
        record = monitors[verdict.monitor]
        score = verdict.status if verdict.score is None else f"{verdict.score:.2f}"
        table.add_row(*map(_plain, (record.spec, record.models, str(verdict.draw), score, verdict.rationale)))
    console.print(table)
    for verdict in verdicts:
        for excerpt in verdict.excerpts:
            place = "in no step" if excerpt.step is None else f"step {excerpt.step}"
            effect = "" if excerpt.effect is None else f", score {excerpt.effect:+.2f}"
            quote = " ".join(excerpt.quote.split())
            line = f"{monitors[verdict.monitor].spec} quotes, {place}{effect}: {quote}"
            console.print(_plain(line), style="dim")


def _marked(step: Step, excerpts: Iterable[Excerpt]) -> Text:
    text = _plain(step.text)
    text.stylize(STYLES.get(step.kind, ""))
    for excerpt in excerpts:
        if excerpt.step == step.index:
            text.stylize("reverse", excerpt.start or 0, excerpt.end)
    return text


def _plain(text: str) -> Text:
    """``text`` with what a terminal would obey replaced one for one, and no markup read into it."""
    from rich.text import Text

    return Text(printable(text, keep="\n\t"))
