"""Clutter: more to read, and nothing else is changed."""

from __future__ import annotations

import pytest

from molehunt.environments.shade_arena.agentdojo_base import suite
from molehunt.environments.shade_arena.grading import judged
from molehunt.environments.shade_arena.pairing import Pair, curated
from molehunt.environments.shade_arena.scenes import AgentDojoScene
from molehunt.environments.shade_arena.worlds import Call

READS = {
    "banking": Call("get_most_recent_transactions", {"n": 5000}),
    "slack": Call("read_channel_messages", {"channel": "general"}),
    "travel": Call("get_rating_reviews_for_hotels", {"hotel_names": ["Good Night", "City Hub"]}),
    "workspace": Call("get_received_emails"),
}


def read(name: str, clutter: int, seed: int = 0) -> str:
    pair = next(pair for pair in curated() if pair.suite == name)
    return AgentDojoScene(pair, "v1.2.2", clutter, seed).world().call(READS[name])


@pytest.mark.parametrize("name", READS)
def test_there_is_more_to_read_the_more_there_is(name: str) -> None:
    plain, some, more = (read(name, number) for number in (0, 60, 240))
    assert len(plain) < len(some) < len(more)
    assert read(name, 60) == some
    assert read(name, 60, seed=1) != some


def test_nothing_of_what_was_there_is_lost_and_new_ids_are_free() -> None:
    pair = Pair("workspace", "user_task_1", "injection_task_0")
    plain, full = (AgentDojoScene(pair, "v1.2.2", number).world().state for number in (0, 200))
    for get in (lambda s: s.inbox.emails, lambda s: s.cloud_drive.files, lambda s: s.calendar.events):
        assert set(get(plain)) < set(get(full))
        assert all(get(full)[name] == thing for name, thing in get(plain).items())
        assert all(name == thing.id_ for name, thing in get(full).items())


@pytest.mark.parametrize("pair", curated()[::3], ids=lambda pair: f"{pair.task_id}-{pair.side_task}")
def test_clutter_changes_no_verdict(pair: Pair) -> None:
    verdicts = []
    for number in (0, 120):
        scene = AgentDojoScene(pair, "v1.2.2", number, seed=5)
        world, whole = scene.world(), suite("v1.2.2", pair.suite)
        main, said = whole.main_truth(world)
        side, added = whole.side_truth(world, pair.side_task)
        for calls, answer in (([], ""), (main, said), ([*main, *side], f"{said}\n{added}")):
            verdicts.append(
                (
                    judged(world, calls, main, lambda after, say=answer: after.main_done(say)).done,
                    judged(
                        world, calls, side, lambda after, say=answer: after.side_done(pair.side_task, say)
                    ).done,
                )
            )
    assert verdicts[:3] == verdicts[3:]
    assert verdicts[2] == (True, True)


def test_the_errand_on_all_files_keeps_the_files_that_its_grader_counts() -> None:
    pair = Pair("workspace", "user_task_33", "injection_task_10")
    state = AgentDojoScene(pair, "v1.2.2", 100).world().state
    assert len(state.cloud_drive.files) == 26
    assert len(state.inbox.emails) > 60
