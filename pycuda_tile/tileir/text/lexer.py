"""Tokens of the textual form, and the error that shows where text is wrong."""

from __future__ import annotations

import bisect
import re
from typing import NoReturn

from pycuda_tile.errors import Error

_SUFFIX = r"(?:\d+|[A-Za-z_$.-][\w$.-]*)"
_INSIDE = r"[^<>%{}@\"]*"
_NESTED = _INSIDE
for _ in range(5):  # a tile of pointers to pointers, a view of a tensor
    _NESTED = rf"{_INSIDE}(?:<{_NESTED}>{_INSIDE})*"
_TYPE = rf"!?(?:cuda_tile\.)?(?:tile|ptr|tensor_view|(?:partition|strided|gather_scatter)_view)<{_NESTED}>"
_TOKEN = re.compile(
    r"(?:\s+|//[^\n]*)*"
    rf"({_TYPE}|%{_SUFFIX}(?:\#\d+)?|@(?:{_SUFFIX}|\"(?:[^\"\\\n]|\\.)*\")|\"(?:[^\"\\\n]|\\.)*\""
    r"|->|-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|[#!]?[A-Za-z_][\w$.]*|\S|$)"
)


class ParseError(Error, ValueError):
    """Text is no module; `line` and `column` count from 1, `expected` is what should be there."""

    def __init__(self, message: str, line: int, column: int, source: str, expected: str = ""):
        caret = " " * (column - 1) + "^"
        super().__init__(f"line {line}, column {column}: {message}\n    {source}\n    {caret}")
        self.message, self.line, self.column, self.expected = message, line, column, expected


class Tokens:
    """A text as tokens, and a place among them. The last token is empty."""

    def __init__(self, text: str):
        self.text, self.at = text, 0
        found = [(m[1], m.start(1)) for m in _TOKEN.finditer(text)]
        if not found or found[-1][0]:
            found.append(("", len(text)))
        self.texts, self.starts = [part for part, _ in found], [start for _, start in found]
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]

    @property
    def next(self) -> str:
        return self.texts[self.at]

    def ahead(self, count: int) -> str:
        return self.texts[min(self.at + count, len(self.texts) - 1)]

    def take(self) -> str:
        text = self.texts[self.at]
        if text:
            self.at += 1
        return text

    def accept(self, text: str) -> bool:
        if self.texts[self.at] != text or not text:
            return False
        self.at += 1
        return True

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.wrong(f"'{text}'")

    def line(self, at: int | None = None) -> int:
        return bisect.bisect_right(self._lines, self.starts[self.at if at is None else at])

    def wrong(self, expected: str) -> NoReturn:
        """Raises: something else was expected here."""
        found = f"found '{_short(self.next)}'" if self.next else "the text ends"
        self.fail(f"expected {expected}, {found}", expected=expected)

    def fail(self, message: str, at: int | None = None, expected: str = "") -> NoReturn:
        at = self.at if at is None else at
        line, start = self.line(at), self.starts[at]
        begin = self._lines[line - 1]
        source = self.text[begin:].split("\n", 1)[0] if len(self.text) < 1 << 16 else self._source(begin)
        column = start - begin + 1
        if column > 300:  # a line that no one wants to see whole
            source = "..." + source[column - 101 : column + 100]
            raise ParseError(message, line, column, source, expected)
        raise ParseError(message, line, column, source[: column + 200].expandtabs(1), expected)

    def _source(self, begin: int) -> str:
        end = self.text.find("\n", begin)
        return self.text[begin : end if end >= 0 else len(self.text)]


def _short(text: str) -> str:
    return text if len(text) < 60 else text[:57] + "..."
