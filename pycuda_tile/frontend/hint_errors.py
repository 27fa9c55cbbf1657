"""Errors in hints that NVIDIA's compiler reports: wrong grammar, and values that are not constants.

Other compilers ignore unknown attributes, so builds check hints here. As this module only sees tokens, it
takes a name for a variable if a built-in type without const precedes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from ..errors import Diagnostic
from .hints import MalformedHint, find, parse
from .scan import function_name
from .tokens import Token, expand, tokenize

_TYPES = {
    *("bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "auto", "size_t"),
    *("int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"),
}
_DECLARES_NO_CONSTANTS = re.compile(r"[<\"](?:(?:crt/)?cuda_tile[\w/.]*|cuda_\w+\.h|nv/target|[a-z_]+)[>\"]")
_BEHIND_A_NAME = ("=", ";", ",", ")", "{", "[", ":")


def hint_errors(text: str, file: str, macros: Mapping[str, str]) -> list[Diagnostic]:
    """The errors of the hints in a source; `macros` are the compiler's."""
    if "hint" not in text:
        return []
    known = dict(macros)
    every_token = list(tokenize(text, known))
    tokens = [token for token in every_token if token.kind != "include"]
    hints = dict(find(text, tokens))
    undeclared = _only_in_hints(every_token, hints.values())
    found = []
    for at, visible in _places(tokens, hints):
        written, line = hints[at], tokens[at].line
        try:
            pairs = parse(expand(written, known), line)
        except MalformedHint as error:
            found.append(Diagnostic(file, line, 0, "error", str(error)))
            continue
        variables = visible | _parameters(tokens, at)
        for part in dict.fromkeys(part for pair in pairs for part in (pair.arch, pair.value)):
            if name := _variable_in(part, variables):
                message = f"hint({written}): a hint takes integral constants, but {name} is a variable"
                found.append(Diagnostic(file, line, 0, "error", message))
            elif part in undeclared:
                message = f"hint({written}): a hint takes integral constants, but {part} is not declared"
                if arch := re.fullmatch(r"sm_(\d+)[af]?", part):
                    message += f": write {arch[1]}0 for {part}"
                found.append(Diagnostic(file, line, 0, "error", message))
    return found


def _only_in_hints(tokens: Sequence[Token], hints: Iterable[str]) -> set[str]:
    """Names that only hints have, so that nothing declares them, if no header of the user's can."""
    if not all(_DECLARES_NO_CONSTANTS.fullmatch(t.text) for t in tokens if t.kind == "include"):
        return set()
    everywhere = Counter(token.text for token in tokens if token.kind == "name")
    inside = Counter(t.text for written in hints for t in tokenize(written, {}) if t.kind == "name")
    constants = {"true", "false"}
    return {n for n in inside if inside[n] == everywhere[n] and not n.isupper()} - constants


def _variable_in(expression: str, variables: set[str]) -> str:
    words = [token.text for token in tokenize(expression, {})]
    if "sizeof" in words or "decltype" in words:
        return ""
    return next((word for word in words if word in variables), "")


def _places(tokens: Sequence[Token], hints: Container[int]) -> Iterator[tuple[int, set[str]]]:
    """(index, the variables that are visible there) of each hint."""
    scopes: list[set[str]] = [set()]
    pending: set[str] = set()  # parameters, and variables of a for statement
    depth = at = 0
    while at < len(tokens):
        text = tokens[at].text
        if text == "template" and at + 1 < len(tokens) and tokens[at + 1].text == "<":
            at = _behind_angles(tokens, at + 1)
            continue
        depth += (text in ("(", "[")) - (text in (")", "]"))
        if text == "{":
            scopes.append(pending)
            pending = set()
        elif text == "}":
            scopes = scopes[:-1] or [set()]
        elif text == ";" and depth == 0:
            pending = set()
        elif at in hints:
            yield at, pending.union(*scopes)
        elif name := _declares(tokens, at):
            is_variable = not _is_constant(tokens, at)
            for scope in (pending, *scopes):
                scope.discard(name)
            if is_variable and len(scopes) + depth > 1:
                (pending if depth else scopes[-1]).add(name)
        at += 1


def _behind_angles(tokens: Sequence[Token], at: int) -> int:
    depth = 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].text == "<") - (tokens[index].text == ">")
        if depth == 0:
            return index + 1
    return len(tokens)


def _declares(tokens: Sequence[Token], at: int) -> str:
    """The name at this index if it is declared here with a built-in type."""
    if tokens[at].kind != "name" or tokens[at].text in _TYPES or at + 1 >= len(tokens) or at == 0:
        return ""
    if tokens[at + 1].text not in _BEHIND_A_NAME:
        return ""
    before = at - 1
    while before > 0 and tokens[before].text in ("*", "&", "const"):
        before -= 1
    return tokens[at].text if tokens[before].text in _TYPES else ""


def _is_constant(tokens: Sequence[Token], at: int) -> bool:
    """Whether a name is declared const or constexpr, whatever its initializer."""
    while at > 0 and tokens[at].text not in (";", "{", "}", "(", ","):
        if tokens[at].text in ("const", "constexpr"):
            return True
        at -= 1
    return False


def _parameters(tokens: Sequence[Token], at: int) -> set[str]:
    """The parameters of the kernel that a hint precedes, except names that already mean something else."""
    end = next((i for i in range(at, len(tokens)) if tokens[i].text in (";", "{", "}")), len(tokens))
    head = list(tokens[at:end])
    name = function_name(head) if "__tile_global__" in [token.text for token in head] else None
    if name is None:
        return set()
    declared = {found for index in range(name, len(head)) if (found := _declares(head, index))}
    return declared - {token.text for token in tokens[:at]}
