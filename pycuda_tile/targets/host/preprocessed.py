"""What two compilers make of the same directives: the branches that they take, and their macros."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ...compilers import units
from ...frontend.tokens import without_comments
from .expanded import DIRECTIVE, Expanded, is_same_text
from .unlike import Unlike, by_file

#: Without a definition that could be compared.
_OPERATORS = re.compile(r"__(?:BASE_FILE|FILE_NAME|COUNTER|INCLUDE_LEVEL|DATE|TIME(?:STAMP)?)__|__has_\w+")
#: Defined by where they are used: the same wherever compilers print the same.
_PLACES = ("__FILE__", "__LINE__")
#: What a type is, as compilers define it.
_OF_TYPES = {"wchar_t": "__WCHAR_TYPE__", "wint_t": "__WINT_TYPE__"}
_NAME = re.compile(r"(?<![\w.'])[A-Za-z_]\w*")
_MARKER = re.compile(r'# (\d+) "((?:[^"\\]|\\.)*)"(.*)')
_PASTING = re.compile(r" *## *")  # which compilers print with other blanks
_DEFINITION = re.compile(r"#define ([A-Za-z_$][\w$]*)(\([^)]*\))?(.*)")
_DEFINES = re.compile(r"[ \t]*(?:#[ \t]*(?:define|if|ifdef|ifndef|elif\w*|else|endif)\b.*)?")


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
    tables = _Tables(front.macros, host.macros, ours, {})
    code = [by_file(read.lines) for read in (front, host)]
    for file, text in texts:
        lines = without_comments(text).split("\n")
        expanded = Expanded(lines, [each.get(file, []) for each in code])
        front_lines, host_lines = (read.taken.get(file, set()) for read in (front, host))
        hidden: set[int] = set()
        for branch in _branches(lines):
            is_taken = not front_lines.isdisjoint(branch)
            differs = is_taken == host_lines.isdisjoint(branch)
            if differs and not _only_defines(lines[branch.start - 1 : branch.stop - 1]):
                return Unlike(file, branch.start - 1, " ".join(lines[branch.start - 2].split()))
            hidden.update(() if is_taken else branch)
        for number, line in enumerate(lines, 1):
            if number in hidden or DIRECTIVE.match(line):
                continue
            for used in _NAME.finditer(line):
                unlike = tables.unlike(used[0], line[used.end() :].lstrip()[:1] in ("(", ""))
                if unlike and (_OPERATORS.fullmatch(unlike) or not expanded.is_alike(number)):
                    return Unlike(file, number, unlike)
                if tables.is_of_sources(used[0]) and not expanded.has_alike_strings(number):
                    return Unlike(file, number, used[0])
    return None


def _only_defines(lines: list[str]) -> bool:
    """Whether lines only define macros, which matter where they are used."""
    return all(map(_DEFINES.fullmatch, re.sub(r"\\\n", " ", "\n".join(lines)).split("\n")))


def _branches(lines: list[str]) -> Iterator[range]:
    """The numbers of the lines from each #if, #elif and #else to the next, with what is nested."""
    starts: list[int] = []
    for number, line in enumerate(lines, 1):
        found = DIRECTIVE.match(line)
        word = found[1] if found else ""
        if starts and (word == "endif" or word.startswith("el")):
            yield range(starts.pop(), number)
        if word.startswith(("if", "el")):
            starts.append(number + 1)


class _Tables(NamedTuple):
    """The macros of both compilers, and what was found about them."""

    front: Mapping[str, list[Definition]]
    host: Mapping[str, list[Definition]]
    ours: str
    known: dict[str, str]

    def is_of_sources(self, name: str) -> bool:
        """Whether a name is a macro of the compiler, the source or its headers."""
        return name in self.front and not any(each.file.startswith(self.ours) for each in self.front[name])

    def unlike(self, name: str, is_called: bool = True) -> str:
        """The name, or one that its definition uses, if it is defined differently; else ""."""
        if name in _PLACES or _OPERATORS.fullmatch(name):
            return name
        if name in self.known:
            return self.known[name]
        front, host = (table.get(_OF_TYPES.get(name, name), []) for table in (self.front, self.host))
        if not front and host and host[0].parameters and not is_called:
            return ""
        self.known[name] = ""  # for definitions that lead back to it
        self.known[name] = self._unlike(name, front, host)
        return self.known[name]

    def _unlike(self, name: str, front: list[Definition], host: list[Definition]) -> str:
        if any(each.file.startswith(self.ours) for each in front):
            return ""
        if len(front) != len(host) or not all(map(_are_same, front, host)):
            return name
        names = (used for each in front for used in _NAME.findall(without_comments(each.body)))
        return next(filter(None, map(self.unlike, names)), "")


def _are_same(one: Definition, other: Definition) -> bool:
    return one.parameters == other.parameters and is_same_text(one.body, other.body)
