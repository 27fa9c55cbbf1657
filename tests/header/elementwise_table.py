"""Every elementwise operation on every element type, as the specification's tables list them: [2.2] to [2.4].

A row added to a table, or a type added to CPP_TYPES, is tested without further changes. Of the functions of
chapter 2.4, only those whose result is exactly specified are here; test_math.py tests the others.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from cases import CPP_TYPES, Case
from values import BOOL, pairs, special

from pycuda_tile import reference, spec
from pycuda_tile.errors import UndefinedBehaviorError
from pycuda_tile.reference.rounding import PRECISE_MODES
from pycuda_tile.reference.scalars import is_basic_float, is_integral
from pycuda_tile.spec.element_types import NUMPY_TYPES

INTEGERS = [dtype for dtype in CPP_TYPES if is_integral(dtype)]
BASIC_FLOATS = [dtype for dtype in CPP_TYPES if is_basic_float(dtype)]
EXACT = ("ceil", "floor", "sqrt")  # of chapter 2.4


@dataclass(frozen=True)
class Operation:
    """An expression of tiles x0, x1, ... of one element type, and what it means."""

    id: str  # in the table of the API
    expression: str
    function: Callable[..., np.ndarray]
    operands: int


def operations(dtype: np.dtype, with_modes: bool = True) -> Iterator[Operation]:
    """All operations on tiles of an arithmetic element type, except conversions to other types."""
    for row in spec.elementwise():
        if (row.elements == "integral" and not is_integral(dtype)) or (row.modes and not with_modes):
            continue
        for modes in _modes(row.modes, dtype):
            yield _operation(row, modes, getattr(reference, row.function))
    yield Operation("2.2.2/operator+", "+x0", _promoted, 1)
    if is_basic_float(dtype):
        yield Operation("2.3.5/isinf", "ct::isinf(x0)", reference.isinf, 1)
        yield Operation("2.3.6/isnan", "ct::isnan(x0)", reference.isnan, 1)
        for modes in [{}, *_modes("precise rounding", dtype)] if with_modes else [{}]:
            function = functools.partial(reference.fma, **modes)
            yield Operation("2.2.23/fma", f"ct::fma({_arguments(3, modes)})", function, 3)
        for row in (row for row in spec.load("math") if row.name in EXACT):
            for modes in [{}, *(_modes(row.modes, dtype) if row.modes and with_modes else [])]:
                yield _operation(row, modes, getattr(reference, row.name))


def conversions(dtype: np.dtype) -> Iterator[Operation]:
    """Conversions of tiles from any element type to all others: by value and, for equal sizes, by bits."""
    for to, cpp in CPP_TYPES.items():
        if to != dtype:
            cast = functools.partial(reference.element_cast, dtype=to)
            yield Operation("2.3.19/element_cast", f"ct::element_cast<{cpp}>(x0)", cast, 1)
        if to != BOOL and _memory_bits(to) == _memory_bits(dtype):
            bits = functools.partial(reference.element_bitcast, dtype=to)
            yield Operation("2.3.20/element_bitcast", f"ct::element_bitcast<{cpp}>(x0)", bits, 1)
    every_third = "ct::iota<ct::tile<int, ct::tile_shape_t<decltype(x0)>>>() % 3 == 0"
    yield Operation("2.3.15/select", f"ct::select({every_third}, x0, x1)", _selected, 2)


def _memory_bits(dtype: np.dtype) -> int:
    """Like memory_bitwidth_v: fp4 uses 4 bits of a byte, bool all 8."""
    return 8 if dtype == BOOL else NUMPY_TYPES[dtype.name].bits


def make_case(operation: Operation, dtype: np.dtype, shape: tuple[int, ...]) -> tuple[Case, np.ndarray]:
    """The operation on values that include extremes, and its expected result."""
    operands = [x.reshape(shape) for x in _operands(operation, dtype, int(np.prod(shape)))]
    with np.errstate(all="ignore"):
        expected = np.asarray(operation.function(*operands))
    return Case(operation.expression, operands, shape, expected.dtype, f"{operation.id} on {dtype}"), expected


def _modes(kind: str, dtype: np.dtype) -> list[dict[str, str]]:
    """The modes [1.9] with which an overload is called on that type; [{}] if it has none."""
    if not kind or not is_basic_float(dtype):
        return [] if kind else [{}]
    flushes = [{}, {"subnormals": "round_subnormals_to_zero"}] if dtype == np.float32 else [{}]
    if kind == "nan propagation":
        return [{"nan": nan, **flush} for nan in ("suppress_nan", "propagate_nan") for flush in flushes]
    return [{"rounding": mode, **flush} for mode in PRECISE_MODES for flush in flushes]


def _arguments(operands: int, modes: dict[str, str]) -> str:
    return ", ".join([*(f"x{i}" for i in range(operands)), *(f"ct::{mode}_t{{}}" for mode in modes.values())])


def _operation(row, modes: dict[str, str], function: Callable) -> Operation:
    operands = int(row.operands)
    if row.name:
        expression = f"ct::{row.name}({_arguments(operands, modes)})"
    else:
        expression = f"{row.operator}x0" if operands == 1 else f"x0 {row.operator} x1"
    return Operation(row.id, expression, functools.partial(function, **modes), operands)


def _promoted(x: np.ndarray) -> np.ndarray:
    return x.astype(np.int32) if is_integral(x.dtype) and x.itemsize < 4 else x


def _selected(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return reference.select(np.arange(a.size).reshape(a.shape) % 3 == 0, a, b)


def _operands(operation: Operation, dtype: np.dtype, size: int) -> list[np.ndarray]:
    """Pairs of special values and others. Ones replace pairs whose result the manual leaves undefined."""
    a, b = pairs(dtype, size, seed=len(operation.expression))
    if operation.id.startswith(("2.2.15/", "2.2.16/")):
        bits = 1 if dtype == BOOL else 8 * dtype.itemsize
        return [a, (np.arange(size) % bits).astype(dtype)]
    operands = [a, b, np.resize(special(dtype), size)][: operation.operands]
    defined = _defined(operation.function, operands)
    return [np.where(defined, x, np.ones((), dtype)).astype(dtype) for x in operands]


def _defined(function: Callable, operands: list[np.ndarray]) -> np.ndarray:
    """Where the manual defines the result, found by bisection."""
    size = operands[0].size
    try:
        with np.errstate(all="ignore"):
            function(*operands)
    except UndefinedBehaviorError:
        if size == 1:
            return np.zeros(1, bool)
        halves = [[x[: size // 2] for x in operands], [x[size // 2 :] for x in operands]]
        return np.concatenate([_defined(function, half) for half in halves])
    return np.ones(size, bool)
