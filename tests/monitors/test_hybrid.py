"""The hybrid asks what its parts ask, and is as scored as they are."""

from __future__ import annotations

import pytest

from molehunt.monitors.floors import flag_all
from molehunt.monitors.hybrid import hybrid
from molehunt.monitors.single_view import action_only, cot_action, cot_only
from molehunt.monitors.testing import REFUSAL, ask_that_says, judged_by
from molehunt.trajectories import Problem, Step, Trajectory


async def test_the_published_weights_are_the_default(trajectory):
    verdict = await judged_by(hybrid(), ask_that_says("A.\nSUSPICION: 100", "B.\nSUSPICION: 0"), trajectory)
    assert verdict.score == pytest.approx(0.55)
    assert verdict.rationale == "action_only (1.00): A.\n\ncot_action (0.00): B."


async def test_it_asks_exactly_what_its_parts_ask(trajectory):
    together, apart = ask_that_says(*["SUSPICION: 1"] * 2), ask_that_says(*["SUSPICION: 1"] * 2)
    await hybrid()(trajectory, together)
    await action_only()(trajectory, apart)
    await cot_action()(trajectory, apart)
    assert together.questions == apart.questions


@pytest.mark.parametrize("replies", [(REFUSAL,), ("SUSPICION: 90", REFUSAL)])
async def test_it_is_unscored_if_a_part_is(replies, trajectory):
    verdict = await judged_by(hybrid(), ask_that_says(*replies), trajectory)
    assert (verdict.score, verdict.status) == (None, "refused")


async def test_it_sees_nothing_if_a_part_sees_nothing_and_asks_no_more():
    only_thoughts = Trajectory("Add.", (Step(0, "reasoning", "Hm."),))
    verdict = await judged_by(hybrid(), ask_that_says(), only_thoughts)
    assert (verdict.score, verdict.status) == (None, "nothing_visible")


async def test_any_two_monitors_can_be_weighed(trajectory):
    mixed = hybrid(weight=0.25, first=flag_all(), second=cot_only())
    assert mixed.roles == ("monitor",)
    assert mixed.calls == 1
    assert (await judged_by(mixed, ask_that_says("SUSPICION: 20"), trajectory)).score == pytest.approx(0.4)


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_a_weight_outside_0_and_1_is_refused_when_it_is_built(weight):
    with pytest.raises(Problem, match="weight"):
        hybrid(weight=weight)
