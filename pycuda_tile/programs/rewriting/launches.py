"""Rewrites launches: `kernel<<<grid, block>>>(a, b)` becomes an expression in C++.

    (::cuda_tile::program::configure(grid, block) ? (void)0 : kernel(a, b))

So the compiler resolves overloads, deduces template arguments and converts a and b as in any call.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...errors import CompileError
from .source import Source

_ADJACENT = 3
_NOT_CALLED = {"return", "else", "do", "co_return", "co_yield", "throw", "case"}
_STATEMENTS = {"if", "while", "for", "switch", "constexpr"}


class Launch(NamedTuple):
    """Tokens: the first of the kernel's expression, `<<<`, `>>>`, and the parentheses of the arguments."""

    kernel: int
    opening: int
    closing: int
    arguments: int
    end: int


def find(source: Source) -> Iterator[Launch]:
    words = source.words
    at = 0
    while at < len(words):
        if words[at] == "<" and _is_triple(source, at, "<") and words[at - 1 : at] != ["operator"]:
            launch = _launch(source, at)
            yield launch
            at += _ADJACENT
        else:
            at += 1


def rewrite(source: Source) -> None:
    for launch in find(source):
        kernel = source.text_of(launch.kernel, launch.opening)
        source.replace(launch.kernel, launch.opening, "(::cuda_tile::program::configure(")
        source.replace(launch.opening, launch.opening + _ADJACENT, "")
        source.replace(launch.closing, launch.closing + _ADJACENT, f") ? (void)0 : {kernel}")
        source.insert_after(launch.end, ")")


def _launch(source: Source, opening: int) -> Launch:
    words = source.words
    at = opening + _ADJACENT
    while at < len(words) and not (
        words[at] == ">"
        and _is_triple(source, at, ">")
        and words[at + _ADJACENT : at + _ADJACENT + 1] == ["("]
    ):
        if words[at] in (";", ")", "]", "}"):
            raise _error(source, opening, "the >>> of this launch, followed by ( and arguments, is missing")
        at = source.partner(at) + 1 if words[at] in ("(", "[", "{") else at + 1
    if at >= len(words):
        raise _error(source, opening, "the >>> of this launch is missing")
    if at == opening + _ADJACENT:
        raise _error(source, opening, "a launch needs the number of blocks between <<< and >>>")
    arguments = at + _ADJACENT
    return Launch(_kernel(source, opening), opening, at, arguments, source.partner(arguments))


def _kernel(source: Source, end: int) -> int:
    """Where the expression that ends before a token begins: a name, perhaps qualified and with template
    arguments, an element of an array, a member, a call, or anything in parentheses."""
    words, tokens = source.words, source.tokens
    at = end
    while at > 0:
        before = at - 1
        word = words[before]
        if word == "]":
            at = source.partner(before)
            continue
        if word == ")":
            at = source.partner(before)
            if at == 0 or not (_ends_operand(source, at - 1)):
                break
            continue
        if word == ">":
            at = angle(source, before)
            continue
        if tokens[before].kind != "name":
            raise _error(source, end, "before <<< the name of a kernel, or an expression for one, is missing")
        at = before
        if words[at - 1 : at] == ["template"]:
            at -= 1
        if at > 0 and words[at - 1] in ("::", ".", "->"):
            at -= 1
            if words[at] == "::" and not (at > 0 and (tokens[at - 1].kind == "name" or words[at - 1] == ">")):
                break
            if words[at] == "::" and words[at - 1] in _NOT_CALLED:
                break
            continue
        break
    if at == end:
        raise _error(source, end, "before <<< the name of a kernel, or an expression for one, is missing")
    return at


def _ends_operand(source: Source, at: int) -> bool:
    """Whether the parentheses that follow the token call something."""
    word = source.words[at]
    if word == ")":
        opening = source.partner(at)
        return opening == 0 or source.words[opening - 1] not in _STATEMENTS
    if word in _NOT_CALLED or word in _STATEMENTS:
        return False
    return source.tokens[at].kind == "name" or word in ("]", ">")


def angle(source: Source, at: int) -> int:
    """The `<` that the `>` at a token closes."""
    depth = 0
    end = at
    while at >= 0:
        word = source.words[at]
        if word in (")", "]", "}"):
            at = source.partner(at)
        elif word in (";", "(", "[", "{"):
            break
        elif word == ">" and source.words[at - 1 : at] != ["-"]:
            depth += 1
        elif word == "<":
            depth -= 1
            if depth == 0:
                return at
        at -= 1
    raise _error(source, end, "before <<< the < of the kernel's template arguments is missing")


def _is_triple(source: Source, at: int, word: str) -> bool:
    """Whether three such tokens follow without space, and those of the end are the last."""
    tokens = source.tokens[at : at + _ADJACENT]
    if [token.text for token in tokens] != [word] * _ADJACENT:
        return False
    if tokens[0].end != tokens[1].start or tokens[1].end != tokens[2].start:
        return False
    after = source.tokens[at + _ADJACENT : at + _ADJACENT + 1]
    return not (word == ">" and after and after[0].text == ">" and after[0].start == tokens[2].end)


def _error(source: Source, at: int, what: str) -> CompileError:
    file, line = source.place(at)
    return CompileError(f"{file}:{line}: error: {what}")
