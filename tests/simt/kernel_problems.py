"""What the kernels of benchmarks/kernels should compute, according to NumPy: problem(name) for any tile
sizes, at odd lengths, which tiles do not divide, or even ones, and for grids as large as one likes. If values
are small integers, results are exact."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import ml_dtypes
import numpy as np

FOLDER = Path(__file__).parents[2] / "benchmarks" / "kernels"
F32, F64, I32 = np.float32, np.float64, np.int32
_TYPES = {
    "float": F32,
    "double": F64,
    "int": I32,
    "signed char": np.int8,
    "__half": np.float16,
    "__nv_bfloat16": ml_dtypes.bfloat16,
    "__nv_fp8_e4m3": ml_dtypes.float8_e4m3fn,
}


class Problem(NamedTuple):
    """A launch and the expected contents of its array `out`."""

    grid: object
    arguments: list
    out: np.ndarray
    expected: np.ndarray
    tolerance: float = 0

    def check(self, message: str = "") -> None:
        expected = np.asarray(self.expected, F64)
        np.testing.assert_allclose(
            self.out.astype(F64), expected, self.tolerance, self.tolerance, err_msg=message
        )


class Odd(NamedTuple):
    """Lengths, made of an even length and the amount that makes it odd; `scale` times as many tiles."""

    is_odd: bool
    scale: int

    def __call__(self, length: int, more: int) -> int:
        return self.scale * length + more * self.is_odd

    def in_tile(self, length: int, more: int) -> int:
        """A length that has to fit into one tile."""
        return length + more * self.is_odd


def problem(kernel: str, odd: bool = True, scale: int = 1) -> Problem:
    """The problem of a kernel, given its name in a module: "softmax<1024>"."""
    base, _, arguments = kernel.rstrip(">").partition("<")
    values = [int(x) if x.strip().isdigit() else _TYPES.get(x.strip()) for x in arguments.split(",")]
    return _PROBLEMS[base](Odd(odd, scale), *values)


def ceildiv(a: int, b: int) -> int:
    return -(-a // b)


def source_of(kernel: str) -> Path:
    """The file that defines a kernel."""
    definition = re.compile(rf"__tile_global__ void {kernel.split('<')[0]}\(")
    (path,) = (path for path in FOLDER.glob("*.cu") if definition.search(path.read_text()))
    return path


def defined_kernels() -> set[str]:
    texts = (path.read_text() for path in FOLDER.glob("*.cu"))
    return {name for text in texts for name in re.findall(r"__tile_global__ void (\w+)\(", text)}


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).standard_normal(shape).astype(F32)


def _integers(dtype, *shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape) + shape[0]).integers(-4, 5, shape).astype(dtype)


def _blank(dtype, *shape: int) -> np.ndarray:
    """Elements that no result contains, to reveal those that are not written."""
    return np.full(shape, 99, dtype)


# --- one element, and rows ----------------------------------------------------------------------------------


def _copy(odd: Odd, tile: int) -> Problem:
    n = odd(4 * tile, -21)
    x, out = _random(n), _blank(F32, n)
    return Problem(ceildiv(n, tile), [x, out, n], out, x)


def _vector_add(odd: Odd, tile: int, steps: int = 1) -> Problem:
    n = odd(4 * tile, -23)
    a, b, out = _random(n), _random(2 * n)[::2].copy(), _blank(F32, n)
    return Problem(ceildiv(n, tile * steps), [a, b, out, n], out, a + b)


def _bias_gelu(odd: Odd, tile: int) -> Problem:
    rows, columns = 3 * odd.scale, odd(2 * tile, 44 - tile)
    x, bias, out = _random(rows, columns), _random(columns), _blank(F32, rows, columns)
    y = (x + bias).astype(F64)
    expected = 0.5 * y * (1 + np.tanh(0.7978845608 * (y + 0.044715 * y**3)))
    return Problem((ceildiv(columns, tile), rows), [x, bias, out, rows, columns], out, expected, 1e-5)


def _ten_steps(odd: Odd, tile: int) -> Problem:
    n = odd(4 * tile, -21)
    x = _random(n)
    y = x.astype(F64)
    for factor, term in [(0.5, 1), (0.75, 2), (0.5, 3), (0.25, 4), (0.5, 5)]:
        y = y * factor + term
    return Problem(ceildiv(n, tile), [x, n], x, y, 1e-5)


def _lengths(odd: Odd, tile: int) -> Problem:
    n = odd(4 * tile, -21)
    a, b, out = _random(n), _random(2 * n)[::2].copy(), _blank(F32, n)
    return Problem(ceildiv(n, tile), [a, b, out, n], out, np.hypot(a.astype(F64), b), 1e-5)


def _leaky_relu(odd: Odd, tile: int) -> Problem:
    n = odd(4 * tile, -21)
    x, out = _random(n), _blank(F32, n)
    return Problem(ceildiv(n, tile), [x, out, n], out, np.where(x > 0, x, F32(0.01) * x))


def _adam(odd: Odd, tile: int) -> Problem:
    n = odd(4 * tile, -21)
    parameters, mean, square, gradients = _random(4, n)
    square = np.abs(square)
    m, v = 0.9 * mean.astype(F64) + 0.1 * gradients, 0.999 * square.astype(F64) + 0.001 * gradients**2
    expected = parameters - 0.125 * m / (np.sqrt(v) + 1e-8)
    arguments = [parameters, mean, square, gradients, 0.125, n]
    return Problem(ceildiv(n, tile), arguments, parameters, expected, 1e-5)


def _softmax(odd: Odd, width: int) -> Problem:
    rows, columns = 3 * odd.scale, odd.in_tile(width, -55)
    x, out = _random(rows, columns), _blank(F32, rows, columns)
    e = np.exp(x.astype(F64))
    return Problem(rows, [x, out, rows, columns], out, e / e.sum(1, keepdims=True), 1e-5)


def _layer_norm(odd: Odd, width: int) -> Problem:
    return _normalized(3 * odd.scale, odd.in_tile(width, -55))


def _layer_norm_by_parts(odd: Odd, tile: int) -> Problem:
    return _normalized(3 * odd.scale, odd(3 * tile, 9))


def _normalized(rows: int, columns: int) -> Problem:
    x, weight, out = _random(rows, columns), _random(columns), _blank(F32, rows, columns)
    bias = _random(2 * columns)[::2].copy()
    normal = (x - x.mean(1, keepdims=True, dtype=F64)) / np.sqrt(x.var(1, keepdims=True, dtype=F64) + 1e-5)
    return Problem(rows, [x, weight, bias, out, rows, columns, 1e-5], out, normal * weight + bias, 1e-4)


def _partial_sum(odd: Odd, width: int) -> Problem:
    rows, columns = 3 * odd.scale, odd.in_tile(width, -55)
    x, out = _integers(F32, rows, columns), _blank(F32, rows, columns)
    return Problem(rows, [x, out, rows, columns], out, x.cumsum(1))


def _sum(odd: Odd, tile: int, steps: int) -> Problem:
    share = tile * steps
    x = _integers(F32, odd(2 * share, -21))
    expected = np.add.reduceat(x, range(0, x.size, share))
    out = _blank(F32, expected.size)
    return Problem(out.size, [x, out, x.size], out, expected)


def _row_sum(odd: Odd, rows: int, columns: int) -> Problem:
    height, width = odd(3 * rows, 5 - rows), odd(2 * columns, 6)
    x, out = _integers(F32, height, width), _blank(F32, height)
    return Problem(ceildiv(height, rows), [x, out, height, width], out, x.sum(1))


def _column_sum(odd: Odd, rows: int, columns: int) -> Problem:
    height, width, share = odd(4 * rows, 5 - 2 * rows), odd(3 * columns, 6 - columns), 2 * rows
    x = _integers(F32, height, width)
    expected = np.add.reduceat(x, range(0, height, share))
    out = _blank(F32, *expected.shape)
    grid = (ceildiv(width, columns), len(out))
    return Problem(grid, [x, out, height, width, 2], out, expected)


def _standardize(odd: Odd, width: int) -> Problem:
    rows, columns = 3 * odd.scale, odd.in_tile(width, -55)
    x, out = _random(rows, columns), _blank(F32, rows, columns)
    expected = (x - x.mean(1, keepdims=True, dtype=F64)) / x.std(1, keepdims=True, dtype=F64)
    return Problem(rows, [x, out, rows, columns], out, expected, 1e-4)


def _log_sum_exp(odd: Odd, width: int) -> Problem:
    rows, columns = 3 * odd.scale, odd.in_tile(width, -55)
    x, out = 50 * _random(rows, columns), _blank(F32, rows)
    return Problem(rows, [x, out, rows, columns], out, np.logaddexp.reduce(x.astype(F64), 1), 1e-5)


# --- movement -----------------------------------------------------------------------------------------------


def _transpose(odd: Odd, tile: int) -> Problem:
    rows, columns = odd(2 * tile, 5 - tile), odd(3 * tile, 6 - tile)
    x, out = _random(rows, columns), _blank(F32, columns, rows)
    return Problem((ceildiv(columns, tile), ceildiv(rows, tile)), [x, out, rows, columns], out, x.T)


def _gather(odd: Odd, tile: int, width: int) -> Problem:
    rows, columns = odd(2 * tile, 5 - tile), odd.in_tile(width, -1)
    table, index = _random(50, columns), np.random.default_rng(5).integers(0, 50, rows).astype(I32)
    out = _blank(F32, rows, columns)
    return Problem(ceildiv(rows, tile), [table, index, out, rows, columns], out, table[index])


def _histogram(odd: Odd, tile: int, steps: int = 1) -> Problem:
    n = odd(4 * tile, -21)
    values, counts = np.random.default_rng(6).integers(-3, 40, n).astype(I32), np.zeros(37, I32)
    values[tile : 2 * tile] %= 37  # all of them are counted
    expected = np.bincount(values[(values >= 0) & (values < 37)], minlength=37)
    return Problem(ceildiv(n, tile * steps), [values, counts, n, 37], counts, expected)


# --- products -----------------------------------------------------------------------------------------------


def _matmul(odd: Odd, element, _, result, *tiles: int) -> Problem:
    return _product(odd, element, result, tiles)


def _matmul_by_rows(odd: Odd, element, result, *tiles: int) -> Problem:
    work = _product(odd, element, result, tiles)
    return work._replace(grid=(ceildiv(len(work.out), tiles[0]),))


def _matmul_transposed(odd: Odd, element, _multiplied, _summed, result, *tiles: int) -> Problem:
    return _product(odd, element, result, tiles, transposed=True)


def _matmul_converted(odd: Odd, element, _multiplied, _summed, result, *tiles: int) -> Problem:
    return _product(odd, element, result, tiles)


def _product(odd: Odd, element, result, tiles: tuple[int, ...], transposed: bool = False) -> Problem:
    m, n, k = odd(2 * tiles[0], 5 - tiles[0]), odd(2 * tiles[1], 3 - tiles[1]), odd(2 * tiles[2], 7)
    a, b, out = _integers(element, m, k), _integers(element, k, n), _blank(result, m, n)
    given = np.ascontiguousarray(b.T) if transposed else b
    grid, expected = (ceildiv(n, tiles[1]), ceildiv(m, tiles[0])), a.astype(F64) @ b.astype(F64)
    return Problem(grid, [a, given, out, m, n, k], out, expected.astype(result))


def _linear_relu(odd: Odd, *tiles: int) -> Problem:
    work = _product(odd, F32, F32, tiles)
    x, weight, out, m, n, k = work.arguments
    bias = _integers(F32, n)
    expected = np.maximum(x @ weight + bias, 0)
    return work._replace(arguments=[x, weight, bias, out, m, n, k], expected=expected)


def _matmul_batched(odd: Odd, element, result, batch: int, *tiles: int) -> Problem:
    batches, m = odd(2 * batch, 1 - batch), tiles[0]
    n, k = odd(2 * tiles[1], 3 - tiles[1]), odd(2 * tiles[2], 9)
    a, b, out = _integers(element, batches, m, k), _integers(element, k, n), _blank(result, batches, m, n)
    grid = (ceildiv(n, tiles[1]), ceildiv(batches, batch))
    return Problem(grid, [a, b, out, batches, n, k], out, a.astype(F32) @ b.astype(F32))


def _attention(odd: Odd, element, tile_q: int, tile_k: int, dim: int) -> Problem:
    heads, length = 2, odd(2 * max(tile_q, tile_k), 11)
    q, k, v = (x.astype(element) for x in _random(3, heads, length, dim))
    out = _blank(element, heads, length, dim)
    scores = q.astype(F64) @ k.astype(F64).transpose(0, 2, 1) * 0.25
    scores[:, np.arange(length)[:, None] < np.arange(length)] = -np.inf
    weights = np.exp(scores - scores.max(2, keepdims=True))
    expected = weights / weights.sum(2, keepdims=True) @ v.astype(F64)
    arguments = [q, k, v, out, heads, length, 0.25]
    return Problem((ceildiv(length, tile_q), heads), arguments, out, expected, 0.02)


_PROBLEMS = {
    "copy": _copy,
    "vector_add": _vector_add,
    "vector_add_of_steps": _vector_add,
    "bias_gelu": _bias_gelu,
    "ten_steps": _ten_steps,
    "lengths": _lengths,
    "leaky_relu": _leaky_relu,
    "adam": _adam,
    "softmax": _softmax,
    "layer_norm": _layer_norm,
    "layer_norm_by_parts": _layer_norm_by_parts,
    "partial_sum": _partial_sum,
    "sum": _sum,
    "sum_of_four": lambda odd, tile, steps: _sum(odd, tile, 4 * steps),
    "standardize": _standardize,
    "log_sum_exp": _log_sum_exp,
    "row_sum": _row_sum,
    "column_sum": _column_sum,
    "transpose": _transpose,
    "gather": _gather,
    "histogram": _histogram,
    "histogram_of_steps": _histogram,
    "matmul": _matmul,
    "matmul_by_rows": _matmul_by_rows,
    "matmul_transposed": _matmul_transposed,
    "matmul_converted": _matmul_converted,
    "linear_relu": _linear_relu,
    "matmul_batched": _matmul_batched,
    "attention": _attention,
}
