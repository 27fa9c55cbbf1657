"""A bundle: what a machine with a GPU needs to run our kernels, made on one without.

manifest.json    what it was made from, and of what it consists
blobs.zip        machine code, and the memory of launches, by the hash of the content
ptx.zip          the same kernels as text, for a dry run; need not be carried to the GPU
*.py             the programs that run there; session.py is the one to start
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

MANIFEST, BLOBS, PTX = "manifest.json", "blobs.zip", "ptx.zip"
ALIGNMENT = 256  # of allocations on a GPU
DIFFERENCES = "differences.jsonl"  # the launches whose results differ, where these are packed
# Whose kernels a bundle has: ours, and what NVIDIA's assembler makes of NVIDIA's Tile IR and of our own.
OURS, NVIDIAS = "ours", ("nvidia", "open")


class Buffer(NamedTuple):
    """Memory of a launch: its address modulo ALIGNMENT, its content before and after (blobs), and whether the
    PTX machine has read any of it."""

    misaligned: int
    before: str
    after: str
    is_read: bool


class Pointer(NamedTuple):
    """Eight bytes of an argument that are the address of a buffer, plus an offset."""

    argument: int
    place: int
    buffer: int
    offset: int


class Launch(NamedTuple):
    """A launch that a test made on the PTX machine, and what came of it."""

    name: str  # the test's, and the launch's number in it
    test: str
    stage: str  # one of "mechanisms", "models", "rest": see make.py
    kernel: str
    code: str  # a blob
    symbol: str
    grid: tuple[int, ...]
    threads: int
    shared: int
    arguments: tuple[str, ...]  # hexadecimal
    pointers: tuple[Pointer, ...]
    buffers: tuple[Buffer, ...]
    peers: dict[str, tuple[str, str, int]] = {}  # by who compiled it: code, symbol, threads  # noqa: RUF012


class Kernel(NamedTuple):
    """A kernel's machine code, by who compiled it, the number of threads given and the variant of options."""

    who: str
    kernel: str
    variant: str
    code: str  # a blob
    symbol: str
    threads: int
    shared: int


def blob_name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:24]


class Blobs:
    """A zip file of contents named by their hashes, to write or to read."""

    def __init__(self, path: Path, mode: str = "r"):
        method = zipfile.ZIP_LZMA
        self._zip = zipfile.ZipFile(path, mode, method)
        self._known = set(self._zip.namelist())

    def add(self, content: bytes) -> str:
        name = blob_name(content)
        if name not in self._known:
            self._known.add(name)
            self._zip.writestr(name, content)
        return name

    def __getitem__(self, name: str) -> bytes:
        return self._zip.read(name)

    def close(self) -> None:
        self._zip.close()


def launch_of(record: dict[str, Any]) -> Launch:
    """A Launch from what JSON has made of it."""
    tuples = {
        "grid": tuple(record["grid"]),
        "arguments": tuple(record["arguments"]),
        "pointers": tuple(Pointer(*row) for row in record["pointers"]),
        "buffers": tuple(Buffer(*row) for row in record["buffers"]),
        "peers": {who: tuple(peer) for who, peer in record["peers"].items()},
    }
    return Launch(**{**record, **tuples})


class Bundle:
    """A bundle in a folder, read."""

    def __init__(self, folder: Path):
        manifest = json.loads((folder / MANIFEST).read_text())
        self.folder = folder
        self.about: dict[str, Any] = manifest["about"]
        self.launches = [launch_of(record) for record in manifest["launches"]]
        self.kernels = [Kernel(**record) for record in manifest["kernels"]]
        self.blobs = Blobs(folder / BLOBS)

    def stage(self, name: str) -> Iterator[Launch]:
        return (launch for launch in self.launches if launch.stage == name)


def write_manifest(
    folder: Path, about: dict[str, Any], launches: list[Launch], kernels: list[Kernel]
) -> None:
    content = {
        "about": about,
        "launches": [launch._asdict() for launch in launches],
        "kernels": [kernel._asdict() for kernel in kernels],
    }
    partial = folder / f"{MANIFEST}.partial"
    partial.write_text(json.dumps(content, indent=None) + "\n")
    partial.replace(folder / MANIFEST)
