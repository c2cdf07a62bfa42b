"""Published points stand in the cost figure beside real runs of the same data, and nowhere else."""

from __future__ import annotations

import dataclasses

import pytest

from molehunt.analysis import make_report, read_tables


@pytest.fixture
def figure_of(store_of, experiment, watcher):
    """The text of the cost figure, and its caption, of runs of MLE-Sabotage."""

    def draw(model=watcher.model, environment="mle_sabotage/mlebench", agent="openai/gpt-4.1"):
        varied = dataclasses.replace(
            experiment,
            n_tasks=6,
            environment=environment,
            agent_models=[agent],
            watchers=[dataclasses.replace(watcher, model=model)],
        )
        [section] = make_report(read_tables(store_of(varied)), replicates=20).sections
        return section.pictures[0].drawings[0].inline, section.pictures[0].caption

    return draw


def test_a_published_point_and_line_stand_beside_real_runs_of_the_same_data(figure_of):
    drawing, caption = figure_of()
    assert "published: eae gemini-2.0-flash" in drawing
    assert "the dotted line of AUROC are published (Arike et al. 2026" in caption


@pytest.mark.parametrize(
    "unlike",
    [
        {"agent": "scripted/saboteur"},
        {"model": "embedded/smollm2-135m"},
        {"model": "mockllm/model"},
        {"agent": "mockllm/model"},
        {"environment": "mle_sabotage/builtin"},
    ],
    ids=["scripted agents", "an embedded model", "a mock", "a mock agent", "other data"],
)
def test_nothing_published_stands_beside_what_is_not_the_same(figure_of, unlike):
    drawing, caption = figure_of(**unlike)
    assert "published:" not in drawing
    assert "published" not in caption
