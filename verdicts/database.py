"""The file beneath a store: found, made, recognised, and its faults put in words."""

from __future__ import annotations

import errno
import os
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from molehunt.trajectories import Problem
from molehunt.verdicts.schema import APPLICATION_ID, FORMAT, SCHEMA

SHORTEST_DATABASE = 512
"""Bytes of SQLite's smallest page."""


def locate(path: str | Path, *, must_exist: bool) -> Path:
    """The file that ``path`` means, behind links.

    Raises
    ------
    Problem
        If it is a folder, is too short for a database, or does not exist and must.
    """
    file = Path(path).resolve()
    if file.is_dir():
        raise Problem(f"{file} is a folder. Give the file of a store.")
    if must_exist and not file.exists():
        raise Problem(f"there is no store {file}. `molehunt score … --store {file}` makes one.")
    # SQLite writes over files too short for a database as if they were empty. (Their first bytes are not read
    # here: closing a file drops the locks that SQLite has on it in the same process.)
    if file.exists() and 0 < file.stat().st_size < SHORTEST_DATABASE:
        raise _not_a_store(file)
    return file


def connect_to_write(file: Path) -> sqlite3.Connection:
    """A connection to a store, which is made if the file is new."""
    with ExitStack() as undo:
        connection = _connect(file, "rwc")
        undo.callback(connection.close)
        # SQLite opens a file for reading only if it must, and would say so when the first reply was paid for
        if not os.access(file, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
        if _is_blank(connection):
            _make_tables(connection)
        _check_format(connection, file)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        undo.pop_all()
        return connection


def connect_to_read(file: Path) -> sqlite3.Connection:
    """A connection that sees one moment of a store, whoever writes meanwhile."""
    with ExitStack() as undo:
        connection = _connect(file, _reading_mode(file))
        undo.callback(connection.close)
        connection.execute("PRAGMA query_only = ON")
        # one snapshot for all tables, so that no verdict rests on a call that is not there
        connection.execute("BEGIN")
        _check_format(connection, file)
        undo.pop_all()
        return connection


@contextmanager
def attach(connection: sqlite3.Connection, file: Path) -> Iterator[None]:
    """Have a second store at hand in ``connection``, under the name ``other``, to read from.

    Raises
    ------
    Problem
        If it is no store, or one of another format.
    """
    with problems(file):
        connection.execute("ATTACH ? AS other", [f"{file.as_uri()}?mode={_reading_mode(file)}"])
    try:
        with problems(file):
            _check_format(connection, file, "other")
        yield
    finally:
        connection.execute("DETACH other")


@contextmanager
def problems(file: Path) -> Iterator[None]:
    """Say in one line what the file system and SQLite report by error number.

    Raises
    ------
    Problem
        For faults of the file, the disk or another program.
    ValueError
        For rows that contradict the schema.
    """
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise ValueError(f"{file} refuses a row: {error}") from error
    except sqlite3.ProgrammingError:
        raise
    except sqlite3.DatabaseError as error:
        raise _problem_of(error, file) from error
    except OSError as error:
        raise Problem(
            f"cannot open {error.filename or file}: {error.strerror}. Check its permissions and its folder's."
        ) from error


def _problem_of(error: sqlite3.DatabaseError, file: Path) -> Problem:
    # the low byte is the kind of error, the rest its variety
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_NOTADB:
            return _not_a_store(file)
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return Problem(
                f"{file} cannot grow: {error}. Free some space and run the same again; "
                "all that was stored before is kept."
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Problem(f"another program has {file} locked. Close it and run the same again.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return Problem(f"cannot open {file}: {error}. Check its permissions and its folder's.")
        case _:
            return Problem(f"{file} is damaged or cannot be used: {error}. Restore a copy, or score anew.")


def _connect(file: Path, mode: str) -> sqlite3.Connection:
    # autocommit: the store begins and ends its transactions by name
    return sqlite3.connect(f"{file.as_uri()}?mode={mode}", uri=True, isolation_level=None)


def _reading_mode(file: Path) -> str:
    # Whoever reads a write-ahead log, or a file that may get one, writes to a shared index beside it. In a
    # folder where that is impossible a file without a log can be read as what it is, one that nobody changes.
    log = file.with_name(file.name + "-wal")
    return "rw" if log.exists() or os.access(file.parent, os.W_OK) else "ro&immutable=1"


def _is_blank(connection: sqlite3.Connection) -> bool:
    """Whether it is a new file, or one whose maker was killed before the tables were committed."""
    [(tables,)] = connection.execute("SELECT count(*) FROM sqlite_master")
    return bool(tables == 0)


def _make_tables(connection: sqlite3.Connection) -> None:
    connection.executescript(
        f"BEGIN EXCLUSIVE; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT}; {SCHEMA}"
    )
    connection.execute("INSERT INTO secrets VALUES (?)", [secrets.token_bytes(32)])
    connection.execute("COMMIT")


def _check_format(connection: sqlite3.Connection, file: Path, name: str = "main") -> None:
    [(application,)] = connection.execute(f"PRAGMA {name}.application_id")
    [(version,)] = connection.execute(f"PRAGMA {name}.user_version")
    if application != APPLICATION_ID:
        raise _not_a_store(file)
    if version != FORMAT:
        raise Problem(
            f"{file} is a store of format {version}, and this molehunt writes format {FORMAT}. "
            "Use the molehunt that made it, or score into a new file."
        )


def _not_a_store(file: Path) -> Problem:
    return Problem(f"{file} is not a score store of molehunt. Give the file that `molehunt score` wrote.")
