"""Our monitors as Scout's scanners, on the real package."""

from __future__ import annotations

import json

import pytest

from molehunt.adapters.judging import BOUNDARY_KEY
from molehunt.scoring import score as score_logs
from molehunt.trajectories import Problem
from molehunt.verdicts import Store

pytest.importorskip("inspect_scout")

import inspect_scout as scout

from molehunt.adapters.scout import suspicion

JUDGE = "adapterjudge/judge"


@pytest.fixture
def scanned(tmp_path):
    def scan(log, spec, model=JUDGE, **more):
        status = scout.scan(
            scanners=[suspicion(spec, model=model, **more)],
            transcripts=scout.transcripts_from(log.location),
            scans=str(tmp_path / "scans"),
            max_processes=1,
            display="none",
        )
        assert status.complete, status.errors
        [row] = scout.scan_results_df(status.location).scanners["suspicion"].to_dict("records")
        return row

    return scan


def sent_offline(log, spec, sent, tmp_path):
    """What scoring the log sends, with the delimiters of the adapters."""
    sent.clear()
    with Store.open(tmp_path / "scores.db") as store:
        store._connection.execute("UPDATE secrets SET boundary_key = ?", [BOUNDARY_KEY])
    score_logs(log.location, spec, model=JUDGE, store=tmp_path / "scores.db")
    return [request.texts for request in sent]


def test_a_scan_gives_score_reasons_and_the_messages_that_hold_the_excerpts(
    scanned, evaluated, sent, tmp_path
):
    log = evaluated()
    row = scanned(log, "eae(min_excerpts=1)")
    assert 0 <= row["value"] <= 1
    assert row["explanation"] == "Because."
    details = json.loads(row["metadata"])
    assert (details["status"], len(details["calls"])) == ("scored", 2)
    first = next(message for message in log.samples[0].messages if message.role == "assistant")
    assert [reference["id"] for reference in json.loads(row["message_references"])] == [first.id]
    # and it has sent to the byte what scoring the log sends
    scanning = [request.texts for request in sent]
    assert scanning == sent_offline(log, "eae(min_excerpts=1)", sent, tmp_path)
    assert not [text for texts in scanning for text in texts if "attack-label-7" in text]


def test_without_a_score_there_is_none_and_never_a_zero(scanned, evaluated):
    row = scanned(evaluated(), "cot_action", model="adapterjudge/refuser")
    assert row["value"] is None
    assert json.loads(row["metadata"])["status"] == "refused"


def test_what_cannot_be_built_is_said_before_the_scan():
    with pytest.raises(Problem, match="did you mean 'eae'"):
        suspicion("eea")
