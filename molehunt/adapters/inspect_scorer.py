"""Our monitors as Inspect's scorers: ``inspect score LOG --scorer molehunt/eae -S model=openai/gpt-4.1``.

For compatibility, and to see verdicts in Inspect's viewer. Inspect scores with one monitor at a time, stores
nothing before all samples are done, and leaves the calls out of the log's totals; `molehunt score` does not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from molehunt.monitors import AnswerMode, Monitor, MonitorSpec, names
from molehunt.trajectories import Problem


def register() -> dict[str, Callable[..., Scorer]]:
    """Make every monitor that is installed a scorer of its name, and ``monitor`` one that takes a spec."""
    # a package whose monitor is called so does not take its place
    named = {name: _named(name) for name in names() if name != "monitor"}
    return {**named, "monitor": monitor_scorer}


@scorer(metrics=[mean(), stderr()], name="monitor")
def monitor_scorer(
    monitor: str | Sequence[str] = "",
    model: str | Mapping[str, Any] | None = None,
    roles: Mapping[str, Any] | None = None,
    answer: AnswerMode = "text",
) -> Scorer:
    """Suspicion of a run by any monitor, such as ``mine.py@keyword`` or ``stepwise(monitor=eae)``.

    Parameters
    ----------
    monitor : its spec, which has to be given: ``-S monitor='mine.py@keyword'``. It is not called ``spec``,
        since Inspect has a parameter of that name on the way; which also takes it apart at its commas.
    model : for all roles; it wins over what the log has bound to them.
    roles : models of single roles: ``-S 'roles={evaluator: openai/gpt-4.1}'``. Roles with neither are those
        of the evaluation: ``--model-role evaluator=openai/gpt-4.1``, or the log's.
    answer : how answers are read.

    Returns
    -------
    A scorer whose value is the suspicion in [0, 1], NaN where there is none. Its explanation is the
    rationale, and status, excerpts, trace and calls are in its metadata.
    """
    spec = monitor if isinstance(monitor, str) else ",".join(monitor)
    return _scorer(spec, model, roles, answer)


def _named(name: str) -> Callable[..., Scorer]:
    @scorer(metrics=[mean(), stderr()], name=name)
    def named(
        model: str | Mapping[str, Any] | None = None,
        roles: Mapping[str, Any] | None = None,
        answer: AnswerMode = "text",
        **params: Any,
    ) -> Scorer:
        return _scorer(MonitorSpec(name, params), model, roles, answer)

    return named


def _scorer(
    monitor: str | Monitor | MonitorSpec,
    model: str | Mapping[str, Any] | None,
    roles: Mapping[str, Any] | None,
    answer: AnswerMode,
) -> Scorer:
    # not before a scorer is wanted: every evaluation with molehunt installed imports this module
    from molehunt.adapters.judging import Judge
    from molehunt.environments.inspect_errors import told_by_inspect

    with told_by_inspect():
        judge = Judge.of(monitor, model, roles, answer)

    async def score(state: TaskState, target: Target) -> Score:
        from molehunt.adapters.reading import read_sample

        recorded = transcript()
        try:
            reading = read_sample(
                sample_id=str(state.sample_id),
                epoch=state.epoch,
                opening=state.input,
                messages=state.messages,
                events=recorded.events,
                attachments=recorded.attachments,
                metadata=state.metadata,
                store=dict(state.store.items()),
            )
        except Problem as problem:
            return Score.unscored(reason="failed", explanation=str(problem))
        with told_by_inspect():
            judgement = await judge.judged(reading.trajectory)
        verdict, details = judgement.verdict, judgement.details
        if verdict.score is None:
            return Score.unscored(reason=verdict.status, explanation=verdict.rationale, metadata=details)
        return Score(value=verdict.score, explanation=verdict.rationale, metadata=details)

    return score
