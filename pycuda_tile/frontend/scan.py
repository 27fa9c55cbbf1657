"""Finds the kernels (`__tile_global__` functions) of a source by its tokens alone, without a compiler.

Facts on which a launch relies (parameter types) come from the compiler instead. Macros are not expanded: a
kernel that a macro defines is not found here, but can be requested by name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .declarators import OPEN, TYPE_WORDS, closing, length_without_default, param_name, split
from .hints import attributes
from .kernel_info import KernelInfo, Param, TemplateParam
from .tokens import Token, expand, tokenize


@dataclass
class _Scan:
    """State of one scan over a source and the user's headers that it includes."""

    include_dirs: tuple[Path, ...]
    macros: dict[str, str]
    kernels: dict[tuple[str, bool, str], KernelInfo] = field(default_factory=dict)
    hints: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of declarations before the definition
    seen: set[str] = field(default_factory=set)
    concepts: set[str] = field(default_factory=set)
    keywords: list[tuple[str, int, str]] = field(default_factory=list)  # file, offset, name of the kernel


def scan(
    text: str,
    file: str,
    *,
    path: Path | None = None,
    include_dirs: Iterable[Path] = (),
    macros: dict[str, str] | None = None,
) -> list[KernelInfo]:
    """The kernels defined in `text` and in the user's own headers, in the order of the text.

    file:         the source's name in the results
    path:         the source's path, for `#include "..."` relative to it
    include_dirs: folders of the user's headers; other headers are not read
    macros:       those that the compiler's command line defines
    """
    return list(_scan(text, file, path, include_dirs, macros).kernels.values())


def keywords(
    text: str,
    file: str,
    *,
    path: Path | None = None,
    include_dirs: Iterable[Path] = (),
    macros: dict[str, str] | None = None,
) -> list[tuple[int, tuple[str, ...]]]:
    """The places of `__tile_global__` in `text`, and the hints of the declared kernels; see scan()."""
    state = _scan(text, file, path, include_dirs, macros)
    return [
        (offset, tuple(expand(hint, state.macros) for hint in state.hints[name]))
        for where, offset, name in state.keywords
        if where == file
    ]


def _scan(
    text: str, file: str, path: Path | None, include_dirs: Iterable[Path], macros: dict[str, str] | None
) -> _Scan:
    state = _Scan(tuple(include_dirs), dict(macros or {}))
    _scan_file(state, text, file, path)
    return state


def _scan_file(state: _Scan, text: str, file: str, path: Path | None) -> None:
    tokens = []
    for token in tokenize(text, state.macros):
        if token.kind != "include":
            tokens.append(token)
        elif header := _find_header(state, token.text, path):
            state.seen.add(str(header))
            _scan_file(state, header.read_text(encoding="utf-8", errors="replace"), str(header), header)
    _Parser(state, text, file, tokens).run()


# NVIDIA's own headers hold no kernels and are long.
_NVIDIA = re.compile(r"cuda(_\w+\.h|/std/.*)")


def _find_header(state: _Scan, quoted: str, path: Path | None) -> Path | None:
    if _NVIDIA.fullmatch(quoted[1:-1]):
        return None
    folders = list(state.include_dirs)
    if quoted[0] == '"' and path:
        folders.insert(0, path.parent)
    for folder in folders:
        header = Path(os.path.normpath(folder / quoted[1:-1]))
        if header.is_file():
            return None if str(header) in state.seen else header
    return None


_ATTRIBUTE_WORDS = {
    *("__launch_bounds__", "__cluster_dims__", "__attribute__"),
    *("alignas", "decltype", "noexcept"),
}
# Without a compiler a template parameter `some_name X` may be a value or a constrained type.
_CONCEPT_NAME = re.compile(r".*(_tile|_like|_view|_span|integral|floating_point|arithmetic|_as|_to)$")
_INLINE = "inline "


class _Parser:
    """Visits the declarations of one file at namespace scope."""

    def __init__(self, state: _Scan, text: str, file: str, tokens: list[Token]):
        self.state = state
        self.text = text
        self.file = file
        self.tokens = tokens
        # Names of the open namespaces, as "a::inline b"; "" for those without, and extern "C".
        self.scopes: list[str] = []

    def run(self) -> None:
        at = 0
        statement: list[Token] = []
        while at < len(self.tokens):
            token = self.tokens[at]
            if token.text in ("(", "["):
                end = self._closing(at)
                statement += self.tokens[at:end]
                at = end
            elif token.text == ";":
                self._declaration(statement, defined=False)
                statement, at = [], at + 1
            elif token.text == "}":
                if self.scopes:
                    self.scopes.pop()
                statement, at = [], at + 1
            elif token.text != "{":
                statement.append(token)
                at += 1
            elif (scope := _scope(statement)) is not None:
                self.scopes.append(scope)
                statement, at = [], at + 1
            elif _ends_in_requires(statement):
                at = self._closing(at)
            else:
                self._declaration(statement, defined=True)
                statement, at = [], self._closing(at)

    def _closing(self, at: int) -> int:
        """The index after the bracket that closes the one at `at`."""
        depth = 0
        opening = self.tokens[at].text
        for index in range(at, len(self.tokens)):
            text = self.tokens[index].text
            depth += (text == opening) - (text == OPEN[opening])
            if depth == 0:
                return index + 1
        return len(self.tokens)

    def _declaration(self, statement: list[Token], defined: bool) -> None:
        words = [token.text for token in statement]
        if words.count("concept") == 1 and words.index("concept") + 1 < len(words):
            self.state.concepts.add(words[words.index("concept") + 1])
        if "__tile_global__" not in words:
            return
        place = function_name(statement)
        if place is None:
            return
        last = place  # the name may be qualified: a::b::k
        while place >= 2 and words[place - 1] == "::" and statement[place - 2].kind == "name":
            place -= 2
        parts = [part for scope in self.scopes if scope for part in scope.split("::")]
        parts += words[place : last + 1 : 2]
        name = "::".join(parts).replace(_INLINE, "")
        short = "::".join(part for part in parts if not part.startswith(_INLINE))
        open_bracket = last + 1
        params = tuple(
            param
            for part in split(statement[open_bracket + 1 : closing(words, open_bracket) - 1])
            if (param := self._param(part))
        )
        hints = self.state.hints.get(name, ()) + tuple(hint for hint, _ in attributes(self.text, statement))
        self.state.hints[name] = hints
        self.state.keywords.append((self.file, statement[words.index("__tile_global__")].start, name))
        if defined:
            template = self._template_params(statement[:place]) + _invented(params)
            key = (name, bool(template), ",".join(param.type for param in params))
            info = KernelInfo(name, template, params, hints, self.file, statement[last].line)
            self.state.kernels[key] = info._replace(short=short) if short != name else info

    def _template_params(self, head: list[Token]) -> tuple[TemplateParam, ...]:
        words = [token.text for token in head]
        if "template" not in words:
            return ()
        start = words.index("template") + 1
        if words[start : start + 1] != ["<"]:
            return ()
        parts = split(head[start + 1 : closing(words, start) - 1])
        return tuple(self._template_param(part) for part in parts if part)

    def _template_param(self, part: list[Token]) -> TemplateParam:
        part, default = self._cut_default(part)
        words = [token.text for token in part]
        pack = "." in words
        named = (
            len(words) > 1 and part[-1].kind == "name" and words[-1] not in TYPE_WORDS and words[-2] != "::"
        )
        name = words[-1] if named else ""
        head = [token for token in (part[:-1] if named else part) if token.text != "."]
        if words[:1] == ["template"]:
            return TemplateParam("template", name, default, self._source(head), pack)
        if [token.text for token in head] in (["typename"], ["class"]):
            return TemplateParam("type", name, default, "", pack)
        return TemplateParam(self._kind(head), name, default, self._source(head), pack)

    def _kind(self, head: list[Token]) -> str:
        words = [token.text for token in head]
        if "<" in words:
            words = words[: words.index("<")]
        concept = words[-1] if words else ""
        is_concept = concept in self.state.concepts or _CONCEPT_NAME.match(concept)
        return "type" if is_concept and not set(words) & TYPE_WORDS else "value"

    def _param(self, part: list[Token]) -> Param | None:
        part, _ = self._cut_default(part)
        words = [token.text for token in part]
        if words[:2] == ["[", "["]:
            part = part[closing(words, 0) :]
            words = [token.text for token in part]
        if not part or words == ["void"]:
            return None
        at = param_name(part)
        if at is None:
            return Param("", self._source(part))
        return Param(words[at], self._source(part[:at] + part[at + 1 :]))

    def _cut_default(self, part: list[Token]) -> tuple[list[Token], str | None]:
        end = length_without_default(part)
        return part[:end], self._source(part[end + 1 :]) if end < len(part) else None

    def _source(self, tokens: list[Token]) -> str:
        """The text of the tokens, with white space and comments between them reduced to one space."""
        out = ""
        for before, token in zip([None, *tokens], tokens, strict=False):
            if before and (before.end < token.start) and out:
                out += " "
            out += token.text
        return re.sub(r"\s+(?=[*&,)])", "", out)


def _invented(params: Iterable[Param]) -> tuple[TemplateParam, ...]:
    """The implicit template parameters of parameters whose type contains `auto`."""
    automatic = [param for param in params if re.search(r"\bauto\b", param.type)]
    return tuple(TemplateParam("type", "", None, "auto", "..." in param.type) for param in automatic)


def _scope(statement: list[Token]) -> str | None:
    """The name of the namespace that a statement opens, "" for extern "C"; None if it opens none."""
    words = [token.text for token in statement]
    if words[-2:] in (["extern", '"C"'], ["extern", '"C++"']):
        return ""
    if "namespace" not in words:  # a macro without a semicolon may precede it
        return None
    at = words.index("namespace")
    names = [token.text for token in statement[at + 1 :] if token.kind == "name"]
    text = " ".join([*(word for word in words[at - 1 : at] if word == "inline"), *names])
    return "::".join(re.findall(rf"(?:{_INLINE})?\w+", text))


def _ends_in_requires(statement: list[Token]) -> bool:
    words = [token.text for token in statement]
    if words[-1:] == [")"]:
        depth = 0
        for index in range(len(words) - 1, -1, -1):
            depth += (words[index] == ")") - (words[index] == "(")
            if depth == 0:
                return words[:index][-1:] == ["requires"]
    return words[-1:] == ["requires"]


def function_name(statement: list[Token]) -> int | None:
    """The index of the name of the function that a statement declares."""
    words = [token.text for token in statement]
    index = words.index("__tile_global__")
    while index + 1 < len(statement):
        token = statement[index]
        if token.text == "[":
            index = closing(words, index)
        elif token.text in _ATTRIBUTE_WORDS and words[index + 1] == "(":
            index = closing(words, index + 1)
        elif token.kind == "name" and words[index + 1] == "(":
            return index
        else:
            index += 1
    return None
