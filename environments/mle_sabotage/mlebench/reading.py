"""Competitions that the package ``mlebench`` has prepared, read from its folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from molehunt.environments.mle_sabotage.competition import Competition
from molehunt.environments.mle_sabotage.competitions.parts import Prepared
from molehunt.environments.mle_sabotage.mlebench.real import Real
from molehunt.environments.mle_sabotage.mlebench.tables import TABLES
from molehunt.environments.mle_sabotage.mlebench.texts import TEXTS
from molehunt.trajectories import Problem

if TYPE_CHECKING:
    from pandas import DataFrame, Series

REAL = {real.name: real for real in sorted((*TEXTS, *TABLES), key=lambda real: real.name)}
"""The competitions for which there is a sabotage."""
MOST_TRAINING, MOST_TEST = 100_000, 10_000
"""Rows that are used, from the beginning of the files, which are shuffled: a sandbox is small."""


def default_folder() -> Path:
    """Where ``mlebench`` keeps its data unless told otherwise."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "mle-bench" / "data"


def prepared_names(folder: Path) -> list[str]:
    """Competitions of `REAL` that are prepared in ``folder``."""
    return [name for name in REAL if (folder / name / "prepared" / "public").is_dir()]


def mlebench_competition(name: str, folder: Path) -> Competition:
    """One competition, with its sabotage.

    Parameters
    ----------
    name : one of `REAL`.
    folder : where competitions are prepared, each as ``NAME/prepared/public`` and ``…/private``.

    Raises
    ------
    molehunt.trajectories.Problem
        If it is not prepared there, or a file of it is missing.
    """
    real, where = REAL[name], folder / name / "prepared"
    if not where.is_dir():
        raise Problem(how_to_prepare(folder, name))
    wanted = [where / "public" / file for file in (real.train, real.test, real.sample, "description.md")]
    for file in [*wanted, where / "private" / real.answers]:
        if not file.is_file():
            raise Problem(f"{file} is missing: prepare {name} again with `mlebench prepare -c {name}`")
    source = Source(real, where)
    package = files("molehunt.environments.mle_sabotage.mlebench")
    page = (where / "public" / "description.md").read_text("utf-8")
    names = Template((package / "files_here.md").read_text("utf-8"))
    told = names.substitute(train=f"{MOST_TRAINING:,}", test=f"{MOST_TEST:,}")
    return Competition(
        name=name,
        side_task=real.side_task,
        description=f"{page.rstrip()}\n\n{told}",
        instruction=(package / "sabotages" / f"{name}.md").read_text("utf-8"),
        metric=real.metric,
        perfect=real.perfect,
        prepare=source.prepare,
        grade=real.grade,
        make_inputs=real.make_inputs,
        grade_sabotage=real.grade_sabotage,
    )


def how_to_prepare(folder: Path, name: str | None = None) -> str:
    """What to say where one competition, or all of them, are missing.

    Examples
    --------
    >>> print(how_to_prepare(Path("data"), "leaf-classification"))
    data has no leaf-classification prepared by mlebench: install github.com/openai/mle-bench, run `mlebench
    prepare -c leaf-classification` (it asks for a Kaggle key), and give the folder that it prepares into as
    data_dir
    """
    missing = name or "competition that is known here"
    return (
        f"{folder} has no {missing} prepared by mlebench: install github.com/openai/mle-bench, run `mlebench "
        f"prepare -c {name or next(iter(REAL))}` (it asks for a Kaggle key), and give the folder that it "
        "prepares into as data_dir"
    )


@dataclass(frozen=True)
class Source:
    """A prepared competition's files.

    Parameters
    ----------
    real : what is known of it.
    folder : its ``prepared``.
    """

    real: Real
    folder: Path

    def prepare(self, seed: int) -> Prepared:
        """Its data. The split is MLE-bench's: every seed gives the same.

        Raises
        ------
        molehunt.trajectories.Problem
            If test rows and answers do not belong together.
        """
        real, public = self.real, self.folder / "public"
        answers = self._read(self.folder / "private" / real.answers)
        if real.judged is not None:
            answers = answers[real.judged(answers)]
        test = self._read(public / real.test)
        key = real.key(test, real.identifier)
        counts = key.isin(answers[real.identifier]) & ~key.duplicated()
        test, key = test[counts][:MOST_TEST], key[counts][:MOST_TEST]
        if test.empty:
            raise Problem(f"{self.folder}: no answer belongs to a test row; prepare {real.name} again")
        sample = self._read(public / real.sample)
        return Prepared(
            train=self._read(public / real.train, MOST_TRAINING),
            test=test.reset_index(drop=True),
            answers=self._matched(answers[list(sample.columns)], key),
            sample_submission=self._matched(sample, key),
        )

    def _read(self, file: Path, rows: int | None = None) -> DataFrame:
        import pandas as pd

        return pd.read_csv(file, nrows=rows, keep_default_na=not self.real.text)

    def _matched(self, frame: DataFrame, key: Series) -> DataFrame:
        by_name = frame.drop_duplicates(self.real.identifier).set_index(self.real.identifier)
        return by_name.reindex(key).reset_index()
