"""What a run scores with: monitors whose roles have models, and the records under which they are kept."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from molehunt.monitors import AnswerMode, Monitor
from molehunt.monitors.identity import monitor_digest
from molehunt.monitors.specs import spec_text
from molehunt.scoring.grid import Group
from molehunt.scoring.messages import LAYOUT
from molehunt.scoring.roles import Binding
from molehunt.trajectories import View
from molehunt.verdicts import MonitorRecord


@dataclass(frozen=True)
class Entry:
    """A monitor, the models of its roles, how their answers are read, and what the store says of it all."""

    monitor: Monitor
    models: Mapping[str, Binding]
    answer: AnswerMode
    record: MonitorRecord

    @property
    def title(self) -> str:
        """What it is, for people."""
        return f"{self.record.spec} · {self.record.models}" if self.record.models else self.record.spec

    def in_batches(self) -> Entry:
        """The same, asked through the providers' batch APIs."""
        models = {
            role: binding
            if binding.embedded or "batch" in binding.transport
            else replace(binding, transport={**binding.transport, "batch": True})
            for role, binding in self.models.items()
        }
        return replace(self, models=models)


def entries_of(groups: Sequence[Group], answer: AnswerMode | None = None) -> list[Entry]:
    """The entries of ``groups``, the same monitor with the same models once.

    Parameters
    ----------
    groups : monitors and models.
    answer : how answers are read, one way for all; by default see `default_answer`.
    """
    mode = answer or default_answer(binding for group in groups for binding in group.bindings.values())
    entries = {}
    for group in groups:
        for monitor in group.monitors:
            entry = entry_of(monitor, {role: group.bindings[role] for role in monitor.roles}, mode)
            entries[entry.record.id] = entry
    return list(entries.values())


def entry_of(monitor: Monitor, models: Mapping[str, Binding], answer: AnswerMode) -> Entry:
    """The entry of one monitor, whose roles have these models."""
    return Entry(monitor, models, answer, _record(monitor, models, answer))


def default_answer(bindings: Iterable[Binding]) -> AnswerMode:
    """``expected`` if there are models and all are embedded, else ``text``.

    What small models write as a score means little; the probabilities of its digits mean more.

    Examples
    --------
    >>> default_answer([Binding("embedded/smollm2-135m")])
    'expected'
    >>> default_answer([Binding("embedded/smollm2-135m"), Binding("openai/gpt-4.1-mini")])
    'text'
    """
    embedded = [binding.embedded for binding in bindings]
    return "expected" if embedded and all(embedded) else "text"


def _record(monitor: Monitor, models: Mapping[str, Binding], answer: AnswerMode) -> MonitorRecord:
    identities = {role: binding.identity for role, binding in models.items()}
    laid_out = {role: {**identity, "layout": LAYOUT} for role, identity in identities.items()}
    return MonitorRecord(
        id=monitor_digest(monitor, laid_out, answer),
        name=monitor.spec.name,
        spec=spec_text(monitor),
        models=_in_words(models),
        roles=identities,
        answer=answer if models else "text",
        source=monitor.source,
        oracle=monitor.oracle,
        params=json.loads(json.dumps(dict(monitor.spec.params), default=_plain)),
    )


def _in_words(models: Mapping[str, Binding]) -> str:
    words = {role: _model_in_words(binding) for role, binding in models.items()}
    if len(set(words.values())) <= 1:
        return next(iter(words.values()), "")
    return ", ".join(f"{role}={model}" for role, model in words.items())


def _model_in_words(binding: Binding) -> str:
    settings = ", ".join(f"{name}={value}" for name, value in binding.config.items())
    return f"{binding.model} ({settings})" if settings else binding.model


def _plain(value: Any) -> Any:
    if isinstance(value, Monitor):
        return spec_text(value)
    if isinstance(value, View):
        return dict(vars(value))
    return str(value)
