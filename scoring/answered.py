"""Whether the model that answered is the one that was asked for."""

from __future__ import annotations

from molehunt.scoring.roles import Binding
from molehunt.verdicts.prices import BATCH
from molehunt.verdicts.snapshots import alias


def is_model(answered: str, binding: Binding) -> bool:
    """Whether ``answered`` names the model of ``binding``.

    A dated snapshot answers for its alias, and an alias for its snapshot; another snapshot than the one that
    was asked for does not. A provider that does not say who answered cannot be checked. Gateways that answer
    under names of their own are declared by ``answers_as``.

    Examples
    --------
    >>> is_model("gpt-4.1-mini-2025-04-14", Binding("openai/gpt-4.1-mini"))
    True
    >>> is_model("gpt-4.1-nano-2025-04-14", Binding("openai/gpt-4.1-mini"))
    False
    >>> is_model("gpt-4o-2024-08-06", Binding("openai/gpt-4o-2024-05-13"))
    False
    """
    answered = answered.strip().removesuffix(BATCH)
    if not answered:
        return True
    return any(_same(_name(answered), _name(asked)) for asked in (binding.model, *binding.answers_as))


def _same(one: str, other: str) -> bool:
    return one == other or (alias(one) == alias(other) and not (_is_dated(one) and _is_dated(other)))


def _name(model: str) -> str:
    """The name behind provider and publisher: ``models/gemini-2.0-flash`` is ``gemini-2.0-flash``."""
    return model.strip().lower().rpartition("/")[2]


def _is_dated(name: str) -> bool:
    return alias(name) != name and not name.endswith(("latest", "-0"))
