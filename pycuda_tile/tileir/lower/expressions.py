"""Operations without effect as C++ expressions.

`EXPRESSIONS[name](op, names)` gives the expression of the result; names are those of the operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dense import splat
from ..modes import ROUNDING
from ..reading import (
    attribute,
    operands_of,
    result_element,
    result_shape,
    source_element,
    source_shape,
)
from ..verifier.legal import PACKED
from .types import NotLowered, element, literal, shape, tile

Expression = Callable[[Any, list[str]], str]

_RELATIONS = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less_than": "less",
    "less_than_or_equal": "less_equal",
    "greater_than": "greater",
    "greater_than_or_equal": "greater_equal",
}


def result(op: Any) -> str:
    """The C++ type of an operation's first result."""
    return tile(result_element(op), result_shape(op))


def _sign(op: Any, name: str = "signedness") -> str:
    return f"tileir::as_{attribute(op, name)}"


def _call(function: str) -> Expression:
    return lambda op, names: f"{function}({', '.join(names)})"


def _with_sign(function: str) -> Expression:
    return lambda op, names: (
        f"tileir::with_sign<{result(op)}, {_sign(op)}>({function}{{}}, {', '.join(names)})"
    )


def _to(function: str) -> Expression:
    return lambda op, names: f"{function}<{result(op)}>({', '.join(names)})"


def _rounded(function: str) -> Expression:
    def expression(op: Any, names: list[str]) -> str:
        rounding = attribute(op, "rounding_mode", "nearest_even")
        flush = attribute(op, "flush_to_zero", False)
        modes = []
        if rounding != "nearest_even" or flush:
            modes.append(f"ct::{ROUNDING[rounding]}_t{{}}")
        if flush:
            modes.append("ct::round_subnormals_to_zero_t{}")
        return f"{function}({', '.join(names + modes)})"

    return expression


def _flushed(function: str) -> Expression:
    def expression(op: Any, names: list[str]) -> str:
        modes = ["ct::round_subnormals_to_zero_t{}"] if attribute(op, "flush_to_zero", False) else []
        return f"{function}({', '.join(names + modes)})"

    return expression


def _extremum(function: str) -> Expression:
    def expression(op: Any, names: list[str]) -> str:
        nan, flush = attribute(op, "propagate_nan", False), attribute(op, "flush_to_zero", False)
        modes = []
        if nan or flush:
            modes.append("ct::propagate_nan_t{}" if nan else "ct::suppress_nan_t{}")
        if flush:
            modes.append("ct::round_subnormals_to_zero_t{}")
        return f"{function}({', '.join(names + modes)})"

    return expression


def _shri(op: Any, names: list[str]) -> str:
    return f"tileir::shift_right<{result(op)}, {_sign(op)}>({', '.join(names)})"


def _divi(op: Any, names: list[str]) -> str:
    functions = {"zero": "div", "negative_inf": "floordiv", "positive_inf": "ceildiv"}
    return _with_sign(f"tileir::elements::{functions[attribute(op, 'rounding', 'zero')]}")(op, names)


def _negi(op: Any, names: list[str]) -> str:
    return f"ct::sub({_filled(op, '0')}, {names[0]})"


def _filled(op: Any, value: str) -> str:
    kind = element(result_element(op))
    scalar = f"static_cast<{kind}>({value})"
    return f"ct::full<{result(op)}>({scalar})" if result_shape(op) else scalar


def _bitwise(function: str) -> Expression:
    return lambda op, names: (
        f"tileir::map<{result(op)}>(tileir::elements::{function}{{}}, {', '.join(names)})"
    )


def _cmpi(op: Any, names: list[str]) -> str:
    relation = _RELATIONS[attribute(op, "comparison_predicate")]
    return f"tileir::compare<{result(op)}, {_sign(op)}>(tileir::elements::{relation}{{}}, {', '.join(names)})"


def _cmpf(op: Any, names: list[str]) -> str:
    relation = _RELATIONS[attribute(op, "comparison_predicate")]
    ordered = "true" if attribute(op, "comparison_ordering") == "ordered" else "false"
    function = f"tileir::compare_floats<{result(op)}, {ordered}>"
    return f"{function}(tileir::elements::{relation}{{}}, {', '.join(names)})"


def _exti(op: Any, names: list[str]) -> str:
    return f"tileir::resize<{result(op)}, {_sign(op)}>({names[0]})"


def _trunci(op: Any, names: list[str]) -> str:
    return f"tileir::resize<{result(op)}, tileir::as_signed>({names[0]})"


def _itof(op: Any, names: list[str]) -> str:
    return f"tileir::to_float<{result(op)}, {_sign(op)}>({names[0]})"


def _ftoi(op: Any, names: list[str]) -> str:
    return f"tileir::to_integer<{result(op)}, {_sign(op)}>({names[0]})"


def _ftof(op: Any, names: list[str]) -> str:
    rounding, to = attribute(op, "rounding_mode", "nearest_even"), result_element(op)
    if rounding == "nearest_even" or (rounding, to) == ("positive_inf", "f8E8M0FNU"):
        return f"ct::element_cast<{element(to)}>({names[0]})"
    if rounding == "nearest_away":
        return f"tileir::round_away<{result(op)}>({names[0]})"
    return f"tileir::round_to<{result(op)}, ct::rounding_mode::{ROUNDING[rounding]}>({names[0]})"


def _bitcast(op: Any, names: list[str]) -> str:
    return f"ct::element_bitcast<{element(result_element(op))}>({names[0]})"


def _to_shape(function: str) -> Expression:
    """From and to tiles without dimension, which are scalars in C++, otherwise than between tiles."""

    def expression(op: Any, names: list[str]) -> str:
        if not source_shape(op):
            return f"tileir::splat<{result(op)}>({names[0]})"
        if not result_shape(op):
            return f"tileir::element_of({names[0]})"
        return f"{function}({names[0]}, {shape(result_shape(op))}{{}})"

    return expression


def _permute(op: Any, names: list[str]) -> str:
    order = ", ".join(map(str, attribute(op, "permutation")))
    return f"ct::permute({names[0]}, ct::dimension_map<{order}>{{}})"


def _cat(op: Any, names: list[str]) -> str:
    return f"ct::cat({names[0]}, {names[1]}, ct::integral_constant<{int(attribute(op, 'dim'))}>{{}})"


def _extract(op: Any, names: list[str]) -> str:
    if not result_shape(op):
        return names[0]
    return f"ct::extract({names[0]}, {shape(result_shape(op))}{{}}, {', '.join(names[1:])})"


def _insert(op: Any, names: list[str]) -> str:
    part, whole, *indices = names
    part_shape, whole_shape = source_shape(op), result_shape(op)
    steps = [int(np.prod(whole_shape[d + 1 :], dtype=np.int64)) * n for d, n in enumerate(part_shape)]
    first = " + ".join(f"{i} * {step}u" for i, step in zip(indices, steps, strict=True)) or "0"
    return f"tileir::inserted({whole}, {part}, {first})"


def _iota(op: Any, names: list[str]) -> str:
    unsigned = {
        "i8": "unsigned char",
        "i16": "unsigned short",
        "i32": "unsigned",
        "i64": "unsigned long long",
    }
    name, extents = result_element(op), shape(result_shape(op))
    if name == "i1":
        return f"ct::iota<ct::tile<bool, {extents}>>()"
    return f"ct::element_bitcast<{element(name)}>(ct::iota<ct::tile<{unsigned[name]}, {extents}>>())"


def _constant(op: Any, names: list[str]) -> str:
    value, name = np.asarray(attribute(op, "value")), result_element(op)
    one = splat(value)
    if one is None:
        one = value[(slice(0, 1),) * value.ndim].reshape(())
        if np.ascontiguousarray(value).tobytes() != one.tobytes() * value.size:
            raise NotLowered("a list")  # the translation puts it in an array of its own
    found = literal(one[()], name)
    return f"ct::full<{result(op)}>({found})" if result_shape(op) else found


def _offset(op: Any, names: list[str]) -> str:
    return f"tileir::offset<{result(op)}>({', '.join(names)})"


def _mmai(op: Any, names: list[str]) -> str:
    factors = [
        f"ct::element_bitcast<unsigned char>({name})" if attribute(op, sign) == "unsigned" else name
        for name, sign in zip(names[:2], ("signedness_lhs", "signedness_rhs"), strict=True)
    ]
    return f"ct::mma({', '.join([*factors, names[2]])})"


def _mmaf_scaled(op: Any, names: list[str]) -> str:
    lhs, rhs, _, lhs_scale, rhs_scale = operands_of(op)
    factors = [
        _scaled(names[0], lhs.type.shape, names[3], lhs_scale.type.shape, -1),
        _scaled(names[1], rhs.type.shape, names[4], rhs_scale.type.shape, -2),
    ]
    return f"ct::mma({', '.join([*factors, names[2]])})"


def _scaled(name: str, extents: tuple[int, ...], scale: str, groups: tuple[int, ...], along: int) -> str:
    """A factor as floats, each run of elements along an axis times its scale."""
    at = len(extents) + along
    count = groups[at]
    parts = shape((*extents[:at], count, extents[at] // count, *extents[at + 1 :]))
    one_each = shape((*groups[: at + 1], 1, *groups[at + 1 :]))
    values = f"ct::reshape(ct::element_cast<float>({name}), {parts}{{}})"
    scales = f"ct::reshape(ct::element_cast<float>({scale}), {one_each}{{}})"
    return f"ct::reshape(ct::mul({values}, {scales}), {shape(extents)}{{}})"


def _fpowi(op: Any, names: list[str]) -> str:
    return f"ct::pow({names[0]}, ct::element_cast<{element(result_element(op))}>({names[1]}))"


def _pack(op: Any, names: list[str]) -> str:
    widths = PACKED[source_element(op)], PACKED[result_element(op)]
    text = f"tileir::repacked<{result(op)}, {widths[0]}, {widths[1]}>({names[0]})"
    if result_element(op) == "tf32":  # clears the bits that tf32 does not have
        return f"ct::element_cast<__nv_tf32>(ct::element_cast<float>({text}))"
    return text


def _exp_like(op: Any, names: list[str]) -> str:
    """exp and tanh: their fast forms have no own meaning on a host."""
    return f"ct::{op.name}({names[0]})"


EXPRESSIONS: dict[str, Expression] = {
    "addi": _call("ct::add"),
    "subi": _call("ct::sub"),
    "muli": _call("ct::mul"),
    "negi": _negi,
    "shli": _to("tileir::shift_left"),
    "shri": _shri,
    "divi": _divi,
    "remi": _with_sign("tileir::elements::remainder"),
    "maxi": _with_sign("tileir::elements::max"),
    "mini": _with_sign("tileir::elements::min"),
    "absi": _to("tileir::absolute"),
    "mulhii": _call("ct::mulhi"),
    "andi": _bitwise("bit_and"),
    "ori": _bitwise("bit_or"),
    "xori": _bitwise("bit_xor"),
    "cmpi": _cmpi,
    "cmpf": _cmpf,
    "addf": _rounded("ct::add"),
    "subf": _rounded("ct::sub"),
    "mulf": _rounded("ct::mul"),
    "divf": _rounded("ct::div"),
    "fma": _rounded("ct::fma"),
    "sqrt": _rounded("ct::sqrt"),
    "rsqrt": _flushed("ct::rsqrt"),
    "exp2": _flushed("ct::exp2"),
    "maxf": _extremum("ct::max"),
    "minf": _extremum("ct::min"),
    "absf": _call("ct::abs"),
    "negf": lambda op, names: f"tileir::map<{result(op)}>(tileir::elements::negate{{}}, {names[0]})",
    "remf": _call("ct::remainder"),
    "fpowf": _call("ct::pow"),
    "pow": _call("ct::pow"),
    "fpowi": _fpowi,
    **{name: _call(f"ct::{name}") for name in ("atan2", "ceil", "cos", "cosh", "floor", "log", "log2")},
    **{name: _call(f"ct::{name}") for name in ("sin", "sinh", "tan")},
    "exp": _exp_like,
    "tanh": _exp_like,
    "exti": _exti,
    "trunci": _trunci,
    "itof": _itof,
    "ftoi": _ftoi,
    "ftof": _ftof,
    "bitcast": _bitcast,
    "pack": _pack,
    "unpack": _pack,
    "int_to_ptr": _to("tileir::address_cast"),
    "ptr_to_int": _to("tileir::address_cast"),
    "ptr_to_ptr": _to("tileir::address_cast"),
    "offset": _offset,
    "broadcast": _to_shape("ct::broadcast"),
    "reshape": _to_shape("ct::reshape"),
    "permute": _permute,
    "cat": _cat,
    "extract": _extract,
    "insert": _insert,
    "select": _to("tileir::select"),
    "iota": _iota,
    "constant": _constant,
    "mmaf": _call("ct::mma"),
    "mmaf_scaled": _mmaf_scaled,
    "mmai": _mmai,
}


def expression(op: Any, names: list[str]) -> str:
    """The result of an operation without effect."""
    assert len(names) == len(operands_of(op))
    return EXPRESSIONS[op.name](op, names)
