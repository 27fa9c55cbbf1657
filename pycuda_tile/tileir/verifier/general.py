"""Rules shared by many operations: operands and results that agree in type, shape or rank, and modes.

A rule takes a Place. It returns what it found if the rule is broken, and None otherwise.
"""

from __future__ import annotations

from ..ir import Pointer, Tile
from .place import Place, types


def same_type(place: Place) -> str | None:
    values = place.values(*place.words)
    return None if len({value.type for value in values}) <= 1 else types(values)


def same_shape(place: Place) -> str | None:
    values = place.values(*place.words)
    return None if len({value.type.shape for value in values}) <= 1 else types(values)


def same_element(place: Place) -> str | None:
    values = place.values(*place.words)
    return None if len({value.type.element for value in values}) <= 1 else types(values)


def same_rank(place: Place) -> str | None:
    values = place.values(*place.words)
    return None if len({len(value.type.shape) for value in values}) <= 1 else types(values)


def rounding_mode(place: Place) -> str | None:
    return _mode(place, "rounding_mode")


def rounding(place: Place) -> str | None:
    return _mode(place, "rounding")


def overflow(place: Place) -> str | None:
    return _mode(place, "overflow")


def _mode(place: Place, name: str) -> str | None:
    found = place.attribute(name, place.words[0])
    return None if found in place.words else str(found)


def f32_only(place: Place) -> str | None:
    """The words are rounding modes and flags."""
    element = str(place.op.results[0].type.element)
    used = [w for w in place.words if place.attribute(w) or place.attribute("rounding_mode") == w]
    return f"{used[0]} with {element}" if used and element != "f32" else None


def floor_is_signed(place: Place) -> str | None:
    found = place.attribute("rounding"), place.attribute("signedness")
    return " ".join(found) if found == ("negative_inf", "unsigned") else None


def axis(place: Place) -> str | None:
    name, of = place.words
    number, rank = place.attribute(name), len(place.value(of).type.shape)
    return None if 0 <= number < rank else f"{name} {number} of {place.value(of).type}"


def points_to(place: Place) -> str | None:
    pointers, value = (place.type(word) for word in place.words)
    return None if pointers.element.pointee == value.element else f"{pointers} and {value}"


def ordering(place: Place) -> str | None:
    found = place.attribute("memory_ordering_semantics", place.words[0])
    return None if found in place.words else str(found)


def scope(place: Place) -> str | None:
    order, found = place.attribute("memory_ordering_semantics", "weak"), place.attribute("memory_scope")
    if order == "weak" and found:
        return f"weak with scope {found}"
    return f"{order} without scope" if order != "weak" and not found else None


def scope_of(place: Place) -> str | None:
    found = place.attribute("memory_scope", place.words[0])
    return None if found in place.words else str(found)


def no_f4(place: Place) -> str | None:
    found = [v for v in place.values(*place.words) if str(v.type.element) == "f4E2M1FN"]
    return types(found) if found else None


def is_pointer(type_: object) -> bool:
    return isinstance(type_, Tile) and isinstance(type_.element, Pointer)
