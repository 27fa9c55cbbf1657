"""Writes C++ text: indented lines, and a name for each value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_KEYWORDS = frozenset(
    """and asm auto bool break case catch char class const continue default delete do double else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new not
    operator or private protected public register return short signed sizeof static struct switch
    template this throw true try typedef typename union unsigned using virtual void volatile while xor
    ct cuda cuda_tile tileir main""".split()  # noqa: SIM905
)


def identifier(name: str) -> str:
    """A C++ identifier as close to `name` as possible."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not text or text[0].isdigit() or text in _KEYWORDS:
        text = "v" + text
    return text


class Writer:
    """The lines of a translation unit. Values are identified by identity, and each has a C++ expression.

    place:  what #line says of the lines that follow; "" for nothing
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.place = ""
        self._depth = 0
        self._names: dict[int, str] = {}
        self._taken: dict[str, int] = {}

    def line(self, text: str) -> None:
        if self.place:
            self.lines.append(f"#line {self.place}")
        self.lines.append("  " * self._depth + text if text else "")

    @contextmanager
    def block(self, head: str, end: str = "}") -> Iterator[None]:
        """Lines in braces."""
        self.line(f"{head} {{".lstrip())
        self._depth += 1
        yield
        self._depth -= 1
        self.line(end)

    def fresh(self, wish: str) -> str:
        """An identifier that is not used elsewhere."""
        wish = identifier(wish)
        count = self._taken.get(wish, 0)
        self._taken[wish] = count + 1
        return wish if count == 0 else self.fresh(f"{wish}_{count}")

    def name(self, value: Any, wish: str = "v") -> str:
        """Gives a value a new name."""
        name = self._names[id(value)] = self.fresh(wish)
        return name

    def alias(self, value: Any, expression: str) -> None:
        """Makes an expression stand for a value."""
        self._names[id(value)] = expression

    def __getitem__(self, value: Any) -> str:
        return self._names[id(value)]
