"""What went wrong with a call to a model: one line for people, and whether the prompt was too long."""

from __future__ import annotations

import os
import re
import traceback
from pathlib import Path

LONGEST = 300

_WRAPPERS = frozenset({"RetryError", "ModelGenerateError"})
_MARKUP = re.compile(r"\[/?(?:bold|blue|red|green|yellow|italic)\]")
_STARTS = re.compile(r"^(?:ERROR:\s*)+")
_OVER_THE_WINDOW = re.compile(
    r"context[ _-]?(?:length|window|size|limit)|maximum context|prompt (?:is )?too long|input is too long"
    r"|too many (?:input )?tokens|reduce the length|exceeds? the (?:maximum|available) (?:number of )?tokens",
    re.IGNORECASE,
)


_NAMES_A_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_SECRET = 8


def without_secrets(text: str) -> str:
    """``text`` with the name of a variable in place of its value wherever a key of the environment occurs.

    Providers and gateways repeat keys in what they complain about, and complaints are stored and printed.

    Examples
    --------
    >>> os.environ["SOME_API_KEY"] = "sk-0123456789"
    >>> without_secrets("no such key: Bearer sk-0123456789")
    'no such key: Bearer [SOME_API_KEY]'
    >>> del os.environ["SOME_API_KEY"]
    """
    for name, value in os.environ.items():
        if len(value) >= _SHORTEST_SECRET and _NAMES_A_SECRET.search(name):
            text = text.replace(value, f"[{name}]")
    return text


def one_line(error: BaseException) -> str:
    """What ``error`` says, in one printable line of at most `LONGEST` characters, without keys.

    Inspect wraps a provider's error in one that quotes the whole request; the provider's own words are shown.

    Examples
    --------
    >>> one_line(ValueError("no such\\n  model"))
    'no such model'
    >>> one_line(TimeoutError())
    'TimeoutError'
    """
    original = _original(error)
    plain = without_secrets(_STARTS.sub("", _MARKUP.sub("", str(original))))
    printable = "".join(character if character.isprintable() else " " for character in plain)
    line = " ".join(printable.split())
    if not line:
        return type(original).__name__
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def placed(error: BaseException) -> str:
    """`named`, with the file and line at which the error was raised: where its author will look."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{named(error)}{where}"


def named(error: BaseException) -> str:
    """The same behind the exception's name.

    Examples
    --------
    >>> named(KeyError("words"))
    "KeyError: 'words'"
    >>> named(TimeoutError())
    'TimeoutError'
    """
    name, line = type(_original(error)).__name__, one_line(error)
    return name if line == name else f"{name}: {line}"


def is_too_long(error: BaseException) -> bool:
    """Whether a provider says that the prompt does not fit the model's window.

    Inspect reports that as a way to stop where it knows the provider's words; this is for the others.

    Examples
    --------
    >>> is_too_long(ValueError("This model's maximum context length is 8192 tokens."))
    True
    """
    return bool(_OVER_THE_WINDOW.search(str(_original(error))))


def _original(error: BaseException) -> BaseException:
    """The provider's error within those that the retries and Inspect put around it."""
    while type(error).__name__ in _WRAPPERS and error.__cause__ is not None:
        error = error.__cause__
    return error
