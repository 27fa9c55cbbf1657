"""Which targets exist for the tests, and how they are chosen.

`pytest -k cpu` runs one target. A test that needs what this machine lacks is skipped with a message that
says what; `--no-skips` makes that a failure, for machines that should have everything.

Slow tests are marked `wide`: `--wide` runs all of them, `--part 2/5` the second of five parts, and a command
that names a test (FILE::TEST) runs it anyway. What runs by default:

- `sampled(n)` leaves one in n combinations of a test's parameters, such that each value of each still runs.
- Besides cpu, each test runs on one of its targets, not always the same one. `every_target` marks those that
  run on all of them, with one number of emulated threads.
- Of what these leave in `FOLDERS_OF_BUILDS`, one in `SHARE` runs: of the cases of a test, and of the tests
  that have one. Which ones depends on K of `--part K/N`; a command that names a file runs all in it. Those
  marked `always` run each time.
- Tests in `python` build op by op in two of three, unless they are marked `fused`; these, too, depend on K.

host_target  each way to run kernels without a GPU: cpu, emulated-1, emulated-4, emulated-32
any_target   each target that can compile: cpu, emulated, simt, tile
"""

from __future__ import annotations

import argparse
import functools
import os
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import pytest

import pycuda_tile as pct
from pycuda_tile.development.coverage import sources
from pycuda_tile.targets.target import Compiled, Request
from pycuda_tile.targets.target import Target as Descriptor

# Values of parameters of which one runs by default.
ROTATED = {
    "any_target": ("emulated", "simt", "tile"),
    "target": ("emulated-4", "emulated-32", "ptx"),
    "host_target": ("emulated-1", "emulated-4", "emulated-32"),
}
EMULATED = ("emulated-4", "emulated-32")  # of which one runs where every target does
# Folders of tests of which each builds something; not the one that builds every operation everywhere.
FOLDERS_OF_BUILDS = frozenset(
    "checked cutile debug examples nvcc nvrtc packaging programs ptx python simt tileir_cxx".split()  # noqa: SIM905
)
SHARE = 3  # one in so many of them runs by default
# For each test function and parameter, its values as text, in the order of the tests.
Positions = dict[tuple[str, str], dict[str, int]]
EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


# Folders whose tests build as users do; all others are about the header or the translation op by op.
AS_USERS_BUILD = frozenset(
    "checked cutile debug docs examples launcher packaging programs python tileir_loops".split()  # noqa: SIM905
)


# How long an example takes depends on what else the machine does.
hypothesis.settings.register_profile("any time", hypothesis.settings(), deadline=None)
hypothesis.settings.load_profile("any time")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    os.environ["PYCUDA_TILE_OPTIMIZE"] = str(int(_builds_as_users(item)))


def _builds_as_users(item: pytest.Item) -> bool:
    if _folder(item) != "python" or item.get_closest_marker("fused") or item.config.getoption("--wide"):
        return _folder(item) in AS_USERS_BUILD
    return (zlib.crc32(_function(item).encode()) + _turn(item.config)) % 3 == 0


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a test whose needs are missing fails")
    parser.addoption("--wide", action="store_true", help="also the tests that take long")
    parser.addoption(
        "--part",
        metavar="K/N",
        type=_part,
        default=(0, 1),
        help="also part K of N of the tests that take long",
    )


def _part(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if not found or not 1 <= int(found[1]) <= int(found[2]):
        raise argparse.ArgumentTypeError(f"{text!r} is not a part: 2/5 is the second of five")
    return int(found[1]), int(found[2])


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault(sources.VARIABLE, str(EXAMPLES.parent / "build" / "tested"))
    Descriptor.compile = recorded(Descriptor.compile)
    config.addinivalue_line("markers", "wide: takes long, runs with --wide or --part only")
    config.addinivalue_line("markers", "always: builds nothing, so that it runs each time")
    config.addinivalue_line("markers", "every_target: runs on each kind of target by default")
    config.addinivalue_line("markers", "fused: about fused code, so that it is never built op by op")
    config.addinivalue_line("markers", "sampled(n): one in n combinations of the parameters is not wide")


def recorded(compile: Callable[..., Compiled]) -> Callable[..., Compiled]:
    """Target.compile() that records the sources of kernels, which `pycuda-tile coverage` counts as tested."""

    @functools.wraps(compile)
    def compile_and_record(target: Descriptor, request: Request, *arguments: object) -> Compiled:
        compiled = compile(target, request, *arguments)
        if compiled.executables:
            sources.record(target.name, request.text)
        return compiled

    return compile_and_record


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--wide") or any("::" in argument for argument in config.args):
        return
    positions: Positions = defaultdict(dict)
    for item in items:
        if hasattr(item, "callspec") and _is_sampled_out(item, positions):
            item.add_marker("wide")
    wide = [item for item in items if item.get_closest_marker("wide")]
    left_out = set(wide) - set(_part_of(wide, *config.getoption("--part")))
    if not any(argument.endswith(".py") for argument in config.args):
        left_out |= _left_out_of_builds(items, _turn(config))
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def _turn(config: pytest.Config) -> int:
    """Rotates what runs, so that CI, which draws a part for each commit, runs all of it in turn."""
    return config.getoption("--part")[0]


def _is_sampled_out(item: pytest.Function, positions: Positions) -> bool:
    function, parameters = _function(item), item.callspec.params
    place = {}  # position of each parameter's value among those of the test
    for name, value in parameters.items():
        seen = positions[function, name]
        place[name] = seen.setdefault(repr(value), len(seen))
    sampled = item.get_closest_marker("sampled")
    if sampled:
        return sum(place.values()) % sampled.args[0] != 0
    rotated = {"target": EMULATED} if item.get_closest_marker("every_target") else ROTATED
    for name, values in rotated.items():
        if parameters.get(name) in values:
            chosen = zlib.crc32(function.encode()) + sum(place.values()) - place[name]
            return values[chosen % len(values)] != parameters[name]
    return False


def _left_out_of_builds(items: list[pytest.Item], turn: int) -> set[pytest.Item]:
    """What is left out of the cases that the others have left."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        marked = any(item.get_closest_marker(name) for name in ("always", "wide", "every_target"))
        if _folder(item) in FOLDERS_OF_BUILDS and not marked:
            cases[_function(item)].append(item)
    left_out = set()
    for function, alike in cases.items():
        share = SHARE if len(alike) == 1 else min(SHARE, len(alike))
        chosen = (zlib.crc32(function.encode()) + turn) % share
        left_out |= {item for place, item in enumerate(alike) if place % SHARE != chosen}
    return left_out


def _function(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(Path(__file__).parent).parts[0]


def _part_of(items: list[pytest.Item], part: int, parts: int) -> list[pytest.Item]:
    """Deals each test function's items to the parts in turn, so that all parts take about equally long."""
    dealt: Counter[str] = Counter()
    chosen = []
    for item in items:
        function = _function(item)
        dealt[function] += 1
        if (zlib.crc32(function.encode()) + dealt[function]) % parts + 1 == part:
            chosen.append(item)
    return chosen


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    report = yield
    if report.skipped and item.config.getoption("--no-skips") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
    return report


@dataclass(frozen=True)
class Target:
    """A target for tests; `build` skips the test if the target is not available."""

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
    """The class Target, for tests that need a particular target."""
    return Target


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache that only this test uses."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("PYCUDA_TILE_CACHE_DIR", str(folder))
    return folder


@pytest.fixture(scope="session")
def vector_add() -> pct.Kernel:
    """`vector_add(const float* a, const float* b, float* out, int n)` on the cpu."""
    return pct.build(EXAMPLES / "vector_add.cu", target="cpu").kernel("vector_add")
