"""Forms that are read but never printed: numbers by name and in hexadecimal, locations."""

from __future__ import annotations

import numpy as np
import pytest

from pycuda_tile import tileir
from pycuda_tile.tileir.elements import DTYPES
from pycuda_tile.tileir.ir import Constant, Scalar


def constant(number: str, element: str) -> np.ndarray:
    (entry,) = tileir.parse(f"entry @k() {{ %0 = constant <{element}: {number}> : tile<{element}> }}").entries
    return entry.body.ops[0].attributes["value"]


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "tf32", "f64", "f8E5M2"])
def test_infinities_and_nans(element: str) -> None:
    assert float(constant("inf", element)) == np.inf
    assert float(constant("-inf", element)) == -np.inf
    assert np.isnan(float(constant("nan", element)))


@pytest.mark.parametrize(
    "number, element",
    [
        ("inf", "f8E4M3FN"),
        ("nan", "f4E2M1FN"),
        ("inf", "i32"),
        ("-129", "i8"),
        ("-255", "i8"),
        ("256", "i8"),
        ("-9223372036854775809", "i64"),
        ("2", "i1"),
    ],
)
def test_what_a_type_has_not_is_an_error(number: str, element: str) -> None:
    with pytest.raises(tileir.ParseError, match=f"expected a number of type {element}, found '{number}'"):
        constant(number, element)


@pytest.mark.parametrize("number", ["4294967296", "-2147483649", "-4294967295"])
def test_hints_out_of_range(number: str) -> None:
    with pytest.raises(tileir.ParseError, match=f"expected a number of type i32, found '{number}'"):
        tileir.parse(f"entry @k() optimization_hints=<sm_100 = {{latency = {number}}}> {{ return }}")


def test_identities_out_of_range() -> None:
    fold = """%0 = iota : tile<8xi8>
      %1 = reduce %0 dim=0 identities=[NUMBER : i8] : tile<8xi8> -> tile<i8>
        (%a: tile<i8>, %b: tile<i8>) { yield %a : tile<i8> } return"""
    for number, bits in (("255", 255), ("-128", 128)):
        found = tileir.parse(f"entry @k() {{ {fold.replace('NUMBER', number)} }}")
        assert found.entries[0].body.ops[1].attributes["identities"] == [Constant(Scalar("i8"), bits)]
    for number in ("-129", "256"):
        with pytest.raises(tileir.ParseError, match=f"expected a number of type i8, found '{number}'"):
            tileir.parse(f"entry @k() {{ {fold.replace('NUMBER', number)} }}")


@pytest.mark.parametrize("text", ["0x1.8p1", "-0x1p-3", "0x1.fffffep127", "0x1p-149", "0x1p1000"])
def test_hexadecimal_floats(text: str) -> None:
    with np.errstate(over="ignore"):
        expected = np.array(float.fromhex(text)).astype(DTYPES["f32"])
    assert constant(text, "f32").tobytes() == expected.tobytes()


def test_bits_are_no_hexadecimal_float() -> None:
    assert constant("0x3F800000", "f32") == 1
    with pytest.raises(tileir.ParseError):
        constant("-0x3F800000", "f32")


def test_locations_are_skipped() -> None:
    plain = "module @m {\nentry @k(%x: tile<f32>) {\n%y = absf %x : tile<f32>\nreturn\n}\n}"
    placed = """#loc = loc(unknown)
module @m {
  entry @k(%x: tile<f32> loc("x")) {
    %y = absf %x : tile<f32> loc(callsite("a b)"("f.py":1:2) at fused["x"]))
    return loc(#loc1)
  } loc(#loc)
} loc(#loc)
#loc1 = loc("f.py":3:4)
"""
    assert tileir.equal(tileir.parse(placed), tileir.parse(plain))
    with pytest.raises(tileir.ParseError, match="expected"):
        tileir.parse(placed.replace("#loc1 = loc", "#loc1 = lock"))
