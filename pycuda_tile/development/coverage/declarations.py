"""Whether the headers declare an entity of the API: a search by its kind in the header that its row names.

This cannot see whether a declaration is the right one. Overloads are only counted, so one may
be mistaken for another of the same name and header. Members are looked for in their class and its bases.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

from . import cpp

# What declares an entity of each kind; NAME is its name. Members are searched for in their class.
_PATTERNS = {
    "keyword": r"#\s*define\s+NAME\b",
    "concept": r"\bconcept\s+NAME\s*=",
    "alias": r"\busing\s+NAME\s*=|\busing\s+typename\s+\w+::NAME\s*;",
    "variable": r"\bconstexpr\s+\w+\s+NAME(?!\w)",
    "enum": r"\benum\s+(?:class\s+)?NAME\s*(?::[^;{]*)?\{",
    "enumerator": r"[{,]\s*NAME\b",
    "function": r"(?<!\breturn)(?<=[\w>&*])\s+NAME\s*\(",
    "member": r"(?<!\breturn)(?<=[\w>&*])\s+NAME\s*(?:\(|=)",
    "operator": r"\boperator\s*NAME\s*\(",
    "constructor": r"(?<![\w:~>.])NAME\s*\(|\busing\s+(\w+)::\1\s*;",
    "deduction": r"\bNAME\s*\([^;]*?\)\s*->\s*NAME\s*<",
}


_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|else|elif|endif)\b.*$", re.M)
_WITHOUT_HEADER = {"hint"}  # attributes: compilers ignore those that they do not know
UNNAMED = "(unnamed)"


class Headers:
    """The headers below `folder` that `cuda_tile.h` includes, directly or not."""

    def __init__(self, folder: Path):
        self._code: dict[str, str] = {}
        self._classes: dict[tuple[str, str], str] = {}
        waiting = ["cuda_tile.h"]
        while waiting:
            name = waiting.pop()
            path = folder / name
            if name in self._code or not path.exists():
                continue
            text = path.read_text(encoding="utf-8")
            waiting += re.findall(r'#\s*include\s+"([^"]+)"', text)
            self._code[name] = _CONDITION.sub("", cpp.expand_macros(cpp.split_comments(text)[0]))

    def missing(self, rows: Iterable[SimpleNamespace]) -> set[str]:
        """The ids of the rows that their header does not declare, or declares less often than there are rows.

        An extension of the manual may be part of a declaration that exists anyway.
        """
        rows = [row for row in rows if row.exposition == "no" and row.kind not in _WITHOUT_HEADER]
        wanted = Counter(_place(row) for row in rows if row.since == "13.3")
        found = {place: self._count(*place) for place in map(_place, rows)}
        return {row.id for row in rows if found[_place(row)] < max(wanted[_place(row)], 1)}

    def _count(self, header: str, kind: str, name: str) -> int:
        code = self._code.get(header)
        if code is None:
            return 0
        owner, _, name = name.rpartition("::")
        name = name.removeprefix("operator") if kind == "operator" else name
        if kind == "enumerator":
            code = cpp.enum_text(code, owner)
        elif owner and owner != "literals":
            code = self._class(header, owner)
        elif kind != "keyword":
            code = cpp.without_detail(code)
        if kind == "type":
            return int(bool(cpp.class_text(code, name)))
        name = "" if name == UNNAMED else name
        return len(re.findall(_PATTERNS[kind].replace("NAME", re.escape(name.strip())), code))

    def _class(self, header: str, name: str) -> str:
        """The definition of a class and its bases, which other headers may define."""
        if (header, name) not in self._classes:
            text = cpp.class_text(self._code[header], name, "\n".join(self._code.values()))
            self._classes[header, name] = text
        return self._classes[header, name]


def _place(row: SimpleNamespace) -> tuple[str, str, str]:
    return row.header, row.kind, row.name
