"""What names stand for, as far as tokens tell."""

from __future__ import annotations

from ...frontend.declarators import closing
from . import launches
from .source import CLUSTER, LAUNCH_BOUNDS, Source

WITH_ARGUMENTS = {
    *("__attribute__", "alignas", "decltype", "noexcept", "requires", "explicit"),
    *(CLUSTER, LAUNCH_BOUNDS),
}
_BEFORE_OPERANDS = {
    *("return", "else", "do", "case", "goto", "throw", "co_return", "co_yield", "co_await"),
    *("new", "delete", "sizeof", "and", "or", "not", "xor", "constexpr"),
}
_CLASS_KEYS = {"struct", "class", "union", "enum", "namespace", "using", "typename", "concept"}
_UNEVALUATED = {"sizeof", "alignof", "decltype", "noexcept", "typeid", "requires"}
_BEFORE_STATEMENTS = {";", "{", "}", "(", ",", "const", "static", "unsigned", "signed", "volatile", "::", ":"}
_BEHIND_DECLARED = {",", ")", ";", "=", "{", "[", ":", "("}


def of_function(source: Source, start: int, end: int) -> str:
    """The name of the function that a declaration is of, with what qualifies it; "" for operators."""
    at = start
    while source.words[at] == "template" and source.words[at + 1] == "<":
        at += closing(source.words[at + 1 : end], 0) + 1
    while at < end:
        word = source.words[at]
        if word == "operator":
            return ""
        if word == "(":
            if source.words[at - 1] not in WITH_ARGUMENTS:
                break
            at = source.partner(at)
        elif word == "[":
            at = source.partner(at)
        at += 1
    last = at - 1
    if source.words[last] == ">":
        last = launches.angle(source, last) - 1
    first = last
    while first - 2 >= start and source.words[first - 1] == "::":
        first -= 2
    is_name = source.tokens[last].kind == "name" and source.words[last - 1] != "~"
    return "".join(source.words[first : last + 1]) if is_name else ""


def is_unqualified(source: Source, at: int) -> bool:
    """Whether a name is neither a member nor qualified by more than ::."""
    words = source.words
    if words[at - 1] == "::":
        return source.tokens[at - 2].kind != "name" and words[at - 2] != ">"
    return words[at - 1] not in (".", "->", "~") and words[at + 1] != "::"


def is_unevaluated(source: Source, at: int) -> bool:
    around = source.around(at)
    while around > 0:
        if source.words[around - 1] in _UNEVALUATED:
            return True
        around = source.around(around)
    return source.words[at - 1] == "sizeof"


def is_class(source: Source, name: str) -> bool:
    """Whether a name is also that of a type, or of what comes from elsewhere by `using`."""
    words = source.words
    places = (at for at, word in enumerate(words) if word == name)
    return any(
        words[at - 1] in _CLASS_KEYS
        or (words[at - 1] == "::" and words[source.declaration_start(at)] == "using")
        for at in places
    )


def is_declared(source: Source, name: str, start: int, brace: int) -> bool:
    """Whether a function, whose body has its braces at `brace`, may declare a name, as that of a parameter or
    of a variable. The function's own name is no such declaration."""
    parameters = next((at for at in range(start, brace) if source.words[at] == "("), brace)
    return any(
        source.words[at] == name and _may_declare(source, at)
        for at in range(parameters, source.partner(brace))
    )


def is_parameter_or_local(source: Source, name: str, brace: int) -> bool:
    """Whether a name is that of a parameter of the function whose body has its braces at `brace`, or of a
    variable that is declared directly in the body."""
    start = source.declaration_start(brace)
    parameters = next((at for at in range(start, brace) if source.words[at] == "("), brace)
    if any(source.words[at] == name and _may_declare(source, at) for at in range(parameters, brace)):
        return True
    body = range(brace + 1, source.partner(brace))
    return any(
        source.words[at] == name and source.around(at) == brace and _declares(source, at) for at in body
    )


def _declares(source: Source, at: int) -> bool:
    """Whether a statement declares a variable whose name is at a token: types come before it."""
    kind = at - 1
    while source.words[kind] in ("*", "&"):
        kind -= 1
    is_type = source.tokens[kind].kind == "name" and source.words[kind] not in _BEFORE_OPERANDS
    return is_type and (kind == at - 1 or source.words[kind - 1] in _BEFORE_STATEMENTS)


def _may_declare(source: Source, at: int) -> bool:
    words = source.words
    before, behind, around = words[at - 1], words[at + 1], source.around(at)
    if source.tokens[at - 1].kind == "name":
        return before not in _BEFORE_OPERANDS
    if before in ("*", "&"):
        kind = at - 1
        while words[kind] in ("*", "&"):
            kind -= 1
        is_type = source.tokens[kind].kind == "name" and words[kind - 1] in _BEFORE_STATEMENTS
        return (is_type or words[kind] == ">") and behind in _BEHIND_DECLARED
    if before == ">":
        statement = range(source.declaration_start(at), at)
        return any(words[i] == "<" and source.around(i) == around for i in statement)
    if words[around] == "[":
        return words[around - 1] in ("auto", "&") or behind == "="
    in_list = words[around] == "{" or words[around - 1] == "for"
    return before == "," and in_list
