"""Extract-and-evaluate: an extractor that quotes, a check of its quotes, an evaluator that judges them."""

from molehunt.monitors.eae.chunked import eae_chunked
from molehunt.monitors.eae.matching import match_quotes
from molehunt.monitors.eae.monitor import eae
from molehunt.monitors.eae.side_by_side import eae_views
from molehunt.monitors.eae.summaries import eae_summaries

__all__ = ["eae", "eae_chunked", "eae_summaries", "eae_views", "match_quotes"]
