"""A bubblewrap sandbox for tests that run code in one."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from molehunt.environments.sandbox import BubblewrapConfig
from molehunt.environments.sandbox.bubblewrap import BubblewrapSandbox, bubblewrap_environment
from molehunt.environments.sandbox.enclosure import check
from molehunt.trajectories import Problem


@pytest.fixture(scope="session")
def bubblewrap_works() -> None:
    """Skips, with the reason, where bubblewrap cannot work."""
    try:
        check()
    except Problem as problem:
        pytest.skip(str(problem))


@pytest.fixture
async def box(bubblewrap_works: None) -> AsyncIterator[BubblewrapSandbox]:
    """A fresh sandbox with small limits."""
    config = BubblewrapConfig(
        memory_mb=512, cpu_seconds=1, file_mb=10, processes=20, open_files=64, workspace_mb=24
    )
    async with bubblewrap_environment(config) as one:
        yield one
