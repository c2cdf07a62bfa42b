"""Opening the models of a run, before anything is asked, and closing them after it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from molehunt.scoring.faults import one_line
from molehunt.scoring.roles import Binding
from molehunt.trajectories import Problem

if TYPE_CHECKING:
    from inspect_ai.model import Model

Models = Mapping[str, "Model"]
"""Open models by the key of their binding."""


@asynccontextmanager
async def opened(bindings: Iterable[Binding]) -> AsyncIterator[Models]:
    """Open the model of each binding, one for all bindings that differ in settings only.

    Models are not shared with other runs of the process: a client of a provider belongs to the event loop
    in which it was first used.

    Raises
    ------
    Problem
        If a provider is unknown, not installed, has no key or has no such model.
    """
    models: dict[str, Model] = {}
    async with AsyncExitStack() as stack:
        for binding in bindings:
            if binding.connection not in models:
                models[binding.connection] = await stack.enter_async_context(_open(binding))
        yield models


def _open(binding: Binding) -> Model:
    from inspect_ai.model import get_model

    try:
        return get_model(binding.model, base_url=binding.base_url, memoize=False, **dict(binding.model_args))
    # a provider may refuse with any exception: of its own, of its SDK, of Inspect
    except Exception as error:
        raise Problem(f"model {binding.model} cannot be used: {one_line(error)}") from error
