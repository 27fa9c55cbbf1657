"""Prints numbers the way NVIDIA's disassembler does, and parses them."""

from __future__ import annotations

import re

import numpy as np

from ...spec.element_types import TILEIR_TYPES
from ..dense import splat
from ..elements import bits_of, doubles, from_bits, nearest, to_bits

#: Longer lists are printed as bytes.
_LONG_LIST = 100
_FLOAT = re.compile(
    r"-?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|0x[0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?p[-+]?\d{1,6}|inf|nan)"
)
_BITS = re.compile(r"0x[0-9a-fA-F]+")
_INTEGER = re.compile(r"-?(?:\d+|0x[0-9a-fA-F]+)")


def is_integer(element: str) -> bool:
    return element[0] == "i"


def print_number(bits: int, element: str) -> str:
    """The text of one element: true, -1, 1.000000e+00, 9.99999993E-9, 0x7F800000."""
    if element == "i1":
        return "true" if bits else "false"
    width = bits_of(element)
    if is_integer(element):
        return str(bits - (1 << width) if bits >> (width - 1) else bits)
    value = float(doubles(from_bits([bits], element))[0])
    if np.isfinite(value):
        for text in (_short(value), _full(value, 2 + (TILEIR_TYPES[element].mantissa + 1) * 59 // 196)):
            if "." in text and parse_number(text, element) == bits:
                return text
    return f"0x{bits:0{-(-width // 4)}X}"


def _digits(value: float, precision: int) -> tuple[str, int]:
    """At most `precision` digits d and an exponent e, so that d * 10^e is about the magnitude.

    Excess digits are first cut off, as many whole digits as the number of bits says, then rounded.
    """
    number, divisor = abs(value).as_integer_ratio()
    exponent = 1 - divisor.bit_length()
    number *= 5**-exponent
    cut = max(number.bit_length() - (precision * 196 + 58) // 59, 0) * 59 // 196
    number, exponent = number // 10**cut, exponent + cut
    if (over := len(str(number)) - precision) > 0:
        number, exponent = (number + 5 * 10 ** (over - 1)) // 10**over, exponent + over
    text = str(number)
    kept = text.rstrip("0") or "0"
    return kept, exponent + len(text) - len(kept) if number else 0


def _short(value: float) -> str:
    """Six digits and an exponent: 1.000000e+00."""
    text, exponent = _digits(value, 6)
    sign = "-" if np.signbit(value) else ""
    return f"{sign}{text[0]}.{text[1:]:0<6}e{exponent + len(text) - 1:+03d}"


def _full(value: float, precision: int) -> str:
    """As many digits as make the number unique; an exponent of up to three is written as zeros."""
    text, exponent = _digits(value, precision)
    first = exponent + len(text) - 1
    minus = "-" if np.signbit(value) else ""
    if 0 <= exponent <= 3 and len(text) + exponent <= precision:
        return minus + text + "0" * exponent
    if exponent < 0 <= first:
        return minus + text[: first + 1] + "." + text[first + 1 :]
    if exponent < 0 and first >= -3:
        return minus + "0." + "0" * (-first - 1) + text
    return f"{minus}{text[0]}.{text[1:] or '0'}E{first:+d}"


def parse_number(text: str, element: str) -> int | None:
    """The bits of one element; None if the text is not a number of this type."""
    width = bits_of(element)
    if element == "i1" and text in ("true", "false"):
        return int(text == "true")
    if is_integer(element):
        if not _INTEGER.fullmatch(text) or len(text) > 40:
            return None
        value = int(text, 0) if "0x" in text else int(text)
        return value % (1 << width) if -(1 << width - 1) <= value < 1 << width else None
    if _BITS.fullmatch(text):
        return int(text, 16) if len(text) < 20 and int(text, 16) >> width == 0 else None
    if not _FLOAT.fullmatch(text) or len(text) > 1100:
        return None
    if text[0] == "-" and not TILEIR_TYPES[element].signed:
        return None
    return _float_bits(text, element)


def _float_bits(text: str, element: str) -> int | None:
    """The bits of the nearest element; None for an infinity or a NaN that the type lacks."""
    try:
        value = float.fromhex(text) if "0x" in text else float(text)
    except OverflowError:
        value = -np.inf if text.startswith("-") else np.inf
    found = nearest(np.array([value]), element)
    if text.lstrip("-") in ("inf", "nan") and repr(abs(float(doubles(found)[0]))) != text.lstrip("-"):
        return None
    return int(to_bits(found, element)[0])


def print_dense(array: np.ndarray, element: str) -> str:
    """Elements as a list nested like the shape, as one element if all have the same bits, or as bytes if
    there are many."""
    one = splat(array)
    bits = to_bits(array if one is None else one, element)
    first = bits.reshape(-1)[0]
    if (bits == first).all():
        return print_number(int(first), element)
    if bits.size > _LONG_LIST:
        raw = bits.astype(np.uint8) if bits_of(element) < 8 else np.ascontiguousarray(array)
        return f'"0x{raw.tobytes().hex().upper()}"'
    known = {n: print_number(n, element) for n in np.unique(bits).tolist()}
    return _nested(bits.tolist(), known)


def _nested(values: list, known: dict[int, str]) -> str:
    return "[" + ", ".join(known[v] if isinstance(v, int) else _nested(v, known) for v in values) + "]"
