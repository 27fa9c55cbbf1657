"""What may mean something else to the open front end than to the host's compiler: its clang compiles for no
processor in particular, a long double has 8 bytes there, and the elements of a tuple have another order."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...frontend.tokens import without_comments

_BETWEEN = r"(?:(?:\w+|\[\[[^\]]*\]\]|(?:__attribute__|alignas)\s*\([^;{}]*?\))\s+)*?"
_LONG_FLOAT = r"(?<![\w.])(?:0[xX][\da-fA-F.']+[pP][+-]?[\d']+|" + (
    r"(?:\d[\d']*\.[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?|\d[\d']*[eE][+-]?\d+)[lL]\b"
)
#: In code whose macros are expanded.
_WORDS = re.compile(
    rf"\blong\s+{_BETWEEN}double\b|\bdouble\s+{_BETWEEN}long\b|{_LONG_FLOAT}"
    r"|\b_(?:Float|Decimal)\d+\w*|\b__(?:float(?:80|128)|bf16|fp16|PRETTY_FUNCTION__)\b|\bmax_align_t\b"
    r"|\b__builtin_(?:(?:inf|huge_val|nans?)l|constant_p|object_size|dynamic_object_size|FILE)\b"
    r"|\b(?:vector_size|ext_vector_type|source_location)\b|\b(?:make_|forward_as_)?tuple(?:_cat)?\b"
)
#: Of the preprocessor, without a definition.
_OPERATORS = re.compile(
    r"__(?:has_\w+|(?:(?:BASE_)?FILE|FILE_NAME|COUNTER|INCLUDE_LEVEL|DATE|TIME(?:STAMP)?)__)"
)
#: What a type is, as compilers define it.
_OF_TYPES = {"wchar_t": "__WCHAR_TYPE__", "wint_t": "__WINT_TYPE__"}
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)([^\n]*)", re.MULTILINE)
_CONDITIONS = ("if", "ifdef", "ifndef", "elif", "elifdef", "elifndef")
_NAME = re.compile(r"(?<![\w.'])[A-Za-z_]\w*")
_MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"')
_DEFINITION = re.compile(r"#define ([A-Za-z_$][\w$]*)(\([^)]*\))?(.*)")


class Unlike(NamedTuple):
    """A word that may mean something else, and where it is."""

    file: str
    line: int
    word: str


class Definition(NamedTuple):
    parameters: str
    body: str
    file: str


class Preprocessed(NamedTuple):
    """lines:   of code, each with its file and number
    macros:  those that are defined at the end
    """

    lines: list[tuple[str, int, str]]
    macros: dict[str, Definition]


def read_preprocessed(text: str) -> Preprocessed:
    """What compilers print with -E and -dD or -dM."""
    lines: list[tuple[str, int, str]] = []
    macros: dict[str, Definition] = {}
    file, number = "", 0
    for line in text.splitlines():
        if marker := _MARKER.match(line):
            file, number = re.sub(r"\\(.)", r"\1", marker[2]), int(marker[1]) - 1
            continue
        number += 1
        if definition := _DEFINITION.fullmatch(line):
            name, parameters, body = definition.groups()
            macros[name] = Definition(parameters or "", body.strip(), file)
        elif line.startswith("#undef "):
            macros.pop(line[7:].strip(), None)
        elif line and not line.startswith("#"):
            lines.append((file, number, line))
    return Preprocessed(lines, macros)


def find_word(lines: Iterable[tuple[str, int, str]]) -> Unlike | None:
    """The first word in code whose macros are expanded that means something else whatever the compilers."""
    for file, numbered in _by_file(lines).items():
        code = "".join(line + "\n" for _, line in numbered)
        if found := _WORDS.search(without_comments(code)):
            return Unlike(file, numbered[code.count("\n", 0, found.start())][0], " ".join(found[0].split()))
    return None


def _by_file(lines: Iterable[tuple[str, int, str]]) -> dict[str, list[tuple[int, str]]]:
    files: dict[str, list[tuple[int, str]]] = {}
    for file, number, line in lines:
        files.setdefault(file, []).append((number, line))
    return files


def find_macro(
    texts: Iterable[tuple[str, str]],
    front: Mapping[str, Definition],
    host: Mapping[str, Definition],
    ours: str,
) -> Unlike | None:
    """The first macro that is used in a source or its headers and that the two compilers define differently.

    texts:  names and texts of the source and its headers
    ours:   the folder of headers whose macros mean the same everywhere
    """
    tables = _Tables(front, host, ours, set())
    for file, text in texts:
        code = without_comments(text)
        for used in _used_names(code):
            if unlike := tables.unlike(used[0], code[used.end() :].lstrip().startswith("(")):
                return Unlike(file, 1 + code.count("\n", 0, used.start()), unlike)
    return None


def _used_names(code: str) -> Iterator[re.Match[str]]:
    """The names in code and in the conditions of directives."""
    hidden = [found.span() for found in _DIRECTIVE.finditer(code) if found[1] not in _CONDITIONS]
    hidden.append((len(code), len(code)))
    at = 0
    for found in _NAME.finditer(code):
        while hidden[at][1] <= found.start():
            at += 1
        if found.start() < hidden[at][0]:
            yield found


class _Tables(NamedTuple):
    """The macros of both compilers, and those that have been looked at."""

    front: Mapping[str, Definition]
    host: Mapping[str, Definition]
    ours: str
    seen: set[str]

    def unlike(self, name: str, is_called: bool = True) -> str:
        """The name, or one that its definition uses, if it is defined differently; else ""."""
        if name in self.seen:
            return ""
        if _OPERATORS.fullmatch(name):
            return name
        front, host = (table.get(_OF_TYPES.get(name, name)) for table in (self.front, self.host))
        if not front and host and host.parameters and not is_called:
            return ""
        self.seen.add(name)
        if (not front and not host) or (front and front.file.startswith(self.ours)):
            return ""
        if not (front and host and _are_same(front, host)):
            return name
        used = map(self.unlike, _NAME.findall(without_comments(front.body)))
        return next((unlike for unlike in used if unlike), "")


def _are_same(one: Definition, other: Definition) -> bool:
    if (one.parameters, one.body) == (other.parameters, other.body):
        return True
    numbers = [_number(each.body) for each in (one, other)]
    return None not in numbers and numbers[0] == numbers[1]


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
