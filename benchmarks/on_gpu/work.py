"""The work that is timed: arguments, launches of our kernels, and exact results by NumPy. torch_peers.py and
triton_peers.py have the same work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from elements import STORED, is_integer, normal, values

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
HALF, BF16, FP8 = "__half", "__nv_bfloat16", "__nv_fp8_e4m3"
_SAMPLE = 1 << 17  # elements of a piece of a result that is checked
_ALL = 1 << 19  # results that are not larger are checked as a whole


class Array(NamedTuple):
    """An argument that is an array. fill: "normal" (elements.py), "positive", a number below which integers
    are, or "" for a result."""

    kind: str
    shape: tuple[int, ...]
    fill: str | int = "normal"

    def draw(self, random: np.random.Generator) -> np.ndarray:
        if isinstance(self.fill, int):
            return random.integers(0, self.fill, self.shape, STORED[self.kind])
        if self.fill == "":
            return np.zeros(self.shape, STORED[self.kind])
        drawn = normal(self.shape, self.kind, random)
        return np.abs(drawn) if self.fill == "positive" else drawn

    @property
    def rows(self) -> int:
        """Of a result: all dimensions but the last, which is one element long if it is the only one."""
        return int(np.prod(self.shape[:-1] if len(self.shape) > 1 else self.shape))

    @property
    def width(self) -> int:
        return self.shape[-1] if len(self.shape) > 1 else 1


class Launch(NamedTuple):
    """One launch of a kernel, with the arguments of the work whose places `picks` names; (): all."""

    kernel: str
    grid: tuple[int, ...]
    picks: tuple[int, ...] = ()

    def arguments(self, given: tuple) -> tuple:
        return tuple(given[pick] for pick in self.picks) if self.picks else given


class Given:
    """The arguments of a call as NumPy has them."""

    def __init__(self, arguments: tuple, drawn: list):
        self._arguments, self._drawn = arguments, drawn

    def __getitem__(self, i: int) -> np.ndarray:
        return self._drawn[i]

    def exact(self, i: int, *index: object) -> np.ndarray:
        """Elements of an array as float64."""
        found = self._drawn[i][index] if index else self._drawn[i]
        return values(found, self._arguments[i].kind)


class Work(NamedTuple):
    """One line of the table. `bytes` and `flops` are what a call moves and computes at least."""

    title: str
    source: str
    candidates: dict[str, tuple[Launch, ...]]  # by the sizes of tiles, which are the names
    arguments: tuple[Array | int | float, ...]
    out: int  # the argument that is the result
    exact: Callable[[Given, np.ndarray], np.ndarray]  # rows of the result in float64
    tolerance: float  # of the greatest element of the rows
    bytes: int
    flops: int = 0
    wanted: float | None = None  # our speed / that of NVIDIA's tile compiler
    like_a_copy: bool = False  # wanted as well: that share of 0.9 of the bandwidth of a copy
    threads: tuple[int, ...] = (128, 256)
    adds: bool = False  # to what the result holds before, which has to be zero

    @property
    def path(self) -> Path:
        return KERNELS / f"{self.source}.cu"

    @property
    def result(self) -> Array:
        return self.arguments[self.out]

    @property
    def begin(self) -> int:
        """The byte of which the result consists before a call: zero, or nothing that is a likely result."""
        return 0 if self.adds else 0x80 if is_integer(self.result.kind) else 0xFF

    def draw(self, random: np.random.Generator) -> list:
        return [x.draw(random) if isinstance(x, Array) else x for x in self.arguments]

    def sample(self, random: np.random.Generator) -> np.ndarray:
        """Rows of the result to check: all, or pieces at both ends and between."""
        rows, piece = self.result.rows, max(1, _SAMPLE // self.result.width)
        if rows * self.result.width <= _ALL or rows <= 5 * piece:
            return np.arange(rows)
        starts = [0, rows - piece, *random.integers(0, rows - piece, 3)]
        return np.unique(np.concatenate([np.arange(start, start + piece) for start in starts]))

    def error(self, stored: np.ndarray, rows: np.ndarray, exact: np.ndarray) -> float:
        """The greatest difference from the exact rows, in units of their greatest element; infinite if there
        are elements to which nothing was written, in these rows or others."""
        untouched = np.full(STORED[self.result.kind].itemsize, self.begin, np.uint8).view(stored.dtype)
        if not self.adds and (stored.view(_bits(stored)) == untouched.view(_bits(stored))).any():
            return float("inf")
        found = values(stored.reshape(self.result.rows, self.result.width)[rows], self.result.kind)
        wrong = np.abs(found - exact.reshape(found.shape)).max() / np.abs(exact).max()
        return float(wrong) if wrong == wrong else float("inf")


def _bits(array: np.ndarray) -> np.dtype:
    return np.dtype(f"u{array.dtype.itemsize}")


def ceildiv(a: int, b: int) -> int:
    return -(-a // b)


def works(small: bool = False) -> list[Work]:
    """In order of their value: a run that ends early has lost the last. `small`: odd sizes, for errors."""

    def size(large: int, odd: int) -> int:
        return odd if small else large

    found = [*elementwise(size), *rows(size), transpose(size)]
    found += [product(size, "f16", HALF), product(size, "bf16", BF16)]
    for dim in (64, 128):
        found += [attention(size, dim, "f16", HALF), attention(size, dim, "bf16", BF16)]
    found += [*transposed_products(size), *sums(size), scan(size), gather(size), histogram(size)]
    found += [product(size, "f32", "float"), product(size, "f64", "double")]
    return found


Size = Callable[[int, int], int]


# --- memory -------------------------------------------------------------------------------------------------


def elementwise(size: Size) -> Iterator[Work]:
    n = size(1 << 26, 10_007)
    x, out = Array("float", (n,)), Array("float", (n,), "")

    def candidates(name: str) -> dict[str, tuple[Launch, ...]]:
        return {str(t): (Launch(f"{name}<{t}>", (ceildiv(n, t),)),) for t in (1024, 2048, 4096)}

    yield Work(
        "copy", "elementwise", candidates("copy"), (x, out, n), 1,
        lambda a, rows: a.exact(0, rows), 0.0, 8 * n, wanted=0.95, like_a_copy=True,
    )  # fmt: skip
    yield Work(
        "vector add", "elementwise", candidates("vector_add"), (x, x, out, n), 2,
        lambda a, rows: a.exact(0, rows) + a.exact(1, rows), 1e-6, 12 * n, wanted=0.95, like_a_copy=True,
    )  # fmt: skip


def softmax_of(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def layer_norm_of(x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    deviation = x - x.mean(-1, keepdims=True)
    return deviation / np.sqrt((deviation**2).mean(-1, keepdims=True) + 1e-5) * weight + bias


def rows(size: Size) -> Iterator[Work]:
    count, columns = size(1 << 16, 13), size(1024, 777)
    x, vector, out = (
        Array("float", (count, columns)), Array("float", (columns,)), Array("float", (count, columns), "")
    )  # fmt: skip
    yield Work(
        "softmax", "rows", {"1024": (Launch("softmax<1024>", (count,)),)}, (x, out, count, columns), 1,
        lambda a, rows: softmax_of(a.exact(0, rows)), 1e-5, 8 * count * columns,
        wanted=0.95, like_a_copy=True,
    )  # fmt: skip
    yield Work(
        "layer norm", "rows", {"1024": (Launch("layer_norm<1024>", (count,)),)},
        (x, vector, vector, out, count, columns, 1e-5), 3,
        lambda a, rows: layer_norm_of(a.exact(0, rows), a.exact(1), a.exact(2)), 1e-4, 8 * count * columns,
        wanted=0.95, like_a_copy=True,
    )  # fmt: skip


def transpose(size: Size) -> Work:
    height, width = size(8192, 77), size(8192, 101)
    candidates = {
        str(tile): (Launch(f"transpose<{tile}>", (ceildiv(width, tile), ceildiv(height, tile))),)
        for tile in (32, 64, 128)
    }
    arguments = (Array("float", (height, width)), Array("float", (width, height), ""), height, width)
    return Work(
        "transpose", "movement", candidates, arguments, 1, lambda a, rows: a.exact(0, slice(None), rows).T,
        0.0, 8 * height * width, wanted=0.95, like_a_copy=True,
    )  # fmt: skip


def sums(size: Size) -> Iterator[Work]:
    height, width = size(16384, 333), size(8192, 177)
    n = height * width
    x = Array("float", (height, width))
    tilings = {"2048 x 16": (2048, 16), "4096 x 32": (4096, 32)}
    blocks = [ceildiv(n, tile * steps) for tile, steps in tilings.values()]
    yield Work(
        "sum", "rows",
        {
            name: (
                Launch(f"sum<{tile}, {steps}>", (blocks[i],), (0, 1, 3)),
                Launch(f"sum<{max(32, 1 << (blocks[i] - 1).bit_length())}, 1>", (1,), (1, 2, 4 + i)),
            )
            for i, (name, (tile, steps)) in enumerate(tilings.items())
        },
        (x._replace(fill="positive"), Array("float", (max(blocks),), ""), Array("float", (1,), ""), n,
         *blocks), 2,
        lambda a, rows: a[0].sum(dtype=np.float64)[None], 1e-5, 4 * n, wanted=0.9,
    )  # fmt: skip
    yield Work(
        "row sums", "rows",
        {f"{r} x {c}": (Launch(f"row_sum<{r}, {c}>", (ceildiv(height, r),)),)
         for r, c in ((1, 2048), (4, 1024), (8, 512))},
        (x, Array("float", (height,), ""), height, width), 1,
        lambda a, rows: a[0][rows].sum(1, dtype=np.float64), 1e-4, 4 * n, wanted=0.9,
    )  # fmt: skip
    yield column_sums(height, width)


def column_sums(height: int, width: int) -> Work:
    """Pieces of rows first, then the sums of the pieces."""
    tilings = ((16, 128), (16, 256), (32, 64))
    steps = [ceildiv(height, 16 * r) for r, _ in tilings]  # so there are at most 16 pieces
    pieces = [ceildiv(height, s * r) for s, (r, _) in zip(steps, tilings, strict=True)]

    def launches(i: int, r: int, c: int) -> tuple[Launch, ...]:
        across = ceildiv(width, c)
        return (
            Launch(f"column_sum<{r}, {c}>", (across, pieces[i]), (0, 1, 3, 4, 6 + i)),
            Launch(f"column_sum<16, {c}>", (across, 1), (1, 2, 9 + i, 4, 5)),
        )

    return Work(
        "column sums", "rows", {f"{r} x {c}": launches(i, r, c) for i, (r, c) in enumerate(tilings)},
        (Array("float", (height, width)), Array("float", (16, width), ""), Array("float", (width,), ""),
         height, width, 1, *steps, *pieces), 2,
        lambda a, rows: a[0][:, rows].sum(0, dtype=np.float64), 1e-4, 4 * height * width, wanted=0.9,
    )  # fmt: skip


def scan(size: Size) -> Work:
    count, columns = size(1 << 16, 13), size(1024, 777)
    arguments = (Array("float", (count, columns)), Array("float", (count, columns), ""), count, columns)
    return Work(
        "partial sums of rows", "rows", {"1024": (Launch("partial_sum<1024>", (count,)),)}, arguments, 1,
        lambda a, rows: a.exact(0, rows).cumsum(1), 1e-5, 8 * count * columns, wanted=0.9,
    )  # fmt: skip


def gather(size: Size) -> Work:
    table, count, width = size(1 << 20, 50), size(1 << 19, 77), size(128, 101)
    return Work(
        "gather", "movement",
        {f"{tile} x 128": (Launch(f"gather<{tile}, 128>", (ceildiv(count, tile),)),) for tile in (8, 16, 32)},
        (Array("float", (table, width)), Array("int", (count,), table), Array("float", (count, width), ""),
         count, width), 2,
        lambda a, rows: a.exact(0, a[1][rows]), 0.0, count * (8 * width + 4), wanted=0.9,
    )  # fmt: skip


def histogram(size: Size) -> Work:
    n, bins = size(1 << 26, 10_007), 4096
    return Work(
        "histogram", "movement",
        {str(tile): (Launch(f"histogram<{tile}>", (ceildiv(n, tile),)),) for tile in (512, 1024, 2048)},
        (Array("int", (n,), bins), Array("int", (bins,), ""), n, bins), 1,
        lambda a, rows: np.bincount(a[0], minlength=bins)[rows].astype(np.float64),
        0.0, 4 * n, wanted=0.9, adds=True,
    )  # fmt: skip


# --- products -----------------------------------------------------------------------------------------------


def matmul_launch(begin: str, tiles: tuple[int, int, int], m: int, n: int) -> tuple[Launch, ...]:
    grid = (ceildiv(n, tiles[1]), ceildiv(m, tiles[0]))
    return (Launch(f"{begin}, {', '.join(map(str, tiles))}>", grid),)


def product(size: Size, name: str, kind: str) -> Work:
    m, n, k = (size(4096, odd) for odd in (150, 90, 70))
    is_short = kind in (HALF, BF16)
    if is_short:
        tilings = [(128, 128, 32), (128, 128, 64), (128, 256, 64), (256, 128, 64)]
    else:
        tilings = [(64, 64, 16), (128, 64, 16), (128, 128, 16)]
    begin = f"matmul<{kind}, {'double' if kind == 'double' else 'float'}, {kind}"
    return Work(
        f"matmul {name}", "matmul",
        {" x ".join(map(str, t)): matmul_launch(begin, t, m, n) for t in tilings},
        (Array(kind, (m, k)), Array(kind, (k, n)), Array(kind, (m, n), ""), m, n, k), 2,
        lambda a, rows: a.exact(0, rows) @ a.exact(1),
        {HALF: 5e-3, BF16: 1e-2, "float": 1e-5, "double": 1e-13}[kind],
        STORED[kind].itemsize * (m * k + k * n + m * n), 2 * m * n * k,
        wanted=0.6 if is_short else None, threads=(128, 256, 512) if is_short else (128, 256),
    )  # fmt: skip


def transposed_products(size: Size) -> Iterator[Work]:
    """c = a b^T, the form in which tensor cores take fp8."""
    m, n, k = (size(4096, odd) for odd in (150, 90, 80))
    kinds = (
        ("fp8", f"{FP8}, {FP8}, float, {BF16}", FP8, BF16, 2e-2, 0.5,
         [(128, 128, 64), (128, 128, 128), (128, 256, 64)]),
        ("tf32", "float, __nv_tf32, float, float", "float", "float", 2e-3, 0.5,
         [(128, 128, 32), (128, 64, 32), (128, 256, 32)]),
        ("int8", "signed char, signed char, int, int", "signed char", "int", 0.0, None,
         [(128, 128, 64), (128, 128, 128), (128, 256, 64)]),
    )  # fmt: skip
    for name, types, kind, result, tolerance, wanted, tilings in kinds:
        moved = STORED[kind].itemsize * (m * k + k * n) + STORED[result].itemsize * m * n
        yield Work(
            f"matmul {name}", "products",
            {" x ".join(map(str, t)): matmul_launch(f"matmul_transposed<{types}", t, m, n) for t in tilings},
            (Array(kind, (m, k)), Array(kind, (n, k)), Array(result, (m, n), ""), m, n, k), 2,
            lambda a, rows: a.exact(0, rows) @ a.exact(1).T, tolerance, moved, 2 * m * n * k, wanted=wanted,
        )  # fmt: skip


def attention(size: Size, dim: int, name: str, kind: str) -> Work:
    heads, length = size(4096 // dim, 2), size(4096, 150)
    shape, scale = (heads, length, dim), dim**-0.5

    def exact(a: Given, rows: np.ndarray) -> np.ndarray:
        found = []
        for head in np.unique(rows // length):
            queries = rows[rows // length == head] % length
            scores = a.exact(0, head, queries) @ a.exact(1, head).T * scale
            scores[np.arange(length) > queries[:, None]] = -np.inf
            found.append(softmax_of(scores) @ a.exact(2, head))
        return np.concatenate(found)

    candidates = {
        f"{q} x {k}": (Launch(f"attention<{kind}, {q}, {k}, {dim}>", (ceildiv(length, q), heads)),)
        for q, k in ((64, 64), (128, 64), (128, 128))
    }
    return Work(
        f"attention {dim} {name}", "attention", candidates,
        (*[Array(kind, shape)] * 3, Array(kind, shape, ""), heads, length, scale), 3,
        exact, {HALF: 5e-3, BF16: 2e-2}[kind],
        8 * heads * length * dim, 2 * heads * length * length * dim, wanted=0.6,
    )  # fmt: skip
