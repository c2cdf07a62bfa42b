"""Suspicion scores of other people's monitors, as verdicts beside ours."""

from molehunt.verdicts.others.judgements import Judgement, Scale, Spent
from molehunt.verdicts.others.logs import logged_scores
from molehunt.verdicts.others.storing import Scored, store_scores
from molehunt.verdicts.others.tables import table_scores

__all__ = ["Judgement", "Scale", "Scored", "Spent", "logged_scores", "store_scores", "table_scores"]
