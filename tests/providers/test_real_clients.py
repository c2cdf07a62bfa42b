"""What providers say, through their real client libraries: answers, faults, and what they cost."""

from __future__ import annotations

import json
from typing import Any

import pytest

ANSWER = "The code adds two numbers, as it was asked to.\nSUSPICION: 7"
PATHS = {"Chat": "/v1/chat/completions", "Responses": "/v1/responses", "Messages": "/v1/messages"}


async def test_an_answer_is_read_its_tokens_are_counted_and_nothing_else_is_asked(dialect, provider, judged):
    provider.answers(dialect.said(ANSWER))
    done = await judged(dialect)
    assert done.verdict.score == 0.07
    assert provider.paths == [PATHS[type(dialect).__name__]]
    [call] = done.calls
    assert (call.tokens.input, call.tokens.output, call.retries) == (1000, 100, 0)
    assert (call.asked, call.answered) == (dialect.model, dialect.model.partition("/")[2])


@pytest.mark.parametrize(
    ("name", "listed", "billed"),
    [
        # 3,000 read at 0.40 a million, 2,000 of them at 0.10; 300 written at 1.60
        ("chat", 0.00168, 0.00108),
        # 3,000 at 0.25, 2,000 of them at 0.025; 300 at 2.00
        ("responses", 0.00135, 0.0009),
        # 3,500 at 1.00, 2,000 of them at 0.10 and 500 at 1.25; 300 at 5.00
        ("messages", 0.005, 0.003325),
    ],
)
async def test_cached_written_and_reasoning_tokens_cost_what_the_price_list_says(
    name, listed, billed, speaks, tokens, provider, judged
):
    dialect = speaks(name)
    provider.answers(
        dialect.said(ANSWER, counted=tokens(cached=2000, written=500, output=300, reasoning=200))
    )
    done = await judged(dialect)
    assert done.listed == pytest.approx(listed, abs=1e-12)
    assert done.billed == pytest.approx(billed, abs=1e-12)


async def test_reasoning_is_no_part_of_the_answer_in_any_of_its_shapes(dialect, provider, judged):
    provider.answers(dialect.said(ANSWER, thought="At first sight\nSUSPICION: 99"))
    done = await judged(dialect)
    assert done.verdict.score == 0.07
    assert "99" not in done.verdict.rationale


async def test_too_many_requests_are_waited_out(dialect, provider, judged):
    busy = dialect.failed(429, "slow down", "rate_limit_error", retry_after="0")
    provider.answers(busy, dialect.said(ANSWER))
    done = await judged(dialect)
    assert done.verdict.score == 0.07
    assert len(provider.asked) == 2


@pytest.mark.parametrize("status", [500, 503, 529])
async def test_a_server_that_stumbles_is_asked_again(status, dialect, provider, judged):
    provider.answers(dialect.failed(status, "something broke"), dialect.said(ANSWER))
    assert (await judged(dialect)).verdict.score == 0.07


async def test_a_server_that_stays_down_costs_the_verdict_and_the_next_run_makes_it(
    dialect, provider, judged
):
    provider.answers(dialect.failed(500, "the disk is on fire"))
    down = await judged(dialect)
    assert (down.verdict.status, down.verdict.score) == ("failed", None)
    assert "the disk is on fire" in down.verdict.rationale
    assert len(provider.asked) == 9  # the first time and two retries, each of which the client makes thrice
    provider.answers(dialect.said(ANSWER))
    assert (await judged(dialect)).verdict.score == 0.07


async def test_a_server_that_never_answers_is_given_up(dialect, silence, provider, judged):
    provider.answers(silence)
    done = await judged(dialect, attempt_timeout=1, max_retries=1)
    assert done.verdict.status == "failed"
    assert len(provider.asked) == 2


@pytest.mark.parametrize("stop", ["refusal", "filtered"])
async def test_a_refusal_is_a_result_and_is_not_asked_again(stop, dialect, provider, judged):
    provider.answers(dialect.said("I would rather not.", stop=stop))
    done = await judged(dialect)
    assert (done.verdict.status, done.verdict.score) == ("refused", None)
    assert len(provider.asked) == 1


@pytest.mark.parametrize("text", ["", "It is somewhere between 2 and 9."])
async def test_an_answer_that_says_nothing_is_asked_for_once_more(text, dialect, provider, judged):
    provider.answers(dialect.said(text))
    done = await judged(dialect)
    assert (done.verdict.status, len(provider.asked)) == ("unreadable", 2)


async def test_an_answer_that_is_cut_off_is_unreadable_and_paid_for(dialect, provider, judged):
    provider.answers(dialect.said("Let me think about the", stop="cut"))
    done = await judged(dialect)
    assert done.verdict.status == "unreadable"
    assert sum(call.tokens.output for call in done.calls) == 200


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.95])
async def test_half_an_answer_on_the_wire_is_none(keep, dialect, provider, judged):
    whole = dialect.said(ANSWER)
    body = json.dumps(whole.body).encode()
    provider.answers(type(whole)(body[: int(len(body) * keep)]))
    done = await judged(dialect)
    assert (done.verdict.status, done.calls) == ("failed", [])
    provider.answers(whole)
    assert (await judged(dialect)).verdict.score == 0.07


async def test_a_web_page_in_place_of_an_answer_is_a_failure_that_says_so(dialect, provider, judged):
    headers = {"content-type": "text/html", "retry-after-ms": "1"}
    page = type(dialect.said(""))(b"<html>Bad gateway</html>", 502, headers)
    provider.answers(page)
    done = await judged(dialect)
    assert done.verdict.status == "failed"
    assert len(done.verdict.rationale) < 400


async def test_another_model_than_the_one_asked_is_never_scored(dialect, provider, judged):
    provider.answers(dialect.said(ANSWER, model="something-cheaper"))
    done = await judged(dialect)
    assert done.verdict.status == "failed"
    assert "something-cheaper answered" in done.verdict.rationale


async def test_a_dated_snapshot_answers_for_its_alias(dialect, provider, judged):
    snapshot = {"Chat": "gpt-4.1-mini-2025-04-14", "Responses": "gpt-5-mini-2025-08-07"}
    name = snapshot.get(type(dialect).__name__, "claude-haiku-4-5-20251001")
    provider.answers(dialect.said(ANSWER, model=name))
    done = await judged(dialect)
    assert done.verdict.score == 0.07
    assert [call.answered for call in done.calls] == [name]


async def test_a_prompt_beyond_the_window_is_too_long_whatever_the_provider_calls_it(
    dialect, provider, judged
):
    words = {
        "Chat": ("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        "Responses": ("Your input exceeds the context window of this model.", "context_length_exceeded"),
        "Messages": ("prompt is too long: 208310 tokens > 200000 maximum", "invalid_request_error"),
    }
    provider.answers(dialect.failed(400, *words[type(dialect).__name__]))
    done = await judged(dialect)
    assert done.verdict.status == "too_long"
    assert len(provider.asked) == 1


async def test_a_wrong_key_fails_at_once_and_is_written_nowhere(dialect, provider, judged):
    provider.answers(dialect.failed(401, "Incorrect API key provided", "authentication_error"))
    done = await judged(dialect)
    assert done.verdict.status == "failed"
    assert "Incorrect API key" in done.verdict.rationale
    assert len(provider.asked) == 1
    assert all("not-a-key" in key for key in provider.keys)
    assert b"not-a-key" not in done.store.read_bytes()


async def test_an_answer_without_a_count_of_tokens_has_a_price_that_is_unknown(speaks, provider, judged):
    dialect = speaks("chat")
    uncounted = dialect.said(ANSWER)
    del uncounted.body["usage"]
    provider.answers(uncounted)
    done = await judged(dialect)
    assert done.verdict.score == 0.07
    assert [call.tokens for call in done.calls] == [None]


async def test_structured_answers_are_asked_for_under_their_schema(dialect, provider, judged):
    provider.answers(dialect.said(json.dumps({"rationale": "Nothing odd.", "suspicion": 12})))
    done = await judged(dialect, answer="structured")
    assert done.verdict.score == 0.12
    assert "suspicion" in json.dumps(_schema_of(provider.asked[0]))


def _schema_of(request: dict[str, Any]) -> Any:
    """Where each protocol holds the schema of an answer."""
    text = request.get("text") or {}
    return request.get("response_format") or text.get("format") or request.get("output_format")


async def test_the_expected_score_is_the_mean_over_the_log_probabilities_of_its_token(
    speaks, provider, judged
):
    dialect = speaks("chat")
    tokens = [{'{"suspicion": ': 0.0}, {"8": -0.6931, "2": -0.6931}, {"}": 0.0}]
    provider.answers(dialect.said('{"suspicion": 8}', logprobs=tokens))
    done = await judged(dialect, answer="expected")
    assert done.verdict.score == pytest.approx(5 / 9, abs=1e-3)
    assert provider.asked[0]["logprobs"] is True


async def test_a_provider_without_log_probabilities_says_which_answer_to_choose(speaks, provider, judged):
    dialect = speaks("messages")
    provider.answers(dialect.said('{"suspicion": 8}'))
    done = await judged(dialect, answer="expected")
    assert done.verdict.status == "failed"
    assert "--answer text" in done.verdict.rationale


async def test_what_monitors_share_is_marked_for_the_cache_of_a_provider_that_needs_it(
    speaks, provider, judged
):
    dialect = speaks("messages")
    provider.answers(dialect.said(ANSWER))
    await judged(dialect)
    [*_, user] = provider.asked[0]["messages"]
    shared, question = user["content"]
    assert "cache_control" in shared
    assert "cache_control" not in question


@pytest.mark.parametrize(
    "binding",
    [
        {"model": "vllm/my-model"},
        {"model": "ollama/my-model"},
        {"model": "openai/my-model", "model_args": {"responses_api": False}},
    ],
    ids=["vllm", "ollama", "openai"],
)
async def test_a_server_of_ones_own_is_reached_by_its_address(binding, speaks, provider, judged):
    dialect = speaks("chat")
    provider.answers(dialect.said(ANSWER, model="my-model"))
    done = await judged(dialect, **binding)
    assert done.verdict.score == 0.07
    assert provider.paths == ["/v1/chat/completions"]
    assert [call.asked for call in done.calls] == [binding["model"]]
