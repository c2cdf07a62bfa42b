"""What a run spares the garbage collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Leave what there is already out of the collector's rounds.

    A run makes and drops many small things, and each full round would visit the hundreds of thousands that
    stay, Inspect's and the providers'.
    """
    if gc.get_freeze_count():  # whoever froze something thaws it
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
