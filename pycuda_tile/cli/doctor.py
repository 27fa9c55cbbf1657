"""`pycuda-tile doctor` reports what each target has, what it lacks, and how to install that."""

from __future__ import annotations

import functools
import platform
import shutil

from .. import targets
from ..checked.lines import line_tool
from ..errors import Error
from ..launching.launcher import num_workers
from ..system import cache, resources
from ..system.install import advice
from ..targets.finding import attempt
from ..version import VERSION


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
    findings = []
    for target in targets.every():
        finding = target.examine(functools.partial(_run_probe, target.name))
        findings.append(finding)
        state = (
            "runs here"
            if finding.runs
            else "compiles, but cannot run here"
            if finding.compiles
            else "not available"
        )
        lines.append(f"{target.name:9} {state}")
        lines += [f"          {note}" for note in finding.notes]
    lines.append(f"Tile IR   {_tile_ir()}")
    lines.append(f"front end {_front_end()}")
    lines.append(f"tools     {_tools()}")
    return "\n".join(lines), any(finding.runs for finding in findings)


_PROBE = """
#include "cuda_tile.h"
__tile_global__ void probe(int* out) { out[cuda::tiles::bid().x] = 1; }
"""


def _run_probe(target: str) -> str:
    """Builds and launches a small kernel, since an installed compiler need not work."""
    import numpy as np

    from ..building.builder import build

    out = np.zeros(4, np.int32)
    build(_PROBE, target=target).kernel("probe")[4](out)
    if out.tolist() != [1] * 4:
        raise Error("a kernel was built and launched, but its result is wrong")
    return f"a kernel was built and launched, on {num_workers()} cores"


def _tile_ir() -> str:
    """Reports the clang of the open front end, which need not work either."""
    from ..compilers import toolchain
    from ..tileir import from_cpp, verify

    notes: list[str] = []

    def translate() -> str:
        verify(from_cpp(_PROBE))
        return f"a kernel in C++ was translated, by {toolchain.find_clang()}"

    attempt(notes, translate)
    return notes[0]


def _tools() -> str:
    """Reports the tools that checked builds and `run --debug` call."""
    lines = line_tool()
    reports = f"{lines[0]}, which finds the lines in reports of checked builds" if lines else ""
    missing = "no addr2line, so reports of checked builds have no lines: install binutils"
    return f"{reports or missing}; {'gdb' if shutil.which('gdb') else 'no gdb'}, for run --debug"


def _front_end() -> str:
    from ..frontend import clang

    cindex = clang.load()
    if cindex is None:
        return (
            "libclang is not installed, so there are no lints, and kernels that macros make are not "
            f"found: {advice(clang.EXTRA)}"
        )
    return "libclang, for pycuda-tile check and for kernels that macros make"
