"""The run time of whole programs (lib/runtime): small programs against its headers and its library.

Each case of the C++ files here runs in a process of its own, as an error of a kernel ends all work of one.
"""

from __future__ import annotations

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pycuda_tile.compilers.toolchain import find_compiler
from pycuda_tile.programs import driver

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
INCLUDE = ROOT / "include"
CASES = re.findall(r"^CASE\((\w+)\)", "".join(file.read_text() for file in sorted(HERE.glob("*.cpp"))), re.M)

# What a case prints besides nothing, as a pattern.
PRINTED = {
    "driver_modules_are_refused": r"^pycuda_tile: the module .*\n.* holds no code for the CPU: .*nvcc -cubin",
    "guards_behind_the_end": r"'put'.*wrote at address.*\n.*\n  which is 4 bytes behind the end of the 400",
    "guards_freed_memory": r"'put'.*wrote at address.*\n.*\n  which is in the 512 bytes at 0x\w+ that ha",
    "kernel_fault": r"'null_write', block \(0, 0, 0\), thread \(0, 0, 0\): wrote through a null pointer",
    "kernel_deadlock": r"'divergent', block \(0, 0, 0\): .*: 16 threads wait in __syncthreads",
    "threads_assert": r"^\S*threads.cpp:\d+: \S.*: block: \[0,0,0\], thread: \[7,0,0\] Assertion `.*` fail",
    "threads_no_cooperative_grid": r"'no_grid'.*__trap\(\) was called",
    "threads_stack": r"'overflows'.*: stack overflow",
    "threads_throw": r"'throws'.*an exception left the kernel",
    "threads_trap": r"'traps'.*__trap\(\) was called",
}


def run(compiler, *arguments: str) -> None:
    done = compiler.run([*compiler.flags, "-std=c++20", "-pthread", *arguments])
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """The program of all cases."""
    folder = tmp_path_factory.mktemp("runtime")
    compiler = find_compiler()
    # A library of two files, since what all sources include takes most of the time.
    folders = {"launcher": ROOT / "lib", "runtime": ROOT / "lib/runtime", "cases": HERE}
    portions = {name: sorted(place.glob("*.cpp")) for name, place in folders.items()}
    warnings = ["-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", f"-I{ROOT / 'lib'}"]
    headers = ["-isystem", str(INCLUDE / "cuda_tile/compatible/runtime")]
    for name in ("small_floats", "cuda_std"):
        headers += ["-idirafter", str(INCLUDE / "cuda_tile/compatible" / name)]

    def compile(name: str) -> str:
        source, output = folder / f"{name}.cpp", str(folder / f"{name}.o")
        source.write_text("".join(f'#include "{file}"\n' for file in portions[name]))
        run(compiler, "-O1", *warnings, *headers, "-c", str(source), "-o", output)
        return output

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile, portions))
    run(compiler, *objects, "-rdynamic", "-o", str(folder / "cases"))
    return folder / "cases"


def run_case(built: Path, name: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [built, name],
        env={**os.environ, "WANTED_CAPABILITY": "90", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("name", sorted({*CASES} - {"errors_table", "driver_loads_modules"}))
def test_case(built, name):
    done = run_case(built, name)
    assert done.returncode == 0, done.stdout + done.stderr
    if name in PRINTED:
        assert re.search(PRINTED[name], done.stderr, re.M), done.stderr
    else:
        assert done.stdout + done.stderr == ""


def test_modules(built, tmp_path):
    module = tmp_path / "module.fatbin"
    assert driver.main(["-fatbin", str(HERE / "module.cu"), "-o", str(module)]) == 0
    done = run_case(built, "driver_loads_modules", MODULE=str(module))
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_cases_are_known(built):
    listed = subprocess.run([built], capture_output=True, text=True, check=True).stdout.split()
    assert sorted(listed) == sorted(CASES)


def test_capability_is_as_set(built):
    for text, wanted in [("8.6", "86"), ("120", "120"), ("nonsense", "90")]:
        done = run_case(
            built, "device_properties", PYCUDA_TILE_COMPUTE_CAPABILITY=text, WANTED_CAPABILITY=wanted
        )
        assert done.returncode == 0, done.stdout


def test_errors_are_those_of_cuda(built):
    """Numbers, names and texts, as NVIDIA's bindings for Python have them."""
    runtime = pytest.importorskip("cuda.bindings.runtime")
    rows = [line.split("\t") for line in run_case(built, "errors_table").stdout.splitlines()]
    ours = {int(number): (name, text) for number, name, text in rows}
    assert len(ours) > 100
    for error in runtime.cudaError_t:
        text = runtime.cudaGetErrorString(error)[1].decode()
        if error < 1000:
            assert ours.get(int(error), (error.name, text)) == (error.name, text)


def test_attributes_are_those_of_cuda():
    runtime = pytest.importorskip("cuda.bindings.runtime")
    listed = (INCLUDE / "cuda_tile/runtime/device_attributes.inc").read_text()
    for name, number in re.findall(r"CUDA_TILE_ATTRIBUTE\((\w+), (\d+)\)", listed):
        theirs = getattr(runtime.cudaDeviceAttr, f"cudaDevAttr{name}", None)
        assert theirs is None or int(theirs) == int(number), name


@pytest.mark.parametrize(
    ("standard", "source"),
    [
        (
            "c11",
            "struct cudaDeviceProp p; dim3 grid = {1, 1, 1}; int f(void) { return cudaFree(0) + grid.x; }",
        ),
        ("c++17", "__global__ void k(int* p) { p[threadIdx.x] = __ffs(blockDim.x); } dim3 grid(2, 3);"),
    ],
)
def test_headers_compile_as(standard, source, tmp_path):
    file = tmp_path / ("file.c" if standard.startswith("c1") else "file.cpp")
    file.write_text(f"#include <cuComplex.h>\n#include <nvtx3/nvToolsExt.h>\n{source}\n")
    compiler = find_compiler()
    headers = INCLUDE / "cuda_tile/compatible/runtime"
    options = ["-x", "c" if file.suffix == ".c" else "c++", f"-std={standard}", "-Wall", "-Werror"]
    options.append("-DCUDA_API_PER_THREAD_DEFAULT_STREAM")
    done = compiler.run([*options, "-fsyntax-only", f"-I{headers}", f"-I{INCLUDE}", str(file)])
    assert done.returncode == 0, done.stdout
