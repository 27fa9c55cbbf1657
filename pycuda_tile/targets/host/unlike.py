"""What may mean something else to the open front end than to the host's compiler: its clang compiles for no
processor in particular, a long double has 8 bytes there, and the elements of a tuple have another order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ...frontend.tokens import without_comments

_BETWEEN = r"(?:(?:\w+|\[\[[^\]]*\]\]|(?:__attribute__|alignas)\s*\([^;{}]*?\))\s+)*?"
_LONG_FLOAT = r"(?<![\w.])(?:0[xX][\da-fA-F.']+[pP][+-]?[\d']+|" + (
    r"(?:\d[\d']*\.[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?|\d[\d']*[eE][+-]?\d+)[lL]\b"
)
#: In code whose macros are expanded, and in pragmas.
_WORDS = re.compile(
    "|".join(
        [
            rf"\blong\s+{_BETWEEN}double\b|\bdouble\s+{_BETWEEN}long\b|{_LONG_FLOAT}",
            r"\b_(?:Float|Decimal)\d+\w*|\b__(?:float(?:80|128)|bf16|fp16|PRETTY_FUNCTION__)\b|\bmax_align_t\b",
            r"\b__builtin_(?:(?:inf|huge_val|nans?)l|constant_p|(?:dynamic_)?object_size|FILE)\b",
            r"\b__builtin_(?:isinf|signbit|va_list)\b",
            # Not variables of these names.
            r"\b_*(?:vector_size|ext_vector_type)_*(?=\s*\()|\bbit_width(?=\s*[(<])",
            r"\b(?:source_location|has_unique_object_representations\w*)\b",
            r"\b(?:make_|forward_as_)?tuple(?:_cat)?\b",
            r"#pragma (?:STDC|clang fp|GCC (?:optimize|target))\b",
            r"\b__attribute__\s*\(\(\s*(?:__)?optimize|\bgnu::optimize\b",
            # A bit-field, of which g++ makes a number of its width.
            r"\b(?:long|int64_t|size_t|ptrdiff_t)\s+\w+\s*:\s*(?:3[3-9]|[4-6]\d)\b",
        ]
    )
)


class Unlike(NamedTuple):
    """A word that may mean something else, and where it is."""

    file: str
    line: int
    word: str


def find_word(lines: Iterable[tuple[str, int, str]]) -> Unlike | None:
    """The first word in code whose macros are expanded that means something else whatever the compilers."""
    for file, numbered in by_file(lines).items():
        code = "".join(line + "\n" for _, line in numbered)
        if found := _WORDS.search(without_comments(code)):
            return Unlike(file, numbered[code.count("\n", 0, found.start())][0], " ".join(found[0].split()))
    return None


def by_file(lines: Iterable[tuple[str, int, str]]) -> dict[str, list[tuple[int, str]]]:
    """Lines with their numbers, by the file."""
    files: dict[str, list[tuple[int, str]]] = {}
    for file, number, line in lines:
        files.setdefault(file, []).append((number, line))
    return files
