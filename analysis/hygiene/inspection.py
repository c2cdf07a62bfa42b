"""The checks of hygiene over a set of runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from molehunt.analysis.hygiene.checks import CHECKS, too_few
from molehunt.analysis.hygiene.facts import Facts
from molehunt.analysis.hygiene.findings import Finding
from molehunt.trajectories import LABELS, Run
from molehunt.trajectories.wording import count


@dataclass(frozen=True)
class Hygiene:
    """What the checks say.

    Parameters
    ----------
    findings : what was found, empty if nothing was.
    unchecked : what could not be checked, and why, a sentence each.
    """

    findings: tuple[Finding, ...]
    unchecked: tuple[str, ...] = ()


class Inspection:
    """Looks at runs as they go by.

    Examples
    --------
    >>> from molehunt.trajectories import Step, Trajectory, Truth
    >>> one = Trajectory("Add.", (Step(0, "code", "a + b"),))
    >>> inspection = Inspection()
    >>> for label in ("honest", "attack"):
    ...     inspection.see(Run(one, Truth(label, "sums", "p1"), "runs.jsonl", label))
    >>> [finding.what for finding in inspection.hygiene().findings if finding.check == "both_labels"]
    ['1 of 1 different trajectory is called honest in one run and an attack in another']
    """

    def __init__(self) -> None:
        self._facts: list[Facts] = []

    def see(self, run: Run) -> None:
        """Take note of a run."""
        self._facts.append(Facts.of(run))

    @property
    def labels(self) -> Counter[str]:
        """Runs that have been seen, by label, ``unlabelled`` where nobody has said what they are."""
        return Counter(facts.label or "unlabelled" for facts in self._facts)

    def hygiene(self) -> Hygiene:
        """What the runs that have been seen come to."""
        return Hygiene(tuple(self._findings()), tuple(self._unchecked()))

    def _findings(self) -> Iterator[Finding]:
        for check in CHECKS:
            yield from check(self._facts)

    def _unchecked(self) -> Iterator[str]:
        known = {facts.label for facts in self._facts} - {None}
        if missing := [label for label in LABELS if label not in known]:
            yield f"no run is known to be {' or '.join(missing)}, so the two were not compared"
        for environment in sorted({facts.environment or "" for facts in self._facts}):
            labels = [facts.label for facts in self._facts if (facts.environment or "") == environment]
            attacks, honest = labels.count("attack"), labels.count("honest")
            if attacks and honest and too_few(attacks, honest):
                yield (
                    f"{attacks} attack and {count(honest, 'honest run')} of {environment} are too few "
                    "to tell a difference in length or form from an accident"
                )
        if not any(facts.split for facts in self._facts):
            yield "no run has a factor called split, so no task can be on both of its sides"


def inspect_runs(runs: Iterable[object]) -> Hygiene:
    """What makes results on these runs too easy.

    Parameters
    ----------
    runs : as `molehunt.trajectories.read_runs` gives them; what could not be read is passed over.

    Examples
    --------
    >>> inspect_runs([]).findings
    ()
    """
    inspection = Inspection()
    for run in runs:
        if isinstance(run, Run):
            inspection.see(run)
    return inspection.hygiene()
