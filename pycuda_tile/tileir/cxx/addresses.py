"""Pointers, and the loads and stores of LLVM IR, which access single elements."""

from __future__ import annotations

import functools
from abc import abstractmethod
from typing import Any

from ..ir import Pointer, Tile, Value
from .builder import BYTES, I1, I8, I32, I64, Unsupported, width
from .instructions import Instructions
from .llvm import Array, Instruction, Local, Number, Operand, Struct, Undefined, offset_of, size_of
from .local_arrays import is_tile
from .types import integer

_WEAK = {"memory_ordering_semantics": "weak"}


class Addresses(Instructions):
    """Instructions on addresses and memory."""

    @abstractmethod
    def access(
        self,
        i: Instruction,
        name: str,
        operands: dict[str, Any],
        type_: Tile | None,
        attributes: dict[str, Any],
    ) -> Value: ...

    @abstractmethod
    def load_tile(self, i: Instruction, type_: Tile) -> Value: ...
    @abstractmethod
    def store_tile(self, i: Instruction, value: Value) -> None: ...

    # --- addresses ---

    def _ptrtoint(self, i: Instruction) -> Value:
        value = self.value(i.operands[0])
        if self.is_handle(Local(i.name, i.type)):
            return value
        if self.arrays.scale_at(i.operands[0]) > 1:
            raise Unsupported("the address of an element of an array of tiles as a number")
        return self.convert(self.as_element(value, I64), self.element_of(i.type), False)

    def _inttoptr(self, i: Instruction) -> Value:
        value = self.value(i.operands[0])
        if isinstance(value.type.element, Pointer) or self.is_handle(i.operands[0]):
            return value
        return self.as_element(value, BYTES)

    def _getelementptr(self, i: Instruction) -> Value:
        """Indices are counted in elements of what the pointer points to, where they come out even."""
        pointer = self.value(i.operands[0])
        if not isinstance(pointer.type, Tile) or not isinstance(pointer.type.element, Pointer):
            raise Unsupported("an address within a tile")
        scale = self.arrays.scale_at(i.operands[0])
        known, parts = 0, []
        type_: object = Array(0, i.detail)
        for index in i.operands[1:]:
            if isinstance(type_, Struct):
                known += offset_of(type_, integer(index))
                type_ = type_.elements[integer(index)]
                continue
            if not isinstance(type_, Array):
                raise Unsupported("an address within a number")
            type_ = type_.element
            if isinstance(index, Number):
                known += integer(index) * size_of(type_)
            else:
                parts.append((self.number(index), size_of(type_) * scale))
        return self._advance(pointer, known * scale, parts)

    def _advance(self, pointer: Value, known: int, parts: list[tuple[Value, int]]) -> Value:
        element = pointer.type.element
        size = max(width(element.pointee) // 8, 1)
        if known % size or any(step % size for _, step in parts):
            moved = self._advance(self.as_element(pointer, BYTES), known, parts)
            return self.as_element(moved, element)
        for index, step in parts:
            pointer = self._offset(pointer, self._scaled(index, step // size))
        if known:
            pointer = self._offset(pointer, self.constant(Tile(I64, ()), known // size))
        return pointer

    def _scaled(self, index: Value, factor: int) -> Value:
        if factor == 1:
            return index
        index = self.convert(index, I64)
        return self.binary("muli", index, self.constant(Tile(I64, ()), factor), {"overflow": "none"})

    def _offset(self, pointer: Value, offset: Value) -> Value:
        pointer, offset = self.in_one_shape(pointer, offset)
        return self.pure("offset", {"ptr": pointer, "offset": offset}, pointer.type)

    # --- single elements in memory ---

    def _load(self, i: Instruction) -> Value:
        if held := self.arrays.slot(i, self.type_of):
            return self.load_tile(i, held)
        if self.is_value(i.operands[0]):
            return self.value(i.operands[0])
        pointer = self._pointer_to(i.operands[0], i.type)
        type_ = Tile(pointer.type.element.pointee, pointer.type.shape)
        if i.detail < _bytes_of(pointer):
            value = self._load_parts(i, pointer, type_)
        else:
            value = self.access(i, "load_ptr_tko", {"source": pointer}, type_, dict(_WEAK))
        if i.type == "i1":
            return self.convert(value, I1)
        return self.as_element(value, BYTES) if i.type == "ptr" else value

    def _store(self, i: Instruction) -> None:
        value, place = i.operands
        if isinstance(value, Local) and value.type in ("ptr", "i64"):
            stored = self.value(value)
            if is_tile(stored.type) and (value.type == "ptr" or self.is_handle(value)):
                if not self.arrays.is_local(place):
                    raise Unsupported("a tile in memory that is not a local array")
                self.store_tile(i, stored)
                return
        pointer = self._pointer_to(place, value.type)
        type_ = Tile(pointer.type.element.pointee, pointer.type.shape)
        operands = {"destination": pointer, "value": self._stored(value, type_)}
        if i.detail < _bytes_of(pointer):
            self._store_parts(i, pointer, operands["value"])
            return
        self.access(i, "store_ptr_tko", operands, None, dict(_WEAK))

    # Accesses whose addresses are multiples of fewer bytes than they have, as copies of structures are.

    def _load_parts(self, i: Instruction, pointer: Value, type_: Tile) -> Value:
        bits, whole = 8 * i.detail, self.element_of(f"i{width(type_.element)}")
        part, parts = Tile(self.element_of(f"i{bits}"), type_.shape), []
        for number, place in enumerate(self._parts(i, pointer)):
            loaded = self.access(i, "load_ptr_tko", {"source": place}, part, dict(_WEAK))
            wide = self.convert(loaded, whole, False)
            shift = self.constant(wide.type, number * bits)
            parts.append(self.binary("shli", wide, shift, {"overflow": "none"}) if number else wide)
        value = functools.reduce(lambda all_, one: self.binary("ori", all_, one), parts)
        return self.as_element(value, type_.element)

    def _store_parts(self, i: Instruction, pointer: Value, value: Value) -> None:
        bits, value = 8 * i.detail, self.as_element(value, self.element_of(f"i{width(value.type.element)}"))
        for number, place in enumerate(self._parts(i, pointer)):
            shift = self.constant(value.type, number * bits)
            rest = self.binary("shri", value, shift, {"signedness": "unsigned"}) if number else value
            part = self.convert(rest, self.element_of(f"i{bits}"))
            self.access(i, "store_ptr_tko", {"destination": place, "value": part}, None, dict(_WEAK))

    def _parts(self, i: Instruction, pointer: Value) -> list[Value]:
        """Pointers to the parts of an access, each as long as its alignment."""
        first = self.as_element(pointer, Pointer(self.element_of(f"i{8 * i.detail}")))
        numbers = range(1, _bytes_of(pointer) // i.detail)
        return [first, *(self._offset(first, self.constant(Tile(I64, ()), number)) for number in numbers)]

    def _stored(self, value: Operand, type_: Tile) -> Value:
        """What is stored of a value, of pointers their addresses."""
        if value.type != "ptr" or isinstance(value, Undefined):
            return self.of_type(value, type_)
        if isinstance(value, Number):
            return self.constant(type_, value.value)
        return self.as_element(self.value(value), type_.element)

    def _pointer_to(self, operand: Operand, type_: object) -> Value:
        """A pointer to elements that travel in LLVM IR as this type."""
        pointer = self.value(operand)
        if not isinstance(pointer.type.element, Pointer):
            raise Unsupported("a tile that is read as memory")
        if not isinstance(type_, str):
            raise Unsupported("an array or structure that is loaded or stored as a whole")
        pointee = pointer.type.element.pointee
        wanted = I64 if type_ == "ptr" else I8 if type_ == "i1" else self.element_of(type_)
        if not isinstance(pointee, Pointer) and width(pointee) == width(wanted):
            return pointer
        return self.as_element(pointer, Pointer(wanted))

    def _alloca(self, i: Instruction) -> Value:
        type_, count, alignment = i.detail, 1, 8
        if i.name in self.arrays.holding:
            count, type_, alignment = size_of(type_) * self.arrays.scale, "i8", 16
        while isinstance(type_, Array):
            count *= type_.count
            type_ = type_.element
        if isinstance(type_, Struct):
            count, type_ = count * size_of(type_), "i8"
        element = I64 if type_ == "ptr" else self.element_of(type_)  # memory holds no pointers, but numbers
        attributes = {"num_elem": count, "alignment": alignment, "global": False}
        return self.emit("alloca", {}, [Tile(Pointer(element), ())], attributes).results[0]

    def _copy(self, i: Instruction, name: str) -> None:
        """As one tile."""
        to, source, count = i.operands[:3]
        if not isinstance(count, Number):
            raise Unsupported("a copy of memory whose size is not known when the kernel is compiled")
        scales = {self.arrays.scale_at(o) for o in ((to,) if name == "memset" else (to, source))}
        if len(scales) > 1:
            raise Unsupported("a copy between an array of tiles and other memory")
        pointer, size = self.value(to), integer(count) * scales.pop()
        if size % _bytes_of(pointer) or not _is_aligned(i, _bytes_of(pointer)):
            pointer = self.as_element(pointer, BYTES)
        size = max(size // _bytes_of(pointer), 1)  # LLVM leaves no empty copies
        type_ = Tile(pointer.type.element.pointee, (1 << (size - 1).bit_length(),) if size > 1 else ())
        some = {"mask": self._first(size, type_.shape)} if type_.shape and size < type_.shape[0] else {}
        if name == "memset":
            if not isinstance(source, Number):
                raise Unsupported("memory filled with a value that is not known when the kernel is compiled")
            bits = int.from_bytes(bytes([integer(source) & 255]) * _bytes_of(pointer), "little")
            value = self.constant_of_bits(type_, bits)
        else:
            given = self.as_element(self.value(source), pointer.type.element)
            loaded = {"source": self._row(given, type_.shape), **some}
            value = self.access(i, "load_ptr_tko", loaded, type_, dict(_WEAK))
        stored = {"destination": self._row(pointer, type_.shape), "value": value, **some}
        self.access(i, "store_ptr_tko", stored, None, dict(_WEAK))

    def _row(self, pointer: Value, shape: tuple[int, ...]) -> Value:
        """Pointers to neighbours."""
        return self._offset(pointer, self.pure("iota", {}, Tile(I32, shape))) if shape else pointer

    def _first(self, count: int, shape: tuple[int, ...]) -> Value:
        """Whether elements of a row are among the first ones."""
        numbers, limit = self.pure("iota", {}, Tile(I32, shape)), self.constant(Tile(I32, ()), count)
        return self.compare("cmpi", "less_than", numbers, limit, {"signedness": "signed"})


def _bytes_of(pointer: Value) -> int:
    """The size of what a pointer points to."""
    return max(width(pointer.type.element.pointee) // 8, 1)


def _is_aligned(call: Instruction, size: int) -> bool:
    """Whether the pointers of a call are multiples of a size."""
    return any(int(flag.split()[1]) % size == 0 for flag in call.flags if flag.startswith("align "))
