"""Modules of bytecode_operations.py with a change in the operation that each one tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from bytecode_operations import OPERATIONS
from bytecode_operations import module as operation_module

from pycuda_tile import tileir
from pycuda_tile.tileir.elements import DTYPES
from pycuda_tile.tileir.grammar import ENUMS
from pycuda_tile.tileir.grammar import OPERATIONS as ROWS
from pycuda_tile.tileir.ir import (
    Block,
    Entry,
    Global,
    Operation,
    Pointer,
    Scalar,
    TensorView,
    Tile,
    TileView,
    Token,
    Value,
)

_NUMBERS = [Scalar(name) for name in DTYPES]
_ELEMENTS = [*_NUMBERS, Pointer(Scalar("f32")), Pointer(Scalar("f4E2M1FN"))]
_SHAPES = [(), (1,), (2,), (8,), (2, 4), (1, 1), (2, 2, 2), (2, 2, 2, 2)]
_OTHERS = [Token(), TensorView(Scalar("f32"), (4,), (1,))]
_NUMBERS_OF_ATTRIBUTES = [0, 1, 2, 3, 4, 7, 8, 16, 1 << 31, 1 << 32, 1 << 63]

Types = dict[str, list[Any]]


def mutations(count: int) -> Iterator[tileir.Module]:
    """The given number of mutations, the same in every run."""
    rng = random.Random(count)
    bases = [base for name in OPERATIONS if (base := _base(name)) is not None]
    for i in range(count):
        yield mutated(*bases[i % len(bases)], rng)


def _base(name: str) -> tuple[Operation, Types] | None:
    """The operation that a module tests, the last before the return, if it has no region."""
    op = operation_module(name).entries[0].body.ops[-2]
    types = {part: [value.type for value in values] for part, values in op.operands.items()}
    return None if op.regions else (op, types)


def mutated(op: Operation, types: Types, rng: random.Random) -> tileir.Module:
    operands, results = {name: list(found) for name, found in types.items()}, [v.type for v in op.results]
    attributes = dict(op.attributes)
    for _ in range(rng.choice([1, 1, 2])):
        rng.choice([_elements, _elements, _shapes, _one, _attribute])(operands, results, attributes, op, rng)
    made: list[Operation] = []
    values = {name: [_made(type_, made) for type_ in found] for name, found in operands.items()}
    made.append(Operation(op.name, values, attributes, list(map(Value, results))))
    made.append(Operation("return", {"operands": []}))
    data = Global("data", Tile(Scalar("f32"), (2,)), np.zeros(2, np.float32))
    return tileir.Module([Entry("kernel", Block([], made))], [data])


def _elements(operands: Types, results: list, attributes: dict, op: Operation, rng: random.Random) -> None:
    """Replaces an element type by another one wherever it occurs."""
    _exchange(operands, results, rng, _elements_of, _ELEMENTS, _with_element)


def _shapes(operands: Types, results: list, attributes: dict, op: Operation, rng: random.Random) -> None:
    shapes = lambda type_: [type_.shape] if isinstance(type_, Tile) else []  # noqa: E731
    _exchange(operands, results, rng, shapes, _SHAPES, _with_shape)


def _exchange(operands: Types, results: list, rng: random.Random, parts, others: list, replaced) -> None:
    known = [part for found in (*operands.values(), results) for type_ in found for part in parts(type_)]
    if not known:
        return
    old, new = rng.choice(known), rng.choice(others)
    for found in (*operands.values(), results):
        found[:] = [replaced(type_, old, new) for type_ in found]


def _one(operands: Types, results: list, attributes: dict, op: Operation, rng: random.Random) -> None:
    """Changes the type of one operand or result, or doubles or removes it."""
    found = rng.choice([*filter(None, operands.values()), *([results] if results else [])] or [[Token()]])
    i = rng.randrange(len(found))
    kind = rng.randrange(6)
    if kind == 0:
        found[i] = rng.choice(_OTHERS)
    elif kind == 1 and found is not results:
        found.append(found[i])
    elif kind == 2 and found is not results:
        del found[i]
    elif kind == 3 and isinstance(found[i], Tile):
        found[i] = Tile(found[i].element, rng.choice(_SHAPES))
    elif elements := _elements_of(found[i]):
        found[i] = _with_element(found[i], rng.choice(elements), rng.choice(_ELEMENTS))


def _attribute(operands: Types, results: list, attributes: dict, op: Operation, rng: random.Random) -> None:
    known = [(name, found.kind) for name, found in ROWS[op.name].attributes.items()]
    name, kind = rng.choice(known or [("", "")])
    if kind.startswith("enum:"):
        attributes[name] = rng.choice(sorted(ENUMS[kind[5:]]))
    elif kind == "int":
        attributes[name] = rng.choice(_NUMBERS_OF_ATTRIBUTES)
    elif kind in ("bool", "unit"):
        attributes[name] = rng.random() < 0.5
    elif kind == "i32s":
        attributes[name] = tuple(rng.choices(range(-1, 3), k=rng.randrange(4)))


def _elements_of(type_: Any) -> list[Any]:
    if isinstance(type_, Tile):
        return [type_.element, *([type_.element.pointee] if isinstance(type_.element, Pointer) else [])]
    return [type_.element] if isinstance(type_, TensorView) else []


def _with_element(type_: Any, old: Any, new: Any) -> Any:
    if isinstance(type_, TileView):
        tensor = _with_element(type_.tensor, old, new)
        return TileView(
            type_.kind, type_.tile, tensor, type_.dim_map, type_.padding, type_.steps, type_.sparse
        )
    if isinstance(type_, Tile) and type_.element == old:
        return Tile(new, type_.shape)
    if isinstance(new, Pointer):
        return type_
    if isinstance(type_, Tile) and type_.element == Pointer(old):
        return Tile(Pointer(new), type_.shape)
    if isinstance(type_, TensorView) and type_.element == old:
        return TensorView(new, type_.shape, type_.strides, type_.attr)
    return type_


def _with_shape(type_: Any, old: tuple[int, ...], new: tuple[int, ...]) -> Any:
    return Tile(type_.element, new) if isinstance(type_, Tile) and type_.shape == old else type_


def _made(type_: Any, ops: list[Operation]) -> Value:
    """A value of the given type; appends the operations that produce it."""

    def from_(name: str, operand: str, source: Any, **attributes: Any) -> Value:
        return emitted(name, {operand: [_made(source, ops)]}, attributes)

    def emitted(name: str, operands: dict, attributes: dict) -> Value:
        ops.append(Operation(name, operands, attributes, [Value(type_)]))
        return ops[-1].results[0]

    if isinstance(type_, Token):
        return emitted("make_token", {}, {})
    if isinstance(type_, TileView):
        return from_(f"make_{type_.kind}", "tensor_view", type_.tensor)
    if isinstance(type_, TensorView):
        number = _made(Tile(Scalar("i32"), ()), ops)
        counts = {"dynamicShape": type_.shape, "dynamicStrides": type_.strides}
        operands = {name: [number] * extents.count(None) for name, extents in counts.items()}
        operands["base"] = [_made(Tile(Pointer(type_.element, type_.attr), ()), ops)]
        return emitted("make_tensor_view", operands, {})
    if isinstance(type_.element, Pointer):
        return from_("int_to_ptr", "source", Tile(Scalar("i64"), type_.shape))
    element = str(type_.element)
    if element == "i4":
        return from_("trunci", "from", Tile(Scalar("i8"), type_.shape), overflow="none")
    return emitted("constant", {}, {"value": np.broadcast_to(np.zeros((), DTYPES[element]), type_.shape)})
