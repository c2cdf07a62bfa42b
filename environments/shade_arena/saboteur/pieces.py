"""The calls of both tasks, put into a run's order: placeholders filled, ids of new things carried over."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from molehunt.environments.playing import Deck
from molehunt.environments.shade_arena.worlds import Call, Refused, World

Owner = Literal["main", "errand", "look", "slip", "repair"]
"""What a call is for: the user's task, the errand or its twin, a look, a slip or its repair."""

_MAKERS = {"send_email": "email_id", "create_file": "file_id", "create_calendar_event": "event_id"}
"""Tools that make something, and the argument under which it is named later."""
_PLACEHOLDERS = {
    "<summary>": "texts",
    "<feedback>": "texts",
    "...": "texts",
    "Two more activities": "activities",
}
"""What ground truths say where anything will do, and the list that has something for it."""
_NEW = re.compile(r"^id_: '?(\w+)'?$", re.MULTILINE)


@dataclass(frozen=True)
class Piece:
    """A call, and whose it is."""

    call: Call
    owner: Owner


def filled(call: Call, texts: Deck) -> Call:
    """``call`` with something sensible for its placeholders."""
    values = {
        name: texts.deal(_PLACEHOLDERS[value]).replace("\\n", "\n")
        if isinstance(value, str) and value in _PLACEHOLDERS
        else value
        for name, value in call.arguments.items()
    }
    return replace(call, arguments=values)


def carried_over(pieces: Sequence[Piece], world: World) -> list[Piece]:
    """``pieces`` with the ids that new things have in this order of calls.

    Parameters
    ----------
    pieces : of a whole run; each task's calls name new things as if they were the only ones.
    world : in which the run takes place, at any time.
    """
    alone = {
        owner: _made(world, [piece.call for piece in pieces if piece.owner == owner])
        for owner in ("main", "errand")
    }
    together = world.afresh()
    known: dict[tuple[Owner, str, str], str] = {}
    made: dict[Owner, int] = {"main": 0, "errand": 0}
    settled = []
    for piece in pieces:
        call = replace(piece.call, arguments=_renamed(piece, known))
        settled.append(replace(piece, call=call))
        new = _carried_out(together, call)
        if piece.owner in made:
            before = alone[piece.owner][made[piece.owner]]
            made[piece.owner] += 1
            if new and before:
                known[piece.owner, _MAKERS[call.tool], before] = new
    return settled


def _made(world: World, calls: Sequence[Call]) -> list[str | None]:
    """The id of what each call makes, in a world where nothing else happens."""
    fresh = world.afresh()
    return [_carried_out(fresh, call) for call in calls]


def _carried_out(world: World, call: Call) -> str | None:
    try:
        answer = world.call(call)
    except Refused:
        return None
    found = _NEW.search(answer) if call.tool in _MAKERS else None
    return found[1] if found else None


def _renamed(piece: Piece, known: Mapping[tuple[Owner, str, str], str]) -> dict[str, Any]:
    return {
        name: known.get((piece.owner, name, value), value) if isinstance(value, str) else value
        for name, value in piece.call.arguments.items()
    }
