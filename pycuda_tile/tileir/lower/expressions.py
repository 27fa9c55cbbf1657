"""Operations without side effects as C++ expressions.

`EXPRESSIONS[name](op, names)` is the expression of the result; names are those of the operands.
"""

from __future__ import annotations

from ..elements import HALF_BYTE
from ..ir import Operation
from ..modes import ROUNDING
from ..reading import attribute, operands_of, pointee, result_element, result_shape, source_element
from ..verifier.legal import PACKED
from . import tiles
from .calls import Expression, call, filled, result, sign, to, with_sign
from .types import element, tile

_RELATIONS = {
    "equal": "equal",
    "not_equal": "not_equal",
    "less_than": "less",
    "less_than_or_equal": "less_equal",
    "greater_than": "greater",
    "greater_than_or_equal": "greater_equal",
}


def _rounded(function: str) -> Expression:
    def expression(op: Operation, names: list[str]) -> str:
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
    def expression(op: Operation, names: list[str]) -> str:
        modes = ["ct::round_subnormals_to_zero_t{}"] if attribute(op, "flush_to_zero", False) else []
        return f"{function}({', '.join(names + modes)})"

    return expression


def _extremum(function: str) -> Expression:
    def expression(op: Operation, names: list[str]) -> str:
        nan, flush = attribute(op, "propagate_nan", False), attribute(op, "flush_to_zero", False)
        modes = []
        if nan or flush:
            modes.append("ct::propagate_nan_t{}" if nan else "ct::suppress_nan_t{}")
        if flush:
            modes.append("ct::round_subnormals_to_zero_t{}")
        return f"{function}({', '.join(names + modes)})"

    return expression


def _shri(op: Operation, names: list[str]) -> str:
    return f"tileir::shift_right<{result(op)}, {sign(op)}>({', '.join(names)})"


def _divi(op: Operation, names: list[str]) -> str:
    functions = {"zero": "div", "negative_inf": "floordiv", "positive_inf": "ceildiv"}
    return with_sign(f"tileir::elements::{functions[attribute(op, 'rounding', 'zero')]}")(op, names)


def _negi(op: Operation, names: list[str]) -> str:
    return f"ct::sub({filled(op, '0')}, {names[0]})"


def _bitwise(function: str) -> Expression:
    return lambda op, names: (
        f"tileir::map<{result(op)}>(tileir::elements::{function}{{}}, {', '.join(names)})"
    )


def _cmpi(op: Operation, names: list[str]) -> str:
    relation = _RELATIONS[attribute(op, "comparison_predicate")]
    return f"tileir::compare<{result(op)}, {sign(op)}>(tileir::elements::{relation}{{}}, {', '.join(names)})"


def _cmpf(op: Operation, names: list[str]) -> str:
    relation = _RELATIONS[attribute(op, "comparison_predicate")]
    ordered = "true" if attribute(op, "comparison_ordering") == "ordered" else "false"
    function = f"tileir::compare_floats<{result(op)}, {ordered}>"
    return f"{function}(tileir::elements::{relation}{{}}, {', '.join(names)})"


def _exti(op: Operation, names: list[str]) -> str:
    source = names[0] if attribute(op, "signedness") == "signed" else _low_half(op, names[0])
    return f"tileir::resize<{result(op)}, {sign(op)}>({source})"


def _trunci(op: Operation, names: list[str]) -> str:
    return _held(op, f"tileir::resize<{result(op)}, tileir::as_signed>({names[0]})")


def _low_half(op: Operation, name: str) -> str:
    """The bits of a source that may be i4, which is held as a number from -8 to 7 in a byte."""
    return f"tileir::low_half({name})" if source_element(op) == "i4" else name


def _held(op: Operation, text: str) -> str:
    """A result that may be i4."""
    return f"tileir::sign_of_low_half({text})" if result_element(op) == "i4" else text


def _itof(op: Operation, names: list[str]) -> str:
    return f"tileir::to_float<{result(op)}, {sign(op)}>({names[0]})"


def _ftoi(op: Operation, names: list[str]) -> str:
    return f"tileir::to_integer<{result(op)}, {sign(op)}>({names[0]})"


def _ftof(op: Operation, names: list[str]) -> str:
    rounding, to = attribute(op, "rounding_mode", "nearest_even"), result_element(op)
    if rounding == "nearest_even" or (rounding, to) == ("positive_inf", "f8E8M0FNU"):
        return f"ct::element_cast<{element(to)}>({names[0]})"
    if rounding == "nearest_away":
        return f"tileir::round_away<{result(op)}>({names[0]})"
    return f"tileir::round_to<{result(op)}, ct::rounding_mode::{ROUNDING[rounding]}>({names[0]})"


def _bitcast(op: Operation, names: list[str]) -> str:
    if "i4" in (source_element(op), result_element(op)):
        return _held(op, f"tileir::bits_as<{result(op)}>({_low_half(op, names[0])})")
    return f"ct::element_bitcast<{element(result_element(op))}>({names[0]})"


def _offset(op: Operation, names: list[str]) -> str:
    ptr, count = names
    if pointee(source_element(op)) == HALF_BYTE:
        count = f"tileir::read<tileir::as_signed>({count}) / 2"
    return f"tileir::offset<{result(op)}>({ptr}, {count})"


def _fpowi(op: Operation, names: list[str]) -> str:
    """In double, which has all exponents and rounds far below the last bit of the narrower types."""
    kind, wide = result_element(op), tile("f64", result_shape(op))
    exponent = f"tileir::to_float<{wide}, tileir::as_signed>({names[1]})"
    if kind == "f64":
        return f"ct::pow({names[0]}, {exponent})"
    return f"ct::element_cast<{element(kind)}>(ct::pow(ct::element_cast<double>({names[0]}), {exponent}))"


def _pack(op: Operation, names: list[str]) -> str:
    widths = PACKED[source_element(op)], PACKED[result_element(op)]
    text = f"tileir::repacked<{result(op)}, {widths[0]}, {widths[1]}>({_low_half(op, names[0])})"
    if result_element(op) == "tf32":  # clears the bits that tf32 does not have
        return f"ct::element_cast<__nv_tf32>(ct::element_cast<float>({text}))"
    return _held(op, text)


def _exp_like(op: Operation, names: list[str]) -> str:
    """exp and tanh."""
    approximate = attribute(op, "rounding_mode", "full") == "approx"
    modes = ["ct::round_approximate_t{}"] if approximate else []
    return f"ct::{op.name}({', '.join(names + modes)})"


EXPRESSIONS: dict[str, Expression] = {
    "addi": call("ct::add"),
    "subi": call("ct::sub"),
    "muli": call("ct::mul"),
    "negi": _negi,
    "shli": to("tileir::shift_left"),
    "shri": _shri,
    "divi": _divi,
    "remi": with_sign("tileir::elements::remainder"),
    "maxi": with_sign("tileir::elements::max"),
    "mini": with_sign("tileir::elements::min"),
    "absi": to("tileir::absolute"),
    "mulhii": call("ct::mulhi"),
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
    "absf": call("ct::abs"),
    "negf": lambda op, names: f"tileir::map<{result(op)}>(tileir::elements::negate{{}}, {names[0]})",
    "remf": call("ct::remainder"),
    "fpowf": call("ct::pow"),
    "pow": call("ct::pow"),
    "fpowi": _fpowi,
    **{name: call(f"ct::{name}") for name in ("atan2", "ceil", "cos", "cosh", "floor", "log", "log2")},
    **{name: call(f"ct::{name}") for name in ("sin", "sinh", "tan")},
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
    "int_to_ptr": to("tileir::address_cast"),
    "ptr_to_int": to("tileir::address_cast"),
    "ptr_to_ptr": to("tileir::address_cast"),
    "offset": _offset,
    "broadcast": tiles.to_shape("ct::broadcast"),
    "reshape": tiles.to_shape("ct::reshape"),
    "permute": tiles.permute,
    "cat": tiles.cat,
    "extract": tiles.extract,
    "insert": tiles.insert,
    "select": to("tileir::select"),
    "iota": tiles.iota,
    "constant": tiles.constant,
    "mmaf": call("ct::mma"),
    "mmaf_scaled": tiles.mmaf_scaled,
    "mmai": tiles.mmai,
}


def expression(op: Operation, names: list[str]) -> str:
    """The result of an operation without side effects."""
    assert len(names) == len(operands_of(op))
    return EXPRESSIONS[op.name](op, names)
