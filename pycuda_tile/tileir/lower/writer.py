"""Writes C++ text: indented lines, and a name for each value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_KEYWORDS = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
    class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue
    decltype default delete do double dynamic_cast else enum explicit export extern false float for friend
    goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public register reinterpret_cast requires return short signed sizeof static static_assert
    static_cast struct switch template this thread_local throw true try typedef typeid typename union
    unsigned using virtual void volatile wchar_t while xor xor_eq
    ct cuda cuda_tile tileir loops main""".split()  # noqa: SIM905
)
# What headers may declare outside of namespaces such that no function of the name can be: types, and
# functions that are called by their plain names. That some of these are free does no harm.
_OF_HEADERS = re.compile(
    r"std|nv|printf|dim3|FILE|\w+_t|(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]\w*"
    r"|(?:thread|block|grid|warp)[A-Z]\w*|NULL|EOF|assert|errno|std(?:in|out|err)|__\w+|_[A-Y]\w*"
)


def identifier(name: str) -> str:
    """A C++ identifier as close to `name` as possible."""
    text = re.sub(r"\W", "_", name, flags=re.ASCII)
    if not text or text[0].isdigit() or text in _KEYWORDS:
        text = "v" + text
    return text


def function_name(name: str) -> str:
    """An identifier for a function that may be declared beside what headers declare."""
    text = identifier(name)
    return f"entry_{text}" if _OF_HEADERS.fullmatch(text) else text


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
