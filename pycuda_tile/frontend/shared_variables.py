"""Errors for `__shared__` variables in tile code. To host compilers the word means nothing, so a kernel with
one would run, and give each block and thread a variable of its own."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import Diagnostic
from .refused import tile_words
from .tokens import tokenize

MESSAGE = "tile code has no __shared__ variables: a tile belongs to the block"
HINT = "hint: all threads of a block share its tiles already: write ct::tile<float, ct::shape<16>> t"
_OTHER_CODE = {"__global__", "__device__", "__host__"}


def shared_variables(text: str, file: str, macros: Mapping[str, str]) -> list[Diagnostic]:
    """The errors; `macros` are the compiler's."""
    if "__shared__" not in text:
        return []
    marks = tile_words([text])
    found = []
    head: set[str] = set()  # words since the last statement or block
    in_tile_code = [False]  # for each brace that is open
    for token in tokenize(text, dict(macros)):
        if token.text == "{":
            is_function = bool(head & (marks | _OTHER_CODE))
            in_tile_code.append(not head & _OTHER_CODE if is_function else in_tile_code[-1])
        elif token.text == "}" and len(in_tile_code) > 1:
            in_tile_code.pop()
        elif token.text == "__shared__" and in_tile_code[-1]:
            found.append(Diagnostic(file, token.line, 0, "error", MESSAGE, (HINT,)))
        head = set() if token.text in ("{", "}", ";") else head | {token.text}
    return found
