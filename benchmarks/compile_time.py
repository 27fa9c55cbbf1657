"""Compile times: the examples for a GPU, compared with NVIDIA's own tile compiler, and for the host; the
header alone. One table, one run; needs NVRTC 13.3 or newer and tileiras, but no GPU."""

from __future__ import annotations

import functools
import importlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from example_problems import EXAMPLES, PROBLEMS
from overhead import machine

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc
from pycuda_tile.compilers.toolchain import find_compiler
from pycuda_tile.system import resources
from pycuda_tile.targets.tile import compiling as tile

SOURCES = sorted(path for path in EXAMPLES.glob("*.cu") if path.stem != "mixed")  # that has CUDA C++, too
ARCH = "sm_90"
RUNS = 9
HEADER = '#include "cuda_tile.h"\n'

OPTIONS = ["-std=c++20", "--fmad=false", f"-arch={ARCH}"]
HEADERS = [*nvrtc.include_dirs(), resources.standard_dir()]  # further headers that both find
OURS = [*OPTIONS, *(f"-I{folder}" for folder in (resources.include_dir(), *HEADERS))]
NVIDIAS = [*OPTIONS, "--enable-tile", *(f"-I{folder}" for folder in HEADERS)]


def seconds(function: Callable, *arguments: object) -> float:
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def run_nvrtc(text: str, name: str, options: list[str], kernels: Sequence[str] = ()) -> nvrtc.Program:
    return nvrtc.compile_program(text, name, options, kernels, {}, tile.EXTRA)


@functools.cache
def instances(path: Path) -> tuple[str, ...]:
    """The instances that an example requests of its templates."""
    if "template <" not in path.read_text():
        return ()
    return importlib.import_module(path.stem).problem(*PROBLEMS[path.stem]).kernels


def simt(path: Path) -> None:
    """Our header: NVRTC makes a cubin."""
    program = run_nvrtc(path.read_text(), str(path), OURS, instances(path))
    assert program.cubin, path


def nvidia(path: Path, folder: Path) -> None:
    """NVIDIA's header: NVRTC makes Tile IR, tileiras a cubin of it."""
    program = run_nvrtc(path.read_text(), str(path), NVIDIAS, instances(path))
    code = folder / "kernels.tileir"
    code.write_bytes(program.tileir)
    command = [tile.find_tileiras(), "--gpu-name", ARCH, str(code), "-o", str(folder / "kernels.cubin")]
    subprocess.run(command, check=True)


def build_for_host(path: Path) -> None:
    pct.build(path, target="cpu", cache=False, kernels=instances(path))


def include_in_host_compiler(folder: Path) -> None:
    source = folder / "header.cpp"
    source.write_text(HEADER)
    flags = ["-std=c++20", "-O3", f"-I{resources.include_dir()}", "-c", str(source), "-o", "/dev/null"]
    subprocess.run([*find_compiler().command, *flags], check=True)


def examples(folder: Path) -> None:
    print(f"{'seconds':<14} {'simt':>8} {'NVIDIA':>8} {'ratio':>7}   {'cpu':>8}")
    ratios, on_host = [], []
    for path in SOURCES:
        instances(path)  # makes an input, which is not part of the compile time
        ours, theirs, host = [], [], []
        for _ in range(RUNS):  # in turn, so that other work on the machine affects all of them
            ours.append(seconds(simt, path))
            theirs.append(seconds(nvidia, path, folder))
            host.append(seconds(build_for_host, path))
        ratios.append(median(a / b for a, b in zip(ours, theirs, strict=True)))
        on_host.append(median(host))
        times = f"{median(ours):>8.2f} {median(theirs):>8.2f} {ratios[-1]:>7.2f}   {median(host):>8.2f}"
        print(f"{path.stem:<14} {times}")
    print(f"median ratio {median(ratios):.2f} (wanted: at most 1), greatest {max(ratios):.2f} (at most 2)")
    print(f"cpu: median {median(on_host):.2f} (wanted: under 2), longest {max(on_host):.2f} (under 5)")


def header(folder: Path) -> None:
    rows = {
        "host compiler": ("wanted: at most 0.35", include_in_host_compiler, folder),
        "NVRTC": ("wanted: at most 0.15", run_nvrtc, HEADER, "header.cu", OURS),
        "NVRTC, NVIDIA's header": ("", run_nvrtc, HEADER, "header.cu", NVIDIAS),
    }
    for name, (figure, *call) in rows.items():
        taken = median(seconds(*call) for _ in range(RUNS))
        print(f"header alone, {name:<24} {taken:>6.2f}   {figure}".rstrip())


def versions() -> str:
    answer = subprocess.run([tile.find_tileiras(), "--version"], capture_output=True, text=True).stdout
    assembler = re.search(r"\b[Vv]?(\d+\.\d+\.\d+)", answer)
    major, minor = nvrtc.version(tile.EXTRA)
    return f"NVRTC {major}.{minor}, tileiras {assembler[1] if assembler else 'of unknown version'}, {ARCH}"


def main() -> None:
    try:
        tile.check_available()
        tile.find_tileiras()
    except pct.TargetUnavailable as error:
        sys.exit(str(error))
    print(f"{machine()}; {versions()}; medians of {RUNS} runs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run_nvrtc(HEADER, "header.cu", OURS)  # the first call loads the library
        build_for_host(SOURCES[0])  # may build the launcher
        examples(folder)
        header(folder)


if __name__ == "__main__":
    main()
