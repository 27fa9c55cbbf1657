"""Operations on whole tiles as C++ expressions: shapes, slices, constants and matrix products."""

from __future__ import annotations

import math

import numpy as np

from ..dense import splat
from ..ir import Operation
from ..reading import attribute, result_element, result_shape, source_shape
from .calls import Expression, result
from .types import NotLowered, element, literal, shape

#: So many positions fit in signed integers of each size.
POSITIONS = 128


def to_shape(function: str) -> Expression:
    """Changes the shape. Zero-dimensional tiles are scalars in C++ and therefore handled separately."""

    def expression(op: Operation, names: list[str]) -> str:
        if not source_shape(op):
            return f"tileir::splat<{result(op)}>({names[0]})"
        if not result_shape(op):
            return f"tileir::element_of({names[0]})"
        return f"{function}({names[0]}, {shape(result_shape(op))}{{}})"

    return expression


def permute(op: Operation, names: list[str]) -> str:
    order = ", ".join(map(str, attribute(op, "permutation")))
    return f"ct::permute({names[0]}, ct::dimension_map<{order}>{{}})"


def cat(op: Operation, names: list[str]) -> str:
    return f"ct::cat({names[0]}, {names[1]}, ct::integral_constant<{int(attribute(op, 'dim'))}>{{}})"


def extract(op: Operation, names: list[str]) -> str:
    if not result_shape(op):
        return names[0]
    return f"ct::extract({names[0]}, {shape(result_shape(op))}{{}}, {', '.join(names[1:])})"


def insert(op: Operation, names: list[str]) -> str:
    part, whole, *indices = names
    return f"ct::insert({', '.join([whole, part, *indices])})"


def iota(op: Operation, names: list[str]) -> str:
    unsigned = {
        "i8": "unsigned char",
        "i16": "unsigned short",
        "i32": "unsigned",
        "i64": "unsigned long long",
    }
    name, extents = result_element(op), shape(result_shape(op))
    if name == "i1" or math.prod(result_shape(op)) <= POSITIONS:
        return f"ct::iota<ct::tile<{element(name)}, {extents}>>()"
    return f"ct::element_bitcast<{element(name)}>(ct::iota<ct::tile<{unsigned[name]}, {extents}>>())"


def shared_value(op: Operation) -> np.generic | None:
    """The value that all elements of a constant share; None if they differ in any bit."""
    value = np.asarray(attribute(op, "value"))
    one = splat(value)
    if one is None:
        one = value[(slice(0, 1),) * value.ndim].reshape(())
        if np.ascontiguousarray(value).tobytes() != one.tobytes() * value.size:
            return None
    return one.reshape(-1)[0]


def constant(op: Operation, names: list[str]) -> str:
    value = shared_value(op)
    if value is None:
        raise NotLowered("different elements, which take an array")
    found = literal(value, result_element(op))
    return f"ct::full<{result(op)}>({found})" if result_shape(op) else found


def mmai(op: Operation, names: list[str]) -> str:
    factors = [
        f"ct::element_bitcast<unsigned char>({name})" if attribute(op, sign) == "unsigned" else name
        for name, sign in zip(names[:2], ("signedness_lhs", "signedness_rhs"), strict=True)
    ]
    return f"ct::mma({', '.join([*factors, names[2]])})"


def mmaf_scaled(op: Operation, names: list[str]) -> str:
    lhs, rhs, acc, lhs_scale, rhs_scale = names
    return f"ct::scaled_mma({lhs}, {lhs_scale}, {rhs}, {rhs_scale}, {acc})"
