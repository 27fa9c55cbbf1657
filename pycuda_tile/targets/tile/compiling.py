"""The target `tile`: NVIDIA's own header and tile compiler, where NVRTC 13.3 or newer is installed. Its front
end makes Tile IR bytecode; assembling.py does the rest."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ...compilers import nvrtc, toolchain
from ...errors import BuildValueError, TargetUnavailable
from ...frontend.kernel_info import KernelInfo
from ...launching import gpu
from ...spec import API_MACRO, api_number
from ...system import cache, resources
from ...system.install import advice
from .. import nvrtc_kernels
from ..finding import attempt, device, nvrtc_version
from ..target import Compiled, Finding, Request
from .assembling import EXTRA, compiled, find_tileiras

_OLDEST = (13, 3)
_LIBCUXX = re.compile(r"include\s*<(cuda/|cooperative_groups|tuple|functional|numeric|bit>)")


def compile(request: Request, names: Sequence[str], known: list[KernelInfo] | None = None) -> Compiled:
    """See Target.compile."""
    if request.front_end == "open":
        from . import open_front_end

        return open_front_end.compile(request, names, known)
    nvidia = check_available()
    request = _with_api(request)
    arch = request.arch or gpu.default_arch()
    nvrtc.check_arch(arch, EXTRA)
    settings = _settings(request, arch, nvidia)

    def build(folder: Path) -> cache.Result:
        program, result = nvrtc_kernels.compile_kernels(request, settings, names, known)
        (folder / "kernels.tileir").write_bytes(program.tileir)
        return result

    key = ("tile", nvrtc.version(EXTRA), settings.all_options, list(names), known is None)
    entry = nvrtc_kernels.get(key, request, build)
    tileir = (entry.folder / "kernels.tileir").read_bytes()
    return compiled(tileir, arch, entry.meta["log"], *nvrtc_kernels.read_kernels(entry.meta, known))


def check_available() -> list[str]:
    """The folders of NVIDIA's headers. Raises TargetUnavailable without them or without a recent NVRTC."""
    version = nvrtc.version(EXTRA)
    if version < _OLDEST:
        found = ".".join(map(str, version))
        raise TargetUnavailable(
            f"the target tile needs NVRTC 13.3 or newer, but {found} is installed: {advice(EXTRA)}"
        )
    folders = nvrtc.include_dirs()
    if not any((Path(folder) / "cuda_tile.h").exists() for folder in folders):
        raise TargetUnavailable(
            f"the target tile needs NVIDIA's cuda_tile.h, which is not installed: {advice(EXTRA)}"
        )
    return folders


def _with_api(request: Request) -> Request:
    """The request with the macro of the compiler's own version, which no other can replace."""
    own = ".".join(map(str, nvrtc.version(EXTRA)))
    if request.api and request.api != own:
        raise BuildValueError(
            f"api={request.api!r}: NVIDIA's compiler {own} has the API of its own version only: "
            'leave api out, or pass front_end="open"'
        )
    return request._replace(defines={API_MACRO: api_number(own), **request.defines})


def examine(_: object) -> Finding:
    """See Target.examine."""
    notes: list[str] = []
    found = attempt(notes, lambda: f"NVRTC {nvrtc_version(EXTRA)}")
    found = found and attempt(notes, lambda: f"NVIDIA's headers: {check_available()[0]}")
    if not found and attempt([], lambda: str(toolchain.find_clang())):
        notes.append('front_end="open" does without these')
        found = True
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
