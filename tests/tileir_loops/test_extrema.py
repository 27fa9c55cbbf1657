"""Maxima and minima of strips and one number have the bits of those of two tiles."""

from __future__ import annotations

import itertools

import ml_dtypes
import numpy as np
import pytest
from pass_results import assert_same_results

from pycuda_tile import tileir
from pycuda_tile.tileir.loops.translate import fuse

N = 64
DTYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
#: And the functions that need no more than a comparison.
NUMBERS = {"0.0": ["maxf"], "-0.0": ["minf"], "1.5": ["maxf", "minf"], "-2.0": ["maxf", "minf"]}
NUMBERS |= {"inf": [], "-inf": [], "nan": []}
CASES = list(itertools.product(("maxf", "minf"), ("", " propagate_nan"), NUMBERS))


def kernel(kind: str, chain: bool) -> str:
    """All cases for one tile, the number first in every other one; in a chain, of what has been computed."""
    pointers, tile, wide = f"tile<{N}xptr<{kind}>>", f"tile<{N}x{kind}>", f"tile<{N}xi32>"
    lines = f"  %a = addf %x, %x : {tile}\n" if chain else ""
    for i, (function, mode, number) in enumerate(CASES):
        operands = ["%a" if chain else "%x", f"%n{i}"][:: 1 if i % 2 else -1]
        lines += f"""  %n{i} = constant <{kind}: {number}> : {tile}
  %r{i} = {function} {", ".join(operands)}{mode} : {tile}
  %far{i} = constant <i32: {i * N}> : {wide}
  %place{i} = offset %to, %far{i} : {pointers}, {wide} -> {pointers}
  %t{i} = store_ptr_tko weak %place{i}, %r{i} : {pointers}, {tile} -> token
"""
    places = "".join(
        f"""  %{x}1 = reshape %{x} : tile<ptr<{kind}>> -> tile<1xptr<{kind}>>
  %{x}2 = broadcast %{x}1 : tile<1xptr<{kind}>> -> {pointers}
  %{to} = offset %{x}2, %i : {pointers}, {wide} -> {pointers}
"""
        for x, to in (("p", "from"), ("q", "to"))
    )
    return f"""entry @k(%p: tile<ptr<{kind}>>, %q: tile<ptr<{kind}>>) {{
  %i = iota : {wide}
{places}  %x, %t = load_ptr_tko weak %from : {pointers} -> {tile}, token
{lines}  return
}}
"""


@pytest.mark.parametrize("chain", [False, True])
@pytest.mark.parametrize("kind", DTYPES)
def test_extrema(kind: str, chain: bool):
    dtype = np.dtype(DTYPES[kind])
    x = np.random.default_rng(3).normal(0, 2, N * len(CASES)).astype(np.float32).astype(dtype)
    bits = x.view(f"u{dtype.itemsize}")
    exponents = int(np.array(np.inf, dtype).view(bits.dtype))
    least, sign = int(np.array(1.5, dtype).view(bits.dtype)), 1 << 8 * dtype.itemsize - 1
    special = [0, 1, exponents, exponents + 1, sign - 1, least - 1, least, least + 1]  # NaN that signal, too
    bits[: 2 * len(special)] = [*special, *(sign | each for each in special)]
    module = tileir.parse(kernel(kind, chain))
    is_half = dtype.itemsize == 2
    keeping = [case for case in CASES if case[0] in NUMBERS[case[2]] and not (is_half and case[1])]
    wanted = 0 if is_half and not chain else len(keeping)
    assert fuse(module)[0].count("loops::extremum<") == wanted
    assert_same_results(module, x, payloads=False)
