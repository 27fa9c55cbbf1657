"""Finds the parts of a declaration in its tokens: matching brackets, parameters, their names."""

from __future__ import annotations

from .tokens import Token

OPEN = {"(": ")", "[": "]", "{": "}", "<": ">"}
QUALIFIERS = {
    *("const", "volatile", "__restrict__", "__restrict", "restrict"),
    *("struct", "class", "enum", "typename"),
}
TYPE_WORDS = QUALIFIERS | {
    *("void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto"),
    *("wchar_t", "char8_t", "char16_t", "char32_t"),
}


def closing(words: list[str], at: int) -> int:
    """The index after the bracket that closes the one at `at`; `<` and `>` inside other brackets are
    operators."""
    nest: list[str] = []
    for index in range(at, len(words)):
        word = words[index]
        if word in OPEN and (word != "<" or not nest or nest[-1] == ">"):
            nest.append(OPEN[word])
        elif nest and word == nest[-1]:
            nest.pop()
            if not nest:
                return index + 1
    return len(words)


def split(tokens: list[Token]) -> list[list[Token]]:
    """The parts between the commas outside brackets."""
    parts: list[list[Token]] = [[]]
    words = [token.text for token in tokens]
    index = 0
    while index < len(tokens):
        if words[index] in OPEN:
            end = closing(words, index)
            parts[-1] += tokens[index:end]
            index = end
            continue
        if words[index] == ",":
            parts.append([])
        else:
            parts[-1].append(tokens[index])
        index += 1
    return parts


def param_name(part: list[Token]) -> int | None:
    """The index of a parameter's name among its tokens, None if it has none."""
    words = [token.text for token in part]
    end = len(part)
    while "[" in words[:end] and words[end - 1] == "]":  # float x[4], but not an attribute in front
        start = len(words) - 1 - words[::-1].index("[", len(words) - end)
        if start == 0:
            break
        end = start
    for index in range(len(part) - 2):
        if words[index] == "(" and words[index + 1] in ("*", "&") and part[index + 2].kind == "name":
            return index + 2  # void (*f)(int)
    if end < 2 or part[end - 1].kind != "name" or words[end - 1] in TYPE_WORDS or words[end - 2] == "::":
        return None
    if all(word in QUALIFIERS for word in words[: end - 1]):  # `const tile` is a type without a name
        return None
    return end - 1


def length_without_default(part: list[Token]) -> int:
    """The number of tokens of a parameter before its default."""
    depth = 0
    for index, token in enumerate(part):
        depth += (token.text in OPEN) - (token.text in OPEN.values())
        if token.text == "=" and depth == 0:
            return index
    return len(part)
