"""Inspect's own checks of a sandbox provider, run on ours."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from inspect_ai.util import SandboxEnvironment
from inspect_ai.util._sandbox.self_check import *  # noqa: F403, the checks are tests; a private name, only here

from molehunt.environments.sandbox.bubblewrap import bubblewrap_environment

NOT_APPLICABLE = {"test_exec_as_user": "the sandbox has one user, by design"}


@pytest.fixture
async def sandbox_env(
    request: pytest.FixtureRequest, bubblewrap_works: None
) -> AsyncIterator[SandboxEnvironment]:
    if reason := NOT_APPLICABLE.get(request.node.originalname):
        pytest.skip(reason)
    async with bubblewrap_environment() as box:
        yield box
