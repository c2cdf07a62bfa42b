"""What all tests share: async tests run under asyncio, and nothing is written outside a temporary folder."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

# a slow machine is no fault of the code that is tested on it
settings.register_profile("molehunt", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("molehunt")

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True, scope="session")
def _private_folders(tmp_path_factory: pytest.TempPathFactory) -> None:
    patch = pytest.MonkeyPatch()
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "INSPECT_LOG_DIR", "INSPECT_CACHE_DIR"):
        patch.setenv(name, str(home / name.lower()))
    patch.setenv("MPLCONFIGDIR", str(home / "matplotlib"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data of other people; a test that needs it skips, with a line, where it is not at hand."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data, which is not here")
    return folder


@pytest.fixture(scope="module")
def from_benchmarks() -> Iterator[Callable[[str], ModuleType]]:
    """Imports a module of ``benchmarks``, which only a checkout has, by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT))
        yield lambda name: importlib.import_module(f"benchmarks.{name}")
