"""Products in fused code: which have a rule, and that their sums are right. Factors are small integers, whose
sums are exact in any order, but for the tests of infinities."""

from __future__ import annotations

import functools
import platform
import shlex
from pathlib import Path

import ml_dtypes
import numpy as np
import product_kernels as kernels
import pytest
from open_front_end import module

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.compilers import toolchain

MATMUL = Path(__file__).resolve().parents[2] / "benchmarks" / "kernels" / "matmul.cu"
TYPES = {
    "bfloats": ml_dtypes.bfloat16,
    "one_batch": np.float16,
    "few_halves": np.float16,
    "fp8": ml_dtypes.float8_e4m3fn,
}
TYPES |= {"doubles": np.float64, "bytes": np.int8, "mixed_bytes": np.int8, "started_bytes": np.int8}
TYPES |= {"bytes_of_tiles": np.int8, "batched_bytes": np.int8, "long_bytes": np.int8}
TYPES |= {"bytes_backwards": np.int8, "few_bytes": np.int8}
SUMS = {name: np.int32 for name, kind in TYPES.items() if kind == np.int8} | {"doubles": np.float64}
#: Whose factors are unsigned.
UNSIGNED = {"mixed_bytes": "a", "started_bytes": "b", "batched_bytes": "ab"}
STARTS = {"started": 2.5, "few_columns": 2.5, "started_bytes": -7, "bytes_of_tiles": 5}
#: The sizes of arrays, in tiles: two steps of one block, several tiles, ragged ones, and less than a tile.
SIZES = [(1, 1, 2), (3, 2, 5), (2.5, 1.25, 2.75), (0.5, 0.5, 0.25)]


@functools.cache
def parsed() -> tileir.Module:
    return tileir.parse("\n".join(kernels.KERNELS.values()))


@functools.cache
def built() -> pct.Module:
    return tileir.build(parsed(), optimize=True, options=("-O2",))


@functools.cache
def kernel_of(name: str, optimize: bool) -> pct.Kernel:
    """One of the kernels, of which few run op by op."""
    plain = functools.partial(tileir.build, optimize=False, options=("-O1",))
    return (built() if optimize else plain(tileir.parse(kernels.KERNELS[name]))).kernel(name)


def run(name: str, optimize: bool, grid, *arguments) -> list[np.ndarray]:
    copies = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
    kernel_of(name, optimize)[grid](*copies)
    return [x for x in copies if isinstance(x, np.ndarray)]


def factors(name: str, *shapes: tuple[int, ...]) -> list[np.ndarray]:
    rng = np.random.default_rng(len(name))
    kind = TYPES.get(name, np.float32)
    low, high = (-128, 128) if kind == np.int8 else (-4, 5)
    return [rng.integers(low, high, shape).astype(kind) for shape in shapes]


def with_signs(name: str, a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    unsigned = UNSIGNED.get(name, "")
    return [x.view(np.uint8) if which in unsigned else x for which, x in (("a", a), ("b", b))]


TILES = {
    "plain": (0, 32, 64, 32, ""),
    "started": (0, 16, 32, 512, ""),
    "turned": (0, 16, 32, 16, "ab"),
    "narrow": (0, 4, 8, 4, "b"),
    "few_columns": (0, 16, 4, 32, "a"),
    "few_halves": (0, 32, 2, 16, ""),
    "few_bytes": (0, 16, 4, 32, ""),
    "one_column": (0, 64, 1, 16, ""),
    "one_row": (0, 1, 64, 16, "b"),
    "batched": (2, 8, 16, 16, "a"),
    "few_in_batches": (2, 32, 4, 16, ""),
    "one_for_all": (2, 8, 16, 16, "b"),
    "one_batch": (1, 16, 16, 32, "b"),
    "bfloats": (0, 32, 32, 64, ""),
    "fp8": (0, 16, 16, 16, ""),
    "turned_tiles": (0, 16, 32, 16, "ab"),
    "turned_batch": (2, 8, 16, 16, "b"),
    "doubles": (0, 16, 16, 8, ""),
    "bytes": (0, 16, 32, 32, ""),
    "mixed_bytes": (0, 16, 16, 64, "b"),
    "started_bytes": (0, 16, 16, 64, ""),
    "bytes_of_tiles": (0, 32, 32, 64, ""),
    "batched_bytes": (2, 8, 16, 16, ""),
    "long_bytes": (0, 8, 16, 1024, ""),
    "backwards": (0, 16, 32, 16, ""),
    "deep_backwards": (0, 16, 32, 64, ""),
    "bytes_backwards": (0, 16, 16, 32, ""),
    "pointers": (0, 16, 32, 16, ""),
    "advancing": (0, 16, 32, 16, ""),
}


@pytest.mark.parametrize("scale", SIZES)
@pytest.mark.parametrize("name", TILES)
def test_products(name: str, scale: tuple[float, float, float]):
    batch, *tile, transposed = TILES[name]
    m, n, k = (max(1, int(size * factor)) for size, factor in zip(tile, scale, strict=True))
    batches = 3 if batch else 1
    a, b = factors(name, (batches, m, k), (1 if name == "one_for_all" else batches, k, n))
    given = [x.swapaxes(1, 2).copy() if w in transposed else x for w, x in (("a", a), ("b", b))]
    c = np.full((batches, m, n), 99, SUMS.get(name, np.float32))
    grid = -(-n // tile[1]), -(-m // tile[0]), -(-batches // (batch or 1))
    arguments = [x.reshape(-1) for x in (*given, c)]
    *_, got = run(name, True, grid, *arguments, batches, m, n, k)
    left, right = with_signs(name, a, b)
    wide = np.int64 if c.dtype == np.int32 else np.float64
    expected = left.astype(wide) @ right.astype(wide) + STARTS.get(name, 0)
    assert (got.reshape(c.shape) == expected).all()


def test_a_loop_without_rounds_gives_what_it_begins_with():
    c = np.full(16 * 32, 7, np.float32)
    one = np.ones(1, np.float32)
    for name, expected in (("started", 2.5), ("plain", 0)):
        *_, got = run(name, True, 1, one, one, c, 1, 16, 32, 0)
        assert (got == expected).all()


def test_sums_that_replace_a_factor():
    """They are stored when the last product is made, and not while the loop still loads the factor."""
    m, n, k = 32, 64, 1024
    a, b = factors("plain", (m, k), (k, n))
    expected = (a @ b).reshape(-1)
    for optimize in (True, False):
        memory = a.reshape(-1).copy()
        kernel_of("plain", optimize)[1](memory, b.reshape(-1), memory[m * n :], 1, m, n, k)
        assert (memory[m * n : 2 * m * n] == expected).all()
        assert (memory[: m * n] == a.reshape(-1)[: m * n]).all()


def test_factors_that_a_loop_overwrites():
    m, n, k = 16, 32, 80
    a, b = factors("used_up", (m, k), (k, n))
    after, _, c = run(
        "used_up", True, 1, a.reshape(-1), b.reshape(-1), np.zeros(m * n, np.float32), 1, m, n, k
    )
    assert (c.reshape(m, n) == a @ b).all() and (after == 9).all()


def test_products_of_each_round_share_what_is_packed():
    """Blocks have different numbers of rounds, and one more than there are tiles of w. What a loop carries is
    packed in each round, what comes from before it once."""
    rows, (m, k) = 6, (6 * 32 - 5, 5 * 32 - 3)
    rng = np.random.default_rng(8)
    x, w = (rng.integers(-1, 2, shape).astype(np.float32) for shape in ((m, 32), (k, 64)))
    for half in (w[:, :32], w[:, 32:]):
        half[np.abs(half).cumsum(axis=1) > 1] = 0  # at most one in a row, so that powers stay small
    kernel = pct.build(kernels.REPEATED, target="cpu", optimize=True)["repeated"]
    out, power = np.zeros((m, 64), np.float32), np.zeros((m, 64), np.float32)
    kernel[rows, 2](x, w, out, power, m, k)
    tiles = np.zeros((rows * 32, 64), np.float32)
    tiles[:k] = w
    for row, column in np.ndindex(rows, 2):
        own, place = (
            x[32 * row : 32 * row + 32],
            np.s_[32 * row : 32 * row + 32, 32 * column : 32 * column + 32],
        )
        of_rounds = tiles.reshape(rows, 32, 64)[: row + 1, :, 32 * column : 32 * column + 32]
        assert (out[place] == sum(np.abs(own @ tile) for tile in of_rounds)).all()
        assert (power[place] == functools.reduce(np.matmul, of_rounds, own)).all()


@pytest.mark.parametrize("value", [np.inf, np.nan])
def test_what_is_not_finite_meets_padding(value: float):
    """A tile's missing elements are zeros, so the product is NaN, also where nothing is missing in memory."""
    m, n, k = 33, 70, 40
    a, b = factors("plain", (m, k), (k, n))
    a[3, 39] = b[35, 2] = value
    results = [
        run("plain", optimize, (2, 2), a.reshape(-1), b.reshape(-1), np.zeros(m * n, np.float32), 1, m, n, k)
        for optimize in (False, True)
    ]
    by_operation, fused = (each[-1] for each in results)
    assert np.array_equal(by_operation, fused, equal_nan=True) and np.isnan(fused).any()


@functools.cache
def with_amx(permitted: int) -> pct.Module:
    names = ("bfloats", "bytes_of_tiles", "mixed_bytes")
    module = tileir.parse("\n".join(kernels.KERNELS[name] for name in names))
    options = ("-O2", f"-DCUDA_TILE_EMULATE_AMX={permitted}")
    return tileir.build(module, optimize=True, options=options)


@pytest.mark.parametrize("permitted", [0, 1])
@pytest.mark.parametrize("name", ["bfloats", "bytes_of_tiles", "mixed_bytes"])
def test_amx(name: str, permitted: int):
    """The model of AMX, and what takes its place where the system does not permit AMX."""
    _, *tile, transposed = TILES[name]
    m, n, k = (size * 5 // 2 for size in tile)
    a, b = factors(name, (m, k), (k, n))
    given = [x.T.copy() if w in transposed else x for w, x in (("a", a), ("b", b))]
    c = np.zeros(m * n, SUMS.get(name, np.float32))
    grid = -(-n // tile[1]), -(-m // tile[0])
    kernel = with_amx(permitted).kernel(name)
    assert kernel.attributes["mma"] == ("blocks, AMX" if permitted else "blocks")
    kernel[grid](*(x.reshape(-1) for x in given), c, 1, m, n, k)
    left, right = with_signs(name, a, b)
    wide = np.int64 if c.dtype == np.int32 else np.float64
    expected = left.astype(wide) @ right.astype(wide) + STARTS.get(name, 0)
    assert (c.reshape(m, n) == expected).all()


@pytest.mark.parametrize("place", [(40, 3), (0, 0)])
@pytest.mark.parametrize("which", [0, 1])
def test_subnormal_factors(place: tuple[int, int], which: int):
    """Instructions for bfloat16 may take them for zeros."""
    m = n = k = 64
    arrays = [np.ones((64, 64), ml_dtypes.bfloat16) for _ in range(2)]
    arrays[which][:] = 1e-40
    arrays[which][place] = 2.0**-60
    expected = arrays[0].astype(float) @ arrays[1].astype(float)
    given = [x.reshape(-1) for x in arrays]
    for kernel in (built().kernel("bfloats"), with_amx(1).kernel("bfloats")):
        got = np.zeros(m * n, np.float32)
        kernel[2, 2](*given, got, 1, m, n, k)
        np.testing.assert_allclose(got.reshape(m, n), expected, rtol=1e-6)
        assert (got != 0).all()


@pytest.mark.parametrize("name", ["two_products", "stored_between"])
def test_products_between_groups(name: str):
    x, w, u = factors(name, (32, 32), (32, 32), (32, 32))
    # The array that is stored is the right factor of the second product, which was loaded before.
    results = []
    for optimize in (False, True):
        copies = [array.reshape(-1).copy() for array in (x, w, u)]
        kernel_of(name, optimize)[1](*copies, copies[2])
        results.append(copies[2].reshape(32, 32))
    by_operation, fused = results
    assert (fused == np.maximum(x @ w, 0) @ u + x).all() and (fused == by_operation).all()


def test_sums_that_change_between_products():
    m, n, k = 16, 32, 96
    a, b = factors("changed", (m, k), (k, n))
    c = np.zeros(m * n, np.float32)
    *_, got = run("changed", True, 1, a.reshape(-1), b.reshape(-1), c, 1, m, n, k)
    parts = [a[:, i : i + 32] @ b[i : i + 32] for i in (0, 32, 64)]
    assert (got.reshape(m, n) == 8 * parts[0] + 4 * parts[1] + 2 * parts[2]).all()


@pytest.mark.parametrize("kind", ["f32", "f16"])
def test_addresses_that_wrap_around_are_computed_one_by_one(kind: str):
    """The test before the packing fails, as an offset of the last row does not fit 32 bits. Factors of half,
    which are converted, are packed as they are in memory either way."""
    m, n, k = 16, 32, 1 << 28
    text = kernels.pointer_product(kind=kind).replace("%k: tile<i32>)", "%k: tile<i32>, %last: tile<i32>)")
    text = text.replace("divi %k, %tk", "divi %last, %tk")
    module = tileir.parse(text)
    a, b = (np.ones(count, np.float32 if kind == "f32" else np.float16) for count in (16, 16 * n))
    results = []
    for optimize in (True, False):
        c = np.zeros(m * n, np.float32)
        tileir.build(module, optimize=optimize, options=("-O2",)).kernel("pointers")[1](
            a, b, c, 1, 1, n, k, 16
        )
        results.append(c)
    assert (results[0] == results[1]).all() and (results[0][:n] == 16).all()


@pytest.mark.parametrize("rows", [1, 5, 16, 20, 32])
def test_rows_from_the_first_one_on_again(rows: int):
    """A remainder has the steps of its dividend unless a multiple of the divisor lies within the tile."""
    n, k = 32, 40
    a, b = factors("", (rows, k), (k, n))
    c = np.zeros((32, n), np.float32)
    *_, got = run("wrapping", True, (1, 2), a.reshape(-1), b.reshape(-1), c.reshape(-1), 1, rows, n, k)
    expected = a[np.arange(32) % rows] @ b
    expected[rows : rows + 1] = 0
    assert (got.reshape(c.shape) == expected).all()


@pytest.mark.parametrize("name", ["halves", "halves_from_zero"])
def test_sums_of_half_are_rounded_at_each_step(name: str):
    """Once for all products of a step: above 2048 there are only even numbers."""
    m, n, k, step = 20, 40, 96, 16 if name == "halves" else 32
    kind = np.float16 if name == "halves" else ml_dtypes.float8_e4m3fn
    a, b = (np.random.default_rng(1).integers(-3, 13, shape).astype(kind) for shape in ((m, k), (k, n)))
    expected = np.full((m, n), 2048 if name == "halves" else 0, np.float16)
    for i in range(0, k, step):
        expected = (expected + a[:, i : i + step].astype("f4") @ b[i : i + step].astype("f4")).astype("f2")
    arguments = [x.reshape(-1) for x in (a, b, np.zeros((m, n), np.float16))]
    for optimize in (True, False):
        *_, got = run(name, optimize, (2, 2), *arguments, 1, m, n, k)
        assert (got.reshape(m, n) == expected).all()


@pytest.mark.parametrize("name", ["scaled", "scaled_batch"])
def test_scales(name: str):
    """Steps of 32 have a scale each; of a row of blocks, all have the same ones."""
    batches, m, n, k = 2 if name == "scaled_batch" else 1, 30, 40, 128
    a, b = factors("fp8", (batches, m, k), (batches, k, n))
    of_a = np.array([[2.0 ** ((3 * i + j) % 5 - 2) for j in (0, 1)] for i in range(16)])
    of_b = np.array([[2.0 ** ((3 * i + j) % 5 - 2) for j in range(32)] for i in (0, 1)])
    left = a.astype("f8") * np.tile(of_a.repeat(32, 1), (2, 2))[:m, :k]
    right = b.astype("f8") * np.tile(of_b.repeat(32, 0), (2, 2))[:k, :n]
    arguments = [x.reshape(-1) for x in (a, b, np.zeros((batches, m, n), np.float32))]
    for optimize in (True, False):
        *_, got = run(name, optimize, (2, 2), *arguments, batches, m, n, k)
        assert (got.reshape(batches, m, n) == left @ right).all()
    assert "reason" not in built().kernel(name).attributes


@pytest.mark.wide
@pytest.mark.skipif(platform.machine() != "x86_64", reason="AMX is for x86-64")
@pytest.mark.parametrize("by_clang", [False, True])
def test_tiles_of_amx_compile(monkeypatch: pytest.MonkeyPatch, by_clang: bool):
    """Whether or not this machine has them; tests/amx runs such code on a model of the processor."""
    if by_clang:
        try:
            program, *words = toolchain.find_clang().command
        except pct.TargetUnavailable as error:
            pytest.skip(str(error))
        compiler = [program, "c++"] if words else [f"{program}++"]
        monkeypatch.setenv("PYCUDA_TILE_CXX", shlex.join(compiler))
    name = "matmul<__nv_bfloat16, float, __nv_bfloat16, 128, 128, 64>"
    module = pct.build(MATMUL, target="cpu", arch="sapphirerapids", kernels=[name], optimize=True)
    assert module.kernel(name).attributes["mma"] == "blocks, AMX"


REPLACED = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using T = ct::tile<float, ct::shape<32, 32>>;
__tile_global__ void replaced(float* a, float* b, float* c, int n) {
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{n, 32}}, ct::shape<32, 32>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{n, 32}}, ct::shape<32, 32>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{n, 32}}, ct::shape<32, 32>{}};
  auto sums = ct::full<T>(1.0f);
  for (int i : ct::irange(0, n / 32)) {
    auto before = ct::transpose(sums);
    auto x = a_view.load(i, 0);
    sums = ct::mma(x, x, sums);
    c_view.store(ct::mma(before, b_view.load(i, 0), ct::zeros<T>()), i, 0);
  }
}
"""


def test_a_tile_is_permuted_before_another_one_takes_its_place():
    rng = np.random.default_rng(3)
    a, b = (rng.integers(-2, 3, (96, 32)).astype(np.float32) for _ in range(2))
    results = [np.zeros_like(a) for _ in range(2)]
    for out, optimize in zip(results, (True, False), strict=True):
        made = tileir.build(module(REPLACED, "replaced"), optimize=optimize)
        made.kernel("replaced")[1](a.copy(), b.copy(), out, 96)
    sums = np.ones((32, 32), np.float32)
    for i in range(0, 96, 32):
        assert (results[0][i : i + 32] == sums.T @ b[i : i + 32]).all()
        sums += a[i : i + 32] @ a[i : i + 32]
    np.testing.assert_array_equal(*results)
