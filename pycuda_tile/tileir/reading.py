"""Queries on the model, shared by the interpreter and the translation to C++."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .ir import Block, Operation, Pointer, TensorView, Tile, TileView, Token, Value


class TensorFacts(NamedTuple):
    """A tensor view's type; None is an extent or stride that is not known before the run."""

    element: str
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]


class TileFacts(NamedTuple):
    """A view's type: its tile and, for each of the tile's axes, the tensor's axis and the step, the number of
    elements from one index to the next. `sparse` is the axis along which an index names each element."""

    tile: tuple[int, ...]
    axes: tuple[int, ...]
    steps: tuple[int, ...]
    sparse: int | None


def attribute(op: Operation, name: str, default: Any = None) -> Any:
    """An attribute, or `default` if it is not given."""
    return op.attributes.get(name, default)


def operand(op: Operation, name: str) -> Value:
    """The operand of that name, of an operation that has it."""
    return op.operands[name][0]


def optional_operand(op: Operation, name: str) -> Value | None:
    """The operand of that name; None if it is left out."""
    found = op.operands.get(name)
    return found[0] if found else None


def group(op: Operation, name: str) -> list[Value]:
    """The operands that one name stands for."""
    return op.operands.get(name, [])


def operands_of(op: Operation) -> list[Value]:
    return [value for found in op.operands.values() for value in found]


def region(op: Operation, number: int) -> Block:
    """A region that the operation has."""
    found = optional_region(op, number)
    if found is None:
        raise LookupError(f"{op} has no region {number}")
    return found


def optional_region(op: Operation, number: int) -> Block | None:
    return op.regions[number] if number < len(op.regions) else None


def element_of(type_: Any) -> str:
    """An element type's name; "ptr<f32>" for pointers, the tensor's for views."""
    if isinstance(type_, (Tile, TensorView)):
        return _plain(type_.element)
    return _plain(type_.tensor.element) if isinstance(type_, TileView) else str(type_)


def _plain(element: Any) -> str:
    """Pointers without their attribute (none, unicast, multicast): there is one device."""
    return f"ptr<{_plain(element.pointee)}>" if isinstance(element, Pointer) else str(element)


def value_element(value: Value) -> str:
    return element_of(value.type)


def value_shape(value: Value) -> tuple[int, ...]:
    return value.type.shape


def is_token(value: Value) -> bool:
    return isinstance(value.type, Token)


def is_pointer(value: Value) -> bool:
    return isinstance(value.type, Tile) and isinstance(value.type.element, Pointer)


def result_element(op: Operation) -> str:
    return value_element(op.results[0])


def result_shape(op: Operation) -> tuple[int, ...]:
    return value_shape(op.results[0])


def source_element(op: Operation) -> str:
    return value_element(operands_of(op)[0])


def source_shape(op: Operation) -> tuple[int, ...]:
    return value_shape(operands_of(op)[0])


def pointee(element: str) -> str:
    """What "ptr<f32>" points to, or "ptr<f32, <none>>"."""
    if not element.startswith("ptr<"):
        return element
    inner = element[len("ptr<") : -1]
    what, comma, _ = inner.rpartition(", <")
    return what if comma and what.count("<") == what.count(">") else inner


def tensor_facts(type_: TensorView) -> TensorFacts:
    return TensorFacts(_plain(type_.element), type_.shape, type_.strides)


def tile_facts(type_: TileView) -> TileFacts:
    steps = type_.steps or type_.tile if type_.sparse is None else (1,) * len(type_.tile)
    return TileFacts(type_.tile, type_.dim_map, steps, type_.sparse)


def update_of(op: Operation) -> tuple[str, Value]:
    """What an atomic update of a view does, as the modes of AtomicRMWMode name it, and with which tile."""
    if (value := optional_operand(op, "value")) is not None:
        return attribute(op, "mode", "add"), value
    mode, tile = attribute(op, "reduction") or "add", operand(op, "tile")
    return "addf" if mode == "add" and not value_element(tile).startswith("i") else mode, tile


def dense(op: Operation) -> np.ndarray:
    """A constant's elements, in the shape of the result."""
    value = np.asarray(op.attributes["value"])
    return np.broadcast_to(value, result_shape(op))
