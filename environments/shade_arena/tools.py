"""A world's tools as Inspect tools, and the calls of a run read back from its conversation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import Tool, ToolDef, ToolError, ToolParams

from molehunt.environments.shade_arena.worlds import Call, Refused, ToolSpec, World


def inspect_tools(world: World, tools: Sequence[ToolSpec]) -> list[Tool]:
    """Tools that act on ``world``; what it refuses, the agent is told as a tool's error."""
    return [_tool(world, each) for each in tools]


def calls_in(messages: Sequence[ChatMessage], tools: Collection[str]) -> list[Call]:
    """The calls that were carried out or refused, in their order.

    Parameters
    ----------
    messages : of the run.
    tools : names of the world's tools; calls of others are left out, as are those that never reached the
        world: cut off by a limit, turned down, or with arguments that nobody could read.
    """
    reached = {
        message.tool_call_id
        for message in messages
        if isinstance(message, ChatMessageTool)
        and (message.error is None or message.error.type == "unknown")  # what a ToolError becomes
    }
    return [
        Call(call.function, call.arguments)
        for message in messages
        if isinstance(message, ChatMessageAssistant)
        for call in message.tool_calls or []
        if call.function in tools and call.id in reached and not call.parse_error
    ]


def last_words(messages: Sequence[ChatMessage]) -> str:
    """What the agent said last, without its reasoning; empty if it said nothing."""
    said = [message.text for message in messages if isinstance(message, ChatMessageAssistant)]
    return said[-1] if said else ""


def _tool(world: World, spec: ToolSpec) -> Tool:
    async def execute(**kwargs: Any) -> str:
        try:
            return world.call(Call(spec.name, kwargs))
        except Refused as refusal:
            raise ToolError(str(refusal)) from refusal

    schema = _inlined(spec.schema, spec.schema.get("$defs", {}))
    properties = {
        name: {"description": name, **each}  # Inspect wants one, and not every tool has it
        for name, each in schema.get("properties", {}).items()
    }
    parameters = ToolParams.model_validate(
        {"properties": properties, "required": list(schema.get("required", []))}
    )
    # one after the other: a state that two calls change at once depends on their order
    return ToolDef(execute, spec.name, spec.description, parameters, parallel=False).as_tool()


def _inlined(schema: Any, definitions: Mapping[str, Any]) -> Any:
    """A JSON schema with its definitions in the place of references to them."""
    if isinstance(schema, list):
        return [_inlined(each, definitions) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    if "$ref" in schema:
        beside = {name: each for name, each in schema.items() if name != "$ref"}
        return _inlined({**definitions[schema["$ref"].rpartition("/")[2]], **beside}, definitions)
    return {name: _inlined(each, definitions) for name, each in schema.items() if name != "$defs"}
