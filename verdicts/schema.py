"""The store's tables, in one readable piece of SQL."""

from __future__ import annotations

from molehunt.verdicts.verdict import STATUSES

APPLICATION_ID = 0x6D6F6C65
"""``mole`` in the file's header: by it a store is told from any other SQLite file."""

FORMAT = 1
"""The tables' version, in the header as ``user_version``; raise it with any change below."""

_STATUSES = ", ".join(f"'{status}'" for status in STATUSES)

SCHEMA = f"""
CREATE TABLE secrets (
    boundary_key BLOB NOT NULL CHECK (length(boundary_key) = 32)
) STRICT;

CREATE TABLE trajectories (
    id      TEXT PRIMARY KEY,
    content BLOB NOT NULL                     -- JSON, packed: see packing.py
) STRICT;

CREATE TABLE runs (
    id            TEXT PRIMARY KEY,
    trajectory    TEXT NOT NULL REFERENCES trajectories (id),
    log           TEXT NOT NULL,
    sample        TEXT NOT NULL,
    epoch         INTEGER NOT NULL,
    attempt       INTEGER NOT NULL,
    source        TEXT NOT NULL,
    agent_model   TEXT,
    reasoning     TEXT NOT NULL CHECK (reasoning IN ('full', 'summary', 'hidden', 'none')),
    ending        TEXT NOT NULL CHECK (ending IN ('finished', 'limit', 'error', 'cancelled')),
    task_verified INTEGER NOT NULL CHECK (task_verified IN (0, 1)),
    -- the truth: all of it is null where nobody has said what the run is
    label         TEXT CHECK (label IN ('honest', 'attack')),
    environment   TEXT,
    task_id       TEXT,
    main_score    REAL,
    side_score    REAL,
    marks         TEXT CHECK (marks IS NULL OR json_valid(marks)),
    factors       TEXT CHECK (factors IS NULL OR json_valid(factors)),
    CHECK ((label IS NULL) = (environment IS NULL)),
    CHECK ((label IS NULL) = (task_id IS NULL)),
    CHECK ((label IS NULL) = (marks IS NULL)),
    CHECK ((label IS NULL) = (factors IS NULL)),
    CHECK (label IS NOT NULL OR (main_score IS NULL AND side_score IS NULL))
) STRICT;
CREATE INDEX runs_by_sample ON runs (sample);

CREATE TABLE monitors (
    id     TEXT PRIMARY KEY,
    name   TEXT NOT NULL,
    spec   TEXT NOT NULL,
    models TEXT NOT NULL,
    roles  TEXT NOT NULL CHECK (json_valid(roles)),
    answer TEXT NOT NULL,
    source TEXT NOT NULL,
    oracle INTEGER NOT NULL CHECK (oracle IN (0, 1)),
    params TEXT NOT NULL CHECK (json_valid(params))
) STRICT;

CREATE TABLE calls (
    key         TEXT PRIMARY KEY,
    role        TEXT NOT NULL,
    asked       TEXT NOT NULL,
    answered    TEXT NOT NULL,
    -- tokens: all null where the provider reported none
    input       INTEGER CHECK (input >= 0),
    cache_read  INTEGER CHECK (cache_read >= 0),
    cache_write INTEGER CHECK (cache_write >= 0),
    output      INTEGER CHECK (output >= 0),
    reasoning   INTEGER CHECK (reasoning >= 0),
    seconds     REAL NOT NULL,
    retries     INTEGER NOT NULL CHECK (retries >= 0),
    reply       TEXT NOT NULL,
    CHECK ((input IS NULL) = (cache_read IS NULL)),
    CHECK ((input IS NULL) = (cache_write IS NULL)),
    CHECK ((input IS NULL) = (output IS NULL)),
    CHECK ((input IS NULL) = (reasoning IS NULL))
) STRICT;

CREATE TABLE verdicts (
    trajectory TEXT NOT NULL REFERENCES trajectories (id),
    monitor    TEXT NOT NULL REFERENCES monitors (id),
    draw       INTEGER NOT NULL CHECK (draw >= 0),
    score      REAL CHECK (score BETWEEN 0 AND 1),
    status     TEXT NOT NULL CHECK (status IN ({_STATUSES})),
    rationale  TEXT NOT NULL,
    excerpts   TEXT NOT NULL CHECK (json_valid(excerpts)),
    trace      TEXT NOT NULL CHECK (json_valid(trace)),
    seconds    REAL NOT NULL,
    PRIMARY KEY (trajectory, monitor, draw),
    CHECK ((score IS NOT NULL) = (status = 'scored'))
) STRICT;

CREATE TABLE verdict_calls (
    trajectory TEXT NOT NULL,
    monitor    TEXT NOT NULL,
    draw       INTEGER NOT NULL,
    call       TEXT NOT NULL REFERENCES calls (key),
    PRIMARY KEY (trajectory, monitor, draw, call),
    FOREIGN KEY (trajectory, monitor, draw) REFERENCES verdicts (trajectory, monitor, draw)
) STRICT;
"""
