"""Half of all logs are bad, each in another way: the others are scored, and each bad one is named."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from molehunt.verdicts import Store


def _text(text: str) -> Callable[[Path, str], object]:
    return lambda path, good: path.write_text(text, encoding="utf-8")


@cache
def _archive(content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", content)
    return file.getvalue()


def _zip(path: Path, content: bytes, keep: float = 1.0) -> None:
    whole = _archive(content)
    path.write_bytes(whole[: int(len(whole) * keep)])


BAD: dict[str, Callable[[Path, str], Any]] = {
    "empty": _text(""),
    "blank": _text(" \n" * 100),
    "cut off": lambda path, good: path.write_text(good[: len(good) // 2]),
    "prose": _text("Dear reader, this is not a log."),
    "a page": _text("<html><body>404</body></html>"),
    "a number": _text("7"),
    "a list": _text("[1, 2, 3]"),
    "another object": _text('{"a": 1}'),
    "bytes": lambda path, good: path.write_bytes(bytes(range(256)) * 8),
    "zeros": lambda path, good: path.write_bytes(bytes(4096)),
    "deep": _text("[" * 100_000),
    "deep in a log": lambda path, good: path.write_text(
        good.replace('"messages": [', '"messages": ' + "[" * 50_000, 1)
    ),
    "messages of another kind": lambda path, good: path.write_text(
        good.replace('"messages": [', '"messages": 7, "was": [', 1)
    ),
    "in another encoding": lambda path, good: path.write_bytes(good.encode("utf-16")),
    "an archive of nothing": lambda path, good: zipfile.ZipFile(path, "w").close(),
    "an archive of something else": lambda path, good: _zip(path, b"{}"),
    "an archive that is cut off": lambda path, good: _zip(path, b"x" * 1000, keep=0.5),
    "an archive that swells": lambda path, good: _zip(path, bytes(50_000_000)),
}


def fill(folder: Path, number: int, here: Any) -> Path:
    """So many good logs of one run each, and as many bad ones between them."""
    folder.mkdir()
    for index in range(number):
        good = here.write_log(folder / f"{index:05}-good.json", [here.sample(index)]).read_text()
        kind = list(BAD)[index % len(BAD)]
        ending = "eval" if index % 2 else "json"
        BAD[kind](folder / f"{index:05}-{kind.replace(' ', '-')}.{ending}", good)
    return folder


@pytest.mark.parametrize("number", [200, pytest.param(10_000, marks=pytest.mark.slow)])
async def test_as_many_bad_logs_as_good_ones_cost_themselves_only(number, scored, here, tmp_path):
    folder = fill(tmp_path / "logs", number, here)
    done = await scored(folder, ["length", "keyword"])
    assert (done.outcome.runs, done.outcome.trajectories) == (number, number)
    assert done.outcome.counts == {"scored": 2 * number}
    assert done.outcome.exit_status == 3
    named = {Path(unread.log).name for unread in done.outcome.unread}
    assert named == {path.name for path in folder.iterdir() if "good" not in path.name}
    assert len(done.outcome.unread) == number
    assert all(str(unread).isprintable() and len(str(unread)) < 600 for unread in done.outcome.unread)
    with Store.read(tmp_path / "scores.db") as store:
        assert len(list(store.runs())) == number
        assert len(list(store.verdicts())) == 2 * number
    again = await scored(folder, ["length", "keyword"])
    assert (again.outcome.already, again.outcome.counts.total()) == (2 * number, 0)
    assert len(again.outcome.unread) == number


async def test_logs_that_are_all_bad_are_exit_status_one(scored, here, tmp_path):
    folder = fill(tmp_path / "logs", len(BAD), here)
    for path in folder.glob("*good*"):
        path.unlink()
    done = await scored(folder, "length")
    assert (done.outcome.runs, done.outcome.exit_status) == (0, 1)
    assert len(done.outcome.unread) == len(BAD)


def test_a_log_with_a_bad_sample_among_good_ones_gives_the_good_ones(molehunt, here, tmp_path):
    samples = [here.sample(number) for number in range(4)]
    samples[2]["messages"] = {"no": "list"}
    log = here.write_log(tmp_path / "runs.json", samples)
    done = molehunt("score", log, "--monitor", "length", "--store", tmp_path / "scores.db")
    assert done.returncode == 3
    assert "runs      3 read" in done.stdout
    assert len([line for line in done.stdout.splitlines() if line.startswith("unread")]) == 1
    assert json.loads(log.read_text())["status"] == "success"
