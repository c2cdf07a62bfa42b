"""The published hybrid for long runs: half the hierarchical monitor's score, half the sequential one's."""

from __future__ import annotations

from molehunt.monitors.hierarchical import hierarchical
from molehunt.monitors.hybrid import weighed
from molehunt.monitors.protocol import Monitor, Score, monitor
from molehunt.monitors.sequential import sequential

HIERARCHICAL = hierarchical()
SEQUENTIAL = sequential()


@monitor(source="Kale et al. 2025, arXiv 2508.19461", each="trajectory, and 2 more for each further chunk")
def hierarchical_sequential(
    weight: float = 0.5, first: Monitor = HIERARCHICAL, second: Monitor = SEQUENTIAL
) -> Score:
    """Weighs summaries against running notes: 0.5 × hierarchical + 0.5 × sequential.

    As `hybrid`, it asks what its parts ask and nothing else, and is unscored if one of them is.

    Parameters
    ----------
    weight : of the first monitor's score, in [0, 1]; the second's is the rest.
    first, second : the two whose scores are weighed.

    Raises
    ------
    Problem
        If the weight is outside [0, 1].
    """
    return weighed("hierarchical_sequential", weight, first, second)
