"""Checks in blocks of several threads: on the emulated target, compiled for GPUs on the PTX machine, and
launched with a fake driver. Kernels are in device.cu."""

from __future__ import annotations

import ctypes
import functools
import subprocess
import threading
import time
import types
from pathlib import Path

import numpy as np
import pytest
from ptx_driver import SUCCESS, PtxDriver

import pycuda_tile as pct
from pycuda_tile.checked import KINDS

SOURCE = Path(__file__).parent / "device.cu"
LINES = SOURCE.read_text().splitlines()
GREATEST = 2**31 - 1


def line_of(text: str) -> int:
    """The only line of the source that contains the text."""
    (line,) = [number for number, line in enumerate(LINES, 1) if text in line]
    return line


@pytest.fixture(params=[4, 32, 128, "ptx"])
def module(request):
    if request.param == "ptx":
        return OnPtx(request.getfixturevalue("simt"), request.getfixturevalue("monkeypatch"))
    return emulated(request.param)


@functools.cache
def emulated(threads: int) -> pct.Module:
    return pct.build(SOURCE, target="emulated", num_threads=threads, checked=True, options=("-O1",))


class OnPtx:
    """A module for GPUs whose kernels take arrays on the host and run on the PTX machine."""

    def __init__(self, module: pct.Module, monkeypatch: pytest.MonkeyPatch):
        self._module, self._driver = module, PtxDriver()
        self._driver.install(monkeypatch)
        for name in module:  # which the driver of another test may have loaded
            launcher = module.kernel(name)._executable.launcher
            launcher._kernel = launcher.library._handle = None

    def kernel(self, name: str):
        return _Launches(self._module.kernel(name), self._driver)


class _Launches:
    def __init__(self, kernel: pct.Kernel, driver: PtxDriver):
        self._kernel, self._driver = kernel, driver

    def __getitem__(self, grid):
        def launch(*arguments):
            given = [self._driver.device_array(x) if isinstance(x, np.ndarray) else x for x in arguments]
            self._kernel[grid](*given)

        return launch


def values(changed: dict[int, int] | None = None, start: int = 1, n: int = 128) -> np.ndarray:
    """Small numbers, some of them changed."""
    array = np.full(n, start, np.int32)
    for index, value in (changed or {}).items():
        array[index] = value
    return array


def caught(module, name: str, *arguments, grid: int = 2) -> pct.UndefinedBehaviorError:
    with pytest.raises(pct.UndefinedBehaviorError) as error:
        module.kernel(name)[grid](*arguments)
    return error.value


# kernel, its input at element 64 + 37, text of its line, kind
ELEMENTS = [
    ("add", GREATEST, "void add", "integer-overflow"),
    ("divide", 0, "void divide", "division-by-zero"),
    ("shift", 32, "void shift", "shift-range"),
    ("shift", -1, "void shift", "shift-range"),
    ("bounded", 101, "assume_bounded", "assumption"),
    ("bounded", -1, "assume_bounded", "assumption"),
    ("blocked", 7, "assume_blocked", "assumption"),
    ("update", GREATEST, "atomic_add", "integer-overflow"),
]


@pytest.mark.parametrize(("name", "value", "text", "kind"), ELEMENTS)
def test_elements(module, name, value, text, kind):
    error = caught(module, name, values({101: value}), values())
    assert (error.kind, error.block, error.index) == (kind, (1, 0, 0), (37,))
    assert (error.file, error.line) == (str(SOURCE), line_of(text))
    assert str(value) in error.message or kind == "division-by-zero"
    module.kernel(name)[2](values(), values())  # nothing to report: the launcher still works


def test_runs_across_threads(module):
    x = np.arange(128, dtype=np.int32)
    module.kernel("strided")[2](x, values())
    x[64 + 8 : 64 + 12] += 2
    error = caught(module, "strided", x, values())
    assert (error.kind, error.block, error.index) == ("assumption", (1, 0, 0), (8,))


@pytest.mark.parametrize(
    ("sizes", "array", "access"), [((100, 128), "x", "read"), ((128, 100), "out", "write")]
)
def test_no_access_outside_an_array(module, sizes, array, access):
    """Element 100 is the first one outside; it is reported, and nothing is written there."""
    x, room = values(n=sizes[0], start=5), np.full(128, -1, np.int32)
    error = caught(module, "copy", x, room[: sizes[1]])
    assert (error.kind, error.block) == ("memory-bounds", (1, 0, 0))
    assert error.line == line_of("void copy(")
    assert (
        f"{access} of 4 bytes at element {64 + error.index[0]} of '{array}', which has 100" in error.message
    )
    assert 36 <= error.index[0] < 64 and (room[100:] == -1).all()


def test_masked_off_elements_are_not_accessed(module):
    room = np.full(128, -1, np.int32)
    module.kernel("copy_first")[2](values(n=100), room[:100], 100)
    assert (room[:100] == 1).all() and (room[100:] == -1).all()
    assert caught(module, "copy_first", values(n=100), room[:100], 101).kind == "memory-bounds"


def test_what_is_only_for_reading(module):
    x = values(start=3)
    error = caught(module, "write_input", x, values())
    assert error.kind == "read-only-write" and error.line == line_of("own(const_cast<int*>(x))")
    assert (x == 3).all()


def test_partitions(module):
    run = module.kernel("partition")
    run[2](values(), values(), 128)
    error = caught(module, "partition", values(), values(), 127)
    assert error.kind == "unmasked-partition" and error.line == line_of("auto values = from.load")
    error = caught(module, "partition", values(), values(), 64)
    assert error.kind == "partition-bounds" and error.block == (1, 0, 0)
    module.kernel("partition_store")[2](values(), values(n=100), 100)  # the mask keeps to the span
    error = caught(module, "partition_store", values(), values(n=100), 101)
    assert (error.kind, error.index) == ("memory-bounds", (36,))


@pytest.mark.parametrize(("which", "text"), [(0, "p.load_masked("), (1, "p.store_masked(")])
def test_the_same_check_in_two_branches(module, which, text):
    """A function that is inlined into both is the same place in each, and compilers choose their order."""
    error = caught(module, "either", values(), values(), 64, which)
    assert (error.kind, error.block) == ("partition-bounds", (1, 0, 0))
    assert error.line == line_of(text)


def test_the_kernels_own_variables_are_memory(module):
    out = values()
    module.kernel("through_table")[1](values(start=9), out)
    assert (out[:64] == 9).all()


def test_kernels_share_variables(module):
    table, out = np.arange(64, dtype=np.int32), values()
    module.kernel("through_table")[1](table, values())
    module.kernel("read_table")[1](out)
    assert (out[:64] == table).all()


def test_ignored_kinds():
    module = pct.build(
        SOURCE, target="emulated", checked=True, options=("-O1",), ignore=("integer-overflow",)
    )
    out = values()
    module.kernel("add")[2](values({101: GREATEST}), out)
    assert out[101] == -GREATEST - 1 and out[100] == 2
    assert caught(module, "divide", values({101: 0}), out).kind == "division-by-zero"


def test_the_tile_compiler_makes_no_checked_builds():
    with pytest.raises(ValueError, match="cpu, simt or emulated"):
        pct.build("", target="tile", checked=True)


# --- GPUs ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def simt() -> pct.Module:
    try:
        return pct.build(SOURCE, target="simt", checked=True, arch="sm_80")
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))


def device_code(module: pct.Module):
    from pycuda_tile.checked.device import make_checked_code

    return make_checked_code(module.ptx, SOURCE.parent)


def test_sites_lie_in_the_users_lines(simt):
    """Each check in the compiled code refers to the right line."""
    code = device_code(simt)
    users = [[line for file, line in site if Path(file) == SOURCE] for site in code.sites]
    assert all(users), "a check whose line is not known"
    for text in (*(row[2] for row in ELEMENTS), "own(const_cast<int*>(x))", "auto values = from.load"):
        assert line_of(text) in {line for lines in users for line in lines}, text
    # The same operation on two lines: two sites.
    first, second = line_of("auto b = a + 1"), line_of("auto c = b + 1")
    assert {first, second} <= {lines[0] for lines in users}
    assert b"0xc0de517e" not in code.ptx
    assert code.variables == ["table"]


def test_numbered_code_assembles(simt, tmp_path):
    ptxas = find_ptxas()
    (tmp_path / "k.ptx").write_bytes(device_code(simt).ptx[:-1])
    command = [ptxas, "-arch=sm_80", tmp_path / "k.ptx", "-o", tmp_path / "k.cubin"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    symbols = (tmp_path / "k.cubin").read_bytes()
    assert b"cuda_tile_checks\0" in symbols and b"table\0" in symbols


def find_ptxas() -> Path:
    nvidia = pytest.importorskip("nvidia", reason="no wheel of NVIDIA's is installed")
    found = [path for root in nvidia.__path__ for path in Path(root).glob("*/bin/ptxas")]
    if not found:
        pytest.skip("ptxas is not installed: pip install nvidia-cuda-nvcc")
    return found[0]


class FakeDriver(PtxDriver):
    """A driver whose launches only call `kernel(checks)` on the module's variable."""

    def __init__(self):
        from pycuda_tile.checked.device import _DeviceChecks

        super().__init__()
        self.checks, self.kernel, self.waited = _DeviceChecks(), lambda checks: None, 0

    def cuLibraryLoadData(self, code, *options):
        assert code.startswith(b"//") and code.endswith(b"\0")
        return SUCCESS, "library"

    def cuLibraryGetGlobal(self, library, name):
        if name == b"cuda_tile_checks":
            return SUCCESS, ctypes.addressof(self.checks), ctypes.sizeof(self.checks)
        return (SUCCESS, 0x9000, 256) if name == b"table" else (self.CUresult.CUDA_ERROR_NOT_FOUND, 0, 0)

    def cuLaunchKernel(self, *arguments):
        self.kernel(self.checks)
        return (SUCCESS,)

    def cuStreamSynchronize(self, stream):
        self.waited += 1
        return (SUCCESS,)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch, simt) -> FakeDriver:
    fake = FakeDriver()
    fake.install(monkeypatch)
    return fake


def device_array(address: int, n: int) -> types.SimpleNamespace:
    interface = {"shape": (n,), "typestr": "<i4", "data": (address, False), "strides": None, "version": 3}
    return types.SimpleNamespace(__cuda_array_interface__=interface)


def test_a_launch_tells_the_kernel_its_arrays(simt, driver):
    seen = []
    driver.kernel = lambda checks: seen.extend(
        (a.address, a.bytes, a.writable) for a in checks.arrays[: checks.array_count]
    )
    simt.kernel("copy")[2](device_array(0x1000, 128), device_array(0x5000, 100))
    assert seen == [(0x1000, 512, 0), (0x5000, 400, 1), (0x9000, 256, 1)]
    assert driver.waited == 1


def test_what_the_kernel_leaves_is_raised(simt, driver):
    line = line_of("void copy(")
    sites = device_code(simt).sites
    users = [[number for file, number in site if file == str(SOURCE)] for site in sites]
    site = 1 + next(i for i, lines in enumerate(users) if lines[0] == line)

    def kernel(checks):
        assert not checks.is_taken  # by the previous launch
        report = checks.report
        report.kind, report.function = KINDS.index("memory-bounds"), b"store"
        report.rank, report.index[0], report.block[0] = 1, 36, 1
        report.frames[0] = site
        report.flags, report.size, report.array, report.offset = 2, 4, 1, 400
        checks.is_taken = 1

    driver.kernel = kernel
    for _ in range(2):
        with pytest.raises(pct.UndefinedBehaviorError) as error:
            simt.kernel("copy")[2](device_array(0x1000, 128), device_array(0x5000, 100))
    assert error.value.message.splitlines() == [
        "memory-bounds: store: write of 4 bytes at element 100 of 'out', which has 100 elements",
        f"  {SOURCE}:{line}, kernel copy, block (1, 0, 0), element (36,)",
        f"    {line} | {LINES[line - 1]}",
        "  A pointer that is accessed must point to an element of an array that the kernel was given."
        " [2.7.4]",
        '  ignore=("memory-bounds",) in build() suppresses such reports.',
    ]
    driver.kernel = lambda checks: None
    simt.kernel("copy")[2](device_array(0x1000, 128), device_array(0x5000, 128))


def test_launches_of_a_module_take_turns(simt, driver):
    """Its kernels share the variable for the checks."""
    seen, runs = [], threading.Event()

    def kernel(checks):
        arrays = checks.array_count
        runs.set()
        time.sleep(0.1)  # for the other launch, which must wait
        seen.append((arrays, checks.array_count))

    driver.kernel = kernel
    copy = simt.kernel("copy")[1]
    thread = threading.Thread(target=copy, args=(device_array(0x1000, 64), device_array(0x5000, 64)))
    thread.start()
    runs.wait()
    simt.kernel("read_table")[1](device_array(0x1000, 64))
    thread.join()
    assert seen == [(3, 3), (2, 2)]


def test_ignored_kinds_are_told(driver):
    module = pct.build(
        SOURCE, target="simt", checked=True, arch="sm_80", ignore=("shift-range", "assumption")
    )
    seen = []
    driver.kernel = lambda checks: seen.append(checks.ignored)
    module.kernel("copy")[1](device_array(0x1000, 64), device_array(0x5000, 64))
    assert seen == [1 << KINDS.index("shift-range") | 1 << KINDS.index("assumption")]
