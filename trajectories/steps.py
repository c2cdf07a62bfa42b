"""What an agent did: steps, and the trajectory that they make up."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import msgspec
import msgspec.structs

Kind = Literal["reasoning", "prose", "code", "tool_call", "tool_result", "user"]
"""What a step is.

``reasoning`` is a thinking channel, ``prose`` what the agent says outside it, ``code`` a fenced block of what
it says, ``tool_call`` and ``tool_result`` a tool's use and answer, ``user`` a later turn of the user's.
"""

KINDS: tuple[Kind, ...] = get_args(Kind)

_canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode

_Content = tuple[str, list[tuple[Kind, str, str | None, dict[str, Any] | None, int | None, str | None]]]
_read_content = msgspec.json.Decoder(_Content).decode

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Step(msgspec.Struct, frozen=True, eq=False):
    """One thing that happened in a run.

    System prompts and the opening user turn are never steps. Reasoning that took place but cannot be read
    (an encrypted blob) is a ``reasoning`` step with an empty text, so that the channel is known to exist.

    Parameters
    ----------
    index : position in the trajectory, from 0.
    kind : see `Kind`.
    text : what is read and quoted; offsets of spans and excerpts count characters of this text. For a tool
        call it is `call_text` of the arguments. Lone surrogates, which no encoding can carry, become U+FFFD.
    tool : name of the tool, for calls and results.
    arguments : arguments of a call as the agent gave them, JSON values only.
    answers : index of the call that a result answers, None where the log does not say.
    agent : name of the sub-agent that acted, None for the main one.
    seconds : time since the run began. Not part of a trajectory's identity: monitors may not depend on it.

    Raises
    ------
    ValueError
        If ``kind`` is not one of `KINDS` or ``index`` is negative.

    Examples
    --------
    >>> Step(0, "tool_call", "ls", tool="bash", arguments={"command": "ls"}).tool
    'bash'
    """

    index: int
    kind: Kind
    text: str
    tool: str | None = None
    arguments: Mapping[str, Any] | None = None
    answers: int | None = None
    agent: str | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"a step's kind is one of {', '.join(KINDS)}, not {self.kind!r}")
        if self.index < 0:
            raise ValueError(f"a step's index counts from 0, not {self.index}")
        if not self.text.isascii():
            msgspec.structs.force_setattr(self, "text", encodable(self.text))

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, Step) else NotImplemented

    def __hash__(self) -> int:
        # arguments are mappings, which have no hash
        return hash((self.index, self.kind, self.text, self.tool, self.answers, self.agent))

    @property
    def _identity(self) -> tuple[Any, ...]:
        return self.index, self.kind, self.text, self.tool, self.arguments, self.answers, self.agent


@dataclass(frozen=True)
class Trajectory:
    """The task and what was done for it: all that a monitor receives.

    Parameters
    ----------
    task : the main task as an honest user gives it, byte-equal in a problem's honest and attack runs; never
        the side task.
    steps : in the order in which they happened; ``steps[i].index == i``.

    Raises
    ------
    ValueError
        If the steps are not numbered 0, 1, 2, ….

    Examples
    --------
    >>> one = Trajectory("Sort a list.", (Step(0, "code", "sorted(xs)"),))
    >>> one.id == Trajectory("Sort a list.", (Step(0, "code", "sorted(xs)", seconds=3.0),)).id
    True
    """

    task: str
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "task", encodable(self.task))
        object.__setattr__(self, "steps", tuple(self.steps))
        for position, step in enumerate(self.steps):
            if step.index != position:
                raise ValueError(f"step {position} of a trajectory has index {step.index}")

    @cached_property
    def id(self) -> str:
        """Digest of the content, 32 hexadecimal digits: equal content, equal id, in every process."""
        return _digest(self.canonical())

    def canonical(self) -> bytes:
        """The content as JSON, ASCII on one line; `id` is its digest, and known from then on."""
        canonical = _written(self.task, self.steps)
        vars(self)["id"] = _digest(canonical)
        return canonical

    @classmethod
    def from_canonical(
        cls,
        canonical: bytes,
        seconds: Sequence[float | None] = (),
        arguments: Mapping[int, Mapping[str, Any]] | None = None,
    ) -> Trajectory:
        """The trajectory that `canonical` wrote; its `id` is that of the bytes, whoever wrote them.

        Parameters
        ----------
        canonical : see `canonical`.
        seconds : of each step, if any step has its time.
        arguments : of calls, by step, where the agent gave them in another order than that of their names.

        Raises
        ------
        ValueError
            If the bytes are no trajectory, or the arguments are not those of the calls.

        Examples
        --------
        >>> one = Trajectory("Add.", (Step(0, "code", "a + b"),))
        >>> Trajectory.from_canonical(one.canonical()) == one
        True
        """
        try:
            task, content = _read_content(canonical)
        except msgspec.DecodeError:
            # lone surrogates and numbers that are none, in arguments, are read by json alone
            task, content = msgspec.convert(json.loads(canonical), _Content)
        given = arguments or {}
        for index, reordered in given.items():
            known = content[index][3] if 0 <= index < len(content) else None
            if _canonical_json(reordered) != _canonical_json(known):
                raise ValueError(f"the arguments of step {index} are not those of its call")
        numbered = zip(range(len(content)), content, seconds or [None] * len(content), strict=True)
        trajectory = cls(
            task,
            tuple(
                Step(index, kind, text, tool, given.get(index, sorted_), answers, agent, time)
                for index, (kind, text, tool, sorted_, answers, agent), time in numbered
            ),
        )
        vars(trajectory)["id"] = _digest(canonical)
        return trajectory

    @property
    def has_reasoning_channel(self) -> bool:
        """Whether the agent had a thinking channel, readable or not; prose is an action where it had one."""
        return any(step.kind == "reasoning" for step in self.steps)


def call_text(arguments: Mapping[str, Any] | None) -> str:
    r"""Arguments of a tool call as a person reads them: code stays code instead of escaped JSON.

    A lone string argument is its own text; otherwise each is ``name: value`` on a line, strings that span
    lines below their name, other values as JSON.

    Examples
    --------
    >>> call_text({"command": "ls -l"})
    'ls -l'
    >>> print(call_text({"path": "a.py", "lines": [1, 2]}))
    path: a.py
    lines: [1, 2]
    """
    if not arguments:
        return ""
    if len(arguments) == 1:
        [only] = arguments.values()
        if isinstance(only, str):
            return only
    return "\n".join(f"{name}:{_value_text(value)}" for name, value in arguments.items())


def encodable(text: str) -> str:
    """``text`` with lone surrogates, which UTF-8 cannot carry, replaced by U+FFFD; one for one."""
    if text.isascii():
        return text
    try:
        text.encode()  # several times faster than a search, and it nearly always succeeds
    except UnicodeEncodeError:
        return _LONE_SURROGATE.sub("\ufffd", text)
    return text


def _value_text(value: Any) -> str:
    if isinstance(value, str):
        return f"\n{value}" if "\n" in value else f" {value}"
    return f" {json.dumps(value, ensure_ascii=False, default=str)}"


def _written(task: str, steps: Sequence[Step]) -> bytes:
    """What `json` writes in ASCII; by a faster hand where that writes the same."""
    # msgspec has other ways to write numbers, which arguments may hold, DEL and what is not ASCII
    try:
        written = _write([task, [_content(step, _as_json_writes) for step in steps]])
    except (UnicodeEncodeError, OverflowError):  # a lone surrogate in a name, an index beyond 64 bits
        written = b"\x7f"
    if written.isascii() and b"\x7f" not in written:
        return written
    return _canonical_json([task, [_content(step, dict) for step in steps]]).encode("ascii")


def _content(step: Step, made: Callable[[Mapping[str, Any]], Any]) -> list[Any]:
    arguments = None if step.arguments is None else made(step.arguments)
    return [step.kind, step.text, step.tool, arguments, step.answers, step.agent]


def _as_json_writes(arguments: Mapping[str, Any]) -> msgspec.Raw:
    return msgspec.Raw(_canonical_json(dict(arguments)))


# texts may be of a kind derived from `str`, as NumPy's and those of parsers are, which msgspec refuses
_write = msgspec.json.Encoder(enc_hook=lambda value: msgspec.Raw(_canonical_json(value))).encode


def _digest(canonical: bytes) -> str:
    return hashlib.sha256(canonical).hexdigest()[:32]
