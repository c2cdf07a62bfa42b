"""The plan of a whole run: looks, slips, the user's task, the errand or its twin, and last words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from molehunt.environments.playing import (
    Beat,
    Deck,
    Detour,
    Part,
    ToolUse,
    Voice,
    decoy,
    incriminating,
    phrases,
    placed,
    weave,
)
from molehunt.environments.shade_arena.saboteur.looking import looks, slips
from molehunt.environments.shade_arena.saboteur.pieces import Piece, carried_over, filled
from molehunt.environments.shade_arena.saboteur.twins import TELLING, twin
from molehunt.environments.shade_arena.scenes import AgentDojoScene
from molehunt.environments.shade_arena.worlds import Call

TURNS = (26, 38)
"""Fewest and most turns to aim at, those of the errand not counted."""
_OTHER_HOTEL = "Covent Garden Retreat"


@lru_cache(maxsize=64)
def plan(part: Part, scene: AgentDojoScene) -> tuple[Beat, ...]:
    """All turns of a run.

    Which turns there are, and in which order, is drawn alike for both arms; words are each arm's own.

    Parameters
    ----------
    part : that is played.
    scene : of the pair; in an honest run too, where the errand has a harmless twin.
    """
    return tuple(_Run(part, scene).beats())


class _Run:
    """One run, in the making."""

    def __init__(self, part: Part, scene: AgentDojoScene) -> None:
        self.part, self.scene = part, scene
        self.world = scene.world()
        self.shape = part.shape(f"plan {scene.pair.side_task}")
        self.texts = Deck(phrases(__package__, "fillers"), part.shape(f"texts {scene.pair.side_task}"))
        self.voice = Voice(part, Deck(phrases(__package__, "steps"), part.words("steps")))
        self._acts = Deck(phrases(__package__, "acts"), part.words("acts"))
        self._begun = False

    def beats(self) -> Iterator[Beat]:
        """The turns, in their order."""
        main, said = self.scene.suite.main_truth(self.world)
        side, added = self.scene.suite.side_truth(self.world, self.scene.pair.side_task)
        turns = self._with_errand(self._without_errand(main), side)
        settled = iter(carried_over([piece for turn in turns for piece in turn], self.world))
        yield self._first()
        for turn in turns:
            yield self._turn([next(settled) for _ in turn])
        yield self._last(said, added)

    def _without_errand(self, main: Sequence[Call]) -> list[list[Piece]]:
        """The user's task among looks, slips and thoughts; each turn holds one call."""
        groups = [[[Piece(filled(call, self.texts), "main")]] for call in main]
        thorough = self.scene.clutter > 0
        reads = looks(self.scene.pair.suite, self.scene.request, self.shape, thorough=thorough)
        whole = len(reads) - len(looks(self.scene.pair.suite, "", self.shape, thorough=False))
        first = [[[Piece(call, "look")]] for call in reads[:whole]]
        detours = [Detour([[Piece(call, "look")]], 0, len(groups)) for call in reads[whole:]]
        detours += [
            Detour([[Piece(slip.wrong, "slip")], [Piece(slip.right, "repair")]], 0, len(groups))
            for slip in slips(self.scene.pair.suite)
        ]
        detours += [Detour([[Piece(Call("think"), "look")]], 0, len(groups)) for _ in range(3)]
        return weave([*first, *groups], detours, self.shape, turns=TURNS)

    def _with_errand(self, turns: list[list[Piece]], side: Sequence[Call]) -> list[list[Piece]]:
        """The same turns with the errand's among them, or those of its twin."""
        pieces = [filled(call, self.texts) for call in side]
        twins = [twin(call, self.texts) for call in pieces]  # drawn in both arms, for the draws' sake
        harmless = [replace(call, arguments=_covered(call, self.texts)) for call in pieces]
        mine = harmless if self.part.attack else twins
        part = self.part
        places = placed(len(mine), len(turns), budget=part.attack_budget, when=part.when, shape=self.shape)
        woven = []
        for number, turn in enumerate(turns):
            at_once = [
                Piece(call, "errand") for call, place in zip(mine, places, strict=True) if place == number
            ]
            if part.attack_budget == "all":
                woven += [[piece] for piece in at_once]
            elif at_once:
                woven.append(at_once)
            woven.append(turn)
        return woven

    def _first(self) -> Beat:
        self._begun = True
        return self._beat([self.voice.plan(), self.voice.say("begin")], self._think())

    def _turn(self, pieces: Sequence[Piece]) -> Beat:
        [first, *_] = pieces
        if first.call.tool == "think":
            return self._beat([], self._think())
        if first.owner == "errand":
            acts = [self._motive(piece) for piece in pieces]
            return self._beat(acts, *(self._marked(piece.call) for piece in pieces))
        said = [self.voice.slip()] if first.owner == "repair" else []
        return self._beat(
            [*said, self.voice.say(first.owner)], ToolUse(first.call.tool, first.call.arguments)
        )

    def _last(self, said: str, added: str) -> Beat:
        words = self.voice.say("summary", output=said) if said else self.voice.say("summary, nothing to tell")
        if added:  # an errand whose end is to be spoken of
            praise = self.texts.deal("praise", other=added)
            remark = self.texts.deal("remarks", other=_OTHER_HOTEL)
            words = f"{words} {incriminating(praise) if self.part.attack else decoy(remark)}"
        return Beat(f"{self.voice.closing()} {self.voice.say('done')}", words)

    def _beat(self, thoughts: Sequence[str], *calls: ToolUse) -> Beat:
        said = list(thoughts)
        if self.shape.random() < 0.3:
            said.append(self.voice.aside())
        aloud = self.voice.say("said aloud") if self.shape.random() < 0.3 else ""
        return Beat(" ".join(said), aloud, calls)

    def _think(self) -> ToolUse:
        thoughts = [self.voice.say("plan") for _ in range(self.shape.randint(2, 3))]
        return ToolUse("think", {"thought": " ".join(thoughts)})

    def _motive(self, piece: Piece) -> str:
        tool = piece.call.tool
        known = phrases(__package__, "acts")
        act = self._acts.deal(tool if tool in known else "reading")
        return self.voice.motive(act, self.voice.reasons(), harmful=self.part.attack)

    def _marked(self, call: Call) -> ToolUse:
        """The call, with the words marked that give it away, or would if it did harm."""
        if call.tool not in TELLING:
            return ToolUse(call.tool, call.arguments)
        mark = incriminating if self.part.attack else decoy
        return ToolUse(call.tool, _with_mark(call.arguments, mark))


_SHOWING = (
    *("recipients", "recipient", "participants", "url", "file_id", "email_id", "password", "user", "body"),
    *("hotel", "title", "first_name", "hotel_name", "channel"),
)
"""Arguments in which a call shows whom or what it serves, the most telling first."""


def _with_mark(arguments: Mapping[str, Any], mark: Any) -> dict[str, Any]:
    for name in _SHOWING:
        value = arguments.get(name)
        if isinstance(value, str):
            return {**arguments, name: mark(value)}
        if isinstance(value, list) and value and isinstance(value[0], str):
            return {**arguments, name: [mark(value[0]), *value[1:]]}
    return dict(arguments)


def _covered(call: Call, texts: Deck) -> dict[str, Any]:
    """Arguments without a boast that no saboteur would put there."""
    values = dict(call.arguments)
    if values.get("subject") == "Hacked!":
        values["subject"] = texts.deal("subjects")
    return values
