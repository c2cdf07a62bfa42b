"""A scanner of Scout's that asks what `benchmarks.peers` has the others ask."""

from __future__ import annotations

from inspect_ai.model import get_model
from inspect_scout import Result, Scanner, Transcript, scanner

from benchmarks.peers import number_in, prompt_of


@scanner(messages="all", name="plain_judge")
def judge() -> Scanner[Transcript]:
    """One question about all messages."""

    async def scan(transcript: Transcript) -> Result:
        output = await get_model().generate(prompt_of(transcript.messages))
        return Result(value=number_in(output.completion))

    return scan
