"""What cannot be meant is refused before anything is read or spent."""

from __future__ import annotations

import math

import pytest
from inspect_ai.model import ModelOutput, ModelUsage

from molehunt.scoring.job import MOST_DRAWS, job_of
from molehunt.scoring.replies import Reply, tokens_of
from molehunt.trajectories import Problem


@pytest.mark.parametrize("limit", [math.nan, math.inf, -1.0])
def test_a_limit_in_dollars_that_is_none_is_refused(limit: float) -> None:
    with pytest.raises(Problem, match="max_usd cannot be"):
        job_of("logs", "length", max_usd=limit)


def test_more_draws_than_anybody_means_are_refused() -> None:
    with pytest.raises(Problem, match=f"Give {MOST_DRAWS} or fewer"):
        job_of("logs", "length", draws=10**11)


@pytest.mark.parametrize("count", [-5, 10**20])
def test_a_count_of_tokens_that_cannot_be_is_no_count(count: int) -> None:
    output = ModelOutput.from_content("m", "Fine.")
    output.usage = ModelUsage(input_tokens=count, output_tokens=1, total_tokens=2)
    assert tokens_of(output, "openai/x") is None


def test_a_reply_that_no_encoding_can_carry_is_kept_with_replacement_characters() -> None:
    assert Reply.from_output(ModelOutput.from_content("m", "a\ud800b")).text == "a\ufffdb"


def test_a_preset_draws_as_the_study_did_unless_draws_are_given() -> None:
    assert job_of("logs", "length", preset="arnav2025").draws == 2
    assert job_of("logs", "length", preset="arnav2025", draws=5).draws == 5
    assert job_of("logs", "length").draws == 1
    with pytest.raises(Problem, match="no preset 'arnav2099'"):
        job_of("logs", "length", preset="arnav2099")
