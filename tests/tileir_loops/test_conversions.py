"""Conversions in strips and on whole tiles: integers of floats, floats of integers, and numbers of bools."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from pass_results import entry, nests

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.loops.simplify import simplify

SIZES = {"strips": "8x32", "short": "16x16", "shorter": "32x8"}
INTEGERS = [f"{sign}_{kind}" for sign in ("signed", "unsigned") for kind in ("i8", "i16", "i32")]
EMULATED = {"target": "emulated", "num_threads": 4}
OF_BOOLS = ["signed_i16", "unsigned_i16", "unsigned_i8", "signed_i32", "unsigned_f32", "signed_f32"]
RESULTS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "f32": np.float32}


def kernel(name: str, shape: str, result: str, lines: str) -> str:
    """out = what `lines` make, as %r, of a tile %x of x."""
    rows, columns = shape.split("x")
    text = f"entry @{name}(%x: tile<ptr<f32>>, %out: tile<ptr<{result}>>) {{\n"
    text += "  %zero = constant <i32: 0> : tile<i32>\n"
    for array, kind in (("x", "f32"), ("out", result)):
        tensor = f"tensor_view<{shape}x{kind}, strides=[{columns},1]>"
        text += f"  %t_{array} = make_tensor_view %{array}, shape = [{rows}, {columns}], "
        text += f"strides = [{columns}, 1] : {tensor}\n"
        text += f"  %v_{array} = make_partition_view %t_{array} : partition_view<tile=({shape}), {tensor}>\n"
    view = "partition_view<tile=({0}), tensor_view<{0}x{1}, strides=[{2},1]>>, tile<i32>"
    return f"""{text}  %a, %t0 = load_view_tko weak %v_x[%zero, %zero] : {view.format(shape, "f32", columns)}
    -> tile<{shape}xf32>, token
{lines}
  %t1 = store_view_tko weak %r, %v_out[%zero, %zero] : tile<{shape}x{result}>,
    {view.format(shape, result, columns)} -> token
  return
}}
"""


def of_floats(name: str, shape: str, which: str) -> str:
    sign, kind = which.split("_")
    lines = f"  %r = ftoi %a {sign} rounding<nearest_int_to_zero> : tile<{shape}xf32> -> tile<{shape}x{kind}>"
    return kernel(name, shape, kind, lines)


def of_bools(name: str, shape: str, which: str) -> str:
    sign, kind = which.split("_")
    how = "itof" if kind[0] == "f" else "exti"
    rounding = " rounding<nearest_even>" if how == "itof" else ""
    lines = f"""  %z = constant <f32: 0.5> : tile<{shape}xf32>
  %b = cmpf greater_than ordered %a, %z : tile<{shape}xf32> -> tile<{shape}xi1>
  %r = {how} %b {sign}{rounding} : tile<{shape}xi1> -> tile<{shape}x{kind}>"""
    return kernel(name, shape, kind, lines)


def of_integers(name: str, shape: str, which: str) -> str:
    """Of the low bits of each float."""
    sign, kind = which.split("_")
    low = "%i" if kind == "i32" else "%n"
    lines = f"  %i = bitcast %a : tile<{shape}xf32> -> tile<{shape}xi32>\n"
    if kind != "i32":
        lines += f"  %n = trunci %i : tile<{shape}xi32> -> tile<{shape}x{kind}>\n"
    lines += f"  %r = itof {low} {sign} rounding<nearest_even> : tile<{shape}x{kind}> -> tile<{shape}xf32>"
    return kernel(name, shape, "f32", lines)


KERNELS = {
    f"{make.__name__}_{which}_{how}": (make, shape, which)
    for how, shape in SIZES.items()
    for make, some in ((of_floats, INTEGERS), (of_integers, INTEGERS), (of_bools, OF_BOOLS))
    for which in some
}


def floats() -> np.ndarray:
    limits = [2.0**bits + more for bits in (7, 8, 15, 16, 31, 32) for more in (-1, -0.5, 0, 0.5, 1)]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42, 3e38, -3e38, 0.5, -0.99, 1.99]
    values = np.array([*special, *limits, *(-x for x in limits)], np.float32)
    return np.resize(values, 256)


@functools.cache
def module() -> tileir.Module:
    return tileir.parse("".join(make(name, shape, which) for name, (make, shape, which) in KERNELS.items()))


@functools.cache
def built(optimize: bool | str):
    return tileir.build(module(), optimize=optimize, options=("-O2" if optimize else "-O1",))


def expected(which: str, make) -> np.ndarray:
    """Where Tile IR leaves it open, hosts clamp, and NaN becomes zero."""
    sign, kind = which.split("_")
    x = floats().astype(np.float64)
    if make is of_bools:
        return np.where(x > 0.5, -1 if sign == "signed" else 1, 0).astype(RESULTS[kind])
    integer = np.dtype(("i" if sign == "signed" else "u") + str(int(kind[1:]) // 8))
    if make is of_integers:
        return floats().view(np.uint32).astype(integer).astype(np.float32)
    limits = np.iinfo(integer)
    numbers = np.nan_to_num(np.clip(np.trunc(x), limits.min, limits.max), nan=0)
    return numbers.astype(np.int64).astype(RESULTS[kind])


@pytest.mark.parametrize("name", KERNELS)
def test_conversions(name: str):
    make, _, which = KERNELS[name]
    for optimize in ("auto", False):
        out = np.zeros(256, np.float32 if make is of_integers else RESULTS[which.partition("_")[2]])
        built(optimize)[name][1](floats(), out)
        assert out.tolist() == expected(which, make).tolist()


def test_comparisons_that_become_numbers_select_them():
    ops = [op.name for op in walk(simplify(entry(of_bools("k", "8x32", "unsigned_f32"))).body)]
    assert "select" in ops and "itof" not in ops


@pytest.mark.parametrize(
    ("shape", "kind", "fused"), [("8x32", "i8", True), ("16x16", "i8", False), ("16x16", "i16", True)]
)
def test_bytes_of_short_rows_are_converted_on_whole_tiles(shape: str, kind: str, fused: bool):
    names = {op.name for nest in nests(of_floats("k", shape, f"signed_{kind}")) for op in nest.ops}
    assert ("ftoi" in names) == fused


@pytest.mark.parametrize(
    ("shape", "kind", "fused"),
    [("16x16", "f16", True), ("32x8", "f16", False), ("8x32", "bf16", True), ("16x16", "bf16", False)],
)
def test_floats_of_two_bytes_in_short_rows_are_converted_on_whole_tiles(shape: str, kind: str, fused: bool):
    lines = f"""  %h = ftof %a rounding<nearest_even> : tile<{shape}xf32> -> tile<{shape}x{kind}>
  %r = ftof %h : tile<{shape}x{kind}> -> tile<{shape}xf32>"""
    names = {op.name for nest in nests(kernel("k", shape, "f32", lines)) for op in nest.ops}
    assert ("ftof" in names) == fused


TRUNCATED = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
template <typename F, typename I>
__tile_global__ void scalars(const F* x, F* y) {
  for (int k = 0; k < 64; ++k)
    y[k] = F(I(x[k]));
}
template <typename F, typename I, int N>
__tile_global__ void tiles(const F* x, F* y) {
  auto i = static_cast<int>(ct::bid().x) * N + ct::iota<ct::tile<int, ct::shape<N>>>();
  ct::store(y + i, ct::element_cast<F>(ct::element_cast<I>(ct::load(x + i))));
}
"""
TYPES = [("float", "int"), ("float", "long long"), ("double", "int"), ("double", "long long")]


@pytest.mark.parametrize("options", [{"target": "cpu"}, {"target": "cpu", "optimize": False}, EMULATED])
def test_integers_of_negative_fractions_have_no_sign(options: dict):
    """g++ might make trunc(x) of float(int(x)), which is -0 then."""
    tiles = [f"tiles<{f}, {i}, {n}>" for f, i in TYPES for n in (1, 2, 8, 16, 64)]
    scalars = [f"scalars<{f}, {i}>" for f, i in TYPES]
    module = pct.build(TRUNCATED, kernels=[*tiles, *scalars], **options)
    for name in [*tiles, *scalars]:
        x = np.linspace(-3.2, 3.2, 64).astype("f4" if "float" in name else "f8")
        x[40], y = -0.0, np.full(64, 9, x.dtype)
        module[name][64 // int(name[:-1].split()[-1]) if name in tiles else 1](x, y)
        assert y.tobytes() == x.astype(np.int64).astype(x.dtype).tobytes(), name
