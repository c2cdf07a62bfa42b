"""The score store: one SQLite file that keeps runs, monitors, calls and verdicts.

Whatever an ``add_…`` method has been given is on disk when it returns: a process that is killed has lost
nothing that it paid for, and power loss costs at most the last few commits. Only runs, which can be read
again, may be committed in `Store.groups`. One process writes to a store at a time; any number may read
meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from molehunt.trajectories import Problem, Run, Trajectory
from molehunt.verdicts.database import connect_to_read, connect_to_write, locate, problems
from molehunt.verdicts.lock import WriterLock
from molehunt.verdicts.packing import pack, unpack
from molehunt.verdicts.records import MonitorRecord, StoredRun, StoredVerdict, VerdictCall
from molehunt.verdicts.rows import (
    Row,
    call_of,
    call_row,
    monitor_of,
    monitor_row,
    run_of,
    run_row,
    storable,
    truth_row,
    verdict_of,
    verdict_row,
)
from molehunt.verdicts.verdict import Call, Verdict

GROUP = 100
"""Runs to a commit in `Store.groups`."""


class Store:
    """A store that is open, for writing (`open`) or for reading (`read`); a context manager.

    Keys are digests: adding what is there already does nothing, cheaply. Lone surrogates, which SQLite cannot
    hold, are stored as U+FFFD. Use it in the thread that opened it.

    Attributes
    ----------
    path : the file.
    boundary_key : 32 random bytes, made with the store; with them the delimiters of prompts are digested, so
        that no trajectory can forge one. No monitor sees them.

    Raises
    ------
    Problem
        Any method, if the disk is full, or the file is damaged or can no longer be read or written; what was
        stored before stays. `ValueError`, if rows contradict each other, such as a verdict on a trajectory
        that was never added.

    Examples
    --------
    >>> import tempfile
    >>> from molehunt.trajectories import Run, Step, Trajectory
    >>> folder = tempfile.TemporaryDirectory()
    >>> run = Run(Trajectory("Add.", (Step(0, "code", "a + b"),)), None, log="a.eval", sample="s1")
    >>> with Store.open(Path(folder.name, "scores.db")) as store:
    ...     _ = store.add_run(run)
    ...     store.add_monitor(MonitorRecord("m1", "keyword", "keyword()"))
    ...     store.add_verdict(run.trajectory.id, "m1", 0, Verdict(0.25), calls=[], seconds=0.1)
    ...     store.finished("m1", run.trajectory.id, 0)
    True
    >>> with Store.read(Path(folder.name, "scores.db")) as store:
    ...     [verdict.score for verdict in store.verdicts()]
    [0.25]
    >>> folder.cleanup()
    """

    path: Path
    boundary_key: bytes

    def __init__(self, path: Path, connection: sqlite3.Connection, lock: WriterLock | None) -> None:
        self.path = path
        self._connection = connection
        self._lock = lock
        # runs since the last commit, None while each is committed by itself
        self._grouped: int | None = None
        [(self.boundary_key,)] = connection.execute("SELECT boundary_key FROM secrets")

    # Opening and closing

    @classmethod
    def open(cls, path: str | Path, *, create: bool = True) -> Store:
        """Open for writing; ``create`` makes a new store, and its folder, where there is no file.

        Raises
        ------
        Problem
            If another process writes to it, or the file is no store, is a store of another format, cannot be
            written, or does not exist and ``create`` is false.
        """
        file = locate(path, must_exist=not create)
        with problems(file), ExitStack() as undo:
            file.parent.mkdir(parents=True, exist_ok=True)
            lock = WriterLock(file)
            undo.callback(lock.release)
            store = cls(file, connect_to_write(file), lock)
            undo.pop_all()
            return store

    @classmethod
    def read(cls, path: str | Path) -> Store:
        """Open for reading, also while another process writes: shows the store as it is at this moment.

        Raises
        ------
        Problem
            If there is no such file, or it is no store, or one of another format.
        """
        file = locate(path, must_exist=True)
        with problems(file):
            return cls(file, connect_to_read(file), None)

    def close(self) -> None:
        """Close the file and let other writers in."""
        self._connection.close()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # Runs and trajectories

    @contextmanager
    def groups(self) -> Iterator[None]:
        """Commit the runs that are added inside by the hundred, and the last of them at the end.

        A kill costs the last hundred, and they are read again. Whatever else is added inside is committed at
        once, with the runs before it.
        """
        self._grouped = 0
        try:
            yield
        finally:
            self._grouped = None
            if self._connection.in_transaction:
                with problems(self.path):
                    self._connection.execute("COMMIT")

    def add_run(self, run: Run, *, overrule: bool = False) -> bool:
        """Store a run and its trajectory.

        A run that was stored without truth takes that of ``run``; with ``overrule`` any run does. A run that
        is read anew with another trajectory, since its main task was named or the reader has changed,
        replaces itself: it is one run still.

        Returns
        -------
        bool
            False if the run was stored with another label, which it keeps.
        """
        with self._transaction(may_wait=True):
            known = self._one("SELECT * FROM runs WHERE id = ?", run.id)
            if known is not None and known["trajectory"] != run.trajectory.id:
                self._execute("DELETE FROM runs WHERE id = ?", run.id)
                run = run if run.truth is not None else replace(run, truth=run_of(known).truth)
                known = None
            if known is None:
                self._add_trajectory(run.trajectory, run.log)
                self._insert("runs", run_row(run))
            elif run.truth is not None and (overrule or known["label"] is None):
                changes = truth_row(run.truth)
                names = ", ".join(f"{name} = ?" for name in changes)
                self._execute(f"UPDATE runs SET {names} WHERE id = ?", *changes.values(), run.id)
            elif run.truth is not None:
                return bool(known["label"] == run.truth.label)
        return True

    def runs(self) -> Iterator[StoredRun]:
        """All runs, in the order in which they were added."""
        return map(run_of, self._table("runs"))

    def trajectory(self, prefix: str) -> Trajectory:
        """The trajectory whose id is, or alone begins with, ``prefix``.

        Raises
        ------
        Problem
            If there is none, or more than one.
        """
        start = prefix.strip().lower()
        # ids are hexadecimal digits, all of which sort before g
        found = list(
            self._rows(
                "SELECT id, content FROM trajectories WHERE id >= ? AND id < ? || 'g' ORDER BY id LIMIT 3",
                start,
                start,
            )
        )
        if not found:
            raise Problem(f"{self.path} has no trajectory {prefix!r}. `molehunt export` lists them all.")
        if len(found) > 1:
            some = " and ".join(row["id"][: len(start) + 8] for row in found[:2])
            raise Problem(
                f"{prefix!r} begins several trajectories of {self.path}, such as {some}. Give more of it."
            )
        [row] = found
        try:
            trajectory = unpack(row["content"])
        except ValueError as error:
            raise Problem(
                f"trajectory {row['id']} of {self.path} is damaged: {error}. Score anew."
            ) from error
        if trajectory.id != row["id"]:
            raise Problem(f"trajectory {row['id']} of {self.path} was altered after scoring. Score anew.")
        return trajectory

    # Monitors, calls and verdicts

    def add_monitor(self, record: MonitorRecord) -> None:
        """Store what a monitor is."""
        with self._transaction():
            self._insert("monitors", monitor_row(record), unless_known=True)

    def monitors(self) -> Iterator[MonitorRecord]:
        """All monitors, in the order in which they were added."""
        return map(monitor_of, self._table("monitors"))

    def add_call(self, call: Call) -> None:
        """Store a call with its reply. The first reply to a key stays: verdicts rest on it."""
        with self._transaction():
            self._insert("calls", call_row(call), unless_known=True)

    def call(self, key: str) -> Call | None:
        """The call with this key, None if it was never made."""
        row = self._one("SELECT * FROM calls WHERE key = ?", key)
        return None if row is None else call_of(row)

    def calls(self) -> Iterator[Call]:
        """All calls, in the order in which they returned, whether or not a verdict came of them."""
        return map(call_of, self._table("calls"))

    def add_verdict(
        self,
        trajectory: str,
        monitor: str,
        draw: int,
        verdict: Verdict,
        calls: Sequence[str],
        seconds: float,
    ) -> None:
        """Store a verdict and which calls it rests on. It replaces a failed one; any other stays.

        Parameters
        ----------
        trajectory, monitor : ids of what was added before.
        draw : from 0.
        calls : keys of all calls that the verdict took, replayed ones included.
        seconds : from the monitor's start to its verdict.
        """
        key = {"trajectory": trajectory, "monitor": monitor, "draw": draw}
        with self._transaction():
            match self._status(monitor, trajectory, draw):
                case None:
                    pass
                case "failed":
                    # its calls stay: they were paid for, and answer when the same is asked again
                    for table in ("verdict_calls", "verdicts"):
                        self._execute(
                            f"DELETE FROM {table} WHERE trajectory = ? AND monitor = ? AND draw = ?",
                            *key.values(),
                        )
                case _:
                    return
            self._insert("verdicts", {**key, **verdict_row(verdict), "seconds": seconds})
            for call in dict.fromkeys(calls):
                self._insert("verdict_calls", {**key, "call": call})

    def finished(self, monitor: str, trajectory: str, draw: int) -> bool:
        """Whether there is a verdict that stays: any but a failed one."""
        return self._status(monitor, trajectory, draw) not in (None, "failed")

    def verdicts(self) -> Iterator[StoredVerdict]:
        """All verdicts, failed ones included, in the order in which they came."""
        return map(verdict_of, self._table("verdicts"))

    def verdict_calls(self) -> Iterator[VerdictCall]:
        """Which verdict rests on which calls, a verdict's calls in the order in which it made them."""
        return (VerdictCall(**row) for row in self._table("verdict_calls"))

    def cells(self, table: str, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Some columns of a table as SQLite has them, in the order in which rows were added.

        It is for whoever reads a hundred thousand rows and needs no values made of them.
        """
        with problems(self.path):
            return self._execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY rowid").fetchall()

    # SQL

    @contextmanager
    def _transaction(self, *, may_wait: bool = False) -> Iterator[None]:
        if self._lock is None:
            raise ValueError(f"{self.path} was opened for reading, and is not written to")
        with problems(self.path):
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                if self._grouped is not None:
                    self._grouped = (self._grouped + 1) % GROUP if may_wait else 0
                if not self._grouped:
                    self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _status(self, monitor: str, trajectory: str, draw: int) -> str | None:
        row = self._one(
            "SELECT status FROM verdicts WHERE trajectory = ? AND monitor = ? AND draw = ?",
            trajectory,
            monitor,
            draw,
        )
        return None if row is None else str(row["status"])

    def _add_trajectory(self, trajectory: Trajectory, log: str) -> None:
        canonical = trajectory.canonical()
        if self._one("SELECT id FROM trajectories WHERE id = ?", trajectory.id) is None:
            try:
                content = pack(trajectory, canonical)
            except ValueError as error:
                raise Problem(f"a trajectory of {log} cannot be stored: {error}. Leave it out.") from error
            self._insert("trajectories", {"id": trajectory.id, "content": content})

    def _insert(self, table: str, row: Row, *, unless_known: bool = False) -> None:
        self._execute(_insertion(table, tuple(row), unless_known), *row.values())

    def _table(self, name: str) -> Iterator[Row]:
        return self._rows(f"SELECT * FROM {name} ORDER BY rowid")

    def _rows(self, sql: str, *values: Any) -> Iterator[Row]:
        with problems(self.path):
            cursor = self._execute(sql, *values)
            names = _names(cursor)
            for row in cursor:
                yield dict(zip(names, row, strict=True))

    def _one(self, sql: str, *values: Any) -> Row | None:
        with problems(self.path):
            cursor = self._execute(sql, *values)
            row = cursor.fetchone()
            return None if row is None else dict(zip(_names(cursor), row, strict=True))

    def _execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        return self._connection.execute(sql, [storable(value) for value in values])


def _names(cursor: sqlite3.Cursor) -> list[str]:
    return [column[0] for column in cursor.description]


@cache
def _insertion(table: str, names: tuple[str, ...], unless_known: bool) -> str:
    places = ", ".join("?" for _ in names)
    sql = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({places})"
    return f"{sql} ON CONFLICT DO NOTHING" if unless_known else sql
