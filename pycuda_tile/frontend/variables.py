"""Which variables of a source the host keeps for itself: those that no word such as `__device__` gives to
kernels."""

from __future__ import annotations

from collections.abc import Iterable

from .refused import marking_words
from .tokens import Token, tokenize

_MARKS = frozenset({"__device__", "__constant__", "__managed__", "__shared__", "__tile__"})


def unmarked(variables: Iterable[tuple[str, int]], texts: Iterable[str]) -> set[str]:
    """The names of those variables that no declaration in the texts marks. Each has the line of its
    definition: where that does not show the name, a macro made it, which may have marked it."""
    texts, variables = list(texts), set(variables)
    words = marking_words(texts, _MARKS)
    names, shown, marked = {name for name, _ in variables}, set(), set()
    for text in texts:
        tokens = list(tokenize(text, {}))
        for at, token in enumerate(tokens):
            if token.text in names:
                shown |= {token.text} if (token.text, token.line) in variables else set()
                marked |= set() if words.isdisjoint(_head(tokens, at)) else {token.text}
    return shown - marked


def _head(tokens: list[Token], at: int) -> set[str]:
    """The words of the declaration of a name, up to it; none of a parameter."""
    words: set[str] = set()
    depth = 0
    for index in range(at - 1, -1, -1):
        text = tokens[index].text
        if depth == 0 and (text in (";", "{") or (text == "}" and tokens[index + 1].text != ",")):
            break
        depth += (text in (")", "]", "}")) - (text in ("(", "[", "{"))
        if depth < 0:
            return set()
        words.add(text)
    return words
