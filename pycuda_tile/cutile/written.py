"""Which arrays a kernel stores to, as far as that can be told from its Tile IR."""

from __future__ import annotations

from ..tileir.ir import Entry, TensorView, TileView, Value, walk
from ..tileir.reading import is_pointer, operands_of

# What these store to is their operand of one of these names.
_STORES = {"store_ptr_tko", "store_view_tko", "atomic_cas_tko", "atomic_rmw_tko", "atomic_red_view_tko"}
_DESTINATIONS = ("destination", "pointers", "view")


def written_parameters(entry: Entry) -> list[int]:
    """The positions of the parameters that point to what the entry stores to. Pointers that loops carry, or
    that come from memory, are not traced."""
    made_of = {
        id(result): next(filter(_leads_to_memory, operands_of(op)), None)
        for op in walk(entry.body)
        if not op.regions and not op.name.startswith("load")
        for result in op.results
    }
    written = set()
    for op in walk(entry.body):
        if op.name in _STORES:
            place = next(op.operands[name][0] for name in _DESTINATIONS if name in op.operands)
            while (origin := made_of.get(id(place))) is not None:
                place = origin
            written.add(id(place))
    return [i for i, parameter in enumerate(entry.params) if id(parameter) in written]


def _leads_to_memory(value: Value) -> bool:
    return is_pointer(value) or isinstance(value.type, (TensorView, TileView))
