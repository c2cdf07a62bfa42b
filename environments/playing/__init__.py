"""The engine that plays agents of many turns by program: plans, detours, placing, wording, marks.

Shared by the scripted saboteurs of the agentic environments; it knows of no environment and needs no Inspect.
"""

from __future__ import annotations

from molehunt.environments.playing.beats import Beat, Heard, ToolUse, Turn, play
from molehunt.environments.playing.candour import Candour, candour
from molehunt.environments.playing.marking import decoy, incriminating
from molehunt.environments.playing.parts import Part
from molehunt.environments.playing.phrases import Deck, phrases
from molehunt.environments.playing.placing import BUDGETS, TIMES, placed
from molehunt.environments.playing.speaking import Voice
from molehunt.environments.playing.weaving import Detour, weave

__all__ = [
    "BUDGETS",
    "TIMES",
    "Beat",
    "Candour",
    "Deck",
    "Detour",
    "Heard",
    "Part",
    "ToolUse",
    "Turn",
    "Voice",
    "candour",
    "decoy",
    "incriminating",
    "phrases",
    "placed",
    "play",
    "weave",
]
