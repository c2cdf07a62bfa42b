"""Extract-and-evaluate: an extractor that quotes, a check of its quotes, an evaluator that judges them."""

from molehunt.monitors.eae.matching import match_quotes
from molehunt.monitors.eae.monitor import eae

__all__ = ["eae", "match_quotes"]
