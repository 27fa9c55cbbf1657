"""Loads, stores and atomic operations, through pointers and through views."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..ir import Pointer, Scalar, TensorView, Tile, TileView, Value
from .builder import I1, I8, I32, I64, is_float
from .llvm import Instruction, Number, Operand
from .names import Name, number_of
from .tokens import Tokens
from .types import integer

_ORDERS = {-1: "weak", 0: "relaxed", 1: "acquire", 2: "release", 3: "acq_rel"}
_SCOPES = ("sys", "device", "tl_blk")
_PADDINGS = ("zero", "neg_zero", "pos_inf", "neg_inf", "nan")


class Memory(Tokens):
    """Loads, stores and atomic operations."""

    # --- through pointers ---

    def call_load_pointers(self, i: Instruction, type_: Name, order: int, scope: int) -> Value:
        tile = type_.tile
        stored = _in_memory(tile)
        pointers, *more = i.operands
        operands = {"source": self._pointers(pointers, stored)}
        if more and not self._is_true(mask := self.value(more[0])):
            operands["mask"] = mask
            if not isinstance(more[1], Number):
                operands["paddingValue"] = self._to_memory(self.value(more[1]), stored)
        value = self.access(i, "load_ptr_tko", operands, stored, _ordering(order, scope))
        return self._from_memory(value, tile)

    def call_store_pointers(self, i: Instruction, type_: Name, order: int, scope: int) -> None:
        stored = _in_memory(type_.tile)
        pointers, value, where = i.operands
        operands = {"destination": self._pointers(pointers, stored)}
        operands["value"] = self._to_memory(self.of_type(value, type_.tile), stored)
        if not self._is_true(mask := self.value(where)):
            operands["mask"] = mask
        self.access(i, "store_ptr_tko", operands, None, _ordering(order, scope))

    def call_update_pointers(
        self, i: Instruction, type_: Name, function: Name, order: int, scope: int
    ) -> Value:
        tile = type_.tile
        pointers, given, where = i.operands
        mode, value = self._update(function.name, self.of_type(given, tile), type_.is_signed)
        operands = {"pointers": self._pointers(pointers, tile), "arg": value}
        if not self._is_true(mask := self.value(where)):
            operands["mask"] = mask
        attributes = {**_ordering(order, scope), "mode": mode}
        return self.access(i, "atomic_rmw_tko", operands, tile, attributes)

    def call_exchange_pointers(self, i: Instruction, type_: Name, order: int, scope: int) -> Value:
        tile = type_.tile
        pointers, comparand, value, where = i.operands
        operands = {"pointers": self._pointers(pointers, tile)}
        operands |= {"cmp": self.of_type(comparand, tile), "val": self.of_type(value, tile)}
        if not self._is_true(mask := self.value(where)):
            operands["mask"] = mask
        return self.access(i, "atomic_cas_tko", operands, tile, _ordering(order, scope))

    def _update(self, function: str, value: Value, signed: bool) -> tuple[str, Value]:
        """The mode of an atomic update, and its operand."""
        of_floats = is_float(value.type.element)
        if function == "sub":
            value = self.unary("negf", value) if of_floats else self._negated(value)
        if function in ("add", "sub"):
            return "addf" if of_floats else "add", value
        if function in ("max", "min"):
            return function if signed else f"u{function}", value
        return {"exchange": "xchg"}.get(function, function.removeprefix("bit_")), value

    def _negated(self, value: Value) -> Value:
        return self.unary("negi", value, {"overflow": "none"})

    def _pointers(self, operand: Operand, type_: Tile) -> Value:
        return self.of_type(operand, Tile(Pointer(type_.element), type_.shape))

    def _is_true(self, mask: Value) -> bool:
        known = self.known_value(mask)
        return known is not None and bool(np.all(known))

    def _from_memory(self, value: Value, type_: Tile) -> Value:
        """A bool is a byte in memory."""
        if value.type.element == type_.element:
            return value
        zero = self.constant(Tile(I8, ()), 0)
        return self.compare("cmpi", "not_equal", value, zero, {"signedness": "signed"})

    def _to_memory(self, value: Value, type_: Tile) -> Value:
        if value.type.element == I1:
            return self.convert(value, I8, signed_from=False)
        return self.as_element(value, type_.element)

    # --- tiles in local arrays ---

    def load_tile(self, i: Instruction, type_: Tile) -> Value:
        """A tile from a local array."""
        stored = _in_array(type_)
        place, name, attributes = self._all_of(self.value(i.operands[0]), stored, "source")
        loaded = self.access(i, f"load_{name}_tko", place, stored, attributes)
        if type_.element == I1:
            return self._from_memory(loaded, type_)
        return self.as_element(loaded, type_.element)

    def store_tile(self, i: Instruction, value: Value) -> None:
        stored = _in_array(value.type)
        value = self.as_element(self._to_memory(value, stored), stored.element)
        place, name, attributes = self._all_of(self.value(i.operands[1]), stored, "destination")
        place["tile" if name == "view" else "value"] = value
        self.access(i, f"store_{name}_tko", place, None, attributes)

    def _all_of(self, pointer: Value, type_: Tile, name: str) -> tuple[dict[str, Any], str, dict[str, Any]]:
        """All elements of a tile, which are next to each other: operands, the kind of access, attributes."""
        pointer = self.as_element(pointer, Pointer(type_.element))
        if not type_.shape:
            return {name: pointer}, "ptr", _ordering(-1, 0)
        rank = len(type_.shape)
        strides = tuple(math.prod(type_.shape[axis + 1 :]) for axis in range(rank))
        tensor = TensorView(type_.element, type_.shape, strides)
        parts = {"base": pointer, "dynamicShape": [], "dynamicStrides": []}
        view = self._tiles(self.pure("make_tensor_view", parts, tensor, hoist=True), type_, None)
        index = [self.constant(Tile(I32, ()), 0)] * rank
        return {"view": view, "index": index}, "view", {**_ordering(-1, 0), "inbounds": [True] * rank}

    # --- through views ---

    def call_load_view(
        self, i: Instruction, type_: Name, chunks: Name, padding: int, order: int, scope: int
    ) -> Value:
        stored = _in_memory(type_.tile)
        if not stored.shape:  # which no view has: its only element, which is always there
            operands = {"source": self._pointers(i.operands[0], stored)}
            value = self.access(i, "load_ptr_tko", operands, stored, _ordering(order, scope))
            return self._from_memory(value, type_.tile)
        view, indices = self._view(i, stored, chunks, _PADDINGS[padding] if padding >= 0 else None)
        attributes = {**_ordering(order, scope), "inbounds": [padding < 0] * len(indices)}
        value = self.access(i, "load_view_tko", {"view": view, "index": indices}, stored, attributes)
        return self._from_memory(value, type_.tile)

    def call_store_view(
        self, i: Instruction, type_: Name, chunks: Name, padding: int, order: int, scope: int
    ) -> None:
        stored = _in_memory(type_.tile)
        tile = self._to_memory(self.of_type(i.operands[-1], type_.tile), stored)
        if not stored.shape:
            operands = {"destination": self._pointers(i.operands[0], stored), "value": tile}
            self.access(i, "store_ptr_tko", operands, None, _ordering(order, scope))
            return
        view, indices = self._view(i, stored, chunks, "zero" if padding >= 0 else None)
        attributes = {**_ordering(order, scope), "inbounds": [padding < 0] * len(indices)}
        self.access(i, "store_view_tko", {"tile": tile, "view": view, "index": indices}, None, attributes)

    def call_update_view(
        self, i: Instruction, type_: Name, chunks: Name, function: Name, padding: int, order: int, scope: int
    ) -> None:
        tile = type_.tile
        mode, value = self._update(function.name, self.of_type(i.operands[-1], tile), type_.is_signed)
        attributes: dict[str, Any] = {**_ordering(order, scope), "mode": mode}
        if not tile.shape:
            single = {"pointers": self._pointers(i.operands[0], tile), "arg": value}
            self.access(i, "atomic_rmw_tko", single, tile, attributes)
            return
        view, indices = self._view(i, tile, chunks, None)
        # That all elements are in the tensor is only said since 13.5, and NVIDIA's front end does not say it.
        attributes["inbounds"] = [False] * len(indices)
        operands = {"view": view, "index": indices, "value": value}
        self.access(i, "atomic_red_view_tko", operands, None, attributes)

    def _view(
        self, i: Instruction, type_: Tile, chunks: Name, padding: str | None
    ) -> tuple[Value, list[Value]]:
        """The view of tiles, and the indices. Constant extents and strides are part of the type; views of
        what a loop does not change stand before it."""
        rank = len(type_.shape)
        base, *rest = i.operands
        indices, extents, strides = rest[:rank], rest[rank : 2 * rank], rest[2 * rank : 3 * rank]
        known = [_static(extent) for extent in extents], [_static(stride) for stride in strides]
        tensor = TensorView(type_.element, tuple(known[0]), tuple(known[1]))
        operands: dict[str, Value | list[Value]] = {
            "base": self.of_type(base, Tile(Pointer(type_.element), ()))
        }
        for name, given, fixed in (("Shape", extents, known[0]), ("Strides", strides, known[1])):
            pairs = zip(given, fixed, strict=True)
            operands[f"dynamic{name}"] = [
                self.number(number) for number, is_known in pairs if is_known is None
            ]
        tensor_view = self.pure("make_tensor_view", operands, tensor, hoist=True)
        if chunks.name == "gathered":
            view = self._tiles(tensor_view, type_, padding, sparse=number_of(chunks.arguments[0]))
        else:
            view = self._tiles(tensor_view, type_, padding, chunks.tile.shape)
        return view, [self.number(index) for index in indices]

    def _tiles(
        self,
        tensor_view: Value,
        type_: Tile,
        padding: str | None,
        steps: tuple[int, ...] | None = None,
        sparse: int | None = None,
    ) -> Value:
        """The view of a tensor's tiles of a type.

        steps:   how far apart they begin; None: as far as they are long
        sparse:  the axis along which elements are gathered
        """
        name = "partition_view" if steps in (None, type_.shape) else "strided_view"
        if sparse is not None:
            name = "gather_scatter_view"
        axes, steps = tuple(range(len(type_.shape))), steps or type_.shape
        kind = TileView(name, type_.shape, tensor_view.type, axes, padding, sparse=sparse, steps=steps)
        return self.pure(f"make_{name}", {"tensor_view": tensor_view}, kind, hoist=True)


def _static(operand: Operand) -> int | None:
    return integer(operand) if isinstance(operand, Number) and operand.value > 0 else None


def _in_array(type_: Tile) -> Tile:
    """As what a tile is in a local array: of pointers their addresses."""
    return Tile(I64, type_.shape) if isinstance(type_.element, Pointer) else _in_memory(type_)


def _in_memory(type_: Tile) -> Tile:
    return Tile(Scalar("i8"), type_.shape) if type_.element == I1 else type_


def _ordering(order: int, scope: int) -> dict[str, str]:
    scoped = {} if order < 0 else {"memory_scope": _SCOPES[scope]}
    return {"memory_ordering_semantics": _ORDERS[order], **scoped}
