"""ftof in the modes that NVIDIA's tools accept, built for the cpu, matches the interpreter bit for bit."""

from __future__ import annotations

import functools

import numpy as np
from tileir_modules import elementwise, tile

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.elements import DTYPES, bits_of
from pycuda_tile.tileir.interpreter import conversions
from pycuda_tile.tileir.lower.translate import translate

COUNT = 256  # all of an 8-bit format
MODES = {"E": "nearest_even", "Z": "zero", "N": "negative_inf", "P": "positive_inf", "A": "nearest_away"}
#: Modes by source and target: those that change a value (test_operations.py has E between IEEE formats), and
#: one for each exact conversion.
TAKEN = {
    "f64": {"f32": "ZNP", "tf32": "EZ", "f16": "Z", "bf16": "Z", "f8E8M0FNU": "ZP", "fnv8E5M3FNU": "E"},
    "f32": {"tf32": "EZA", "f16": "Z", "bf16": "Z", "f8E8M0FNU": "ZP", "fnv8E5M3FNU": "E"},
    "tf32": {"f32": "Z", "f16": "Z", "bf16": "Z", "f8E8M0FNU": "Z"},
    "f16": {"f32": "N", "bf16": "Z", "f8E8M0FNU": "Z"},
    "bf16": {"f64": "A", "f16": "Z"},
    "f8E8M0FNU": {"f16": "Z", "f64": "Z"},
    "f8E5M2": {"f16": "P"},
    "f8E4M3FN": {"tf32": "A", "f8E8M0FNU": "Z"},
    "f4E2M1FN": {"bf16": "A", "f8E8M0FNU": "P", "fnv8E5M3FNU": "E"},
    "fnv8E5M3FNU": {"f16": "Z", "bf16": "N", "tf32": "A", "f64": "P", "f8E8M0FNU": "Z", "f8E4M3FN": "E"},
}
CASES = {
    f"{source}_to_{to}_{MODES[mode]}": (source, to, MODES[mode])
    for source, targets in TAKEN.items()
    for to, modes in targets.items()
    for mode in modes
}


def bits_type(kind: str) -> str:
    """The type of elements in memory: integers, so that no conversion affects them."""
    return "f32" if kind == "tf32" else f"i{8 * DTYPES[kind].itemsize}"


@functools.cache
def values(source: str) -> np.ndarray:
    """All numbers of a small format; for others, numbers at, between and beside those of each target, and the
    extremes."""
    if bits_of(source) <= 8:
        return np.resize(np.arange(1 << bits_of(source), dtype=np.uint8), COUNT).view(DTYPES[source])
    rng = np.random.default_rng(len(source))
    ends = [0.0, np.inf, np.nan, 1e-320, 1e-310, 2.0**-149, 2.0**-127, 2.0**-126, 1e-30, 3.5e38, 1e300]
    ends += [2.0**128 - 2.0**103, 2.0**128 - 2.0**115, 65504, 65519, 65520, 1.5 * 2.0**-25, 2.0**-1074]
    mantissas = np.array([0, 2**-7, 2**-8, 2**-10, 2**-11, 2**-23, 2**-24, 2**-52, 3 * 2**-8, 3 * 2**-11])
    while len(ends) < COUNT // 2:
        near = 1 + rng.choice(mantissas, 3).sum()
        ends.append(near * 2.0 ** rng.integers(*((-20, 17) if rng.random() < 0.5 else (-130, 128))))
    with np.errstate(all="ignore"):
        numbers = np.array(ends + [-n for n in ends])
        return conversions.ftof(numbers, source, "zero") if source != "f64" else numbers


def entry(name: str):
    source, to, mode = CASES[name]

    def function(builder, loaded):
        (x,) = loaded
        if source == "tf32":
            x = builder.op("ftof", tile("tf32", COUNT), **{"from": x})
        elif source == "f4E2M1FN":
            x = builder.op("constant", tile(source, COUNT), attributes={"value": values(source)})
        else:
            x = builder.op("bitcast", tile(source, COUNT), source=x)
        y = builder.op("ftof", tile(to, COUNT), attributes={"rounding_mode": mode}, **{"from": x})
        if to == "tf32":
            return builder.op("ftof", tile("f32", COUNT), **{"from": y})
        return builder.op("bitcast", tile(bits_type(to), COUNT), source=y)

    return elementwise(name, function, [bits_type(source)], bits_type(to), COUNT)


def test_conversions_agree() -> None:
    text, _ = translate(tileir.Module([entry(name) for name in CASES]), "cpu")
    built = pct.build(text, target="cpu", options=("-O1",))
    for name, (source, to, mode) in CASES.items():
        numbers = values(source)
        expected = conversions.ftof(numbers, to, mode)
        got = np.zeros(COUNT, expected.dtype)
        raw = (x.view(DTYPES[bits_type(kind)]) for x, kind in ((numbers, source), (got, to)))
        built.kernel(name)[1](*raw)
        same = got.view(f"u{got.itemsize}") == expected.view(f"u{got.itemsize}")
        same |= np.isnan(got) & np.isnan(expected)
        assert same.all(), (name, numbers[~same][:3], got[~same][:3], expected[~same][:3])
