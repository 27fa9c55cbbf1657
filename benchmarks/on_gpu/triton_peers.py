"""The work of work.py in Triton: plain kernels by the algorithms of its tutorials, and calls of them with the
arguments that ours get. `calls(title)` has a call for each of a few configurations."""

from __future__ import annotations

from collections.abc import Callable

import torch
import triton
import triton.language as tl

Call = Callable[[tuple], object]


# --- elements and rows --------------------------------------------------------------------------------------


@triton.jit
def _copy(source, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(source + at, mask=at < n), mask=at < n)


@triton.jit
def _add(a, b, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(a + at, mask=at < n) + tl.load(b + at, mask=at < n), mask=at < n)


@triton.jit
def _softmax(x, out, columns, WIDTH: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, WIDTH)
    values = tl.load(x + row * columns + column, mask=column < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * columns + column, powers / tl.sum(powers, 0), mask=column < columns)


@triton.jit
def _layer_norm(x, weight, bias, out, columns, epsilon, WIDTH: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, WIDTH)
    inside = column < columns
    values = tl.load(x + row * columns + column, mask=inside, other=0.0)
    deviation = tl.where(inside, values - tl.sum(values, 0) / columns, 0.0)
    normal = deviation / tl.sqrt(tl.sum(deviation * deviation, 0) / columns + epsilon)
    scaled = normal * tl.load(weight + column, mask=inside) + tl.load(bias + column, mask=inside)
    tl.store(out + row * columns + column, scaled, mask=inside)


@triton.jit
def _cumsum(x, out, columns, WIDTH: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, WIDTH)
    values = tl.load(x + row * columns + column, mask=column < columns, other=0.0)
    tl.store(out + row * columns + column, tl.cumsum(values, 0), mask=column < columns)


@triton.jit
def _sum(x, out, n, BLOCK: tl.constexpr, STEPS: tl.constexpr):
    begin = tl.program_id(0).to(tl.int64) * BLOCK * STEPS
    total = tl.zeros((BLOCK,), tl.float32)
    for step in range(STEPS):
        at = begin + step * BLOCK + tl.arange(0, BLOCK)
        total += tl.load(x + at, mask=at < n, other=0.0)
    tl.store(out + tl.program_id(0), tl.sum(total, 0))


@triton.jit
def _row_sum(x, out, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    begin = x + row.to(tl.int64)[:, None] * columns
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for step in range(0, columns, COLUMNS):
        column = (step + tl.arange(0, COLUMNS))[None, :]
        total += tl.load(begin + column, mask=(row[:, None] < rows) & (column < columns), other=0.0)
    tl.store(out + row, tl.sum(total, 1), mask=row < rows)


@triton.jit
def _column_sum(x, out, rows, columns, piece, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    begin = tl.program_id(1) * piece
    end = tl.minimum(begin + piece, rows)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for step in range(begin, end, ROWS):
        row = (step + tl.arange(0, ROWS))[:, None]
        inside = (row < end) & (column[None, :] < columns)
        total += tl.load(x + row.to(tl.int64) * columns + column[None, :], mask=inside, other=0.0)
    tl.store(out + tl.program_id(1) * columns + column, tl.sum(total, 0), mask=column < columns)


# --- movement -----------------------------------------------------------------------------------------------


@triton.jit
def _transpose(x, out, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    values = tl.load(x + row[:, None] * columns + column[None, :], mask=inside)
    tl.store(out + column[:, None] * rows + row[None, :], tl.trans(values), mask=tl.trans(inside))


@triton.jit
def _gather(table, index, out, rows, columns, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, WIDTH)[None, :]
    inside = (row[:, None] < rows) & (column < columns)
    place = tl.load(index + row, mask=row < rows, other=0).to(tl.int64)
    values = tl.load(table + place[:, None] * columns + column, mask=inside)
    tl.store(out + row.to(tl.int64)[:, None] * columns + column, values, mask=inside)


@triton.jit
def _histogram(values, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(values + at, mask=at < n, other=0)
    tl.atomic_add(counts + value, 1, mask=at < n, sem="relaxed")


# --- products -----------------------------------------------------------------------------------------------


@triton.jit
def _matmul(
    a, b, c, m, n, k, b_row, b_column,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr,
    SUM: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Blocks that follow each other share rows of a and columns of b: they go down GROUP rows of blocks."""
    across = tl.cdiv(n, N)
    group, place = tl.program_id(0) // (GROUP * across), tl.program_id(0) % (GROUP * across)
    height = tl.minimum(tl.cdiv(m, M) - group * GROUP, GROUP)
    row = (group * GROUP + place % height) * M + tl.arange(0, M)
    column = (place // height) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    left = a + (row % m)[:, None] * k + inner[None, :]
    right = b + inner[:, None] * b_row + (column % n)[None, :] * b_column
    total = tl.zeros((M, N), SUM)
    for step in range(0, tl.cdiv(k, K)):
        rest = k - step * K
        x = tl.load(left, mask=inner[None, :] < rest, other=0.0)
        y = tl.load(right, mask=inner[:, None] < rest, other=0.0)
        total = tl.dot(x, y, total, input_precision=PRECISION, out_dtype=SUM)
        left += K
        right += K * b_row
    place_of = c + row[:, None] * n + column[None, :]
    tl.store(place_of, total.to(c.dtype.element_ty), mask=(row[:, None] < m) & (column[None, :] < n))


@triton.jit
def _attention(q, k, v, out, length, scale, DIM: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr):
    """Keys before the block of queries need no mask; those beside it do."""
    block, head = tl.program_id(0), tl.program_id(1).to(tl.int64) * length * DIM
    query, dim, first = block * QUERIES + tl.arange(0, QUERIES), tl.arange(0, DIM), tl.arange(0, KEYS)
    rows = head + query[:, None] * DIM + dim[None, :]
    queries = tl.load(q + rows, mask=query[:, None] < length, other=0.0)
    factor = scale * 1.44269504  # powers of 2 are cheaper than of e
    greatest = tl.full((QUERIES,), -float("inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    result = tl.zeros((QUERIES, DIM), tl.float32)
    for begin in range(0, block * QUERIES, KEYS):
        key = begin + first
        keys = tl.load(k + head + key[None, :] * DIM + dim[:, None])
        scores = tl.dot(queries, keys) * factor
        now = tl.maximum(greatest, tl.max(scores, 1))
        weights = tl.exp2(scores - now[:, None])
        decay = tl.exp2(greatest - now)
        total = total * decay + tl.sum(weights, 1)
        values = tl.load(v + head + key[:, None] * DIM + dim[None, :])
        result = tl.dot(weights.to(values.dtype), values, result * decay[:, None])
        greatest = now
    for begin in range(block * QUERIES, tl.minimum((block + 1) * QUERIES, length), KEYS):
        key = begin + first
        keys = tl.load(k + head + key[None, :] * DIM + dim[:, None], mask=key[None, :] < length, other=0.0)
        seen = (key[None, :] <= query[:, None]) & (key[None, :] < length)
        scores = tl.where(seen, tl.dot(queries, keys) * factor, -float("inf"))
        now = tl.maximum(greatest, tl.max(scores, 1))
        weights = tl.exp2(scores - now[:, None])
        decay = tl.exp2(greatest - now)
        total = total * decay + tl.sum(weights, 1)
        values = tl.load(v + head + key[:, None] * DIM + dim[None, :], mask=key[:, None] < length, other=0.0)
        result = tl.dot(weights.to(values.dtype), values, result * decay[:, None])
        greatest = now
    tl.store(out + rows, (result / total[:, None]).to(out.dtype.element_ty), mask=query[:, None] < length)


# --- calls --------------------------------------------------------------------------------------------------


def calls(title: str) -> dict[str, Call]:
    """By configuration; {} for work that is not written here."""
    for begin, make in _MAKERS.items():
        if title.startswith(begin):
            return make(title)
    return {}


def _elementwise(title: str) -> dict[str, Call]:
    def make(block: int) -> Call:
        if title == "copy":
            return lambda a: _copy[(triton.cdiv(a[2], block),)](*a, BLOCK=block)
        return lambda a: _add[(triton.cdiv(a[3], block),)](*a, BLOCK=block)

    return {str(block): make(block) for block in (1024, 4096)}


def _rows(title: str) -> dict[str, Call]:
    def make(warps: int) -> Call:
        def call(a: tuple) -> None:
            rows, columns = a[-3:-1] if title == "layer norm" else a[-2:]
            options = {"WIDTH": triton.next_power_of_2(columns), "num_warps": warps}
            if title == "layer norm":
                _layer_norm[(rows,)](*a[:4], columns, a[6], **options)
            else:
                (_softmax if title == "softmax" else _cumsum)[(rows,)](a[0], a[1], columns, **options)

        return call

    return {f"{warps} warps": make(warps) for warps in (4, 8)}


def _sums(title: str) -> dict[str, Call]:
    def total(block: int, steps: int) -> Call:
        def call(a: tuple) -> None:
            parts = triton.cdiv(a[3], block * steps)
            _sum[(parts,)](a[0], a[1], a[3], BLOCK=block, STEPS=steps)
            _sum[(1,)](a[1], a[2], parts, BLOCK=triton.next_power_of_2(parts), STEPS=1)

        return call

    def of_rows(rows: int, columns: int) -> Call:
        return lambda a: _row_sum[(triton.cdiv(a[2], rows),)](*a, ROWS=rows, COLUMNS=columns)

    def of_columns(rows: int, columns: int) -> Call:
        def call(a: tuple) -> None:
            x, parts, out, height, width = a[:5]
            piece = triton.cdiv(height, 16)
            across, sizes = triton.cdiv(width, columns), {"ROWS": rows, "COLUMNS": columns}
            pieces = triton.cdiv(height, piece)
            _column_sum[(across, pieces)](x, parts, height, width, piece, **sizes)
            _column_sum[(across, 1)](parts, out, pieces, width, pieces, **sizes)

        return call

    makers = {
        "sum": (total, [(2048, 16), (4096, 32)]),
        "row sums": (of_rows, [(1, 2048), (4, 1024)]),
        "column sums": (of_columns, [(16, 128), (32, 64)]),
    }
    make, sizes = makers[title]
    return {f"{x} x {y}": make(x, y) for x, y in sizes}


def _movement(title: str) -> dict[str, Call]:
    def transposed(block: int) -> Call:
        def call(a: tuple) -> None:
            grid = (triton.cdiv(a[3], block), triton.cdiv(a[2], block))
            _transpose[grid](*a, BLOCK=block)

        return call

    def gathered(rows: int) -> Call:
        return lambda a: _gather[(triton.cdiv(a[3], rows),)](
            *a, ROWS=rows, WIDTH=triton.next_power_of_2(a[4])
        )

    def counted(block: int) -> Call:
        return lambda a: _histogram[(triton.cdiv(a[2], block),)](*a[:3], BLOCK=block)

    if title == "transpose":
        return {str(block): transposed(block) for block in (32, 64, 128)}
    if title == "gather":
        return {str(rows): gathered(rows) for rows in (8, 32)}
    return {str(block): counted(block) for block in (512, 1024, 2048)}


def _products(title: str) -> dict[str, Call]:
    kind = title.split()[1]
    transposed = kind in ("fp8", "tf32", "int8")
    summed = {"int8": tl.int32, "f64": tl.float64}.get(kind, tl.float32)
    tiles = {
        "f32": [(64, 64, 32, 4, 3), (128, 64, 32, 8, 3)],
        "f64": [(64, 64, 16, 4, 3)],
        "tf32": [(128, 128, 32, 8, 4), (128, 256, 32, 8, 3)],
        "fp8": [(128, 128, 128, 8, 3), (128, 256, 128, 8, 3)],
        "int8": [(128, 128, 128, 8, 3), (128, 256, 128, 8, 3)],
    }.get(kind, [(128, 128, 64, 8, 3), (128, 256, 64, 8, 3)])

    def make(m: int, n: int, k: int, warps: int, stages: int) -> Call:
        def call(a: tuple) -> None:
            strides = (1, a[5]) if transposed else (a[4], 1)
            _matmul[(triton.cdiv(a[3], m) * triton.cdiv(a[4], n),)](
                *a, *strides, M=m, N=n, K=k, GROUP=8, SUM=summed,
                PRECISION="tf32" if kind == "tf32" else "ieee", num_warps=warps, num_stages=stages,
            )  # fmt: skip

        return call

    return {" x ".join(map(str, size[:3])): make(*size) for size in tiles}


def _attentions(title: str) -> dict[str, Call]:
    def make(queries: int, keys: int, warps: int, stages: int) -> Call:
        def call(a: tuple) -> None:
            q, k, v, out, heads, length, scale = a
            _attention[(triton.cdiv(length, queries), heads)](
                q, k, v, out, length, scale, DIM=q.shape[-1], QUERIES=queries, KEYS=keys,
                num_warps=warps, num_stages=stages,
            )  # fmt: skip

        return call

    sizes = [(128, 64, 4, 3), (128, 64, 8, 3), (128, 128, 8, 2)]
    return {f"{s[0]} x {s[1]}, {s[2]} warps": make(*s) for s in sizes}


_MAKERS: dict[str, Callable[[str], dict[str, Call]]] = {
    "copy": _elementwise,
    "vector add": _elementwise,
    "softmax": _rows,
    "layer norm": _rows,
    "partial sums": _rows,
    "sum": _sums,
    "row sums": _sums,
    "column sums": _sums,
    "transpose": _movement,
    "gather": _movement,
    "histogram": _movement,
    "matmul": _products,
    "attention": _attentions,
}


def interpreted() -> bool:
    """Whether Triton runs its kernels in Python, as TRITON_INTERPRET=1 asks."""
    return not isinstance(_copy, triton.JITFunction)


def is_here() -> bool:
    """Whether kernels can run: on a GPU, or interpreted."""
    return interpreted() or torch.cuda.is_available()
