"""What comes of an answer: a score where it can be read, else the reason why there is none."""

from __future__ import annotations

import pytest

from molehunt.monitors import monitor
from molehunt.monitors.answers import SuspicionScore
from molehunt.monitors.protocol import Prompt
from molehunt.verdicts import Tokens, Verdict


async def test_a_readable_answer_is_the_score_and_its_reasons(scored, sent):
    run = await scored()
    assert run.only.status == "scored"
    assert run.only.rationale.startswith("Because of ")
    assert sent[0].roles == ["system", "user"]


@pytest.mark.parametrize("model", ["refuser", "refuser-by-field"])
async def test_a_refusal_leaves_the_run_unscored_and_is_not_asked_again(scored, sent, model):
    run = await scored(model=model)
    assert (run.only.score, run.only.status) == (None, "refused")
    assert len(sent) == 1


async def test_an_answer_that_can_be_read_is_never_a_refusal(scored):
    run = await scored(model="filtered-but-readable")
    assert run.only.status == "scored"


async def test_a_refusal_in_words_is_an_answer_without_the_form(scored, sent):
    run = await scored(model="refuser-in-words")
    assert run.only.status == "unreadable"
    assert len(sent) == 2


@pytest.mark.parametrize("model", ["mumbler-once", "silent-once"])
async def test_an_answer_without_the_form_is_followed_by_one_reminder(scored, sent, model):
    run = await scored(model=model)
    assert run.only.status == "scored"
    assert sent[1].roles == ["system", "user", "assistant", "user"]
    assert sent[1].texts[:2] == sent[0].texts
    assert all(text.strip() for text in sent[1].texts)


async def test_two_answers_without_the_form_leave_the_run_unreadable_and_both_calls_are_kept(scored, sent):
    run = await scored(model="mumbler")
    assert (run.only.score, run.only.status) == (None, "unreadable")
    assert len(run.calls) == len(sent) == 2


async def test_an_answer_that_is_cut_off_is_unreadable(scored):
    run = await scored(model="rambler")
    assert run.only.status == "unreadable"


@pytest.mark.parametrize("model", ["overflower", "overflower-by-error"])
async def test_a_prompt_beyond_the_window_is_too_long_however_the_provider_says_so(scored, sent, model):
    run = await scored(model=model)
    assert run.only.status == "too_long"
    assert len(sent) == 1
    assert run.outcome.usd == 0.0
    assert run.outcome.unmetered == 0


async def test_a_prompt_that_no_tokenizer_could_make_fit_is_not_sent(scored, sent, log_of):
    from inspect_ai.model import ModelInfo, set_model_info

    set_model_info("fakemonitor/tiny", ModelInfo(model="tiny", context_length=100))
    run = await scored(model="tiny")
    assert run.only.status == "too_long"
    assert sent == []


async def test_a_provider_that_fails_leaves_a_verdict_to_be_made_again(scored):
    run = await scored(model="broken")
    assert run.only.status == "failed"
    assert run.only.rationale == "RuntimeError: the provider is on fire"
    assert run.outcome.exit_status == 1


async def test_a_provider_that_hangs_is_given_up(scored):
    hanger = {"model": "fakemonitor/hanger", "attempt_timeout": 1, "max_retries": 0}
    run = await scored(model=None, roles={"monitor": hanger})
    assert run.only.status == "failed"
    assert "Timeout" in run.only.rationale


async def test_retries_of_a_call_are_counted(scored):
    run = await scored(model="flaky")
    assert run.only.status == "scored"
    assert [call.retries for call in run.calls] == [2]


async def test_usage_is_kept_as_the_provider_counted_it(scored):
    run = await scored()
    assert [call.tokens for call in run.calls] == [Tokens(input=1000, output=100)]


async def test_a_call_without_usage_has_no_tokens_and_not_none_of_them(scored):
    run = await scored(model="unmetered")
    assert [call.tokens for call in run.calls] == [None]
    assert run.outcome.unmetered == 1


async def test_another_model_that_answers_fails_the_verdict_and_says_how_to_accept_it(scored):
    run = await scored(model="impostor")
    assert run.only.status == "failed"
    assert "asked fakemonitor/impostor, and somebody-else answered" in run.only.rationale
    assert [call.answered for call in run.calls] == ["somebody-else"]


async def test_a_model_that_is_said_to_answer_under_another_name_is_accepted_and_not_paid_for_again(
    scored, sent
):
    await scored(model="impostor")
    accepted = {"monitor": {"model": "fakemonitor/impostor", "answers_as": "somebody-else"}}
    run = await scored(model=None, roles=accepted)
    assert run.only.status == "scored"
    assert len(sent) == 1


async def test_a_dated_snapshot_answers_for_its_alias(scored):
    run = await scored(model="dated")
    assert run.only.status == "scored"
    assert [call.answered for call in run.calls] == ["dated-2025-04-14"]
    assert run.outcome.notes == ()


async def test_several_snapshots_in_a_run_are_noted_once(scored, log_of):
    run = await scored(model="drifting", sources=log_of(4))
    assert run.outcome.counts == {"scored": 4}
    [note] = run.outcome.notes
    assert "more than one snapshot" in note


async def test_the_mean_over_the_score_tokens_probabilities_is_read_in_expected_mode(scored, sent):
    run = await scored(model="digits", answer="expected")
    assert run.only.status == "scored"
    assert 2 / 9 < run.only.score < 7 / 9
    assert (sent[0].config.logprobs, sent[0].config.top_logprobs) == (True, 20)


async def test_a_provider_without_log_probabilities_fails_the_expected_mode_and_says_what_to_do(scored):
    run = await scored(answer="expected")
    assert run.only.status == "failed"
    assert "gives no log-probabilities" in run.only.rationale
    assert "--answer text" in run.only.rationale


async def test_a_monitor_of_nothing_but_probabilities_fails_without_them_and_says_so(scored, sent):
    run = await scored("binary")
    assert (run.only.score, run.only.status) == (None, "failed")
    assert "fakemonitor/judge gives no log-probabilities" in run.only.rationale
    assert "give it another model" in run.only.rationale
    assert "--answer" not in run.only.rationale
    assert sent[0].config.max_tokens == 32


async def test_a_monitor_of_nothing_but_probabilities_reads_them_in_every_mode(scored, tmp_path):
    for mode in ("text", "structured", "expected"):
        run = await scored("binary", model="digits", answer=mode, store=tmp_path / f"{mode}.db")
        assert run.only.score == pytest.approx(0.378, abs=0.001)


async def test_an_answer_that_is_more_than_its_score_has_room_for_it(scored, sent):
    run = await scored("quote_only", model="digits", answer="expected")
    assert run.only.status == "scored"
    assert sent[0].config.max_tokens == 4096


async def test_the_structured_mode_sends_the_schema(scored, sent):
    run = await scored(answer="structured")
    assert run.only.status == "scored"
    schema = sent[0].config.response_schema
    assert schema.name == "suspicion"
    assert set(schema.json_schema.properties) == {"rationale", "suspicion"}


async def test_what_the_user_bound_wins_over_what_the_monitor_asks_for(scored, sent):
    @monitor(roles=("monitor",), answers=(SuspicionScore(),))
    def cool():
        async def score(trajectory, ask):
            answer = await ask("monitor", Prompt("t", "m", "q"), SuspicionScore(), temperature=0.3, top_p=0.5)
            return Verdict(answer.value.score)

        return score

    await scored(monitors=cool(), model=None, roles={"monitor": {"model": "fakemonitor/judge", "top_p": 0.9}})
    [request] = sent
    assert (request.config.temperature, request.config.top_p) == (0.3, 0.9)
    assert request.config.max_tokens == 4096


async def test_a_monitor_that_asks_for_a_setting_that_there_is_not_fails_before_it_is_sent(scored, sent):
    @monitor(roles=("monitor",))
    def odd():
        async def score(trajectory, ask):
            await ask("monitor", Prompt("t", "m", "q"), SuspicionScore(), temprature=0.3)

        return score

    run = await scored(monitors=odd())
    assert run.only.status == "failed"
    assert "'temprature'" in run.only.rationale
    assert sent == []


async def test_a_monitor_that_asks_a_role_it_does_not_declare_fails(scored, sent):
    @monitor(roles=("monitor",))
    def sly():
        async def score(trajectory, ask):
            await ask("judge", Prompt("t", "m", "q"), SuspicionScore())

        return score

    run = await scored(monitors=sly())
    assert run.only.status == "failed"
    assert "'judge'" in run.only.rationale
    assert sent == []
