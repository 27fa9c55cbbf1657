"""effects: what a group reads and writes, and when its loops keep the order of the program.

A strip is stored before the next one is loaded, so a load may meet what a store of the same group has
written. That is harmless if both are to the same place, position by position, or to memory that does not
overlap, which is tested when the group runs. What cannot be tested starts a new group.

Accesses through pointers of which neither affine.py nor quasi_affine.py knows the form, or through a view
that chooses elements one by one, run on whole tiles between groups: the header looks for neighbours among the
pointers of a tile, and fetches others ahead. So do strong accesses, whose order then is that of the program.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..elements import HALF_BYTE
from ..ir import Operation, Value
from ..reading import group, operand, optional_operand, value_element
from .affine import Affine, Analysis, Limit, Range
from .facts import LOADS, STORES, is_weak
from .fallback import Fallback
from .quasi_affine import Index, index_of, pointers_of


@dataclass(eq=False)
class Access:
    """A load or store.

    place:    equal for accesses to the same elements
    pointers: of an access through pointers, the form of these
    limits:   of such an access, which elements its mask leaves
    conditions: other masks that must hold for these
    mask:     its mask, if limits and conditions do not say the same; loops that compute conditions once a row
              have no use for it (stages.py)
    index:    of an access through pointers that are no such form, what loops compute them from
    ranges:   tiles of integers of which none may wrap around, or the pointers are others
    limited:  the same for the limits
    """

    op: Operation
    value: Value
    place: Any
    pointers: Affine | None = None
    limits: list[Limit] = field(default_factory=list)
    ranges: list[Range] = field(default_factory=list)
    mask: Value | None = None
    index: Index | None = None
    conditions: list[Value] = field(default_factory=list)
    limited: list[Range] = field(default_factory=list)

    @property
    def stores(self) -> bool:
        return self.op.name in STORES


@dataclass
class Effects:
    """The accesses of a group in the order of the program.

    disjoint:  pairs that must not overlap
    in_place:  stores to where a load of the group reads, by the identity of the load's operation
    """

    accesses: list[Access] = field(default_factory=list)
    disjoint: list[tuple[Access, Access]] = field(default_factory=list)
    in_place: dict[int, Access] = field(default_factory=dict)


def effects(ops: list[Operation], analysis: Analysis) -> Effects:
    found = Effects()
    for op in ops:
        if op.name not in LOADS and op.name not in STORES:
            continue
        access = _access(op, analysis)
        for earlier in found.accesses:
            if access.stores or earlier.stores:
                _order(found, earlier, access, analysis)
        found.accesses.append(access)
    return found


def _order(found: Effects, earlier: Access, later: Access, analysis: Analysis) -> None:
    if earlier.place != later.place:
        if _overlap(earlier, later, analysis):
            what = "stores" if earlier.stores else "loads in part"
            raise Fallback(later.op, f"it accesses what an operation before it {what}", by_order=True)
        found.disjoint.append((earlier, later))
    elif later.index is not None and later.stores:
        raise Fallback(later.op, "its pointers may be equal", on_tiles=True)
    elif earlier.stores:
        raise Fallback(later.op, "it accesses what an operation before it stores", by_order=True)
    else:
        found.in_place[id(earlier.op)] = later


def _overlap(one: Access, other: Access, analysis: Analysis) -> bool:
    """Whether two accesses through pointers certainly share elements, at other positions, if all exist."""
    if one.pointers is None or other.pointers is None or one.pointers.steps != other.pointers.steps:
        return False
    if value_element(one.value) != value_element(other.value):
        return False
    distance = analysis.distance(one.pointers.value, other.pointers.value)
    if not distance:
        return False
    known = ((axis, step[()]) for axis, step in one.pointers.steps.items() if step.keys() == {()})
    return any(
        distance % step == 0 and abs(distance // step) < analysis.axes.extents[axis] for axis, step in known
    )


def _access(op: Operation, analysis: Analysis) -> Access:
    if not is_weak(op):
        raise Fallback(op, "it is a strong access", on_tiles=True)
    if "view" in op.operands:
        value = op.results[0] if op.name in LOADS else operand(op, "tile")
        view, indices = operand(op, "view"), group(op, "index")
        if value_element(view) == HALF_BYTE:
            raise Fallback(op, "two of its elements share a byte")
        if any(id(index) in analysis.definitions for index in indices):
            raise Fallback(op, "operations before it compute its index")
        return Access(op, value, ("view", id(view), *map(id, indices), analysis.axes.of(value)))
    value = op.results[0] if op.name in LOADS else operand(op, "value")
    pointer = pointers_of(op)
    pointers = analysis.pointers(pointer)
    mask, padding = optional_operand(op, "mask"), optional_operand(op, "paddingValue")
    index = _index(op, analysis) if pointers is None else None
    if (pointers is None and index is None) or (padding is not None and not analysis.is_uniform(padding)):
        raise Fallback(op, "its pointers or its padding are arbitrary", on_tiles=True)
    form, ranges = pointers or (None, [])
    place = ("pointers", analysis.structure(pointer))
    access = Access(op, value, place, form, [], ranges, mask, index)
    if mask is not None:
        limits, limited, conditions = analysis.limits(mask)
        if index is None or not any(limit.is_least for limit in limits):
            access.limits, access.limited, access.conditions = limits, limited, conditions
            access.mask = mask if conditions else None
    return access


def _index(access: Operation, analysis: Analysis) -> Index | None:
    """The index of an access's pointers, if what loops compute it from is known before them."""
    index = index_of(access, analysis)
    if index is None or any(id(value) in analysis.definitions for value in index.given):
        return None
    return index
