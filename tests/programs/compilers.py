"""The compilers that check test programs, each as a function from a program's file to its errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import nvrtc_versions
import pytest

from pycuda_tile import targets
from pycuda_tile.compilers import nvrtc, toolchain
from pycuda_tile.diagnostics import compiler_log
from pycuda_tile.diagnostics.places import Places
from pycuda_tile.errors import Diagnostic, TargetUnavailable
from pycuda_tile.system import resources
from pycuda_tile.targets import nvrtc_kernels
from pycuda_tile.targets.simt import compiling as targets_simt
from pycuda_tile.targets.target import Request
from pycuda_tile.targets.tile import compiling as targets_tile
from pycuda_tile.tileir.cxx import compiler as open_front_end

FOLDER = Path(__file__).parent
fetched = FOLDER / "nvrtc"  # where fetched compilers are kept; conftest.py sets it
_INSTALL_NVRTC = "pip install nvidia-cuda-nvrtc cuda-python"


def host(path: Path, *options: str, compiler: toolchain.Compiler | None = None) -> list[Diagnostic]:
    """The compiler that builds kernels for the host."""
    compiler = compiler or toolchain.find_compiler()
    folders = [f"-I{folder}" for folder in (resources.include_dir(), FOLDER)]
    folders += [f"-isystem{folder}" for folder in nvrtc.host_include_dirs()]
    folders += ["-idirafter", str(resources.small_float_dir())]
    unlimited = "-fmax-errors=0" if compiler.kind == "gcc" else "-ferror-limit=0"
    flags = ["-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", *compiler.flags, unlimited, *options]
    done = compiler.run([*flags, *folders, "-x", "c++", str(path)])
    return _errors(path, done.stdout, done.returncode)


def clang(path: Path, *options: str) -> list[Diagnostic]:
    compiler = toolchain.find_clang()
    if compiler.kind == "zig":  # whose own headers `zig clang` does not find
        options += ("-isystem", str(Path(compiler.command[0]).parent / "lib" / "include"))
    return host(path, *options, compiler=compiler)


def simt(path: Path, arch: str) -> list[Diagnostic]:
    """NVRTC with the header of this project, called as by the target simt."""
    nvrtc.version(_INSTALL_NVRTC)
    request = Request(targets.find("simt"), "", path.name, None, arch, include_dirs=(FOLDER,))
    return _nvrtc(path, targets_simt._settings(request, arch).all_options)


def nvidia(path: Path, version: str) -> list[Diagnostic]:
    """NVIDIA's own header and front end of a version, called as by the target tile; fetched if another one is
    installed."""
    if version == installed_nvidia():
        return _nvrtc(path, _nvidia_options(path, version, targets_tile.check_available()))
    other = nvrtc_versions.get(version, fetched)
    options = _nvidia_options(path, version, list(map(str, other.include_dirs)))
    job = {"source": path.read_text(), "name": str(path), "options": options, "expressions": []}
    [answer] = other.compile([{**job, "front_end_only": True}])
    assert "Error limit reached" not in answer["log"], f"{path.name} has too many errors for one run"
    return _errors(path, answer["log"], not answer["compiles"], other.include_dirs)


def installed_nvidia() -> str:
    """The version of the installed NVRTC, "" if there is none."""
    try:
        return ".".join(map(str, nvrtc.version("")))
    except TargetUnavailable:
        return ""


def _nvidia_options(path: Path, version: str, folders: list[str]) -> list[str]:
    # sm_100 has e8m0 and fp4.
    request = Request(targets.find("tile"), "", path.name, None, "sm_100", include_dirs=(FOLDER,))
    return [*targets_tile._settings(request, "sm_100", folders).all_options, _api(version)]


def _api(version: str) -> str:
    """Selects a version of this project's header; programs see it with NVIDIA's, too."""
    return f"-DCUDA_TILE_API_VERSION={version.replace('.', '0')}"


def record(path: Path) -> list[Diagnostic]:
    """The clang of tileir.from_cpp, called as there."""
    request = Request(targets.find("cpu"), "", path.name, None, None, options=("-ferror-limit=0",))
    words = open_front_end.flags(request, open_front_end.MACROS, [FOLDER])
    before = ["-fsyntax-only", "-include", "cuda_tile/record/prelude.h"]
    done = toolchain.find_clang().run([*words, *before, str(path)])
    return _errors(path, done.stdout, done.returncode)


# They must accept each good program and refuse each wrong one; NVIDIA's front end is tested separately.
COMPILERS: dict[str, Callable[[Path], list[Diagnostic]]] = {
    "host": host,
    "host-32-threads": lambda path: host(path, "-DCUDA_TILE_BLOCK_THREADS=32"),
    "clang": clang,
    "record": record,
    "simt-sm_75": lambda path: simt(path, "sm_75"),
    "simt-sm_90": lambda path: simt(path, "sm_100"),
}


def errors(compiler: str, path: Path) -> list[Diagnostic]:
    """The errors that a compiler finds; skips the test if the compiler is not installed.

    Besides COMPILERS there are "nvidia-13.4", NVIDIA's front end of a version of the API, and "host-13.4"
    and "clang-13.4", this project's header in that version.
    """
    kind, _, version = compiler.partition("-")
    try:
        if compiler in COMPILERS:
            return COMPILERS[compiler](path)
        if kind == "nvidia":
            return nvidia(path, version)
        return {"host": host, "clang": clang}[kind](path, _api(version))
    except TargetUnavailable as error:
        pytest.skip(str(error))


def _nvrtc(path: Path, options: list[str]) -> list[Diagnostic]:
    headers = {
        nvrtc_kernels.SIGNATURE_HEADER: (resources.include_dir() / nvrtc_kernels.SIGNATURE_HEADER).read_text()
    }
    try:
        nvrtc.compile_program(path.read_text(), str(path), options, [], headers, _INSTALL_NVRTC)
    except nvrtc.NvrtcError as error:
        assert "Error limit reached" not in str(error), f"{path.name} has too many errors for one run"
        return _errors(path, str(error), 1)
    return []


def _errors(path: Path, log: str, status: int, others: Sequence[Path] = ()) -> list[Diagnostic]:
    libraries = (
        str(resources.include_dir()),
        str(FOLDER),
        *map(str, others),
        *nvrtc.include_dirs(),
        "/usr",
    )
    # NVRTC calls NVIDIA's header by its bare name.
    generated = {"cuda_tile.h": ""}
    places = Places(str(path), str(path), path.read_text(), libraries, generated)
    found = [diagnostic for diagnostic in compiler_log.parse(log, places) if diagnostic.severity == "error"]
    assert bool(found) == bool(status), log
    return found
