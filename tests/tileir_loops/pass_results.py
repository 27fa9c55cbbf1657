"""What the passes find in kernels, for the tests of each."""

from __future__ import annotations

import ctypes
import functools
import mmap

import numpy as np

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Operation
from pycuda_tile.tileir.loops.groups import Uses, split
from pycuda_tile.tileir.loops.simplify import simplify
from pycuda_tile.tileir.loops.stages import Nest


def entry(text: str):
    return tileir.parse(text).entries[0]


def items(text: str) -> tuple[list[Operation | Nest], list[str]]:
    simple, reasons = simplify(entry(text)), []
    found = split(simple.body.ops, Uses.of(simple.body), lambda error: reasons.append(str(error)))
    return found, reasons


def nests(text: str) -> list[Nest]:
    return [item for item in items(text)[0] if isinstance(item, Nest)]


def guarded(size: int) -> np.ndarray:
    """Bytes at the end of pages between two that must not be touched."""
    page, libc = mmap.PAGESIZE, ctypes.CDLL(None, use_errno=True)
    pages = -(-size // page)
    area = mmap.mmap(-1, (pages + 2) * page)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(area))
    for at in (0, pages + 1):
        assert libc.mprotect(ctypes.c_void_p(begin + at * page), page, 0) == 0
    return np.frombuffer(area, np.uint8, size, (pages + 1) * page - size)


def same(got: np.ndarray, expected: np.ndarray) -> bool:
    """The same bits, or both NaN."""
    bits = f"u{got.dtype.itemsize}"
    return bool(((got.view(bits) == expected.view(bits)) | (np.isnan(got) & np.isnan(expected))).all())


def assert_same_results(module: tileir.Module, *arrays: np.ndarray, payloads: bool = True) -> None:
    """Kernel @k makes the same bits of an array of zeros fused, operation by operation and interpreted.

    arrays:   its arguments before that array, of the same length and type
    payloads: whether this holds of NaN that are interpreted, too
    """
    results = []
    for run in (
        tileir.build(module)["k"][1],
        tileir.build(module, optimize=False)["k"][1],
        functools.partial(tileir.interpret, module, "k", 1),
    ):
        results.append(np.zeros_like(arrays[0]))
        run(*arrays, results[-1])
    fused, by_operation, interpreted = results
    assert fused.tobytes() == by_operation.tobytes()
    if not payloads:
        for result in (fused, interpreted):
            with np.errstate(invalid="ignore"):  # of NaN that signal
                result[np.isnan(result)] = np.nan
    assert fused.tobytes() == interpreted.tobytes()


def body(lines: str) -> str:
    return f"entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{\n{lines}\n  return\n}}\n"
