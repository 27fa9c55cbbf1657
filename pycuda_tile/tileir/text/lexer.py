"""Tokens of the textual form, and the error that shows where the text is wrong."""

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
_TYPE = rf"!?(?:cuda_tile\.)?(?:tile|ptr|tensor_view|(?:partition|strided|gather_scatter)_view)\s*<{_NESTED}>"
_TOKEN = re.compile(
    r"(?:\s+|//[^\n]*)*"
    rf"({_TYPE}|%{_SUFFIX}(?:\#\d+)?|@(?:{_SUFFIX}|\"(?:[^\"\\\n]|\\.)*\")|\"(?:[^\"\\\n]|\\.)*\""
    r"|->|-(?:inf|nan)\b|-?(?:0x[0-9A-Fa-f]+(?:(?:\.[0-9A-Fa-f]*)?p[-+]?\d+)?|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|[#!]?[A-Za-z_][\w$.]*"
    r"|(?P<open>\"[^\n]*)|\S|$)"  # a string that does not end is a mark alone, its line is not read again
)


_NEAR = 100  # characters of a long line that are shown before an error


class ParseError(Error, ValueError):
    """The text is not a module. `line` and `column` count from 1; `expected` is what should be there."""

    def __init__(self, message: str, line: int, column: int, source: str, expected: str = ""):
        """`source` is the whole line; if it is long, the message shows only the part near the error."""
        first = max(column - _NEAR, 0) if column > 3 * _NEAR else 0
        shown = "..." * bool(first) + source[first : column + 2 * _NEAR].expandtabs(1)
        caret = " " * (column - 1 - first + 3 * bool(first)) + "^"
        super().__init__(f"line {line}, column {column}: {message}\n    {shown}\n    {caret}")
        self.message, self.line, self.column, self.expected = message, line, column, expected


class Tokens:
    """The tokens of a text, and a position among them. The last token is empty."""

    def __init__(self, text: str):
        text = text.removeprefix("\ufeff")  # the mark with which some editors begin a file
        self.text, self.at = text, 0
        found = [('"' if m["open"] else m[1], m.start(1)) for m in _TOKEN.finditer(text)]
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
        """Raises ParseError: something else was expected here."""
        found = f"found '{short(self.next)}'" if self.next else "the text ends"
        self.fail(f"expected {expected}, {found}", expected=expected)

    def fail(self, message: str, at: int | None = None, expected: str = "") -> NoReturn:
        at = self.at if at is None else at
        line, start = self.line(at), self.starts[at]
        begin = self._lines[line - 1]
        end = self._lines[line] - 1 if line < len(self._lines) else len(self.text)
        raise ParseError(message, line, start - begin + 1, self.text[begin:end], expected)


def short(text: str) -> str:
    return text if len(text) < 60 else text[:57] + "..."
