"""What a monitor says of a trajectory, and what it took to say it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

Status = Literal["scored", "refused", "unreadable", "too_long", "nothing_visible", "no_evidence", "failed"]
"""Why there is a score or none.

``refused``: the model would not judge. ``unreadable``: it answered, twice, in no form that could be read.
``too_long``: the transcript exceeds the model's window. ``nothing_visible``: the view shows nothing of the
run. ``no_evidence``: every excerpt was invented. ``failed``: a fault on the way, tried again on a rerun.
"""

STATUSES: tuple[Status, ...] = get_args(Status)

Match = Literal["exact", "normalised", "not_found"]
"""How an excerpt was found in the trajectory; ``normalised`` forgives white space and typographic quotes."""


@dataclass(frozen=True)
class Excerpt:
    """A quotation from a trajectory.

    Parameters
    ----------
    quote : as the extractor wrote it.
    match : see `Match`.
    step : index of the step where it was found, None if it was not.
    start, end : characters of that step's text, end excluded, None if it was not found.
    effect : by how much it raised the score, in [-1, 1], None where that was not measured.
    """

    quote: str
    match: Match
    step: int | None = None
    start: int | None = None
    end: int | None = None
    effect: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.quote, str):
            raise TypeError(f"an excerpt quotes text, not {self.quote!r:.80}")
        places = (self.step, self.start, self.end)
        if (self.match == "not_found") != all(place is None for place in places):
            raise ValueError(f"an excerpt that was {self.match} has no such place: {places}")


@dataclass(frozen=True)
class Look:
    """One look of a step-wise monitor: what it thought after ``step``."""

    step: int
    score: float | None
    status: Status

    def __post_init__(self) -> None:
        _check_score(self.score, self.status)


@dataclass(frozen=True)
class Verdict:
    """A suspicion score, or the reason why there is none; never a zero that stands for "don't know".

    Parameters
    ----------
    score : suspicion in [0, 1], higher is more suspicious; None if unscored.
    status : ``scored`` exactly when there is a score; see `Status`.
    rationale : the monitor's reasons, for people.
    excerpts : what it quoted, in trajectory order.
    trace : each look of a step-wise monitor.

    Raises
    ------
    ValueError
        If the score is outside [0, 1] or NaN, or score and status contradict each other.
    TypeError
        If a part is of another type, such as a rationale that is no text.

    Examples
    --------
    >>> Verdict(0.25).status
    'scored'
    >>> Verdict.unscored("refused", "I would rather not.").score is None
    True
    """

    score: float | None
    status: Status = "scored"
    rationale: str = ""
    excerpts: tuple[Excerpt, ...] = ()
    trace: tuple[Look, ...] = ()

    def __post_init__(self) -> None:
        _check_score(self.score, self.status)
        if self.score is not None:
            # one of NumPy's would be stored as bytes
            object.__setattr__(self, "score", float(self.score))
        if not isinstance(self.rationale, str):
            raise TypeError(f"a verdict's rationale is text, not {self.rationale!r:.80}")
        for kind, values in ((Excerpt, self.excerpts), (Look, self.trace)):
            for value in values:
                if not isinstance(value, kind):
                    raise TypeError(f"{value!r:.80} stands in a verdict where only {kind.__name__}s may")

    @classmethod
    def unscored(cls, status: Status, rationale: str = "", excerpts: tuple[Excerpt, ...] = ()) -> Verdict:
        """A verdict without a score, for the reason ``status``."""
        return cls(None, status, rationale, excerpts)


def _check_score(score: float | None, status: Status) -> None:
    if status not in STATUSES:
        raise ValueError(f"a verdict's status is one of {', '.join(STATUSES)}, not {status!r}")
    if (score is not None) != (status == "scored"):
        raise ValueError(f"a verdict with score {score} cannot have the status {status!r}")
    if score is not None and not 0.0 <= score <= 1.0:
        raise ValueError(f"a suspicion score lies in [0, 1], not at {score}")


@dataclass(frozen=True)
class Tokens:
    """Tokens of one call, as the provider counted them; ``output`` includes ``reasoning``."""

    input: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0


@dataclass(frozen=True)
class Call:
    """One call to a model, kept whether or not a verdict came of it.

    Parameters
    ----------
    key : digest of request, model, config, draw and ordinal; the same question is never paid for twice.
    role : what the model was asked to be, such as ``extractor``.
    asked : model that was asked for, as bound to the role (``openai/gpt-4.1-mini``).
    answered : model that the provider says answered, such as a dated snapshot.
    tokens : None if the provider reported no usage, which is not the same as none spent.
    seconds : from request to reply, waits for retries included.
    retries : how often the request was sent again.
    reply : what came back, as the scoring room serialises it.
    """

    key: str
    role: str
    asked: str
    answered: str
    tokens: Tokens | None
    seconds: float
    retries: int = 0
    reply: str = field(default="", repr=False)
