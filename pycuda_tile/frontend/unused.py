"""Leaves out what kernels do not use and host compilers reject.

NVIDIA's front end does not check templates that are never instantiated, so there are published files whose
unused templates name undeclared things. Host compilers do check them, so such bodies are removed. So is the
host half of a source (host_code.py) that launches kernels by <<<...>>>.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..compilers import units
from ..errors import Diagnostic
from . import host_code
from .tokens import Token, tokenize


class Body(NamedTuple):
    """A function template's name, and the offsets and lines of its body's braces."""

    name: str
    start: int
    end: int
    first_line: int
    last_line: int

    def has(self, lines: Iterable[int]) -> bool:
        """Whether one of the lines is in the body."""
        return any(self.first_line <= line <= self.last_line for line in lines)


class Overlay:
    """Copies of the user's files without some bodies, in a folder that a compiler searches first.

    folder: where the copies go; it does not exist yet
    source: the user's source, which is always copied, so that it finds the copies of headers beside it
    dirs:   the folders of the user's headers
    used:   names of requested templates, whose errors are the user's
    """

    def __init__(self, folder: Path, source: Path, dirs: Sequence[Path], used: Iterable[str]):
        self.folder = folder
        self.source = source
        self.roots = [source.parent, *dirs]
        self.used = set(used)
        self.texts = {source: units.read(source)}
        self.names: list[str] = []
        self.host_names: set[str] = set()

    def leave_out_host_half(self, errors: Iterable[Diagnostic]) -> bool:
        """Removes the host half of the source if it contains errors; returns whether it did."""
        text = self.texts[self.source]
        made, names = host_code.blanked({"": text}, self.used)
        pairs = zip(text.split("\n"), made[""].split("\n"), strict=True)
        lines = {line for line, (before, after) in enumerate(pairs, 1) if before != after}
        if not any(Path(error.file) == self.source and error.line in lines for error in errors):
            return False
        self.texts[self.source] = made[""]
        self.host_names = names
        return True

    def take_out(self, errors: Iterable[Diagnostic]) -> bool:
        """Removes the bodies that contain errors; returns whether there were any."""
        lines: dict[Path, set[int]] = {}
        for error in errors:
            lines.setdefault(Path(error.file), set()).add(error.line)
        before = len(self.names)
        for path, wrong in lines.items():
            if self._place(path) is None or not path.is_file():  # as #line may name any
                continue
            text = self.texts.get(path) or units.read(path)
            bodies = [
                body for body in template_bodies(text) if body.name not in self.used and body.has(wrong)
            ]
            if bodies:
                self.texts[path] = blanked(text, bodies)
                self.names += [body.name for body in bodies]
        return len(self.names) > before

    def write(self) -> None:
        for path, text in self.texts.items():
            units.write(self.path_of(path), units.named(text, path))

    def path_of(self, source: Path) -> Path:
        """The copy of the source."""
        place = self._place(source)
        assert place is not None, source
        return self.folder / place

    def _place(self, path: Path) -> str | None:
        """The path relative to the folder from which the user's files name it."""
        for root in sorted(self.roots, key=lambda root: -len(root.parts)):  # the closest first
            relative = os.path.relpath(path, root)
            if not relative.startswith(".."):
                return relative
        return None


def blanked(text: str, bodies: Sequence[Body]) -> str:
    """The text with each body replaced by a semicolon; lines keep their numbers."""
    for body in sorted(bodies, reverse=True, key=lambda body: body.start):
        lines = "\n" * text.count("\n", body.start, body.end)
        text = f"{text[: body.start]};{lines}{text[body.end :]}"
    return text


_WITH_ARGUMENTS = {"alignas", "__align__", "__attribute__", "decltype", "noexcept", "__launch_bounds__"}
_OPEN = {"(": ")", "[": "]", "{": "}"}


def template_bodies(text: str) -> list[Body]:
    """The bodies of the function templates of a file, and of the functions of class templates."""
    tokens = [token for token in tokenize(text, {}) if token.kind != "include"]
    found: list[Body] = []
    _scan(tokens, 0, len(tokens), False, found)
    return found


def _scan(tokens: Sequence[Token], at: int, end: int, in_template: bool, found: list[Body]) -> None:
    """Visits the declarations between two tokens."""
    statement: list[Token] = []
    while at < end:
        token = tokens[at]
        if token.text == ";":
            statement, at = [], at + 1
        elif token.text in ("(", "["):
            close = _closing(tokens, at)
            statement += tokens[at:close]
            at = close
        elif token.text != "{":
            statement.append(token)
            at += 1
        else:
            close = _closing(tokens, at)
            kind = _kind(statement)
            is_template = in_template or "template" in [word.text for word in statement[:1]]
            if kind == "scope":
                _scan(tokens, at + 1, close - 1, is_template, found)
            elif kind == "function" and is_template:
                first, last = token, tokens[close - 1]
                found.append(Body(_function_name(statement), first.start, last.end, first.line, last.line))
            at = close
            if kind != "requires":
                statement = []


def _closing(tokens: Sequence[Token], at: int) -> int:
    """The index after the bracket that closes the one at `at`."""
    opening, closing, depth = tokens[at].text, _OPEN[tokens[at].text], 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].text == opening) - (tokens[index].text == closing)
        if depth == 0:
            return index + 1
    return len(tokens)


def _kind(statement: Sequence[Token]) -> str:
    """What a statement's brace opens: "scope" (a namespace, a class), "function", "requires" or "other"."""
    words = _outer_words(statement)
    if words[-1:] == ["requires"] or words[-2:] == ["requires", "()"]:
        return "requires"
    if "=" in words or "enum" in words:
        return "other"
    if "()" in words:
        return "function"
    return "scope" if {"namespace", "class", "struct", "union", "extern"} & set(words) else "other"


def _outer_words(statement: Sequence[Token]) -> list[str]:
    """The words outside brackets, with "()" for a function's parameters, without template<...>."""
    words: list[str] = []
    depth = angle = 0
    after_template = False
    for token in statement:
        if after_template and token.text in "<>":
            angle += 1 if token.text == "<" else -1
            after_template = angle > 0
        elif token.text in ("(", "["):
            depth += 1
            if depth == 1 and token.text == "(" and not angle:
                words += [] if words[-1:] and words[-1] in _WITH_ARGUMENTS else ["()"]
        elif token.text in (")", "]"):
            depth -= 1
        elif not depth and not angle:
            words.append(token.text)
            after_template = token.text == "template"
    return words


def _function_name(statement: Sequence[Token]) -> str:
    """The name before a function's parameters."""
    names = re.findall(r"([A-Za-z_$][\w$]*) \(\)", " ".join(_outer_words(statement)))
    return next((name for name in names if name != "requires"), "")
