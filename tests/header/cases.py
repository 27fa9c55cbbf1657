"""Runs C++ tile expressions on arrays, with many cases per translation unit, on any target.

A case is an expression of the tiles `x0`, `x1`, …, which are loaded from NumPy arrays of the same shapes (an
array of rank 0 is passed as a scalar). Its result holds the elements of the expression's tile.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from targets import build

from pycuda_tile.compilers import nvrtc
from pycuda_tile.spec.element_types import HEADERS, NUMPY_TYPES

#: The C++ types, but those that are as another one, and tf32, which NumPy does not have.
CPP_TYPES = {e.dtype: e.cxx for e in NUMPY_TYPES.values() if e.cxx}


#: Parameters of a test with many cases, of which it runs some by default.
PORTIONS = ["some", pytest.param("the others", marks=pytest.mark.wide)]


def portion_of(cases: list, portion: str, step: int, first: int) -> list:
    """Every `step`th case starting at `first`, or all others. Tests start at a different case for each type
    and target, so that together they cover all cases."""
    return [case for i, case in enumerate(cases) if ((i - first) % step == 0) == (portion == "some")]


@dataclass
class Case:
    expression: str
    inputs: list[np.ndarray]
    shape: tuple[int, ...]  # of the result; () for a scalar
    dtype: np.dtype
    name: str = ""
    result: np.ndarray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.dtype = np.dtype(self.dtype)
        self.name = self.name or self.expression


def shape_text(shape: tuple[int, ...]) -> str:
    return f"ct::shape<{', '.join(map(str, shape))}>"


# On the host, functions that all kernels share are compiled once.
_HEAD = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
#if CUDA_TILE_ON_CUDA
#define SHARED __tile__
#else
#define SHARED __tile__ __attribute__((noinline))
#endif
template <typename Shape, typename E>
SHARED ct::tile<E, Shape> get(const E* from) { return ct::load(from + ct::iota<ct::tile<int, Shape>>()); }
template <typename Shape, typename E, typename T>
SHARED void put(E* to, T const& x) { ct::store(to + ct::iota<ct::tile<int, Shape>>(), x); }
"""


def _parameter(i: int, array: np.ndarray) -> str:
    cpp = CPP_TYPES[array.dtype]
    return f"{cpp} x{i}" if array.ndim == 0 else f"const {cpp}* p{i}"


def _load(i: int, array: np.ndarray) -> str:
    return "" if array.ndim == 0 else f"  auto x{i} = get<{shape_text(array.shape)}>(p{i});\n"


def _kernel(number: int, case: Case) -> str:
    parameters = [_parameter(i, array) for i, array in enumerate(case.inputs)]
    parameters.append(f"{CPP_TYPES[case.dtype]}* out")
    lines = "".join(_load(i, array) for i, array in enumerate(case.inputs))
    store = f"put<{shape_text(case.shape)}>(out, result)" if case.shape else "ct::store(out + 0, result)"
    return (
        f"// {case.name}\n__tile_global__ void case_{number}({', '.join(parameters)}) {{\n{lines}"
        f"  auto result = {case.expression};\n"
        f"  static_assert(ct::same_shape<ct::tile_shape_t<decltype(result)>, {shape_text(case.shape)}>);\n"
        f"  {store};\n}}\n"
    )


def _includes(cases: list[Case]) -> str:
    """The headers of the types that C++ itself lacks."""
    used = {CPP_TYPES[x.dtype] for case in cases for x in (case, *case.inputs)}
    used |= {name for name in HEADERS if any(name in case.expression for case in cases)}
    return "".join(f"#include <{header}>\n" for header in sorted({HEADERS[t] for t in used & set(HEADERS)}))


def source(cases: list[Case]) -> str:
    return _includes(cases) + _HEAD + "".join(_kernel(number, case) for number, case in enumerate(cases))


def run(cases: list[Case], target: dict, **options) -> list[Case]:
    """Builds all cases as one module and runs each as one block; returns them with their results."""
    if target["target"] == "emulated":  # only cpu needs the host compiler's vectors
        options.setdefault("options", ("-O1",))
    module = build(source(cases), target, include_dirs=nvrtc.include_dirs(), **options)
    for number, case in enumerate(cases):
        case.result = unwritten(case.shape, case.dtype)
        arguments = [x[()] if x.ndim == 0 else np.ascontiguousarray(x) for x in case.inputs]
        out = case.result.reshape(case.shape or (1,))
        module[f"case_{number}"][1](*arguments, out)
    return cases


def unwritten(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of bytes that are hardly right anywhere: elements that a kernel leaves out are seen."""
    dtype = np.dtype(dtype)
    return np.full((*shape, dtype.itemsize), 0xA5, np.uint8).view(dtype).reshape(shape)


def assert_same_bits(case: Case, expected: np.ndarray) -> None:
    """The result equals the expected one bit for bit, except for the bits of NaNs."""
    expected = np.asarray(expected)
    assert expected.dtype == case.dtype and expected.shape == case.shape, (
        case.name,
        expected.dtype,
        expected.shape,
    )
    if case.dtype == np.bool_:
        wrong = case.result.view(np.uint8) != expected.view(np.uint8)
    elif np.issubdtype(case.dtype, np.integer):
        wrong = case.result != expected
    else:
        bits = np.dtype(f"u{case.dtype.itemsize}")
        got_bits, want_bits = (
            np.ascontiguousarray(a).view(bits).reshape(a.shape) for a in (case.result, expected)
        )
        both_nan = np.isnan(case.result.astype(np.float64)) & np.isnan(expected.astype(np.float64))
        wrong = (got_bits != want_bits) & ~both_nan
    report(case, expected, wrong)


def assert_close(case: Case, expected: np.ndarray, relative: float, absolute: float = 0.0) -> None:
    """Each element is within relative * |expected| + absolute; NaN and infinities match exactly."""
    got, want = case.result.astype(np.float64), np.asarray(expected).astype(np.float64)
    with np.errstate(invalid="ignore"):
        near = np.abs(got - want) <= relative * np.abs(want) + absolute
    wrong = ~(near | (got == want) | (np.isnan(got) & np.isnan(want)))
    report(case, np.asarray(expected), wrong)


def report(case: Case, expected: np.ndarray, wrong: np.ndarray) -> None:
    if not np.any(wrong):
        return
    index = tuple(int(i) for i in np.argwhere(np.atleast_1d(wrong))[0]) if case.shape else ()
    operands = []
    for x in case.inputs:
        try:
            operands.append(repr(np.broadcast_to(x, case.shape)[index]))
        except ValueError:
            operands.append(f"array of shape {x.shape}")
    raise AssertionError(
        f"{case.name} [{', '.join(str(x.dtype) + str(x.shape) for x in case.inputs)}] at {index}: "
        f"got {case.result[index]!r}, expected {expected[index]!r}, operands {', '.join(operands)}; "
        f"{int(np.sum(wrong))} of {wrong.size} wrong"
    )
