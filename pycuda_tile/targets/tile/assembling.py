"""From Tile IR to kernels that can be launched: tileiras, NVIDIA's assembler, makes a cubin when one is
requested."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from ...compilers import nvrtc
from ...errors import BuildValueError, Error, TargetUnavailable
from ...frontend.kernel_info import KernelInfo
from ...launching.arguments import Packer
from ...launching.gpu_launcher import GpuExecutable, GpuLauncher, GpuLibrary
from ...launching.parameters import Parameter
from ...system import cache
from ...system.install import advice
from ..target import Compiled, Executable

EXTRA = "tile"  # see system/install.py

Instance = tuple[str, str, tuple[Parameter, ...]]  # name expression, symbol, parameters


def compiled(
    tileir: bytes, arch: str, log: str, kernels: list[KernelInfo], instances: Iterable[Instance]
) -> Compiled:
    """The kernels of a module in the binary form."""
    cubin = functools.partial(assemble, tileir, arch)
    library = GpuLibrary(cubin)
    executables: dict[str, Executable] = {}
    for name, symbol, parameters in instances:
        # A tile kernel is launched with one thread per block: the assembler chooses the real number.
        launcher = GpuLauncher("tile", library, symbol, 1, Packer(name, parameters, on_device=True))
        executables[name] = GpuExecutable(parameters, launcher, cubin, {}, tileir=tileir)
    return Compiled(arch, log, kernels, executables, cubin, tileir=tileir)


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
            raise _wrong_arch(arch, tool)
        if done.returncode:
            log = (done.stderr or done.stdout).strip()[:1000]
            raise Error(f"tileiras cannot assemble the kernels for {arch}: {log}")
        return cache.Result({})

    entry = cache.get(_key(tool, arch, tileir.hex()), build)
    return (entry.folder / "kernels.cubin").read_bytes()  # the entry may own its folder, so it is kept


def check_arch(arch: str) -> None:
    """Raises BuildValueError if tileiras is installed and makes no cubin for this architecture."""
    try:
        tool = find_tileiras()
    except TargetUnavailable:
        return  # Tile IR itself is the same for all architectures
    if re.sub("[af]$", "", arch) not in _archs(tool):
        raise _wrong_arch(arch, tool)


def _wrong_arch(arch: str, tool: str) -> BuildValueError:
    listed = ", ".join(_archs(tool))
    return BuildValueError(f"arch {arch!r} is not supported by tileiras: expected one of {listed}")


def _archs(tool: str) -> list[str]:
    """The architectures that tileiras supports, according to its help text."""

    def ask(_: Path) -> cache.Result:
        done = subprocess.run([tool, "--help"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return cache.Result({"archs": re.findall(r"=(sm_\w+)", done.stdout)})

    return cache.get(_key(tool, "archs"), ask).meta["archs"]


def _key(tool: str, *parts: str) -> str:
    return cache.make_key("tileiras", tool, Path(tool).stat().st_mtime_ns, *parts)


def find_tileiras() -> str:
    for folder in nvrtc.include_dirs():
        beside = Path(folder).parent / "bin" / "tileiras"
        if beside.exists():
            return str(beside)
    if tool := shutil.which("tileiras"):
        return tool
    raise TargetUnavailable(
        f"making a cubin from Tile IR needs tileiras, which is not installed: {advice(EXTRA)}"
    )
