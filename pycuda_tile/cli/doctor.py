"""What `pycuda-tile doctor` finds out: for each target what is there, what is missing, and what installs
it."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass

from ..checked.lines import line_tool
from ..compilers import nvrtc, toolchain
from ..errors import Error, TargetUnavailable
from ..launching import gpu
from ..launching.launcher import num_workers
from ..system import cache, resources
from ..system.install import advice
from ..version import VERSION


@dataclass
class Finding:
    """compiles, runs: what the target can do here; notes: what was found or is missing, a line each."""

    target: str
    compiles: bool
    runs: bool
    notes: list[str]


def examine() -> list[Finding]:
    """One finding a target."""
    return [_host("cpu"), _host("emulated"), _simt(), _tile()]


def report() -> tuple[str, bool]:
    """The text for people, and whether at least one target runs here."""
    info = cache.info()
    lines = [
        f"pycuda_tile {VERSION}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}",
        f"headers  {resources.include_dir()}",
        f"cache    {info['folder']}: {info['entries']} entries, {info['bytes'] / 1e6:.1f} MB",
        "",
    ]
    if (platform.system(), platform.machine()) not in (("Linux", "x86_64"), ("Linux", "aarch64")):
        lines.insert(1, "this platform is untested: Linux on x86-64 and aarch64 are supported")
    findings = examine()
    for finding in findings:
        state = (
            "runs here"
            if finding.runs
            else "compiles, cannot run here"
            if finding.compiles
            else "not available"
        )
        lines.append(f"{finding.target:9} {state}")
        lines += [f"          {note}" for note in finding.notes]
    lines.append(f"front end {_front_end()}")
    lines.append(f"tools     {_tools()}")
    return "\n".join(lines), any(finding.runs for finding in findings)


_PROBE = """
#include "cuda_tile.h"
__tile_global__ void probe(int* out) { out[cuda::tiles::bid().x] = 1; }
"""


def _host(target: str) -> Finding:
    notes: list[str] = []
    compiles = _try(notes, lambda: f"compiler: {toolchain.find_compiler()}")
    launcher = resources.launcher_library()
    notes.append(f"launcher: {launcher or 'is compiled when it is first used'}")
    runs = compiles and _try(notes, lambda: _run_probe(target))
    if compiles:
        notes.append(_small_floats(nvrtc.host_include_dirs()))
    return Finding(target, compiles, runs, notes)


def _run_probe(target: str) -> str:
    """Builds and launches a small kernel: a compiler that is there need not work."""
    import numpy as np

    from ..building.builder import build

    out = np.zeros(4, np.int32)
    build(_PROBE, target=target).kernel("probe")[4](out)
    if out.tolist() != [1] * 4:
        raise Error("a kernel was built and launched, and its result is wrong")
    return f"a kernel was built and launched, on {num_workers()} cores"


def _small_floats(folders: list[str]) -> str:
    """Where the headers of __half and its sisters come from."""
    found = next((folder for folder in folders if os.path.isfile(os.path.join(folder, "cuda_fp16.h"))), None)
    return f"cuda_fp16.h and others: {found or f'our own; for NVIDIA headers: {advice(gpu.EXTRA)}'}"


def _simt() -> Finding:
    notes: list[str] = []
    found = _try(notes, lambda: f"NVRTC {_version(gpu.EXTRA)}")
    if found:
        notes.append(_small_floats(nvrtc.include_dirs()))
    return Finding("simt", found, _device(notes) and found, notes)


def _tile() -> Finding:
    from ..targets import tile

    notes: list[str] = []
    found = _try(notes, lambda: f"NVRTC {_version(tile.EXTRA)}")
    found = found and _try(notes, lambda: f"NVIDIA's headers: {tile.check_available()[0]}")
    assembles = _try(notes, lambda: f"tileiras: {tile.find_tileiras()}")
    return Finding("tile", found, _device(notes) and found and assembles, notes)


def _version(extra: str) -> str:
    return ".".join(map(str, nvrtc.version(extra)))


def _device(notes: list[str]) -> bool:
    driver, capability = gpu.driver_version(), gpu.compute_capability()
    if driver is None:
        notes.append(
            "missing: no driver for CUDA GPUs: install NVIDIA's, for instance with apt install nvidia-driver"
        )
        return False
    notes.append(f"driver: for CUDA up to {driver}")
    if capability is None:
        notes.append("missing: no CUDA GPU that the driver shows to this process")
        return False
    notes.append(f"GPU: {gpu.device_name()}, compute capability {capability[0]}.{capability[1]}")
    if not gpu.has_cuda_python():
        notes.append(f"missing: launching needs cuda-python: {advice(gpu.EXTRA)}")
    return gpu.is_usable()


def _tools() -> str:
    """What checked builds and `run --debug` call."""
    lines = line_tool()
    reports = f"{lines[0]}, for lines in reports of checked builds" if lines else ""
    missing = "no addr2line: reports of checked builds lack lines; install binutils"
    return f"{reports or missing}; {'gdb' if shutil.which('gdb') else 'no gdb'}, for run --debug"


def _front_end() -> str:
    from ..frontend import clang

    cindex = clang.load()
    if cindex is None:
        return f"libclang is not installed: no lints, no kernels of macros: {advice(clang.EXTRA)}"
    return "libclang, for pycuda-tile check and kernels that macros make"


def _try(notes: list[str], find: Callable[[], str]) -> bool:
    try:
        notes.append(find())
        return True
    except TargetUnavailable as error:
        notes.append(f"missing: {error}")
    except Error as error:
        notes.append(f"failed: {error}")
    return False
