"""Execution spaces: what a function uses that its processor does not have.

The rules are nvcc's. Names are looked up by their tokens alone, so only what cannot be meant otherwise is
refused: a name that its function declares, that a member may have, that functions of other spaces share, or
that a header of the system declares as well, is left to the compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...errors import CompileError
from ...frontend import thread_names
from ...frontend.declarators import closing
from . import names
from .functions import is_function, semicolon
from .source import LABELS, MARKS, Source
from .variables import declared_names

_SPACES = {"host", "device", "global", "tile", "tile_global"}
_KERNELS = {"global", "tile_global"}
_CONSTANT = {"const", "constexpr", "consteval", "constinit"}
_NO_VARIABLES = {
    *("template", "using", "typedef", "friend", "struct", "class", "union", "enum", "static_assert"),
    *("texture", "surface"),
}


class _Function(NamedTuple):
    """A declaration; `brace` begins its body, and is -1 without one. `spaces` are those that it is marked
    with, of which none mean the host."""

    name: str
    start: int
    brace: int
    spaces: frozenset[str]
    is_constant: bool

    @property
    def runs_on(self) -> frozenset[str]:
        kernel = {"global": "device", "tile_global": "tile"}
        return frozenset(kernel.get(space, space) for space in self.spaces) or frozenset({"host"})


def check(source: Source, host: bool) -> None:
    """Raises CompileError where a function of one space, host code or code for the device, uses something
    of another."""
    _Check(source).run(host)


class _Check:
    def __init__(self, source: Source):
        self.source = source
        self.functions: dict[str, list[_Function]] = {}
        self.host_variables: set[str] = set()
        self.other_variables: set[str] = set()
        for start, end in _declarations(source):
            self._declare(start, end)

    def _declare(self, start: int, end: int) -> None:
        source = self.source
        words = source.words[start:end]
        spaces = frozenset(MARKS[word] for word in words if word in MARKS)
        if is_function(source, start, end):
            if name := names.of_function(source, start, end):
                brace = end if source.words[end] == "{" else -1
                found = _Function(name, start, brace, spaces & _SPACES, not _CONSTANT.isdisjoint(words))
                self.functions.setdefault(name.rpartition("::")[2], []).append(found)
            return
        behind = semicolon(source, end)
        if words[0] in _NO_VARIABLES or source.words[behind : behind + 1] != [";"]:
            return
        is_host = source.scope(start) == "namespace" and not spaces
        is_mutable = _CONSTANT.isdisjoint(source.outer_words(start, end))
        has_type = len(words) > 1 and words[1] not in (",", "=", "[")  # unlike what ends a typedef of a class
        variables = self.host_variables if is_host and is_mutable and has_type else self.other_variables
        variables.update(declared_names(source, start, behind))

    def run(self, host: bool) -> None:
        for caller in (function for same in self.functions.values() for function in same):
            (space, *others) = caller.runs_on
            if caller.brace >= 0 and not others and (space == "host") == host and self._is_clear(caller):
                for at in self._own_names(caller):
                    self._check_name(caller, space, at)

    def _is_clear(self, caller: _Function) -> bool:
        """Whether it is known where a function runs: one without marks may have them from a declaration."""
        same = self.functions[caller.name.rpartition("::")[2]]
        return not caller.is_constant and (bool(caller.spaces) or not any(one.spaces for one in same))

    def _own_names(self, caller: _Function) -> Iterator[int]:
        """The names in a body that may be those of a namespace; not in what has a space of its own, such as
        a lambda."""
        source = self.source
        at, end = caller.brace + 1, source.partner(caller.brace)
        while at < end:
            if MARKS.get(source.words[at]) in _SPACES:
                at = source.partner(source.declaration_end(at))
            elif source.tokens[at].kind == "name" and names.is_unqualified(source, at):
                yield at
            at += 1

    def _check_name(self, caller: _Function, space: str, at: int) -> None:
        name = self.source.words[at]
        if name in self.functions and _is_call(self.source, at):
            message = self._wrong_call(space, name)
        elif space == "tile" and thread_names.PATTERN.fullmatch(name):
            message = f"{thread_names.MESSAGE.format(name)}\n  hint: {thread_names.hint(name)}"
        elif space != "host" and self._is_host_variable(caller, at):
            message = _HOST_VARIABLE.format(name)
        else:
            return
        if message and not names.is_declared(self.source, name, caller.start, caller.brace):
            file, line = self.source.place(at)
            raise CompileError(f"{file}:{line}: error: {message}")

    def _is_host_variable(self, caller: _Function, at: int) -> bool:
        name = self.source.words[at]
        is_member = "::" in caller.name or self.source.scope(caller.start) == "class"
        return (
            name in self.host_variables
            and name not in self.other_variables
            and name not in self.functions
            and not is_member
            and not names.is_unevaluated(self.source, at)
        )

    def _wrong_call(self, space: str, name: str) -> str:
        """What is wrong with the call of a function; "" if one of that name may be called."""
        called = self.functions[name]
        is_right = any(
            (space in one.runs_on and not one.spaces & _KERNELS) or one.is_constant for one in called
        )
        if (
            is_right
            or name in self.host_variables | self.other_variables
            or names.is_class(self.source, name)
        ):
            return ""
        if re.search(rf"(?<!\breturn)(?<=[\w>*&])\s+[*&]*{re.escape(name)}\s*\(", self.source.others):
            return ""
        spaces = called[0].spaces
        if spaces & _KERNELS:
            return (
                f"{name} is a kernel, which is not called but launched, as {name}<<<blocks, threads>>>(...)"
            )
        kind = " ".join(f"__{mark}__" for mark in sorted(spaces)) or "host"
        code = {"host": "host code", "device": "code for the device", "tile": "tile code"}[space]
        both = " ".join(f"__{mark}__" for mark in sorted({*called[0].runs_on, space}))
        return f"{name} is a {kind} function, which {code} cannot call: mark it as {both}"


_HOST_VARIABLE = (
    "{} is a host variable, which code for the device cannot use: pass its value to the kernel, or declare "
    "the variable as __device__ or __managed__"
)


def _is_call(source: Source, at: int) -> bool:
    """Whether arguments follow a name, perhaps behind template arguments."""
    words = source.words
    if words[at + 1 : at + 2] != ["<"]:
        return words[at + 1 : at + 2] == ["("]
    statement = words[at + 1 : semicolon(source, at)]
    behind = closing(statement, 0)
    return statement[behind - 1 : behind + 1] == [">", "("] and statement[1:2] != ["<"]


def _declarations(source: Source) -> Iterator[tuple[int, int]]:
    """The declarations of namespaces and classes: the first token, and the semicolon or the brace behind."""
    at = 0
    while at < len(source.words):
        if source.words[at] in LABELS and source.words[at + 1 : at + 2] == [":"]:
            at += 2
            continue
        start, end = at, source.declaration_end(at)
        if source.words[end] != "{" or source.scope(min(end + 1, len(source.words) - 1)) != "function":
            at = end + 1
        else:
            at = source.partner(end) + 1
        if end > start and (source.tokens[start].kind == "name" or source.words[start] in ("[", "~", "::")):
            yield start, end
