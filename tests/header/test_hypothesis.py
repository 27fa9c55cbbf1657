"""Tile functions on arrays that hypothesis makes, against the NumPy reference, on the host's targets.

A family of operations on one element type is one kernel, built once and then launched on many arrays. Values
include both zeros, subnormals, infinities, NaN and extremes, and operands are all pairs of them. If the
manual leaves a result undefined, a kernel may give any result but must end.
`pytest --wide` uses all element types and many more examples.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest
from cases import CPP_TYPES, Case, assert_same_bits, report, shape_text
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from targets import TARGETS as ALL_TARGETS
from targets import OnArrays
from values import BOOL, FLOATS, INTEGERS, SMALL_FLOATS, special

import pycuda_tile as pct
from pycuda_tile import reference
from pycuda_tile.compilers import nvrtc
from pycuda_tile.errors import UndefinedBehaviorError

SHAPE = (8, 16)
RESTRICTED = [np.dtype(ml_dtypes.float8_e4m3fn), np.dtype(ml_dtypes.float8_e5m2)]
# The PTX machine is too slow for hundreds of launches; the other tests of this folder run on it.
TARGETS = {name: target for name, target in ALL_TARGETS.items() if name not in ("ptx", "emulated-4")}
INCLUDE = nvrtc.include_dirs()
HEADERS = ("cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h") if INCLUDE else ()
ALL_FLOATS = [*FLOATS, *(SMALL_FLOATS if HEADERS else [])]

EVERY = [BOOL, *INTEGERS, *ALL_FLOATS]

ROUNDING = ["round_ties_to_even", "round_toward_zero", "round_toward_negative", "round_toward_positive"]
FLUSH = "round_subnormals_to_zero"


def _chosen(names: str) -> list[np.dtype]:
    return [np.dtype(name) for name in names.split()]


def types(default: list[np.dtype], every: list[np.dtype]) -> list:
    """Parameters of a test: the default element types, and the others with --wide."""
    return [pytest.param(t, id=str(t), marks=() if t in default else pytest.mark.wide) for t in every]


@pytest.fixture(scope="module")
def examples(pytestconfig: pytest.Config) -> settings:
    return settings(max_examples=200 if pytestconfig.getoption("--wide") else 12)


# --- arrays -------------------------------------------------------------------------------------------------


def arrays(dtype: np.dtype, *shape: int) -> st.SearchStrategy[np.ndarray]:
    """Arrays of special and other values; floats are often near ties or cancel each other."""
    edges = st.sampled_from([x.item() for x in special(dtype)])
    if dtype == BOOL:
        return hnp.arrays(dtype, shape, elements=edges, fill=st.nothing())
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        small = st.integers(max(info.min, -20), 20)
        elements = st.one_of(edges, small, st.integers(int(info.min), int(info.max)))
        return hnp.arrays(dtype, shape, elements=elements, fill=st.nothing())
    bits = np.dtype(f"u{dtype.itemsize}")
    of_bits = st.integers(0, np.iinfo(bits).max).map(lambda b: float(bits.type(b).view(dtype)))
    digits = ml_dtypes.finfo(dtype).nmant
    near = st.builds(
        lambda mantissa, exponent: float(np.ldexp(float(mantissa), exponent)),
        st.integers(-(2 ** (digits + 1)), 2 ** (digits + 1)),
        st.integers(-digits - 2, 2 - digits),
    )
    elements = st.one_of(edges.map(float), near, of_bits)
    doubles = hnp.arrays(np.float64, shape, elements=elements, fill=st.nothing())
    return doubles.map(lambda array: array.astype(dtype))


# --- kernels ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operation:
    """An expression of the inputs x0, x1, ..., and its meaning as a function of some of them."""

    expression: str
    function: Callable[..., np.ndarray]
    operands: tuple[int, ...]  # which inputs the function takes
    along: int | None = None  # the dimension of a reduction
    exact: bool = True  # False for sums of floats, whose order is unspecified


@dataclass(frozen=True)
class Family:
    """Operations on the same inputs: one kernel. Inputs of rank 0 are scalars."""

    inputs: tuple[tuple[np.dtype, tuple[int, ...]], ...]
    operations: tuple[Operation, ...]

    @functools.cached_property
    def outputs(self) -> list[np.ndarray]:
        ones = [np.ones(shape, dtype) for dtype, shape in self.inputs]
        return [np.asarray(op.function(*(ones[i] for i in op.operands))) for op in self.operations]


HEAD = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
template <typename E, typename Shape, typename T>
__tile__ void put(E* out, T const& result) {
  static_assert(ct::same_shape<ct::tile_shape_t<T>, Shape>);
  ct::store(out + ct::iota<ct::tile<int, Shape>>(), result);
}
"""


def _source(family: Family) -> str:
    parameters, lines = [], []
    for i, (dtype, shape) in enumerate(family.inputs):
        parameters.append(f"const {CPP_TYPES[dtype]}* p{i}" if shape else f"{CPP_TYPES[dtype]} x{i}")
        if shape:
            lines.append(f"auto x{i} = ct::load(p{i} + ct::iota<ct::tile<int, {shape_text(shape)}>>());")
    for i, (operation, out) in enumerate(zip(family.operations, family.outputs, strict=True)):
        parameters.append(f"{CPP_TYPES[out.dtype]}* out{i}")
        lines.append(f"put<{CPP_TYPES[out.dtype]}, {shape_text(out.shape)}>(out{i}, {operation.expression});")
    includes = "".join(f"#include <{name}>\n" for name in HEADERS)
    body = "".join(f"  {line}\n" for line in lines)
    return f"{includes}{HEAD}__tile_global__ void kernel({', '.join(parameters)}) {{\n{body}}}\n"


@functools.cache
def _kernel(family: Family, target: str):
    options = () if target == "simt" else ("-O1",)
    module = pct.build(_source(family), **TARGETS[target], include_dirs=INCLUDE, options=options)
    return OnArrays(module)["kernel"]


def check(family: Family, *inputs: np.ndarray) -> None:
    """On each target, each operation matches the reference wherever its result is defined."""
    operands = [[inputs[i] for i in operation.operands] for operation in family.operations]
    expected = list(map(_expected, family.operations, operands))
    for target in TARGETS:
        results = [np.zeros(out.shape, out.dtype) for out in family.outputs]
        arguments = [x[()] if x.ndim == 0 else np.ascontiguousarray(x) for x in inputs]
        _kernel(family, target)[1](*arguments, *results)
        for operation, taken, result, (want, defined) in zip(
            family.operations, operands, results, expected, strict=True
        ):
            name = f"{operation.expression} on {target}"
            case = Case(name, taken, want.shape, want.dtype, result=np.where(defined, result, want))
            if operation.exact:
                assert_same_bits(case, want)
            else:
                _assert_is_sum(case, want, operation.along)


def _expected(operation: Operation, operands: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The reference's result, zero where it is undefined, and a mask of where it is defined."""
    with np.errstate(all="ignore"):
        try:
            result = np.asarray(operation.function(*operands))
            return result, np.ones(result.shape, bool)
        except UndefinedBehaviorError:
            return _part_by_part(operation, np.broadcast_arrays(*operands))


def _part_by_part(operation: Operation, operands: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    shape = tuple(1 if d == operation.along else n for d, n in enumerate(operands[0].shape))
    ones = [np.ones((1, 1), x.dtype) for x in operands]
    result = np.zeros(shape, operation.function(*ones).dtype)
    defined = np.zeros(shape, bool)
    for index in np.ndindex(shape):
        place = tuple(slice(None) if d == operation.along else slice(k, k + 1) for d, k in enumerate(index))
        try:
            result[index] = operation.function(*(x[place] for x in operands)).item()
            defined[index] = True
        except UndefinedBehaviorError:
            pass
    return result, defined


def _assert_is_sum(case: Case, expected: np.ndarray, along: int) -> None:
    """The sum, within the error of any order of additions if none of them overflows."""
    info = ml_dtypes.finfo(case.dtype)
    with np.errstate(invalid="ignore"):
        x, got, want = (
            array.astype(np.float64).astype(np.longdouble)
            for array in (case.inputs[0], case.result, expected)
        )
        magnitude = np.sum(np.where(np.isfinite(x), np.abs(x), 0), axis=along, keepdims=True)
        near = np.abs(got - want) <= x.shape[along] * float(info.eps) / 2 * magnitude
    right = near | (got == want) | (np.isnan(got) & np.isnan(want))
    report(case, expected, ~right & (magnitude < float(info.max)))


# --- the operations -----------------------------------------------------------------------------------------

FIRST, PAIR, THREE = (0,), (0, 1), (0, 1, 2)


def call(name: str, operands: tuple[int, ...], *modes: str, **named: str) -> Operation:
    """A function with the reference's name and modes."""
    arguments = ", ".join([*(f"x{i}" for i in operands), *(f"ct::{mode}_t{{}}" for mode in named.values())])
    return Operation(
        f"ct::{name}({arguments})", functools.partial(getattr(reference, name), **named), operands
    )


def _comparisons() -> list[Operation]:
    functions = {
        "==": reference.equal, "!=": reference.not_equal, "<": reference.less,
        "<=": reference.less_equal, ">": reference.greater, ">=": reference.greater_equal,
        "&&": reference.logical_and, "||": reference.logical_or,
    }  # fmt: skip
    pairs = [Operation(f"x0 {sign} x1", function, PAIR) for sign, function in functions.items()]
    return [*pairs, Operation("!x0", reference.logical_not, FIRST)]


@functools.cache
def float_family(dtype: np.dtype) -> Family:
    """x0 is a column, x1 is a row and x2 a whole tile."""
    made = [*_comparisons(), Operation("-x0", reference.negate, FIRST)]
    made += [call(name, FIRST) for name in ("abs", "isnan", "isinf", "ceil", "floor")]
    made += [call("remainder", PAIR), call("fma", THREE)]
    for flush in [{}, {"subnormals": FLUSH}] if dtype == np.float32 else [{}]:
        for mode in ROUNDING:
            modes = {"rounding": mode, **flush}
            made += [call(name, PAIR, **modes) for name in ("add", "sub", "mul", "div")]
            made += [call("fma", THREE, **modes), call("sqrt", FIRST, **modes)]
        for nan in ("suppress_nan", "propagate_nan"):
            made += [call(name, PAIR, nan=nan, **flush) for name in ("max", "min")]
    return Family(((dtype, (8, 1)), (dtype, (1, 16)), (dtype, SHAPE)), tuple(made))


@pytest.mark.parametrize("dtype", types(_chosen("bfloat16"), ALL_FLOATS))
def test_floating_point_arithmetic(dtype, examples):
    @examples
    @given(arrays(dtype, 8, 1), arrays(dtype, 1, 16), arrays(dtype, 1, 16))
    def holds(a, b, c):
        acc = np.concatenate([np.roll(c, 5 * i) for i in range(8)])
        check(float_family(dtype), a, b, acc)

    holds()


@functools.cache
def integer_family(dtype: np.dtype) -> Family:
    made = [*_comparisons(), Operation("-x0", reference.negate, FIRST)]
    made += [call(name, PAIR) for name in ("add", "sub", "mul", "div", "ceildiv", "floordiv", "remainder")]
    made += [call("mulhi", PAIR), call("max", PAIR), call("min", PAIR), call("abs", FIRST)]
    bitwise = {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}
    made += [Operation(f"x0 {sign} x1", function, PAIR) for sign, function in bitwise.items()]
    made.append(Operation("~x0", np.invert, FIRST))
    made += [Operation("x0 << x2", np.left_shift, (0, 2)), Operation("x0 >> x2", np.right_shift, (0, 2))]
    return Family(((dtype, (8, 1)), (dtype, (1, 16)), (dtype, (1, 16))), tuple(made))


@pytest.mark.parametrize("dtype", types(_chosen("int8"), [*INTEGERS, BOOL]))
def test_integer_arithmetic(dtype, examples):
    bits = 1 if dtype == BOOL else dtype.itemsize * 8
    counts = hnp.arrays(np.int64, (1, 16), elements=st.integers(0, bits - 1), fill=st.nothing())

    @examples
    @given(arrays(dtype, 8, 1), arrays(dtype, 1, 16), counts)
    def holds(a, b, count):
        check(integer_family(dtype), a, b, count.astype(dtype))

    holds()


@functools.cache
def conversion_family(dtype: np.dtype) -> Family:
    to = [BOOL, *INTEGERS, *ALL_FLOATS, *(RESTRICTED if HEADERS else [])]
    made = [
        Operation(
            f"ct::element_cast<{CPP_TYPES[t]}>(x0)", functools.partial(reference.element_cast, dtype=t), FIRST
        )
        for t in to
    ]
    return Family(((dtype, (1, 64)),), tuple(made))


@pytest.mark.parametrize("dtype", types(_chosen("uint64"), EVERY))
def test_conversions(dtype, examples):
    @examples
    @given(arrays(dtype, 1, 64))
    def holds(x):
        check(conversion_family(dtype), x)

    holds()


@functools.cache
def reduction_family(dtype: np.dtype) -> Family:
    floating = dtype in ALL_FLOATS
    made = []

    def add(name: str, d: int, exact: bool = True, **modes: str) -> None:
        arguments = ", ".join(["x0", f"{d}_ic", *(f"ct::{mode}_t{{}}" for mode in modes.values())])
        function = functools.partial(getattr(reference, name), dim=d, **modes)
        made.append(Operation(f"ct::{name}({arguments})", function, FIRST, along=d, exact=exact))

    for d in (0, 1):
        for name in ("reduce_max", "reduce_min"):
            for nan in ("suppress_nan", "propagate_nan") if floating else ():
                add(name, d, nan=nan)
            add(name, d)
        for name in ("all_of", "any_of"):
            add(name, d)
        add("sum", d, exact=not floating)
        for name in () if floating else ("prod", "reduce_bitand", "reduce_bitor", "reduce_bitxor"):
            add(name, d)
    return Family(((dtype, SHAPE),), tuple(made))


@pytest.mark.parametrize("dtype", types(_chosen("float16"), EVERY))
def test_reductions(dtype, examples):
    @examples
    @given(arrays(dtype, 1, 16), st.lists(st.integers(0, 15), min_size=8, max_size=8))
    def holds(row, shifts):
        check(reduction_family(dtype), np.concatenate([np.roll(row, shift) for shift in shifts]))

    holds()


# --- shapes [2.3], with indices that are known at run time --------------------------------------------------

INT = np.dtype(np.int32)


@functools.cache
def shape_family(dtype: np.dtype) -> Family:
    """x0 and x1 are tiles, x2 a mask, x3 and x4 indices."""
    made = [
        Operation("ct::select(x2, x0, x1)", lambda a, b, mask: reference.select(mask, a, b), THREE),
        Operation(
            "ct::extract(x0, ct::shape<4, 4>{}, x3, x4)",
            lambda a, i, j: reference.extract(a, (4, 4), int(i), int(j)),
            (0, 3, 4),
        ),
        Operation(
            "ct::broadcast(ct::extract(x1, ct::shape<1, 16>{}, 4 * x3 + x4, 0), ct::shape<8, 16>{})",
            lambda b, i, j: reference.broadcast(reference.extract(b, (1, 16), 4 * int(i) + int(j), 0), SHAPE),
            (1, 3, 4),
        ),
        Operation("ct::transpose(x0)", reference.transpose, FIRST),
        Operation(
            "ct::permute(ct::reshape(x0, ct::shape<4, 2, 16>{}), ct::dimension_map<2, 0, 1>{})",
            lambda a: reference.permute(reference.reshape(a, (4, 2, 16)), (2, 0, 1)),
            FIRST,
        ),
        Operation("ct::cat(x0, x1, 0_ic)", lambda a, b: reference.cat(a, b, 0), PAIR),
        Operation("ct::cat(x0, x1, 1_ic)", lambda a, b: reference.cat(a, b, 1), PAIR),
    ]
    inputs = ((dtype, SHAPE), (dtype, SHAPE), (BOOL, SHAPE), (INT, ()), (INT, ()))
    return Family(inputs, tuple(made))


@pytest.mark.parametrize("dtype", types(_chosen("float64"), EVERY))
def test_shapes(dtype, examples):
    masks = hnp.arrays(BOOL, SHAPE)

    @examples
    @given(arrays(dtype, 1, 16), arrays(dtype, 1, 16), masks, st.integers(0, 1), st.integers(0, 3))
    def holds(a, b, mask, i, j):
        tiles = (np.concatenate([np.roll(x, k) for k in range(8)]) for x in (a, b))
        check(shape_family(dtype), *tiles, mask, np.asarray(INT.type(i)), np.asarray(INT.type(j)))

    holds()
