"""Which variables of a source the host keeps for itself: those that no word such as `__device__` gives to
kernels."""

from __future__ import annotations

from collections.abc import Iterable

from .refused import marking_words
from .tokens import Token, tokenize

_MARKS = frozenset({"__device__", "__constant__", "__managed__", "__shared__", "__tile__"})


def unmarked(names: Iterable[str], texts: Iterable[str]) -> set[str]:
    """Which of the names of variables no declaration in the texts marks."""
    texts = list(texts)
    left = set(names)
    words = marking_words(texts, _MARKS)
    for text in texts:
        tokens = list(tokenize(text, {})) if left and any(word in text for word in words) else []
        for at, token in enumerate(tokens):
            if token.text in left and not words.isdisjoint(_head(tokens, at)):
                left.remove(token.text)
    return left


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
