"""What stands in pages and tables beside the browser's view of them: pieces, misses, LaTeX and Markdown."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from molehunt.analysis import make_report, read_tables
from molehunt.analysis.cost_figure import DOLLARS, cost_figure
from molehunt.analysis.drawing import Drawing
from molehunt.analysis.exhibits import Exhibit, estimated, latex_text, markdown_text, named
from molehunt.analysis.misses import FALSE_ALARM, MISS
from molehunt.analysis.pieces import LONGEST, Span, pieces
from molehunt.analysis.templates import render, visible
from molehunt.trajectories import Problem, Step

SPANS = st.lists(
    st.builds(
        Span,
        st.integers(-5, 60),
        st.integers(-5, 60),
        st.sampled_from(["exact", "normalised", "incriminating", "decoy"]),
        st.just("q"),
        st.integers(1, 3),
    ),
    max_size=6,
)


@given(st.text(max_size=50), SPANS)
def test_pieces_make_up_the_text_and_know_all_that_covers_them(text, spans):
    cut = list(pieces(text, spans))
    assert "".join(piece.text for piece in cut) == text
    place = 0
    for piece in cut:
        middle = [span for span in spans if max(span.start, 0) <= place < min(span.end, len(text))]
        assert len(piece.quotes) + len(piece.marks) == len(middle)
        place += len(piece.text)


def test_of_a_text_that_is_too_long_the_ends_and_what_was_quoted_stay():
    text = "a" * LONGEST + "QUOTE" + "b" * LONGEST
    cut = list(pieces(text, [Span(LONGEST, LONGEST + 5, "exact", "q", 1)]))
    assert [piece.text for piece in cut if piece.quotes] == ["QUOTE"]
    assert sum(piece.n_left_out + len(piece.text) for piece in cut) == len(text)
    assert sum(len(piece.text) for piece in cut) < LONGEST
    assert cut[0].text.startswith("a")
    assert cut[-1].text.endswith("b")


@given(st.text())
def test_visible_text_holds_no_markup_and_no_character_that_is_obeyed(text):
    shown = str(visible(text))
    assert not set(shown) & set("\u202e\u2066\u200b\x00\x1b")
    assert "<" not in shown.replace('<i class="control"', "").replace("</i>", "")


def test_a_page_names_its_script_and_style_by_digest_and_allows_nothing_else():
    html = render(
        "trajectory", trajectory=_Empty(), task=[], steps=[], runs=[], marks=[], judgements=[],
        place=1, total=1, previous="", following="", miss=MISS, longest_reasons=1,
    )  # fmt: skip
    policy = html.partition('http-equiv="Content-Security-Policy" content="')[2].partition('"')[0]
    assert policy.startswith("default-src &#39;none&#39;")
    assert "unsafe" not in policy
    assert policy.count("sha256-") == 2


def test_a_call_without_arguments_is_not_said_to_be_empty():
    call = SimpleNamespace(
        step=Step(0, "tool_call", "", tool="get_user_info"), pieces=[], is_long=False, n_left_out=0, n_lines=1
    )
    html = render(
        "trajectory", trajectory=_Empty(), task=[], steps=[call], runs=[], marks=[], judgements=[],
        place=1, total=1, previous="", following="", miss=MISS, longest_reasons=1,
    )  # fmt: skip
    assert "Called without arguments." in html
    assert "Empty." not in html


class _Empty:
    """A trajectory in which nothing happened."""

    id = "0" * 32
    task = ""
    steps = ()


def test_latex_holds_no_command_of_others():
    assert latex_text("\\input{x} 5% $a_1$ #^~&") == (
        r"\textbackslash{}input\{x\} 5\% \$a\_1\$ \#\textasciicircum{}\textasciitilde{}\&"
    )


def test_markdown_calls_nobody_and_links_nowhere():
    shown = markdown_text("@team [x](https://e.org) <img> `a` | b\n# c")
    assert "@" not in shown
    assert "://" not in shown
    assert "\n" not in shown
    assert r"\|" in shown
    assert r"\<img\>" in shown


def test_a_table_is_the_same_in_every_form(tmp_path):
    frame = pd.DataFrame(
        {
            "name": ["a_b"],
            "models": ["x/y"],
            "auroc": [0.75],
            "auroc_low": [0.6],
            "auroc_high": [float("nan")],
        }
    )
    shown = Exhibit(
        "k", "Title", "Caption.", [named("name", "Name", "models"), estimated("auroc", "AUROC")], frame
    )
    assert [cell.text for cell in next(iter(shown.rows()))] == ["a_b", "0.750"]
    assert r"a\_b (x/y) & 0.750" in shown.latex()
    assert "| a\\_b (x/y) | 0.750" in shown.markdown()
    csv, tex = shown.save(tmp_path)
    assert pd.read_csv(csv).to_dict("records")[0]["name"] == "a_b"
    assert tex.read_text() == shown.latex()


@pytest.fixture(scope="module")
def report(ordinary_store):
    return make_report(read_tables(ordinary_store), by=[], replicates=20)


def test_misses_score_under_the_threshold_and_false_alarms_reach_it(report):
    errors = report.errors
    labels = report.seen.frame.drop_duplicates("run").set_index("run")["label"]
    assert (errors["score"] < errors["threshold"])[errors["kind"] == MISS].all()
    assert (errors["score"] >= errors["threshold"])[errors["kind"] == FALSE_ALARM].all()
    assert set(labels[errors.loc[errors["kind"] == MISS, "run"]]) == {"attack"}
    for monitor, rows in errors[errors["kind"] == FALSE_ALARM].groupby("monitor"):
        counted = report.seen.frame[(report.seen.frame["monitor"] == monitor)]
        n_honest = ((counted["label"] == "honest") & (counted["excluded"] == "")).sum()
        assert len(rows) <= 0.1 * n_honest


def test_pages_without_a_store_are_a_problem_that_says_so(report, tmp_path):
    with pytest.raises(Problem, match="no transcripts to make pages of"):
        report.write(tmp_path, "all")


def test_in_the_cost_figure_every_monitor_has_its_name_or_a_number_with_its_name(tmp_path):
    crowd = pd.DataFrame(
        {
            "label": [f"monitor_{number} gpt-4.1-mini" for number in range(14)],
            "kind": "monitor",
            "auroc": [0.8 + number / 1000 for number in range(14)],
            "frontier": False,
            "eligible": True,
            "usd_per_trajectory": [0.001 + number / 1e5 for number in range(14)],
        }
    ).assign(auroc_low=0.7, auroc_high=0.9)
    svg = Drawing("c", "", lambda: cost_figure(crowd, DOLLARS)).svg
    written = re.sub(r"\s+", " ", "".join(ElementTree.fromstring(svg.encode()).itertext()))
    for name in crowd["label"]:
        assert name in written
