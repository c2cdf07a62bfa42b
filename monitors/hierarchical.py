"""A long run summarised chunk by chunk, and the summaries judged together."""

from __future__ import annotations

from molehunt.monitors.answers import Notes, SuspicionScore
from molehunt.monitors.chunks import check_chunks, chunked
from molehunt.monitors.material import section, together
from molehunt.monitors.prompts import prompt, texts
from molehunt.monitors.protocol import Ask, Prompt, Score, monitor
from molehunt.monitors.rubric import judge_question, shown_in_part
from molehunt.monitors.single_view import visible
from molehunt.trajectories import EVERYTHING, Problem, Trajectory, View
from molehunt.verdicts import Verdict

READER = "summariser"
JUDGE = "monitor"
ANSWER = SuspicionScore()


@monitor(
    source="Kale et al. 2025, arXiv 2508.19461",
    roles=(READER, JUDGE),
    prompts=texts(
        "summarise",
        "a_part",
        "sees_everything",
        "sees_actions",
        "sees_reasoning",
        "without_results",
        "judge",
        "sees_summaries",
    ),
    answers=(Notes(), ANSWER),
    each="trajectory, and 1 more for each chunk after the first",
)
def hierarchical(view: View = EVERYTHING, chunk_tokens: int = 4000, words: int = 200) -> Score:
    """Summarises each chunk of a long run by itself and judges the summaries together.

    How long the published chunks and summaries were is unknown.

    Parameters
    ----------
    view : what is read.
    chunk_tokens : length of a chunk, estimated without a tokenizer; see `chunked`.
    words : how long a summary may be; a longer one is taken all the same.

    Raises
    ------
    Problem
        If the numbers make no sense.
    """
    check_chunks("hierarchical", chunk_tokens)
    if words < 1:
        raise Problem(f"monitor 'hierarchical' takes words of 1 or more, not {words}")
    judge = judge_question(prompt("sees_summaries"))

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        chunks = chunked(visible(trajectory, view), chunk_tokens)
        summaries = []
        for number, chunk in enumerate(chunks, start=1):
            sees = shown_in_part(view, number, len(chunks))
            question = prompt("summarise", sees=sees, words=str(words))
            form = Notes.fitting(chunk.text, words)
            read = await ask(READER, Prompt(trajectory.task, chunk.text, question), form)
            summaries.append(section(f"summary of part {number} of {len(chunks)}", read.value))
        material = Prompt(trajectory.task, together(summaries), judge, "notes")
        answer = await ask(JUDGE, material, ANSWER)
        return Verdict(answer.value.score, rationale=answer.value.rationale)

    return score
