"""A long run read part by part, with notes that are carried along, and judged at its end."""

from __future__ import annotations

from molehunt.monitors.answers import Notes, SuspicionScore
from molehunt.monitors.chunks import check_chunks, chunked
from molehunt.monitors.material import section, together
from molehunt.monitors.prompts import prompt, texts
from molehunt.monitors.protocol import Ask, Prompt, Score, monitor
from molehunt.monitors.rubric import judge_question, shown_by, shown_in_part
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
        "take_notes",
        "a_part",
        "with_notes",
        "after_notes",
        "judge",
        "sees_everything",
        "sees_actions",
        "sees_reasoning",
        "without_results",
    ),
    answers=(Notes(), ANSWER),
    calls=1,
    each="chunk",
)
def sequential(view: View = EVERYTHING, chunk_tokens: int = 4000, words: int = 300) -> Score:
    """Reads a long run chunk by chunk with running notes, and judges the last chunk with the notes.

    The reader sees its notes on what came before and the next chunk, and writes the notes anew; the judge
    sees the notes and the last chunk as it stands. A run of one chunk is judged as `cot_action` judges it, by
    the same call. How long the published chunks and summaries were is unknown.

    Parameters
    ----------
    view : what is read.
    chunk_tokens : length of a chunk, estimated without a tokenizer; see `chunked`.
    words : how long the notes may be; longer ones are taken all the same.

    Raises
    ------
    Problem
        If the numbers make no sense.
    """
    check_chunks("sequential", chunk_tokens)
    if words < 1:
        raise Problem(f"monitor 'sequential' takes words of 1 or more, not {words}")

    def reader_question(number: int, parts: int) -> str:
        if number == 1:
            return prompt("take_notes", sees=shown_in_part(view, number, parts), words=str(words))
        behind = prompt("with_notes", number=str(number), parts=str(parts))
        return prompt("take_notes", sees=f"{shown_by(view)} {behind}", words=str(words))

    def judge_of(parts: int) -> str:
        behind = prompt("after_notes", number=str(parts), parts=str(parts))
        return judge_question(shown_by(view) if parts == 1 else f"{shown_by(view)} {behind}")

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        chunks = chunked(visible(trajectory, view), chunk_tokens)
        *earlier, last = chunks
        notes = ""
        for number, chunk in enumerate(earlier, start=1):
            asked = _behind(notes, chunk.text, trajectory.task, reader_question(number, len(chunks)))
            notes = (await ask(READER, asked, Notes.fitting(asked.material, words))).value
        answer = await ask(JUDGE, _behind(notes, last.text, trajectory.task, judge_of(len(chunks))), ANSWER)
        return Verdict(answer.value.score, rationale=answer.value.rationale)

    return score


def _behind(notes: str, chunk: str, task: str, question: str) -> Prompt:
    if not notes:
        return Prompt(task, chunk, question)
    return Prompt(task, together([section("notes", notes), chunk]), question, "notes")
