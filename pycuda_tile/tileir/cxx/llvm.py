"""The model of what a kernel is in LLVM IR: types, operands, instructions, blocks, functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

# --- types: "i32", "float", "ptr", "void", ... are strings ---


@dataclass(frozen=True)
class Array:
    """An array, or a vector."""

    count: int
    element: Type


@dataclass(frozen=True)
class Struct:
    elements: tuple[Type, ...]
    packed: bool = False


Type = str | Array | Struct
_BYTES = {"half": 2, "bfloat": 2, "float": 4, "double": 8, "ptr": 8, "i1": 1}


def size_of(type_: Type) -> int:
    """How many bytes apart neighbours in an array are."""
    if isinstance(type_, Array):
        return type_.count * size_of(type_.element)
    if isinstance(type_, Struct):
        offset = _end_of(type_, len(type_.elements))
        return offset + -offset % alignment_of(type_)
    if type_ in _BYTES:
        return _BYTES[type_]
    return int(type_[1:]) // 8


def alignment_of(type_: Type) -> int:
    if isinstance(type_, Array):
        return alignment_of(type_.element)
    if isinstance(type_, Struct):
        return 1 if type_.packed else max(map(alignment_of, type_.elements), default=1)
    return size_of(type_)


def offset_of(type_: Struct, index: int) -> int:
    """Where in a structure an element begins."""
    end = _end_of(type_, index)
    return end if type_.packed else end + -end % alignment_of(type_.elements[index])


def scalars_of(type_: Type, at: int = 0) -> Iterator[tuple[int, str]]:
    """Where an object at an address has which numbers and pointers."""
    if isinstance(type_, Array):
        size = size_of(type_.element)
        for k in range(type_.count):
            yield from scalars_of(type_.element, at + k * size)
    elif isinstance(type_, Struct):
        for index, element in enumerate(type_.elements):
            yield from scalars_of(element, at + offset_of(type_, index))
    else:
        yield at, type_


def _end_of(type_: Struct, count: int) -> int:
    end = 0
    for element in type_.elements[:count]:
        end += 0 if type_.packed else -end % alignment_of(element)
        end += size_of(element)
    return end


# --- operands ---


@dataclass(frozen=True)
class Local:
    """An argument, or what an instruction yields."""

    name: str
    type: Type


@dataclass(frozen=True)
class Global:
    """The address of a function or of a global variable."""

    name: str
    type: Type = "ptr"


@dataclass(frozen=True)
class Number:
    """A constant: an integer as signed, a float as its value, a null pointer as 0."""

    value: int | float
    type: Type


@dataclass(frozen=True)
class Undefined:
    """undef and poison."""

    type: Type


@dataclass(frozen=True)
class Aggregate:
    """A constant array or structure."""

    elements: tuple[Operand, ...]
    type: Type


@dataclass(frozen=True)
class Expression:
    """An instruction on constants, in the place of a constant."""

    instruction: Instruction
    type: Type


Operand = Local | Global | Number | Undefined | Aggregate | Expression

# --- instructions ---


@dataclass(eq=False)
class Instruction:
    """One instruction.

    op:        its name: "add", "call", "phi", ...
    name:      that of what it yields, "" if nothing
    operands:  values; of a call the arguments, of br, switch and ret what they look at
    flags:     words such as nsw, fast, inbounds; of calls "align 4" if that holds for all pointers
    detail:    what else it has: predicate of comparisons, callee of calls, source of getelementptr, indices,
               alignment of loads and stores
    labels:    the blocks that a terminator names, and that the operands of a phi come from
    debug:     the number of its location, 0 if it has none
    """

    op: str
    type: Type
    name: str = ""
    operands: tuple[Operand, ...] = ()
    flags: frozenset[str] = frozenset()
    detail: Any = None
    labels: tuple[str, ...] = ()
    debug: int = 0
    text: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(eq=False)
class Function:
    """A function. noalias: the arguments that nothing else points into; by_value: those that are addresses of
    objects which the caller passes by value, such as small floats."""

    name: str
    arguments: list[Local]
    noalias: frozenset[str]
    blocks: dict[str, list[Instruction]]
    debug: int = 0
    by_value: frozenset[str] = frozenset()


@dataclass(eq=False)
class Variable:
    """A global variable; `value` is None where another file defines it."""

    name: str
    type: Type
    value: Operand | None
    constant: bool
    alignment: int = 0


@dataclass(eq=False)
class Place:
    """Where an instruction comes from: (file, line, column), and that which called it, if it was inlined."""

    file: str
    line: int
    column: int
    caller: Place | None = None
    function: str = ""


@dataclass(eq=False)
class Unit:
    """What a compiler made of one source. Functions and variables are read when they are asked for."""

    functions: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
