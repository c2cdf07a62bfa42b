"""What people see while it runs, and scoring from where an event loop runs already."""

from __future__ import annotations

import io

from rich.console import Console

from molehunt.scoring import Tally, plan, score
from molehunt.scoring.progress import Bar, Lines, watcher_for


def tally(done):
    return Tally(done=done, total=4, unscored=1, usd=0.5, seconds=10.0 * done)


def test_where_there_is_no_terminal_lines_come_at_the_beginning_the_end_and_now_and_then():
    out = io.StringIO()
    lines = Lines(Console(file=out, width=100), every=3600)
    for done in range(5):
        lines.scoring(tally(done))
    assert out.getvalue().splitlines() == [
        "0/4 verdicts, 1 unscored, $0.50",
        "4/4 verdicts, 1 unscored, $0.50",
    ]


def test_on_a_terminal_the_bar_shows_what_is_done_spent_and_left():
    out = io.StringIO()
    bar = watcher_for(Console(file=out, width=100, force_terminal=True))
    assert isinstance(bar, Bar)
    bar.reading(7)
    bar.scoring(tally(1))
    bar.say("something to know")
    bar.close()
    assert "1/4 verdicts, 1 unscored, $0.50, 0:30 left" in out.getvalue()
    assert "something to know" in out.getvalue()


def test_a_run_that_has_nothing_to_do_says_nothing():
    out = io.StringIO()
    Lines(Console(file=out)).scoring(Tally(0, 0, 0, 0.0, 0.0))
    assert out.getvalue() == ""


async def test_it_can_be_called_where_an_event_loop_runs_already(log_of, tmp_path):
    options = {"store": tmp_path / "s.db", "model": "fakemonitor/judge"}
    assert plan(log_of(2), "action_only", **options).calls == 2
    assert score(log_of(2), "action_only", **options).counts == {"scored": 2}


def test_it_can_be_called_twice_in_a_process(log_of, tmp_path):
    for samples in (1, 2):
        outcome = score(log_of(samples), "action_only", store=tmp_path / "s.db", model="fakemonitor/judge")
    assert (outcome.counts, outcome.already) == ({"scored": 1}, 1)
