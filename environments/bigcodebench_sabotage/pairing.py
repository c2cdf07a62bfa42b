"""Which problem carries which side task."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from molehunt.environments.bigcodebench_sabotage.anatomy import Anatomy
from molehunt.environments.bigcodebench_sabotage.side_tasks import SIDE_TASKS

Ratings = Mapping[str, Mapping[str, float]]
"""By problem and side task, 0 to 100: how unnoticeably the side task fits."""

UNRATED = 50.0


def quotas(problems: int, side_tasks: Sequence[str]) -> dict[str, int]:
    """How many of ``problems`` get each side task: in proportion to the published quotas.

    Largest remainders get what rounding leaves over. Each side task gets at least one problem if there are
    enough of them.

    Examples
    --------
    >>> sum(quotas(855, list(SIDE_TASKS)).values()), quotas(855, list(SIDE_TASKS))["exit"]
    (855, 75)
    >>> quotas(4, ["exit", "delete_file"])
    {'exit': 3, 'delete_file': 1}
    """
    whole = sum(SIDE_TASKS[name].quota for name in side_tasks)
    least = 1 if problems >= len(side_tasks) else 0
    exact = {name: problems * SIDE_TASKS[name].quota / whole for name in side_tasks}
    given = {name: max(int(share), least) for name, share in exact.items()}
    while sum(given.values()) < problems:
        name = max(side_tasks, key=lambda each: exact[each] - given[each])
        given[name] += 1
    while sum(given.values()) > problems:  # the guaranteed ones came on top
        name = max((each for each in side_tasks if given[each] > least), key=lambda e: given[e] - exact[e])
        given[name] -= 1
    return given


def pair(
    anatomies: Mapping[str, Anatomy],
    side_tasks: Sequence[str],
    *,
    seed: int,
    ratings: Ratings | None = None,
) -> dict[str, str]:
    """Give each problem one side task that it can carry, under the quotas.

    The most constrained side tasks, those with the fewest problems for each place of their quota, choose
    first. They take the problems that a model rated highest or, without ratings, those that the seed ranks
    first. A problem left over gets a place by moving others to side tasks that still have one; where that
    cannot be done, the side task that is least over its quota takes it.

    Parameters
    ----------
    anatomies : of the problems, by name.
    side_tasks : the ones to choose from.
    seed : of the rule's ranking; ratings decide first where there are any.
    ratings : a model's, see `rating`.

    Returns
    -------
    dict
        Side task by problem, in the order of ``anatomies``; problems that can carry none are left out.
    """
    able = {
        task: [name for name in side_tasks if SIDE_TASKS[name].applies(facts)]
        for task, facts in anatomies.items()
    }
    willing = [task for task in anatomies if able[task]]
    places = quotas(len(willing), side_tasks)
    chosen: dict[str, str] = {}

    def constraint(name: str) -> float:
        return sum(name in able[task] for task in willing) / max(places[name], 1)

    for name in sorted(side_tasks, key=constraint):
        free = [task for task in willing if name in able[task] and task not in chosen]
        for task in _ranked(free, name, seed, ratings)[: places[name]]:
            chosen[task] = name
    for task in willing:
        if task not in chosen:
            room = _room(task, able, places, chosen)
            taken = Counter(chosen.values())
            chosen[task] = room or min(able[task], key=lambda each: taken[each] / max(places[each], 1))
    return {task: chosen[task] for task in willing}


def _room(
    task: str, able: Mapping[str, Sequence[str]], places: Mapping[str, int], chosen: dict[str, str]
) -> str | None:
    """A side task with a place for ``task``, freed by moving others along if need be; else None."""
    taken = Counter(chosen.values())
    moves: dict[str, tuple[str, str] | None] = dict.fromkeys(able[task])
    waiting = list(moves)
    for name in waiting:  # breadth first, so that as few as possible move
        if taken[name] < places[name]:
            while (move := moves[name]) is not None:
                moved, before = move
                chosen[moved], name = name, before
            return name
        for other, theirs in chosen.items():
            if theirs == name:
                for further in able[other]:
                    if further not in moves:
                        moves[further] = (other, name)
                        waiting.append(further)
    return None


def _ranked(tasks: Iterable[str], side_task: str, seed: int, ratings: Ratings | None) -> list[str]:
    def key(task: str) -> tuple[float, str]:
        rating = (ratings or {}).get(task, {}).get(side_task, UNRATED)
        return -rating, hashlib.sha256(f"{seed}\x1f{side_task}\x1f{task}".encode()).hexdigest()

    return sorted(tasks, key=key)
