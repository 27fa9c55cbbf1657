"""What two compilers make of the lines of a file whose macros are expanded."""

from __future__ import annotations

import functools
import re
import struct

DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)")
_TOKEN = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)+'|\.?\d(?:[eEpP][+-]|[\w.'])*|\w+|\S""")


class Expanded:
    """The code of a file with macros expanded, as two compilers print it.

    lines:    of the file, without comments
    printed:  what each compiler prints, with the numbers of lines
    """

    def __init__(self, lines: list[str], printed: list[list[tuple[int, str]]]):
        self._lines, self._printed = lines, printed
        self._alike: dict[int, bool] = {}
        self._alike_strings: dict[int, bool] = {}

    @functools.cached_property
    def _tokens(self) -> list[dict[int, list[str]]]:
        found: list[dict[int, list[str]]] = [{}, {}]
        for tokens, numbered in zip(found, self._printed, strict=True):
            for number, line in numbered:
                tokens.setdefault(number, []).extend(_TOKEN.findall(line))
        return found

    @functools.cached_property
    def _first_lines(self) -> list[int]:
        """For each line, and one behind the last, where the outermost parenthesis begins that is open there:
        compilers print the calls of macros at lines of their choice."""
        first: list[int] = []
        depth = 0
        for number, line in enumerate([*self._lines, ""], 1):
            first.append(first[-1] if depth else number)
            for token in () if DIRECTIVE.match(line) else _TOKEN.findall(line):
                depth = max(0, depth + (token == "(") - (token == ")"))
        return first

    def _of_call(self, number: int) -> list[list[str]]:
        """What both print for a line, with the lines of its calls."""
        first, behind = self._first_lines, len(self._lines) + 1
        end = next((n for n in range(number + 1, behind) if first[n - 1] == n), behind)
        numbers = range(first[number - 1], end)
        return [[token for n in numbers for token in tokens.get(n, ())] for tokens in self._tokens]

    def is_alike(self, number: int) -> bool:
        """Whether a line is the same code for both."""
        if number not in self._alike:
            one, other = self._of_call(number)
            same = len(one) == len(other) and all(map(is_same_text, one, other))
            self._alike[number] = bool(one) and same
        return self._alike[number]

    def has_alike_strings(self, number: int) -> bool:
        """Whether a line has the same strings for both, if it is a line of both."""
        if number not in self._alike_strings:
            one, other = self._of_call(number)
            strings = [[token for token in tokens if token.startswith('"')] for tokens in (one, other)]
            self._alike_strings[number] = not (one and other) or strings[0] == strings[1]
        return self._alike_strings[number]


def is_same_text(one: str, other: str) -> bool:
    """Whether two texts are equal, or equal numbers."""
    return one == other or (_number(one) is not None and _number(one) == _number(other))


def _number(body: str) -> tuple[str, float] | None:
    """The suffix and the value of a number as compilers define some; None for everything else."""
    body = re.sub(r"^double\((.*)L\)$", r"\1", body)  # as g++ defines __DBL_MAX__
    number = re.fullmatch(r"(0x[\da-f]+|[\d.]+(?:e[+-]?\d+)?)([fFlLuU]*)", body)
    if number is None:
        return None
    suffix = number[2].lower()
    value = float(int(number[1], 16) if number[1].startswith("0x") else float(number[1]))
    if suffix == "f":
        (value,) = struct.unpack("f", struct.pack("f", value))
    return suffix, value
