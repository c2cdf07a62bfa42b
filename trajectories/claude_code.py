"""Sessions of Claude Code: one JSON lines file a session, as they lie in ``~/.claude/projects``.

Each line is an entry: ``type`` is ``user`` or ``assistant`` for what belongs to the conversation, with one of
Anthropic's messages in ``message``, and many other things besides. An answer is spread over as many entries
as it has blocks; a session that is resumed may repeat entries, with their ``uuid``. Sub-agents stand in the
same file (``isSidechain``), or in ``SESSION/subagents/agent-*.jsonl``, or, in older versions, beside it as
``agent-*.jsonl`` with the same ``sessionId``; they are read with their session, in the order of their times.
The layout is documented nowhere; this follows ``inspect_swe._claude_code._events.models`` (inspect-swe 0.2).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from molehunt.trajectories.archives import Damaged
from molehunt.trajectories.beginnings import Beginning
from molehunt.trajectories.conversation import Conversation
from molehunt.trajectories.labels import TruthOptions
from molehunt.trajectories.lines import json_lines
from molehunt.trajectories.mapping import Tally
from molehunt.trajectories.records import Reading
from molehunt.trajectories.runs import Run
from molehunt.trajectories.unread import Unread

SOURCE = "claude_code"

_AGENT = "agent-"  # how the names of sub-agents' files begin
_USED = frozenset({"type", "message", "uuid", "sessionId", "timestamp", "isSidechain", "agentId"})
_SYNTHETIC = "<synthetic>"  # what the program itself says in an agent's place, of errors above all


def is_claude_code(beginning: Beginning) -> bool:
    """Whether a file's first entry is of a session."""
    record = beginning.record
    if not isinstance(record.get("type"), str):
        return False
    return bool({"sessionId", "leafUuid"} & record.keys()) or record["type"] == "file-history-snapshot"


def claude_code_runs(path: Path, options: TruthOptions, tally: Tally) -> Iterator[Run | Unread]:
    """Read a session as one run; the file of a sub-agent whose session lies beside it gives none.

    Yields
    ------
    Run or Unread
        The run, and an `Unread` for each line that cannot be read.

    Raises
    ------
    Damaged
        If the file cannot be read, or nothing in it was done by an agent.
    """
    if (session := _session_of(path)) is not None:
        tally.guess(f"it is a sub-agent's part of {session.name} and is read with it")
        return
    reading = Reading(path, options, tally, SOURCE)
    talk, seen = reading.talk(), _Seen()
    parts = [_entries(path, None), *(_entries(file, file.stem) for file in _agents_of(path))]
    for entry in heapq.merge(*parts, key=lambda one: one.time):
        if isinstance(entry.content, Damaged):
            yield Unread(str(entry.file), f"line {entry.line}", str(entry.content))
            continue
        try:
            _take(talk, entry, seen, tally)
        except Damaged as reason:
            yield Unread(str(entry.file), f"line {entry.line}", str(reason))
    known = {"sample": seen.session or None, "model": seen.model}
    yield reading.run(talk, {}, uses=(), known={name: said for name, said in known.items() if said})


@dataclass(frozen=True)
class _Entry:
    """A line of a session: ``time`` in seconds, never before that of the line before it."""

    file: Path
    line: int
    time: float
    agent: str | None
    content: dict[str, Any] | Damaged


@dataclass
class _Seen:
    """What has been learnt of a session so far."""

    session: str | None = None
    model: str | None = None
    start: float | None = None

    def __post_init__(self) -> None:
        self.entries: set[str] = set()


def _entries(path: Path, agent: str | None) -> Iterator[_Entry]:
    time = 0.0
    for number, value in json_lines(path):
        content = value if isinstance(value, dict | Damaged) else Damaged("is no JSON object")
        if isinstance(content, dict):
            time = max(time, _seconds(content.get("timestamp")) or time)
        yield _Entry(path, number, time, agent, content)


def _take(talk: Conversation, entry: _Entry, seen: _Seen, tally: Tally) -> None:
    content = entry.content
    assert isinstance(content, dict)
    kind, message = content.get("type"), content.get("message")
    if kind not in ("user", "assistant") or not isinstance(message, dict):
        tally.drop(f"entry of type {str(kind)[:40]!r}")
        return
    if isinstance(name := content.get("uuid"), str):
        if name in seen.entries:
            tally.drop("entry that is repeated")
            return
        seen.entries.add(name)
    if content.get("isMeta") or content.get("isCompactSummary") or message.get("model") == _SYNTHETIC:
        tally.drop("entry of the program's own")
        return
    tally.fields(content, _USED)
    if entry.agent is None and isinstance(content.get("sessionId"), str):
        seen.session = content["sessionId"]
    agent = entry.agent or _side_agent(content)
    if agent is not None and kind == "user" and not _has_result(message):
        tally.drop("prompt of a sub-agent, which its call has")
        return
    if kind == "assistant" and agent is None and isinstance(message.get("model"), str):
        seen.model = seen.model or message["model"]
    if entry.time and seen.start is None:
        seen.start = entry.time
    seconds = entry.time - seen.start if entry.time and seen.start is not None else None
    with talk.by(agent, seconds):
        talk.message({**message, "role": kind})


def _side_agent(content: dict[str, Any]) -> str | None:
    if not content.get("isSidechain"):
        return None
    return str(content.get("agentId") or "sub-agent")


def _has_result(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(
        isinstance(block, dict) and block.get("type") == "tool_result" for block in content
    )


def _agents_of(session: Path) -> list[Path]:
    """Files of the sub-agents of a session."""
    beside = session.with_suffix("") / "subagents"
    files = sorted(beside.glob(f"{_AGENT}*.jsonl")) if beside.is_dir() else []
    folder = session.parent
    old = _agents_beside(folder, folder.stat().st_mtime).get(session.stem, [])
    return [*files, *(file for file in old if file != session)]


@lru_cache(maxsize=4)
def _agents_beside(folder: Path, changed: float) -> dict[str, list[Path]]:
    """Sub-agents' files in a folder of sessions, by session; asked for anew for each of its many sessions."""
    files: dict[str, list[Path]] = {}
    for file in sorted(folder.glob(f"{_AGENT}*.jsonl")):
        if (session := _session_id(file)) is not None:
            files.setdefault(session, []).append(file)
    return files


def _session_of(path: Path) -> Path | None:
    """The file of the session that a sub-agent's file is part of, None if it is not there or not one."""
    if not path.name.startswith(_AGENT):
        return None
    if path.parent.name == "subagents":
        session = path.parent.parent.with_suffix(".jsonl")
    else:
        session = path.parent / f"{_session_id(path)}.jsonl"
    return session if session.is_file() else None


def _session_id(path: Path) -> str | None:
    try:
        name = Beginning.of(path).record.get("sessionId")
    except (OSError, Damaged):
        return None
    return name if isinstance(name, str) and name.replace("-", "").isalnum() else None


def _seconds(timestamp: Any) -> float | None:
    if not isinstance(timestamp, str):
        return None
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except (ValueError, OverflowError, OSError):  # what is no time, or none that the platform knows
        return None
