"""Progress on the terminal: a bar where there is one, else a line now and then."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from molehunt.scoring.watching import Tally, Watcher
from molehunt.trajectories.wording import count

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress, TaskID

SECONDS_BETWEEN_LINES = 30.0


def watcher_for(console: Console) -> Watcher:
    """The watcher that suits where ``console`` writes."""
    return Bar(console) if console.is_terminal else Lines(console)


class Bar(Watcher):
    """A bar with what is done, unscored and spent, and the time that is left."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._progress: Progress | None = None
        self._task: TaskID | None = None

    def reading(self, runs: int) -> None:
        """Count the runs that have been read."""
        progress = self._shown()
        if self._task is None:
            self._task = progress.add_task("reading", total=None, words="")
        progress.update(self._task, words=count(runs, "run"))

    def scoring(self, tally: Tally) -> None:
        """Move the bar."""
        progress = self._shown()
        if self._task is None:
            self._task = progress.add_task("", total=None, words="")
        progress.update(
            self._task,
            description="scoring",
            total=tally.total,
            completed=tally.done,
            words=in_words(tally),
        )

    def say(self, line: str) -> None:
        """Print a line above the bar."""
        self._console.print(line, markup=False, highlight=False)

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._progress is not None:
            self._progress.stop()

    def _shown(self) -> Progress:
        if self._progress is None:
            from rich.progress import BarColumn, Progress, TextColumn

            # "left" is computed from this run's verdicts; rich's own estimate forgets what is slow
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[words]}"),
                console=self._console,
            )
            self._progress.start()
        return self._progress


class Lines(Watcher):
    """A line at the beginning and the end, and every half minute between."""

    def __init__(self, console: Console, every: float = SECONDS_BETWEEN_LINES) -> None:
        self._console = console
        self._every = every
        self._next = 0.0

    def scoring(self, tally: Tally) -> None:
        """Say how far it is, if it is time."""
        now = time.monotonic()
        if tally.total and (now >= self._next or tally.done == tally.total):
            self._next = now + self._every
            self.say(in_words(tally))

    def say(self, line: str) -> None:
        """Print a line."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def in_words(tally: Tally) -> str:
    """How far a run is.

    Examples
    --------
    >>> in_words(Tally(done=10, total=40, unscored=2, usd=0.25, seconds=60.0))
    '10/40 verdicts, 2 unscored, $0.25, 3:00 left'
    """
    spent = "price unknown" if tally.usd is None else dollars(tally.usd)
    parts = [f"{tally.done}/{tally.total} verdicts", f"{tally.unscored} unscored", spent]
    left = tally.seconds_left
    if left is not None and tally.done < tally.total:
        parts.append(f"{duration(left)} left")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """Minutes and seconds, hours where there are any.

    Examples
    --------
    >>> duration(61.4), duration(3600)
    ('1:01', '1:00:00')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def dollars(usd: float) -> str:
    """An amount with as many digits as it needs: cents from ten cents on, else two that count.

    Examples
    --------
    >>> dollars(0), dollars(0.00123), dollars(0.25), dollars(1234.5)
    ('$0', '$0.0012', '$0.25', '$1,234.50')
    """
    if usd == 0:
        return "$0"
    if usd >= 0.1:
        return f"${usd:,.2f}"
    digits = f"{usd:.2g}"
    return f"${float(digits):.10f}".rstrip("0")
