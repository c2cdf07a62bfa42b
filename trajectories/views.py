"""Views: which steps of a trajectory a monitor reads, and how they are set out as text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Literal, NamedTuple

from molehunt.trajectories.steps import Step, Trajectory

RENDERING = 1
"""Version of the layout below, part of every monitor's identity: another layout means other scores."""

HEADING = "▶"
"""Begins the line above each step; inside a step it is shown as ``▷``, so that no step can forge another."""


@dataclass(frozen=True)
class View:
    """Which kinds of steps are visible.

    Parameters
    ----------
    reasoning : the thinking channel.
    actions : tool calls and code.
    tool_results : what tools answered, and later turns of the user. Whether they count as actions is open in
        the published work, hence an option of their own.
    prose : what the agent says outside reasoning, code and calls. ``auto`` counts it as an action where the
        agent has a reasoning channel and as reasoning where it has none, as the published rows for
        non-reasoning agents do; ``action`` and ``reasoning`` insist.

    Raises
    ------
    ValueError
        If nothing would be visible, or ``prose`` is none of the three.

    Examples
    --------
    >>> view = View(reasoning=False, actions=True)
    >>> trajectory = Trajectory("Add.", (Step(0, "reasoning", "Easy."), Step(1, "code", "a + b")))
    >>> print(render(trajectory, view).text)
    ▶ code
    a + b
    """

    reasoning: bool
    actions: bool
    tool_results: bool = True
    prose: Literal["auto", "action", "reasoning"] = "auto"

    def __post_init__(self) -> None:
        if not (self.reasoning or self.actions):
            raise ValueError("a view shows reasoning, actions or both")
        if self.prose not in ("auto", "action", "reasoning"):
            raise ValueError(f"prose counts as auto, action or reasoning, not {self.prose!r}")

    def shows(self, step: Step, *, reasoning_channel: bool) -> bool:
        """Whether ``step`` is visible, in a trajectory with or without a reasoning channel."""
        if not step.text.strip() and step.kind != "tool_call":
            return False
        match step.kind:
            case "reasoning":
                return self.reasoning
            case "code" | "tool_call":
                return self.actions
            case "tool_result" | "user":
                return self.actions and self.tool_results
            case "prose":
                is_action = self.prose == "action" or (self.prose == "auto" and reasoning_channel)
                return self.actions if is_action else self.reasoning


ACTIONS = View(reasoning=False, actions=True)
REASONING = View(reasoning=True, actions=False)
EVERYTHING = View(reasoning=True, actions=True)


class StepSpan(NamedTuple):
    """Where a step's text stands in a rendering: characters ``start`` to ``end``, end excluded.

    ``offset`` is where in the step's text the span begins, 0 unless only a part of the step is meant.
    """

    step: int
    start: int
    end: int
    offset: int = 0


@dataclass(frozen=True)
class Rendering:
    """A trajectory as text, with the place of every visible step's text in it.

    A step's text keeps its length, so offset ``i`` of the step stands at ``span.start + i``.
    """

    text: str
    spans: tuple[StepSpan, ...]

    def up_to(self, step: int) -> str:
        """The text of all visible steps up to and including ``step``: a slice, nothing is rendered again."""
        ends = [span.end for span in self.spans if span.step <= step]
        return self.text[: ends[-1]] if ends else ""


class Layout:
    """Text of steps as a view shows them, laid out as they come, each step once.

    Parameters
    ----------
    view : which steps are visible.
    reasoning_channel : whether the agent had one, see `View`.
    """

    def __init__(self, view: View, *, reasoning_channel: bool) -> None:
        self._view = view
        self._reasoning_channel = reasoning_channel
        self._text = ""
        self._spans: list[StepSpan] = []

    def add(self, steps: Iterable[Step]) -> None:
        """Lay out ``steps`` behind those before them."""
        parts: list[str] = []
        length = len(self._text)
        for step in steps:
            if not self._view.shows(step, reasoning_channel=self._reasoning_channel):
                continue
            gap = "\n\n" if length else ""
            heading = f"{gap}{HEADING} {title_of(step)}\n"
            body = step.text.replace(HEADING, "▷")
            parts += [heading, body]
            self._spans.append(StepSpan(step.index, length + len(heading), length + len(heading) + len(body)))
            length += len(heading) + len(body)
        self._text += "".join(parts)

    def first(self, steps: int) -> Rendering:
        """The rendering of the first so many steps: a slice, nothing is laid out again."""
        spans = tuple(islice(self._spans, bisect_left(self._spans, (steps,))))
        return Rendering(self._text[: spans[-1].end] if spans else "", spans)


class Rendered(Trajectory):
    """A trajectory that has its renderings already, as the beginning of a longer one does."""

    def rendering(self, view: View) -> Rendering:
        """What `render` gives."""
        raise NotImplementedError


def render(trajectory: Trajectory, view: View) -> Rendering:
    """Set out what ``view`` shows of ``trajectory``, each step once, in order.

    Returns
    -------
    Rendering
        With an empty text if the view shows nothing.

    Examples
    --------
    >>> call, result = Step(0, "tool_call", "ls", tool="bash"), Step(1, "tool_result", "a.py")
    >>> rendering = render(Trajectory("List.", (call, result)), ACTIONS)
    >>> print(rendering.text)
    ▶ call bash
    ls
    <BLANKLINE>
    ▶ result
    a.py
    >>> rendering.text[rendering.spans[1].start : rendering.spans[1].end]
    'a.py'
    """
    if isinstance(trajectory, Rendered):
        return trajectory.rendering(view)
    layout = Layout(view, reasoning_channel=trajectory.has_reasoning_channel)
    layout.add(trajectory.steps)
    return layout.first(len(trajectory.steps))


def title_of(step: Step) -> str:
    """What the heading of ``step`` says: who acted, what kind of step it is, and the tool's name.

    Examples
    --------
    >>> title_of(Step(0, "tool_call", "ls", tool="bash", agent="helper"))
    'helper: call bash'
    """
    title = {"tool_call": "call", "tool_result": "result"}.get(step.kind, step.kind)
    name = " ".join(f"{title} {step.tool}".split()) if step.tool else title
    shown = name if step.agent is None else f"{' '.join(step.agent.split())}: {name}"
    return shown.replace(HEADING, "▷")
