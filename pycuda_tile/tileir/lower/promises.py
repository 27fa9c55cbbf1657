"""Operations on integers in checked builds: undefined only if a promise of `overflow` breaks, else they wrap.

The functions of C++ that other builds use wrap, too, but their checks are those of C++.
"""

from __future__ import annotations

from ..elements import DTYPES, width
from ..ir import Operation
from ..reading import attribute, result_element
from .calls import Expression, filled, result
from .expressions import EXPRESSIONS

_SIGNS = {
    "none": [],
    "no_signed_wrap": ["tileir::as_signed"],
    "no_unsigned_wrap": ["tileir::as_unsigned"],
    "no_wrap": ["tileir::as_signed", "tileir::as_unsigned"],
}


def wrapped(function: str, kind: str, names: list[str]) -> str:
    """A function of tileir::elements modulo 2^n; kind is the result's type in C++."""
    given = ", ".join([f"tileir::elements::{function}{{}}", *names])
    return f"tileir::with_sign<{kind}, tileir::as_unsigned>({given})"


def _promised(op: Operation, function: str, text: str, names: list[str]) -> str:
    """The text of a result whose promises are checked; they are about the function's exact result."""
    signs = _SIGNS[attribute(op, "overflow", "none")]
    listed = ", ".join([function, *signs])
    return f"tileir::promised<{listed}>({', '.join([text, *names])})" if signs else text


def _arithmetic(function: str) -> Expression:
    def expression(op: Operation, names: list[str]) -> str:
        text = wrapped(function, result(op), names)
        return _promised(op, f"tileir::elements::{function}", text, names)

    return expression


def _negi(op: Operation, names: list[str]) -> str:
    return _arithmetic("sub")(op, [filled(op, "0"), *names])


def _shli(op: Operation, names: list[str]) -> str:
    return _promised(op, "tileir::shifting_left", EXPRESSIONS["shli"](op, names), names)


def _trunci(op: Operation, names: list[str]) -> str:
    bits = width(DTYPES[result_element(op)])
    return _promised(op, f"tileir::truncate<{bits}>", EXPRESSIONS["trunci"](op, names), names)


_CHECKED: dict[str, Expression] = {
    "addi": _arithmetic("add"),
    "subi": _arithmetic("sub"),
    "muli": _arithmetic("mul"),
    "negi": _negi,
    "shli": _shli,
    "trunci": _trunci,
}


def wraps(op: Operation) -> bool:
    """Whether an operation on integers wraps, and so is written in another way in checked builds."""
    return op.name in _CHECKED


def checked_expression(op: Operation, names: list[str]) -> str:
    """The result of an operation without side effects in a checked build."""
    return _CHECKED.get(op.name, EXPRESSIONS[op.name])(op, names)
