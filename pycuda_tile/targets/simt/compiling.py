"""The target `simt`: our header, compiled by NVRTC for any CUDA GPU of compute capability 7.0 or higher.

Compiling needs neither a GPU nor a driver. T threads share each tile block; the grid is the user's.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...compilers import nvrtc
from ...errors import BuildValueError, CompileError, TargetUnavailable
from ...frontend.kernel_info import KernelInfo
from ...launching import gpu
from ...launching.arguments import Packer
from ...launching.gpu_launcher import ClusterLauncher, GpuExecutable, GpuLauncher, GpuLibrary
from ...system import cache, resources
from .. import nvrtc_kernels, products
from ..finding import attempt, device, nvrtc_version, small_floats
from ..kernels import check_hints
from ..target import Compiled, Executable, Finding, Request
from .threads import THREADS

if TYPE_CHECKING:
    from ...frontend.hints import Hint

_THREADS = THREADS.default
MakeLauncher = Callable[[str, Packer, int], GpuLauncher]  # from a kernel's symbol, Packer and scratch memory
# Follows .func or .entry in PTX; attributes and a result precede the name.
_FUNCTION_NAME = re.compile(r"\s*(?:\.attribute\s*\([^)]*\)\s*)?(?:\([^)]*\)\s*)?([\w$]+)")


def compile(request: Request, names: Sequence[str], known: list[KernelInfo] | None = None) -> Compiled:
    """See Target.compile. If num_threads is not given, blocks have 128 threads, or 256 or 512 if the tiles do
    not fit in the registers of fewer threads."""
    compiled = _compile(request, names, known)
    if request.num_threads or request.checked:
        return compiled
    for threads in (2 * _THREADS, 4 * _THREADS):
        if not (spilled := _spilled_bytes(compiled.log)):
            break
        wider = _compile(request._replace(num_threads=threads), names, known)
        if _spilled_bytes(wider.log) >= spilled:
            break
        compiled = wider
    return compiled


def _spilled_bytes(log: str) -> int:
    """The bytes per thread that the kernels of a module spill, added up."""
    return sum(map(int, re.findall(r"(\d+) bytes spill stores", log)))


def _compile(request: Request, names: Sequence[str], known: list[KernelInfo] | None) -> Compiled:
    """On sm_90a, operations on tiles wait for open products of warp groups, except in modules without
    products. Whether a module has some is known only after compiling; a correct guess avoids compiling twice.
    """
    arch = request.arch or _default_arch()
    if not _may_use_warp_groups(request, arch):
        return _compile_for(arch, request, names, known)
    guess = _mentions_products(request)
    compiled = _compile_for(arch, request, names, known, warp_groups=guess)
    kernels = compiled.executables.values()
    if not kernels or any("mma" in kernel.attributes for kernel in kernels) == guess:
        return compiled
    return _compile_for(arch, request, names, known, warp_groups=not guess)


def _compile_for(
    arch: str,
    request: Request,
    names: Sequence[str],
    known: list[KernelInfo] | None,
    warp_groups: bool = True,
) -> Compiled:
    version = nvrtc.version(gpu.EXTRA)
    nvrtc.check_arch(arch, gpu.EXTRA)
    settings = _settings(request, arch, warp_groups)

    def build(folder: Path) -> cache.Result:
        program, result = nvrtc_kernels.compile_kernels(request, settings, names, known)
        check_hints(request, settings.macros)  # old versions of NVRTC do not check them
        if not program.cubin:
            options = " ".join(request.options)
            raise CompileError(
                f"{request.name}: NVRTC produced no cubin (options: {options})", log=program.log
            )
        (folder / "kernels.cubin").write_bytes(program.cubin)
        (folder / "kernels.ptx").write_text(program.ptx)
        if request.checked:  # reports refer to its lines
            (folder / "source.cu").write_text(request.text, encoding="utf-8")
        return result

    key = ("simt", version, settings.all_options, list(names), known is None, request.clusters)
    return _load(nvrtc_kernels.get(key, request, build), request, arch, known)


def _default_arch() -> str:
    """The device's architecture. For compute capability 9.0, it includes the matrix instructions of warp
    groups."""
    arch = gpu.default_arch()
    return "sm_90a" if arch == "sm_90" else arch


def _may_use_warp_groups(request: Request, arch: str) -> bool:
    """Whether the choice is left to the headers (config.h) and not made by the request."""
    given = [*request.defines, *request.options]
    return (
        arch == "sm_90a"
        and not request.checked
        and (request.num_threads or _THREADS) % 128 == 0
        and not any("CUDA_TILE_WARP_GROUPS" in word for word in given)
    )


def _mentions_products(request: Request) -> bool:
    """Whether the source, or a user's header that it includes, mentions a matrix product."""
    folders = [*request.user_dirs, *request.include_dirs]
    folders = [folder for folder in folders if not nvrtc.is_nvidias(folder)]
    headers = (header for _, header in nvrtc.included(request.text, request.path, folders) if header)
    texts = itertools.chain([request.text], (nvrtc.read_text(Path(header)) for header in headers))
    return any(re.search(r"\b(mma|matmul)\b", text) for text in texts)


def compiles_for(arch: str) -> bool:
    """Whether the installed NVRTC compiles for `arch`."""
    try:
        nvrtc.check_arch(arch, gpu.EXTRA)
    except (BuildValueError, TargetUnavailable):
        return False
    return True


def examine(_: object) -> Finding:
    """See Target.examine."""
    notes: list[str] = []
    found = attempt(notes, lambda: f"NVRTC {nvrtc_version(gpu.EXTRA)}")
    if found:
        notes.append(small_floats(nvrtc.include_dirs()))
    return Finding(found, device(notes) and found, notes)


def _settings(request: Request, arch: str, warp_groups: bool = True) -> nvrtc_kernels.Settings:
    ours = str(resources.include_dir())
    options = [
        f"-I{ours}",  # before the folders in the user's options
        "--pre-include=cuda_tile/predefined.h",
        f"-arch={arch}",
        f"-DCUDA_TILE_BLOCK_THREADS={request.num_threads or _THREADS}",
        "-DCUDA_TILE_DYNAMIC_SCRATCH=1",
        "--ptxas-options=-v",
    ]
    if not re.search(r"\b(transpose|permute)\b", request.text):
        options.append("-DCUDA_TILE_FORMS=0")  # compiles faster, with the same meaning
    if not warp_groups:
        options.append("-DCUDA_TILE_WARP_GROUPS=0")
    if request.checked:
        options += ["-DCUDA_TILE_CHECKED=1", "-lineinfo"]
    options += [f"-D{name}={value}" for name, value in request.defines.items()]
    options.append("-default-device")  # else cuda_tf32.h, and lambdas before 13.2, are host code
    nvidia = nvrtc.include_dirs()
    folders = [ours, *map(str, request.user_dirs), *map(str, request.include_dirs), *nvidia]
    own = (resources.small_float_dir(), resources.nv_target_dir(), resources.standard_dir())
    folders += map(str, own)
    macros = nvrtc_kernels.macros(arch)
    return nvrtc_kernels.Settings(
        [*options, *request.options],
        folders,
        [ours, *nvidia],
        gpu.EXTRA,
        macros,
        _attributes(request, arch),
    )


def _attributes(request: Request, arch: str) -> Callable[[list[Hint]], str]:
    """A function from the hints of a kernel to the attributes that they request."""

    def attributes(hints: list[Hint]) -> str:
        from ...frontend.launch_hints import launch_attributes

        return launch_attributes(
            hints, nvrtc.arch_number(arch), request.num_threads or _THREADS, request.clusters
        )

    return attributes


def _load(entry: cache.Entry, request: Request, arch: str, known: list[KernelInfo] | None) -> Compiled:
    cubin = (entry.folder / "kernels.cubin").read_bytes()
    ptx = (entry.folder / "kernels.ptx").read_text()
    kernels, instantiated = nvrtc_kernels.read_kernels(entry.meta, known)
    threads = request.num_threads or _THREADS
    make_launcher = _launchers(request, entry, cubin, ptx, threads)
    executables: dict[str, Executable] = {}
    for name, symbol, parameters in instantiated:
        packer = Packer(name, parameters, on_device=True)
        scratch = _scratch_bytes(ptx, symbol)
        launcher = make_launcher(symbol, packer, scratch)
        attributes: dict[str, int | str] = {
            "threads": threads,
            **_resources(entry.meta["log"], symbol, scratch),
            **products.attribute(products.in_ptx(_code_of(ptx, symbol))),
        }
        by_grid: GpuLauncher | ClusterLauncher = launcher
        if (cluster := _cluster(ptx, symbol)) > 1:
            attributes["cluster"] = cluster
            by_grid = ClusterLauncher(launcher, cluster, functools.partial(_unclustered, request, name))
        executables[name] = GpuExecutable(parameters, by_grid, lambda: cubin, attributes, ptx)
    return Compiled(arch, entry.meta["log"], kernels, executables, lambda: cubin, ptx=ptx)


def _launchers(request: Request, entry: cache.Entry, cubin: bytes, ptx: str, threads: int) -> MakeLauncher:
    """A function that makes the launcher of a kernel. All kernels share one library."""
    if not request.checked:
        library = GpuLibrary(lambda: cubin)
        return lambda symbol, packer, scratch: GpuLauncher("simt", library, symbol, threads, packer, scratch)
    from ...checked.device import CheckedGpuLauncher, CheckedGpuLibrary, make_checked_code

    checked = CheckedGpuLibrary(make_checked_code(ptx, entry.folder))
    source = (request.name, request.path or entry.folder / "source.cu")
    return lambda symbol, packer, scratch: CheckedGpuLauncher(
        "simt", checked, symbol, threads, packer, source, request.ignored, scratch
    )


def _scratch_bytes(ptx: str, symbol: str) -> int:
    """The scratch memory of a kernel, in dynamic shared memory: the largest size that its PTX names
    (platform/cuda.h)."""
    return max(map(int, re.findall(r"// cuda_tile scratch (\d+)", _code_of(ptx, symbol))), default=0)


def _code_of(ptx: str, symbol: str) -> str:
    """The PTX of a kernel and of the functions that it can call, which are all if it has calls by pointer."""
    bodies: dict[str, str] = {}
    for kind, body in zip(*[iter(re.split(r"\.(entry|func)\b", ptx)[1:])] * 2, strict=True):
        found = _FUNCTION_NAME.match(body)
        name = found[1] if found else ""
        if kind == "func" or name == symbol:
            bodies[name] = bodies.get(name, "") + body  # after its declaration
    reached, ahead = {symbol}, [symbol]
    while ahead:
        body = bodies.get(ahead.pop(), "")
        if ".callprototype" in body:
            return "".join(bodies.values())
        new = set(re.findall(r"[\w$]+", body)) & bodies.keys() - reached
        reached |= new
        ahead += new
    return "".join(bodies.get(name, "") for name in reached)


def _cluster(ptx: str, symbol: str) -> int:
    """The number of blocks in the cluster that a kernel's PTX requires, 1 if it requires none."""
    _, _, kernel = ptx.partition(f".entry {symbol}(")
    found = re.search(r"\.reqnctapercluster (\d+)", kernel.partition("{")[0])
    return int(found[1]) if found else 1


def _unclustered(request: Request, name: str) -> GpuLauncher:
    """The same kernel without clusters."""
    return compile(request._replace(clusters=False), (name,), []).executables[name].launcher


def _resources(log: str, symbol: str, scratch: int) -> dict[str, int]:
    """Registers, shared and local bytes of a kernel, as `ptxas -v` reports them in the log; the shared bytes
    include `scratch`, which the launch provides."""
    _, _, report = log.partition(f"Compiling entry function '{symbol}'")
    report = report.partition("Compiling entry function")[0]
    patterns = {
        "registers": r"Used (\d+) registers",
        "shared_bytes": r"(\d+) bytes smem",
        "local_bytes": r"(\d+) bytes stack frame",
    }
    found = {name: re.search(pattern, report) for name, pattern in patterns.items()}
    if not found["registers"]:
        return {}
    resources = {name: int(match[1]) if match else 0 for name, match in found.items()}
    resources["shared_bytes"] += scratch
    return {**resources, "dynamic_shared_bytes": scratch}
