"""NVIDIA's tile compiler as a peer of gpu.py: cubins made beforehand, where it is installed, and launched
where the GPU is, with cuda.core."""

from __future__ import annotations

import ctypes
import hashlib
import json
import re
import struct
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import pycuda_tile as pct

VARIANTS = {"": (), "fused": ("--fmad=true",)}  # options after our own --fmad=false
MANIFEST = "peers.json"
_REQNTID = 0x10  # EIATTR_REQNTID, of a cubin's section .nv.info.<kernel>


# --- beforehand, without a GPU ------------------------------------------------------------------------------


def make(folder: Path, arch: str, kernels: Iterable[tuple[Path, str]], jobs: int) -> None:
    """Cubins of kernels, (source, name) each, and a list of them; what does not compile is said and left out.
    A variant whose Tile IR is the same as without options is not kept twice."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        tasks = {pool.submit(_make, folder, arch, path, kernel): kernel for path, kernel in kernels}
        for task in as_completed(tasks):
            try:
                found += task.result()
            except Exception as problem:  # one kernel's, of many
                print(f"{tasks[task]}: {type(problem).__name__}: {first_line(problem)}", flush=True)
                continue
            print(tasks[task], flush=True)
    found.sort(key=lambda entry: (entry["kernel"], entry["variant"]))
    about = {"nvrtc": ".".join(map(str, _nvrtc_version())), "arch": arch, "sources": sources()}
    (folder / MANIFEST).write_text(json.dumps({"made with": about, "kernels": found}, indent=1) + "\n")


def sources() -> str:
    """Changes when a kernel of the benchmarks does: cubins made before are of another source then."""
    files = sorted((Path(__file__).resolve().parent / "kernels").glob("*.cu"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()[:16]


def _nvrtc_version() -> tuple[int, int]:
    from pycuda_tile.compilers import nvrtc

    return nvrtc.version("nvidia-cuda-nvrtc")


def _make(folder: Path, arch: str, path: Path, name: str) -> list[dict]:
    entries, seen = [], set()
    for variant, options in VARIANTS.items():
        module = pct.build(path, target="tile", arch=arch, kernels=(name,), options=options)
        kernel = module.kernel(name)
        if kernel.tileir in seen:
            continue
        seen.add(kernel.tileir)
        cubin = kernel.binary
        file = f"{hashlib.sha256(cubin).hexdigest()[:16]}.cubin"
        (folder / file).write_bytes(cubin)
        symbol, threads = read_cubin(cubin)
        entries.append(
            {"kernel": name, "variant": variant, "file": file, "symbol": symbol, "threads": threads}
        )
    return entries


def read_cubin(cubin: bytes) -> tuple[str, int]:
    """The only kernel in a cubin, and the number of threads per block for which it was compiled."""
    at, count, names = (struct.unpack_from(f, cubin, p)[0] for f, p in (("<Q", 40), ("<H", 60), ("<H", 62)))
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, at + 64 * i) for i in range(count)]
    strings = headers[names][4]
    for header in headers:
        name = cubin[strings + header[0] : cubin.index(b"\0", strings + header[0])].decode()
        if name.startswith(".nv.info."):
            section = cubin[header[4] : header[4] + header[5]]
            return name.removeprefix(".nv.info."), _required_threads(section)
    raise ValueError("the cubin has no kernel")


def _required_threads(section: bytes) -> int:
    at = 0
    while at + 4 <= len(section):
        form, attribute, size = struct.unpack_from("<BBH", section, at)
        if attribute == _REQNTID and form == 4:
            x, y, z = struct.unpack_from("<III", section, at + 4)
            return x * y * z
        at += 4 + (size if form == 4 else 0)
    return 1


# --- on the GPU ---------------------------------------------------------------------------------------------


class CurrentStream:
    """PyTorch's, as CUDA's Python packages exchange streams."""

    def __cuda_stream__(self) -> tuple[int, int]:
        import torch

        return 0, torch.cuda.current_stream().cuda_stream


def core():
    """The module of cuda.core that has Device, LaunchConfig, ObjectCode and launch."""
    try:
        import cuda.core as module

        module.launch  # noqa: B018
    except (ImportError, AttributeError):  # before 0.5
        import cuda.core.experimental as module
    return module


def passed(value: object) -> object:
    """An argument as cuda.core takes it: a tensor's address, and C's int and float."""
    if hasattr(value, "data_ptr"):
        return value.data_ptr()
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int(value)


class Peers:
    """The cubins in a folder. `block` says how they are launched: "one", with one thread a block, as drivers
    that know tile kernels want it, or "all", with the threads that each was compiled for."""

    def __init__(self, folder: Path, block: str = "one"):
        text = json.loads((folder / MANIFEST).read_text())
        self.about = text["made with"]
        self.block = block
        self._folder = folder
        self._entries = {(entry["kernel"], entry["variant"]): entry for entry in text["kernels"]}

    def launcher(self, kernel: str, variant: str, grid: tuple[int, ...]) -> Callable[[tuple], None]:
        """A function that launches a kernel with its arguments. KeyError if there is no cubin."""
        cuda, entry = core(), self._entries[kernel, variant]
        device = cuda.Device()
        device.set_current()
        code = cuda.ObjectCode.from_cubin((self._folder / entry["file"]).read_bytes())
        function = code.get_kernel(entry["symbol"])
        block = entry["threads"] if self.block == "all" else 1
        config = cuda.LaunchConfig(grid=grid, block=block)
        stream = device.create_stream(CurrentStream())
        return lambda arguments: cuda.launch(stream, config, function, *map(passed, arguments))

    def has(self, kernel: str, variant: str) -> bool:
        return (kernel, variant) in self._entries

    def variants(self, kernels: Iterable[str]) -> list[str]:
        """Those in which some of the kernels exist: of the others, the first is the same."""
        kernels = list(kernels)
        return [v for v in VARIANTS if any(self.has(kernel, v) for kernel in kernels)]

    def call(self, launches: tuple, variant: str) -> Callable[[tuple], None]:
        """A call of one work's launches (gpu_work.Launch)."""
        chosen = [
            (
                launch,
                self.launcher(
                    launch.kernel, variant if self.has(launch.kernel, variant) else "", launch.grid
                ),
            )
            for launch in launches
        ]

        def call(arguments: tuple) -> None:
            for launch, start in chosen:
                start(launch.arguments(arguments))

        return call


def first_line(problem: BaseException) -> str:
    text = re.sub(r"\s+", " ", str(problem).strip())
    return text[:200]
