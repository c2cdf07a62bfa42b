"""What a run leaves of its agreement with the garbage collector."""

from __future__ import annotations

import gc

import pytest

from molehunt.scoring.garbage import uncollected


def test_what_a_run_sets_aside_is_collected_again_afterwards() -> None:
    with uncollected():
        assert gc.get_freeze_count() > 0
    assert gc.get_freeze_count() == 0


def test_it_is_collected_again_also_after_a_run_that_failed() -> None:
    with pytest.raises(ValueError, match="broken"), uncollected():
        raise ValueError("broken")
    assert gc.get_freeze_count() == 0


def test_what_somebody_else_has_set_aside_stays_so() -> None:
    gc.freeze()
    try:
        with uncollected():
            pass
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
