"""Each header compiles on its own, and objects built with different settings do not mix."""

from __future__ import annotations

import concurrent.futures
import re
import subprocess
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile import targets
from pycuda_tile.compilers import nvrtc, toolchain
from pycuda_tile.system import resources
from pycuda_tile.targets.simt import compiling as simt
from pycuda_tile.targets.target import Request

INCLUDE = resources.include_dir()
PART = "host_amx_emulated.h"  # in the middle of host_amx.h
PATHS = [path for path in INCLUDE.rglob("*.h") if "compatible" not in path.parts and path.name != PART]
ALL_HEADERS = sorted(str(path.relative_to(INCLUDE)) for path in PATHS)
# Headers for only one kind of build, by the beginning of their names.
PLATFORM_GPU = ("", "_atomics", "_checks", "_mma_sync", "_partial", "_rounding", "_wgmma")
GPU = (
    *(f"cuda_tile/platform/cuda{part}.h" for part in PLATFORM_GPU),
    "cuda_tile/print/cuda",
    "cuda_tile/core/launch_hints",
)
HOST = ("cuda_tile/platform/", "cuda_tile/launch", "cuda_tile/print/", "cuda_tile/vector_types")
CHECKED = ("cuda_tile/checked/preconditions",)
THREADS = ("cuda_tile/threads/", "cuda_tile/platform/emulated_", "cuda_tile/platform/mma_sync")
ONE_THREAD = ("cuda_tile/one_thread/", "cuda_tile/loops/", "cuda_tile/platform/host.h")
# For clang with CUDA_TILE_RECORD: tests of from_cpp() compile them.
RECORD = ("cuda_tile/record/", "cuda_tile/platform/record", "cuda_tile/core/recorded")
# Parts of <cuda_runtime.h>, which tests of whole programs compile.
PROGRAMS = ("cuda_tile/program/", "cuda_tile/runtime/")
HEADERS = [header for header in ALL_HEADERS if not header.startswith((*RECORD, *PROGRAMS))]
SETTINGS = {
    "plain": ([], (*GPU, *CHECKED, *THREADS)),
    "checked": (["-DCUDA_TILE_CHECKED=1"], (*GPU, *THREADS)),
    "threads": (
        ["-DCUDA_TILE_BLOCK_THREADS=128", "-DCUDA_TILE_WARP_GROUPS=1"],
        (*GPU, *CHECKED, *ONE_THREAD),
    ),
}
_wide = pytest.mark.wide


def compile_text(text: str, folder: Path, *flags: str) -> subprocess.CompletedProcess:
    source = folder / "unit.cpp"
    source.write_text(text)
    folders = [f"-I{INCLUDE}", f"-I{Path(__file__).parents[2] / 'lib'}"]
    folders += [f"-isystem{folder}" for folder in nvrtc.host_include_dirs()]
    folders += ["-idirafter", str(resources.small_float_dir())]
    return toolchain.find_compiler().run(["-std=c++20", "-Wall", "-Wextra", *flags, *folders, str(source)])


@pytest.mark.parametrize("name, every", [("plain", 4), *(pytest.param(n, 1, marks=_wide) for n in SETTINGS)])
def test_each_header_alone(name: str, every: int, tmp_path):
    flags, others = SETTINGS[name]

    def messages(header: str) -> str:
        folder = tmp_path / header.replace("/", "_")
        folder.mkdir()
        done = compile_text(f'#include "{header}"\n', folder, "-fsyntax-only", *flags)
        return done.stdout if done.returncode else ""

    chosen = [header for header in HEADERS if not header.startswith(others)]
    assert len(chosen) > 80
    chosen = chosen[::every]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(chosen, pool.map(messages, chosen), strict=True))
    assert {header: text for header, text in found.items() if text} == {}


@pytest.mark.wide
def test_each_header_alone_with_nvrtc(make_target):
    others = (*HOST, *CHECKED, *ONE_THREAD)
    request = Request(targets.find("simt"), "", "unit.cu", None, "sm_90a")
    pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")
    options = simt._settings(request, "sm_90a").all_options
    found = {}
    for header in HEADERS:
        if header.startswith(others) and not header.startswith(GPU):
            continue
        try:
            nvrtc.compile_program(f'#include "{header}"\n', "unit.cu", options, [], {}, "")
        except nvrtc.NvrtcError as error:
            found[header] = str(error)
    assert found == {}


def test_the_header_needs_no_option_of_nvrtc():
    """build() passes some, such as -default-device; programs that call NVRTC themselves need not."""
    pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")
    folders = [resources.include_dir(), *nvrtc.include_dirs(), resources.standard_dir()]
    options = ["-std=c++20", "-arch=sm_80", *(f"-I{folder}" for folder in folders)]
    text = '#include "cuda_tile.h"\n__tile_global__ void k(int* p) { *p = 1; }\n'
    assert nvrtc.compile_program(text, "unit.cu", options, [], {}, "").cubin


# --- settings in names --------------------------------------------------------------------------------------

USE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
{}
"""
FUNCTION = "unsigned size(ct::tile<float, ct::shape<64>> const& x)"
OTHER_SETTINGS = {
    "checked": ["-DCUDA_TILE_CHECKED=1"],
    "threads": ["-DCUDA_TILE_BLOCK_THREADS=32"],
    "more threads": ["-DCUDA_TILE_BLOCK_THREADS=128"],
    "no forms": ["-DCUDA_TILE_BLOCK_THREADS=128", "-DCUDA_TILE_FORMS=0"],
    "warp groups": ["-DCUDA_TILE_BLOCK_THREADS=128", "-DCUDA_TILE_WARP_GROUPS=1"],
    "dynamic scratch": ["-DCUDA_TILE_DYNAMIC_SCRATCH=1"],
}


def test_all_of_the_header_is_in_the_namespace_of_its_settings():
    folders = (INCLUDE, Path(__file__).parents[2] / "templates")
    texts = {path: path.read_text() for folder in folders for path in folder.rglob("*.h*")}
    plain = re.compile(r"^namespace cuda::tiles(?!::inline CUDA_TILE_ABI\b).*", re.M)
    assert {str(path): found[0] for path, text in texts.items() if (found := plain.search(text))} == {}


def test_settings_do_not_link(tmp_path):
    """An object cannot link to a function of another object that was compiled with different settings."""
    definition, call = (
        FUNCTION + " { return sizeof x; }",
        FUNCTION + "; int main() { return size({}) != 256; }",
    )
    here = tmp_path / "here"
    here.mkdir()
    assert compile_text(USE.format(definition), here, "-c", "-o", str(here / "unit.o")).returncode == 0
    objects = {}
    for name, flags in {"same": [], **OTHER_SETTINGS}.items():
        folder = tmp_path / name
        folder.mkdir()
        assert (
            compile_text(USE.format(call), folder, "-c", "-o", str(folder / "unit.o"), *flags).returncode == 0
        )
        objects[name] = folder / "unit.o"
    compiler = toolchain.find_compiler()
    for name, object_file in objects.items():
        done = compiler.run(
            [str(object_file), str(here / "unit.o"), "-o", str(object_file.with_name("program"))]
        )
        assert (done.returncode == 0) == (name == "same"), (name, done.stdout)
        if name != "same":
            assert "undefined reference" in done.stdout or "undefined symbol" in done.stdout
            assert "size(cuda::tiles::tile<float" in done.stdout  # the name used in sources
    subprocess.run([str(tmp_path / "same" / "program")], check=True)


@pytest.mark.parametrize("name", ["cpu", "emulated", "simt"])
def test_messages_have_no_settings(make_target, name: str):
    """Nor does the log, which is otherwise exactly what the compilers wrote."""
    kernel = "__tile_global__ void k() { ct::iota<ct::tile<int, ct::shape<8>>>() + nullptr; }"
    with pytest.raises(pct.CompileError) as refused:
        make_target(name, arch="sm_80" if name == "simt" else None).build(USE.format(kernel))
    error = refused.value
    assert "tile<int" in error.log
    assert "abi_" not in str(error) + error.log + str(error.diagnostics)
