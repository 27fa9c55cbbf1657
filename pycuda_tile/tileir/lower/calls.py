"""The C++ calls that expressions consist of."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import Operation
from ..reading import attribute, result_element, result_shape
from .types import element, tile

#: Maps an operation and the names of its operands to the C++ expression of its result.
Expression = Callable[[Operation, list[str]], str]


def result(op: Operation) -> str:
    """The C++ type of an operation's first result."""
    return tile(result_element(op), result_shape(op))


def sign(op: Operation, name: str = "signedness") -> str:
    return f"tileir::as_{attribute(op, name)}"


def call(function: str) -> Expression:
    return lambda op, names: f"{function}({', '.join(names)})"


def with_sign(function: str) -> Expression:
    return lambda op, names: (
        f"tileir::with_sign<{result(op)}, {sign(op)}>({function}{{}}, {', '.join(names)})"
    )


def to(function: str) -> Expression:
    return lambda op, names: f"{function}<{result(op)}>({', '.join(names)})"


def filled(op: Operation, value: str) -> str:
    kind = element(result_element(op))
    scalar = f"static_cast<{kind}>({value})"
    return f"ct::full<{result(op)}>({scalar})" if result_shape(op) else scalar
