"""Rules of operations that move elements."""

from __future__ import annotations

import math

from .legal import PACKED
from .place import Place, types


def broadcast_extents(place: Place) -> str | None:
    source, result = place.type("source"), place.type("result")
    ok = all(m in (1, n) for m, n in zip(source.shape, result.shape, strict=True))
    return None if ok else f"{source} to {result}"


def cat_extents(place: Place) -> str | None:
    dim, values = place.attribute("dim"), place.values("lhs", "rhs", "result")
    first, second, whole = (list(value.type.shape) for value in values)
    first[dim] += second[dim]
    second[dim] = whole[dim]
    return None if first == second == whole else types(values)


def slices_divide(place: Place) -> str | None:
    """The slice is the result of `extract` and the source of `insert`."""
    names = ("destination", "source") if place.op.name == "insert" else ("source", "result")
    whole, part = (place.type(name) for name in names)
    ok = all(n % m == 0 for n, m in zip(whole.shape, part.shape, strict=True))
    return None if ok else f"{part} in {whole}"


def index_per_axis(place: Place) -> str | None:
    rank, indices = len(place.type("source").shape), place.values("indices")
    if len(indices) != rank:
        return f"{len(indices)} indices of {place.type('source')}"
    return None if len({value.type for value in indices}) <= 1 else types(indices)


def packed_length(place: Place) -> str | None:
    values = place.values("source", "result")
    widths = [PACKED[str(v.type.element)] for v in values]
    lengths = [math.prod(v.type.shape) * width for v, width in zip(values, widths, strict=True)]
    return None if lengths[0] == lengths[1] and widths[0] != widths[1] else types(values)


def permutation(place: Place) -> str | None:
    order = list(place.attribute("permutation"))
    source, result = place.type("source").shape, place.type("result").shape
    if len(source) < 2 or sorted(order) != list(range(len(source))):
        return f"{order}, where there are {len(source)} axes"
    ok = all(result[d] == source[axis] for d, axis in enumerate(order))
    return None if ok else f"{order} and {types(place.values('source', 'result'))}"


def equal_count(place: Place) -> str | None:
    values = place.values("source", "result")
    counts = {math.prod(value.type.shape) for value in values}
    return None if len(counts) == 1 else types(values)
