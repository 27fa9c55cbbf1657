"""Attributes of any kind: dictionaries, hints, predicates, and everything else the binary form may hold.

{key = value, flag, "odd key" = [1 : i32, "text", true]}        <sm_100 = {latency = 3}>
"""

from __future__ import annotations

from typing import Any

from ..ir import (
    MAX_ATTRIBUTE_DEPTH,
    Bounded,
    Constant,
    DivBy,
    Function,
    Pointer,
    SameElements,
    Scalar,
    TensorView,
    Tile,
    TileView,
    Token,
)
from .lexer import Tokens, short
from .numbers import print_number
from .types import parse_type
from .values import (
    BARE,
    Dense,
    parse_bool,
    parse_constant,
    parse_integer,
    parse_list,
    parse_string,
    print_string,
    skip,
)

_TYPES = (Scalar, Pointer, Tile, TensorView, TileView, Token, Function)
_PREDICATES = ("bounded", "div_by", "same_elements")
_PREFIX = "cuda_tile."


class Attributes:
    """Reads the attributes that come next. `implied` is the type of integers written without one; if it is
    empty, they are not typed numbers."""

    def __init__(self, tokens: Tokens, implied: str = "", constants: bool = False):
        """`constants`: whether dense constants, which become Dense, are allowed."""
        self.tokens, self.implied, self.constants, self.depth = tokens, implied, constants, 0

    def dictionary(self, first: str = "{", last: str = "}") -> dict[str, Any]:
        """{key = value, flag}"""
        tokens = self.tokens
        found: dict[str, Any] = {}
        tokens.expect(first)
        while not tokens.accept(last):
            if found:
                tokens.expect(",")
            name = self._key()
            found[name] = self.value() if tokens.accept("=") else True
        return found

    def _key(self) -> str:
        tokens = self.tokens
        if tokens.next[:1] == '"':
            return parse_string(tokens)
        if not BARE.fullmatch(tokens.next):
            tokens.wrong("a name")
        return tokens.take()

    def value(self) -> Any:
        self.depth += 1
        if self.depth > MAX_ATTRIBUTE_DEPTH:
            self.tokens.fail(f"attributes nested more than {MAX_ATTRIBUTE_DEPTH} deep")
        found = self._value(self.tokens.next)
        self.depth -= 1
        return found

    def _value(self, text: str) -> Any:
        tokens = self.tokens
        if text == "{":
            return self.dictionary()
        if text == "[":
            outer, self.implied = self.implied, ""
            found = parse_list(tokens, lambda _: self.value())
            self.implied = outer
            return found
        if text[:1] == '"':
            return parse_string(tokens)
        if self.constants and text in ("dense", "<"):
            dense = Dense(tokens)
            if tokens.accept(":"):
                parse_type(tokens, {})
            return dense
        if tokens.ahead(1) == ":":
            return parse_constant(tokens)
        if text in ("true", "false"):
            return parse_bool(tokens)
        if tokens.accept("unit"):
            return True
        if text == "array":
            return self._array()
        if text[:1].isdigit() or text[:1] == "-":
            if "." in text:
                return parse_constant(tokens)
            return parse_constant(tokens, self.implied) if self.implied else parse_integer(tokens)
        if text.removeprefix("#").removeprefix(_PREFIX) in _PREDICATES:
            return parse_predicate(tokens)
        if text[:1] == "#":
            return self._named()
        return self._type()

    def _array(self) -> list[Any]:
        """array<i32: 1, 2>"""
        tokens = self.tokens
        found: list[Any] = []
        tokens.at += 1
        tokens.expect("<")
        tokens.take()  # the type shared by all
        while not tokens.accept(">"):
            tokens.expect("," if found else ":")
            found.append(parse_bool(tokens) if tokens.next in ("true", "false") else parse_integer(tokens))
        return found

    def _named(self) -> Any:
        """#cuda_tile.signedness<signed>: the text in angle brackets, if it is a single word."""
        tokens = self.tokens
        tokens.at += 1
        if tokens.next != "<":
            return None
        start = tokens.at
        skip(tokens, "<", ">")
        return tokens.texts[start + 1] if tokens.at == start + 3 else None

    def _type(self) -> Any:
        tokens = self.tokens
        if not tokens.accept("("):
            return parse_type(tokens, {})
        found: tuple[list[Any], list[Any]] = ([], [])
        for types in found:
            while not tokens.accept(")"):
                if types:
                    tokens.expect(",")
                types.append(parse_type(tokens, {}))
            if types is found[0]:
                tokens.expect("->")
                tokens.expect("(")
        return Function(tuple(found[0]), tuple(found[1]))


def parse_dictionary(tokens: Tokens) -> dict[str, Any]:
    """{key = value, ...}"""
    return Attributes(tokens, constants=True).dictionary()


def print_dictionary(found: dict[str, Any], implied: str = "") -> str:
    """The text between the braces, in the order of the keys."""
    pairs = ((key if BARE.fullmatch(key) else print_string(key), found[key]) for key in sorted(found))
    return ", ".join(f"{key} = {print_attribute(value, implied)}" for key, value in pairs)


def print_attribute(value: Any, implied: str = "") -> str:
    """The text of an attribute, as Attributes reads it, or similar text if it cannot be read."""
    if isinstance(value, dict):
        return "{" + print_dictionary(value, implied) + "}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(print_attribute, value))}]"
    if isinstance(value, Constant):
        name, text = value.type.name, print_number(value.bits, value.type.name)
        return text if name == implied or (implied and name == "i1") else f"{text} : {name}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return print_string(value)
    if isinstance(value, (Bounded, DivBy, SameElements)):
        return print_predicate(value)
    return str(value) if isinstance(value, (int, *_TYPES)) else f"{value!r:.200}"


# --- hints ---


def parse_hints(tokens: Tokens) -> dict[str, dict[str, Any]]:
    """<sm_100 = {latency = 3, allow_tma = false}, ...>"""
    start, found = tokens.at, Attributes(tokens, "i32").dictionary("<", ">")
    for name, hints in found.items():
        if not isinstance(hints, dict):
            tokens.fail(f"expected hints of {short(name)}: {short(name)} = {{...}}", start, "hints")
    return found


def print_hints(hints: dict[str, dict[str, Any]]) -> str:
    return f"<{print_dictionary(hints, 'i32')}>"


# --- predicates ---


def parse_predicate(tokens: Tokens) -> Bounded | DivBy | SameElements:
    name = tokens.next.removeprefix("#").removeprefix(_PREFIX)
    if name not in _PREDICATES:
        tokens.wrong("bounded, div_by or same_elements")
    tokens.at += 1
    tokens.expect("<")
    if name == "bounded":
        lower = _bound(tokens)
        tokens.expect(",")
        found: Bounded | DivBy | SameElements = Bounded(lower, _bound(tokens))
    elif name == "same_elements":
        found = SameElements(tuple(parse_list(tokens, parse_integer)))
    else:
        divisor = parse_integer(tokens, 0)
        every = along = None
        if tokens.accept(","):
            tokens.expect("every")
            every = _bound(tokens)
            tokens.expect("along")
            along = _bound(tokens)
        found = DivBy(divisor, every, along)
    tokens.expect(">")
    return found


def _bound(tokens: Tokens) -> int | None:
    return None if tokens.accept("?") else parse_integer(tokens)


def print_predicate(found: Bounded | DivBy | SameElements) -> str:
    if isinstance(found, SameElements):
        return f"same_elements<{list(found.groups)}>"
    numbers = (found.lower, found.upper) if isinstance(found, Bounded) else (found.every, found.along)
    first, second = ("?" if n is None else n for n in numbers)
    if isinstance(found, Bounded):
        return f"bounded<{first}, {second}>"
    run = "" if numbers == (None, None) else f", every {first} along {second}"
    return f"div_by<{found.divisor}{run}>"
