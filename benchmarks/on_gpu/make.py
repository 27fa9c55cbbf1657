"""Makes a bundle, where there is no GPU: records the launches of tests, and compiles what is timed."""

from __future__ import annotations

import datetime
import hashlib
import json
import shutil
import struct
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from bundle import BLOBS, NVIDIAS, PTX, Blobs, Kernel, Launch, write_manifest
from recording import ARCH, ROOT, Record, build_again, read_records, run_tests
from work import KERNELS, Work, works

import pycuda_tile as pct

HERE = Path(__file__).resolve().parent
# The files that a machine with a GPU does not need.
STAYING = {"guard.py", "judge.py", "make.py", "pretend.py", "recording.py"}
# By stage, the tests whose launches are recorded, each as arguments of pytest: paths, then words of names.
# Stages run in this order: a launch for each test of the header, the manual's examples and kernels of models,
# all others.
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
    for paths, words in TESTS[stage]:
        words = f"({words}) and ({only})" if only else words
        status = run_tests("--numprocesses=auto", "--record", str(folder), *paths, "-k", words)
        if status not in (0, 5):  # 5: no test has such a name
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


# --- NVIDIA's code ------------------------------------------------------------------------------------------


class Peer(NamedTuple):
    """Code of NVIDIA's assembler, and the number of threads per block for which it was compiled."""

    cubin: bytes
    symbol: str
    threads: int


Peers = dict[str, dict[str, Peer]]  # by the name of a launch, and by who made the Tile IR


def peer_of(kernel: pct.Kernel) -> Peer:
    cubin, symbol = kernel.binary, kernel._executable.launcher._symbol
    return Peer(cubin, symbol, threads_of(cubin, symbol))


def threads_of(cubin: bytes, symbol: str) -> int:
    """The number of threads per block that a kernel of a cubin requires, 1 if it says none."""
    at, count, names = (struct.unpack_from(f, cubin, p)[0] for f, p in (("<Q", 40), ("<H", 60), ("<H", 62)))
    headers = [struct.unpack_from("<IIQQQQIIQQ", cubin, at + 64 * i) for i in range(count)]
    strings = headers[names][4]
    for header in headers:
        name = cubin[strings + header[0] : cubin.index(b"\0", strings + header[0])].decode()
        if name == f".nv.info.{symbol}":
            return _required_threads(cubin[header[4] : header[4] + header[5]])
    raise ValueError(f"the cubin has no kernel {symbol}")


def _required_threads(section: bytes) -> int:
    at = 0
    while at + 4 <= len(section):
        form, attribute, size = struct.unpack_from("<BBH", section, at)
        if attribute == _REQNTID and form == 4:
            x, y, z = struct.unpack_from("<III", section, at + 4)
            return x * y * z
        at += 4 + (size if form == 4 else 0)
    return 1


def peers_of_launches(records: list[Record], jobs: int) -> Peers:
    """NVIDIA's code for launches, through NVIDIA's front end and through ours."""
    by_source: dict[str, list[Record]] = {}
    for record in records:
        by_source.setdefault(json.dumps(record.source), []).append(record)
    peers: Peers = {}
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        tasks = {}
        for source, of_source in by_source.items():
            names = sorted({record.launch.kernel for record in of_source})
            for who in NVIDIAS:
                tasks[pool.submit(compile_peers_of, json.loads(source), names, who)] = who, of_source
        for task in as_completed(tasks):
            who, of_source = tasks[task]
            made = task.result()
            for record in of_source:
                if record.launch.kernel in made:
                    peers.setdefault(record.launch.name, {})[who] = made[record.launch.kernel]
    return peers


def compile_peers_of(source: dict[str, Any], names: list[str], who: str) -> dict[str, Peer]:
    """Kernels of a source by one of NVIDIAS; those that it does not take are said and left out."""
    try:
        module = build_again(source, target="tile", front_end=who, arch=PEERS_ARCH, kernels=names)
        return {name: peer_of(module.kernel(name)) for name in names}
    except pct.Error as problem:
        if len(names) == 1:
            print(f"{names[0]}, {who}: {' '.join(str(problem).split())[:200]}", flush=True)
            return {}
        return {name: peer for one in names for name, peer in compile_peers_of(source, [one], who).items()}


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
            found.append(_timed_peer("nvidia", name, variant, kernel))
    module = pct.build(path, target="tile", front_end="open", arch=PEERS_ARCH, kernels=(name,))
    return [*found, _timed_peer("open", name, "", module.kernel(name))]


def _timed_peer(who: str, name: str, variant: str, kernel: pct.Kernel) -> Compiled:
    peer = peer_of(kernel)
    return Compiled(Kernel(who, name, variant, "", peer.symbol, peer.threads, 0), peer.cubin)


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


# --- the bundle ---------------------------------------------------------------------------------------------


class Contents:
    """What is put into a bundle, which lies in a folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.launches: list[Launch] = []
        self.kernels: list[Kernel] = []
        self._blobs, self._texts = Blobs(folder / BLOBS, "w"), Blobs(folder / PTX, "w")
        self._text_of: dict[str, str] = {}  # the blob of its PTX, by that of machine code

    def add_launches(self, stage: str, found: list[Record], recorded: Path, peers: Peers) -> None:
        """Adds what the plugin has recorded into a folder."""
        for launch, text, _ in found:
            for name in [launch.code, *(part for b in launch.buffers for part in (b.before, b.after))]:
                self._blobs.add((recorded / "blobs" / name).read_bytes())
            self._text_of[launch.code] = self._texts.add((recorded / "blobs" / text).read_bytes())
        for launch in staged(stage, [record.launch for record in found]):
            made = {
                who: (self._blobs.add(peer.cubin), peer.symbol, peer.threads)
                for who, peer in peers.get(launch.name, {}).items()
            }
            self.launches.append(launch._replace(peers=made))

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
        found = read_records(recorded)
        made = peers_of_launches(found, jobs) if peers and stage == "models" else {}
        contents.add_launches(stage, found, recorded, made)
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
    installed = {d.metadata["Name"]: d.version for d in metadata.distributions()}
    return {
        "commit": commit.stdout.strip(),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "nvrtc": ".".join(map(str, nvrtc.version("gpu"))),
        "arch": ARCH,
        "sources": hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16],
        "peers": installed.get("nvidia-cuda-tileiras"),
    }
