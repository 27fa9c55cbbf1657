"""mma.sync: the elements that each lane holds, from the PTX manual's figures, and the product.

Products of floats are summed in float64 and rounded once, more precisely than on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from .instructions import Step
from .program import Instruction, PtxError
from .shared import WARP

# element type: NumPy's, and elements of a 32-bit (f64: 64-bit) register
ELEMENTS = {
    "f16": (np.dtype(np.float16), 2),
    "bf16": (np.dtype(ml_dtypes.bfloat16), 2),
    "tf32": (np.dtype(np.float32), 1),
    "f32": (np.dtype(np.float32), 1),
    "f64": (np.dtype(np.float64), 1),
    "s8": (np.dtype(np.int8), 4),
    "u8": (np.dtype(np.uint8), 4),
    "e4m3": (np.dtype(ml_dtypes.float8_e4m3fn), 4),
    "e5m2": (np.dtype(ml_dtypes.float8_e5m2), 4),
    "s32": (np.dtype(np.int32), 1),
}


def build(machine, instruction: Instruction) -> Step | None:
    words = instruction.name.split(".")
    if words[0] != "mma":
        return None
    shape = next(word for word in words if word[0] == "m" and word[1:2].isdigit())
    rows, columns, inner = map(int, shape[1:].replace("n", " ").replace("k", " ").split())
    kinds = words[words.index("col") + 1 :]
    kinds = [kind for kind in kinds if kind in ELEMENTS]
    return _mma(machine, instruction, (rows, columns, inner), kinds)


def _mma(machine, instruction: Instruction, shape: tuple[int, int, int], kinds: list[str]) -> Step:
    result_kind, left_kind, right_kind, _ = kinds
    rows, columns, inner = shape
    to, *sources = instruction.operands
    places = (
        _left(rows, inner, ELEMENTS[left_kind][1]),
        _right(inner, columns, ELEMENTS[right_kind][1]),
        places_of_result(rows, columns),
    )
    reads = [
        reader(machine, text, kind, place, size)
        for text, kind, place, size in zip(
            sources,
            (left_kind, right_kind, result_kind),
            places,
            ((rows, inner), (inner, columns), (rows, columns)),
            strict=True,
        )
    ]
    write = writer(machine, to, result_kind, places[2])
    wraps = "satfinite" not in instruction.name.split(".")

    def step(mask):
        machine.check_warps(mask)
        a, b, c = (read() for read in reads)
        write(multiply(a, b, c, result_kind, wraps), mask)

    return step


def multiply(a: np.ndarray, b: np.ndarray, c: np.ndarray | int, kind: str, wraps: bool = True) -> np.ndarray:
    """a b + c for stacks of matrices, in the accumulator's type."""
    dtype = ELEMENTS[kind][0]
    if kind == "s32":
        exact = a.astype(np.int64) @ b.astype(np.int64) + c
        limits = np.iinfo(np.int32)
        return (exact if wraps else np.clip(exact, limits.min, limits.max)).astype(np.int32)
    return (a.astype(np.float64) @ b.astype(np.float64) + np.asarray(c, np.float64)).astype(dtype)


def as_tf32(values: np.ndarray) -> np.ndarray:
    """Ignores the low 13 bits of a float."""
    return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def reader(machine, text: str, kind: str, place, size: tuple[int, int]) -> Callable[[], np.ndarray]:
    """A function that returns the matrices of all warps."""
    reads = [
        machine.operands.read(part, "b64" if kind == "f64" else "b32")
        for part in machine.operands.list_of(text)
    ]
    dtype, in_register = ELEMENTS[kind]
    row, column = place
    if row.shape[1] != len(reads) * in_register:
        raise PtxError(f"{len(reads)} registers for {row.shape[1]} elements")

    def read() -> np.ndarray:
        registers = np.stack([part() for part in reads], axis=1)
        values = np.ascontiguousarray(registers).view(dtype).reshape(-1, WARP, row.shape[1])
        if kind == "tf32":
            values = as_tf32(values)
        matrices = np.zeros((len(values), *size), dtype)
        matrices[:, row, column] = values
        return matrices

    return read


def writer(machine, text: str, kind: str, place):
    """A function of stacks of matrices and a mask."""
    parts = machine.operands.list_of(text)
    writes = [machine.operands.write(part, "b64" if kind == "f64" else "b32") for part in parts]
    unsigned = np.uint64 if kind == "f64" else np.uint32
    row, column = place

    def write(matrices: np.ndarray, mask) -> None:
        values = np.ascontiguousarray(matrices[:, row, column])
        registers = values.reshape(-1, row.shape[1]).view(unsigned)
        for write_part, register in zip(writes, registers.T, strict=True):
            write_part(register, mask)

    return write


# --- which lane holds what: rows and columns, of shape (32 lanes, elements) ---------------------------------
# A group is four lanes; `pack` neighbouring elements share a register.


def _left(rows: int, inner: int, pack: int):
    """Registers advance by 8 rows first, then by four times `pack` columns."""
    group, member = np.arange(WARP)[:, None] // 4, np.arange(WARP)[:, None] % 4
    i = np.arange(rows * inner // WARP)
    register, element = i // pack, i % pack
    down, on = register % (rows // 8), register // (rows // 8)
    return group + 8 * down, member * pack + element + 4 * pack * on


def _right(inner: int, columns: int, pack: int):
    group, member = np.arange(WARP)[:, None] // 4, np.arange(WARP)[:, None] % 4
    i = np.arange(inner * columns // WARP)
    register, element = i // pack, i % pack
    return member * pack + element + 4 * pack * register, group + 0 * i


def places_of_result(rows: int, columns: int):
    """Two neighbouring columns, then 8 rows further down, then 8 columns further on."""
    group, member = np.arange(WARP)[:, None] // 4, np.arange(WARP)[:, None] % 4
    i = np.arange(rows * columns // WARP)
    pair, element = i // 2, i % 2
    down, on = pair % (rows // 8), pair // (rows // 8)
    return group + 8 * down, member * 2 + element + 8 * on
