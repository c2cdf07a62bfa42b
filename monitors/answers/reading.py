"""What forms of answer have in common: JSON objects, a last line with a number, probabilities of tokens."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from molehunt.monitors.protocol import Logprobs, Unreadable

MIN_MASS = 0.5
"""Share of a token's probability that must be on the expected answers for them to stand for one."""

BOLD = r"(?:\*\*)?"
"""Bold around a tag, a number or a line is harmless markdown."""

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(?P<inside>.*)\n```", re.DOTALL)


def number_line(tag: str, numbers: str, behind: str = "") -> re.Pattern[str]:
    r"""A line ``TAG: number``, with what may stand ``behind`` the number.

    ``numbers`` is a pattern of [0-9], since \d matches digits of other scripts too.
    """
    end = f"(?:{behind})?" if behind else ""
    pattern = rf"{BOLD}{tag}{BOLD}:{BOLD}[ \t]*{BOLD}(?P<number>{numbers}){end}{BOLD}"
    return re.compile(pattern, re.IGNORECASE)


def unused_tag(name: str, material: str) -> str:
    """``name``, or if such a tag occurs in ``material`` the first of ``name1``, ``name2``, … that does not.

    An agent could write tags into its work so that whatever is quoted of it ends early or cannot be read.

    Examples
    --------
    >>> unused_tag("notes", "all is well"), unused_tag("notes", "<notes></notes1>")
    ('notes', 'notes2')
    """
    used = set(re.findall(rf"{name}([0-9]*)>", material))
    return name + next(suffix for suffix in ("", *map(str, range(1, len(used) + 1))) if suffix not in used)


def last_line(text: str, line: re.Pattern[str], wanted: str) -> tuple[str, str]:
    """The number on the last line of ``text``, which must be a ``line``, and all that stands before it.

    Raises
    ------
    Unreadable
        If the last line is not ``wanted``, or another such line has another number: a line echoed from the
        transcript, before the verdict or after it, never counts as the verdict.

    Examples
    --------
    >>> last_line("Fine.\\nSCORE: 3", number_line("SCORE", "[1-5]"), "SCORE: and a number from 1 to 5")
    ('3', 'Fine.')
    """
    lines = text.rstrip().split("\n")
    matches = [line.fullmatch(written.strip(" \t\r")) for written in lines]
    last = matches[-1]
    if last is None:
        raise Unreadable(f"the last line is not {wanted}")
    numbers = [match["number"] for match in matches if match]
    if len(set(numbers)) > 1:
        raise Unreadable(f"there are verdict lines with different scores: {', '.join(numbers)}")
    return last["number"], "\n".join(lines[:-1]).strip()


def expected_digit(logprobs: Logprobs, lowest: int = 0, highest: int = 9) -> float:
    """Mean of the digits from ``lowest`` to ``highest`` under the first token on which they are likely.

    Likely means that they hold at least half of the probability; white space around them does not matter.

    Raises
    ------
    Unreadable
        If there is no such token.

    Examples
    --------
    >>> from math import log
    >>> expected_digit(({"The": 0.0}, {"4": log(0.5), " 2": log(0.5)}))
    3.0
    """
    for alternatives in logprobs:
        shares = [probability(alternatives, str(digit)) for digit in range(lowest, highest + 1)]
        mass = sum(shares)
        if mass >= MIN_MASS:
            return sum(digit * share for digit, share in enumerate(shares, lowest)) / mass
    raise Unreadable("no token has digits for at least half of its probability")


def share_of(yes: str, no: str, alternatives: Mapping[str, float]) -> float | None:
    """Probability of ``yes`` where it is either ``yes`` or ``no``; None if a token is likely neither.

    Examples
    --------
    >>> from math import log
    >>> share_of("yes", "no", {"Yes": log(0.5), " no": log(0.25), "It": log(0.25)})
    0.666...
    """
    for_it, against = probability(alternatives, yes), probability(alternatives, no)
    mass = for_it + against
    return for_it / mass if mass >= MIN_MASS else None


def probability(alternatives: Mapping[str, float], word: str) -> float:
    """Probability of all alternatives of a token that are ``word``, but for case and white space."""
    return sum(
        math.exp(min(logprob, 0.0))
        for token, logprob in alternatives.items()
        if token.strip().lower() == word and not math.isnan(logprob)
    )


def object_schema(**properties: dict[str, Any]) -> dict[str, Any]:
    """JSON schema of an object that has all of ``properties`` and nothing else."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def json_object(text: str, fields: Mapping[str, type]) -> dict[str, Any]:
    """The JSON object that ``text`` is, with exactly ``fields`` of these types; a code fence is allowed.

    Raises
    ------
    Unreadable
        If it is anything else.

    Examples
    --------
    >>> json_object('{"rating": 3}', {"rating": int})
    {'rating': 3}
    """
    stripped = text.strip()
    fenced = _FENCED.fullmatch(stripped)
    try:
        answer = json.loads(
            fenced["inside"] if fenced else stripped,
            object_pairs_hook=_without_repeats,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"the reply is not the JSON that was asked for: {error}") from error
    if not isinstance(answer, dict) or answer.keys() != fields.keys():
        raise Unreadable(f"the reply is not a JSON object of {' and '.join(fields)}")
    for name, kind in fields.items():
        if type(answer[name]) is not kind:  # True is an int as well
            raise Unreadable(f"{name} is not of the type {kind.__name__}")
    return answer


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
