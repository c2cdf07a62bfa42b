"""Which model plays which role, and with what settings."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from molehunt.monitors import Monitor
from molehunt.monitors.registry import check_roles
from molehunt.trajectories import Problem
from molehunt.verdicts.prices import BATCH

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig

ModelSpec = str | Mapping[str, Any]
"""A model's name, or a mapping with ``model`` and settings, such as ``{"model": ..., "temperature": 0}``."""

DEFAULTS: Mapping[str, Any] = {"temperature": 1.0, "max_tokens": 4096}
"""Settings of a call where neither user nor monitor says otherwise; reasoning counts as output."""

EMBEDDED_DEFAULTS: Mapping[str, Any] = {"temperature": 0.0, "max_tokens": 256}
"""The same for embedded models: small ones that are sampled from wander off, and soon repeat themselves."""

TRANSPORT: Mapping[str, Any] = {
    "max_retries": 5,
    "timeout": 900,
    "attempt_timeout": 300,
    # unless told so, Inspect asks an OpenAI reasoner a question of its own first, which nobody would count
    "reasoning_summary": "none",
}
"""How a request is sent, which changes no score: five more attempts over some minutes, none for ever.

The clients of OpenAI and Anthropic make each attempt up to three times, and wait as long as the server says.
"""

BATCH_HOURS = 26
"""Providers answer a batch within a day, or tell that they have not."""

BATCH_TRANSPORT: Mapping[str, Any] = {
    **TRANSPORT,
    # who gives a batch up pays for it all the same
    "timeout": BATCH_HOURS * 3600,
    "attempt_timeout": BATCH_HOURS * 3600,
}
"""The same for requests that wait in a batch."""

BATCH_PROVIDERS = ("openai", "anthropic", "google", "grok", "together")
"""Providers whose batch API Inspect uses; asked for batches of others, it would send single requests."""

TRANSPORT_NAMES = frozenset(
    {
        "max_retries",
        "timeout",
        "attempt_timeout",
        "stream_idle_timeout",
        "max_connections",
        "adaptive_connections",
        "batch",
        "cache_prompt",
    }
)

UNSUPPORTED = frozenset(
    {"cache", "system_message", "num_choices", "best_of", "fail_on_refusal", "fallback_models"}
)
"""Settings of Inspect that would go behind the back of the store, the layout of prompts or the bindings."""


@dataclass(frozen=True)
class Binding:
    """A model and its settings.

    Parameters
    ----------
    model : as Inspect names it, ``provider/model``.
    config : settings of generation that were asked for; they win over a monitor's own.
    transport : retries, timeouts and connections, which are no part of its identity.
    base_url : where the provider is, if not where Inspect looks.
    model_args : arguments of the provider.
    answers_as : further names under which this model answers, for gateways and deployments.

    Raises
    ------
    Problem
        If the name has no provider, or batches are asked for and the provider has none.
    """

    model: str
    config: Mapping[str, Any] = field(default_factory=dict, hash=False)
    transport: Mapping[str, Any] = field(default_factory=dict, hash=False)
    base_url: str | None = None
    model_args: Mapping[str, Any] = field(default_factory=dict, hash=False)
    answers_as: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        provider, _, name = self.model.partition("/")
        if not (provider and name):
            raise Problem(
                f"model {self.model!r} does not say whose it is. Write provider/model, "
                "such as openai/gpt-4.1-mini or embedded/smollm2-135m."
            )
        if self.batched and (provider not in BATCH_PROVIDERS or "/" in name):
            raise Problem(
                f"model {self.model} has no batch API that Inspect uses. Leave out --batch, or take "
                f"a model of {', '.join(BATCH_PROVIDERS)}."
            )

    @property
    def embedded(self) -> bool:
        """Whether the model runs in this process."""
        return self.model.startswith("embedded/")

    @property
    def batched(self) -> bool:
        """Whether requests go through the provider's batch API."""
        return bool(self.transport.get("batch"))

    @property
    def priced_as(self) -> str:
        """The name under which its price is found."""
        return f"{self.model}{BATCH}" if self.batched else self.model

    @cached_property
    def content(self) -> str:
        """Digest of the file that an embedded model is named by, since another file is another model."""
        path = Path(self.model.partition("/")[2]).expanduser()
        if not (self.embedded and path.suffix == ".gguf" and path.is_file()):
            return ""
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    @cached_property
    def connection(self) -> str:
        """The same for bindings that differ in settings only."""
        where = [self.model, self.base_url, dict(self.model_args), self.content]
        return json.dumps(where, sort_keys=True, default=str)

    @property
    def identity(self) -> dict[str, Any]:
        """All that can change what the model answers, defaults included; JSON values."""
        where = {"base_url": self.base_url} if self.base_url else {}
        arguments = {"model_args": dict(self.model_args)} if self.model_args else {}
        content = {"content": self.content} if self.content else {}
        return {"model": self.model, "config": self.settings(), **where, **arguments, **content}

    def settings(self, asked: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Settings of a call: defaults, then what the monitor asked for, then what the user bound."""
        defaults = EMBEDDED_DEFAULTS if self.embedded else DEFAULTS
        return {**defaults, **(asked or {}), **self.config}

    def generate_config(self, settings: Mapping[str, Any]) -> GenerateConfig:
        """Inspect's config for a call with ``settings``."""
        from inspect_ai.model import GenerateConfig

        # an embedded model has nowhere to fail on the way, and may take long
        transport = {} if self.embedded else BATCH_TRANSPORT if self.batched else TRANSPORT
        return GenerateConfig(**{**transport, **self.transport, **settings})


def binding_of(spec: ModelSpec) -> Binding:
    """The binding that a user wrote.

    Raises
    ------
    Problem
        If there is no model in it, or a setting is unknown or cannot be kept.

    Examples
    --------
    >>> binding_of({"model": "openai/gpt-4.1", "temperature": 0, "max_retries": 2}).config
    {'temperature': 0}
    """
    if isinstance(spec, str):
        return Binding(spec.strip())
    settings = dict(spec)
    model = settings.pop("model", None)
    if not isinstance(model, str):
        given = ", ".join(map(str, spec)) or "nothing"
        raise Problem(f"a binding names its model, as in {{model: openai/gpt-4.1-mini, …}}, not only {given}")
    base_url = settings.pop("base_url", None)
    model_args = settings.pop("model_args", {})
    answers_as = settings.pop("answers_as", ())
    if _hold_a_key({**settings, "model_args": model_args}) or "@" in urlsplit(str(base_url)).netloc:
        raise Problem(f"the key of {model} would be written to the store. Put it in the environment instead.")
    check_settings(settings, f"model {model}")
    return Binding(
        model=model.strip(),
        config={name: value for name, value in settings.items() if name not in TRANSPORT_NAMES},
        transport={name: value for name, value in settings.items() if name in TRANSPORT_NAMES},
        base_url=base_url,
        model_args=model_args,
        answers_as=(answers_as,) if isinstance(answers_as, str) else tuple(answers_as),
    )


_KEY = re.compile(r"(?:^|[_-])(?:key|secret|password|token|authorization)$", re.IGNORECASE)


def _hold_a_key(settings: Any) -> bool:
    """Whether anything in them is named as a key is, such as a header ``Authorization``."""
    if isinstance(settings, Mapping):
        return any(_KEY.search(str(name)) or _hold_a_key(value) for name, value in settings.items())
    return isinstance(settings, list | tuple) and any(map(_hold_a_key, settings))


def check_settings(settings: Mapping[str, Any], whose: str) -> None:
    """Raise a `Problem` if a setting is none of Inspect's, is of the wrong type, or cannot be kept.

    Inspect itself ignores a setting that it does not know.
    """
    if not settings:
        return
    import pydantic
    from inspect_ai.model import GenerateConfig

    known = sorted(set(GenerateConfig.model_fields) - UNSUPPORTED)
    for name in settings:
        if name not in known:
            raise Problem(
                f"{whose} has no setting {name!r}. It may have {', '.join(known)}; "
                "what only its provider knows goes under model_args."
            )
    try:
        GenerateConfig(**settings)
    except pydantic.ValidationError as error:
        [first, *_] = error.errors()
        where = ".".join(map(str, first["loc"]))
        raise Problem(f"{whose} cannot have {where} {first['input']!r}: {first['msg']}") from error


def bind(
    monitors: Iterable[Monitor],
    model: ModelSpec | None = None,
    roles: Mapping[str, ModelSpec] | None = None,
) -> dict[str, Binding]:
    """Bind every role of ``monitors``: to its own model, else to the one for all roles.

    Raises
    ------
    Problem
        If a role has no model, or a model was given for a role that no monitor has.
    """
    given = {role: binding_of(spec) for role, spec in (roles or {}).items()}
    common = None if model is None else binding_of(model)
    monitors = list(monitors)
    check_roles(monitors, given)
    bindings = {}
    for monitor in monitors:
        for role in monitor.roles:
            binding = given.get(role, common)
            if binding is None:
                raise Problem(
                    f"role {role!r} of monitor {monitor.spec.name!r} has no model. "
                    f"Bind it: --role {role}=openai/gpt-4.1-mini, or give --model for all roles."
                )
            bindings[role] = binding
    return bindings
