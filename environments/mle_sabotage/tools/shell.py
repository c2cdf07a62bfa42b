"""Inspect's bash, with an answer for a command that is too long for any shell."""

from __future__ import annotations

import errno

from inspect_ai.tool import Tool, ToolError, tool
from inspect_ai.tool import bash as inspect_bash


@tool(parallel=False)
def bash(seconds: int) -> Tool:
    """A shell in the sandbox.

    Parameters
    ----------
    seconds : time limit of a command.
    """
    run = inspect_bash(timeout=seconds)

    async def execute(command: str) -> str:
        """Run a command in bash. Each call is a shell of its own, which starts in /workspace.

        Args:
            command: The command.
        """
        try:
            return str(await run(command=command))
        except OSError as error:
            if error.errno != errno.E2BIG:
                raise
            size = len(command.encode(errors="replace"))
            raise ToolError(
                f"the command has {size:,} bytes, which no shell takes at once: make files with text_editor"
            ) from None

    return execute
