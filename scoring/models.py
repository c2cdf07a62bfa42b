"""Opening the models of a run, before anything is asked, and closing them after it."""

from __future__ import annotations

import difflib
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from molehunt.scoring.faults import one_line
from molehunt.scoring.roles import Binding
from molehunt.trajectories import Problem

if TYPE_CHECKING:
    from inspect_ai.model import Model

Models = Mapping[str, "Model"]
"""Open models by the key of their binding."""

_LACKING = re.compile(r"No (.+) defined in the environment")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


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


def check_provider(model: str) -> None:
    """Refuse a model of a provider that Inspect does not know, without opening it or needing its key.

    Parameters
    ----------
    model : ``provider/model``.

    Raises
    ------
    Problem
        If nobody has registered such a provider; the message names those that are spelled alike.

    Examples
    --------
    >>> check_provider("opnai/gpt-4.1")
    Traceback (most recent call last):
        ...
    molehunt.trajectories.problem.Problem: model opnai/gpt-4.1: there is no provider opnai. Did you mean ...?
    """
    # opening would ask for a key, and load the weights of a model that is local
    from inspect_ai._util.registry import RegistryInfo, registry_find, registry_unqualified_name

    provider = model.partition("/")[0]

    def provides(info: RegistryInfo) -> bool:
        return info.type == "modelapi" and registry_unqualified_name(info) == provider

    # packages that bring providers of their own are loaded when nothing else answers
    if not registry_find(provides):
        known = {
            registry_unqualified_name(info) for info in registry_find(lambda info: info.type == "modelapi")
        }
        alike = " or ".join(difflib.get_close_matches(provider, sorted(known)))
        hint = f"Did you mean {alike}?" if alike else "Inspect's documentation lists them."
        raise Problem(f"model {model}: there is no provider {provider}. {hint}")


@contextmanager
def opening(model: str) -> Iterator[None]:
    """Turn what a provider refuses ``model`` with into a `Problem`, which names the variable that is not set.

    Examples
    --------
    >>> with opening("openai/gpt-4.1"):
    ...     raise ValueError("Unable to start, No OPENAI_API_KEY defined in the environment.")
    Traceback (most recent call last):
        ...
    molehunt.trajectories.problem.Problem: model openai/gpt-4.1 cannot be used: set OPENAI_API_KEY in the ...
    """
    try:
        yield
    # a provider may refuse with any exception: of its own, of its SDK, of Inspect
    except Exception as error:
        why = one_line(error)
        lacking = _LACKING.search(why)
        if variables := _VARIABLE.findall(lacking[1]) if lacking else []:
            why = f"set {' or '.join(variables)} in the environment."
        raise Problem(f"model {model} cannot be used: {why}") from error


def _open(binding: Binding) -> Model:
    from inspect_ai.model import get_model

    with opening(binding.model):
        return get_model(binding.model, base_url=binding.base_url, memoize=False, **dict(binding.model_args))
