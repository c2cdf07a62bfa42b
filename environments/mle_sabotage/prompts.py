"""The environment's prompts: one file each, our own wording."""

from __future__ import annotations

from functools import partial

from molehunt.environments.prompt_files import prompt_of

prompt = partial(prompt_of, "molehunt.environments.mle_sabotage")
"""Text of ``prompts/NAME.md``."""
