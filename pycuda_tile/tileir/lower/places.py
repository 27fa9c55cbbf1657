"""Views whose tiles overlap or take arbitrary rows, and atomics on views: a tile of pointers and a mask."""

from __future__ import annotations

from typing import NamedTuple

from ..elements import HALF_BYTE
from ..ir import Operation
from ..modes import padding_value
from ..reading import attribute, group, operand, value_element
from .translation import Translation
from .types import NotLowered, Tiles, literal, shape, tile


class Places(NamedTuple):
    """C++ names: pointers to the elements of a tile, and which of them are in the tensor; of elements that
    share bytes, which are in the high half."""

    pointers: str
    inside: str
    high: str = ""


def places(translator: Translation, op: Operation, view: Tiles) -> Places:
    """The places of the tile that the operation's indices select."""
    kind, tensor, line = view.kind, view.tensor, translator.line
    extents, coordinates = shape(kind.tile), []
    for d, (index, n) in enumerate(zip(group(op, "index"), kind.tile, strict=True)):
        name = translator.names[index]
        if d == kind.sparse:
            wide = f"tileir::resize<ct::tile<long long, ct::shape<{n}>>, tileir::as_unsigned>({name})"
        else:
            first = f"tileir::first({name}, {kind.steps[d]}, {tensor.extents[kind.axes[d]]})"
            wide = f"ct::iota<ct::tile<long long, ct::shape<{n}>>>() + {first}"
        coordinates.append(translator.fresh(f"coordinate{d}"))
        flat = shape(tuple(m if i == d else 1 for i, m in enumerate(kind.tile)))
        line(f"auto const {coordinates[-1]} = ct::broadcast(ct::reshape({wide}, {flat}{{}}), {extents}{{}});")
    given = ", ".join(coordinates)
    taken = ", ".join(f"long long i{d}" for d in range(len(coordinates)))
    axes = list(enumerate(kind.axes))
    within = " && ".join(f"i{d} >= 0 && i{d} < {tensor.extents[axis]}" for d, axis in axes)
    offset = " + ".join(f"i{d} * {tensor.strides[axis]}" for d, axis in axes)
    inside, pointers = translator.fresh("inside"), translator.fresh("pointers")
    line(
        f"auto const {inside} = tileir::map<ct::tile<bool, {extents}>>("
        f"[&]({taken}) {{ return {within}; }}, {given});"
    )
    packed = value_element(operand(op, "view")) == HALF_BYTE
    distance = f"({offset}) / 2" if packed else offset
    line(
        f"auto const {pointers} = tileir::map<ct::tile<{tensor.element}*, {extents}>>("
        f"[&](bool in, {taken}) {{ return {tensor.base} + (in ? {distance} : 0); }}, {inside}, {given});"
    )
    if not packed:
        return Places(pointers, inside)
    high = translator.fresh("high")
    line(
        f"auto const {high} = tileir::map<ct::tile<bool, {extents}>>("
        f"[&]({taken}) {{ return ({offset}) % 2 != 0; }}, {given});"
    )
    return Places(pointers, inside, high)


def check_weak(op: Operation) -> None:
    """Raises NotLowered for a strong access to elements of which two share a byte."""
    if attribute(op, "memory_ordering_semantics", "weak") != "weak":
        raise NotLowered("a strong access to elements of which two share a byte")


def outside(op: Operation) -> str:
    """The tile of values for elements beyond the tensor."""
    view = operand(op, "view").type
    kind = tile(str(view.tensor.element), view.tile)
    return f"ct::full<{kind}>({padding(op)})"


def padding(op: Operation) -> str:
    """The value of one of them."""
    view = operand(op, "view")
    kind = value_element(view)
    return literal(padding_value(view.type.padding or "zero", kind)[()], kind)
