"""What two compilers make of the same directives: the branches that they take, and their macros."""

from __future__ import annotations

import functools
import os
import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...compilers import units
from ...frontend.tokens import without_comments
from .unlike import Unlike

#: Without a definition that could be compared.
_OPERATORS = re.compile(
    r"__(?:(?:BASE_)?FILE|FILE_NAME|COUNTER|INCLUDE_LEVEL|DATE|TIME(?:STAMP)?)__|__has_\w+"
)
#: What a type is, as compilers define it.
_OF_TYPES = {"wchar_t": "__WCHAR_TYPE__", "wint_t": "__WINT_TYPE__"}
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w*)")
_NAME = re.compile(r"(?<![\w.'])[A-Za-z_]\w*")
_MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"(.*)')
_PASTING = re.compile(r" *## *")  # which compilers print with other blanks
_DEFINITION = re.compile(r"#define ([A-Za-z_$][\w$]*)(\([^)]*\))?(.*)")


class Definition(NamedTuple):
    parameters: str
    body: str
    file: str


class Preprocessed(NamedTuple):
    """lines:   of code and pragmas, each with its file and number
    taken:   by file, the numbers of these, and of lines that define macros or include files
    macros:  all definitions of each name, in turn
    system:  the files that the compiler takes for its own
    """

    lines: list[tuple[str, int, str]]
    taken: dict[str, set[int]]
    macros: dict[str, list[Definition]]
    system: set[str]


@functools.lru_cache(maxsize=4096)
def absolute(file: str) -> str:
    """The one name of a file, as read_preprocessed() gives it; <source> and its like are no files."""
    return file if file.startswith("<") else os.path.abspath(file)


def read_preprocessed(text: str) -> Preprocessed:
    """What compilers print with -E -dD."""
    read = Preprocessed([], {}, {}, set())
    file, number = "", 0
    for line in text.split("\n"):
        if marker := _MARKER.match(line):
            file, number = absolute(units.unescaped(marker[2])), int(marker[1]) - 1
            if " 2" in marker[3]:  # behind an #include
                read.taken.setdefault(file, set()).add(number)
            if " 3" in marker[3]:
                read.system.add(file)
            continue
        number += 1
        if definition := _DEFINITION.fullmatch(line):
            name, parameters, body = definition.groups()
            body = _PASTING.sub("##", body.strip())
            read.macros.setdefault(name, []).append(Definition(parameters or "", body, file))
        elif line.startswith("#undef "):
            if file in read.system:  # no source has seen it
                read.macros.pop(line.split()[1], None)
        elif not line or (line.startswith("#") and not line.startswith("#pragma ")):
            continue
        else:
            read.lines.append((file, number, line))
        read.taken.setdefault(file, set()).add(number)
    return read


def find_macro(
    texts: Iterable[tuple[str, str]], front: Preprocessed, host: Preprocessed, ours: str
) -> Unlike | None:
    """The first condition in a source or its headers that decides differently for the two compilers, or macro
    that is used there and that they define differently.

    texts:  names and texts of the source and its headers
    ours:   the folder of headers whose macros mean the same everywhere
    """
    tables = _Tables(front.macros, host.macros, ours, set())
    for file, text in texts:
        lines = without_comments(text).split("\n")
        front_lines, host_lines = (read.taken.get(file, set()) for read in (front, host))
        hidden: set[int] = set()
        for branch in _branches(lines):
            is_taken = not front_lines.isdisjoint(branch)
            if is_taken == host_lines.isdisjoint(branch):
                return Unlike(file, branch.start - 1, " ".join(lines[branch.start - 2].split()))
            hidden.update(() if is_taken else branch)
        for number, line in enumerate(lines, 1):
            if number in hidden or _DIRECTIVE.match(line):
                continue
            for used in _NAME.finditer(line):
                if unlike := tables.unlike(used[0], line[used.end() :].lstrip()[:1] in ("(", "")):
                    return Unlike(file, number, unlike)
    return None


def _branches(lines: list[str]) -> Iterator[range]:
    """The numbers of the lines from each #if, #elif and #else to the next, with what is nested."""
    starts: list[int] = []
    for number, line in enumerate(lines, 1):
        found = _DIRECTIVE.match(line)
        word = found[1] if found else ""
        if starts and (word == "endif" or word.startswith("el")):
            yield range(starts.pop(), number)
        if word.startswith(("if", "el")):
            starts.append(number + 1)


class _Tables(NamedTuple):
    """The macros of both compilers, and those that have been looked at."""

    front: Mapping[str, list[Definition]]
    host: Mapping[str, list[Definition]]
    ours: str
    seen: set[str]

    def unlike(self, name: str, is_called: bool = True, inside: bool = False) -> str:
        """The name, or one that its definition uses, if it is defined differently; else "". `inside` another
        macro compilers differ in what line a call of several lines has."""
        if _OPERATORS.fullmatch(name) or (inside and name == "__LINE__"):
            return name
        if name in self.seen:
            return ""
        front, host = (table.get(_OF_TYPES.get(name, name), []) for table in (self.front, self.host))
        if not front and host and host[0].parameters and not is_called:
            return ""
        self.seen.add(name)
        if any(each.file.startswith(self.ours) for each in front):
            return ""
        if len(front) != len(host) or not all(map(_are_same, front, host)):
            return name
        names = (used for each in front for used in _NAME.findall(without_comments(each.body)))
        return next(filter(None, (self.unlike(used, inside=True) for used in names)), "")


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
