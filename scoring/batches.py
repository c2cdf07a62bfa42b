"""Requests in batches: what Inspect's batch mode needs beside it to go on, and to be heard.

The private names of Inspect that it takes are in this module only.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from molehunt.scoring.watching import Watcher

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

PAID_TWICE = (
    "requests wait in batches, for up to a day. Only this process knows which answers it waits for: if it is "
    "killed, batches under way are paid for and lost, and the same command pays for them again. Ctrl-C waits "
    "for them once."
)
"""What is to be known before a batch is sent."""


@contextmanager
def batching(watcher: Watcher) -> Iterator[None]:
    """Have what Inspect prints about batches told to ``watcher``, and its OpenAI batches read line by line.

    As Inspect reads them, one request that failed takes with it all others of its batch, which are paid for.
    """
    from inspect_ai.model._providers._openai_batch import OpenAIBatcher
    from inspect_ai.model._providers.util import batch_log

    last = ""

    def status(now: batch_log.BatchStatus) -> None:
        nonlocal last
        line = (
            f"batches: {now.batch_count} under way, {now.pending_requests} requests waiting, "
            f"{now.completed_requests} answered, {now.failed_requests} failed"
        )
        # asked for every few seconds, and the same for hours
        if line != last:
            last = line
            watcher.say(line)

    read = OpenAIBatcher._parse_jsonl_line

    def read_or_told(batcher: Any, line: dict[str, Any]) -> tuple[str, Any]:
        failure = _failure_in(line)
        return read(batcher, line) if failure is None else (str(line["custom_id"]), failure)

    batch_log.set_batch_log_callback(watcher.say)
    batch_log.set_batch_status_callback(status)
    OpenAIBatcher._parse_jsonl_line = read_or_told  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        OpenAIBatcher._parse_jsonl_line = read  # type: ignore[method-assign]
        batch_log.set_batch_log_callback(None)
        batch_log.set_batch_status_callback(None)


def _failure_in(line: dict[str, Any]) -> Exception | None:
    """What a line of a result file says went wrong with its request, None if nothing did.

    Examples
    --------
    >>> _failure_in({"response": None, "error": {"code": "batch_expired", "message": "It took too long."}})
    RuntimeError('batch_expired: It took too long.')
    """
    response = line.get("response") or {}
    body = response.get("body") or {}
    error = line.get("error") or (body.get("error") if isinstance(body, dict) else None)
    if not error:
        return None
    code = error.get("code") or response.get("status_code") or "error"
    return RuntimeError(f"{code}: {error.get('message', error)}")


def keep_batches_going() -> None:
    """See to it that a batch that could not be sent does not keep all later ones from being sent.

    Inspect sends batches from one task, which ends when a provider refuses a batch; the requests of that one
    are told, and all others would wait for ever. Within an evaluation Inspect ends that; here the task is
    begun again.
    """
    from inspect_ai._util.background import set_background_task_group

    set_background_task_group(cast("TaskGroup", _BegunAgain()))


class _BegunAgain:
    """As much of a task group as Inspect uses."""

    tasks: set[asyncio.Task[None]] = set()  # noqa: RUF012 - the loop itself holds tasks weakly

    def start_soon(self, work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        task = asyncio.get_running_loop().create_task(self._run(work, *arguments))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    @staticmethod
    async def _run(work: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        while True:
            try:
                return await work(*arguments)
            # whatever it was, those whose batch it befell have been told it
            except Exception:  # noqa: BLE001
                await asyncio.sleep(0)
