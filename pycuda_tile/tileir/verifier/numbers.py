"""Rules of conversions, constants and matrix products."""

from __future__ import annotations

import numpy as np

from ...spec.element_types import TILEIR_TYPES
from ..elements import bits_of
from .place import Place, types

_IEEE = {"nearest_even", "zero", "negative_inf", "positive_inf"}
#: Rounding modes for conversions to a format that does not have all values of the other one.
_NARROWING = {
    "f16": {"nearest_even", "zero"},
    "bf16": {"nearest_even", "zero"},
    "f32": {"nearest_even", "zero"},
    "tf32": {"nearest_even", "zero"},
    "f8E8M0FNU": {"zero", "positive_inf"},
}
_SUMS = {
    "f8E4M3FN": {"f16", "f32"},
    "f8E5M2": {"f16", "f32"},
    "f16": {"f16", "f32"},
    "bf16": {"f32"},
    "tf32": {"f32"},
    "f32": {"f32"},
    "f64": {"f64"},
}


def _ends(place: Place) -> tuple[str, str]:
    """The element types that a conversion converts from and to."""
    (source,), result = next(iter(place.op.operands.values())), place.op.results[0]
    return str(source.type.element), str(result.type.element)


def _both(place: Place) -> str:
    return " to ".join(_ends(place))


def equal_width(place: Place) -> str | None:
    source, result = _ends(place)
    are_numbers = source in TILEIR_TYPES and result in TILEIR_TYPES
    return None if are_numbers and bits_of(source) == bits_of(result) else _both(place)


def wider(place: Place) -> str | None:
    source, result = _ends(place)
    return None if bits_of(source) < bits_of(result) else _both(place)


def narrower(place: Place) -> str | None:
    source, result = _ends(place)
    return None if bits_of(source) > bits_of(result) else _both(place)


def other_element(place: Place) -> str | None:
    source, result = _ends(place)
    return _both(place) if source == result else None


def _widens(source: str, result: str) -> bool:
    """Whether a format has all values of another one, according to NVIDIA's tools."""
    wide = TILEIR_TYPES[result]
    return wide.bits > 8 and source != result and wide.holds(TILEIR_TYPES[source])


def ftof_rounding(place: Place) -> str | None:
    source, result = _ends(place)
    allowed = _NARROWING.get(result, {"nearest_even"})
    if _widens(source, result):
        allowed = _IEEE | {"nearest_away"}
    elif (source, result) == ("f64", "f32"):
        allowed = _IEEE
    elif (source, result) == ("f32", "tf32"):
        allowed = allowed | {"nearest_away"}
    found = place.attribute("rounding_mode", "nearest_even")
    return None if found in allowed else f"{found} from {source} to {result}"


def value_fits(place: Place) -> str | None:
    value, type_ = place.attribute("value"), place.type("result")
    return None if np.shape(value) in ((), type_.shape) else f"a value of shape {np.shape(value)} for {type_}"


def iota_fits(place: Place) -> str | None:
    type_ = place.type("result")
    return None if type_.shape[0] <= 1 << bits_of(str(type_.element)) else str(type_)


def mma_shapes(place: Place) -> str | None:
    values = place.values("lhs", "rhs", "acc")
    lhs, rhs, acc = (value.type.shape for value in values)
    ok = len(lhs) == len(rhs) == len(acc) and len(lhs) in (2, 3)
    ok = ok and lhs[:-2] == rhs[:-2] == acc[:-2] and lhs[-1] == rhs[-2] and acc[-2:] == (lhs[-2], rhs[-1])
    return None if ok else types(values)


def mma_types(place: Place) -> str | None:
    lhs, acc = str(place.type("lhs").element), str(place.type("acc").element)
    return None if acc in _SUMS[lhs] else f"{lhs} summed to {acc}"


def scale_types(place: Place) -> str | None:
    values = place.values("lhs", "lhs_scale")
    scaled, scale = (str(value.type.element) for value in values)
    return None if scale == "f8E8M0FNU" or scaled == "f4E2M1FN" else f"{scaled} scaled by {scale}"


def scale_shapes(place: Place) -> str | None:
    """A scale has the shape of what it scales, except along axis K, where it has one element per block."""
    small, by = (str(place.type(name).element) for name in ("lhs", "lhs_scale"))
    blocks = {32} if small != "f4E2M1FN" else {16} if by == "f8E4M3FN" else {16, 32}
    blocks_of_both = []
    for name, along in (("lhs", -1), ("rhs", -2)):
        whole, scale = list(place.type(name).shape), list(place.type(f"{name}_scale").shape)
        if len(whole) != len(scale):
            return types(place.values(name, f"{name}_scale"))
        blocks_of_both.append(whole[along] / scale[along])
        whole[along] = scale[along] = 0
        if whole != scale or blocks_of_both[-1] not in blocks:
            return types(place.values(name, f"{name}_scale"))
    same = len(set(blocks_of_both)) == 1
    return None if same else types(place.values("lhs_scale", "rhs_scale"))
