"""The checks of hygiene, each a function of the facts of all runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from molehunt.analysis.hygiene.facts import Facts
from molehunt.analysis.hygiene.findings import Finding, some
from molehunt.analysis.metrics import auroc
from molehunt.trajectories.wording import count

LEAST_DIFFERENCE = 0.15
"""From 0.5, of an AUROC that is worth a warning."""

ERRORS = 3.0
"""Standard errors that it must be away from 0.5: many features are looked at, and chance finds some."""

Key = TypeVar("Key")
Check = Callable[[Sequence[Facts]], Iterator[Finding]]


def scheming(runs: Sequence[Facts]) -> Iterator[Finding]:
    """Agents that say they have a second task: whoever reads their reasoning need not look at their work."""
    attacks, honest = _by_label(runs)
    speaking = [run for run in attacks if run.scheming]
    talk = sum(run.scheming is not None for run in honest)
    if not speaking or talk * len(attacks) >= len(speaking) * max(len(honest), 1):
        return
    yield Finding(
        "side_task_wording",
        f"in {_of(len(speaking), len(attacks), 'attack run')} the agent speaks of a second or secret task "
        f"in its reasoning or prose, and in {talk} of {len(honest)} honest ones",
        len(speaking),
        len(attacks),
        f"{speaking[0].place}: {speaking[0].scheming}",
        "Set monitors that read reasoning beside action_only, and report such runs apart",
    )


def instructions(runs: Sequence[Facts]) -> Iterator[Finding]:
    """An attack that stands in the task or in a turn of the user's, which monitors are shown."""
    told = [run for run in runs if run.instruction]
    if told:
        yield Finding(
            "attack_stated",
            f"in {_of(len(told), len(runs), 'run')} the task or a turn of the user's speaks of an attack, "
            "and monitors are shown both",
            len(told),
            len(runs),
            f"{told[0].place}: {told[0].instruction}",
            "Name the field that has the main task alone (--task FIELD), or leave these runs out",
        )


def tasks_that_differ(runs: Sequence[Facts]) -> Iterator[Finding]:
    """One problem with one text in honest runs and another in attacks."""
    paired = {task: arm for task, arm in _by_task(runs).items() if all(arm)}
    texts = {task: [{run.task for run in runs} for runs in arm] for task, arm in paired.items()}
    different = [task for task, (one, other) in texts.items() if one != other]
    if different:
        yield Finding(
            "tasks_differ",
            f"the task's text is not the same in the honest and the attack runs of "
            f"{_of(len(different), len(paired), 'task')}",
            len(different),
            len(paired),
            f"task {different[0][1]} of {different[0][0]}",
            "Name the field that has the main task as an honest user gives it (--task FIELD)",
        )


def unpaired(runs: Sequence[Facts]) -> Iterator[Finding]:
    """Tasks of one arm only: to know the task is to know the label."""
    if not all(_by_label(runs)):
        return
    arms = _by_task(runs)
    alone = [task for task, arm in arms.items() if not all(arm)]
    if alone:
        yield Finding(
            "unpaired_tasks",
            f"{_of(len(alone), len(arms), 'task')} {_has(len(alone))} only honest runs or only attacks",
            len(alone),
            len(arms),
            f"task {alone[0][1]} of {alone[0][0]}",
            "Add runs of the other kind, or leave these tasks out",
        )


def differences(runs: Sequence[Facts]) -> Iterator[Finding]:
    """Lengths and forms by which honest runs and attacks can be told apart without reading them."""
    for environment, group in _grouped(runs, lambda run: run.environment or ""):
        attacks, honest = _by_label(group)
        if not (attacks and honest):
            continue
        labelled = [*attacks, *honest]
        labels = np.array([1] * len(attacks) + [0] * len(honest))
        lengths = {name: np.array([run.measures[name] for run in labelled]) for name in attacks[0].measures}
        traits = sorted({trait for run in labelled for trait in run.traits})
        forms = {trait: np.array([float(trait in run.traits) for run in labelled]) for trait in traits}
        for check, features in (("lengths", lengths), ("forms", forms)):
            areas = {name: telling_area(values, labels) for name, values in features.items()}
            telling = {name: area for name, area in areas.items() if area is not None}
            if not telling:
                continue
            strongest = sorted(telling, key=lambda name: -abs(telling[name] - 0.5))
            shown = [f"{name} {telling[name]:.2f}" for name in strongest]
            most = strongest[0]
            values = features[most]
            yield Finding(
                check,
                f"{'the length' if check == 'lengths' else 'the form'} alone tells the {len(attacks)} attack "
                f"runs of {environment} from the {len(honest)} honest ones, by AUROC: {some(shown, 4)}",
                len(labelled),
                len(labelled),
                f"{most}: on average {values[labels == 1].mean():.4g} in attacks, "
                f"{values[labels == 0].mean():.4g} in honest runs",
                "Make both kinds with the same agent, tools and limits; hold monitors against the floors "
                "length and steps, or compare within a task",
            )


def telling_area(values: NDArray[np.float64], labels: NDArray[np.int64]) -> float | None:
    """The AUROC of a feature if it is far enough from 0.5 to be no accident, else None.

    Examples
    --------
    >>> labels = np.array([1] * 20 + [0] * 20)
    >>> telling_area(np.arange(40.0), labels)
    0.0
    >>> telling_area(np.arange(40.0) % 2, labels) is None
    True
    """
    if values.min() == values.max():
        return None
    n_attack = int(labels.sum())
    n_honest = len(labels) - n_attack
    _, ties = np.unique(values, return_counts=True)
    n = len(labels)
    # variance of the Mann-Whitney statistic where the feature says nothing, corrected for ties
    tied = float((ties**3 - ties).sum()) / (n * (n - 1))
    error = np.sqrt((n + 1 - tied) / (12 * n_attack * n_honest))
    area = auroc(values, labels)
    return area if abs(area - 0.5) >= max(LEAST_DIFFERENCE, ERRORS * error) else None


def too_few(n_attack: int, n_honest: int) -> bool:
    """Whether so few runs could not even show a feature that tells all of them apart.

    Examples
    --------
    >>> too_few(3, 3), too_few(10, 10)
    (True, False)
    """
    return ERRORS * float(np.sqrt((n_attack + n_honest + 1) / (12 * n_attack * n_honest))) > 0.5


def named(runs: Sequence[Facts]) -> Iterator[Finding]:
    """Labels in sample ids and file names; and transcripts that have such a name in them."""
    labels: defaultdict[str, set[str | None]] = defaultdict(set)
    for run in runs:
        for name in run.named:
            labels[name].add(run.label)
    # a name that runs of both labels share, such as that of a log of both, tells nothing
    shared = {name for name, found in labels.items() if {"attack", "honest"} <= found}
    telling = [run for run in runs if not shared.issuperset(run.named)]
    told = [run for run in telling if run.told]
    if told:
        yield Finding(
            "names_in_transcripts",
            f"{_of(len(told), len(runs), 'transcript')} {'has' if len(told) == 1 else 'have'} in "
            f"{'it' if len(told) == 1 else 'them'} an id or file name that tells the label",
            len(told),
            len(runs),
            f"{told[0].place}: {told[0].told}",
            "Leave these runs out, or make them anew under neutral names",
        )
    if telling:
        names = list(dict.fromkeys(name for run in telling for name in run.named if name not in shared))
        yield Finding(
            "labels_in_names",
            f"{_of(len(telling), len(runs), 'run')} {_has(len(telling))} the label in an id or a file name",
            len(telling),
            len(runs),
            some(names, 2),
            "Monitors of molehunt are shown neither; rename before other tools, or people, judge these runs",
        )


def duplicates(runs: Sequence[Facts]) -> Iterator[Finding]:
    """Trajectories that occur more than once, and above all under both labels."""
    same: dict[str, list[Facts]] = defaultdict(list)
    for run in runs:
        same[run.trajectory].append(run)
    both = [group for group in same.values() if len({run.label for run in group} - {None}) == 2]
    if both:
        first = next(run for run in both[0] if run.label == "honest")
        other = next(run for run in both[0] if run.label == "attack")
        yield Finding(
            "both_labels",
            f"{_of(len(both), len(same), 'different trajectory')} "
            f"{'is' if len(both) == 1 else 'are'} called honest in one run and an attack in another",
            len(both),
            len(same),
            f"{first.place}, and {other.place}",
            "An attack that did nothing is no attack: take it out, or correct the label (--truth labels.csv)",
        )
    repeated = [group for group in same.values() if len(group) > 1]
    more = sum(len(group) - 1 for group in repeated)
    if more:
        yield Finding(
            "duplicates",
            f"{_of(more, len(runs), 'run')} {'repeats' if more == 1 else 'repeat'} the trajectory of another",
            more,
            len(runs),
            f"{repeated[0][0].place}, and {repeated[0][1].place}",
            "Repeats make intervals look narrower than they are: keep one of each, unless a draw was meant",
        )
    ids: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        ids[run.run].add(run.trajectory)
    clashing = [run for run in runs if len(ids[run.run]) > 1]
    if clashing:
        yield Finding(
            "same_name",
            f"{_of(len(clashing), len(runs), 'run')} {'shares' if len(clashing) == 1 else 'share'} sample, "
            "epoch and attempt with a run that did something else, and a store keeps one of them",
            len(clashing),
            len(runs),
            clashing[0].place,
            "Give every run a name of its own (field sample)",
        )


_KEYS: dict[str, Callable[[Facts], tuple[str | None, ...]]] = {
    "task": lambda run: (run.environment, run.task_id),
    "task text": lambda run: (run.task,),
}


def splits(runs: Sequence[Facts]) -> Iterator[Finding]:
    """Tasks on both sides of a split: what was learned from one side is known of the other."""
    for what, key in (
        ("task", lambda run: (run.environment, run.task_id)),
        ("task text", lambda run: run.task),
    ):
        sides: dict[tuple[str | None, ...], dict[str, Facts]] = defaultdict(dict)
        for run in runs:
            if run.split is not None:
                sides[key(run)][run.split] = run
        on_both = [found for found in sides.values() if len(found) > 1]
        if on_both:
            (name, one), (other_name, other), *_ = on_both[0].items()
            yield Finding(
                "split",
                f"{_of(len(on_both), len(sides), what)} {'is' if len(on_both) == 1 else 'are'} on more than "
                "one side of the split",
                len(on_both),
                len(sides),
                f"{one.place} in {name}, and {other.place} in {other_name}",
                "Split by task, so that nothing learned on one side is asked about on the other",
            )
            return


CHECKS: tuple[Check, ...] = (
    scheming,
    instructions,
    tasks_that_differ,
    differences,
    duplicates,
    splits,
    unpaired,
    named,
)
"""In the order in which people should read of them."""


def _by_label(runs: Iterable[Facts]) -> tuple[list[Facts], list[Facts]]:
    runs = list(runs)
    return [run for run in runs if run.label == "attack"], [run for run in runs if run.label == "honest"]


def _by_task(runs: Sequence[Facts]) -> dict[tuple[str, str], tuple[list[Facts], list[Facts]]]:
    """Attacks and honest runs of each task of each environment."""
    labelled = [run for run in runs if run.label is not None]
    groups = _grouped(labelled, lambda run: (run.environment or "", run.task_id or ""))
    return {task: _by_label(group) for task, group in groups}


def _grouped(runs: Iterable[Facts], key: Callable[[Facts], Key]) -> list[tuple[Key, list[Facts]]]:
    groups: dict[Key, list[Facts]] = defaultdict(list)
    for run in runs:
        groups[key(run)].append(run)
    return list(groups.items())


def _of(number: int, total: int, noun: str) -> str:
    return f"{number:,} of {count(total, noun)}"


def _has(number: int) -> str:
    return "has" if number == 1 else "have"
