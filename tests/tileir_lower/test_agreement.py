"""Bits that specifications leave open, or of which NVIDIA's tools show more: all ways give the same ones."""

from __future__ import annotations

import functools

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import tileir

FP8 = {"f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2}
WAYS = ("interpret", False, "auto")


def entry(name: str, kind: str, result: str, lines: str) -> str:
    """Loads %x, a tile of 64, and stores %y."""

    def access(pointer: str, element: str, tile: str, rest: str) -> str:
        return f"""  %v_{pointer} = make_tensor_view %{pointer}, shape = [64], strides = [1] :
    tensor_view<64x{element}, strides=[1]>
  %w_{pointer} = make_partition_view %v_{pointer} :
    partition_view<tile=(64), tensor_view<64x{element}, strides=[1]>>
  {tile}_view_tko weak {rest}
"""

    def view(element: str) -> str:
        return f"partition_view<tile=(64), tensor_view<64x{element}, strides=[1]>>, tile<i32> -> "

    loaded = f"%w_p[%zero] : {view(kind)}tile<64x{kind}>, token"
    stored = f"%y, %w_q[%zero] : tile<64x{result}>, {view(result)}token"
    return f"""entry @{name}(%p: tile<ptr<{kind}>>, %q: tile<ptr<{result}>>) {{
  %zero = constant <i32: 0> : tile<i32>
{access("p", kind, "%x, %t = load", loaded)}{lines}{access("q", result, "%u = store", stored)}  return
}}
"""


def scan(function: str, identity: str, reverse: str) -> str:
    return f"""  %y = scan %x dim=0 reverse={reverse} identities=[{identity} : f32] :
    tile<64xf32> -> tile<64xf32>
    (%a: tile<f32>, %e: tile<f32>) {{
      %r = {function} %a, %e : tile<f32>
      yield %r : tile<f32>
    }}
"""


#: y[j - 1] / 2 + x[j], as a scan of pairs; and the last element, as a reduction.
PAIRS = """  %half = constant <f32: 0.5> : tile<64xf32>
  %y1, %y = scan %half, %x dim=0 reverse=false identities=[1.0 : f32, 0.0 : f32] :
    tile<64xf32>, tile<64xf32> -> tile<64xf32>, tile<64xf32>
    (%pa: tile<f32>, %a: tile<f32>, %pb: tile<f32>, %b: tile<f32>) {
      %ra = mulf %pa, %a : tile<f32>
      %m = mulf %a, %pb : tile<f32>
      %rb = addf %m, %b : tile<f32>
      yield %ra, %rb : tile<f32>, tile<f32>
    }
"""
LAST = """  %r = reduce %x dim=0 identities=[0.0 : f32] : tile<64xf32> -> tile<f32>
    (%a: tile<f32>, %e: tile<f32>) {
      %n = constant <f32: 0.0> : tile<f32>
      %s = mulf %a, %n : tile<f32>
      %w = addf %s, %e : tile<f32>
      yield %w : tile<f32>
    }
  %r1 = reshape %r : tile<f32> -> tile<1xf32>
  %y = broadcast %r1 : tile<1xf32> -> tile<64xf32>
"""


def numbers() -> str:
    """An entry that stores its numbers, of 8, 16, 32 and 64 bits."""
    sizes = (8, 16, 32, 64)
    parameters = ", ".join(f"%p{n}: tile<ptr<i{n}>>, %x{n}: tile<i{n}>" for n in sizes)
    stores = (
        f"  %t{n} = store_ptr_tko weak %p{n}, %x{n} : tile<ptr<i{n}>>, tile<i{n}> -> token" for n in sizes
    )
    return f"entry @numbers({parameters}) {{\n" + "\n".join(stores) + "\n  return\n}\n"


@functools.cache
def module() -> tileir.Module:
    text = [numbers()]
    text += [entry("greatest", "f32", "f32", scan("maxf", "0xFF800000", "false"))]
    text += [entry("least_back", "f32", "f32", scan("minf", "0x7F800000", "true"))]
    text += [entry("sums", "f32", "f32", scan("addf", "0.0", "false"))]
    text += [entry(f"minus_{way}", "f32", "f32", scan("subf", "0.0", way)) for way in ("false", "true")]
    text += [entry("pairs", "f32", "f32", PAIRS), entry("last", "f32", "f32", LAST)]
    for to in FP8:
        for sign in ("signed", "unsigned"):
            line = f"  %y = itof %x {sign} : tile<64xi32> -> tile<64x{to}>\n"
            text.append(entry(f"{sign}_{to}", "i32", to, line))
        text.append(entry(f"cast_{to}", "f32", to, f"  %y = ftof %x : tile<64xf32> -> tile<64x{to}>\n"))
    return tileir.parse("".join(text))


@functools.cache
def built(optimize: bool | str) -> pct.Module:
    return tileir.build(module(), optimize=optimize, options=("-O2",))


def run(way: bool | str, name: str, given: list, dtype: type, result: type) -> np.ndarray:
    array, got = np.zeros(64, dtype), np.zeros(64, result)
    array[: len(given)] = given
    if way == "interpret":
        tileir.interpret(module(), name, 1, array, got)
    else:
        built(way).kernel(name)[1](array, got)
    return got


@pytest.mark.parametrize("way", WAYS)
def test_scans_begin_with_an_element(way: bool | str) -> None:
    """Not with the identity, as machine code of NVIDIA's compiler does."""
    nan, inf = np.nan, np.inf
    most = run(way, "greatest", [nan, nan, -inf, nan, 2.0, nan], np.float32, np.float32)
    assert most[:6].tolist()[2:] == [-inf, -inf, 2.0, 2.0] and np.isnan(most[:2]).all()
    least = run(way, "least_back", [*[3.0] * 60, inf, nan, nan, nan], np.float32, np.float32)
    assert np.isnan(least[61:]).all() and least[60] == inf and (least[:60] == 3.0).all()
    assert np.signbit(run(way, "sums", [-0.0] * 64, np.float32, np.float32)).all()


@pytest.mark.parametrize("way", WAYS)
def test_bodies_get_the_accumulator_first(way: bool | str) -> None:
    """As the formula of 8.3.21 and machine code of NVIDIA's compiler have it."""
    x = np.arange(1, 65, dtype=np.float32)
    minus = 2 * x[0] - np.cumsum(x)
    assert run(way, "minus_false", x, np.float32, np.float32).tolist() == minus.tolist()
    back = run(way, "minus_true", x[::-1], np.float32, np.float32)
    assert back[::-1].tolist() == minus.tolist()
    recurrence = [8.0]
    for element in x[1:] * 8:
        recurrence.append(recurrence[-1] * 0.5 + element)
    pairs = run(way, "pairs", x * 8, np.float32, np.float32)
    np.testing.assert_allclose(pairs, recurrence, rtol=1e-6)  # 24 bits of mantissa
    assert (run(way, "last", x, np.float32, np.float32) == 64).all()


@pytest.mark.parametrize("way", WAYS)
def test_integers_beyond_fp8(way: bool | str) -> None:
    """Infinity if the format has it, else NaN [8.4.5]."""
    given = [448, 464, 465, -464, -465, 57344, 61439, 61440, -61440, 2**31 - 1, -(2**31), -1, 17, 2**24 + 1]
    e4m3 = run(way, "signed_f8E4M3FN", given, np.int32, FP8["f8E4M3FN"]).view(np.uint8)
    assert e4m3[:14].tolist() == [*[0x7E] * 2, 0x7F, 0xFE, *[0x7F] * 7, 0xB8, 0x58, 0x7F]
    e5m2 = run(way, "signed_f8E5M2", given, np.int32, FP8["f8E5M2"]).view(np.uint8)
    small = [0x5F, 0x5F, 0x5F, 0xDF, 0xDF]
    assert e5m2[:14].tolist() == [*small, 0x7B, 0x7B, 0x7C, 0xFC, 0x7C, 0xFC, 0xBC, 0x4C, 0x7C]
    for to, beyond in (("f8E4M3FN", 0x7F), ("f8E5M2", 0x7C)):
        bits = run(way, f"unsigned_{to}", [-1, -(2**31), 0, 2], np.int32, FP8[to]).view(np.uint8)
        assert bits[:4].tolist() == [beyond, beyond, 0, 0x40]


@pytest.mark.parametrize("way", WAYS)
def test_nan_as_fp8(way: bool | str) -> None:
    """All bits but the sign; numbers out of range saturate."""
    nans = np.array([0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF], np.uint32).view(np.float32)
    for to, most in (("f8E4M3FN", 0x7E), ("f8E5M2", 0x7B)):
        got = run(way, f"cast_{to}", [*nans, np.inf, -1e30], np.float32, FP8[to]).view(np.uint8)
        assert got[:6].tolist() == [0x7F] * 4 + [most, most | 0x80]


@pytest.mark.parametrize("way", WAYS)
def test_integers_have_either_sign(way: bool | str) -> None:
    sizes = (8, 16, 32, 64)
    for number in (lambda n: 2**n - 1, lambda n: -1, lambda n: 2 ** (n - 1), lambda n: -(2 ** (n - 1))):
        got = [np.zeros(1, f"u{n // 8}") for n in sizes]
        arguments = [each for n, array in zip(sizes, got, strict=True) for each in (array, number(n))]
        if way == "interpret":
            tileir.interpret(module(), "numbers", 1, *arguments)
        else:
            built(way).kernel("numbers")[1](*arguments)
        assert [int(array[0]) for array in got] == [number(n) % 2**n for n in sizes]
        for at, n in enumerate(sizes):
            for wrong in (2**n, -(2 ** (n - 1)) - 1):
                refused = [*arguments]
                refused[2 * at + 1] = wrong
                with pytest.raises(pct.Error, match=f"expects an integer of {n} bits, got {wrong}"):
                    if way == "interpret":
                        tileir.interpret(module(), "numbers", 1, *refused)
                    else:
                        built(way).kernel("numbers")[1](*refused)
