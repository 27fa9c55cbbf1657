"""Strips divided by one number: integers by double where it is not known, floats by its inverse, with equal
results."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from open_front_end import module
from pass_results import same

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.loops import fuse

COUNT = 256
DIVISORS = [1, -1, 0, 2, 3, -5, 7, 1000, 0xFFFF, (1 << 31) - 1, -(1 << 31), -(1 << 31) + 1]


def divided(name: str, sign: str, kind: str, divisor: str) -> str:
    """q = x / n and r = x % n for tiles of which all elements exist."""
    tile, tensor = f"tile<{COUNT}x{kind}>", f"tensor_view<{COUNT}x{kind}, strides=[1]>"
    view = f"partition_view<tile=({COUNT}), {tensor}>"
    views = "".join(
        f"  %t_{x} = make_tensor_view %{x}, shape = [{COUNT}], strides = [1] : {tensor}\n"
        f"  %v_{x} = make_partition_view %t_{x} : {view}\n"
        for x in "xqr"
    )
    pointers = ", ".join(f"%{x}: tile<ptr<{kind}>>" for x in "xqr")
    return f"""entry @{name}({pointers}, %n: tile<{kind}>) {{
  %zero = constant <i32: 0> : tile<i32>
{views}{divisor.replace("KIND", kind).replace("TILE", tile)}
  %a, %t0 = load_view_tko weak %v_x[%zero] : {view}, tile<i32> -> {tile}, token
  %b = divi %a, %by {sign} : {tile}
  %c = remi %a, %by {sign} : {tile}
  %t1 = store_view_tko weak %b, %v_q[%zero] : {tile}, {view}, tile<i32> -> token
  %t2 = store_view_tko weak %c, %v_r[%zero] : {tile}, {view}, tile<i32> -> token
  return
}}
"""


GIVEN = """  %n1 = reshape %n : tile<KIND> -> tile<1xKIND>
  %by = broadcast %n1 : tile<1xKIND> -> TILE
"""
KERNELS = {
    "signed": divided("signed", "signed", "i32", GIVEN),
    "unsigned": divided("unsigned", "unsigned", "i32", GIVEN),
    "long": divided("long", "signed", "i64", GIVEN),
    "seven": divided("seven", "signed", "i32", "  %by = constant <KIND: 7> : TILE\n"),
}


@functools.cache
def built() -> pct.Module:
    return tileir.build(tileir.parse("\n".join(KERNELS.values())), optimize=True, options=("-O2",))


def dividends(divisor: int) -> np.ndarray:
    """Around multiples of the divisor, and at the ends of the range."""
    rng = np.random.default_rng(1)
    near = rng.integers(-(1 << 31), 1 << 31, 80) // (divisor or 1) * divisor
    wide = np.concatenate([near - 1, near, near + 1, range(-4, 4), [(1 << 31) - 1, -(1 << 31)] * 4])
    return wide.astype(np.int32)


@pytest.mark.parametrize("divisor", DIVISORS)
@pytest.mark.parametrize("name", KERNELS)
def test_quotients_and_remainders(name: str, divisor: int):
    kind = np.int64 if name == "long" else np.int32
    divisor = 7 if name == "seven" else divisor
    x = dividends(divisor).astype(kind)
    q, r = np.empty_like(x), np.empty_like(x)
    built().kernel(name)[1](x, q, r, divisor)
    mask = (1 << 32) - 1
    for a, quotient, rest in zip(x.tolist(), q.tolist(), r.tolist(), strict=True):
        a, n = (a & mask, divisor & mask) if name == "unsigned" else (a, divisor)
        expected = 0 if n == 0 else abs(a) // abs(n) * (1 if (a < 0) == (n < 0) else -1)
        assert (quotient - expected) % (1 << 32) == 0
        assert (rest - (a - expected * n)) % (1 << 32) == 0


def test_the_divisor_is_one_number():
    loops = fuse(tileir.parse(KERNELS["seven"]))[0].partition("noinline")[0]
    assert "loops::with_sign<" in loops and loops.count("{}, 7)") == 0
    assert loops.count(", 7)") == 2


FLOATS = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;

// Each row of q is that of x divided by an element of n; r is x divided by the first one.
__tile_global__ void divide(const float* x, const float* n, float* q, float* r) {
  using tile = ct::shape<16, 512>;
  ct::partition_view from{ct::tensor_span{x, ct::extents{16, 512}}, tile{}};
  ct::partition_view by{ct::tensor_span{n, ct::extents{16, 1}}, ct::shape<16, 1>{}};
  ct::partition_view to{ct::tensor_span{q, ct::extents{16, 512}}, tile{}};
  ct::partition_view also{ct::tensor_span{r, ct::extents{16, 512}}, tile{}};
  auto rows = from.load(0, 0);
  to.store(rows / by.load(0, 0), 0, 0);
  also.store(rows / *n, 0, 0);
}

// Quotients by 8, 2^-126, 2^127 and 3.
__tile_global__ void divide_by_constants(const float* x, float* q) {
  using tile = ct::shape<16, 512>;
  ct::partition_view from{ct::tensor_span{x, ct::extents{16, 512}}, tile{}};
  ct::partition_view to{ct::tensor_span{q, ct::extents{64, 512}}, tile{}};
  auto rows = from.load(0, 0);
  to.store(rows / 8.0f, 0, 0);
  to.store(rows / 0x1p-126f, 1, 0);
  to.store(rows / 0x1p127f, 2, 0);
  to.store(rows / 3.0f, 3, 0);
}
"""
DIVIDED_BY = [1.0, 3.0, 0.7, 1.0 - 2.0**-24, 2.0**-40, 2.0**40, 2.0**41, 1e-30, 1e30, 1e-42, -3.0]
DIVIDED_BY += [0.0, -0.0, np.inf, -np.inf, np.nan]


def test_few_floats_are_divided_by_the_instruction():
    for columns, by_inverse in ((512, 2), (256, 0)):
        made = module(FLOATS.replace("512", str(columns)), "divide")
        assert fuse(made)[0].count("loops::div(") == by_inverse


def floats() -> np.ndarray:
    rng = np.random.default_rng(4)
    x = (rng.standard_normal((16, 512)) * 2.0 ** rng.integers(-90, 90, (16, 512))).astype(np.float32)
    special = [0.0, -0.0, 1e-42, -1e-42, 2.0**-60, 2.0**-61, 2.0**60, 2.0**61, np.inf, -np.inf, np.nan, 3e38]
    x[:, 64:128] = rng.standard_normal((16, 64))  # of which no strip is as special
    x[:, 128:160] = np.where(x[:, 128:160] < 0, 0, np.float32(-0.0))
    x[:, 160 : 160 + len(special)] = special
    return x


def are_quotients(got: np.ndarray, x: np.ndarray, n: np.ndarray) -> bool:
    with np.errstate(all="ignore"):
        return same(got, x / n)


@pytest.mark.parametrize("optimize", [True, False])
def test_floats_by_constants(optimize: bool):
    x, q = floats(), np.empty((4, 16, 512), np.float32)
    pct.build(FLOATS, target="cpu", optimize=optimize)["divide_by_constants"][1](x, q)
    for got, n in zip(q, (8, 2.0**-126, 2.0**127, 3), strict=True):
        assert are_quotients(got, x, np.float32(n))


@pytest.mark.parametrize("optimize", [True, False])
def test_floats_by_one_number(optimize: bool):
    x = floats()
    kernel = pct.build(FLOATS, target="cpu", optimize=optimize)["divide"]
    for first in range(len(DIVIDED_BY)):
        n = np.roll(np.array(DIVIDED_BY, np.float32), -first).reshape(16, 1)
        q, r = np.empty_like(x), np.empty_like(x)
        kernel[1](x, n, q, r)
        assert are_quotients(q, x, n)
        assert are_quotients(r, x, n[0])
