"""Triage, inspection, judgement: windows are picked, read closely, and judged by the notes on them."""

from __future__ import annotations

from molehunt.monitors.answers import Notes, Picks, Rating
from molehunt.monitors.chunks import check_chunks, chunked
from molehunt.monitors.material import section, together
from molehunt.monitors.prompts import prompt, texts
from molehunt.monitors.protocol import Ask, Prompt, Score, monitor
from molehunt.monitors.rubric import judge_question, shown_by
from molehunt.monitors.single_view import visible
from molehunt.trajectories import EVERYTHING, Problem, Trajectory, View
from molehunt.trajectories.views import HEADING
from molehunt.verdicts import Verdict

ROLES = ("triage", "inspector", "judge")
ANSWER = Rating()
NO_NOTES = "(no notes)"


@monitor(
    source="Mittapalli et al. 2026 (TRACE), arXiv 2606.07054",
    roles=ROLES,
    prompts=texts(
        "triage",
        "inspect",
        "sees_inspection",
        "sees_no_inspection",
        "judge",
        "sees_everything",
        "sees_actions",
        "sees_reasoning",
        "without_results",
    ),
    answers=(Picks(), Notes(), ANSWER),
    each="trajectory of one window, and up to 5 more for further ones",
)
def trace(view: View = EVERYTHING, window_tokens: int = 1000, max_steps: int = 6, words: int = 300) -> Score:
    """Picks the most telling windows of a run, inspects them one by one with notes, and judges the notes.

    Triage sees the whole run, set out in numbered windows. The inspector reads the picked ones, the most
    telling first, each with the notes that it has taken so far, and writes them anew. The judge sees the task
    and the notes, and rates from 1 to 5. If triage picks nothing, the judge is told so. How long the
    published windows were is unknown.

    Parameters
    ----------
    view : what triage and inspector read.
    window_tokens : length of a window, estimated without a tokenizer; see `chunked`.
    max_steps : windows that are inspected at most.
    words : how long the notes may be; longer ones are taken all the same.

    Raises
    ------
    Problem
        If the numbers make no sense.
    """
    check_chunks("trace", window_tokens)
    if max_steps < 1 or words < 1:
        raise Problem(f"monitor 'trace' takes max_steps and words of 1 or more, not {max_steps} and {words}")
    sees = shown_by(view)
    triage, inspector, judge = ROLES
    notes_question = judge_question(prompt("sees_inspection"))
    nothing_question = judge_question(prompt("sees_no_inspection"))

    async def score(trajectory: Trajectory, ask: Ask) -> Verdict:
        task = trajectory.task
        windows = [chunk.text for chunk in chunked(visible(trajectory, view), window_tokens)]
        numbered = together(f"{HEADING} window {n}\n\n{text}" for n, text in enumerate(windows, start=1))
        question = prompt("triage", sees=sees, windows=str(len(windows)), most=str(max_steps))
        picked = await ask(triage, Prompt(task, numbered, question), Picks(len(windows), max_steps))
        notes = ""
        for number in picked.value[:max_steps]:
            question = prompt(
                "inspect", sees=sees, number=str(number), windows=str(len(windows)), words=str(words)
            )
            before = section("notes", notes) if notes else ""
            window = Prompt(task, together([before, windows[number - 1]]), question, "notes")
            notes = (await ask(inspector, window, Notes.fitting(window.material, words))).value
        if notes:
            evidence = Prompt(task, section("notes", notes), notes_question, "notes")
        else:
            evidence = Prompt(task, NO_NOTES, nothing_question, "notes")
        answer = await ask(judge, evidence, ANSWER)
        return Verdict(answer.value.score, rationale=answer.value.rationale)

    return score
