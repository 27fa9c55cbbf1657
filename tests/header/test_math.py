"""Math functions [2.4] of tiles of every rank and floating point type against the reference, on all targets.

tests/math looks for the largest errors on the cpu. Here every target must pass a tile's elements to the
function and back, and half and bfloat16 are one rounding away from the result for float.
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from cases import Case, report, run
from values import FLOATS, SMALL_FLOATS

from pycuda_tile import reference, spec
from pycuda_tile.compilers import nvrtc

SHAPES = [(), (1,), (64,), (4, 32), (2, 4, 16), (2, 1, 4, 8)]
# Upper bounds of the errors in ulps on all targets for any argument here. tests/math/bounds.tsv has the bound
# of each function on the cpu, and CUDA's documentation states at most 4 for a GPU.
ULPS = {"cpu": 2, "emulated": 2, "simt": 4, "open": 2}
POSITIVE = ("log", "log2", "sqrt", "rsqrt")
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]


def _operands(name: str, count: int, shape: tuple[int, ...], dtype: np.dtype, seed: int) -> list[np.ndarray]:
    """Moderate numbers, for which no function overflows, including zeros, infinities and NaN."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(count):
        x = np.asarray(rng.uniform(-4, 4, shape))
        if name in POSITIVE or (name == "pow" and i == 0):
            x = np.abs(x) + 0.125
        special = rng.choice(SPECIAL, shape)
        made.append(np.where(rng.random(shape) < 0.2 * (len(shape) > 1), special, x).astype(dtype))
    return made


def _cases(dtype: np.dtype) -> list[tuple[Case, np.ndarray]]:
    made = []
    for number, row in enumerate(spec.load("math")):
        for shape in SHAPES[number % 2 :: 2]:
            operands = _operands(row.name, int(row.operands), shape, dtype, number)
            arguments = ", ".join(f"x{i}" for i in range(len(operands)))
            with np.errstate(all="ignore"):
                expected = np.asarray(getattr(reference, row.name)(*operands))
            assert expected.dtype == dtype
            made.append((Case(f"ct::{row.name}({arguments})", operands, shape, dtype), expected))
    return made


def _assert_within(case: Case, expected: np.ndarray, ulps: float) -> None:
    """Errors in units in the last place of the expected values; signs of zeros and NaN must match."""
    got, want = case.result.astype(np.float64), expected.astype(np.float64)
    info = ml_dtypes.finfo(case.dtype)
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.floor(np.log2(np.abs(want))), info.minexp)
        near = np.abs(got - want) <= ulps * np.exp2(exponent - info.nmant)
    same = (got == want) & (np.signbit(got) == np.signbit(want))
    report(case, expected, ~(same | (near & (want != 0)) | (np.isnan(got) & np.isnan(want))))


@pytest.mark.sampled(4)
@pytest.mark.parametrize("dtype", [*FLOATS, *SMALL_FLOATS], ids=str)
def test_functions_of_every_rank(dtype, target):
    if dtype in SMALL_FLOATS and not nvrtc.include_dirs():
        pytest.skip('needs cuda_fp16.h: pip install -e ".[gpu]"')
    made = _cases(dtype)
    options = () if target["target"] == "cpu" else ("-O1",)  # vectors are made of the functions of the host
    run([case for case, _ in made], target, options=options)
    # A small float is rounded once more, from a float that may be on the other side of a tie.
    ulps = 1 if dtype in SMALL_FLOATS else ULPS[target["target"]]
    for case, expected in made:
        _assert_within(case, expected, ulps)


@pytest.mark.every_target
def test_approximate_tanh(target):
    """[2.4.14/tanh/2] The device has an instruction for float, with a relative error below 2^-10.9."""
    x = np.linspace(-6, 6, 64, dtype=np.float32)
    [case] = run([Case("ct::tanh(x0, ct::round_approximate_t{})", [x], (64,), np.float32)], target)
    expected = reference.tanh(x)
    report(case, expected, np.abs(case.result - expected) > 2.0**-10 * np.abs(expected))
