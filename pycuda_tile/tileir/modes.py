"""Modes of Tile IR under the names that cuda_tile.h and the reference give them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..spec.element_types import TILEIR_TYPES
from .elements import nearest

#: Rounding modes; in C++ `rounding_mode::NAME`, or `NAME_t` as an argument.
ROUNDING = {
    "nearest_even": "round_ties_to_even",
    "nearest_away": "round_ties_to_away",
    "zero": "round_toward_zero",
    "negative_inf": "round_toward_negative",
    "positive_inf": "round_toward_positive",
    "approx": "round_approximate",
    "full": "round_full",
}


class Padding(NamedTuple):
    """The value of elements read beyond a tensor: in C++ `view_padding::NAME`, or `view_padding_NAME_t`."""

    name: str
    value: float


PADDINGS = {
    "zero": Padding("zero", 0.0),
    "neg_zero": Padding("negative_zero", -0.0),
    "nan": Padding("nan", np.nan),
    "pos_inf": Padding("positive_inf", np.inf),
    "neg_inf": Padding("negative_inf", -np.inf),
}


def padding_value(mode: str, element: str) -> np.ndarray:
    """What elements of a type are padded with. A format without infinities has NaN instead, f4E2M1FN, which
    has neither, its largest numbers, and f8E8M0FNU, which has no zero, its smallest number."""
    number, kind = PADDINGS[mode].value, TILEIR_TYPES[element]
    if math.isinf(number) and not kind.specials & {"inf", "nan"}:
        number = math.copysign(kind.greatest, number)
    elif math.isinf(number) and "inf" not in kind.specials:
        number = math.nan
    elif math.isnan(number) and "nan" not in kind.specials:
        number = kind.greatest
    elif "zero" not in kind.specials and number == 0:
        number = 2.0**kind.smallest_exponent
    return nearest(np.float64(number), element)


def header_pads(mode: str, element: str) -> bool:
    """Whether views of cuda_tile.h take a padding for elements of a type."""
    kind = TILEIR_TYPES[element]
    return kind.is_basic or (mode == "zero" and "zero" in kind.specials)
