"""slices: loops whose rounds handle the rows of their tiles apart, and load each row on from where the round
before ended. All rounds for one row come first then: memory is read on and on, and the row's sums stay in the
innermost cache.

The loop of rows, which all nests of such a loop have, is written around its rounds. No element is computed in
another order.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import Block, Operation, Value, walk
from ..lower.types import Tiles
from ..reading import group, is_token, operand, operands_of, region
from .facts import has_tiles, is_pure, is_tile, is_window
from .groups import Item
from .stages import Nest

#: Rows of fewer elements are not worth what each round does before its loops.
_LEAST_ROW = 128
_WIDENS = frozenset({"exti", "assume"})


def may_have_slices(loop: Operation) -> bool:
    """Whether rounds of a loop only load and compute tiles, and hand on nothing else."""
    body = region(loop, 0)
    *ops, end = body.ops
    pairs = list(zip(body.arguments[1:], operands_of(end), strict=False))
    return (
        end.name == "continue"
        and any(is_tile(argument) for argument, _ in pairs)
        and all(is_tile(argument) or is_token(argument) or value is argument for argument, value in pairs)
        and all(is_pure(op) or op.name == "load_view_tko" for op in ops)
    )


def rows_of(loop: Operation, items: list[Item], written: set[int], views: Mapping[int, Tiles]) -> int:
    """How many rows the nests of a loop have in common; 0 if these are not apart.

    items:    what its rounds are made of
    written:  values, by identity, that nests write to where the loop carries them
    views:    what is known of views, by identity
    """
    nests = [item for item in items if isinstance(item, Nest)]
    singles = [item for item in items if isinstance(item, Operation) and item.name != "continue"]
    if not nests or any(has_tiles(op) for op in singles):
        return 0
    if not all(nest.outer and not nest.views and not any(map(is_window, nest.ops)) for nest in nests):
        return 0
    counts = {nest.axes.extents[nest.outer[0]] for nest in nests}
    if len(counts) > 1 or any(nest.elements < _LEAST_ROW * max(counts) for nest in nests):
        return 0
    body = region(loop, 0)
    loads = [(nest, access.op) for nest in nests for access in nest.effects.accesses]
    moving = _moving(body)
    if not loads or not all(_goes_on(nest, load, body, moving, views) for nest, load in loads):
        return 0
    inside = {id(value) for value in body.arguments} | {id(v) for op in walk(body) for v in op.results}
    dims: dict[int, int] = {}  # of the rows, by the identity of a value
    for nest in nests:
        taken = [value for value in nest.taken() if id(value) in inside]
        if not all(_has_rows(nest, value, dims) for value in [*taken, *nest.outputs]):
            return 0
    carried = zip(body.arguments[1:], operands_of(body.ops[-1]), strict=True)
    for argument, value in ((a, v) for a, v in carried if is_tile(a) and v is not a):
        if id(value) not in written or dims.get(id(argument), dims[id(value)]) != dims[id(value)]:
            return 0
    return counts.pop()


def _moving(body: Block) -> set[int]:
    """The values, by identity, that differ from round to round."""
    found = {id(value) for value in body.arguments}
    for op in walk(body):
        if any(id(value) in found for value in operands_of(op)):
            found |= {id(value) for value in op.results}
    return found


def _goes_on(nest: Nest, load: Operation, body: Block, moving: set[int], views: Mapping[int, Tiles]) -> bool:
    """Whether a load moves along the vector axis alone, by a tile with each round, or stays."""
    view = views.get(id(operand(load, "view")))
    if view is None:
        return False
    own, made = nest.axes.of(load.results[0]), {id(v): op for op in body.ops for v in op.results}
    for d, index in enumerate(group(load, "index")):
        if id(index) not in moving:
            continue
        while id(index) in made and made[id(index)].name in _WIDENS:
            (index,) = operands_of(made[id(index)])
        is_next = index is body.arguments[0] and view.kind.steps[d] == view.kind.tile[d]
        if own[d] != (nest.vector,) or view.tensor.strides[view.kind.axes[d]] != "1" or not is_next:
            return False
    return True


def _has_rows(nest: Nest, value: Value, dims: dict[int, int]) -> bool:
    """Whether the rows of a nest's loop are one dimension of a value, the same in all nests."""
    if not is_tile(value):
        return False
    own, rows = nest.axes.of(value), nest.outer[0]
    found = [d for d in range(len(own)) if rows in own[d]]
    return len(found) == 1 and own[found[0]] == (rows,) and dims.setdefault(id(value), found[0]) == found[0]
