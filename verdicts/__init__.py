"""Verdicts of monitors, the store that keeps them, and the dated prices that turn tokens into dollars."""

from molehunt.verdicts.records import MonitorRecord, StoredRun, StoredVerdict, VerdictCall
from molehunt.verdicts.store import Store
from molehunt.verdicts.verdict import STATUSES, Call, Excerpt, Look, Match, Status, Tokens, Verdict

__all__ = [
    "STATUSES",
    "Call",
    "Excerpt",
    "Look",
    "Match",
    "MonitorRecord",
    "Status",
    "Store",
    "StoredRun",
    "StoredVerdict",
    "Tokens",
    "Verdict",
    "VerdictCall",
]
