"""What somebody else's monitor said of a run, on its own scale, and what it is known to have cost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from molehunt.trajectories import Problem
from molehunt.verdicts.verdict import Tokens


@dataclass(frozen=True)
class Scale:
    """The scale on which a monitor gives its suspicion; `unit` brings it to [0, 1].

    Examples
    --------
    >>> Scale.parse("0:10").unit(8)
    0.8
    >>> Scale.parse("1:5").unit(1)
    0.0
    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(
                f"a scale goes from a number to a greater one, not from {self.low} to {self.high}"
            )

    @classmethod
    def parse(cls, text: str) -> Scale:
        """The scale of ``LOW:HIGH``.

        Raises
        ------
        ValueError
            If it is none.
        """
        low, _, high = text.partition(":")
        return cls(float(low), float(high))

    def holds(self, score: float) -> bool:
        """Whether a score lies on it."""
        return self.low <= score <= self.high

    def unit(self, score: float) -> float:
        """A score on it, in [0, 1]."""
        return (score - self.low) / (self.high - self.low)

    def __str__(self) -> str:
        return f"{self.low:g}:{self.high:g}"


@dataclass(frozen=True)
class Spent:
    """Calls to one model: ``tokens`` and ``seconds`` are None where nobody has counted them."""

    model: str | None = None
    tokens: Tokens | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class Judgement:
    """One verdict of one monitor, as its source has it.

    Parameters
    ----------
    monitor : named after its source, such as ``control_arena/max_suspicion_scorer``.
    score : on the monitor's own scale, None if it has none.
    scale : the one that the source uses, unless the user knows better.
    rationale : the monitor's reasons, or why it has no score.
    trace : step and score of each look of a step-wise monitor.
    spent : what it took, as far as the source says.
    draw : which of several verdicts on the run it is, from 0.
    """

    monitor: str
    score: float | None
    scale: Scale = Scale()
    rationale: str = ""
    trace: tuple[tuple[int, float | None], ...] = ()
    spent: tuple[Spent, ...] = ()
    draw: int = 0

    @property
    def models(self) -> str:
        """The models that were asked, as far as they are known."""
        return ", ".join(dict.fromkeys(spent.model for spent in self.spent if spent.model))


def number(value: Any) -> float | None:
    """A score, None if it is none: refusals and errors are logged as texts, and NaN is no score.

    Examples
    --------
    >>> number(0.5), number("N"), number(True), number(float("nan"))
    (0.5, None, None, None)
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    return None


def tokens_of(usage: Any) -> Tokens | None:
    """Tokens of a usage as Inspect logs it, None if it is none.

    Examples
    --------
    >>> tokens_of({"input_tokens": 600, "output_tokens": 208, "input_tokens_cache_write": None})
    Tokens(input=600, cache_read=0, cache_write=0, output=208, reasoning=0)
    """
    if not isinstance(usage, Mapping) or not isinstance(usage.get("input_tokens"), int):
        return None
    counts = [usage.get(name) for name in _USAGE]
    if any(count is not None and (not isinstance(count, int) or count < 0) for count in counts):
        return None
    return Tokens(*(count or 0 for count in counts))


_USAGE = (
    "input_tokens",
    "input_tokens_cache_read",
    "input_tokens_cache_write",
    "output_tokens",
    "reasoning_tokens",
)


def scale_of(monitor: str, scales: Mapping[str, Scale], usual: Scale) -> Scale:
    """What the user says of a monitor's scale, by its name with or without its source, or the usual one."""
    return scales.get(monitor) or scales.get(monitor.partition("/")[2]) or usual


def check_scales(judgements: Mapping[str, list[Judgement]]) -> None:
    """Refuse scores that are not on their monitor's scale.

    Raises
    ------
    Problem
        If there are some: with another scale all its scores mean something else, and none may be stored.
    """
    for monitor, given in judgements.items():
        for judgement in given:
            scores = [score for _, score in judgement.trace] + [judgement.score]
            off = next((s for s in scores if s is not None and not judgement.scale.holds(s)), None)
            if off is not None:
                raise Problem(
                    f"monitor {monitor} gives a suspicion of {off:g}, which is not in {judgement.scale}; "
                    f"say on which scale it is: --score {monitor}=0:{10 if off <= 10 else 100}"
                )
