"""Operations of an earlier draft of the manual, which only some texts have: read as operations of today.

tables/drafts.tsv has what each becomes, as text with holes; its operands are %a, %b, %c there, its results %r
and %s. They are written in one form:

    %results = name %operands {attribute = value, ...} : types of the operands -> types of the results

where types of the results are left out if they are those of the operands. The draft has no tokens: what it
does to memory is kept in order by tokens within a block and the blocks around it.
"""

from __future__ import annotations

import string
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..elements import bits_of
from ..ir import Constant, Operation, Pointer, Tile, Token, Value
from ..rows import rows
from .attributes import Attributes
from .values import parse_integer, parse_list

if TYPE_CHECKING:
    from .parser import Parser

#: The draft's orderings for reading, writing and both; seq_cst has no counterpart and becomes the strongest.
_ORDERINGS = {
    "relaxed": ("relaxed", "relaxed", "relaxed"),
    "acquire": ("acquire", "relaxed", "acquire"),
    "release": ("relaxed", "release", "release"),
    "acq_rel": ("acquire", "release", "acq_rel"),
    "seq_cst": ("acquire", "release", "acq_rel"),
}
_STRUCTURED = ("br", "cond_br")


@cache
def drafts() -> dict[str, str]:
    """What each becomes."""
    return {row["op"]: row["expansion"] for row in rows("drafts.tsv")}


@cache
def draft_names() -> frozenset[str]:
    return frozenset((*drafts(), *_STRUCTURED))


def is_draft(parser: Parser, name: str) -> bool:
    """Whether one of draft_names() begins here; some have names of today's operations, too."""
    after = parser.tokens.ahead(1)
    if name == "alloca":
        return after == "{"
    if name == "print":
        return after[:1] == "%"
    return True


def parse_draft(parser: Parser, name: str, names: list[str], start: int) -> list[Operation]:
    """The operations that a draft's operation becomes."""
    return Draft(parser, name, names, start).operations()


class Draft:
    """One operation of the draft."""

    def __init__(self, parser: Parser, name: str, names: list[str], start: int):
        self.parser, self.tokens = parser, parser.tokens
        self.name, self.names, self.start = name, names, start
        self.attributes: dict[str, Any] = {}
        self.operands: list[Value] = []
        self.types: list[Any] = []  # of the results

    def operations(self) -> list[Operation]:
        if self.name in _STRUCTURED:
            self.tokens.fail(f"{self.name} jumps between blocks, which is not read: use if, for and loop")
        self.tokens.at += 1
        self._parse()
        text, inner = self._text(), type(self.parser)("")
        inner.tokens = type(self.tokens)(text + "\n}")
        inner.values = {f"%{'abcdefgh'[i]}": value for i, value in enumerate(self.operands[:8])}
        inner.values |= {f"%o{i}": value for i, value in enumerate(self.operands)}
        if self.parser.last_token is not None:
            inner.values["%last"] = self.parser.last_token
        made = []
        while inner.tokens.next != "}":
            made += inner.next_operations()
        for op in made:
            op.line = self.tokens.line(self.start)
        self._define(inner.values)
        return made

    def _parse(self) -> None:
        tokens, parser = self.tokens, self.parser
        if self.name == "comment" and tokens.next[:1] == '"':
            tokens.at += 1
        while tokens.next[:1] == "%":
            self.operands.append(parser.value())
            if not tokens.accept(","):
                break
        if tokens.accept("{"):
            self._parse_attributes()
        if not tokens.accept(":"):
            return
        if self.name == "alloca":
            self.types = parser.types_list()
            return
        at, types = tokens.at, parser.types_list()
        if types != [value.type for value in self.operands]:
            tokens.fail("these are not the types of the operands", at)
        self.types = parser.types_list() if tokens.accept("->") else types[:1] if self.names else []

    def _parse_attributes(self) -> None:
        tokens = self.tokens
        while not tokens.accept("}"):
            if self.attributes:
                tokens.expect(",")
            key = tokens.take()
            tokens.expect("=")
            if tokens.next == "[":
                self.attributes[key] = parse_list(tokens, parse_integer)
            elif tokens.next[:1].isalpha():
                self.attributes[key] = tokens.take()
            else:
                self.attributes[key] = _signed(Attributes(tokens, "i32").value())

    def _define(self, values: dict[str, Value]) -> None:
        results = [values[name] for name in ("%r", "%s") if name in values]
        results = results or [values[f"%r{i}"] for i in range(len(self.names)) if f"%r{i}" in values]
        if len(self.names) > len(results):
            self.tokens.fail(
                f"{self.name} has {len(results)} results, {len(self.names)} are named", self.start
            )
        for name, value in zip(self.names, results, strict=False):
            self.parser.values["%" + name] = value
            self.parser.scope.append("%" + name)
            value.name = name
        if isinstance(getattr(values.get("%t"), "type", None), Token):
            self.parser.last_token = values["%t"]

    # --- holes of the text ---

    def _text(self) -> str:
        template = drafts()[self.name]
        holes = {field for _, field, _, _ in string.Formatter().parse(template) if field}
        return template.format(**{hole: self._hole(hole) for hole in holes}).replace(";", "\n")

    def _hole(self, hole: str) -> str:
        if len(hole) == 1 and hole in "abcrs":
            return str(self._type(hole))
        return getattr(self, "_fill_" + hole)()

    def _type(self, letter: str) -> Any:
        found = self.operands if letter in "abc" else self.types
        number = "abc".find(letter) if letter in "abc" else "rs".find(letter)
        if number >= len(found):
            what = "operands" if letter in "abc" else "result types"
            self.tokens.fail(f"expected more {what} of {self.name}", self.start)
        type_ = found[number].type if letter in "abc" else found[number]
        if not isinstance(type_, Tile):
            self.tokens.fail(f"{self.name} takes tiles, not {type_}", self.start)
        return type_

    def _attribute(self, name: str) -> Any:
        if name not in self.attributes:
            self.tokens.fail(f"{self.name} needs the attribute {name}", self.start)
        return self.attributes[name]

    def _fill_token(self) -> str:
        return " token=%last" if self.parser.last_token is not None else ""

    def _fill_e(self) -> str:
        return str(self._type("a").element)

    def _is_float(self) -> bool:
        return not str(self._type("b").element).startswith("i")

    def _fill_f(self) -> str:
        return "f" if self._is_float() else ""

    def _fill_if(self) -> str:
        return "f" if self._is_float() else "i"

    def _fill_u(self) -> str:
        return "u" if self._attribute("signedness") == "unsigned" else ""

    def _ordering(self, which: int) -> str:
        found = self.attributes.get("ordering", self.attributes.get("success_ordering", "relaxed"))
        other = self.attributes.get("failure_ordering", "relaxed")
        if found not in _ORDERINGS or other not in _ORDERINGS:
            self.tokens.fail(f"expected an ordering: {', '.join(_ORDERINGS)}", self.start)
        names = list(_ORDERINGS)
        return _ORDERINGS[max(found, other, key=names.index)][which]

    def _fill_read(self) -> str:
        return self._ordering(0)

    def _fill_written(self) -> str:
        return self._ordering(1)

    def _fill_both(self) -> str:
        return self._ordering(2)

    # One address stands for the dense tile behind it.

    def _moved(self) -> Tile:
        return self._type("b") if "store" in self.name else self._type("r")

    def _fill_p(self) -> str:
        return str(Tile(self._type("a").element, self._moved().shape))

    def _fill_pointers(self) -> str:
        pointer, shape = self._type("a"), self._moved().shape
        if pointer.shape or not shape:
            return f"%p = ptr_to_ptr %a : {pointer} -> {pointer};"
        count, ones = int(np.prod(shape)), "1x" * len(shape)
        single = f"tile<{ones}{pointer.element}>"
        extents = "".join(f"{n}x" for n in shape)
        return (
            f"%p0 = reshape %a : {pointer} -> {single};"
            f"%p1 = broadcast %p0 : {single} -> {self._fill_p()};"
            f"%i0 = iota : tile<{count}xi32>;%i1 = reshape %i0 : tile<{count}xi32> -> tile<{extents}i32>;"
            f"%p = offset %p1, %i1 : {self._fill_p()}, tile<{extents}i32> -> {self._fill_p()};"
        )

    def _fill_elements(self) -> str:
        pointer = self._type("r").element
        if not isinstance(pointer, Pointer):
            self.tokens.fail(f"alloca yields a pointer, not {pointer}", self.start)
        element = str(pointer.pointee)
        bits = 64 if element.startswith("ptr") else max(bits_of(element), 8)
        return str(-(-int(self._attribute("size")) * 8 // bits))

    def _fill_alignment(self) -> str:
        return str(self._attribute("alignment"))

    # Success is told by bits: floats are compared as integers.

    def _integers(self) -> Tile:
        kind = self._type("b")
        element = str(kind.element)
        return Tile(type(kind.element)(f"i{bits_of(element)}"), kind.shape) if self._is_float() else kind

    def _fill_i(self) -> str:
        return str(self._integers())

    def _fill_bits(self) -> str:
        kind, integers = self._type("b"), self._integers()
        if kind == integers:
            zero = f"%z = constant <{kind.element}: 0> : {kind};"
            return zero + f"%x = ori %r, %z : {kind};%y = ori %b, %z : {kind};"
        return f"%x = bitcast %r : {kind} -> {integers};%y = bitcast %b : {kind} -> {integers};"

    # Slices are counted in slices.

    def _starts(self) -> list[int]:
        if self.name == "view":
            starts, steps = self._attribute("offsets"), self._attribute("strides")
        else:
            starts, steps = self._attribute("starts"), self._attribute("steps")
        shape = self._type("r").shape
        fits = len(starts) == len(steps) == len(shape) and all(
            s % n == 0 for s, n in zip(starts, shape, strict=True)
        )
        if not fits or any(step != 1 for step in steps):
            self.tokens.fail(
                f"{self.name} is read with steps of 1 and starts that are multiples of the sizes", self.start
            )
        return [start // n for start, n in zip(starts, shape, strict=True)]

    def _fill_indices(self) -> str:
        return "".join(f"%i{k} = constant <i32: {n}> : tile<i32>;" for k, n in enumerate(self._starts()))

    def _fill_at(self) -> str:
        return ", ".join(f"%i{k}" for k in range(len(self._starts())))

    def _axis(self, rank: int) -> int:
        axis = self._attribute("axis")
        if not isinstance(axis, int) or not 0 <= axis < rank:
            self.tokens.fail(f"axis {axis} of {rank}", self.start)
        return axis

    def _fill_chain(self) -> str:
        """cat takes two at a time."""
        first, parts, name = self._type("a"), [], "%o0"
        axis, extent = self._axis(len(first.shape)), 0
        shape = list(first.shape)
        for k, value in enumerate(self.operands[1:], 1):
            before, extent = Tile(first.element, tuple(shape)), value.type.shape[axis]
            shape[axis] += extent
            made = "%r" if k == len(self.operands) - 1 else f"%k{k}"
            after = Tile(first.element, tuple(shape))
            parts.append(f"{made} = cat {name}, %o{k} dim = {axis} : {before}, {value.type} -> {after};")
            name = made
        return "".join(parts)

    def _fill_parts(self) -> str:
        source, count = self._type("a"), self._attribute("num_splits")
        axis = self._axis(len(source.shape))
        if not isinstance(count, int) or count < 1 or source.shape[axis] % count:
            self.tokens.fail(f"{count} equal parts of {source.shape[axis]}", self.start)
        shape = list(source.shape)
        shape[axis] //= count
        part, lines = Tile(source.element, tuple(shape)), ["%zero = constant <i32: 0> : tile<i32>;"]
        for k in range(count):
            at = ", ".join(f"%n{k}" if d == axis else "%zero" for d in range(len(shape)))
            lines.append(
                f"%n{k} = constant <i32: {k}> : tile<i32>;%r{k} = extract %a[{at}] : {source} -> {part};"
            )
        return "".join(lines)

    # print has no format string.

    def _fill_format(self) -> str:
        kinds = ("%f" if str(value.type.element)[0] in "fbt" else "%d" for value in self.operands)
        return " ".join(kinds) + "\\0A"

    def _fill_operands(self) -> str:
        return ", ".join(f"%o{i}" for i in range(len(self.operands)))

    def _fill_types(self) -> str:
        return ", ".join(str(value.type) for value in self.operands)


def _signed(value: Any) -> Any:
    """A number as it was written."""
    return (value.bits + (1 << 31)) % (1 << 32) - (1 << 31) if isinstance(value, Constant) else value
