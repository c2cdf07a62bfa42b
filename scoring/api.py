"""Scoring from Python: `score`, its async twin, and the plan of a run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import ExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar, Unpack

from anyio.from_thread import start_blocking_portal

from molehunt.scoring.batches import PAID_TWICE, batching
from molehunt.scoring.budget import Budget
from molehunt.scoring.done import Engine
from molehunt.scoring.garbage import uncollected
from molehunt.scoring.job import Job, Options, Sources, Specs, job_of
from molehunt.scoring.models import opened
from molehunt.scoring.order import by_shared_prompt
from molehunt.scoring.outcome import Outcome
from molehunt.scoring.plan import Plan, Planner
from molehunt.scoring.run import Runner, work_left
from molehunt.scoring.watching import Watcher
from molehunt.trajectories import Problem, Run
from molehunt.trajectories.labels import contradictions
from molehunt.trajectories.unread import Unread
from molehunt.verdicts import Store

T = TypeVar("T")


def score(
    sources: Sources,
    monitors: Specs,
    *,
    store: str | Path,
    progress: Watcher | None = None,
    **options: Unpack[Options],
) -> Outcome:
    """Let monitors judge recorded trajectories; what has been judged before is not judged again.

    Every call and every verdict is in the store when it is made: whatever ends the run, the same command
    goes on where it ended. It may be called from a notebook, where an event loop runs already.

    Parameters
    ----------
    sources : files, folders or globs of logs.
    monitors : specs (``eae(min_excerpts=8)``, ``file.py@name``), monitors, or YAML files with a grid of
        monitors and models.
    store : SQLite file, made if there is none.
    progress : is told how far the run is.
    **options : see `Options`.

    Returns
    -------
    Outcome
        Counts of what was done, what could not be read and what it cost.

    Raises
    ------
    Problem
        Before anything is spent: if a source is missing, a monitor, role, model or parameter is unknown, a
        role has no model, a price is unknown under ``max_usd``, or the store cannot be used. Later on: if the
        store cannot be written any more and no verdict has been made; else a note of the outcome says it.
    KeyboardInterrupt
        On Ctrl-C, when the calls in flight have returned and are stored; at once on a second one.

    Examples
    --------
    >>> import json, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> log, store = Path(folder.name, "runs.json"), Path(folder.name, "scores.db")
    >>> said = [{"role": "user", "content": "Add."}, {"role": "assistant", "content": "```\\na + b\\n```"}]
    >>> sample = {"id": 1, "epoch": 1, "input": "Add.", "messages": said}
    >>> header = {"task": "sums", "model": "openai/gpt-4.1"}
    >>> _ = log.write_text(json.dumps({"status": "success", "eval": header, "samples": [sample]}))
    >>> score(log, ["length", "keyword"], store=store).counts
    Counter({'scored': 2})
    >>> score(log, ["length", "keyword"], store=store).already
    2
    >>> folder.cleanup()
    """
    return _blocking(lambda: score_async(sources, monitors, store=store, progress=progress, **options))


async def score_async(
    sources: Sources,
    monitors: Specs,
    *,
    store: str | Path,
    progress: Watcher | None = None,
    **options: Unpack[Options],
) -> Outcome:
    """The same as `score` for callers with an event loop.

    Cancelled, it asks nothing more, waits for the calls in flight and stores them, and is cancelled then.
    """
    job = job_of(sources, monitors, **options)
    budget = Budget(job.bindings, job.prices, job.max_usd)
    runs = job.read()
    progress = progress or Watcher()
    async with _engine(job, budget, progress) as engine_on:
        with Store.open(store) as writable, uncollected():
            return await _score(job, runs, writable, engine_on(writable), progress)


def plan(
    sources: Sources,
    monitors: Specs,
    *,
    store: str | Path,
    progress: Watcher | None = None,
    each: Callable[[Run], None] = lambda run: None,
    **options: Unpack[Options],
) -> Plan:
    """What `score` would do and cost; nothing is asked, and nothing is written, not even an empty store.

    Tokens and dollars are estimates: how long the answers will be nobody knows. ``each`` is shown every run
    that is read.
    """
    return _blocking(
        lambda: plan_async(sources, monitors, store=store, progress=progress, each=each, **options)
    )


async def plan_async(
    sources: Sources,
    monitors: Specs,
    *,
    store: str | Path,
    progress: Watcher | None = None,
    each: Callable[[Run], None] = lambda run: None,
    **options: Unpack[Options],
) -> Plan:
    """The same as `plan` for callers with an event loop."""
    job = job_of(sources, monitors, **options)
    Budget(job.bindings, job.prices, job.max_usd)
    job.check_providers()
    runs = job.read()
    progress = progress or Watcher()
    if job.batched:
        progress.say(PAID_TWICE)
    with ExitStack() as stack:
        known = stack.enter_context(Store.read(store)) if Path(store).exists() else None
        planner = Planner(job.entries, job.draws, job.prices, known)
        return await planner.plan(_shown(runs, each), progress.reading)


def _shown(runs: Iterator[Run | Unread], each: Callable[[Run], None]) -> Iterator[Run | Unread]:
    for run in runs:
        if isinstance(run, Run):
            each(run)
        yield run


@asynccontextmanager
async def _engine(job: Job, budget: Budget, progress: Watcher) -> AsyncIterator[Callable[[Store], Engine]]:
    """What does the work on a store, its models or its cluster at hand."""
    job.check_providers()
    if job.batched:
        progress.say(PAID_TWICE)
    if job.runner == "ray":
        from molehunt.scoring.ray_runner import RayRunner, connected

        with connected(job.ray_address):
            yield lambda store: RayRunner(store, job, progress)
    else:
        async with opened(job.bindings) as models:
            with batching(progress) if job.batched else nullcontext():
                yield lambda store: Runner(store, models, budget, progress)


async def _score(
    job: Job, runs: Iterator[Run | Unread], store: Store, engine: Engine, progress: Watcher
) -> Outcome:
    read, trajectories, unread = 0, dict[str, None](), list[Unread]()
    labels: Counter[str] = Counter()
    overruled = kept = 0
    with store.groups():
        for run in runs:
            if isinstance(run, Unread):
                unread.append(run)
                continue
            # a table of labels is given to correct what the logs, or an earlier table, said
            kept += not store.add_run(run, overrule=job.truth.labels is not None)
            trajectories[run.trajectory.id] = None
            labels[run.truth.label if run.truth else "unlabelled"] += 1
            overruled += job.truth.is_overruled(run)
            read += 1
            progress.reading(read)
            # reading never waits, and without a pause Ctrl-C would not be heard
            await asyncio.sleep(0)
    entries = job.entries
    for entry in entries:
        store.add_monitor(entry.record)
    if trajectories:
        entries = await by_shared_prompt(entries, store.trajectory(next(iter(trajectories))))
    work, already = work_left(list(trajectories), entries, job.draws, store)
    trouble = job.truth.left_over() if read else []
    try:
        await engine.run(work, job.in_flight)
    except Problem as problem:
        # what was made before the store could take no more is in it, and is counted
        if not engine.done.made:
            raise
        trouble.append(str(problem))
    done = engine.done
    return Outcome(
        store=store.path,
        runs=read,
        trajectories=len(trajectories),
        made=done.made,
        already=already,
        left=done.left,
        unread=tuple(unread),
        usd=done.spent.usd,
        calls=done.spent.calls,
        replayed=done.spent.replayed,
        unpriced=tuple(sorted(done.spent.unpriced)),
        unmetered=done.spent.unmetered,
        labels=dict(labels),
        notes=(*trouble, *done.notes, *contradictions(read, overruled, kept)),
        stopped=done.stopped,
        failures=done.failures,
    )


def _blocking(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    async def heard() -> T | KeyboardInterrupt:
        try:
            return await work()
        except KeyboardInterrupt as interrupt:  # out of a task it would tear down the loop
            return interrupt

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # not asyncio.run, which Inspect replaces in a process that has called it from within a loop, by one
        # that does not hear Ctrl-C: calls that are under way and paid for would be dropped
        with asyncio.Runner() as runner:
            result = runner.run(heard())
    else:
        # a notebook: its loop is busy with the cell that called
        with start_blocking_portal() as portal:
            result = portal.call(heard)
    if isinstance(result, KeyboardInterrupt):
        raise result
    return result
