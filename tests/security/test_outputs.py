"""Hostile text and names in what we print, write and keep: shown for what it is, and obeyed by nothing."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
import zipfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

from molehunt.analysis import make_report, read_tables
from molehunt.trajectories import Problem, Run, Step, Trajectory, Truth
from molehunt.verdicts import Excerpt, MonitorRecord, Store, Verdict

SCRIPTS = (
    "<script>owned()</script>",
    "<img src=x onerror=owned()>",
    "'\"><svg/onload=owned()>",
    "<details open ontoggle=owned()>",
    "</script><script>owned()</script>",
    "</style><style>*{display:none}</style>",
    "</textarea></title></pre><script src=//203.0.113.9/x></script>",
    "<a href=java&#10;script:owned()>x</a>",
    "<iframe srcdoc='&lt;script&gt;owned()&lt;/script&gt;'>",
    "<object data=data:text/html;base64,PHNjcmlwdD4=></object>",
    "<input autofocus onfocus=owned()>",
    "<video><source onerror=owned()></video>",
    "<math><mi xlink:href=javascript:owned()>x</mi></math>",
    "<template><script>owned()</script></template>",
    "<base href=//203.0.113.9/><meta http-equiv=refresh content=0;url=//203.0.113.9>",
    "<link rel=stylesheet href=//203.0.113.9/x.css>",
    "&lt;script&gt;owned()&lt;/script&gt;",
    '" style=background:url(//203.0.113.9) x="',
    "{{ config }}{% import os %}{# #}${7*7}#{7*7}",
    "--><!--<script>owned()</script>",
    "]]><script>owned()</script>",
    "+ADw-script+AD4-owned()+ADw-/script+AD4-",
    "<scr\x00ipt>owned()</scr\x00ipt>",
    "ſcript<ſcript>owned()</ſcript>",
    "\u2028owned()\u2029//",
    "`${owned()}`\\u003cscript\\u003e",
)
TERMINAL = (
    "\x1b[2J\x1b]0;owned\x07\x1b]8;;http://203.0.113.9\x1b\\x\x9b31m\b\u202e\u2066\u200b\x00[red]x[/red]"
)
SQL = "'; DROP TABLE verdicts; --\"'); DELETE FROM runs; /*"


class Elements(HTMLParser):
    """The elements of a page with the names of their attributes: what a browser builds, without any text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[tuple[str, tuple[str, ...]]] = set()
        self.targets: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add((tag, tuple(sorted(name for name, _ in attrs))))
        self.targets |= {value or "" for name, value in attrs if name in ("href", "src", "action", "data")}


def store_of(path: Path, text: str) -> Path:
    """A store in which ``text`` stands wherever others' text can stand."""
    with Store.open(path) as store:
        record = MonitorRecord("m", text, text, models=text, source=text)
        store.add_monitor(record)
        for number in range(8):
            label = "attack" if number % 2 else "honest"
            steps = (
                Step(0, "reasoning", f"{number} {text}"),
                Step(1, "tool_call", text, tool=text, arguments={text: text}, agent=text),
                Step(2, "code", f"x = {number}  # {text}"),
            )
            factors = {"side_task": text, text: text} if label == "attack" else {text: text}
            truth = Truth(label, f"env/{text}", f"p{number // 2} {text}", 1.0, 0.0, factors=factors)
            run = Run(Trajectory(text, steps), truth, log=text, sample=f"{number} {text}", agent_model=text)
            store.add_run(run)
            excerpts = (Excerpt(text, "not_found"),)
            verdict = Verdict(number / 10, rationale=text, excerpts=excerpts)
            store.add_verdict(run.trajectory.id, "m", 0, verdict, [], 0.1)
    return path


def pages_of(folder: Path, text: str) -> list[Elements]:
    """The report on such a store, and its pages."""
    store = store_of(folder / "scores.db", text)
    make_report(read_tables(store), replicates=20).write(folder / "out", "all", store)
    return [Elements(page.read_text("utf-8")) for page in sorted((folder / "out").rglob("*.html"))]


def test_no_text_makes_an_element_or_an_attribute_or_an_address_that_plain_text_does_not(tmp_path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "wild").mkdir()
    # what turns the direction of writing is written out, in an element of ours
    plain = pages_of(tmp_path / "plain", "plain words \u202e")
    wild = pages_of(tmp_path / "wild", " ".join(SCRIPTS))
    assert len(plain) == len(wild) == 9
    elements = set().union(*(page.found for page in plain))
    assert set().union(*(page.found for page in wild)) - elements == set()
    for page in wild:
        assert not [target for target in page.targets if "203.0.113.9" in target or "owned" in target]


@pytest.fixture
def molehunt(tmp_path):
    def run(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "molehunt", *map(str, words)],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "200", "FORCE_COLOR": "1", "TERM": "xterm-256color"},
            stdin=subprocess.PIPE,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
        )

    return run


def obeyed(printed: str) -> set[str]:
    """What a terminal would obey, but for colours and the hiding of the cursor, which rich itself writes."""
    others = re.sub(r"\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[0-9]*[AK]|\r", "", printed)
    return {character for character in others if not character.isprintable() and character not in "\n\t"}


def test_nothing_of_others_reaches_the_terminal_as_a_command_to_it(molehunt, tmp_path):
    store = store_of(tmp_path / "scores.db", TERMINAL)
    with Store.read(store) as opened:
        [first, *_] = [run.trajectory for run in opened.runs()]
    log = tmp_path / f"a{TERMINAL.replace(chr(0), '').replace('/', '')}.json"
    log.write_text("{")
    said = [
        molehunt("show", store, first),
        molehunt("report", store, "--out", tmp_path / "out", "--replicates", 20),
        molehunt("export", store, "--out", tmp_path / "exported"),
        molehunt("score", tmp_path, "--monitor", "length", "--store", tmp_path / "new.db"),
        molehunt("score", log, "--monitor", "length", "--store", tmp_path / "new.db"),
    ]
    for done in said:
        assert done.stdout + done.stderr
        assert obeyed(done.stdout + done.stderr) == set(), done.args
        assert "\x1b]" not in done.stdout + done.stderr


def test_text_that_is_sql_is_text_to_the_store(molehunt, tmp_path):
    store = store_of(tmp_path / "scores.db", SQL)
    with Store.read(store) as opened:
        assert len(list(opened.runs())) == len(list(opened.verdicts())) == 8
        assert {run.log for run in opened.runs()} == {SQL}
        with pytest.raises(Problem):
            opened.trajectory(SQL)
    assert molehunt("show", store, SQL).returncode == 1
    with sqlite3.connect(store) as connection:
        assert connection.execute("SELECT count(*) FROM verdicts").fetchone() == (8,)


def test_a_store_of_somebody_elses_making_names_no_file_outside_the_report(tmp_path):
    store = store_of(tmp_path / "scores.db", "x")
    with sqlite3.connect(store) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for table, column in (("trajectories", "id"), ("runs", "trajectory"), ("verdicts", "trajectory")):
            connection.execute(f"UPDATE {table} SET {column} = '../../' || {column}")
    before = set(tmp_path.rglob("*"))
    with pytest.raises(Problem, match="is no id of a trajectory"):
        make_report(read_tables(store), replicates=20).write(tmp_path / "deep" / "out", "all", store)
    new = set(tmp_path.rglob("*")) - before
    assert all(path.is_relative_to(tmp_path / "deep") for path in new)


@pytest.mark.parametrize("name", ["../../escaped.json", "/tmp/escaped.json", "samples/../../escaped.json"])
def test_an_archives_members_are_never_written_to_the_disk(name, molehunt, tmp_path):
    """Whatever their names say: an archive is read, not unpacked."""
    log = tmp_path / "logs" / "inner" / "a.eval"
    log.parent.mkdir(parents=True)
    header = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
    with zipfile.ZipFile(log, "w") as archive:
        archive.writestr("header.json", json.dumps(header))
        archive.writestr(name, json.dumps({"id": 1}))
    before = {path for path in tmp_path.rglob("*") if "scores" not in path.name}
    done = molehunt("score", log, "--monitor", "length", "--store", tmp_path / "scores.db")
    assert done.returncode in (0, 1, 3)
    assert "Traceback" not in done.stderr
    assert {path for path in tmp_path.rglob("*") if "scores" not in path.name} == before
    assert not Path("/tmp/escaped.json").exists()
