"""The parts of random programs: tiles of exact values, C++ statements with their results in NumPy, and the
kernel made of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

import ml_dtypes
import numpy as np
from cases import CPP_TYPES, shape_text

I8, U8, I32, I64 = (np.dtype(x) for x in (np.int8, np.uint8, np.int32, np.int64))
F16, F32, F64 = (np.dtype(x) for x in (np.float16, np.float32, np.float64))
BF16, FP8 = np.dtype(ml_dtypes.bfloat16), np.dtype(ml_dtypes.float8_e4m3fn)
DIGITS = {FP8: 4, BF16: 8, F16: 11, F32: 24, F64: 53}  # of integers
ARITHMETIC = [I8, U8, I32, I64, F16, BF16, F32, F64]
ELEMENTS = [*ARITHMETIC, FP8]
LENGTHS = (1, 2, 4, 8, 16, 32, 64, 128)
HEAD = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;
"""

Values = dict[str, np.ndarray]  # of variables, by their names
Step = Callable[[Values], None]


class Unfit(Exception):
    """A statement that would round or has no operands."""


class Tile(NamedTuple):
    name: str
    dtype: np.dtype
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


def exact(x: np.ndarray) -> np.ndarray:
    return x.astype(np.float64 if x.dtype in DIGITS else np.int64)


def require_exact(magnitudes: np.ndarray, dtype: np.dtype) -> None:
    if dtype in DIGITS and np.max(magnitudes, initial=0) >= 2 ** DIGITS[dtype]:
        raise Unfit


def require_no_overflow(values: np.ndarray, dtype: np.dtype) -> None:
    """Signed integers: overflow is undefined for them."""
    if dtype in (I8, I32, I64) and not np.array_equal(values.astype(dtype), values):
        raise Unfit


def as_type(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Integers wrap around."""
    require_exact(np.abs(values), dtype)
    return values.astype(dtype)


def tile_text(dtype: np.dtype, shape: tuple[int, ...]) -> str:
    return f"ct::tile<{CPP_TYPES[dtype]}, {shape_text(shape)}>"


def number_text(dtype: np.dtype, value: int) -> str:
    return f"static_cast<{CPP_TYPES[dtype]}>({value})"


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return np.broadcast_shapes(shape, to) == to
    except ValueError:
        return False


class Draft:
    """A kernel program_SEED under construction, on tiles of at most `most` elements."""

    def __init__(self, seed: int, most: int):
        self.seed, self.most = seed, most
        self.random = random.Random(seed)
        self.rng = np.random.default_rng(seed)
        self.arrays: list[np.ndarray] = []
        self.expected: dict[int, np.ndarray] = {}  # contents of the arrays that are written
        self.views: list[str] = []
        self.steps: list[tuple[str, Step]] = []
        self.tiles: list[Tile] = []
        self.values: Values = {}
        self.names = 0
        self.loop_index = ""

    def attempt(self, statement: Callable[[Draft], object]) -> None:
        """Appends a statement, or nothing if it is unsuitable."""
        steps, tiles = len(self.steps), len(self.tiles)
        try:
            statement(self)
        except Unfit:
            del self.steps[steps:], self.tiles[tiles:]

    def new_name(self, what: str = "x") -> str:
        self.names += 1
        return f"{what}{self.names}"

    def let(self, dtype: np.dtype, shape: tuple, text: str, value: Callable[[Values], np.ndarray]) -> Tile:
        """auto x = text;"""
        tile = Tile(self.new_name(), dtype, tuple(shape))

        def run(values: Values) -> None:
            result = values[tile.name] = np.ascontiguousarray(value(values))
            assert (result.dtype, result.shape) == (tile.dtype, tile.shape), text

        run(self.values)
        self.steps.append((f"auto {tile.name} = {text};", run))
        self.tiles.append(tile)
        return tile

    def any_tile(self, fits: Callable[[Tile], bool] = lambda tile: True) -> Tile:
        """Picks one; later ones are more likely."""
        found = [tile for tile in self.tiles if fits(tile)]
        if not found:
            raise Unfit
        return found[max(self.random.randrange(len(found)) for _ in range(2))]

    def any_shape(self) -> tuple[int, ...]:
        rank = self.random.choice((1, 2, 2, 2, 3))
        shape = tuple(self.random.choices(LENGTHS, k=rank))
        return shape if 16 <= np.prod(shape) <= self.most else self.any_shape()

    def new_array(self, dtype: np.dtype, shape: tuple[int, ...]) -> int:
        self.arrays.append(self.rng.integers(0 if dtype == U8 else -3, 4, shape).astype(dtype))
        return len(self.arrays) - 1

    def new_view(self, array: int, shape: tuple[int, ...]) -> str:
        extents = ", ".join(f"n{array}_{d}" for d in range(len(shape)))
        span = f"ct::tensor_span{{p{array}, ct::extents{{{extents}}}}}"
        self.views.append(f"ct::partition_view v{array}{{{span}, {shape_text(shape)}{{}}}};")
        return f"v{array}"

    def shortened(self, length: int) -> int:
        return length - self.random.choice((0, 0, 1, 3)) if length > 3 else length

    def __str__(self) -> str:
        parameters = []
        for i, array in enumerate(self.arrays):
            parameters.append(f"{'' if i in self.expected else 'const '}{CPP_TYPES[array.dtype]}* p{i}")
            parameters += [f"int n{i}_{d}" for d in range(array.ndim)]
        parameters += ["bool no", "bool yes", *(f"int count{count}" for count in range(4))]
        lines = "\n".join([*self.views, *(text for text, _ in self.steps)]).replace("\n", "\n  ")
        head = f'extern "C" __tile_global__ void program_{self.seed}({", ".join(parameters)})'
        return f"{head} {{\n  {lines}\n}}\n"

    def launch(self, kernel) -> None:
        """Runs the kernel on new arrays and checks what it wrote."""
        arrays = [array.copy() for array in self.arrays]
        kernel[1](*(x for array in arrays for x in (array, *array.shape)), False, True, *range(4))
        for i, expected in self.expected.items():
            np.testing.assert_array_equal(exact(arrays[i]), exact(expected), f"p{i} of\n{self}")
