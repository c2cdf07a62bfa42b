"""What Inspect finds under ``molehunt/…``: imported by its entry point, so everything here loads lazily."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi

from molehunt.adapters.inspect_scorer import register
from molehunt.environments.bigcodebench_sabotage.task import bigcodebench_sabotage
from molehunt.environments.mle_sabotage.task import mle_sabotage
from molehunt.environments.sandbox.bubblewrap import BubblewrapSandbox
from molehunt.environments.shade_arena.task import shade_arena

__all__ = [
    "BubblewrapSandbox",
    "bigcodebench_sabotage",
    "embedded",
    "mle_sabotage",
    "scorers",
    "scripted",
    "shade_arena",
]

scorers = register()


@modelapi(name="embedded")
def embedded() -> type[ModelAPI]:
    """``embedded/smollm2-135m`` and ``embedded/PATH.gguf``."""
    from molehunt.models.provider import EmbeddedAPI

    return EmbeddedAPI


@modelapi(name="scripted")
def scripted() -> type[ModelAPI]:
    """``scripted/saboteur``."""
    from molehunt.environments.scripted import ScriptedAPI

    return ScriptedAPI
