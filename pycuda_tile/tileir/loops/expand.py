"""expand: operations that have no rule themselves become others, which do the same step by step.

-  `mmaf` with sums of half adds in float, and rounds once.
-  `mmaf_scaled` multiplies by the scales, multiplies matrices and adds in double, and rounds once.
-  `insert` chooses, at each position, between the part and the whole.
-  `fpowi` by 2 multiplies: double, in which powers are computed, has all squares of the narrower types.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..elements import DTYPES
from ..ir import Block, Operation, Scalar, Tile, Value
from ..lower.tiles import shared_value
from ..reading import group, operand, value_element, value_shape
from .contraction import is_zero, size_against
from .facts import SHAPES, behind, is_small


def expand(body: Block) -> None:
    """Replaces such operations in a kernel, except for tiles that are too small for loops."""
    definitions: dict[int, Operation] = {}

    def visit(block: Block) -> None:
        ops: list[Operation] = []
        for op in block.ops:
            expansion = _EXPANSIONS.get(op.name)
            made = [] if expansion is None else expansion(op, definitions)
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
    if value_element(op.results[0]) not in ("f16", "bf16") or size_against(op):
        return []
    parts = _Parts(op)
    return parts.product(operand(op, "lhs"), operand(op, "rhs"), parts.addend("f32", definitions))


def _scaled(op: Operation, definitions: dict[int, Operation]) -> list[Operation]:
    if size_against(op):
        return []
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


def _inserted(op: Operation, _: dict[int, Operation]) -> list[Operation]:
    parts, part, whole = _Parts(op), operand(op, "source"), operand(op, "destination")
    lengths = list(zip(value_shape(part), value_shape(whole), strict=True))
    divided = [d for d, (own, all_) in enumerate(lengths) if own < all_]
    if is_small(op) or not divided:
        return []
    apart: list[int] = []
    repeated: list[int] = []
    for own, all_ in lengths:
        apart += [own] if own == all_ else [1, own]
        repeated += [own] if own == all_ else [all_ // own, own]
    copies = parts.shaped("broadcast", parts.shaped("reshape", part, tuple(apart)), tuple(repeated))
    copies = parts.shaped("reshape", copies, value_shape(whole))
    chosen: Value | None = None
    for d in divided:
        here = _is_at(parts, value_shape(whole), d, lengths[d][0], group(op, "indices")[d])
        both = None if chosen is None else {"lhs": [chosen], "rhs": [here]}
        chosen = here if both is None else parts.add("andi", both, Value(here.type))
    assert chosen is not None
    sides = {"cond": [chosen], "val_if_true": [copies], "val_if_false": [whole]}
    parts.add("select", sides, op.results[0])
    return parts.made


def _is_at(parts: _Parts, shape: tuple[int, ...], dim: int, count: int, index: Value) -> Value:
    """Whether positions along a dimension, divided by `count`, a power of two, are an index."""
    row = Tile(index.type.element, (shape[dim],))
    place = parts.add("iota", {}, Value(row))
    bits = parts.add("constant", {}, Value(row), value=np.array(count.bit_length() - 1, DTYPES["i32"]))
    number = parts.add("shri", {"lhs": [place], "rhs": [bits]}, Value(row), signedness="unsigned")
    wanted = parts.shaped("broadcast", parts.shaped("reshape", index, (1,)), row.shape)
    sides = {"lhs": [number], "rhs": [wanted]}
    how = {"comparison_predicate": "equal", "signedness": "signed"}
    found = parts.add("cmpi", sides, Value(Tile(Scalar("i1"), row.shape)), **how)
    along = tuple(n if d == dim else 1 for d, n in enumerate(shape))
    return parts.shaped("broadcast", parts.shaped("reshape", found, along), shape)


def _square(op: Operation, definitions: dict[int, Operation]) -> list[Operation]:
    base, (result,) = operand(op, "source"), op.results
    _, made = behind(operand(op, "exponent"), SHAPES, definitions)
    if value_element(base) not in ("f32", "f16", "bf16") or made is None or made.name != "constant":
        return []
    if shared_value(made) != 2:
        return []
    parts, twice = _Parts(op), {"lhs": [base], "rhs": [base]}
    # A power of NaN is one NaN, but a product of floats has the bits of a factor.
    keeps_bits = value_element(base) == "f32"
    square = Value(result.type) if keeps_bits else result
    parts.add("mulf", twice, square, rounding_mode="nearest_even")
    if not keeps_bits:
        return parts.made
    how = {"comparison_predicate": "not_equal", "comparison_ordering": "unordered"}
    is_nan = parts.add("cmpf", twice, Value(Tile(Scalar("i1"), value_shape(base))), **how)
    nan = parts.add("constant", {}, Value(result.type), value=np.array(np.nan, DTYPES["f32"]))
    sides = {"cond": [is_nan], "val_if_true": [nan], "val_if_false": [square]}
    parts.add("select", sides, result)
    return parts.made


_EXPANSIONS: dict[str, Callable[[Operation, dict[int, Operation]], list[Operation]]] = {
    "mmaf": _sums_of_half,
    "mmaf_scaled": _scaled,
    "insert": _inserted,
    "fpowi": _square,
}
