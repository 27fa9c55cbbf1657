"""Makes a bundle, where there is no GPU: records the launches of tests, and compiles what is timed."""

from __future__ import annotations

import datetime
import hashlib
import importlib
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from bundle import BLOBS, PTX, Blobs, Kernel, Launch, write_manifest
from recording import ARCH, read_records
from work import KERNELS, Work, works

import pycuda_tile as pct

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# The files that a machine with a GPU does not need.
STAYING = {"judge.py", "make.py", "pretend.py", "recording.py"}
# By stage, the tests whose launches are recorded, each as arguments of pytest: paths, then words of names.
TESTS = {
    "mechanisms": [(["tests/header"], "ptx")],
    "models": [
        (["tests/programs"], "test_results and (ptx or simt)"),
        (["tests/examples"], "agree and ptx"),
        (["tests/ptx/test_kernels.py::test_kernel"], "sm_80 or sm_90a"),
    ],
    "rest": [(["tests/simt/test_random_programs.py"], "sm_90a")],
}
PEERS_ARCH = "sm_90"  # as NVIDIA's assembler calls it
_REQNTID = 0x10  # EIATTR_REQNTID, of a cubin's section .nv.info.<kernel>
# Options of NVIDIA's compiler after our own --fmad=false.
_VARIANTS = {"": (), "fused": ("--fmad=true",)}


# --- launches -----------------------------------------------------------------------------------------------


def record(stage: str, folder: Path, only: str = "") -> None:
    """Runs a stage's tests on the PTX machine and records their launches."""
    plugin = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "--wide", "--numprocesses=auto", "-p", "recording"]
    for paths, words in TESTS[stage]:
        words = f"({words}) and ({only})" if only else words
        done = subprocess.run(
            [*command, "--record", str(folder), *paths, "-k", words],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": plugin},
        )  # fmt: skip
        if done.returncode not in (0, 5):  # 5: no test has such a name
            raise SystemExit(f"tests of {stage} failed: their launches cannot be expected to work on a GPU")


def staged(stage: str, launches: Iterable[Launch]) -> Iterator[Launch]:
    """Launches with their stage, kernels together: of mechanisms, the first launch of each test function; the
    others are of the rest."""
    seen: set[str] = set()
    for launch in sorted(launches, key=lambda launch: (launch.test, launch.code)):
        function = launch.test.partition("[")[0]
        is_later = stage == "mechanisms" and function in seen
        seen.add(function)
        yield launch._replace(stage="rest" if is_later else stage)


# --- kernels that are timed ---------------------------------------------------------------------------------


class Compiled(NamedTuple):
    """A kernel with its contents; PTX only of ours."""

    kernel: Kernel
    cubin: bytes
    ptx: bytes = b""


def compile_ours(path: Path, name: str, threads: int) -> list[Compiled]:
    module = pct.build(path, target="simt", arch=ARCH, kernels=(name,), num_threads=threads)
    kernel = module.kernel(name)
    launcher = kernel._executable.launcher
    made = Kernel("ours", name, f"T = {threads}", "", launcher._symbol, threads, launcher._shared)
    return [Compiled(made, kernel.binary, kernel.ptx.encode())]


def compile_peers(path: Path, name: str) -> list[Compiled]:
    """NVIDIA's code for a kernel, and that of NVIDIA's assembler for our Tile IR. A variant whose Tile IR is
    the same as without options is not kept twice."""
    found, seen = [], set()
    for variant, options in _VARIANTS.items():
        module = pct.build(path, target="tile", arch=PEERS_ARCH, kernels=(name,), options=options)
        kernel = module.kernel(name)
        if kernel.tileir not in seen:
            seen.add(kernel.tileir)
            found.append(_peer("nvidia", name, variant, kernel.binary))
    module = pct.build(path, target="tile", front_end="open", arch=PEERS_ARCH, kernels=(name,))
    return [*found, _peer("open", name, "", module.kernel(name).binary)]


def _peer(who: str, name: str, variant: str, cubin: bytes) -> Compiled:
    symbol, threads = read_cubin(cubin)
    return Compiled(Kernel(who, name, variant, "", symbol, threads, 0), cubin)


def kernels_of(work: Work) -> list[str]:
    """The kernels that it launches, also at the sizes of a dry run."""
    (small,) = (other for other in works(small=True) if other.title == work.title)
    every = [*work.candidates.values(), *small.candidates.values()]
    return sorted({launch.kernel for launches in every for launch in launches})


def compile_all(peers: bool, only: str, jobs: int) -> Iterator[Compiled]:
    """What does not compile is said and left out."""
    tasks = {}
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for work in works():
            if only not in work.title:
                continue
            for kernel in kernels_of(work):
                if peers:
                    tasks[pool.submit(compile_peers, work.path, kernel)] = kernel
                    continue
                for threads in work.threads:
                    task = pool.submit(compile_ours, work.path, kernel, threads)
                    tasks[task] = f"{kernel}, T = {threads}"
        for task in as_completed(tasks):
            try:
                yield from task.result()
                print(tasks[task], flush=True)
            except Exception as problem:  # one kernel's, of many
                print(f"{tasks[task]}: {type(problem).__name__}: {problem}", flush=True)


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


# --- the bundle ---------------------------------------------------------------------------------------------


class Contents:
    """What is put into a bundle, which lies in a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.launches: list[Launch] = []
        self.kernels: list[Kernel] = []
        self._blobs, self._texts = Blobs(folder / BLOBS, "w"), Blobs(folder / PTX, "w")
        self._text_of: dict[str, str] = {}  # the blob of its PTX, by that of machine code

    def add_launches(self, stage: str, recorded: Path) -> None:
        """Adds what a plugin has recorded into a folder."""
        found = read_records(recorded)
        for launch, text in found:
            for name in [launch.code, *(part for b in launch.buffers for part in (b.before, b.after))]:
                self._blobs.add((recorded / "blobs" / name).read_bytes())
            self._text_of[launch.code] = self._texts.add((recorded / "blobs" / text).read_bytes())
        self.launches += staged(stage, [launch for launch, _ in found])

    def add_kernel(self, compiled: Compiled) -> None:
        code = self._blobs.add(compiled.cubin)
        self.kernels.append(compiled.kernel._replace(code=code))
        if compiled.ptx:
            self._text_of[code] = self._texts.add(compiled.ptx)

    def finish(self, about: dict[str, Any]) -> None:
        self._blobs.close()
        self._texts.close()
        for path in HERE.glob("*.py"):
            if path.name not in STAYING:
                shutil.copy(path, self.folder)
        about = {**about, "texts": self._text_of}
        write_manifest(self.folder, about, self.launches, sorted(self.kernels))


def make(folder: Path, only: str, tests: bool, peers: bool, jobs: int) -> None:
    """Makes a bundle in a folder, of tests and work whose names contain `only`."""
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    contents = Contents(partial)
    for stage in TESTS if tests else ():
        recorded = partial / "recorded"
        record(stage, recorded, only)
        contents.add_launches(stage, recorded)
        shutil.rmtree(recorded)
    for is_peer in (False, True) if peers else (False,):
        for compiled in compile_all(is_peer, only, jobs):
            contents.add_kernel(compiled)
    contents.finish(made_of())
    shutil.rmtree(folder, ignore_errors=True)
    partial.rename(folder)
    size = sum(path.stat().st_size for path in folder.iterdir() if path.name != PTX) / 1e6
    made = f"{len(contents.launches)} launches, {len(contents.kernels)} kernels"
    print(f"{folder}: {made}, {size:.1f} MB without {PTX}")


def made_of() -> dict[str, Any]:
    from pycuda_tile.compilers import nvrtc

    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    sources = sorted(KERNELS.glob("*.cu"))
    return {
        "commit": commit.stdout.strip(),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "nvrtc": ".".join(map(str, nvrtc.version("gpu"))),
        "arch": ARCH,
        "sources": hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16],
        "peers": _version("nvidia-cuda-tileiras"),
    }


def _version(package: str) -> str:
    metadata = importlib.import_module("importlib.metadata")
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
