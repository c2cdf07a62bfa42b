"""The scoring of an experiment: every stage with every one of its models, into one store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from molehunt.experiments.experiment import Environment, Experiment, Judging, Model

if TYPE_CHECKING:
    from molehunt.scoring import Outcome, Watcher
    from molehunt.verdicts.prices import PriceTable


def bindings_of(judging: Judging) -> Iterator[tuple[Model | None, Mapping[str, Model] | None]]:
    """Model for all roles, or models by role, of each pass over the runs; one without, if there are none."""
    if not judging.models:
        yield None, None
    for models in judging.models:
        if isinstance(models, dict) and "model" not in models:
            yield None, models
        else:
            yield models, None


def judge(
    experiment: Experiment,
    logs: Sequence[tuple[Environment, Path]],
    store: Path,
    prices: PriceTable,
    watcher: Callable[[], Watcher],
) -> Iterator[Outcome]:
    """Let all monitors judge the runs in the environments' folders; nothing is judged twice.

    Dollars of all passes count against the experiment's limit, and passes that are left when it is reached
    are not begun.

    Raises
    ------
    Problem
        Of the kind that `molehunt.scoring.score` raises.
    """
    from molehunt.scoring import score

    spent = 0.0
    for judging in experiment.scoring:
        folders = [folder for environment, folder in logs if judging.judges(environment)]
        for model, roles in bindings_of(judging):
            # a limit is for each environment, so that none is left without a verdict
            for sources in [[folder] for folder in folders] if judging.limit else [folders]:
                progress = watcher()
                try:
                    outcome = score(
                        sources,
                        judging.monitors,
                        store=store,
                        model=model,
                        roles=roles,
                        draws=judging.draws,
                        answer=judging.answer,
                        limit=judging.limit,
                        prices=prices,
                        max_usd=None if experiment.max_usd is None else experiment.max_usd - spent,
                        progress=progress,
                    )
                finally:
                    progress.close()
                spent += outcome.usd
                yield outcome
                if outcome.stopped:
                    return
