"""Stores put together into one, and a piece of one taken out: how scoring is spread over machines."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from molehunt.trajectories import Problem
from molehunt.trajectories.wording import count
from molehunt.verdicts.database import attach, connect_to_read, connect_to_write, locate, problems
from molehunt.verdicts.lock import WriterLock

DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_TRUTH = ("label", "environment", "task_id", "main_score", "side_score", "marks", "factors")
_VERDICT = "trajectory, monitor, draw"


@dataclass(frozen=True)
class Merged:
    """What `merge` added to a store.

    Parameters
    ----------
    store : the file.
    runs, trajectories, verdicts, calls : that were not in it before; a verdict that takes the place of a
        failed one is counted.
    notes : where two stores contradict each other and which of them was followed, a line each.
    """

    store: Path
    runs: int
    trajectories: int
    verdicts: int
    calls: int
    notes: tuple[str, ...] = ()


def merge(stores: Sequence[str | Path], out: str | Path) -> Merged:
    """Add all that some stores hold to ``out``, which is made if it is not there.

    What is there already is not added again: the same run, call or verdict in several stores is one. So the
    same merge may be repeated, and shards may be merged while they are being scored, and again when they are
    done. Each store comes in whole or, if the process is killed or the disk is full, not at all.

    Where two stores contradict each other, that counts which was there first, ``out`` before all; a failed
    verdict gives way to any other, and a run without truth takes it from wherever it is known.

    Parameters
    ----------
    stores : files, which are only read.
    out : a store, old or new. A new one takes over the first one's key for delimiters, so that its calls
        answer the same questions when it is scored into.

    Raises
    ------
    Problem
        If a store is missing, is none, has another format or is ``out`` itself, or if another process
        writes to ``out``.

    Examples
    --------
    >>> import tempfile
    >>> from molehunt.verdicts import Call, Store
    >>> folder = tempfile.TemporaryDirectory()
    >>> shards = [Path(folder.name, name) for name in ("1.db", "2.db")]
    >>> for number, shard in enumerate(shards):
    ...     with Store.open(shard) as store:
    ...         store.add_call(Call(f"k{number}", "monitor", "openai/a", "a", None, 0.1))
    >>> merge(shards, Path(folder.name, "all.db")).calls
    2
    >>> merge(shards, Path(folder.name, "all.db")).calls
    0
    >>> folder.cleanup()
    """
    target = locate(out, must_exist=False)
    sources = list(dict.fromkeys(locate(store, must_exist=True) for store in stores))
    if not sources:
        raise Problem("there is nothing to merge. Name one store or more.")
    if target in sources:
        raise Problem(f"{target} is to be merged into itself. Name another file for the result.")
    for source in sources:  # before there is a new store: one of some of them might pass for one of all
        with problems(source):
            connect_to_read(source).close()
    counts = dict.fromkeys(("trajectories", "runs", "calls", "verdicts"), 0)
    notes: list[str] = []
    came_in: list[Path] = []
    with ExitStack() as stack:
        with problems(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            stack.callback(WriterLock(target).release)
            if not target.exists():  # an empty store might pass for one of them all
                stack.callback(lambda: None if came_in else _remove(target))
            connection = stack.enter_context(closing(connect_to_write(target)))
        for source in sources:
            with _blaming(source, target), attach(connection, source), _whole(connection):
                notes += _contradictions(connection, source, target)
                for table, added in _take_over(connection).items():
                    counts[table] += added
            came_in.append(source)
    return Merged(target, **counts, notes=tuple(notes))


def take_part(store: Path, trajectories: Collection[str], calls: Collection[str], out: Path) -> None:
    """Write a new store with what is needed to score some trajectories elsewhere; verdicts stay behind.

    Parameters
    ----------
    store : from which it is taken.
    trajectories : ids.
    calls : keys of calls that no verdict rests on, and that may answer what is asked about them; those that
        verdicts on these trajectories rest on come along anyway.
    out : a file that does not exist.
    """
    with ExitStack() as stack:
        stack.enter_context(problems(out))
        connection = stack.enter_context(closing(connect_to_write(out)))
        stack.enter_context(attach(connection, store))
        stack.enter_context(_whole(connection))
        _share_key(connection)
        connection.execute("CREATE TEMP TABLE wanted (id TEXT PRIMARY KEY)")
        connection.executemany("INSERT INTO wanted VALUES (?)", [(one,) for one in trajectories])
        connection.execute("CREATE TEMP TABLE loose (key TEXT PRIMARY KEY)")
        connection.executemany("INSERT INTO loose VALUES (?)", [(one,) for one in calls])
        _copy(connection, "trajectories", "id IN wanted")
        _copy(connection, "monitors")
        linked = "SELECT call FROM other.verdict_calls WHERE trajectory IN wanted"
        _copy(connection, "calls", f"key IN loose OR key IN ({linked})")


def loose_calls(store: Path) -> list[str]:
    """Keys of the calls that no verdict rests on: paid for by a run that ended before it could conclude."""
    with problems(store), closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT key FROM calls EXCEPT SELECT call FROM verdict_calls")
        return [key for (key,) in rows]


def _remove(store: Path) -> None:
    for part in ("", "-wal", "-shm"):
        store.with_name(f"{store.name}{part}").unlink(missing_ok=True)


@contextmanager
def _blaming(source: Path, target: Path) -> Iterator[None]:
    """Say which of two files it is that something is wrong with."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise Problem(f"{source} holds rows that contradict each other: {error}. Leave it out.") from error
    except sqlite3.DatabaseError as error:
        damaged = getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED
        with problems(source if damaged else target):
            raise


@contextmanager
def _whole(connection: sqlite3.Connection) -> Iterator[None]:
    """All that happens within, or nothing of it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _take_over(connection: sqlite3.Connection) -> dict[str, int]:
    """Copy every table of the attached store, and count what was new."""
    if not _number(connection, "SELECT EXISTS (SELECT 1 FROM main.calls)"):
        _share_key(connection)
    added = {"trajectories": _copy(connection, "trajectories"), "runs": _copy(connection, "runs")}
    truth = ", ".join(f"{name} = o.{name}" for name in _TRUTH)
    connection.execute(
        f"UPDATE main.runs SET {truth} FROM other.runs AS o "
        "WHERE o.id = main.runs.id AND main.runs.label IS NULL AND o.label IS NOT NULL"
    )
    _copy(connection, "monitors")
    added["calls"] = _copy(connection, "calls")
    connection.execute(
        f"CREATE TEMP TABLE taken AS SELECT {_VERDICT} FROM other.verdicts AS o "
        f"LEFT JOIN (SELECT {_VERDICT}, status AS known FROM main.verdicts) USING ({_VERDICT}) "
        "WHERE known IS NULL OR (known = 'failed' AND o.status != 'failed')"
    )
    taken = f"({_VERDICT}) IN (SELECT {_VERDICT} FROM taken)"
    for table in ("verdict_calls", "verdicts"):
        connection.execute(f"DELETE FROM main.{table} WHERE {taken}")
    added["verdicts"] = _copy(connection, "verdicts", taken)
    _copy(connection, "verdict_calls", taken)
    connection.execute("DROP TABLE taken")
    return added


def _share_key(connection: sqlite3.Connection) -> None:
    connection.execute("UPDATE main.secrets SET boundary_key = (SELECT boundary_key FROM other.secrets)")


def _copy(connection: sqlite3.Connection, table: str, which: str = "true") -> int:
    """Add the rows of the attached store that are new; how many there were."""
    mine, theirs = (
        [name for _, name, *_ in connection.execute(f"PRAGMA {whose}.table_info({table})")]
        for whose in ("main", "other")
    )
    # a store of an older format lacks columns, which then have what the schema says
    names = ", ".join(name for name in mine if name in theirs)
    cursor = connection.execute(
        f"INSERT INTO main.{table} ({names}) SELECT {names} FROM other.{table} WHERE {which} "
        "ORDER BY rowid ON CONFLICT DO NOTHING"
    )
    return cursor.rowcount


def _contradictions(connection: sqlite3.Connection, source: Path, target: Path) -> Iterator[str]:
    """A line for each kind of disagreement between the attached store and the one that it comes into."""

    def differing(table: str, key: str, names: Sequence[str], which: str = "true") -> int:
        mine, theirs = (", ".join(f"{whose}.{name}" for name in names) for whose in "mo")
        return _number(
            connection,
            f"SELECT count(*) FROM main.{table} AS m JOIN other.{table} AS o USING ({key}) "
            f"WHERE ({mine}) IS NOT ({theirs}) AND {which}",
        )

    kept = "than in what came before it, which is kept"
    if number := differing("runs", "id", _TRUTH, "m.label IS NOT NULL AND o.label IS NOT NULL"):
        yield (
            f"{count(number, 'run')} with another truth in {source} {kept}; "
            f"`molehunt score … --store {target} --truth labels.csv` corrects it"
        )
    if number := differing("runs", "id", ["trajectory"]):
        yield f"{count(number, 'run')} read as another trajectory in {source} {kept}"
    finished = "m.status != 'failed' AND o.status != 'failed'"
    if number := differing("verdicts", _VERDICT, ["score", "status", "rationale"], finished):
        yield (
            f"{count(number, 'verdict')} with another outcome in {source} {kept}; the calls of both are paid "
            "for and counted"
        )
    if number := differing("calls", "key", ["reply"]):
        yield (
            f"{count(number, 'question')} paid for in {source} as well, with another answer {kept}; a bill "
            f"from {target} does not have them"
        )
    keys = "SELECT (SELECT boundary_key FROM main.secrets) IS NOT (SELECT boundary_key FROM other.secrets)"
    both = "SELECT EXISTS (SELECT 1 FROM main.calls) AND EXISTS (SELECT 1 FROM other.calls)"
    if _number(connection, both) and _number(connection, keys):
        yield (
            f"{source} was begun on its own: its verdicts and calls count, but its calls will not answer "
            "further monitors. Begin shards as copies of one store to have that"
        )


def _number(connection: sqlite3.Connection, sql: str) -> int:
    [(number,)] = connection.execute(sql)
    return int(number)
