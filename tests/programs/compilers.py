"""The compilers that test programs are given to, each as a function from a program's file to its errors."""

from __future__ import annotations

import functools
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pycuda_tile import diagnostics, nvrtc, resources, toolchain
from pycuda_tile.errors import Diagnostic, TargetUnavailable
from pycuda_tile.targets import tile

FOLDER = Path(__file__).parent
_NVIDIA_HEADER = re.compile(r"#include <(cuda_\w+\.h)>")
_INSTALL_NVRTC = "pip install nvidia-cuda-nvrtc cuda-python"
_CLANG = ["clang++", *(f"clang++-{version}" for version in range(25, 18, -1))]


def host(path: Path, *options: str, compiler: toolchain.Compiler | None = None) -> list[Diagnostic]:
    """The compiler that builds kernels for the host."""
    compiler = compiler or toolchain.find_compiler()
    folders = [resources.include_dir(), FOLDER, *_nvidia_folders(path)]
    unlimited = "-fmax-errors=0" if compiler.kind == "gcc" else "-ferror-limit=0"
    flags = ["-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", *compiler.flags, unlimited, *options]
    done = compiler.run([*flags, *(f"-I{folder}" for folder in folders), "-x", "c++", str(path)])
    return _errors(path, done.stdout, done.returncode)


def clang(path: Path) -> list[Diagnostic]:
    return host(path, compiler=_find_clang())


def simt(path: Path, arch: str) -> list[Diagnostic]:
    """NVRTC with the header of this project, as the target simt calls it."""
    folders = [resources.include_dir(), FOLDER, *_nvidia_folders(path)]
    options = [f"-arch={arch}", "-DCUDA_TILE_BLOCK_THREADS=128", *(f"-I{folder}" for folder in folders)]
    # The functions of cuda_tf32.h do not say where they run, nor did lambdas before NVRTC 13.2.
    if "cuda_tf32.h" in path.read_text() or nvrtc.version(_INSTALL_NVRTC) < (13, 2):
        options.append("-default-device")
    return _nvrtc(path, options)


def nvidia(path: Path) -> list[Diagnostic]:
    """NVIDIA's own header and front end, as the target tile calls them."""
    folders = [FOLDER, *tile.check_available()]
    return _nvrtc(path, ["-arch=sm_90", "--enable-tile", *(f"-I{folder}" for folder in folders)])


# They must accept each good program and refuse each wrong one; NVIDIA's front end is asked apart from them.
COMPILERS: dict[str, Callable[[Path], list[Diagnostic]]] = {
    "host": host,
    "host-32-threads": lambda path: host(path, "-DCUDA_TILE_BLOCK_THREADS=32"),
    "clang": clang,
    "simt-sm_75": lambda path: simt(path, "sm_75"),
    "simt-sm_90": lambda path: simt(path, "sm_90"),
}


def errors(compiler: str, path: Path) -> list[Diagnostic]:
    """The errors that a compiler finds; skips the test where the compiler is not installed."""
    try:
        return {**COMPILERS, "nvidia": nvidia}[compiler](path)
    except TargetUnavailable as error:
        pytest.skip(str(error))


@functools.cache
def _find_clang() -> toolchain.Compiler:
    for path in filter(None, map(shutil.which, _CLANG)):
        compiler = toolchain._identify((path,))
        if compiler and int(compiler.version.split(".")[0]) >= 19:
            return compiler
    raise TargetUnavailable("there is no clang++ 19 or newer here")


def _nvidia_folders(path: Path) -> list[str]:
    """Where NVIDIA's headers are, if the program includes some."""
    headers = _NVIDIA_HEADER.findall(path.read_text())
    folders = nvrtc.include_dirs()
    for header in headers:
        if not any((Path(folder) / header).exists() for folder in folders):
            install = "pip install nvidia-cuda-runtime nvidia-cuda-crt"
            raise TargetUnavailable(f"NVIDIA's {header} is not installed: {install}")
    return folders if headers else []


def _nvrtc(path: Path, options: list[str]) -> list[Diagnostic]:
    options = ["-std=c++20", "--fmad=false", *options]
    try:
        nvrtc.compile_program(path.read_text(), str(path), options, [], {}, _INSTALL_NVRTC)
    except nvrtc.NvrtcError as error:
        assert "Error limit reached" not in str(error), f"{path.name} has too many errors for one run"
        return _errors(path, str(error), 1)
    return []


def _errors(path: Path, log: str, status: int) -> list[Diagnostic]:
    libraries = (str(resources.include_dir()), str(FOLDER), *nvrtc.include_dirs(), "/usr")
    # NVRTC calls NVIDIA's header by its bare name.
    generated = {"cuda_tile.h": ""}
    places = diagnostics.Places(str(path), str(path), path.read_text(), libraries, generated)
    found = [diagnostic for diagnostic in diagnostics.parse(log, places) if diagnostic.severity == "error"]
    assert bool(found) == bool(status), log
    return found
