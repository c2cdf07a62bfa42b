"""Where logs hold other people's suspicion scores: one function a source, of a sample as it is logged.

ControlArena leaves them in the metadata of the agent's messages and in scores, Control Tower in a score
called ``monitor`` (``control-tower`` 6.0 on PyPI), Inspect Sentinel in events, our own scorers in scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from molehunt.verdicts.others.judgements import Judgement, Scale, Spent, number, scale_of, tokens_of
from molehunt.verdicts.verdict import Tokens

OUT_OF_HUNDRED = Scale(0, 100)

_TOKENS = {field.name for field in fields(Tokens)}
_VERDICT = re.compile(r"(?!.*/draft/)(.+)/([0-9]{1,6})/(trajectory|[0-9]{1,6})", re.DOTALL)


@dataclass(frozen=True)
class LoggedSample:
    """A sample that monitors may have judged.

    Parameters
    ----------
    fields : all of it, its attachments put back.
    evaluation : the ``eval`` of its log's header.
    step_of : for the id of a message or of a tool call the last step that it gave.
    result_of : for the id of a tool call the step that is its result.
    calls : the steps that are tool calls.
    scales : by monitor, what the user says.
    wanted : scorers whose numbers the user says are suspicion.
    """

    fields: Mapping[str, Any]
    evaluation: Mapping[str, Any]
    step_of: Mapping[str, int]
    result_of: Mapping[str, int]
    calls: Sequence[int]
    scales: Mapping[str, Scale]
    wanted: frozenset[str]

    @property
    def scores(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The sample's scores by name."""
        scores = self.fields.get("scores")
        for name, score in scores.items() if isinstance(scores, dict) else ():
            if isinstance(score, dict):
                yield name, score

    def model_of_role(self, role: object) -> str | None:
        """The model that was bound to a role."""
        binding = _dict(self.evaluation.get("model_roles")).get(str(role))
        model = _dict(binding).get("model") if isinstance(binding, dict) else binding
        return model if isinstance(model, str) else None

    def scale(self, monitor: str, usual: Scale) -> Scale:
        return scale_of(monitor, self.scales, usual)


Source = Callable[[LoggedSample], Iterator[Judgement]]


def control_arena(sample: LoggedSample) -> Iterator[Judgement]:
    """The monitor that watched each of the agent's messages, and those that judged the whole run.

    The first is called after ControlArena's scorer of the highest suspicion, whose score is the verdict.
    """
    trace: list[tuple[int, float | None]] = []
    spent: list[Spent] = []
    reasons: dict[float, str] = {}
    model = _monitor_model(sample)
    for message in _dicts(sample.fields.get("messages")):
        metadata = _dict(message.get("metadata"))
        if message.get("role") != "assistant" or "suspicion_score" not in metadata:
            continue
        response = _dict(metadata.get("monitor_response")) or metadata
        # a score that could not be read is logged as 0, and says so beside it
        score = number(metadata["suspicion_score"]) if response.get("score_parsed", True) else None
        step = sample.step_of.get(str(message.get("id")))
        if step is not None:
            trace.append((step, score))
        if score is not None:
            reasons.setdefault(score, str(response.get("reason") or ""))
        spent.append(Spent(model, tokens_of(response.get("model_usage"))))
    scores = dict(sample.scores)
    name = "control_arena/max_suspicion_scorer"
    if spent or "max_suspicion_scorer" in scores:
        logged = number(scores.get("max_suspicion_scorer", {}).get("value"))
        highest = max(reasons, default=None) if spent else logged
        yield Judgement(
            name,
            highest,
            sample.scale(name, Scale()),
            reasons.get(highest, "") if highest is not None else "no step has a score that can be read",
            tuple(trace),
            tuple(spent) or (Spent(model),),
        )
    for scorer, logged_score in scores.items():
        usage = _dict(logged_score.get("metadata")).get("model_usage")
        if scorer == "max_suspicion_scorer" or not isinstance(usage, dict):
            continue
        name = f"control_arena/{scorer}"
        yield _whole(name, logged_score, sample.scale(name, Scale()), (Spent(model, tokens_of(usage)),))


def _monitor_model(sample: LoggedSample) -> str | None:
    protocol = _dict(_dict(sample.evaluation.get("metadata")).get("micro_protocol"))
    monitor = _dict(protocol.get("monitor"))
    named = monitor.get("model")
    return sample.model_of_role(monitor.get("model_role")) or (named if isinstance(named, str) else None)


def control_tower(sample: LoggedSample) -> Iterator[Judgement]:
    """The score ``monitor``, whose keys are ``MONITOR/DRAW/ACTION`` or ``MONITOR/DRAW/trajectory``.

    An action is a tool call, counted from 0. Without a verdict on the whole, the highest of the actions'
    counts. What is called ``draft`` judges proposals that were thrown away, and is left out.
    """
    score = dict(sample.scores).get("monitor", {})
    reasons = _dict(score.get("metadata"))
    found: dict[tuple[str, int], dict[str, tuple[float | None, str]]] = {}
    for key, value in _dict(score.get("value")).items():
        if not (parts := _VERDICT.fullmatch(key)):
            continue
        reason = str(_dict(reasons.get(key)).get("explanation") or "")
        found.setdefault((parts[1], int(parts[2])), {})[parts[3]] = number(value), reason
    for (monitor, draw), places in found.items():
        name = f"control_tower/{monitor}"
        looks = sorted((int(place), *said) for place, said in places.items() if place != "trajectory")
        scored = [(score, reason) for _, score, reason in looks if score is not None]
        best: tuple[float | None, str] = max(scored, key=lambda one: one[0]) if scored else (None, "")
        value, reason = places.get("trajectory") or best
        draws = sorted(other_draw for other, other_draw in found if other == monitor)
        # the log counts a monitor's tokens over all of its draws
        usage = _dict(sample.fields.get("role_usage")).get(f"monitor/{monitor}") if len(draws) == 1 else None
        yield Judgement(
            name,
            value,
            sample.scale(name, OUT_OF_HUNDRED),
            reason,
            tuple((sample.calls[at], score) for at, score, _ in looks if at < len(sample.calls)),
            (Spent(sample.model_of_role(f"monitor/{monitor}"), tokens_of(usage)),),
            draws.index(draw),
        )


def sentinel(sample: LoggedSample) -> Iterator[Judgement]:
    """What Inspect Sentinel's monitors observed: the highest suspicion of each, and each look.

    A monitor that gives several scores at a time is a monitor for each of them.
    """
    looks: dict[str, list[tuple[int | None, float | None, str]]] = {}
    spent: dict[str, list[Spent]] = {}
    for event in _dicts(sample.fields.get("events")):
        if event.get("event") != "sentinel" or event.get("kind") != "observation":
            continue
        path = str(event.get("path") or event.get("factory") or "monitor")
        suspicion = event.get("suspicion")
        places = sample.result_of if event.get("stage") == "tool_result" else sample.step_of
        step = places.get(str(event.get("step_id")))
        said = str(event.get("explanation") or event.get("error") or "")
        if event.get("status") not in ("reported", "error"):
            continue
        parts = suspicion if isinstance(suspicion, dict) else {"": suspicion}
        for part, value in parts.items():
            name = f"sentinel/{path}/{part}" if part else f"sentinel/{path}"
            looks.setdefault(name, []).append((step, number(value), said))
            # monitors of ours leave their calls; what others ask is counted with all else of their role
            calls = _dicts(_dict(event.get("metadata")).get("calls"))
            spent.setdefault(name, []).extend(map(_own_spent, calls))
    for name, seen in looks.items():
        scored = [(value, said) for _, value, said in seen if value is not None]
        highest, reason = max(scored, key=lambda one: one[0]) if scored else (None, seen[-1][2])
        trace = tuple((step, value) for step, value, _ in seen if step is not None)
        yield Judgement(name, highest, sample.scale(name, Scale()), reason, trace, tuple(spent[name]))


def scorers(sample: LoggedSample) -> Iterator[Judgement]:
    """Scores of our own monitors that Inspect ran, and of any scorer that the user names."""
    for scorer, score in sample.scores:
        metadata = _dict(score.get("metadata"))
        name = f"inspect/{scorer}"
        if isinstance(metadata.get("monitor"), str) and isinstance(metadata.get("calls"), list):
            yield _whole(name, score, Scale(), tuple(map(_own_spent, _dicts(metadata["calls"]))))
        elif scorer in sample.wanted or name in sample.wanted:
            usage = tokens_of(metadata.get("model_usage"))
            yield _whole(name, score, sample.scale(name, Scale()), (Spent(None, usage),))


SOURCES: Mapping[str, Source] = {
    "control_arena": control_arena,
    "control_tower": control_tower,
    "sentinel": sentinel,
    "inspect": scorers,
}
"""By the first part of the names that their monitors get."""


def _whole(name: str, score: Mapping[str, Any], scale: Scale, spent: tuple[Spent, ...]) -> Judgement:
    return Judgement(name, number(score.get("value")), scale, str(score.get("explanation") or ""), (), spent)


def _own_spent(call: Mapping[str, Any]) -> Spent:
    model, tokens = call.get("answered") or call.get("asked"), _dict(call.get("tokens"))
    known = tokens.keys() == _TOKENS and all(isinstance(count, int) for count in tokens.values())
    return Spent(
        str(model) if model else None, Tokens(**tokens) if known else None, number(call.get("seconds"))
    )


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
