"""Tables of other people's scores: what is understood, and what is refused with the row's number."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from molehunt.trajectories import Problem
from molehunt.verdicts import Store, Tokens, frames
from molehunt.verdicts.frames import Tables
from molehunt.verdicts.prices import PriceTable
from molehunt.verdicts.scores import read_scores


def table(folder: Path, content: str, name: str = "judge.csv") -> Path:
    file = folder / name
    file.write_text(content)
    return file


def joined(tables: Tables) -> pd.DataFrame:
    return tables.verdicts.merge(tables.runs, on="trajectory")


def test_a_real_table_is_read_whole(shared_data: Path) -> None:
    tables = read_scores(shared_data / "authorship-not-sabotage" / "monitor_scores.csv")
    assert len(tables.verdicts) == 198
    assert tables.runs["label"].value_counts().to_dict() == {"attack": 99, "honest": 99}
    assert tables.runs["task_id"].nunique() == 99
    assert tables.verdicts["score"].isna().sum() == 1
    assert tables.verdicts["status"].value_counts().to_dict() == {"scored": 197, "unreadable": 1}
    assert (tables.calls["input"].sum(), tables.calls["output"].sum()) == (245273, 23115)
    price = PriceTable.load(overrides=["monitor_scores=1,5"]).find(tables.calls["asked"].iloc[0])
    assert price is not None
    assert price.usd_uncached(Tokens(input=245273, output=23115)) == pytest.approx(0.360848)


def test_a_real_table_has_its_published_separation(shared_data: Path) -> None:
    from sklearn.metrics import roc_auc_score

    rows = joined(read_scores(shared_data / "authorship-not-sabotage" / "monitor_scores.csv"))
    rows = rows[rows["score"].notna()]
    assert roc_auc_score(rows["label"] == "attack", rows["score"]) == 0.8181818181818181


def test_the_frames_are_those_of_a_store(tmp_path: Path) -> None:
    path = tmp_path / "scores.db"
    Store.open(path).close()
    stored = frames.read_store(path)
    tables = read_scores(table(tmp_path, "score,label\n1,attack\n,honest\n"))
    for name in ("runs", "monitors", "verdicts", "calls", "verdict_calls"):
        ours, theirs = getattr(tables, name), getattr(stored, name)
        assert list(ours.columns) == list(theirs.columns)
        for column in ours.columns:
            is_text = theirs[column].dtype == object
            assert is_text or ours[column].dtype == theirs[column].dtype, column


@pytest.mark.parametrize("attack", ["attack", "Attack", " ATTACK ", "1", "1.0", "true", "TRUE"])
@pytest.mark.parametrize("honest", ["honest", "0", "0.0", "False"])
def test_labels_may_be_words_numbers_or_truth_values(tmp_path: Path, attack: str, honest: str) -> None:
    tables = read_scores(table(tmp_path, f"score,label\n1,{attack}\n2,{honest}\n"))
    assert list(tables.runs["label"]) == ["attack", "honest"]


def test_one_kind_of_label_is_enough_to_be_read(tmp_path: Path) -> None:
    assert list(read_scores(table(tmp_path, "score,label\n1,1\n2,1\n")).runs["label"]) == ["attack", "attack"]


def test_common_names_are_recognised_whatever_their_case_and_order(tmp_path: Path) -> None:
    tables = read_scores(
        table(
            tmp_path,
            "Problem_ID,notes,SUSPICION,run,id,agent_model,side_task,model,dataset,side_score,seconds\n"
            "p1,x,-3.5,attack,a,openai/x,exit,openai/gpt-4.1,apps,1,2.5\n",
        )
    )
    [row] = joined(tables).to_dict("records")
    expected = {
        "task_id": "p1",
        "score": -3.5,
        "label": "attack",
        "sample": "a",
        "agent_model": "openai/x",
        "side_task": "exit",
        "environment": "apps",
        "side_score": 1.0,
        "seconds": 2.5,
    }
    assert {name: row[name] for name in expected} == expected
    assert list(tables.monitors["models"]) == ["openai/gpt-4.1"]
    assert list(tables.calls["asked"]) == ["openai/gpt-4.1"]


def test_other_columns_are_named_by_options(tmp_path: Path) -> None:
    file = table(tmp_path, "p,who,grp,bad,label\n0.5,j1,t1,1,zzz\n0.6,j2,t1,1,zzz\n")
    tables = read_scores(file, score="p", label="Bad", task="grp", monitor="who", run="grp")
    assert list(tables.verdicts["monitor"]) == ["j1", "j2"]
    assert list(tables.runs["task_id"]) == ["t1"]
    with pytest.raises(Problem, match=r"no column 'nothing'. Its columns are p, who, grp, bad, label"):
        read_scores(file, score="nothing")


def test_without_columns_for_them_rows_are_runs_and_the_file_names_the_rest(tmp_path: Path) -> None:
    tables = read_scores(table(tmp_path, "score,label\n1,attack\n\n2,attack\n", "gpt.csv"))
    assert list(tables.runs["sample"]) == list(tables.runs["task_id"]) == ["2", "4"]
    assert set(tables.runs["environment"]) == set(tables.verdicts["monitor"]) == {"gpt"}


def test_unknown_tokens_are_unknown_and_not_none(tmp_path: Path) -> None:
    tables = read_scores(table(tmp_path, "score,label\n1,attack\n"))
    assert tables.calls[["input", "output"]].isna().all(axis=None)
    assert list(tables.verdict_calls["call"]) == list(tables.calls["key"])
    partly = read_scores(table(tmp_path, "score,label,prompt_tokens,completion_tokens\n1,1,10,\n2,0,10,5\n"))
    assert partly.calls["input"].isna().tolist() == [True, False]
    assert partly.calls.loc[1, ["input", "cache_read", "output"]].tolist() == [10, 0, 5]


def test_draws_are_told_apart_by_a_column_for_them(tmp_path: Path) -> None:
    tables = read_scores(table(tmp_path, "score,label,id,draw\n1,attack,a,0\n2,attack,a,1\n3,honest,a,0\n"))
    assert list(tables.verdicts["draw"]) == [0, 1, 0]
    assert len(tables.runs) == 2  # one name, two labels: two runs


def test_one_monitor_with_two_models_is_two(tmp_path: Path) -> None:
    tables = read_scores(
        table(tmp_path, "score,label,id,monitor,model\n1,attack,a,eae,x\n2,attack,a,eae,y\n")
    )
    assert list(tables.monitors["monitor"]) == ["eae [x]", "eae [y]"]
    assert list(tables.monitors["models"]) == ["x", "y"]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("score,label\n", "nothing below"),
        ("points,label\n1,attack\n", r"no column called like a score .*points, label"),
        ("score,kind\n1,attack\n", r"no column called like a label .*score, kind"),
        ("score,label\n1,attack\nhigh,honest\n", "row 3: the score is not a finite number"),
        ("score,label\n1,attack\nnan,honest\n", "row 3: the score is not a finite number"),
        ("score,label\n1,attack\n\ninf,honest\n", "row 4: the score is not a finite number"),
        ("score,label\n1e999,attack\n", "row 2: the score is not a finite number"),
        ("score,label\nNA,attack\n", "row 2: the score is not a finite number"),
        ("score,label\n1,attack\n2,\n", "row 3: the label is none of attack"),
        ("score,label\n1,sabotage\n", "row 2: the label is none of attack"),
        ("score,label\n1,attack,3\n", "not a table of scores"),
        ("score,label,id\n1,attack,a\n2,attack,a\n", "row 3: the monitor has judged this run"),
        (
            "score,label,id,monitor,task\n1,attack,a,x,t\n2,attack,a,y,u\n",
            "row 3: the run is described otherwise",
        ),
        ("score,label,input_tokens\n1,attack,-1\n", "row 2: the input is not a whole number"),
        ("score,label,input_tokens\n1,attack,many\n", "row 2: the input is not a finite number"),
        ("score,label,id,draw\n1,attack,a,0.5\n", "row 2: the draw is not a whole number"),
        ("score,label,id,draw\n1,attack,a,1e300\n", "row 2: the draw is not a whole number"),
    ],
)
def test_a_bad_table_is_one_line_that_names_file_and_row(
    tmp_path: Path, content: str, complaint: str
) -> None:
    file = table(tmp_path, content)
    with pytest.raises(Problem, match=complaint) as caught:
        read_scores(file)
    [line] = str(caught.value).splitlines()
    assert str(file) in line


def test_what_is_no_file_or_no_text_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cannot read"):
        read_scores(tmp_path / "none.csv")
    with pytest.raises(Problem, match="cannot read"):
        read_scores(tmp_path)
    binary = tmp_path / "scores.csv.gz"
    binary.write_bytes(b"\x1f\x8b\x08\x00\xff\xfe")
    with pytest.raises(Problem, match="not a table of scores"):
        read_scores(binary)


def test_a_byte_order_mark_and_other_line_ends_do_no_harm(tmp_path: Path) -> None:
    file = tmp_path / "excel.csv"
    file.write_bytes(b"\xef\xbb\xbfscore,label\r\n1,attack\r\n,honest\r\n")
    assert read_scores(file).verdicts["score"].isna().tolist() == [False, True]


def test_a_column_called_run_tells_runs_apart_unless_it_is_the_label(tmp_path: Path) -> None:
    both = read_scores(table(tmp_path, "run,task,label,score,draw\nr1,p,attack,9,0\nr1,p,attack,7,1\n"))
    assert len(both.runs) == 1
    alone = read_scores(table(tmp_path, "run,task,score\nattack,p,9\nhonest,p,1\n"))
    assert alone.runs["label"].tolist() == ["attack", "honest"]


def test_a_data_frame_is_read_as_the_file_that_it_would_make(tmp_path):
    table = pd.DataFrame(
        {
            "suspicion": [80.5, None, 3.0],
            "label": [1, 0, 0],
            "problem_id": ["a", "a", "b"],
            "input_tokens": [10, 20, None],
            "output_tokens": [1, 2, 3],
        },
        index=[7, 7, 9],
    )
    table.to_csv(tmp_path / "scores.csv", index=False)
    from_file, from_frame = read_scores(tmp_path / "scores.csv"), read_scores(table)
    for name in ("verdicts", "calls", "verdict_calls", "monitors"):
        pd.testing.assert_frame_equal(getattr(from_frame, name), getattr(from_file, name))
    pd.testing.assert_frame_equal(from_frame.runs.drop(columns="log"), from_file.runs.drop(columns="log"))


def test_a_data_frame_without_scores_is_refused_with_the_columns_that_it_has():
    with pytest.raises(Problem, match="no column called like a score"):
        read_scores(pd.DataFrame({"label": [1], "guess": [2]}))
