"""Extract-and-evaluate on long runs: an extractor for each chunk, one evaluator for all their excerpts."""

from __future__ import annotations

from molehunt.monitors.chunks import check_chunks, chunked
from molehunt.monitors.eae.extractor import Request
from molehunt.monitors.eae.pipeline import ANSWERS, PROMPTS, ROLES, SOURCE, Pipeline, Reading, Unmatched
from molehunt.monitors.prompts import texts
from molehunt.monitors.protocol import Ask, Score, monitor
from molehunt.trajectories import EVERYTHING, Trajectory, View, render
from molehunt.verdicts import Verdict


@monitor(
    source=f"{SOURCE}; in chunks",
    roles=ROLES,
    prompts=(*PROMPTS, *texts("a_part")),
    answers=ANSWERS,
    each="trajectory, and 1 more for each chunk after the first",
)
def eae_chunked(
    chunk_tokens: int = 16_000,
    overlap_tokens: int = 400,
    view: View = EVERYTHING,
    min_excerpts: int = 5,
    max_excerpts: int | None = None,
    unmatched: Unmatched = "drop",
    context_lines: int = 0,
    budget_tokens: int | None = None,
    attribute: bool = False,
) -> Score:
    """Extracts excerpts from each chunk of a long run and has all of them judged together.

    For runs beyond the extractor's window. The excerpts of all chunks are merged in trajectory order, those
    that overlap into one. A run that fits into one chunk is read and judged as `eae` does, by the same calls.

    Parameters
    ----------
    chunk_tokens : length of a chunk, estimated without a tokenizer; see `chunked`.
    overlap_tokens : how much of the end of a chunk the next begins with.
    view : what the extractor reads.
    min_excerpts, max_excerpts : how many excerpts of each chunk are asked for, see `eae`.
    unmatched, context_lines, attribute : see `eae`.
    budget_tokens : of the excerpts of all chunks together, see `eae`. Chunks take turns, so that what comes
        late in a run is not what is passed by.

    Raises
    ------
    Problem
        If the numbers make no sense.
    """
    check_chunks("eae_chunked", chunk_tokens, overlap_tokens)
    request = Request("eae_chunked", min_excerpts, max_excerpts, budget_tokens)
    pipeline = Pipeline(request, unmatched, context_lines, attribute)

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        chunks = chunked(render(trajectory, view), chunk_tokens, overlap_tokens)
        parts = len(chunks)
        readings = [
            Reading(chunk.text, chunk.rendering, request.question(view, number, parts, readers=parts))
            for number, chunk in enumerate(chunks, start=1)
        ]
        return await pipeline.verdict(ask, trajectory, readings)

    return score
