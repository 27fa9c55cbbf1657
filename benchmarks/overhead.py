"""The cost of the package before a kernel runs: import and build. One table, one run."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import timeit
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from pycuda_tile.compilers.toolchain import find_compiler

ROOT = Path(__file__).resolve().parent.parent
# Of a processor, what the speed of kernels depends on, as Linux calls it.
_FEATURES = ["avx2", "avx512f", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16", "amx_int8"]
_FEATURES += ["asimd", "bf16", "i8mm", "sve"]
VECTOR_ADD = ROOT / "examples" / "vector_add.cu"
PROCESSES = 7  # new processes per figure
REPEATS = 9  # timings of a loop per figure

IMPORT = """
import time, numpy
start = time.perf_counter()
import pycuda_tile as pct
{then}
print(time.perf_counter() - start)
"""

BUILD = """
import time, numpy
from pathlib import Path
import pycuda_tile as pct
source = Path({source!r})
for build in range({earlier_builds}):
    pct.build(source, target="cpu")
start = time.perf_counter()
pct.build(source, target="cpu", cache={cache})
print(time.perf_counter() - start)
"""


def row(what: str, seconds: float, unit: str, figure: str = "") -> None:
    """One line of the table; `figure` is what the project wants to reach."""
    scale = {"ms": 1e3, "us": 1e6, "s": 1}[unit]
    print(f"{what:<58} {scale * seconds:>9.2f} {unit:<3} {figure}")


def machine() -> str:
    """The processor, the cores that this process may use, and the versions that matter."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    cores = len(os.sched_getaffinity(0))
    python = f"Python {platform.python_version()}, NumPy {np.__version__}"
    return f"{name}, {cores} cores; {find_compiler()}; {python}"


def features() -> str:
    """Those of this machine's processor."""
    cpuinfo = Path("/proc/cpuinfo")
    words = set(cpuinfo.read_text(encoding="utf-8").split()) if cpuinfo.exists() else set()
    return ", ".join(name for name in _FEATURES if name in words) or "no known vector instructions"


def in_new_process(code: str, cache: str) -> float:
    """The seconds that `code` prints in a new process with its own cache folder."""
    environment = {
        **os.environ,
        "PYCUDA_TILE_CACHE_DIR": cache,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONPYCACHEPREFIX": os.path.join(cache, "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",  # with it, each process would compile all that it imports
    }
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"a measurement failed:\n{done.stderr}")
    return float(done.stdout)


def per_call(function: Callable[[], object]) -> float:
    """The time of one call in seconds: the best of several loops, which other work disturbs least."""
    timer = timeit.Timer(function)
    count = max(1, timer.autorange()[0] // 4)
    return min(timer.repeat(REPEATS, count)) / count


def imports() -> None:
    with tempfile.TemporaryDirectory() as cache:
        for then, what in (
            ("", "import pycuda_tile, after numpy"),
            ("pct.build", "... and look up pct.build"),
        ):
            code = IMPORT.format(then=then)
            in_new_process(code, cache)  # the first one compiles Python's byte code
            row(what, median(in_new_process(code, cache) for _ in range(PROCESSES)), "ms", "at most 60")


def builds() -> None:
    def build(folder: str, cache: bool = True, earlier_builds: int = 0) -> float:
        return in_new_process(
            BUILD.format(source=str(VECTOR_ADD), cache=cache, earlier_builds=earlier_builds), folder
        )

    with tempfile.TemporaryDirectory() as folder:
        first = build(folder)
        cold = median(build(folder, cache=False) for _ in range(3))
        warm = median(build(folder) for _ in range(PROCESSES))
        again = median(build(folder, earlier_builds=1) for _ in range(PROCESSES))
    row("build of vector add, first ever (may compile the launcher)", first, "ms")
    row("build of vector add, not cached", cold, "ms", "under 1500")
    row("build of vector add, cached, first one, with its imports", warm, "ms", "under 20")
    row("build of vector add, cached, a later one", again, "ms", "under 20")


def main() -> None:
    print(machine())
    imports()
    builds()


if __name__ == "__main__":
    main()
