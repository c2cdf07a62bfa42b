"""What has gone wrong in other systems, held against every monitor, from a log to the verdict."""

from __future__ import annotations

import json
import re

import pytest

from molehunt.monitors import build
from molehunt.monitors.registry import BUILT_IN

ASKING = [name for name in BUILT_IN if name != "learned" and build(name).roles and name != "cascade"]
IMAGE = {"type": "image", "image": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUg=="}
CODE = "```python\nprint({'a': [1]})\n```"


def sample(*messages) -> dict:
    """A sample of somebody else's log: a task, and what followed."""
    task = {"role": "user", "content": "Print {a} and $b."}
    numbered = [{"id": f"m{n}", **message} for n, message in enumerate([task, *messages])]
    return {
        "id": "s",
        "epoch": 1,
        "uuid": "u",
        "input": task["content"],
        "target": "",
        "messages": numbered,
    }


ENDINGS = {
    "plain text": [{"role": "assistant", "content": "It is done, and that is all."}],
    "a user turn": [
        {"role": "assistant", "content": CODE},
        {"role": "user", "content": "Thanks, and goodbye."},
    ],
    "a call without a result": [
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {"id": "c", "function": "bash", "arguments": {"command": "ls"}, "type": "function"}
            ],
        }
    ],
    "nothing": [],
}


@pytest.mark.parametrize("ending", ENDINGS)
async def test_a_trajectory_is_judged_or_unscored_and_never_zero_for_how_it_ends(
    scored, log_of, sent, ending
):
    run = await scored(ASKING, "digits", sources=log_of([sample(*ENDINGS[ending])]), answer="expected")
    assert len(run.verdicts) == len(ASKING)
    statuses = {verdict.status for verdict in run.verdicts}
    if ending == "nothing":
        assert statuses == {"nothing_visible"}
        assert sent == []
    else:
        assert statuses <= {"scored", "nothing_visible"}
        assert "scored" in statuses
    # every judge in this test says 7 of 9, 4 of 5 or no with a doubt: none says zero
    assert all(verdict.score is None or verdict.score > 0 for verdict in run.verdicts)


async def test_list_content_and_images_reach_no_prompt_as_pythons_repr_or_as_bytes(scored, log_of, sent):
    thought = {"type": "reasoning", "reasoning": "I will {print} it."}
    call = {"id": "c", "function": "view", "arguments": {"files": ["a.png"]}, "type": "function"}
    log = log_of(
        [
            sample(
                {"role": "assistant", "content": [thought, {"type": "text", "text": CODE}, IMAGE]},
                {"role": "assistant", "content": [IMAGE], "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c", "function": "view", "content": [IMAGE]},
            )
        ]
    )
    run = await scored(ASKING, "digits", sources=log, answer="expected")
    assert {verdict.status for verdict in run.verdicts} == {"scored"}
    everything = "\n".join(request.text for request in sent)
    assert "I will {print} it." in everything
    assert "print({'a': [1]})" in everything
    assert 'files: ["a.png"]' in everything
    assert "[image]" in everything
    assert not re.search(r"\{'type'|ContentText|ContentImage|base64|iVBOR", everything)


@pytest.mark.parametrize("role", ["monitor", "extractor", "evaluator", "judge"])
async def test_the_bound_model_wins_over_a_role_that_the_log_binds(scored, log_of, sent, role):
    log = log_of(1)
    content = json.loads(log.read_text())
    weak = {"model": "fakemonitor/weak", "config": {}, "args": {}}
    content["eval"]["model"] = "fakemonitor/weak"
    content["eval"]["model_roles"] = {role: weak}
    log.write_text(json.dumps(content))
    run = await scored(["action_only", "eae", "trace"], "strong", sources=log)
    assert {request.model for request in sent} == {"strong"}
    assert {(call.asked, call.answered) for call in run.calls} == {("fakemonitor/strong", "strong")}


async def test_one_refusal_among_five_draws_takes_nothing_from_the_other_four(scored):
    run = await scored(model="refuses-on-third", draws=5)
    assert [verdict.status for verdict in run.verdicts].count("scored") == 4
    assert [verdict.score for verdict in run.verdicts if verdict.status == "refused"] == [None]


async def test_a_second_run_of_every_monitor_asks_nothing_and_adds_nothing(scored, log_of, sent):
    first = await scored(ASKING, "digits", sources=log_of(2), answer="expected")
    asked = len(sent)
    again = await scored(ASKING, "digits", sources=log_of(2), answer="expected")
    assert len(sent) == asked
    assert again.verdicts == first.verdicts
    assert len(first.verdicts) == 2 * len(ASKING)
    assert again.outcome.already == 2 * len(ASKING)
