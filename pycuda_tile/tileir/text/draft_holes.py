"""Fills the holes in tables/drafts.tsv from an operation of the draft."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..elements import bits_of
from ..ir import Pointer, Scalar, Tile, Value

#: The draft's orderings for reads, writes and both; seq_cst has no counterpart and becomes the strongest.
_ORDERINGS = {
    "relaxed": ("relaxed", "relaxed", "relaxed"),
    "acquire": ("acquire", "relaxed", "acquire"),
    "release": ("relaxed", "release", "release"),
    "acq_rel": ("acquire", "release", "acq_rel"),
    "seq_cst": ("acquire", "release", "acq_rel"),
}


class Holes:
    """The holes of one operation.

    types:        the types of the results
    after_token:  whether a memory operation precedes it, whose token is %last
    fail:         raises an error that shows the operation
    """

    def __init__(
        self,
        name: str,
        operands: list[Value],
        types: list[Any],
        attributes: dict[str, Any],
        after_token: bool,
        fail: Callable[[str], NoReturn],
    ):
        self.name, self.operands, self.types, self.attributes = name, operands, types, attributes
        self.after_token, self.fail = after_token, fail

    def text(self, template: str) -> str:
        """A row's expansion with its holes filled."""
        holes = {field for _, field, _, _ in string.Formatter().parse(template) if field}
        return template.format(**{hole: self._hole(hole) for hole in holes}).replace(";", "\n")

    def _hole(self, hole: str) -> str:
        if len(hole) == 1 and hole in "abcrs":
            return str(self._type(hole))
        return getattr(self, "_fill_" + hole)()

    def _type(self, letter: str) -> Tile:
        found = self.operands if letter in "abc" else self.types
        number = "abc".find(letter) if letter in "abc" else "rs".find(letter)
        if number >= len(found):
            what = "operands" if letter in "abc" else "result types"
            self.fail(f"expected more {what} of {self.name}")
        type_ = found[number].type if letter in "abc" else found[number]
        if not isinstance(type_, Tile):
            self.fail(f"{self.name} takes tiles, not {type_}")
        return type_

    def _attribute(self, name: str) -> Any:
        if name not in self.attributes:
            self.fail(f"{self.name} needs the attribute {name}")
        return self.attributes[name]

    def _fill_token(self) -> str:
        return " token=%last" if self.after_token else ""

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
            self.fail(f"expected an ordering: {', '.join(_ORDERINGS)}")
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
            self.fail(f"alloca yields a pointer, not {pointer}")
        element = str(pointer.pointee)
        bits = 64 if element.startswith("ptr") else max(bits_of(element), 8)
        return str(-(-int(self._attribute("size")) * 8 // bits))

    def _fill_alignment(self) -> str:
        return str(self._attribute("alignment"))

    # Success is determined by comparing bits: floats are compared as integers.

    def _integers(self) -> Tile:
        kind = self._type("b")
        element = str(kind.element)
        return Tile(Scalar(f"i{bits_of(element)}"), kind.shape) if self._is_float() else kind

    def _fill_i(self) -> str:
        return str(self._integers())

    def _fill_bits(self) -> str:
        kind, integers = self._type("b"), self._integers()
        if kind == integers:
            zero = f"%z = constant <{kind.element}: 0> : {kind};"
            return zero + f"%x = ori %r, %z : {kind};%y = ori %b, %z : {kind};"
        return f"%x = bitcast %r : {kind} -> {integers};%y = bitcast %b : {kind} -> {integers};"

    # Indices count slices.

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
            self.fail(
                f"{self.name} is supported only with steps of 1 and starts that are multiples of the sizes"
            )
        return [start // n for start, n in zip(starts, shape, strict=True)]

    def _fill_indices(self) -> str:
        return "".join(f"%i{k} = constant <i32: {n}> : tile<i32>;" for k, n in enumerate(self._starts()))

    def _fill_at(self) -> str:
        return ", ".join(f"%i{k}" for k in range(len(self._starts())))

    def _axis(self, rank: int) -> int:
        axis = self._attribute("axis")
        if not isinstance(axis, int) or not 0 <= axis < rank:
            self.fail(f"axis {axis} of {rank}")
        return axis

    def _fill_chain(self) -> str:
        """Chains cat, which takes two operands at a time."""
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
            self.fail(f"{count} equal parts of {source.shape[axis]}")
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
