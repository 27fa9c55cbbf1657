"""Modes of Tile IR under the names that cuda_tile.h and the reference give them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
