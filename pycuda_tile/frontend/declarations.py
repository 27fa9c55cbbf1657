"""Reads the tokens of a C++ declaration: the names in it and those that it declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from .tokens import Token

_WITH_ARGUMENTS = {"alignas", "__align__", "__attribute__", "decltype", "noexcept", "__launch_bounds__"} | {
    *("__cluster_dims__", "explicit", "requires", "typeof", "asm", "__declspec")
}
CLASS = {"class", "struct", "union"}
_NO_NAMES = {"template", *_WITH_ARGUMENTS}
_BEHIND_A_NAME = ("(", "=", ";", ",", "[", "{", ":", "<")


def named(tokens: Iterable[Token]) -> set[str]:
    return {token.text for token in tokens if token.kind == "name"}


def _takes_arguments(tokens: Sequence[Token], at: int) -> bool:
    """Whether the bracket at `at` belongs to an attribute or the like, and not to a function."""
    return at > 0 and tokens[at - 1].text in _WITH_ARGUMENTS


def outer_words(tokens: Sequence[Token]) -> list[str]:
    """The words outside brackets, with "()" for parameters, without the template arguments of `template`."""
    words: list[str] = []
    depth = angle = 0
    for at, token in enumerate(tokens):
        if token.text in ("(", "["):
            if depth == angle == 0 and token.text == "(" and not _takes_arguments(tokens, at):
                words.append("()")
            depth += 1
        elif token.text in (")", "]"):
            depth -= 1
        elif depth:
            continue
        elif token.text == "<" and (angle or words[-1:] == ["template"]):
            angle += 1
        elif token.text == ">" and angle:
            angle -= 1
        elif not angle:
            words.append(token.text)
    return words


def function_name(head: Sequence[Token]) -> str:
    """The name before a function's parameters, "operator" for all operators, "" if it is not found."""
    words = [token.text for token in head]
    if "operator" in words:
        return "operator"
    depth = angle = 0
    for at, token in enumerate(head):
        if token.text == "<" and not depth:
            angle += 1
        elif token.text == ">" and not depth and words[at - 1] != "-":
            angle -= 1
        elif token.text == "(" and depth == 0 and angle <= 0 and not _takes_arguments(head, at):
            return _name_before(head, at)
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
    return ""


def _name_before(tokens: Sequence[Token], at: int) -> str:
    at -= 1
    if at >= 0 and tokens[at].text == ">":  # of a specialization: launch<float>(...)
        depth = 0
        while at >= 0:
            depth += (tokens[at].text == ">") - (tokens[at].text == "<")
            at -= 1
            if depth == 0:
                break
    return tokens[at].text if at >= 0 and tokens[at].kind == "name" else ""


def is_member_value(words: Sequence[str]) -> bool:
    """Whether braces after these words hold the value of a member: X() : a{1}, b{2} {}"""
    behind = words[words.index("()") + 1 :]
    return ":" in behind and bool(re.fullmatch(r"[A-Za-z_]\w*|>", words[-1])) and words[-1] != "try"


def class_name(head: Sequence[Token]) -> str:
    """The name after class or struct, "" if there is none."""
    words = [token.text for token in head]
    found, depth = "", 0
    key = max(words.index(word) for word in CLASS if word in words)
    for at in range(len(words) - 1, -1, -1):  # the last one: others are of template parameters
        if words[at] in CLASS and (at == 0 or words[at - 1] not in ("<", ",")):
            key = at
            break
    for token in head[key + 1 :]:
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if token.text in (":", "<"):
            break
        if token.kind == "name" and not depth and token.text not in (*_WITH_ARGUMENTS, "final"):
            found = token.text
    return found


def declared_names(tokens: Sequence[Token]) -> set[str]:
    """The names that a declaration may declare: those before what follows a name in one."""
    found, depth, in_value = set(), 0, False
    for token, following in pairwise(tokens):
        if depth == 0 and token.text == ",":
            in_value = False
        is_name = token.kind == "name" and token.text not in _NO_NAMES
        if is_name and depth == 0 and not in_value and following.text in _BEHIND_A_NAME:
            found.add(token.text)
            in_value = following.text in ("=", "(", "{")
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
    return found


def length_of_head(tokens: Sequence[Token]) -> int:
    """The number of a declaration's tokens before a value or a body."""
    return next((at for at, token in enumerate(tokens) if token.text in ("{", "=")), len(tokens))
