"""vectors: how the values of a nest are held in C++.

A value that varies along the vector axis is a strip, a small tile, and any other a single element. The header
decides how long a strip is, by the instruction set that it is compiled for (cuda_tile/loops/strips.h), and
compilers keep strips in vector registers. The passes before this one name no instruction set.
"""

from __future__ import annotations

from ..ir import Operation, Pointer, Scalar, Tile, Value
from ..lower.types import element
from ..reading import operands_of, value_element
from .stages import Nest

#: The C++ name of the length of a nest's strips.
LENGTH = "strip"
#: Strips have no more elements than this. Loops from row to row hold fewer values, and the longer a strip is,
#: the fewer times they come back to a row, which memory is slow to give.
_MOST_ALONG, _MOST_ACROSS = 32, 64


class _Length(int):
    """A strip's length: a name in C++, of which nothing else is known here."""

    def __str__(self) -> str:
        return LENGTH


def _kinds(nest: Nest) -> list[str]:
    """The types of the elements of a nest's strips; not of those that only addresses are made of."""
    computed = set().union(*nest.needed.values())
    masks = nest.masks - {id(value) for value in nest.outputs}
    strips = [v for op in nest.ops for v in op.results if nest.has_lanes(v) and id(v) not in masks]
    found = {
        element(value_element(v))
        for v in strips
        if id(v) in computed or (not nest.is_inner(v) and id(v) in nest.used)
    }
    return sorted(kind for kind in found if not kind.endswith("*"))


def length(nest: Nest) -> str:
    """The definition of the length of a nest's strips."""
    kinds = _kinds(nest)
    extent = nest.axes.extents[nest.vector]
    if nest.inner == nest.vector and any(op.name == "reduce" for op in nest.ops):
        return f"constexpr unsigned {LENGTH} = loops::reduction_lanes<{extent}>;"
    most = _MOST_ALONG if nest.inner == nest.vector else _MOST_ACROSS
    count = ", ".join([str(extent), str(most), *(kinds or ["float"])])
    return f"constexpr unsigned {LENGTH} = loops::strip_length<{count}>();"


def mask(nest: Nest) -> str:
    """The definition of the type of a mask's elements, if there are masks: as wide as what is compared and
    selected, so that compilers need not repack them."""
    if not nest.masks:
        return ""
    around = [
        value
        for op in nest.ops
        if any(id(v) in nest.masks for v in [*operands_of(op), *op.results])
        for value in [*operands_of(op), *op.results]
        if nest.has_lanes(value) and value_element(value) != "i1"
    ]
    kinds = sorted({element(value_element(value)) for value in around})
    return f"using mask = loops::truth<{', '.join(kinds or _kinds(nest))}>;"


def held(nest: Nest, value: Value) -> Tile:
    """The type of what stands for a value."""
    kind: Scalar | Pointer = Scalar("mask") if id(value) in nest.masks else value.type.element
    return Tile(kind, (_Length(2),) if nest.has_lanes(value) else ())


def row(nest: Nest, value: Value) -> Tile:
    """The type of a row along the inner axis: of elements, of which each is a strip if that axis has none."""
    extent = nest.axes.extents[nest.inner]
    across = nest.has_lanes(value) and nest.inner != nest.vector
    return Tile(value.type.element, (extent, _Length(2)) if across else (extent,))


def narrowed(nest: Nest, op: Operation) -> Operation:
    """An operation on what stands for its operands."""
    operands = {
        name: [Value(held(nest, v)) if isinstance(v.type, Tile) else v for v in values]
        for name, values in op.operands.items()
    }
    results = [Value(held(nest, v) if isinstance(v.type, Tile) else v.type) for v in op.results]
    return Operation(op.name, operands, op.attributes, results, op.regions, op.line, op.location)


def scalar(op: Operation) -> Operation:
    """The same for single elements, whatever the nest."""
    operands = {
        name: [Value(Tile(v.type.element, ())) for v in values] for name, values in op.operands.items()
    }
    results = [Value(Tile(value.type.element, ())) for value in op.results]
    return Operation(op.name, operands, op.attributes, results, op.regions, op.line, op.location)
