"""Makes operations of Tile IR: each pure one once, constants and views as far out as they can stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from ..elements import DTYPES, bits_of
from ..ir import Block, Operation, Pointer, Scalar, Tile, Token, Value

I1, I8, I32, I64 = Scalar("i1"), Scalar("i8"), Scalar("i32"), Scalar("i64")
BYTES = Pointer(I8)
Element = Scalar | Pointer


class Unsupported(Exception):
    """A construct that has no translation."""


def is_integer(element: Element) -> bool:
    return isinstance(element, Scalar) and element.name[0] == "i"


def is_float(element: Element) -> TypeGuard[Scalar]:
    return isinstance(element, Scalar) and element.name[0] != "i"


def width(element: Element) -> int:
    """In bits, as elements travel in LLVM IR: tf32 in the 32 of a float."""
    if isinstance(element, Pointer):
        return 64
    return 32 if element.name == "tf32" else bits_of(element.name)


class Scope:
    """The operations of one block while they are made, and which pure ones there are."""

    def __init__(self) -> None:
        self.ops: list[Operation] = []
        self.known: dict[tuple, Operation] = {}
        self.values: list[Value] = []


class Builder:
    """Operations go into the innermost of the open scopes, or into an outer one if they are hoisted."""

    def __init__(self) -> None:
        self.scopes = [Scope()]
        self.location: Any = None
        self._depth: dict[Value, int] = {}  # the scope that a value is of; 0 also for parameters
        self._home: dict[Value, Scope] = {}
        self._made_by: dict[Value, Operation] = {}
        self._bits_of: dict[Value, Value] = {}  # for a value with the bits of another one, that one

    # --- scopes ---

    def open(self, arguments: Sequence[Value] = ()) -> Scope:
        """A scope within the innermost one, for the block of a region."""
        scope = Scope()
        self.scopes.append(scope)
        self._note(arguments, len(self.scopes) - 1)
        return scope

    def close(self) -> Scope:
        return self.scopes.pop()

    def splice(self, scope: Scope) -> None:
        """What a closed scope has goes to the end of the innermost one."""
        inner = self.scopes[-1]
        inner.ops += scope.ops
        inner.known.update(scope.known)
        self._note(scope.values, len(self.scopes) - 1)

    def is_outside(self, value: Value) -> bool:
        """Whether a value can be used in the innermost scope."""
        depth = self._depth.get(value, 0)
        return depth < len(self.scopes) and (depth == 0 or self._home[value] is self.scopes[depth])

    def _note(self, values: Sequence[Value], depth: int) -> None:
        self.scopes[depth].values += values
        for value in values:
            self._depth[value] = depth
            self._home[value] = self.scopes[depth]

    # --- operations ---

    def emit(
        self,
        name: str,
        operands: dict[str, Any] | None = None,
        types: Sequence[Any] = (),
        attributes: dict[str, Any] | None = None,
        regions: Sequence[Block | None] = (),
        depth: int = -1,
    ) -> Operation:
        """An operation, at the end of a scope."""
        named = {key: v if isinstance(v, list) else [v] for key, v in (operands or {}).items()}
        results = [Value(type_) for type_ in types]
        op = Operation(name, named, attributes or {}, results, list(regions), location=self.location)
        depth = depth if depth >= 0 else len(self.scopes) - 1
        self.scopes[depth].ops.append(op)
        self._note(results, depth)
        for value in results:
            self._made_by[value] = op
        return op

    def pure(
        self,
        name: str,
        operands: dict[str, Any],
        type_: Any,
        attributes: dict[str, Any] | None = None,
        hoist: bool = False,
    ) -> Value:
        """What an operation without effects yields, which is not made twice; the first of its results.

        hoist: in the outermost scope that has the operands, also where it may then be of no use
        """
        return self.pure_op(name, operands, [type_], attributes, hoist).results[0]

    def pure_op(
        self,
        name: str,
        operands: dict[str, Any],
        types: Sequence[Any],
        attributes: dict[str, Any] | None = None,
        hoist: bool = False,
    ) -> Operation:
        values = [v for given in operands.values() for v in (given if isinstance(given, list) else [given])]
        key = (
            name,
            tuple(len(v) if isinstance(v, list) else -1 for v in operands.values()),
            tuple(map(id, values)),
            attributes["value"].tobytes() if attributes and name == "constant" else repr(attributes),
            tuple(map(str, types)),
        )
        for scope in self.scopes:
            if key in scope.known:
                return scope.known[key]
        depth = max((self._depth.get(v, 0) for v in values), default=0) if hoist else len(self.scopes) - 1
        op = self.emit(name, operands, types, attributes, depth=depth)
        self.scopes[depth].known[key] = op
        return op

    def made_by(self, value: Value, name: str = "") -> Operation | None:
        """The operation that yields a value, if it has this name."""
        op = self._made_by.get(value)
        return op if op is not None and (not name or op.name == name) else None

    # --- constants ---

    def constant(self, type_: Tile, value: int | float) -> Value:
        """A tile of one value; of a pointer its address."""
        element = type_.element
        if isinstance(element, Pointer):
            address = self.constant(Tile(I64, type_.shape), value)
            return self.pure("int_to_ptr", {"source": address}, type_, hoist=True)
        dtype = DTYPES[element.name]
        if is_integer(element):
            bits = width(element)
            value = int(value) & ((1 << bits) - 1)
            if bits > 1 and value >> (bits - 1):
                value -= 1 << bits
        array = np.array(np.float32(value) if is_float(element) and width(element) < 32 else value)
        return self.pure("constant", {}, type_, {"value": array.astype(dtype)}, hoist=True)

    def constant_of_bits(self, type_: Tile, bits: int) -> Value:
        """A tile of the number that these bits are."""
        element = type_.element
        if not is_float(element):
            return self.constant(type_, bits)
        size = DTYPES[element.name].itemsize
        raw = (bits & ((1 << 8 * size) - 1)).to_bytes(size, "little")
        array = np.frombuffer(raw, DTYPES[element.name])[0]
        return self.pure("constant", {}, type_, {"value": np.array(array)}, hoist=True)

    def known_value(self, value: Value) -> np.ndarray | None:
        """What a constant is."""
        op = self.made_by(value, "constant")
        return op.attributes["value"] if op is not None else None

    def token(self) -> Value:
        """A token that stands for nothing yet."""
        return self.pure("make_token", {}, Token(), hoist=True)

    # --- shapes and elements ---

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        if value.type.shape == tuple(shape):
            return value
        return self.pure("reshape", {"source": value}, Tile(value.type.element, tuple(shape)))

    def broadcast(self, value: Value, shape: Sequence[int]) -> Value:
        """To a shape, with axes in front where the value has fewer."""
        shape = tuple(shape)
        if value.type.shape == shape:
            return value
        known = self.known_value(value)
        if known is not None and known.ndim == 0:
            type_ = Tile(value.type.element, shape)
            return self.pure("constant", {}, type_, {"value": known}, hoist=True)
        value = self.reshape(value, (1,) * (len(shape) - len(value.type.shape)) + value.type.shape)
        if value.type.shape == shape:
            return value
        return self.pure("broadcast", {"source": value}, Tile(value.type.element, shape))

    def in_one_shape(self, *values: Value) -> list[Value]:
        shape = np.broadcast_shapes(*(value.type.shape for value in values))
        return [self.broadcast(value, shape) for value in values]

    def as_element(self, value: Value, element: Element) -> Value:
        """The same bits as elements of another type."""
        have = value.type.element
        if have == element:
            return value
        type_ = Tile(element, value.type.shape)
        if isinstance(have, Pointer) and isinstance(element, Pointer):
            return self.pure("ptr_to_ptr", {"source": value}, type_)
        if isinstance(have, Pointer):
            return self.pure("ptr_to_int", {"source": value}, type_)
        if isinstance(element, Pointer):
            return self.pure("int_to_ptr", {"source": value}, type_)
        if width(have) != width(element):
            raise Unsupported(f"bits of {have} as {element}")
        source = self._bits_of.get(value)
        if source is not None and source.type.element == element:
            return source
        tf32 = "tf32" in (str(have), str(element))
        result = self._repacked(value, type_) if tf32 else self.pure("bitcast", {"source": value}, type_)
        self._bits_of[result] = value
        return result

    def _repacked(self, value: Value, type_: Tile) -> Value:
        """By way of bytes, of which a tf32 has four: for a bitcast it has 19 bits."""
        size = math.prod(type_.shape)
        octets = self.pure("pack", {"source": self.reshape(value, (size,))}, Tile(I8, (4 * size,)))
        flat = self.pure("unpack", {"source": octets}, Tile(type_.element, (size,)))
        return self.reshape(flat, type_.shape)

    # --- elementwise operations ---

    def unary(self, name: str, value: Value, attributes: dict[str, Any] | None = None) -> Value:
        return self.pure(name, {"source": value}, value.type, attributes)

    def binary(
        self,
        name: str,
        lhs: Value,
        rhs: Value,
        attributes: dict[str, Any] | None = None,
        names: tuple[str, str] = ("lhs", "rhs"),
    ) -> Value:
        lhs, rhs = self.in_one_shape(lhs, rhs)
        return self.pure(name, dict(zip(names, (lhs, rhs), strict=True)), lhs.type, attributes)

    def compare(self, name: str, predicate: str, lhs: Value, rhs: Value, attributes: dict[str, Any]) -> Value:
        lhs, rhs = self.in_one_shape(lhs, rhs)
        attributes = {"comparison_predicate": predicate, **attributes}
        return self.pure(name, {"lhs": lhs, "rhs": rhs}, Tile(I1, lhs.type.shape), attributes)

    def equals(self, value: Value, number: int) -> Value:
        other = self.constant(Tile(value.type.element, ()), number)
        return self.compare("cmpi", "equal", value, other, {"signedness": "signed"})

    def select(self, condition: Value, yes: Value, no: Value) -> Value:
        condition, yes, no = self.in_one_shape(condition, yes, no)
        operands = {"cond": condition, "val_if_true": yes, "val_if_false": no}
        return self.pure("select", operands, yes.type)

    def convert(
        self, value: Value, element: Element, signed_from: bool = True, signed_to: bool = True
    ) -> Value:
        """A conversion of numbers, rounded to nearest, and of floats to integers toward zero."""
        have, type_ = value.type.element, Tile(element, value.type.shape)
        sign = {"signedness": "signed" if signed_from else "unsigned"}
        if have == element:
            return value
        if is_float(have) and is_float(element):
            return self._convert_float(value, element)
        if is_float(have):
            sign = {"signedness": "signed" if signed_to else "unsigned"}
            return self.pure("ftoi", {"from": value}, type_, {**sign, "rounding_mode": "nearest_int_to_zero"})
        if is_float(element):
            if width(element) <= 8:  # which saturate where they come from floats; e8m0 rounds up
                between = Scalar("f64" if element.name == "f8E8M0FNU" else "f32")
                return self.convert(self.convert(value, between, signed_from), element)
            constant = self._exact(value, element) if signed_from else None
            attributes = {**sign, "rounding_mode": "nearest_even"}
            return constant or self.pure("itof", {"from": value}, type_, attributes)
        if width(element) > width(have):
            return self.pure("exti", {"from": value}, type_, sign)
        return self.pure("trunci", {"from": value}, type_, {"overflow": "none"})

    def _convert_float(self, value: Value, element: Scalar) -> Value:
        mode = "positive_inf" if element.name == "f8E8M0FNU" else "nearest_even"
        type_ = Tile(element, value.type.shape)
        constant = self._exact(value, element)
        return constant or self.pure("ftof", {"from": value}, type_, {"rounding_mode": mode})

    def _exact(self, value: Value, element: Scalar) -> Value | None:
        """A constant as a constant of floats, where it is the same number."""
        known = self.known_value(value)
        if known is None or known.ndim or element.name == "tf32":
            return None
        with np.errstate(over="ignore"):
            there = np.array(known).astype(DTYPES[element.name])
        if there.astype(np.float64) != known.astype(np.float64):
            return None
        return self.constant(Tile(element, value.type.shape), float(known))
