"""Verdicts as results of Inspect Scout: a scan whose scanners look them up instead of asking anybody.

So the results are written by Scout itself, in whatever layout it has, and lead back to its transcripts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from shutil import rmtree

from inspect_scout import Result, Scanner, Transcript, scan, scanner, transcripts_from

from molehunt.adapters.kept import PREFIX, Kept
from molehunt.trajectories import Problem


def write_scan(kept: Kept, transcripts: Sequence[Path], out: Path) -> Path:
    """Write the verdicts of a store as a scan, with a scanner for each monitor.

    A result's value is the mean of the draws, None where there is no score; its explanation is the rationale,
    and status, excerpts, trace and calls are in its metadata.

    Parameters
    ----------
    kept : the verdicts.
    transcripts : Inspect's logs in ``.eval`` and folders of them, or one transcript database of Scout's.
    out : folder for scans.

    Returns
    -------
    Path
        The scan's folder, for `scout view` and ``inspect_scout.scan_results_df``.

    Raises
    ------
    Problem
        If there are no verdicts, or Scout cannot read the transcripts.
    """
    if not kept.monitors:
        raise Problem("the store has no verdicts to write")
    if unfit := [path for path in transcripts if path.is_file() and path.suffix != ".eval"]:
        raise Problem(f"{unfit[0]}: Scout reads logs in .eval alone; make it one with: inspect log convert")
    names = dict(zip(_file_names(kept.monitors), kept.monitors, strict=True))
    status = scan(
        [(name, looked_up(kept, monitor)) for name, monitor in names.items()],
        transcripts_from([str(path) for path in transcripts]),
        scans=str(out),
        max_processes=1,
        display="none",
        metadata={"monitors": names},
    )
    if not status.complete:
        rmtree(status.location, ignore_errors=True)
        why = status.errors[0].error if status.errors else "it found nothing in them that it can read"
        raise Problem(f"Scout could not scan {', '.join(map(str, transcripts))}: {why}")
    return Path(status.location)


@scanner(messages="all", name="molehunt_verdicts", version=1)
def looked_up(kept: Kept, monitor: str) -> Scanner[Transcript]:
    """What the store has of one monitor: a result for each transcript, without a value if it has none."""

    async def scan(transcript: Transcript) -> Result:
        for score in kept.of(transcript.transcript_id, transcript.task_repeat or 1):
            if score.name == monitor:
                return Result(value=score.value, explanation=score.first.rationale, metadata=score.details)
        return Result(value=None, explanation="the store has no verdict on this transcript")

    return scan


def _file_names(monitors: Sequence[str]) -> list[str]:
    """Names of monitors that can be names of files, and are different still.

    Examples
    --------
    >>> _file_names(["molehunt/eae [a/b]", "molehunt/eae [a:b]"])
    ['eae_a_b', 'eae_a_b_2']
    """
    names: list[str] = []
    for monitor in monitors:
        name = re.sub(r"[^A-Za-z0-9]+", "_", monitor.removeprefix(PREFIX)).strip("_")[:80] or "monitor"
        same = sum(other == name or other.startswith(f"{name}_") for other in names)
        names.append(f"{name}_{same + 1}" if name in names else name)
    return names
