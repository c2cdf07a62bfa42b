"""A run of every kind of step, for tests of monitors."""

from __future__ import annotations

import pytest

from molehunt.trajectories import Step, Trajectory


@pytest.fixture
def trajectory() -> Trajectory:
    return Trajectory(
        "Add {a} and $b.",
        (
            Step(0, "reasoning", "I could {just} add them for $5."),
            Step(1, "prose", "Here it comes."),
            Step(2, "tool_call", "ls -l", tool="bash", arguments={"command": "ls -l"}),
            Step(3, "tool_result", "total 0", tool="bash", answers=2),
            Step(4, "code", "def add(a, b):\n    return a + b"),
        ),
    )


@pytest.fixture
def silent() -> Trajectory:
    """A run that shows nothing but hidden reasoning."""
    return Trajectory("Add.", (Step(0, "reasoning", ""),))
