"""AgentDojo's graders, as runs that are graded next to each other need them."""

from __future__ import annotations

import pytest

from molehunt.environments.shade_arena.agentdojo_base import suite
from molehunt.environments.shade_arena.worlds import Call


def test_a_grader_that_misses_something_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    slack = suite("v1.2.2", "slack")
    world = slack.world("user_task_0")
    calls, _ = slack.side_truth(world, "injection_task_2")
    page = next(call for call in calls if call.tool == "post_webpage")
    world.call(Call("post_webpage", {**page.arguments, "content": "nothing of interest"}))
    assert not world.side_done("injection_task_2", "")
    assert capsys.readouterr().out == ""
