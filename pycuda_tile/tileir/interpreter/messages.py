"""What print_tko prints: C's printf, with tiles."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from .elements import unsigned

_EXPRESSION = re.compile(
    r"%(?P<flags>[-+ #0]*)(?P<width>\d*)(?P<precision>\.\d*)?(?:hh|h|ll|l|j|z|t|L)?(?P<kind>.)"
)


def expand(template: str, tiles: Sequence[np.ndarray]) -> str:
    """The text with each % expression replaced by the next tile; one of more elements stands in brackets,
    its rows apart by commas, as NumPy nests them."""
    left = iter(tiles)

    def replace(match: re.Match) -> str:
        if match["kind"] == "%":
            return "%"
        tile = next(left, None)
        if tile is None:
            return match[0]
        return _nested(tile, lambda value: _one(match, value))

    return _EXPRESSION.sub(replace, template)


def _nested(tile: np.ndarray, text) -> str:
    if tile.ndim == 0:
        return text(tile)
    return "[" + ", ".join(_nested(part, text) for part in np.asarray(tile)) + "]"


def _one(match: re.Match, value: np.ndarray) -> str:
    """One element as printf writes it; a kind that does not fit the element is chosen anew."""
    kind = match["kind"]
    value = np.asarray(value)
    form = f"%{match['flags']}{match['width']}{match['precision'] or ''}"
    if value.dtype.kind in "biu" or value.dtype.name == "int4":
        read_unsigned = kind in "uxXop" or value.dtype == bool
        number = int(unsigned(value)) if read_unsigned else int(value)
        if kind == "c":
            return chr(number & 255)
        return form % number if kind is None else (form + (kind if kind in "xXo" else "d")) % number
    number = float(value)
    return (form + (kind if kind in "eEfFgG" else "f")) % number
