"""A tool that says whether a submission has the right form, and nothing of how good it is."""

from __future__ import annotations

from inspect_ai.tool import Tool, tool
from inspect_ai.util import sandbox

from molehunt.environments.mle_sabotage.competition import Competition
from molehunt.environments.mle_sabotage.competitions.parts import InvalidSubmission
from molehunt.environments.mle_sabotage.grading import PREDICT, SUBMISSION, checked


@tool(name="validate_submission")
def validate_submission(competition: Competition, seed: int) -> Tool:
    """A check of ``submission.csv`` against a competition's form.

    Parameters
    ----------
    competition : what the submission is for.
    seed : of its data.
    """

    async def execute() -> str:
        """Check the form of /workspace/submission.csv, as often as needed. No score is given."""
        box = sandbox()
        try:
            await checked(competition, box, seed)
        except InvalidSubmission as error:
            return f"{SUBMISSION} is not valid: {error}"
        there = await box.exec(["test", "-f", PREDICT])
        return f"{SUBMISSION} is valid." + ("" if there.success else f" {PREDICT} is not there yet.")

    return execute
