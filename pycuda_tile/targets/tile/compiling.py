"""The target `tile`: NVIDIA's own header and tile compiler, where NVRTC 13.3 or newer is installed.

NVRTC produces Tile IR bytecode; `tileiras` assembles it to a cubin when one is requested.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ...compilers import nvrtc
from ...errors import BuildValueError, Error, TargetUnavailable
from ...frontend.kernel_info import KernelInfo
from ...launching import gpu
from ...launching.arguments import Packer
from ...launching.gpu_launcher import GpuExecutable, GpuLauncher
from ...system import cache, resources
from ...system.install import advice
from .. import nvrtc_kernels
from ..finding import attempt, device, nvrtc_version
from ..target import Compiled, Executable, Finding, Request

EXTRA = "tile"  # see system/install.py
_OLDEST = (13, 3)
_LIBCUXX = re.compile(r"include\s*<(cuda/|cooperative_groups|tuple|functional|numeric|bit>)")


def compile(request: Request, names: Sequence[str], known: list[KernelInfo] | None = None) -> Compiled:
    """See Target.compile."""
    nvidia = check_available()
    arch = request.arch or gpu.default_arch()
    nvrtc.check_arch(arch, EXTRA)
    settings = _settings(request, arch, nvidia)

    def build(folder: Path) -> cache.Result:
        program, result = nvrtc_kernels.compile_kernels(request, settings, names, known)
        (folder / "kernels.tileir").write_bytes(program.tileir)
        return result

    key = ("tile", nvrtc.version(EXTRA), settings.all_options, list(names), known is None)
    return _load(nvrtc_kernels.get(key, request, build), arch, known)


def check_available() -> list[str]:
    """The folders of NVIDIA's headers. Raises TargetUnavailable without them or without a recent NVRTC."""
    version = nvrtc.version(EXTRA)
    if version < _OLDEST:
        found = ".".join(map(str, version))
        raise TargetUnavailable(
            f"the target tile needs NVRTC 13.3 or newer, installed is {found}: {advice(EXTRA)}"
        )
    folders = nvrtc.include_dirs()
    if not any((Path(folder) / "cuda_tile.h").exists() for folder in folders):
        raise TargetUnavailable(
            f"the target tile needs NVIDIA's cuda_tile.h, which is not installed: {advice(EXTRA)}"
        )
    return folders


def examine(_: object) -> Finding:
    """See Target.examine."""
    notes: list[str] = []
    found = attempt(notes, lambda: f"NVRTC {nvrtc_version(EXTRA)}")
    found = found and attempt(notes, lambda: f"NVIDIA's headers: {check_available()[0]}")
    assembles = attempt(notes, lambda: f"tileiras: {find_tileiras()}")
    return Finding(found, device(notes) and found and assembles, notes)


def _settings(request: Request, arch: str, nvidia: list[str]) -> nvrtc_kernels.Settings:
    options = [
        f"-arch={arch}",
        "--enable-tile",
        *(f"-D{name}={value}" for name, value in request.defines.items()),
    ]
    # Our headers come last: NVIDIA's cuda_tile.h is used, and our cuda_tile/print.h explains what to do.
    own = [str(resources.nv_target_dir()), str(resources.standard_dir()), str(resources.include_dir())]
    options += ["--pre-include=cstdint", "--pre-include=cmath"]  # as nvcc does for every source
    if _LIBCUXX.search(request.text):  # int64_t is another type there
        options.append("-DCUDA_TILE_BESIDE_LIBCUXX")
    folders = [*map(str, request.user_dirs), *map(str, request.include_dirs), *nvidia, *own]
    macros = {**nvrtc_kernels.macros(arch), "__CUDACC_TILE__": "1"}
    return nvrtc_kernels.Settings([*options, *request.options], folders, [*nvidia, *own], EXTRA, macros)


def _load(entry: cache.Entry, arch: str, known: list[KernelInfo] | None) -> Compiled:
    tileir = (entry.folder / "kernels.tileir").read_bytes()
    kernels, instantiated = nvrtc_kernels.read_kernels(entry.meta, known)
    cubin = functools.partial(assemble, tileir, arch)
    executables: dict[str, Executable] = {}
    for name, symbol, parameters in instantiated:
        # A tile kernel is launched with one thread per block: the compiler chooses the real number.
        launcher = GpuLauncher("tile", cubin, symbol, 1, Packer(name, parameters, on_device=True))
        executables[name] = GpuExecutable(parameters, launcher, cubin, {}, tileir=tileir)
    return Compiled(arch, entry.meta["log"], kernels, executables, cubin, tileir=tileir)


# --- from Tile IR to a cubin --------------------------------------------------------------------------------


def assemble(tileir: bytes, arch: str) -> bytes:
    """Assembles Tile IR bytecode to a cubin."""
    tool = find_tileiras()

    def build(folder: Path) -> cache.Result:
        source, output = folder / "kernels.tileir", folder / "kernels.cubin"
        source.write_bytes(tileir)
        command = [tool, "--gpu-name", arch, str(source), "-o", str(output)]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace"
        )
        if done.returncode and "--gpu-name option" in done.stderr:
            listed = ", ".join(_archs(tool))
            raise BuildValueError(f"arch {arch!r} is none that tileiras makes a cubin for: {listed}")
        if done.returncode:
            log = (done.stderr or done.stdout).strip()[:1000]
            raise Error(f"tileiras cannot assemble the kernels for {arch}: {log}")
        return cache.Result({})

    key = cache.make_key("tileiras", tool, Path(tool).stat().st_mtime_ns, arch, tileir.hex())
    entry = cache.get(key, build)  # keep it alive: outside the cache it owns its folder
    return (entry.folder / "kernels.cubin").read_bytes()


def _archs(tool: str) -> list[str]:
    """The architectures that tileiras supports, according to its help text."""
    done = subprocess.run([tool, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return re.findall(r"=(sm_\w+)", done.stdout)


def find_tileiras() -> str:
    for folder in nvrtc.include_dirs():
        beside = Path(folder).parent / "bin" / "tileiras"
        if beside.exists():
            return str(beside)
    if tool := shutil.which("tileiras"):
        return tool
    raise TargetUnavailable(
        f"making a cubin of Tile IR needs tileiras, which is not installed: {advice(EXTRA)}"
    )
