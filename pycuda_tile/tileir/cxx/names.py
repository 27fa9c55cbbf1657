"""What the mangled name of a recorded call says: the operation, and the types and numbers it is about.

The call is a template, cuda_tile::record::pure<Operation, ...>, and its first argument is read as the Itanium
C++ ABI spells names: enough of it for classes, pointers, numbers and packs of them.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field, replace

from ...spec.element_types import ELEMENT_TYPES
from ..ir import Pointer, Scalar, Tile

_CALL = re.compile(r"_ZN9cuda_tile6record(4pure|6effect)I")
_BUILTIN = {
    **{"b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short"},
    **{"t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long"},
    **{"x": "long long", "y": "unsigned long long", "w": "wchar_t", "f": "float", "d": "double"},
    **{"v": "void", "Du": "char8_t", "Ds": "char16_t", "Di": "char32_t"},
}
#: Names of C++ types that are read here, and the element types of Tile IR that they are.
_ELEMENTS = {e.cxx: e.tileir or f"i{e.bits}" for e in ELEMENT_TYPES if e.cxx}
#: Floats of which C++ has one in a byte, and Tile IR two: bytes there, except in conversions.
_HALF_BYTES = {e.cxx: e.tileir for e in ELEMENT_TYPES if e.cxx and e.tileir and e.bits == 4}
_ELEMENTS |= dict.fromkeys(_HALF_BYTES, "i8")
_SIGNED = {e.cxx for e in ELEMENT_TYPES if e.is_integral and e.signed}


@dataclass(frozen=True)
class Name:
    """A class, with its template's arguments: names and numbers. A pointer is named "*". What `const` and
    `volatile` say is for readers: they are not part of what tiles hold."""

    name: str
    arguments: tuple[Name | int, ...] = ()
    qualifiers: str = field(default="", compare=False)

    @property
    def element(self) -> Scalar | Pointer:
        """As the type of an element."""
        if self.name != "*":
            return Scalar(_ELEMENTS[self.name])
        pointee = name_of(self.arguments[0])
        if pointee.name in ("bool", "void") or pointee.name not in {*_ELEMENTS, "*"}:
            return Pointer(Scalar("i8"))  # a bool has a byte in memory; so has what is unknown
        return Pointer(pointee.element)

    @property
    def packed(self) -> Scalar | None:
        """The type of a number that is half a byte."""
        return Scalar(_HALF_BYTES[self.name]) if self.name in _HALF_BYTES else None

    @property
    def tile(self) -> Tile:
        """As the type of a tile; a scalar is one without dimensions."""
        if self.name != "tile":
            return Tile(self.element, ())
        element, *shape = self.arguments
        return Tile(name_of(element).element, tuple(map(number_of, shape)))

    @property
    def is_signed(self) -> bool:
        """Whether the numbers are, of a tile or scalar."""
        return (name_of(self.arguments[0]) if self.name == "tile" else self).name in _SIGNED


def name_of(argument: Name | int) -> Name:
    """A template's argument that is a type."""
    assert isinstance(argument, Name), argument
    return argument


def number_of(argument: Name | int) -> int:
    """A template's argument that is a number."""
    assert isinstance(argument, int), argument
    return argument


@dataclass(frozen=True)
class Call:
    """A recorded call. It is pure where it has no effect on memory."""

    is_pure: bool
    operation: str
    arguments: tuple[Name | int, ...]


@functools.lru_cache(maxsize=4096)
def recorded_call(symbol: str) -> Call | None:
    """What a function's symbol says, None if it is not a recorded call."""
    found = _CALL.match(symbol)
    if not found:
        return None
    operation = name_of(_Mangled(symbol, found.end()).argument())
    return Call(found[1] == "4pure", operation.name, operation.arguments)


class _Mangled:
    """Reads a mangled name from `at` on, within the arguments of cuda_tile::record::pure."""

    def __init__(self, text: str, at: int):
        # Lengths of names in the text count bytes.
        self._text, self._at = text.encode().decode("latin-1"), at
        # What S_, S0_, ... stand for: what has been named before.
        self._known = [Name("cuda_tile"), Name("cuda_tile::record"), Name("cuda_tile::record::pure")]

    def _accept(self, prefix: str) -> bool:
        if not self._text.startswith(prefix, self._at):
            return False
        self._at += len(prefix)
        return True

    def argument(self) -> Name | int:
        """One of a template's arguments."""
        if not self._accept("L"):
            return self._type()
        self._type()
        number = self._match(r"n?\d+")[0]
        self._at += 1  # an E
        return int(number.replace("n", "-"))

    def _arguments(self) -> list[Name | int]:
        """A template's arguments up to their end, with those of packs."""
        found: list[Name | int] = []
        while not self._accept("E"):
            if self._accept("J"):
                found += self._arguments()
            else:
                found.append(self.argument())
        return found

    def _match(self, pattern: str) -> re.Match[str]:
        found = re.compile(pattern).match(self._text, self._at)
        if found is None:
            raise ValueError(f"{self._text!r} at {self._at}")
        self._at = found.end()
        return found

    def _remember(self, name: Name) -> Name:
        self._known.append(name)
        return name

    def _type(self) -> Name:
        if self._accept("P"):
            return self._remember(Name("*", (self._type(),)))
        if qualifiers := self._match("V?K?")[0]:
            text = "const " * ("K" in qualifiers) + "volatile " * ("V" in qualifiers)
            return self._remember(replace(self._type(), qualifiers=text))
        if self._accept("N"):
            return self._nested()
        if self._text[self._at] == "S":
            name = self._substitution()
        elif self._text[self._at].isdigit():
            name = self._remember(Name(self._identifier()))
        else:
            for length in (1, 2):
                code = self._text[self._at : self._at + length]
                if code in _BUILTIN:
                    self._at += length
                    return Name(_BUILTIN[code])
            raise ValueError(f"{self._text!r} at {self._at}")
        return self._with_arguments(name)

    def _with_arguments(self, name: Name) -> Name:
        if not self._accept("I"):
            return name
        return self._remember(Name(name.name, tuple(self._arguments())))

    def _nested(self) -> Name:
        """A name in namespaces and classes, of which the last part stays."""
        name = Name("")
        while not self._accept("E"):
            if self._text[self._at] == "S":
                name = self._substitution()
            elif self._text[self._at] == "I":
                name = self._with_arguments(name)
            else:
                name = self._remember(Name(self._identifier()))
        return name

    def _identifier(self) -> str:
        length = int(self._match(r"\d+")[0])
        self._at += length
        return self._text[self._at - length : self._at].encode("latin-1").decode(errors="replace")

    def _substitution(self) -> Name:
        found = re.compile(r"S([0-9A-Z]*)_").match(self._text, self._at)
        if not found:  # St and the like: of the standard library
            self._at += 2
            return Name("std")
        self._at = found.end()
        return self._known[int(found[1], 36) + 1 if found[1] else 0]
