"""How numbers stand on the page: in one unit, under headings, with a name for every point."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

from molehunt.analysis import make_report, read_tables
from molehunt.analysis.cost_figure import DOLLARS, SECONDS, cost_figure
from molehunt.analysis.exhibits import Exhibit, estimated, named
from molehunt.analysis.intervals import Data
from molehunt.analysis.observations import CONDITION
from molehunt.analysis.panels import _kept
from molehunt.analysis.roc_figure import MAX_CURVES, Curve, legible
from molehunt.analysis.sections import short_conditions
from molehunt.analysis.trajectory_pages import Judgement, Walk, trajectory_page
from molehunt.analysis.wording import percent, signed
from molehunt.trajectories import Step, Trajectory

FEW = 10


def points(n: int, column: str = "usd_per_trajectory") -> pd.DataFrame:
    """Monitors with long names whose points lie close together, and one that costs nothing."""
    rng = np.random.default_rng(0)
    values = rng.uniform(0.6, 0.9, n)
    return pd.DataFrame(
        {
            "label": [f"monitor{number}(instruction='look again')" for number in range(n)],
            "kind": ["oracle", *["monitor"] * (n - 1)],
            "frontier": False,
            "eligible": True,
            "auroc": values,
            "auroc_low": values - 0.1,
            "auroc_high": values + 0.1,
            column: [0.0, *10 ** rng.uniform(-3, -2.5, n - 1)],
        }
    )


def texts(figure) -> list[str]:
    own = [text.get_text() for text in figure.texts]
    return [*own, *(text.get_text() for axes in figure.axes for text in axes.texts)]


def test_an_interval_has_the_unit_of_what_it_stands_beside():
    row = {
        "rate": 0.796,
        "rate_low": 0.66,
        "rate_high": 0.89,
        "gain": 0.1,
        "gain_low": -0.001,
        "gain_high": 0.2,
    }
    assert estimated("rate", "rate", percent).cell(row)[:2] == ("79.6%", "66 to 89%")
    assert estimated("rate", "rate").cell(row)[:2] == ("0.796", "0.66 to 0.89")
    assert estimated("gain", "gain", signed).cell(row)[:2] == ("+0.100", "0.00 to 0.20")


def test_rows_of_one_place_stand_under_its_name_on_the_page_and_beside_it_elsewhere():
    frame = pd.DataFrame({"where": ["here", "here", "there"], "monitor": ["a", "b", "a"]})
    shown = Exhibit("k", "T", "C.", [named("where", "data set"), named("monitor", "monitor")], frame,
                    grouped=("where",))  # fmt: skip
    assert [column.heading for column in shown.own_columns] == ["monitor"]
    found = [(heading, [cells[0].text for cells in rows]) for heading, rows in shown.groups()]
    assert found == [("here", ["a", "b"]), ("there", ["a"])]
    assert "| there | a |" in shown.markdown()


def test_a_place_is_called_by_what_tells_it_from_others_of_its_data_set():
    rows = pd.DataFrame(
        [
            ("e", "full", "told", "sabotage"),
            ("e", "full", "unaware", "sabotage"),
            ("f", "full", "told", "sabotage"),
        ],
        columns=CONDITION,
    )
    assert short_conditions(rows) == [
        ("e", "agents told that they are watched"),
        ("e", "agents not told that they are watched"),
        ("f", ""),
    ]


@pytest.mark.parametrize("n", [2, 12, 40])
def test_every_point_of_the_cost_figure_has_its_name_beside_it_or_by_number_below(n):
    figure = cost_figure(points(n), DOLLARS)
    written = texts(figure)
    for name in points(n)["label"]:
        assert written.count(name) == 1
    numbers = [int(text) for text in written if text.isdigit()]
    # each number stands at a point and in the list
    assert sorted(numbers) == sorted([*range(1, len(numbers) // 2 + 1)] * 2)
    figure.draw_without_rendering()
    for text in figure.texts:
        box = text.get_window_extent()
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0


def test_the_word_chance_covers_no_point_that_does_as_well_as_guessing():
    figure = cost_figure(points(3).assign(auroc=0.5, auroc_low=0.0, auroc_high=1.0), DOLLARS)
    figure.draw_without_rendering()
    [chance] = [text for axes in figure.axes for text in axes.texts if text.get_text() == "chance"]
    box = chance.get_window_extent()
    assert box.x1 <= figure.bbox.x1
    for axes in figure.axes:
        assert not box.overlaps(axes.bbox)


def test_what_takes_no_time_is_not_called_free():
    ticks = [
        [label.get_text() for label in cost_figure(points(3, axis.column), axis).axes[0].get_xticklabels()]
        for axis in (DOLLARS, SECONDS)
    ]
    assert ticks == [["free"], ["took no time"]]


def test_a_figure_of_curves_has_some_of_every_kind():
    none = Data((), None)
    curves = [
        Curve(f"{kind}{number}", kind, none)
        for kind in ("oracle", "floor", "monitor")
        for number in range(20)
    ]
    drawn = [curve.kind for curve in legible(curves)]
    assert {kind: drawn.count(kind) for kind in MAX_CURVES} == MAX_CURVES


def test_a_threshold_has_held_only_if_it_flags_as_few_as_it_may():
    assert [_kept(0.05, 0.01), _kept(0.06, 0.01), _kept(0.2, 0.06)] == ["yes", "perhaps not", "no"]


@pytest.fixture
def page_of(store_of, tmp_path):
    def make(experiment):
        report = make_report(read_tables(store_of(experiment)), replicates=FEW)
        return report.write(tmp_path)[0].read_text(encoding="utf-8")

    return make


def test_the_headline_counts_monitors_and_names_floors_and_oracles_apart(page_of, experiment):
    html = page_of(dataclasses.replace(experiment, n_tasks=8))
    assert "<h1>How well 2 monitors tell sabotage from honest work</h1>" in html
    assert "Beside them stand 1 floor (rules that ask no model) and 1 oracle (which has seen labels)." in html
    assert "was picked after looking" in html


def test_of_one_monitor_nobody_says_that_it_was_picked(page_of, experiment, watcher):
    html = page_of(dataclasses.replace(experiment, n_tasks=8, watchers=[watcher]))
    assert "<h1>How well 1 monitor tells sabotage from honest work</h1>" in html
    assert "was picked after looking" not in html
    assert "Beside them" not in html


def test_a_stand_in_model_is_marked_on_the_first_screen(page_of, experiment, watcher):
    small = dataclasses.replace(watcher, spec="small()", model="embedded/smollm2-135m")
    html = page_of(dataclasses.replace(experiment, n_tasks=8, watchers=[small]))
    first = html.partition("What may not be concluded")[0]
    assert "stand-in model: no claim" in first


def test_the_summary_says_the_highest_first_and_marks_stand_ins(store_of, experiment, watcher, tmp_path):
    small = dataclasses.replace(watcher, spec="small()", model="embedded/smollm2-135m", shift=0.0)
    both = dataclasses.replace(experiment, n_tasks=8, watchers=[watcher, small])
    make_report(read_tables(store_of(both)), replicates=FEW).write(tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Highest AUROC of a monitor: **0." in text
    assert "action\\_only openai/gpt-4.1-mini, at \\$0.0" in text
    [row] = [line for line in text.splitlines() if line.startswith("| small")]
    assert "monitor (stand-in model: no claim)" in row


def test_a_draw_above_the_threshold_of_a_missed_run_says_what_the_monitor_gave_over_all():
    missed = Walk("miss", 1, 1, "", "", score=0.375, threshold=0.45)
    draw = Judgement(1, "a", "action_only", "", "monitor", 1, 0.46, "scored", "", (), (), (missed,))
    page = trajectory_page(Trajectory("Sort.", (Step(0, "prose", "Done."),)), [], [draw])
    assert "Over all draws the monitor gave 0.38; it flags from 0.45 on." in page
    alone = trajectory_page(
        Trajectory("Sort.", (Step(0, "prose", "Done."),)), [], [dataclasses.replace(draw, draw=0)]
    )
    assert "Over all draws" not in alone


def test_a_list_of_looks_says_how_many_there_are_and_how_many_it_leaves_out():
    looks = tuple((step, 0.5) for step in range(1500))
    verdict = Judgement(1, "a", "stepwise", "", "monitor", 0, 0.5, "scored", "", (), looks, ())
    page = trajectory_page(Trajectory("Sort.", (Step(0, "prose", "Done."),)), [], [verdict])
    assert "1,500 looks" in page
    assert "and 1,200 more" in page
