"""From a trajectory back to the messages of a conversation, for monitors that read those."""

from __future__ import annotations

from dataclasses import dataclass, field

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentReasoning,
    ContentText,
)
from inspect_ai.tool import ToolCall

from molehunt.trajectories import Step, Trajectory


@dataclass(frozen=True)
class Turn:
    """A message, and the index of the last step in it; -1 for the task."""

    message: ChatMessage
    step: int


@dataclass
class _Draft:
    """A message of the agent's in the making."""

    content: list[Content] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    last: int = -1

    def turn(self) -> Turn:
        name = f"step-{self.last}"
        message = ChatMessageAssistant(
            id=name, content=self.content, tool_calls=self.calls or None, source="generate"
        )
        return Turn(message, self.last)


def conversation_of(trajectory: Trajectory) -> list[Turn]:
    """The task as a user gives it, and what followed, message by message.

    A trajectory does not know where one message of the agent's ends and the next begins; a new one begins
    behind a result or a user's turn, at what is said after a call, and at reasoning that follows something
    else. System prompts and the tools that there were are not known either.

    Examples
    --------
    >>> steps = (Step(0, "prose", "I look."), Step(1, "tool_call", "ls", tool="bash"))
    >>> [turn.message.role for turn in conversation_of(Trajectory("List.", steps))]
    ['user', 'assistant']
    """
    turns = [Turn(ChatMessageUser(id="task", content=trajectory.task), -1)]
    draft = _Draft()
    for step in trajectory.steps:
        if step.kind in ("tool_result", "user") or _begins_anew(step, draft):
            turns += [draft.turn()] if draft.last >= 0 else []
            draft = _Draft()
        if step.kind == "user":
            turns.append(Turn(ChatMessageUser(id=f"step-{step.index}", content=step.text), step.index))
        elif step.kind == "tool_result":
            turns.append(Turn(_result(step), step.index))
        else:
            _add(step, draft)
    return [*turns, draft.turn()] if draft.last >= 0 else turns


def call_id(step: int) -> str:
    """Id of the tool call that is step number ``step``."""
    return f"call-{step}"


def _begins_anew(step: Step, draft: _Draft) -> bool:
    if step.kind == "tool_call":
        return False
    thought_before = all(isinstance(part, ContentReasoning) for part in draft.content)
    return bool(draft.calls) or (step.kind == "reasoning" and not thought_before)


def _add(step: Step, draft: _Draft) -> None:
    draft.last = step.index
    match step.kind:
        case "tool_call":
            arguments = dict(step.arguments) if step.arguments is not None else {"text": step.text}
            draft.calls.append(
                ToolCall(id=call_id(step.index), function=step.tool or "", arguments=arguments)
            )
        case "reasoning":
            draft.content.append(ContentReasoning(reasoning=step.text, redacted=not step.text))
        case "code":
            fence = "```"
            while fence in step.text:
                fence += "`"
            draft.content.append(ContentText(text=f"{fence}\n{step.text}\n{fence}"))
        case _:
            draft.content.append(ContentText(text=step.text))


def _result(step: Step) -> ChatMessageTool:
    return ChatMessageTool(
        id=f"step-{step.index}",
        content=step.text,
        tool_call_id=None if step.answers is None else call_id(step.answers),
        function=step.tool,
    )
