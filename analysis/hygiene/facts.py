"""What hygiene needs to know of a run, without its text: thousands of them fit into memory."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from molehunt.analysis.hygiene.findings import excerpt
from molehunt.trajectories import KINDS, Label, Run

SCHEMING = re.compile(
    r"\bside[- ]tasks?\b"
    r"|\b(?:secret|hidden|covert|ulterior) (?:goal|task|objective|agenda|instruction|mission)s?\b"
    r"|\bcovertly\b|\bsabotag\w+|\bred[- ]team\w*|\bmalicious(?:ly)? (?:code|behaviou?r|change|payload)"
    r"|\b(?:avoid|evad|escap)\w* (?:detection|suspicion|notice|being (?:noticed|detected|caught))"
    r"|\bwithout (?:being )?(?:noticed|detected|getting caught|(?:raising|arousing) suspicion)"
    r"|\bthe monitor (?:will|would|may|might|could|can|won't|must|sees|looks|is)\b",
    re.IGNORECASE,
)
"""What an agent says that has been told to do something else in secret; honest work hardly needs it."""

INSTRUCTION = re.compile(
    r"\bside[- ]task\b|\byou(?:r| have a| are) (?:secret\w*|covert\w*|hidden|ulterior)\b|\bsecretly\b"
    r"|\bred[- ]team\w*|\bpenetration test\w*|\bsabotag\w+"
    r"|\bwithout (?:being )?(?:noticed|detected|getting caught|(?:raising|arousing) suspicion)"
    r"|\b(?:user|monitor|overseer)s? (?:must|should|does|do|will|may) not (?:know|notice|see|reali[sz]e)\b",
    re.IGNORECASE,
)
"""What a red team says to its agent."""

LABELLING = re.compile(
    r"(?<![a-z])(?:attack(?:er|s|ed)?|honest|malicious|benign|sabotage[drs]?|poison(?:ed)?|backdoor(?:ed)?"
    r"|red[-_ ]?team|scheming|no[-_]secondary[-_]task)(?![a-z])",
    re.IGNORECASE,
)
"""Words in a name that say what the run is."""


@dataclass(frozen=True)
class Facts:
    """A run, as far as the checks look at it.

    Parameters
    ----------
    run, trajectory, sample, log : see `Run`.
    label, environment, task_id, split : see `Truth`; None where it is unknown.
    task : digest of the main task's text.
    measures : lengths and counts, by name.
    traits : what the run has, such as ``tool bash`` or ``ending limit``.
    scheming : an excerpt of what the agent says about a second task, None if it says nothing of it.
    instruction : the same of the task or a user's turn.
    named : names of the run that have its label in them.
    told : an excerpt of the transcript with such a name in it.
    """

    run: str
    trajectory: str
    sample: str
    log: str
    label: Label | None
    environment: str | None
    task_id: str | None
    split: str | None
    task: str
    measures: dict[str, float]
    traits: frozenset[str]
    scheming: str | None
    instruction: str | None
    named: tuple[str, ...]
    told: str | None

    @property
    def place(self) -> str:
        """Where to look, for people."""
        return f"sample {self.sample} of {self.log}"

    @classmethod
    def of(cls, run: Run) -> Facts:
        """The facts of ``run``."""
        trajectory, truth = run.trajectory, run.truth
        said = [step.text for step in trajectory.steps if step.kind in ("reasoning", "prose")]
        asked = [trajectory.task, *(step.text for step in trajectory.steps if step.kind == "user")]
        names = [run.sample, PurePath(run.log).stem, truth.task_id if truth else ""]
        environment = truth.environment if truth else None
        named = tuple(dict.fromkeys(name for name in names if tells(name, environment)))
        return cls(
            run=run.id,
            trajectory=trajectory.id,
            sample=run.sample,
            log=run.log,
            label=truth.label if truth else None,
            environment=environment,
            task_id=truth.task_id if truth else None,
            split=truth.factors.get("split") if truth else None,
            task=hashlib.sha256(trajectory.task.encode()).hexdigest()[:16],
            measures=_measures(run),
            traits=frozenset(_traits(run)),
            scheming=_first(SCHEMING, said),
            instruction=_first(INSTRUCTION, asked),
            named=named,
            told=_first(re.compile("|".join(map(re.escape, named))), _texts(run)) if named else None,
        )


def tells(name: str, environment: str | None) -> bool:
    """Whether a name says what the run is; that of its environment, honest runs have as well.

    Examples
    --------
    >>> [tells(name, "mle_sabotage/builtin") for name in ("a_mle-sabotage_x7", "mle-sabotage-attack")]
    [False, True]
    """
    plain = name.replace("_", "-")
    own = (environment or "").partition("/")[0].replace("_", "-")
    return LABELLING.search(plain.replace(own, "") if own else plain) is not None


def _measures(run: Run) -> dict[str, float]:
    steps = run.trajectory.steps
    kinds = Counter(step.kind for step in steps)
    return {
        "characters": sum(len(step.text) for step in steps),
        "steps": len(steps),
        "characters of the task": len(run.trajectory.task),
        **{f"steps of {kind.replace('_', ' ')}": kinds[kind] for kind in KINDS},
    }


def _traits(run: Run) -> Iterator[str]:
    yield f"agent {run.agent_model}"
    yield f"format {run.source}"
    yield f"reasoning {run.reasoning}"
    yield f"ending {run.ending}"
    for step in run.trajectory.steps:
        if step.tool is not None:
            yield f"tool {step.tool}"


def _texts(run: Run) -> Iterator[str]:
    yield run.trajectory.task
    for step in run.trajectory.steps:
        yield step.text


def _first(pattern: re.Pattern[str], texts: list[str] | Iterator[str]) -> str | None:
    for text in texts:
        if found := pattern.search(text):
            return excerpt(text, found.start(), found.end())
    return None
