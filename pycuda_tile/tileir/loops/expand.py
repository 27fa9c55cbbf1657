"""expand: products whose sums or factors are rounded or scaled on the way become conversions, scalings and a
plain product, which have rules: what operation by operation is done within the product (ops/mma/).

-  `mmaf` with sums of half adds in float, and rounds once.
-  `mmaf_scaled` multiplies by the scales, multiplies matrices and adds in double, and rounds once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..elements import DTYPES
from ..ir import Block, Operation, Scalar, Tile, Value
from ..reading import operand, value_element, value_shape
from .contraction import is_zero, size_against


def expand(body: Block) -> None:
    """Replaces such products in a kernel, unless they are too small for a rule."""
    definitions: dict[int, Operation] = {}

    def visit(block: Block) -> None:
        ops: list[Operation] = []
        for op in block.ops:
            parts = _EXPANSIONS.get(op.name)
            made = parts(op, definitions) if parts is not None and not size_against(op) else []
            ops += made or [op]
            definitions.update((id(result), op) for result in op.results)
            for inner in op.regions:
                if inner is not None:
                    visit(inner)
        block.ops[:] = ops

    visit(body)


class _Parts:
    """The operations that stand for one."""

    def __init__(self, op: Operation):
        self.op = op
        self.made: list[Operation] = []

    def add(self, name: str, operands: dict[str, list[Value]], result: Value, **attributes: object) -> Value:
        op = Operation(name, operands, attributes, [result], [], self.op.line, self.op.location)
        self.made.append(op)
        return result

    def converted(self, value: Value, kind: str) -> Value:
        to = Value(Tile(Scalar(kind), value_shape(value)), value.name)
        return self.add("ftof", {"from": [value]}, to, rounding_mode="nearest_even")

    def shaped(self, name: str, value: Value, shape: tuple[int, ...]) -> Value:
        return self.add(name, {"source": [value]}, Value(Tile(value.type.element, shape)))

    def product(self, left: Value, right: Value, addend: Value) -> list[Operation]:
        """Their product and sum, rounded to the result of the operation."""
        operands = {"lhs": [left], "rhs": [right], "acc": [addend]}
        sums = self.add("mmaf", operands, Value(addend.type))
        self.add("ftof", {"from": [sums]}, self.op.results[0], rounding_mode="nearest_even")
        return self.made

    def addend(self, kind: str, definitions: dict[int, Operation]) -> Value:
        """The addend in a wider type."""
        value = operand(self.op, "acc")
        made = definitions.get(id(value))
        if made is None or not is_zero(made):
            return self.converted(value, kind)
        to = Value(Tile(Scalar(kind), value_shape(value)), value.name)
        return self.add("constant", {}, to, value=np.zeros((), DTYPES[kind]))


def _sums_of_half(op: Operation, definitions: dict[int, Operation]) -> list[Operation]:
    if value_element(op.results[0]) not in ("f16", "bf16"):
        return []
    parts = _Parts(op)
    return parts.product(operand(op, "lhs"), operand(op, "rhs"), parts.addend("f32", definitions))


def _scaled(op: Operation, definitions: dict[int, Operation]) -> list[Operation]:
    parts = _Parts(op)
    left = _times_scales(parts, "lhs", -1)
    right = _times_scales(parts, "rhs", -2)
    return parts.product(left, right, parts.addend("f64", definitions))


def _times_scales(parts: _Parts, side: str, dim: int) -> Value:
    """A factor times its scales, of which each holds for a run along a dimension, in double, which has all
    such products. Compilers convert through float faster, which has all values of both."""
    factor, scales = (
        parts.converted(parts.converted(operand(parts.op, name), "f32"), "f64")
        for name in (side, f"{side}_scale")
    )
    shape, counts = value_shape(factor), value_shape(scales)
    at = len(counts) + dim + 1
    runs = (*counts[:at], shape[dim] // counts[dim], *counts[at:])
    apart = parts.shaped("reshape", scales, (*counts[:at], 1, *counts[at:]))
    spread = parts.shaped("reshape", parts.shaped("broadcast", apart, runs), shape)
    sides = {"lhs": [factor], "rhs": [spread]}
    return parts.add("mulf", sides, Value(factor.type), rounding_mode="nearest_even")


_EXPANSIONS: dict[str, Callable[[Operation, dict[int, Operation]], list[Operation]]] = {
    "mmaf": _sums_of_half,
    "mmaf_scaled": _scaled,
}
