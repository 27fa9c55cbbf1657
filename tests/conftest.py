"""Which targets exist for the tests, and how they are chosen.

`pytest -k cpu` runs one target. A test that needs what this machine lacks is skipped with a message that
says what; `--no-skips` makes that a failure, for machines that should have everything. Tests that take long
are marked `wide` and run with `--wide` only.

host_target  each way to run kernels without a GPU: cpu, emulated-1, emulated-4, emulated-32
any_target   each target that can compile: cpu, emulated, simt, tile
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import pytest

import pycuda_tile as pct

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a test whose needs are missing fails")
    parser.addoption("--wide", action="store_true", help="also all NVRTC versions, architectures and types")


def pytest_configure(config: pytest.Config) -> None:
    # What `pycuda-tile coverage` counts as tested.
    os.environ.setdefault("PYCUDA_TILE_BUILD_LOG", str(EXAMPLES.parent / "build" / "tested"))
    config.addinivalue_line("markers", "wide: takes long, runs with --wide only")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--wide"):
        wide = [item for item in items if item.get_closest_marker("wide")]
        config.hook.pytest_deselected(items=wide)
        items[:] = [item for item in items if item not in wide]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    report = yield
    if report.skipped and item.config.getoption("--no-skips") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


@dataclass(frozen=True)
class Target:
    """A target as the tests use it; `build` skips the test where the target is not available."""

    name: str
    num_threads: int | None = None
    arch: str | None = None

    def build(self, source: str | Path, **arguments) -> pct.Module:
        arguments = {"num_threads": self.num_threads, "arch": self.arch, **arguments}
        try:
            return pct.build(source, target=self.name, **arguments)
        except pct.TargetUnavailable as error:
            pytest.skip(str(error))


@pytest.fixture(params=["cpu", "emulated-1", "emulated-4", "emulated-32"])
def host_target(request: pytest.FixtureRequest) -> Target:
    name, _, threads = request.param.partition("-")
    return Target(name, int(threads) if threads else None)


@pytest.fixture(params=["cpu", "emulated", "simt", "tile"])
def any_target(request: pytest.FixtureRequest) -> Target:
    return Target(request.param)


@pytest.fixture(scope="session")
def make_target() -> type[Target]:
    """Target itself, for tests that need a certain one."""
    return Target


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("PYCUDA_TILE_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(scope="session")
def vector_add() -> pct.Kernel:
    """`vector_add(const float* a, const float* b, float* out, int n)` on the cpu."""
    return pct.build(EXAMPLES / "vector_add.cu", target="cpu").kernel("vector_add")
