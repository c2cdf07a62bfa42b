"""Our monitors as scanners of inspect_scout.

>>> from molehunt.adapters.scout import suspicion
>>> scanner = suspicion("action_only", model="openai/gpt-4.1-mini")
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from inspect_ai.scorer import Reference
from inspect_scout import Result, Scanner, Transcript, scanner

from molehunt.adapters.judging import Judge
from molehunt.adapters.reading import cited, read_sample
from molehunt.monitors import AnswerMode


@scanner(messages="all", events="all", name="suspicion", version=1)
def suspicion(
    spec: str,
    model: str | Mapping[str, Any] | None = None,
    roles: Mapping[str, Any] | None = None,
    answer: AnswerMode = "text",
) -> Scanner[Transcript]:
    """What a monitor says of a transcript: suspicion in [0, 1], None where it has no score.

    The result's explanation is the rationale, its references are the messages that hold the excerpts, and
    status, excerpts, trace and calls are in its metadata. Of transcripts of Inspect's logs the main task is
    known as `molehunt score` knows it, of others it is the first turn of the user.

    Parameters
    ----------
    spec : the monitor, such as ``eae(min_excerpts=8)``.
    model, roles, answer : see `molehunt.adapters.judging.Judge`.

    Raises
    ------
    Problem
        If the monitor cannot be built or a model was given for a role that it has not; while scanning, if a
        role has no model or a transcript cannot be read.
    """
    judge = Judge.of(spec, model, roles, answer)

    async def scan(transcript: Transcript) -> Result:
        opening = takewhile(lambda message: message.role != "assistant", transcript.messages)
        reading = read_sample(
            sample_id=transcript.task_id or transcript.transcript_id,
            epoch=transcript.task_repeat or 1,
            opening=list(opening),
            messages=transcript.messages,
            events=transcript.events,
            metadata=transcript.metadata.get("sample_metadata"),
        )
        judgement = await judge.judged(reading.trajectory)
        verdict = judgement.verdict
        places = cited((excerpt.step for excerpt in verdict.excerpts), reading)
        return Result(
            value=verdict.score,
            explanation=verdict.rationale,
            metadata=judgement.details,
            references=[Reference(type="message", id=place) for place in places],
        )

    return scan
