"""The type of tile that a value of LLVM's stands for, found before it is translated: where paths meet, all
must bring the same."""

from __future__ import annotations

from abc import ABC

import numpy as np

from ..ir import Pointer, Scalar, Tile, Value
from .builder import BYTES, I1, I8, I64, Builder, Element, Unsupported, width
from .llvm import Function, Instruction, Local, Number, Operand
from .local_arrays import LocalArrays
from .names import Call, name_of, recorded_call

_ELEMENTS = {"half": "f16", "bfloat": "bf16", "float": "f32", "double": "f64"}
_WIDTHS = ("i1", "i8", "i16", "i32", "i64")
#: Recorded calls whose first argument is the type of their result.
_NAMED = {
    *(
        "tile_of_element",
        "iota",
        "reshape",
        "broadcast",
        "permute",
        "cat",
        "listed",
        "extract",
        "reduce",
        "scan",
        "mma",
        "insert",
        "repack",
        "scaled_mma",
    ),
    *("load_pointers", "load_view", "update_pointers", "exchange_pointers"),
}
#: A structure: its elements, None where they have no value.
Parts = tuple[Value | None, ...]


def integer(operand: Operand) -> int:
    """The value of a constant integer."""
    if not isinstance(operand, Number) or not isinstance(operand.value, int):
        raise Unsupported("a number that is not known when the kernel is compiled")
    return operand.value


def odd_width(type_: object) -> int:
    """The bits of an integer whose width Tile IR does not have, as LLVM makes them; 0 for other types. They
    are the lower bits of a wider integer, and the others are 0."""
    if not isinstance(type_, str) or type_ in _WIDTHS or not type_[1:].isdigit() or type_[0] != "i":
        return 0
    return int(type_[1:]) if int(type_[1:]) < 64 else 0


class Types(Builder, ABC):
    """A builder that knows a function of LLVM's, and what its values stand for."""

    def __init__(self, function: Function, parameters: dict[str, Tile]):
        super().__init__()
        self.function_text = function
        self.values: dict[str, Value | Parts] = {}
        self.definitions: dict[str, Instruction] = {
            i.name: i for block in function.blocks.values() for i in block if i.name
        }
        self._types: dict[str, Tile | None] = dict(parameters)
        self.arrays = LocalArrays(function)
        self._find_types()

    def _find_types(self) -> None:
        """Until nothing changes: what goes around in loops is known from what comes into them."""
        changed = True
        while changed:
            changed = False
            for name, i in self.definitions.items():
                try:
                    found = self._find(i)
                except Unsupported:  # which is said where it is translated
                    continue
                if name not in self._types or found != self._types[name]:
                    self._types[name], changed = found, True
        if self.arrays.has_any:
            self.arrays.find_holding(self.type_of)

    @staticmethod
    def element_of(type_: object) -> Element:
        """The element that a type of LLVM's is."""
        if type_ == "ptr":
            return BYTES
        if type_ in _ELEMENTS:
            return Scalar(_ELEMENTS[type_])
        if type_ in _WIDTHS:
            return Scalar(str(type_))
        if odd := odd_width(type_):
            return Scalar(next(name for name in _WIDTHS if int(name[1:]) > odd))
        raise Unsupported(f"numbers of the type {type_}")

    def type_of(self, operand: Operand) -> Tile | None:
        """None where the operand is a constant, which can be of any type."""
        if not isinstance(operand, Local):
            return None
        return self._types.get(operand.name)

    def _find(self, i: Instruction) -> Tile | None:
        if i.op == "call" and (call := recorded_call(i.detail)):
            return self._of_call(i, call)
        if i.op in ("phi", "select"):
            return self._of_merged(i)
        if i.op == "load":
            return self._of_loaded(i)
        if i.op == "inttoptr" and self.is_handle(i.operands[0]):
            return self.type_of(i.operands[0])
        if i.op == "ptrtoint" and self.is_handle(Local(i.name, i.type)):
            return self.type_of(i.operands[0])
        if isinstance(i.type, str) and i.type != "void":
            shape = self._shape_of(i.operands)
            if i.op in ("getelementptr", "freeze"):
                base = self.type_of(i.operands[0])
                return Tile(base.element if base else self.element_of(i.type), shape)
            return Tile(self.element_of(i.type), shape)
        return None

    def is_handle(self, operand: Operand) -> bool:
        """Whether an integer is the handle of a tile, as LLVM copies it."""
        made = self.definitions.get(operand.name) if isinstance(operand, Local) else None
        if made is None or made.type != "i64":
            return False
        if made.op in ("phi", "select", "freeze"):
            type_ = self.type_of(operand)
            return type_ is not None and (type_.shape != () or type_.element != I64) and self.arrays.has_any
        if made.op == "ptrtoint":
            source = self.type_of(made.operands[0])
            return source is not None and not isinstance(source.element, Pointer)
        return made.op == "load" and self.arrays.slot(made, self.type_of) is not None

    def is_part_of_handle(self, operand: Operand) -> bool:
        """Whether a number is made of the bytes of a tile, of which nothing but copies has a meaning."""
        made = self.definitions.get(operand.name) if isinstance(operand, Local) else None
        return made is not None and made.op in ("ptrtoint", "load") and self.is_handle(operand)

    def _shape_of(self, operands: tuple[Operand, ...]) -> tuple[int, ...]:
        types = (self.type_of(operand) for operand in operands)
        return np.broadcast_shapes(*(type_.shape for type_ in types if type_))

    def _of_call(self, i: Instruction, call: Call) -> Tile | None:
        name, arguments = call.operation, call.arguments
        if name in _NAMED:
            return name_of(arguments[0]).tile
        if name == "element":
            return name_of(arguments[0]).tile
        if name in ("only_element", "argument"):
            return Tile(name_of(arguments[0]).tile.element, ())
        if name in ("convert", "powi"):
            return Tile(name_of(arguments[0]).element, self._shape_of(i.operands))
        if name == "elementwise":
            return Tile(name_of(arguments[1]).element, self._shape_of(i.operands))
        if name.startswith("assume"):
            return name_of(arguments[0]).tile
        return Tile(self.element_of(i.type), ()) if i.type != "void" else None

    def _of_merged(self, i: Instruction) -> Tile | None:
        operands = i.operands[1:] if i.op == "select" else i.operands
        known = [type_ for type_ in map(self.type_of, operands) if type_]
        if not known:
            return None
        element = next((t.element for t in known if t.element != self.element_of(i.type)), known[0].element)
        shape = np.broadcast_shapes(*(t.shape for t in known))
        if i.op == "select":
            condition = self.type_of(i.operands[0])
            shape = np.broadcast_shapes(shape, condition.shape if condition else ())
        return Tile(element, shape)

    def is_value(self, operand: Operand) -> bool:
        """Whether this is the address of a parameter, passed by value, that is only read."""
        return self._of_value(operand) is not None

    def _of_value(self, operand: Operand) -> Tile | None:
        if not isinstance(operand, Local) or operand.name not in self.function_text.by_value:
            return None
        type_ = self._types[operand.name]
        return None if type_ is None or isinstance(type_.element, Pointer) else type_

    def _of_loaded(self, i: Instruction) -> Tile:
        if passed := self._of_value(i.operands[0]):
            return passed
        if i.type == "i1":
            return Tile(I1, ())
        if held := self.arrays.slot(i, self.type_of):
            return held
        wanted = self.element_of(i.type)
        pointer = self.type_of(i.operands[0])
        pointee = pointer.element.pointee if pointer and isinstance(pointer.element, Pointer) else I8
        alike = isinstance(pointee, Pointer) == isinstance(wanted, Pointer) and width(pointee) == width(
            wanted
        )
        return Tile(pointee if alike else wanted, ())
