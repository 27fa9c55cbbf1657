"""clang's errors in the words of tile code: options and targets that it speaks of are not the user's."""

from __future__ import annotations

import re
from collections.abc import Collection

_PLAINER = (
    (re.compile(r"cannot use '(throw|try)' with exceptions disabled"), r"\1 is unsupported in tile code"),
    (re.compile(r"use of (dynamic_cast|typeid) requires -frtti"), r"\1 is unsupported in tile code"),
    (
        re.compile(r"you need to include <typeinfo> before using the 'typeid' operator"),
        "typeid is unsupported in tile code",
    ),
    (re.compile(r"(is|are) not supported for the current target"), r"\1 unsupported in tile code"),
    (re.compile(r"'(\w+)(?:<[^']*>)?' is unavailable: "), r"\1: "),
)
_UNKNOWN = re.compile(r"undeclared identifier '(\w+)'|unknown type name '(\w+)'|no member named '(\w+)'")


def in_words_of_tile_code(log: str, left_out: Collection[str]) -> str:
    """What clang printed, where `left_out` are the names of declarations that it did not read."""
    for pattern, words in _PLAINER:
        log = pattern.sub(words, log)
    for name in {name for names in _UNKNOWN.findall(log) for name in names if name in left_out}:
        log = re.sub(
            rf"use of undeclared identifier '{name}'|unknown type name '{name}'",
            f"tile code cannot use '{name}', which is code for the host or for threads",
            log,
        )
    return log
