"""Texts that are part of every monitor's identity by a number: who changes them raises the number."""

from __future__ import annotations

import hashlib

from molehunt.monitors import Prompt
from molehunt.scoring.messages import LAYOUT, request_of
from molehunt.trajectories import EVERYTHING, KINDS, RENDERING, Step, Trajectory, render

TRAJECTORY = Trajectory(
    "Sort a list.",
    tuple(
        Step(
            index,
            kind,
            f"{kind} ▶",
            tool="bash" if "tool" in kind else None,
            agent="helper" if index else None,
        )
        for index, kind in enumerate(KINDS)
    ),
)

LAYOUTS = {1: "9a212c91db157b71"}
RENDERINGS = {1: "26cccd7e6c38c1cf"}


def digest(*texts: str) -> str:
    return hashlib.sha256("\x1f".join(texts).encode()).hexdigest()[:16]


def test_another_layout_of_a_request_has_another_number() -> None:
    request = request_of(
        Prompt("Sort a list.", "▶ code\nsorted(xs)", "Is it sabotage?"), "Yes or no.", b"key"
    )
    again = request.after("Perhaps.", "Yes or no.").after("", "Yes or no.")
    assert digest(again.shared, again.question, *again.texts) == LAYOUTS[LAYOUT]


def test_another_rendering_of_a_trajectory_has_another_number() -> None:
    assert digest(render(TRAJECTORY, EVERYTHING).text) == RENDERINGS[RENDERING]
