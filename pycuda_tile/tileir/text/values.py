"""Strings, symbols, numbers and constants, parsed and printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..elements import DTYPES, bits_of, from_bits
from ..ir import Constant, Scalar, Tile
from .lexer import Tokens
from .numbers import parse_number, print_dense, print_number
from .types import scalar

_ESCAPE = re.compile(rb'\\([0-9A-Fa-f]{2}|[nt"\\])')
_ESCAPES = {b"n": b"\n", b"t": b"\t", b'"': b'"', b"\\": b"\\"}
#: Names that need no quotes.
BARE = re.compile(r"[A-Za-z_][\w$.]*")


# --- strings, symbols, numbers ---


def parse_string(tokens: Tokens) -> str:
    text = tokens.next
    if len(text) < 2 or text[0] != '"':
        tokens.wrong("a string")
    tokens.at += 1
    return _unescape(text[1:-1])


def _unescape(text: str) -> str:
    def plain(m: re.Match[bytes]) -> bytes:
        return _ESCAPES.get(m[1]) or bytes([int(m[1], 16)])

    return _ESCAPE.sub(plain, text.encode()).decode("utf-8", "replace")


def print_string(text: str) -> str:
    encoded = text.encode("utf-8", "replace")
    plain = (
        chr(b) if 32 <= b < 127 and b not in b'"\\' else "\\\\" if b == 92 else f"\\{b:02X}" for b in encoded
    )
    return '"' + "".join(plain) + '"'


def parse_symbol(tokens: Tokens) -> str:
    text = tokens.next
    if text[:1] != "@" or len(text) < 2:
        tokens.wrong("a symbol, @name")
    tokens.at += 1
    return _unescape(text[2:-1]) if text[1] == '"' else text[1:]


def print_symbol(name: str) -> str:
    return "@" + (name if BARE.fullmatch(name) else print_string(name))


def parse_integer(tokens: Tokens, least: int = -(1 << 63)) -> int:
    text = tokens.next
    if not re.fullmatch(r"-?\d{1,20}", text) or not least <= int(text) < 1 << 64:
        tokens.wrong("an integer" if least < 0 else f"an integer from {least} on")
    tokens.at += 1
    return int(text)


def parse_list(tokens: Tokens, item: Callable[[Tokens], Any]) -> list:
    """[item, ...]"""
    found: list = []
    tokens.expect("[")
    while not tokens.accept("]"):
        if found:
            tokens.expect(",")
        found.append(item(tokens))
    return found


def skip(tokens: Tokens, first: str, last: str) -> None:
    """Skips what is between `first`, which comes next, and its `last`."""
    depth = 0
    while True:
        depth += {first: 1, last: -1}.get(tokens.next, 0)
        if not tokens.take():
            tokens.wrong(f"'{last}'")
        if depth == 0:
            return


def parse_bool(tokens: Tokens) -> bool:
    if tokens.next not in ("true", "false"):
        tokens.wrong("true or false")
    return tokens.take() == "true"


# --- constants ---


class Dense:
    """Elements between "<" and ">": their type, their list and their position."""

    def __init__(self, tokens: Tokens):
        self.tokens, self.start = tokens, tokens.at
        if tokens.accept("dense"):
            tokens.expect("<")  # an older form, whose element type is the result's
            self.element = ""
        else:
            tokens.expect("<")
            self.element = _element(tokens)
            tokens.expect(":")
        self.first = tokens.at
        self._skip()
        self.end = tokens.at
        tokens.expect(">")

    def _skip(self) -> None:
        """Finds the end; elements are read once the type is known."""
        depth, tokens = 0, self.tokens
        while tokens.next and (depth or tokens.next != ">"):
            if tokens.next in ("{", "}"):
                break
            depth += {"[": 1, "]": -1}.get(tokens.next, 0)
            tokens.at += 1

    def array(self, type_: Any) -> np.ndarray:
        """The elements of a constant of this type."""
        tokens = self.tokens
        if not isinstance(type_, Tile) or not isinstance(type_.element, Scalar):
            tokens.fail(f"a constant has a type of tiles of numbers, not {type_}", self.start)
        element = type_.element.name
        if self.element not in ("", element):
            tokens.fail(f"a constant of {self.element} elements has type {type_}", self.start)
        after, tokens.at = tokens.at, self.first
        found = self._elements(element, type_.shape)
        if tokens.at != self.end:
            tokens.wrong("'>'")
        tokens.at = after
        return found

    def _elements(self, element: str, shape: tuple[int, ...]) -> np.ndarray:
        if self.tokens.next[:3] == '"0x':
            return self._hexadecimal(element, shape)
        known: dict[str, int] = {}
        if self.tokens.next != "[":
            return np.broadcast_to(from_bits([self._number(element, known)], element)[0], shape)
        bits: list[int] = []
        self._list(element, shape, bits, known)
        return from_bits(bits, element).reshape(shape)

    def _list(self, element: str, shape: tuple[int, ...], bits: list[int], known: dict[str, int]) -> None:
        if not shape:
            bits.append(self._number(element, known))
            return
        tokens = self.tokens
        tokens.expect("[")
        for i in range(shape[0]):
            if i and not tokens.accept(","):
                tokens.wrong(f"',' (a list of {shape[0]} elements)")
            self._list(element, shape[1:], bits, known)
        if not tokens.accept("]"):
            tokens.wrong(f"']' (a list of {shape[0]} elements)")

    def _number(self, element: str, known: dict[str, int]) -> int:
        text = self.tokens.next
        bits = known.get(text)
        if bits is None:
            bits = parse_number(text, element)
            if bits is None:
                self.tokens.wrong(f"a number of type {element}")
            known[text] = bits
        self.tokens.at += 1
        return bits

    def _hexadecimal(self, element: str, shape: tuple[int, ...]) -> np.ndarray:
        """ "0x..." holds the bytes of all elements, or of one for all."""
        text = self.tokens.next[3:-1]
        size, wide = int(np.prod(shape, dtype=np.int64)), DTYPES[element].itemsize
        try:
            raw = np.frombuffer(bytes.fromhex(text), np.uint8)
        except ValueError:
            self.tokens.wrong("hexadecimal digits, two for each byte")
        if element == "i1" and raw.size in (1, size):
            values = raw.astype(bool)
        elif element != "i1" and raw.size in (wide, wide * size):
            values = raw.view(DTYPES[element]) if bits_of(element) >= 8 else from_bits(raw, element)
        else:
            self.tokens.wrong(f"{size * wide} bytes")
        self.tokens.at += 1
        return values.reshape(shape) if values.size == size else np.broadcast_to(values[0], shape)


def _element(tokens: Tokens) -> str:
    found = scalar(tokens.next)
    if found is None:
        tokens.wrong("an element type")
    tokens.at += 1
    return found.name


def print_value(array: np.ndarray, type_: Tile) -> str:
    element = str(type_.element)
    return f"<{element}: {print_dense(np.broadcast_to(np.asarray(array), type_.shape), element)}>"


def parse_constant(tokens: Tokens, whole: str = "i64") -> Constant:
    """A typed number: 1.0 : f32. true and false, f64 and integers of type `whole` need no type."""
    at = tokens.at
    if tokens.next in ("true", "false") and tokens.ahead(1) != ":":
        return Constant(Scalar("i1"), int(tokens.take() == "true"))
    text = tokens.take()
    implied = "f64" if "." in text else whole
    element = _element(tokens) if tokens.accept(":") else implied
    bits = parse_number(text, element)
    if bits is None:
        tokens.fail(f"expected a number of type {element}, found '{text}'", at)
    return Constant(Scalar(element), bits)


def print_constant(constant: Constant) -> str:
    text = print_number(constant.bits, constant.type.name)
    name = constant.type.name  # not needed by a bool, an i64 or a decimal f64
    return text if name in ("i1", "i64") or (name == "f64" and "." in text) else f"{text} : {name}"
