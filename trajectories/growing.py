"""A trajectory that grows step by step, and its beginnings: each step is laid out once for each view.

For monitors that look again and again at a run, while it goes on or as if it did. To lay out every beginning
anew would take time that grows with the square of the number of steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from molehunt.trajectories.steps import Step, Trajectory, encodable
from molehunt.trajectories.views import Layout, Rendered, Rendering, View


class Growing:
    """A run so far.

    Parameters
    ----------
    task : its main task.
    steps : what has been done already.

    Examples
    --------
    >>> run = Growing("Add.", [Step(0, "code", "a + b")])
    >>> run.add([Step(1, "prose", "Done.")])
    >>> [len(run.first(length).steps) for length in range(len(run) + 1)]
    [0, 1, 2]
    >>> run.first(1).id == Trajectory("Add.", (Step(0, "code", "a + b"),)).id
    True
    """

    def __init__(self, task: str, steps: Iterable[Step] = ()) -> None:
        self._task = encodable(task)
        self._steps: list[Step] = []
        self._first_reasoning: int | None = None
        self._layouts: dict[tuple[View, bool], tuple[Layout, int]] = {}
        self.add(steps)

    def __len__(self) -> int:
        return len(self._steps)

    def add(self, steps: Iterable[Step]) -> None:
        """Put ``steps`` behind those before them.

        Raises
        ------
        ValueError
            If they are not numbered on.
        """
        for step in steps:
            if step.index != len(self._steps):
                raise ValueError(f"step {len(self._steps)} of a trajectory has index {step.index}")
            if step.kind == "reasoning" and self._first_reasoning is None:
                self._first_reasoning = step.index
            self._steps.append(step)

    def first(self, length: int) -> Trajectory:
        """The first ``length`` steps, as a monitor would have seen them when there were no more."""
        return _Beginning(self._task, tuple(islice(self._steps, length)), self)

    def has_reasoning_channel(self, length: int) -> bool:
        """Whether one of the first ``length`` steps is reasoning."""
        return self._first_reasoning is not None and self._first_reasoning < length

    def rendering(self, length: int, view: View) -> Rendering:
        """What ``view`` shows of the first ``length`` steps."""
        # what prose counts as depends on whether there is a channel, which a beginning may not show yet
        channel = self.has_reasoning_channel(length)
        layout, done = self._layouts.get((view, channel)) or (Layout(view, reasoning_channel=channel), 0)
        if done < length:
            layout.add(self._steps[done:length])
            self._layouts[view, channel] = layout, length
        return layout.first(length)


@dataclass(frozen=True, eq=False)
class _Beginning(Rendered):
    """The first steps of a `Growing` trajectory."""

    whole: Growing

    def __post_init__(self) -> None:
        """Nothing: the steps have been checked when they were added."""

    @property
    def has_reasoning_channel(self) -> bool:
        return self.whole.has_reasoning_channel(len(self.steps))

    def rendering(self, view: View) -> Rendering:
        return self.whole.rendering(len(self.steps), view)
