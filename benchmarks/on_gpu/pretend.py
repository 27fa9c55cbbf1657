"""A GPU for dry runs: the fake driver of tests/simt, whose kernels run on the PTX machine of tests/ptx. Only
in a checkout. What has no PTX, NVIDIA's code, does nothing."""

from __future__ import annotations

import ctypes
import json
import struct
import sys
from pathlib import Path

from bundle import MANIFEST, PTX, Blobs, blob_name

TESTS = Path(__file__).resolve().parents[2] / "tests"
_Load = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_void_p)
_Find = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_char_p)
_Launch = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint), ctypes.c_uint64)
_Allocated = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
_Freed = ctypes.CFUNCTYPE(None, ctypes.c_uint64)
_ILLEGAL_ADDRESS = 700  # CUDA_ERROR_ILLEGAL_ADDRESS


def build(folder: Path) -> None:
    """Compiles the driver into a folder, which must then be first in LD_LIBRARY_PATH."""
    sys.path.append(str(TESTS / "simt"))
    import fake_driver

    folder.mkdir(parents=True, exist_ok=True)
    fake_driver.build(folder)


class _Hooks(ctypes.Structure):
    _fields_ = [
        ("load", _Load), ("find", _Find), ("launch", _Launch), ("allocated", _Allocated), ("freed", _Freed)
    ]  # fmt: skip


class Machine:
    """Loads code as the PTX of which it was made, and launches it on the memory that has been allocated."""

    def __init__(self, bundle: Path):
        self.texts = json.loads((bundle / MANIFEST).read_text())["about"]["texts"]  # of machine code
        self.ptx = Blobs(bundle / PTX)
        self.libraries: list[str] = [""]
        self.kernels: list[tuple[str, str]] = [("", "")]
        self.memory: dict[int, int] = {}

    def load(self, address: int) -> int:
        text = self.texts.get(blob_name(ctypes.string_at(address, _elf_size(address))), "")
        self.libraries.append(self.ptx[text].decode() if text else "")
        return len(self.libraries) - 1

    def find(self, library: int, symbol: bytes) -> int:
        self.kernels.append((self.libraries[library], symbol.decode()))
        return len(self.kernels) - 1

    def launch(self, kernel: int, sizes: ctypes.Array, arguments: int) -> int:
        from ptx_machine import PtxError, launch
        from ptx_machine.memory import Global
        from run_ptx import argument_bytes, parse

        text, symbol = self.kernels[kernel]
        if not text:
            return 0
        globe = Global()
        for address, size in self.memory.items():
            globe.add(address, size)
        program = parse(text)
        try:
            passed = argument_bytes(program, symbol, arguments)
            launch(program, symbol, tuple(sizes[:3]), sizes[3], passed, globe, sizes[6])
        except PtxError as problem:
            print(problem, file=sys.stderr, flush=True)
            return _ILLEGAL_ADDRESS
        return 0


def _elf_size(address: int) -> int:
    """The size of a cubin, at whose end are its tables of sections and segments."""
    header = ctypes.string_at(address, 64)
    segments, sections = struct.unpack_from("<QQ", header, 32)
    sizes = struct.unpack_from("<HHHH", header, 54)
    return max(segments + sizes[0] * sizes[1], sections + sizes[2] * sizes[3])


def install(bundle: Path) -> None:
    """Makes the driver that this process has loaded run kernels."""
    sys.path[:0] = [str(TESTS / "ptx")]
    machine = Machine(bundle)
    memory = machine.memory
    hooks = _Hooks(
        _Load(machine.load),
        _Find(machine.find),
        _Launch(machine.launch),
        _Allocated(memory.__setitem__),
        _Freed(memory.pop),
    )
    ctypes.CDLL("libcuda.so.1").fake_set_hooks(ctypes.byref(hooks))
    install.kept = machine, hooks  # as long as the process
