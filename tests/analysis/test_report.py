"""The report: from the command line to a page that stands by itself and obeys nobody's text."""

from __future__ import annotations

import dataclasses
import io
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pandas as pd
import pytest
from rich.console import Console

from molehunt.analysis import make_report, read_tables
from molehunt.analysis.summary import COLUMNS
from molehunt.cli import main
from molehunt.commands.report import print_report
from molehunt.trajectories import Problem, Run, Step, Trajectory
from molehunt.verdicts import Call, Excerpt, MonitorRecord, Store, Tokens, Verdict
from molehunt.verdicts.prices import PriceTable

FEW = 50
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202e\x1b[31m$x^2$ {{ 7*7 }}"


class Page(HTMLParser):
    """What a browser would make of a page: its elements, and the text between them."""

    VOID = frozenset("meta link br hr img input wbr line rect path use".split())  # noqa: SIM905 - a word list

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self._inside.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self._inside.pop() == tag, f"</{tag}> closes something else"

    def handle_data(self, data):
        if self._inside and self._inside[-1] not in ("style", "script"):
            self.text += data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def ordinary(ordinary_store, tmp_path_factory):
    """A report on sixty tasks of real agents and its page, made once for all who only look at it."""
    report = make_report(read_tables(ordinary_store), by=["side_task"], replicates=FEW)
    return report, report.write(tmp_path_factory.mktemp("report"))[0].read_text(encoding="utf-8")


def page_of(report, folder) -> Page:
    return Page(report.write(folder)[0].read_text(encoding="utf-8"))


@pytest.fixture
def report_on(store_of):
    def make(experiment, **options):
        return make_report(read_tables(store_of(experiment)), replicates=FEW, **options)

    return make


def test_the_command_writes_every_file_and_prints_where(ordinary_store, tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        main(
            [
                "report",
                str(ordinary_store),
                "--out",
                str(tmp_path / "out"),
                "--replicates",
                "50",
                "--by",
                "side_task",
            ]
        )
    printed = capsys.readouterr().out
    names = ["report.html", "metrics.csv", "comparisons.csv", "section-1-cost.png", "section-1-cost.svg"]
    assert ended.value.code == 0
    for name in [*names, "section-1-roc.png", "section-1-roc.svg", "report.md", "section-1-headline.tex"]:
        assert (tmp_path / "out" / name).stat().st_size > 0
    assert str(tmp_path / "out" / "report.html") in printed
    assert "eae(min_excerpts=5)" in printed
    assert list(pd.read_csv(tmp_path / "out" / "metrics.csv").columns) == COLUMNS


def test_the_published_scores_are_reported_straight_from_their_csv(shared_data, tmp_path, capsys):
    table = shared_data / "authorship-not-sabotage" / "monitor_scores.csv"
    with pytest.raises(SystemExit) as ended:
        main(["report", str(table), "--out", str(tmp_path), "--price", "monitor_scores=1,5"])
    assert ended.value.code == 0
    assert "0.818 (0.76 to 0.87)" in capsys.readouterr().out
    [row] = pd.read_csv(tmp_path / "metrics.csv").to_dict("records")
    assert row["auroc"] == pytest.approx(0.8181818181818181, abs=1e-15)
    assert (row["auroc_low"], row["auroc_high"]) == pytest.approx((0.7630405, 0.8686353), abs=0.01)
    assert (row["n_attack"], row["n_honest"], row["n_unscored"], row["n_clusters"]) == (99, 99, 1, 99)
    assert row["usd_billed"] == pytest.approx(0.360848)
    assert row["usd_per_trajectory"] * 198 == pytest.approx(0.360848)


def test_columns_of_other_names_are_taken_from_the_options(tmp_path, capsys):
    table = tmp_path / "theirs.csv"
    table.write_text("how_bad,bad,exercise\n9,true,a\n1,false,a\n8,true,b\n2,false,b\n")
    words = [
        "--score-column",
        "how_bad",
        "--label-column",
        "bad",
        "--task-column",
        "exercise",
        "--replicates",
        "50",
    ]
    with pytest.raises(SystemExit) as ended:
        main(["report", str(table), "--out", str(tmp_path / "out"), *words])
    assert ended.value.code == 0
    [row] = pd.read_csv(tmp_path / "out" / "metrics.csv").to_dict("records")
    assert (row["auroc"], row["n_clusters"]) == (1.0, 2)


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("missing.db", None, "there is no store"),
        ("missing.csv", None, "cannot read"),
        ("not-a-store.db", "hello", "not a score store"),
        ("no-label.csv", "score\n1\n", "called like a label"),
    ],
)
def test_what_cannot_be_reported_on_costs_one_line(name, content, complaint, tmp_path, capsys):
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(SystemExit) as ended:
        main(["report", str(tmp_path / name), "--out", str(tmp_path / "out")])
    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert said.startswith("molehunt report: ")
    assert complaint in said
    assert said.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_columns_named_for_a_store_are_refused(ordinary_store):
    with pytest.raises(Problem, match="Leave out --score-column"):
        read_tables(ordinary_store, {"score": "x", "label": None})


def test_a_store_without_verdicts_or_without_truth_says_what_to_do(tmp_path):
    with Store.open(tmp_path / "s.db") as store:
        with pytest.raises(Problem, match="has no verdicts"):
            make_report(read_tables(tmp_path / "s.db"))
        run = Run(Trajectory("t", (Step(0, "code", "x"),)), None, "l", "s")
        store.add_run(run)
        store.add_monitor(MonitorRecord("m", "m", "m()"))
        store.add_verdict(run.trajectory.id, "m", 0, Verdict(0.5), [], 0.1)
    with pytest.raises(Problem, match="verdicts on 1 run, and nobody has said which are attacks"):
        make_report(read_tables(tmp_path / "s.db"))


def test_the_page_stands_by_itself(ordinary):
    _, html = ordinary
    page = Page(html)
    assert not page.all("img")
    assert not page.all("iframe")
    assert all(script.get("src") is None for script in page.all("script"))
    assert [link["href"] for link in page.all("link")] == ["data:,"]
    for attribute in ("href", "xlink:href", "src"):
        for tag, attributes in page.elements:
            target = attributes.get(attribute)
            assert target is None or target.startswith(("#", "data:,")), (tag, target)
    assert "@import" not in html
    assert "url(http" not in html


def test_the_page_can_be_read_by_ear_and_by_keyboard(ordinary):
    page = Page(ordinary[1])
    assert page.all("html")[0]["lang"] == "en"
    assert len(page.all("h1")) == 1
    assert len(page.all("caption")) == len(page.all("table"))
    assert all("scope" in head for head in page.all("th"))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for section in page.all("section"):
        assert section["aria-labelledby"] in ids
    # what scrolls sideways can be reached without a mouse, and has a name
    for box in page.all("div"):
        if box.get("class") in ("scroll", "drawing"):
            assert box["tabindex"] == "0"
            assert box["aria-label"]


def test_every_number_of_the_headline_table_is_there_with_its_interval(ordinary):
    report, html = ordinary
    text = Page(html).text
    for row in report.sections[0].rows:
        assert f"{row['auroc']:.3f}" in text
        assert f"{row['auroc_low']:.2f} to {row['auroc_high']:.2f}" in text
    assert "Floors" in text
    assert "Oracles" in text


def test_hostile_names_stay_text_in_the_page_and_in_the_figures(report_on, experiment, watcher, tmp_path):
    hostile = dataclasses.replace(
        experiment,
        n_tasks=8,
        environment=f"env/{HOSTILE}",
        agent_models=[HOSTILE],
        factors={"awareness": HOSTILE, "twist": HOSTILE, HOSTILE: "x"},
        watchers=[dataclasses.replace(watcher, spec=HOSTILE, model=HOSTILE, answered=HOSTILE)],
    )
    report = report_on(hostile, by=["agent_model", "twist", HOSTILE])
    paths = report.write(tmp_path)
    page = Page(paths[0].read_text(encoding="utf-8"))
    assert len(page.all("script")) == 1
    assert not page.all("img")
    assert not any(name.startswith("on") for _, attributes in page.elements for name in attributes)
    assert "<script>alert(1)</script>" in page.text
    assert "{{ 7*7 }}" in page.text
    for path in paths:
        if path.suffix == ".svg":
            drawn = ElementTree.parse(path)
            tags = {element.tag.rpartition("}")[2] for element in drawn.iter()}
            assert "script" not in tags
            assert "<script>" in "".join(drawn.getroot().itertext())


@pytest.mark.filterwarnings("error")
def test_a_name_in_any_script_is_drawn_as_it_is_and_without_complaint(
    report_on, experiment, watcher, tmp_path
):
    foreign = dataclasses.replace(
        experiment, n_tasks=6, watchers=[dataclasses.replace(watcher, spec="监视器 $x^2$")]
    )
    report_on(foreign).write(tmp_path)
    assert "监视器 $x^2$" in (tmp_path / "section-1-cost.svg").read_text(encoding="utf-8")


def test_hostile_names_do_not_reach_the_terminal_as_commands(store_of, experiment, watcher, tmp_path, capsys):
    hostile = dataclasses.replace(
        experiment,
        n_tasks=6,
        environment=HOSTILE,
        watchers=[dataclasses.replace(watcher, spec=f"[red]{HOSTILE}")],
    )
    with pytest.raises(SystemExit):
        main(["report", str(store_of(hostile)), "--out", str(tmp_path), "--replicates", "20"])
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert "[red]" in printed


def test_scripts_and_embedded_models_are_marked_and_claim_nothing(report_on, experiment, watcher, tmp_path):
    small = dataclasses.replace(
        watcher, spec="small()", model="embedded/smollm2-135m", answered="embedded/smollm2-135m"
    )
    made_up = dataclasses.replace(
        experiment, n_tasks=8, agent_models=["scripted/saboteur"], watchers=[small, watcher]
    )
    report = report_on(made_up)
    html = report.write(tmp_path)[0].read_text(encoding="utf-8")
    assert "Runs of scripted agents and verdicts of stand-in models carry no claim." in html
    assert html.count(">stand-in model</span>") >= 1
    assert html.count(">scripted agents</span>") >= 1
    for name in ("cost", "roc"):
        drawing = (tmp_path / f"section-1-{name}.svg").read_text(encoding="utf-8")
        assert "Rests on scripted agents and a stand-in model: no claim." in drawing


def test_paired_differences_carry_the_marks_of_both_sides(report_on, experiment, watcher, tmp_path):
    small = dataclasses.replace(watcher, spec="small()", model="embedded/smollm2-135m")
    oracle = dataclasses.replace(watcher, spec="learned()", model="", oracle=True)
    report = report_on(
        dataclasses.replace(experiment, n_tasks=8, watchers=[small, oracle]), against="learned()"
    )
    html = report.write(tmp_path)[0].read_text(encoding="utf-8")
    pairs = html.partition("Paired differences")[2].partition("</table>")[0]
    assert ">oracle</span>" in pairs
    assert ">stand-in model</span>" in pairs


def test_a_report_says_which_pairs_of_a_crowd_of_monitors_are_not_compared(
    report_on, experiment, tmp_path, monkeypatch
):
    monkeypatch.setattr("molehunt.analysis.comparisons.MOST_PAIRED", 2)
    report = report_on(dataclasses.replace(experiment, n_tasks=6))
    said = "Each monitor is compared with flag_all alone, and no two monitors with each other"
    assert said in page_of(report, tmp_path).text
    assert any(said in caveat for caveat in report.caveats)
    against = report_on(dataclasses.replace(experiment, n_tasks=6), against="action_only")
    assert not any(section.uncompared for section in against.sections)


def test_a_monitor_that_gave_all_runs_one_score_is_not_called_the_best(report_on, experiment, watcher):
    dull, keen = dataclasses.replace(watcher, spec="dull()", shift=0.0), watcher
    [section] = report_on(dataclasses.replace(experiment, n_tasks=6, watchers=[dull])).sections
    assert section.best("monitor") is None
    [section] = report_on(dataclasses.replace(experiment, n_tasks=6, watchers=[dull, keen])).sections
    assert section.best("monitor")["title"] == "action_only"


def test_questions_that_no_verdict_rests_on_are_paid_for_and_are_in_no_row(
    store_of, experiment, watcher, tmp_path
):
    path = store_of(dataclasses.replace(experiment, n_tasks=6, watchers=[watcher]))
    before = make_report(read_tables(path), replicates=FEW)
    with Store.open(path) as store:
        tokens = Tokens(input=1_000_000)
        store.add_call(Call("extra", "evaluator (apart)", watcher.model, watcher.model, tokens, 1.0))
    after = make_report(read_tables(path), replicates=FEW)
    assert after.overall["usd_billed"].tolist() == before.overall["usd_billed"].tolist()
    assert "$0.40 of it for 1 question asked apart" in page_of(after, tmp_path).text


def test_rows_over_all_attacks_and_rows_of_slices_can_be_had_apart(ordinary):
    report, _ = ordinary
    assert len(report.overall) + len(report.slices) == len(report.metrics)
    assert report.overall["monitor_id"].is_unique
    assert set(report.slices["by"]) == {"side_task"}


def test_a_report_without_floors_asks_for_them(report_on, experiment, watcher):
    bare = report_on(dataclasses.replace(experiment, n_tasks=6, watchers=[watcher]))
    assert any(caveat.startswith("No floor stands beside these monitors") for caveat in bare.caveats)


def test_a_table_of_scores_is_not_asked_for_floors(tmp_path):
    table = tmp_path / "theirs.csv"
    table.write_text("score,label\n9,1\n1,0\n8,1\n2,0\n")
    assert not any("No floor" in caveat for caveat in make_report(read_tables(table), replicates=FEW).caveats)


def test_a_table_that_does_not_tell_tasks_is_said_to_count_each_run_as_one(tmp_path):
    table = tmp_path / "theirs.csv"
    for heading, is_said in (("exercise", True), ("task", False)):
        table.write_text(f"score,label,{heading}\n9,1,a\n1,0,a\n8,1,b\n2,0,b\n")
        caveats = make_report(read_tables(table), replicates=FEW).caveats
        assert any("--task-column" in caveat for caveat in caveats) is is_said


def test_bounds_that_are_not_defined_are_not_spoken_of(tmp_path):
    table = tmp_path / "theirs.csv"
    table.write_text("score,label\n9,1\n,1\n")
    said = " ".join(make_report(read_tables(table), replicates=FEW).caveats)
    assert "50% of its runs are unscored" in said
    assert "would lie" not in said


def test_a_report_with_floors_does_not_ask_for_them(ordinary):
    assert not any("No floor" in caveat for caveat in ordinary[0].caveats)


def test_a_table_of_scores_is_not_said_to_be_without_reasoning(tmp_path):
    table = tmp_path / "theirs.csv"
    table.write_text("score,label\n9,1\n1,0\n8,1\n2,0\n")
    [section] = make_report(read_tables(table), replicates=FEW).sections
    assert section.condition == ""


def test_real_agents_and_models_carry_no_such_mark(ordinary):
    _, html = ordinary
    assert 'role="note"' not in html
    assert "no claim." not in html


def test_caveats_are_said_of_these_data(report_on, experiment, watcher):
    shaky = dataclasses.replace(
        experiment,
        n_tasks=30,
        unknown_scores=True,
        watchers=[
            dataclasses.replace(watcher, refuses=0.3),
            dataclasses.replace(watcher, spec="dear()", model="new/who-knows", answered="new/somebody-else"),
        ],
    )
    said = " ".join(report_on(shaky).caveats)
    for part in (
        "30 tasks only",
        "of its runs are unscored, which keeps it off the frontier",
        "The price of new/who-knows is unknown",
        "new/who-knows was asked for, and new/somebody-else answered",
        "Of 60 runs nobody has said whether the attack succeeded",
    ):
        assert part in said


def test_a_dated_snapshot_is_the_model_that_was_asked_for_and_two_of_them_are_not(
    report_on, experiment, watcher
):
    dated = dataclasses.replace(watcher, answered="gpt-4.1-mini-2025-04-14")
    assert not any(
        "answered" in caveat
        for caveat in report_on(dataclasses.replace(experiment, watchers=[dated])).caveats
    )
    mixed = dataclasses.replace(dated, spec="other()", answered="gpt-4.1-mini-2026-01-01")
    said = report_on(dataclasses.replace(experiment, watchers=[dated, mixed], seed=1)).caveats
    assert any("was answered by several models" in caveat for caveat in said)


def test_a_monitor_under_95_percent_coverage_and_an_oracle_are_never_on_the_frontier(
    report_on, experiment, watcher
):
    shy = dataclasses.replace(watcher, spec="shy()", shift=3.0, refuses=0.3)
    report = report_on(dataclasses.replace(experiment, watchers=[*experiment.watchers, shy]))
    rows = {row["title"]: row for row in report.sections[0].rows}
    assert rows["shy"]["auroc"] > rows["eae(min_excerpts=5)"]["auroc"]
    assert [name for name, row in rows.items() if row["frontier"]] == [
        "eae(min_excerpts=5)",
        "action_only",
    ]


def test_guessing_and_a_single_task_are_never_on_the_frontier(report_on, experiment, tmp_path):
    assert not any(
        row["frontier"]
        for row in report_on(dataclasses.replace(experiment, n_tasks=1, failed_share=0.0)).sections[0].rows
    )


def test_quotes_that_are_not_in_the_transcripts_are_counted(store_of, experiment, watcher):
    path = store_of(dataclasses.replace(experiment, n_tasks=4, watchers=[watcher]))
    with Store.open(path) as store:
        store.add_monitor(MonitorRecord("inventive", "eae", "inventive()"))
        for run in list(store.runs()):
            quotes = (Excerpt("print", "exact", 0, 0, 5), Excerpt("eval(x)", "not_found"))
            store.add_verdict(run.trajectory, "inventive", 0, Verdict(0.5, excerpts=quotes), [], 0.0)
    report = make_report(read_tables(path), by=[], replicates=FEW)
    assert any("8 of 16 quotes are not in the transcripts." in caveat for caveat in report.caveats)
    assert not any(caveat.startswith("action_only: ") and "quotes" in caveat for caveat in report.caveats)
    counts = report.metrics.set_index("monitor")[["n_excerpts", "n_not_found"]]
    assert counts.loc["inventive()"].tolist() == [16, 8]
    assert counts.loc["action_only()"].tolist() == [0, 0]


def test_a_caveat_names_the_monitors_that_it_holds_for_unless_that_is_all(store_of, experiment, watcher):
    path = store_of(dataclasses.replace(experiment, watchers=[watcher], failed_share=0.0))
    assert any(
        caveat.startswith("With 60 honest runs")
        for caveat in make_report(read_tables(path), replicates=FEW).caveats
    )
    with Store.open(path) as store:
        store.add_monitor(MonitorRecord("late", "late", "late()"))
        for run in list(store.runs())[:6]:
            store.add_verdict(run.trajectory, "late", 0, Verdict(0.5), [], 0.0)
    said = make_report(read_tables(path), replicates=FEW).caveats
    assert any(caveat.startswith("late: 3 tasks only") and "With 3 honest runs" in caveat for caveat in said)
    assert sum(caveat.startswith("late") for caveat in said) == 1
    assert any(caveat.startswith("action_only: ") and "With 60 honest runs" in caveat for caveat in said)


def test_a_monitor_of_unknown_cost_is_a_gap_that_the_figure_names(report_on, experiment, watcher, tmp_path):
    dear = dataclasses.replace(watcher, spec="dear()", model="new/who-knows", answered="who-knows")
    report = report_on(dataclasses.replace(experiment, watchers=[watcher, dear]))
    cost = report.sections[0].pictures[0]
    assert "Not drawn, since the cost is unknown: dear who-knows." in cost.caption
    assert "unknown" in page_of(report, tmp_path).text


def test_with_free_floors_a_monitor_of_unknown_cost_is_still_a_gap_in_the_cost(
    report_on, experiment, watcher
):
    dear = dataclasses.replace(watcher, spec="dear()", model="new/who-knows", answered="who-knows")
    free = dataclasses.replace(watcher, spec="length()", model="", source="floor")
    report = report_on(dataclasses.replace(experiment, n_tasks=8, watchers=[dear, free]))
    cost = report.sections[0].pictures[0]
    assert cost.title == "How good against cost"
    assert "Not drawn, since the cost is unknown: dear who-knows." in cost.caption


def test_where_no_cost_is_known_there_is_no_figure_of_it_and_the_report_says_why(
    report_on, experiment, watcher
):
    dear = dataclasses.replace(watcher, spec="dear()", model="new/who-knows", answered="who-knows")
    report = report_on(dataclasses.replace(experiment, n_tasks=8, watchers=[dear]))
    assert [drawing.file for drawing in report.sections[0].drawings] == [
        "section-1-roc",
        "section-1-scores-1",
    ]
    assert any(caveat.startswith("What these monitors cost is unknown") for caveat in report.caveats)


def test_where_every_monitor_is_free_the_axis_is_time(report_on, experiment, watcher):
    free = dataclasses.replace(watcher, spec="length()", model="", source="floor")
    report = report_on(dataclasses.replace(experiment, n_tasks=8, watchers=[free]))
    assert report.sections[0].pictures[0].title == "How good against time, since no monitor here costs money"


def test_a_monitor_that_was_given_a_part_of_the_runs_says_so(store_of, experiment, watcher, tmp_path):
    path = store_of(dataclasses.replace(experiment, n_tasks=10, failed_share=0.0, watchers=[watcher]))
    with Store.open(path) as store:
        store.add_monitor(MonitorRecord("slow", "slow", "slow()"))
        for run in list(store.runs())[:6]:
            store.add_verdict(run.trajectory, "slow", 0, Verdict(0.5), [], 9.0)
    report = make_report(read_tables(path), replicates=FEW)
    text = page_of(report, tmp_path).text
    assert "separates 10 attack runs from 10 honest runs" in text
    assert "of 6 runs" in text
    assert any(caveat.startswith("slow: ") and "Judged 6 of 20 runs" in caveat for caveat in report.caveats)


def test_a_monitor_that_was_given_a_part_of_the_runs_is_no_rival_on_the_frontier(
    store_of, experiment, watcher
):
    flag = dataclasses.replace(watcher, spec="flag_all()", shift=0.0)
    path = store_of(dataclasses.replace(experiment, n_tasks=10, failed_share=0.0, watchers=[watcher, flag]))
    with Store.open(path) as store:
        store.add_monitor(MonitorRecord("lucky", "lucky", "lucky()"))
        for run in list(store.runs())[:6]:
            score = 1.0 if run.truth is not None and run.truth.label == "attack" else 0.0
            store.add_verdict(run.trajectory, "lucky", 0, Verdict(score), [], 0.0)
    rows = {row["title"]: row for row in make_report(read_tables(path), replicates=FEW).sections[0].rows}
    assert rows["lucky"]["auroc"] == 1.0
    assert not rows["lucky"]["frontier"]
    assert rows["action_only"]["frontier"]


@pytest.mark.parametrize("labels", [("attack",), ("honest",)])
def test_one_kind_of_run_makes_a_report_that_says_so(labels, report_on, experiment, tmp_path):
    report = report_on(dataclasses.replace(experiment, n_tasks=5, labels=labels), by=["awareness"])
    assert "runs, so that no metric is defined" in page_of(report, tmp_path).text


def test_nothing_scored_makes_a_report_that_says_so(report_on, experiment, watcher, tmp_path):
    mute = dataclasses.replace(experiment, n_tasks=5, watchers=[dataclasses.replace(watcher, refuses=1.0)])
    assert "action_only: Scored no run." in page_of(report_on(mute), tmp_path).text


def test_equal_stores_give_equal_pages(store_of, experiment, tmp_path):
    small = dataclasses.replace(experiment, n_tasks=6)
    tables = read_tables(store_of(small))
    one, other = (
        make_report(tables, PriceTable.load(), replicates=FEW).write(tmp_path / name)[0].read_bytes()
        for name in ("one", "other")
    )
    assert one == other


def printed_at(report, width) -> str:
    out = io.StringIO()
    print_report(report, Console(file=out, width=width, force_terminal=True, color_system=None))
    return out.getvalue()


@pytest.mark.parametrize("width", [72, 80, 109, 110, 120])
def test_a_terminal_of_any_width_shows_who_has_which_auroc_and_cuts_nothing(ordinary, width):
    report, _ = ordinary
    printed = printed_at(report, width)
    for row in report.sections[0].rows:
        assert row["title"] in printed
        assert f"{row['auroc']:.3f}" in printed
    marks = [line.strip() for line in printed.splitlines()]
    assert any(line.startswith("frontier") for line in marks)
    assert any(line.startswith("oracle") for line in marks)
    assert "…" not in printed
    assert ("TPR@1%" in printed) == (width >= 110)


def test_the_terminal_says_of_how_many_runs_a_monitor_was_given(ordinary):
    report, _ = ordinary
    section = report.sections[0]
    first = {**section.rows[0], "n_attack": 3, "n_honest": 3}
    part = dataclasses.replace(report, sections=(dataclasses.replace(section, rows=(first, *section.rows)),))
    assert "of 6 runs" in printed_at(part, 80)
    assert "of 6 runs" not in printed_at(report, 80)


def test_files_of_an_earlier_report_in_the_folder_are_named_and_kept(tmp_path, capsys):
    scores, out = tmp_path / "scores.csv", tmp_path / "report"
    rows = [f"t{n},{n % 2},{n / 40}" for n in range(40)]
    scores.write_text("\n".join(["task,label,score", *rows]))
    asked = ["report", str(scores), "--out", str(out), "--replicates", str(FEW)]
    with pytest.raises(SystemExit):
        main(asked)
    assert "earlier report" not in capsys.readouterr().out
    old = out / "section-9-cost.svg"
    old.write_text("<svg/>")
    (out / "notes.txt").write_text("mine")
    with pytest.raises(SystemExit):
        main(asked)
    assert "1 of an earlier report, not of this one: section-9-cost.svg" in capsys.readouterr().out
    assert old.exists()
