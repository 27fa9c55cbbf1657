"""The output of print_tko: C's printf, extended to tiles."""

from __future__ import annotations

import ctypes
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..elements import doubles, unsigned
from ..print_formats import ArrayFormat, Expression, array_format, pieces

_printf = ctypes.CDLL(None).snprintf


def expand(template: str, tiles: Sequence[np.ndarray | str]) -> str:
    """The text with each % expression replaced by the next tile, or by the string that a pointer points to.
    A tile of several elements is printed in brackets with commas, nested as NumPy nests them; what
    cuda_tile::print wrote is printed as it prints."""
    *block, values = tiles or [""]
    if (array := array_format(template)) and isinstance(values, np.ndarray):
        return f"{array.title} in block ({', '.join(map(str, block))})\n{_array_text(array, values)}\n"
    left = iter(tiles)
    return "".join(
        piece if isinstance(piece, str) else _shown(piece, next(left)) for piece in pieces(template)
    )


def _array_text(array: ArrayFormat, tile: np.ndarray) -> str:
    """As NumPy prints an array with these texts of the elements, all as long as the longest one shown."""
    width = 0

    def text(value: np.ndarray) -> str:
        nonlocal width
        if array.is_bool:
            shown = str(bool(value)).lower()
        elif array.value.kind == "p":
            shown = f"{int(value):#x}"
        else:
            shown = _one(array.value, value)
        width = max(width, len(shown))
        return shown.rjust(width)

    _numpy_text(tile, text)  # finds the width
    return _numpy_text(tile, text)


def _numpy_text(tile: np.ndarray, text: Callable[[Any], str]) -> str:
    """With the limits of include/cuda_tile/print/array_text.h."""
    return np.array2string(
        tile, formatter={"all": text}, threshold=1000, edgeitems=3, max_line_width=100, legacy=False
    )


def _shown(expression: Expression, value: np.ndarray | str) -> str:
    if isinstance(value, str):
        return f"%{expression.form}s" % value
    return _nested(value, functools.partial(_one, expression))


def _nested(tile: np.ndarray, text: Callable[[np.ndarray], str]) -> str:
    if tile.ndim == 0:
        return text(tile)
    return "[" + ", ".join(_nested(np.asarray(part), text) for part in tile) + "]"


def _one(expression: Expression, value: np.ndarray) -> str:
    """One element as printf writes it; a conversion that does not fit the element is replaced."""
    if value.dtype.kind not in "bi" and value.dtype.name != "int4":
        number = float(doubles(value))
        # The sign of a NaN is meaningless.
        return _printed(expression.of_float(), ctypes.c_double(math.nan if math.isnan(number) else number))
    form, is_unsigned = expression.of_integer()
    number = int(unsigned(value) if is_unsigned or value.dtype == bool else value)
    return _printed(form, ctypes.c_longlong(number))


def _printed(form: str, number: ctypes.c_double | ctypes.c_longlong) -> str:
    size = _printf(None, 0, form.encode(), number) + 1
    buffer = ctypes.create_string_buffer(size)
    _printf(buffer, size, form.encode(), number)
    return buffer.raw[: size - 1].decode(errors="replace")
