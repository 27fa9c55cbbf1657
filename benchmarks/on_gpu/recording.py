"""A plugin of pytest that records each launch on the PTX machine, or replaces it by what a GPU gave.

    pytest -p recording --record FOLDER      writes FOLDER/launches-*.jsonl and what they hold, FOLDER/blobs
    pytest -p recording --replay RESULTS --gpu-bundle BUNDLE
                                             tests judge what a GPU gave where that differs; all other
                                             launches run on the PTX machine

All tests build for one architecture, --gpu-arch, whatever they say, so that a GPU of it can run their code.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import struct
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
from bundle import ALIGNMENT, DIFFERENCES, Buffer, Bundle, Launch, Pointer, blob_name, launch_of

import pycuda_tile as pct

if TYPE_CHECKING:
    from pycuda_tile.targets.target import Request

ARCH = "sm_90a"
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
_WAITING = pytest.StashKey[dict[str, list[str]]]()
_NEAR = 1 << 20  # how far a pointer may be from the array to which it belongs, in bytes


def run_tests(*options: str) -> int:
    """The exit status of pytest with this plugin."""
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-q", "--wide", "-p", "recording", *options]
    return subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": path}).returncode


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record", type=Path, metavar="FOLDER")
    parser.addoption("--replay", type=Path, metavar="RESULTS")
    parser.addoption("--gpu-bundle", type=Path, metavar="BUNDLE", help="of which the results are")
    parser.addoption("--gpu-arch", default=ARCH)


def pytest_sessionstart(session: pytest.Session) -> None:
    from run_ptx import PtxKernel

    option = session.config.getoption
    pct.build = for_one_arch(pct.build, option("--gpu-arch"))
    if folder := option("--record"):
        PtxKernel.execute = recorded(PtxKernel.execute, folder)
    elif folder := option("--replay"):
        bundle = Bundle(option("--gpu-bundle"))
        waiting = session.config.stash[_WAITING] = differences(folder)
        PtxKernel.execute = replayed(PtxKernel.execute, folder, bundle, waiting)


def pytest_sessionfinish(session: pytest.Session) -> None:
    for name in session.config.stash.get(_WAITING, {}):
        print(f"\n{name}: no test made this launch, so that nothing judged it")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def for_one_arch(build: Callable, arch: str) -> Callable:
    @functools.wraps(build)
    def build_for_arch(source: object, **arguments: object) -> pct.Module:
        if arguments.get("target") == "simt":
            arguments["arch"] = arch
        return build(source, **arguments)

    return build_for_arch


def recorded(execute: Callable, folder: Path) -> Callable:
    (folder / "blobs").mkdir(parents=True, exist_ok=True)
    lines = (folder / f"launches-{os.getpid()}.jsonl").open("w")

    def keep(content: bytes) -> str:
        place = folder / "blobs" / blob_name(content)
        if not place.exists():
            partial = place.with_suffix(f".{os.getpid()}")
            partial.write_bytes(content)
            partial.replace(place)
        return place.name

    made: Counter[str] = Counter()

    @functools.wraps(execute)
    def record(kernel, grid, arguments, globe) -> None:
        before = describe(kernel, grid, arguments, globe, made)
        read = reads_of(globe)
        ranges = ranges_of(arguments, globe)
        for content in (kernel.launcher.library.code(), *(content.tobytes() for _, content, _ in ranges)):
            keep(content)
        text = keep(kernel.ptx.encode())
        execute(kernel, grid, arguments, globe)
        buffers = [
            buffer._replace(after=keep(content.tobytes()), is_read=start in read)
            for buffer, (start, content, _) in zip(before.buffers, ranges, strict=True)
        ]
        launch = before._replace(buffers=tuple(buffers))
        record = launch._asdict() | {"ptx": text, "source": source_of(kernel.request)}
        lines.write(json.dumps(record) + "\n")
        lines.flush()

    return record


def differences(folder: Path) -> dict[str, list[str]]:
    """The blobs that launches gave on a GPU where these differ, by the launch's name."""
    records = map(json.loads, (folder / DIFFERENCES).read_text().splitlines())
    return {record["name"]: record["contents"] for record in records}


def replayed(execute: Callable, folder: Path, bundle: Bundle, waiting: dict[str, list[str]]) -> Callable:
    """Takes the results of launches out of `waiting` instead of making them."""
    known = {launch.name: launch for launch in bundle.launches}
    made: Counter[str] = Counter()

    @functools.wraps(execute)
    def replay(kernel, grid, arguments, globe) -> None:
        launch = describe(kernel, grid, arguments, globe, made)
        if launch.name not in waiting:
            execute(kernel, grid, arguments, globe)
            return
        if compared(launch, known[launch.name]) != compared(known[launch.name], known[launch.name]):
            pytest.fail(f"{launch.name} is not the launch that the GPU made: make the bundle again")
        ranges = ranges_of(arguments, globe)
        for (address, content, _), key in zip(ranges, waiting.pop(launch.name), strict=True):
            found = (folder / "differences" / key).read_bytes()
            assert len(found) == len(content)
            ctypes.memmove(address, found, len(content))

    return replay


def compared(launch: Launch, known: Launch) -> tuple[object, ...]:
    """What launches have in common that give the same: of memory, what the known one reads."""
    pairs = zip(launch.buffers, known.buffers, strict=False)
    read = [buffer.before for buffer, other in pairs if other.is_read]
    how = launch.code, launch.symbol, launch.grid, launch.threads, launch.arguments, launch.pointers
    return *how, len(launch.buffers), read


def reads_of(globe) -> set[int]:
    """The addresses of the ranges that are read from now on."""
    find, read = globe._find, set()

    def noted(addresses, size, writes):
        found = find(addresses, size, writes)
        if not writes:
            read.update(start for _, (start, _) in found)
        return found

    globe._find = noted
    return read


def ranges_of(arguments, globe) -> list[tuple[int, np.ndarray, bool]]:
    """The ranges of memory in the order in which arguments point to them, whatever their addresses are."""
    ranges = globe.ranges()
    order = dict.fromkeys(found[0] for _, _, found in pointers_of(arguments, ranges))
    return [ranges[i] for i in [*order, *(i for i in range(len(ranges)) if i not in order)]]


def pointers_of(arguments, ranges) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """Argument, place in it, and what nearest() says of the address there."""
    for argument, content in enumerate(arguments):
        for place in range(0, len(content) - 7, 8):
            if found := nearest(struct.unpack_from("<Q", content, place)[0], ranges):
                yield argument, place, found


def describe(kernel, grid, arguments, globe, made: Counter[str]) -> Launch:
    """A launch, before it is made; `after` of its buffers is empty. `made` counts those of each test."""
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    made[test] += 1
    ranges = ranges_of(arguments, globe)
    buffers = tuple(
        Buffer(address % ALIGNMENT, blob_name(content.tobytes()), "", True) for address, content, _ in ranges
    )
    pointers = tuple(Pointer(n, place, *found) for n, place, found in pointers_of(arguments, ranges))
    words = [bytearray(content) for content in arguments]
    for pointer in pointers:
        words[pointer.argument][pointer.place : pointer.place + 8] = bytes(8)
    return Launch(
        name=f"{test} {made[test]}",
        test=test,
        stage="",
        kernel=kernel.name,
        code=blob_name(kernel.launcher.library.code()),
        symbol=kernel.launcher._symbol,
        grid=tuple(grid),
        threads=kernel.launcher._threads,
        shared=kernel.launcher._shared,
        arguments=tuple(word.hex() for word in words),
        pointers=pointers,
        buffers=buffers,
    )


def nearest(address: int, ranges: list) -> tuple[int, int] | None:
    """The range to which an address belongs and its offset there, if it is the address of anything. One at
    which a range ends and another begins is of the latter."""
    distances = [
        (max(start - address, address - start - len(content) + 1, 0), number)
        for number, (start, content, _) in enumerate(ranges)
    ]
    distance, number = min(distances, default=(_NEAR, 0))
    return (number, address - ranges[number][0]) if distance < _NEAR else None


class Record(NamedTuple):
    """A launch, the blob of its PTX, and arguments of pct.build() for its source."""

    launch: Launch
    ptx: str
    source: dict[str, Any]


def source_of(request: Request) -> dict[str, Any]:
    """What JSON can hold of a request; see build_again."""
    return {
        "path": str(request.path) if request.path else None,
        "text": None if request.path else request.text,
        "include_dirs": list(map(str, request.include_dirs)),
        "defines": dict(request.defines),
    }


def build_again(source: dict[str, Any], **arguments: Any) -> pct.Module:
    """Builds a source that source_of() has described."""
    text = Path(source["path"]) if source["path"] else source["text"]
    return pct.build(text, include_dirs=source["include_dirs"], defines=source["defines"], **arguments)


def read_records(folder: Path) -> list[Record]:
    """The launches in the files of all processes; the same launch once."""
    found: dict[str, Record] = {}
    for path in sorted(folder.glob("launches-*.jsonl")):
        for line in path.read_text().splitlines():
            record = json.loads(line)
            text, source = record.pop("ptx"), record.pop("source")
            found.setdefault(record["name"], Record(launch_of(record), text, source))
    return list(found.values())
