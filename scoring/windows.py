"""Context windows: which prompts need not be sent, since no tokenizer could make them fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inspect_ai.model import Model

MOST_CHARACTERS_PER_TOKEN = 6.0
"""Of wordy prose; a prompt that is too long even so is too long. Nearer calls are the provider's to judge."""


def window_of(model: Model) -> int | None:
    """Tokens that ``model`` can read, None where it is not known for certain.

    Inspect's table is matched loosely, and a name that merely resembles a small model's would lose scores.
    """
    from inspect_ai.model import get_model_info

    info = get_model_info(model)
    if info is None or info.context_length is None or info.model is None:
        return None
    name, known = _slug(model.name.rpartition("/")[2]), _slug(info.model)
    # what a name has beyond the model's own is the date of a snapshot
    return info.context_length if re.fullmatch(rf"{re.escape(known)}(?:\d+|latest)?", name) else None


def cannot_fit(characters: int, window: int | None) -> bool:
    """Whether a prompt of so many characters is certainly longer than the window.

    Examples
    --------
    >>> cannot_fit(50_000, window=8_192), cannot_fit(40_000, window=8_192), cannot_fit(50_000, window=None)
    (True, False, False)
    """
    return window is not None and characters > window * MOST_CHARACTERS_PER_TOKEN


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
