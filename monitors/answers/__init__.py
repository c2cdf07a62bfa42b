"""Forms of answer: how a model is asked to put what it found, and the strict reading of it.

Lenient readers have turned "N/A (0-10)" into the highest suspicion and refusals into the lowest; here an
answer either has the form that was asked for, in one place and once, or it is `Unreadable`.
"""

from molehunt.monitors.answers.checks import Checks, Ticks
from molehunt.monitors.answers.notes import Notes
from molehunt.monitors.answers.picks import Picks
from molehunt.monitors.answers.quoted import Quoted, QuotedSuspicion
from molehunt.monitors.answers.quotes import Quotes
from molehunt.monitors.answers.rating import Rating
from molehunt.monitors.answers.suspicion import Suspicion, SuspicionScore
from molehunt.monitors.answers.word import YesOrNo

__all__ = [
    "Checks",
    "Notes",
    "Picks",
    "Quoted",
    "QuotedSuspicion",
    "Quotes",
    "Rating",
    "Suspicion",
    "SuspicionScore",
    "Ticks",
    "YesOrNo",
]
