"""Reads types from their text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...spec.element_types import TILEIR_TYPES
from ..grammar import ELEMENTS, ENUMS
from ..ir import MAX_AXES, MAX_ELEMENTS, Pointer, Scalar, TensorView, Tile, TileView, Token
from .lexer import Tokens, short

_ALIASES = {alias: name for name, e in TILEIR_TYPES.items() for alias in e.tileir_aliases}
_VIEWS = ("partition_view", "strided_view", "gather_scatter_view")
_PART = re.compile(r"\s+|//[^\n]*|([A-Za-z_][\w.]*|\d+|[^\s])")


class _Wrong(Exception):
    """The text is not a type; the message says what was expected."""


def parse_type(tokens: Tokens, known: dict[str, Any]) -> Any:
    """The type that comes next; `known` are those found before."""
    text = tokens.next
    found = known.get(text)
    if found is None:
        try:
            found = known[text] = _Type(text).whole()
        except _Wrong as wrong:
            if "<" not in text:
                tokens.wrong("a type")
            tokens.fail(f"expected {wrong} in type '{short(text)}'", expected=str(wrong))
    tokens.at += 1
    return found


def scalar(name: str) -> Scalar | None:
    name = _ALIASES.get(name, name)
    return Scalar(name) if name in ELEMENTS["number"] else None


class _Type:
    """The text of a type as parts."""

    def __init__(self, text: str):
        parts = (m[1] for m in _PART.finditer(text.replace("cuda_tile.", "")) if m[1])
        self.parts = [*_dimensions(parts), ""]
        self.at = 0

    def whole(self) -> Any:
        found = self.type()
        if self.parts[self.at]:
            raise _Wrong("nothing more")
        return found

    def accept(self, text: str) -> bool:
        if self.parts[self.at] != text:
            return False
        self.at += 1
        return True

    def expect(self, *texts: str) -> None:
        for text in texts:
            if not self.accept(text):
                raise _Wrong(f"'{text}'")

    def type(self) -> Any:
        self.accept("!")
        name = self.parts[self.at]
        if name == "token":
            self.at += 1
            return Token()
        if name == "tile":
            self.at += 1
            self.expect("<")
            shape = self.extents()
            element = self.element()
            if len(shape) > MAX_AXES:
                raise _Wrong(f"at most {MAX_AXES} axes")
            size = 1
            for n in shape:
                if n is None or not 1 <= (size := size * n) <= MAX_ELEMENTS:
                    raise _Wrong(f"extents from 1 on and at most {MAX_ELEMENTS} elements")
            self.expect(">")
            return Tile(element, _known(shape))
        if name == "tensor_view":
            return self.tensor()
        if name in _VIEWS:
            return self.view(name)
        return self.element()

    def element(self) -> Scalar | Pointer:
        self.accept("!")
        name = self.parts[self.at]
        self.at += bool(name)
        if name == "ptr":
            self.expect("<")
            inner = self.element()
            attr = None
            if self.accept(","):
                self.expect("<")
                attr = self.pointer_attribute()
            self.expect(">")
            return Pointer(inner, attr)
        if (found := scalar(name)) is None:
            raise _Wrong("an element type")
        return found

    def pointer_attribute(self) -> str:
        name = self.parts[self.at]
        if name not in ENUMS["PtrAttr"]:
            raise _Wrong("none, unicast or multicast")
        self.at += 1
        self.expect(">")
        return name

    def number(self) -> int:
        text = self.parts[self.at]
        if not text.isdecimal() or len(text) > 19 or int(text) >= 1 << 63:
            raise _Wrong("a number")
        self.at += 1
        return int(text)

    def extents(self, last: str = "x") -> list[int | None]:
        found: list[int | None] = []
        while self.parts[self.at].isdecimal() or self.parts[self.at] == "?":
            found.append(None if self.accept("?") else self.number())
            if not self.accept("x"):
                if last:
                    raise _Wrong("'x'")
                break
        return found

    def list(self) -> list[int | None]:
        self.expect("[")
        found: list[int | None] = []
        while not self.accept("]"):
            if found:
                self.expect(",")
            found.append(None if self.accept("?") else self.number())
        return found

    def tensor(self) -> TensorView:
        self.accept("!")
        self.expect("tensor_view", "<")
        shape, strides, attr = self.extents(), [], None
        element = self.element()
        while self.accept(","):
            if self.accept("strides"):
                self.expect("=")
                strides = self.list()
            else:
                self.expect("#", "ptr_attr", "<")
                attr = self.pointer_attribute()
        if len(strides) != len(shape):
            raise _Wrong(f"{len(shape)} strides")
        self.expect(">")
        return TensorView(element, tuple(shape), tuple(strides), attr)

    def view(self, kind: str) -> TileView:
        self.expect(kind, "<", "tile", "=", "(")
        tile = self.extents("")
        self.expect(")")
        padding = sparse = tensor = None
        axes: list[int | None] = list(range(len(tile)))
        steps = list(tile)
        while self.accept(","):
            if self.accept("padding_value"):
                self.expect("=")
                padding = self.padding()
            elif self.accept("dim_map"):
                self.expect("=")
                axes = self.list()
            elif self.accept("traversal_strides"):
                self.expect("=")
                steps = self.list()
            elif self.accept("sparse_dim"):
                self.expect("=")
                sparse = self.number()
            else:
                tensor = self.tensor()
        self.expect(">")
        rank = len(tensor.shape) if tensor else -1
        if (
            tensor is None
            or not len(tile) == len(steps) == len(axes) == rank
            or None in (*tile, *steps)
            or sorted(axes, key=str) != sorted(range(rank), key=str)
        ):
            raise _Wrong("a tensor, and a tile, steps and axes of its rank")
        if any(not 1 <= n < 1 << 31 for n in _known([*tile, *steps])) or (sparse is not None) != (
            kind == _VIEWS[2]
        ):
            raise _Wrong("extents from 1 on, and sparse_dim in gather_scatter_view only")
        return TileView(kind, _known(tile), tensor, _known(axes), padding, _known(steps), sparse)

    def padding(self) -> str:
        name = self.parts[self.at]
        if name not in ENUMS["PaddingValue"]:
            raise _Wrong(", ".join(ENUMS["PaddingValue"]))
        self.at += 1
        return name


def _known(numbers: list[int | None]) -> tuple[int, ...]:
    """Numbers that are all known."""
    return tuple(n for n in numbers if n is not None)


def _dimensions(parts: Iterable[str]) -> Iterator[str]:
    """ "x128xf32" behind an extent is "x", "128", "x", "f32"."""
    before = ""
    for part in parts:
        while part.startswith("x") and (before.isdecimal() or before == "?") and part:
            yield "x"
            part = part[1:]
            rest = part.lstrip("0123456789")
            number = part[: len(part) - len(rest)]
            if number:
                yield number
            before, part = number, rest
        if part:
            yield part
        before = part or before
