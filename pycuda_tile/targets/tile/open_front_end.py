"""The target `tile` with front_end="open": clang and this package make the Tile IR, without NVRTC."""

from __future__ import annotations

from collections.abc import Sequence

from ...compilers import nvrtc
from ...frontend.kernel_info import KernelInfo
from ...launching import gpu
from ..target import Compiled, Request
from .assembling import check_arch, compiled


def compile(request: Request, names: Sequence[str], known: list[KernelInfo] | None) -> Compiled:
    """See Target.compile."""
    from ...tileir import write_bytecode
    from ...tileir.cxx.kernels import translate_kernels

    arch = request.arch or gpu.default_arch()
    check_arch(arch)
    macros = {"__CUDA_ARCH__": f"{nvrtc.arch_number(arch)}0"}
    found = translate_kernels(request, names, macros, plain=known is None, known=known)
    instances = [(name, found.symbols[name], parameters) for name, parameters in found.parameters.items()]
    return compiled(write_bytecode(found.module), arch, found.log, found.kernels, instances)
