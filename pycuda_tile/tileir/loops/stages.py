"""strips and stages: the loops of a group.

The axes of a group become nested loops. The innermost one runs once for each stage: a reduction is complete
when its stage ends, and what needs its result belongs to the next. A scan goes along with the loop, which
runs backwards if it is reversed. Along the vector axis, loops go by strips of neighbouring elements. A value
that a later stage needs again is computed again if that is cheap; otherwise it is kept in a buffer for one
round of the outer loops.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..ir import Operation, Value
from ..reading import attribute, operands_of, tile_facts, value_element, value_shape
from . import short_rows
from .affine import ONE, Analysis
from .axes import Axes
from .effects import Access, Effects, effects
from .facts import (
    CHEAP,
    FOLDS,
    LOADS,
    SHAPES,
    STORES,
    cost_of,
    data_of,
    is_joint,
    is_tile,
    is_window,
    tiles_of,
    writes,
)
from .fallback import Fallback

_COMBINES_MASKS = SHAPES | {"andi", "ori", "xori"}
_MAKES_MASKS = _COMBINES_MASKS | {"cmpi", "cmpf", "constant"}
#: Tiles of more elements leave the caches, so that rows are to stay in loops of their own.
_IN_CACHES = 1 << 16
#: What it costs to load elements from places that are computed, in additions.
_GATHER = 20
#: So many operations that do not fit into a nest are left out of it at once.
_MANY = 64


@dataclass
class Nest:
    """The loops of a group.

    views:    reshapes of tiles of others, of which `extract` takes parts
    outer:    axes of the outer loops, from the outermost to the innermost
    inner:    axis of the stages' loops
    vector:   the axis that goes by strips
    backward: whether the stages' loops run from the last element to the first
    levels:   the stage that first has a value, by the value's identity; of a store, by the operation's
    buffers:  values that stages keep for later ones
    again:    operations that the nests after it repeat
    """

    views: list[Operation]
    ops: list[Operation]
    axes: Axes
    analysis: Analysis
    effects: Effects
    outer: list[int] = field(default_factory=list)
    inner: int = 0
    vector: int = 0
    backward: bool = False
    levels: dict[int, int] = field(default_factory=dict)
    buffers: dict[int, Value] = field(default_factory=dict)
    outputs: list[Value] = field(default_factory=list)
    again: list[Operation] = field(default_factory=list)
    masks: set[int] = field(default_factory=set)  # strips of bools that only select between others
    #: By stage, the values that its innermost loop computes.
    needed: dict[int, set[int]] = field(default_factory=dict)
    #: All values that the loops compute: not those that only places are made of.
    used: set[int] = field(default_factory=set)

    @property
    def stages(self) -> range:
        return range(max(self.levels.values()) + 1)

    def has_lanes(self, value: Value) -> bool:
        return self.vector in self.axes.list_of(value)

    def is_inner(self, value: Value) -> bool:
        """Whether a value differs from round to round of the innermost loop."""
        return self.inner in self.axes.list_of(value)

    def repeats(self, value: Value) -> bool:
        """Whether outer loops make a value, or store it, more than once."""
        return not set(self.outer) <= set(self.axes.list_of(value))

    def uses(self, op: Operation) -> bool:
        """Whether loops make what an operation makes, or store it."""
        return writes(op) or any(id(value) in self.used for value in op.results)

    def access(self, op: Operation) -> Access:
        return next(access for access in self.effects.accesses if access.op is op)

    @property
    def all_ops(self) -> list[Operation]:
        return [*self.views, *self.ops]

    @property
    def elements(self) -> int:
        """Of all loops together."""
        return math.prod(self.axes.extents[axis] for axis in [*self.outer, self.inner])

    def level(self, op: Operation) -> int:
        return self.levels[id(op) if writes(op) else id(op.results[0])]

    def inputs(self, op: Operation) -> list[Value]:
        """The values that an operation needs in the loops. The place of an access is known before them."""
        if op.name not in LOADS and op.name not in STORES:
            return [] if is_window(op) else data_of(op)
        access = self.access(op)
        masks = access.conditions if access.mask is None else [access.mask]
        return [access.value, *masks] if access.stores else masks

    def taken(self) -> list[Value]:
        """The tiles of others that the operations use."""
        used = {id(v): v for op in self.ops for v in self.inputs(op) if is_tile(v)}
        return [value for key, value in used.items() if key not in self.analysis.definitions]

    def may_replace(self, old: Value, new: Value) -> bool:
        """Whether an output may be written to where an input lies: each element of the input is read for the
        last time no later than that of the output is made."""
        if any(old in operands_of(op) for op in [*self.views, *filter(is_window, self.ops)]):
            return False
        if self.axes.of(old) != self.axes.of(new) or self.repeats(new):
            return False
        made = next(i for i, op in enumerate(self.ops) if new in op.results)
        last = self.levels[id(new)]
        for i, op in enumerate(self.ops):
            if not any(value is old for value in self.inputs(op)):
                continue
            late = i > made or (self._runs_inside(op) and not self.is_inner(new))
            if any(stage > last or (stage == last and late) for stage in self._stages_of(op)):
                return False
        return True

    def may_be_one(self, load: Access, store: Access) -> bool:
        """Whether the loops are right if two accesses are to one place, position by position: each element
        is loaded for the last time no later than it is stored."""
        if load.stores or not store.stores or self.axes.of(load.value) != self.axes.of(store.value):
            return False
        if self.repeats(store.value):
            return False
        if id(load.value) in self.buffers:
            return True
        return max(self._stages_of(load.op), default=0) <= self.level(store.op)

    def _runs_inside(self, op: Operation) -> bool:
        """Whether an operation is in the innermost loop of its stages."""
        return op.name == "reduce" or self.is_inner(self.subject(op))

    def _stages_of(self, op: Operation) -> list[int]:
        if op.name == "reduce":
            return [self.level(op) - 1]
        if writes(op) or not self._runs_inside(op):
            return [self.level(op)]
        return [stage for stage, needed in self.needed.items() if id(op.results[0]) in needed]

    def subject(self, op: Operation) -> Value:
        """The value that says where an operation belongs: its result, or what it stores."""
        if is_joint(op):
            return operands_of(op)[0]
        return self.access(op).value if op.name in STORES else op.results[0]

    def __str__(self) -> str:
        """For people who look at the passes."""
        loops = [f"axis {axis} of {self.axes.extents[axis]}" for axis in [*self.outer, self.inner]]
        lines = [f"loops: {', '.join(loops)}; strips along axis {self.vector}"]
        for stage in self.stages:
            names = [op.name for op in self.ops if self.level(op) == stage]
            lines.append(f"stage {stage}: {', '.join(names)}")
        lines += [f"buffer: {value.type}" for value in self.buffers.values()]
        lines += [f"{a.op.name} and {b.op.name} must not overlap" for a, b in self.effects.disjoint]
        return "\n".join(lines)


def plan(ops: list[Operation], outputs: list[Value]) -> Nest:
    """The loops of a group; raises Fallback for the first operation that does not fit."""
    views = _views(ops, outputs)
    ops = ops if not views else [op for op in ops if op not in views]
    definitions = {id(result): op for op in ops for result in op.results}
    joined = {id(result) for op in filter(is_joint, ops) for result in op.results}
    for op in ops:
        known = definitions if is_window(op) else joined
        if any(id(value) in known for value in operands_of(op)):
            raise Fallback(op, "it needs a tile that operations before it put together", on_tiles=True)
    axes = Axes(ops)
    analysis = Analysis(axes, definitions)
    nest = Nest(views, ops, axes, analysis, effects(ops, analysis), outputs=outputs)
    full = _spanning(nest)
    _order_loops(nest, full)
    _find_conditions(nest)
    _check_indices(nest)
    short_rows.check_lengths(nest)
    _check_in_place(nest)
    _find_levels(nest)
    _check_folds(nest)
    _reduce_all_rows(nest)
    _find_used(nest)
    _find_needed(nest)
    _find_masks(nest)
    short_rows.check_elements(nest)
    return nest


def _views(ops: list[Operation], outputs: list[Value]) -> list[Operation]:
    """Reshapes of tiles of others which only operations that take parts use."""
    needed = {id(value) for value in outputs}
    candidates: dict[int, Operation] = {}
    for op in reversed(ops):
        if op.name == "reshape" and id(op.results[0]) not in needed:
            candidates[id(op)] = op
        elif not is_window(op):
            needed |= {id(value) for value in data_of(op)}
    found: list[Operation] = []
    made = {id(result) for op in ops if id(op) not in candidates for result in op.results}
    for op in reversed(candidates.values()):
        if id(operands_of(op)[0]) in made:
            made.add(id(op.results[0]))
        else:
            found.append(op)
    return found


def _spanning(nest: Nest) -> list[int]:
    """The axes, in the order of a value that varies along all of them."""
    axes = [(at, nest.axes.list_of(value)) for at, op in enumerate(nest.ops) for value in tiles_of(op)]
    if not axes:
        raise Fallback(nest.ops[0], "it has no tiles")
    first, full = max(axes, key=lambda each: len(each[1]))
    beyond = sorted({at for at, some in axes if not set(some) <= set(full)})
    if beyond:
        reason = "no tile has all its axes and those of the operations before it"
        alike = [nest.ops[at] for at in beyond[1:]] if first < beyond[0] else []
        raise Fallback(nest.ops[beyond[0]], reason, on_tiles=True, alike=_if_many(alike))
    return full


def _if_many(ops: list[Operation]) -> list[Operation]:
    """Operations that are left out at once: one by one, more of a few may stay, but many take minutes."""
    return ops if len(ops) >= _MANY else []


def _order_loops(nest: Nest, full: list[int]) -> None:
    found: tuple[int, int] | None = None
    across: list[Operation] = []
    for op in nest.ops:
        if op.name not in FOLDS:
            continue
        source, dim = operands_of(op)[0], int(attribute(op, "dim"))
        axes, last = nest.axes.of(source)[dim], nest.axes.list_of(source)[-1]
        if found is not None and len(axes) == 1 and (axes[0], last) != found:
            across.append(op)
        if across:
            continue
        if not axes:
            raise Fallback(op, "its rows have one element", on_tiles=True)
        if len(axes) > 1:
            raise Fallback(op, "its rows are divided by a reshape")
        (axis,) = axes
        along = math.prod(value_shape(source)[dim + 1 :]) == 1
        assert along == (axis == last)
        backward = bool(attribute(op, "reverse", False))
        if found and backward != nest.backward:
            raise Fallback(op, "it goes the other way than the reductions before it")
        found, nest.backward = (axis, last), backward
    if across:
        reason = "it goes along another axis than the reductions before it"
        raise Fallback(across[0], reason, alike=_if_many(across[1:]))
    nest.inner, nest.vector = found or (2 * (_best_vector(nest, full),))
    others = [axis for axis in full if axis not in (nest.inner, nest.vector)]
    nest.outer = others if nest.inner == nest.vector else [*others, nest.vector]


def _find_conditions(nest: Nest) -> None:
    """Of masks that are no limits, those of which loops compute what differs from row to row alone."""
    for access in nest.effects.accesses:
        if access.mask is None:
            continue
        if access.conditions and not any(map(nest.has_lanes, access.conditions)):
            access.mask = None
        else:
            access.limits, access.limited, access.conditions = [], [], []


def _check_indices(nest: Nest) -> None:
    """Loops compute places along a row, but do not read them, element by element, from a tile. What is stored
    to one place twice is stored in the order of the tile."""
    for access in nest.effects.accesses:
        if access.index is None:
            continue
        if any(map(nest.has_lanes, access.index.given)):
            raise Fallback(access.op, "its pointers are arbitrary", on_tiles=True)
        in_order = [*nest.outer, nest.inner] == nest.axes.list_of(access.value) and not nest.backward
        if access.stores and not in_order:
            raise Fallback(access.op, "its pointers may be equal", on_tiles=True)


def _check_in_place(nest: Nest) -> None:
    """A round of the outer loops must not load what the one before it has stored."""
    for store in nest.effects.in_place.values():
        if nest.repeats(store.value):
            raise Fallback(store.op, "loops would repeat it", on_tiles=True)


def _check_folds(nest: Nest) -> None:
    """Loops that are for other tiles do not repeat a reduction or scan."""
    for at, op in enumerate(nest.ops):
        if op.name not in FOLDS or not nest.repeats(operands_of(op)[0]):
            continue
        axes = set(nest.axes.list_of(operands_of(op)[0]))
        for other in nest.ops:
            if any(not axes.issuperset(nest.axes.list_of(value)) for value in tiles_of(other)):
                later = other if other in nest.ops[at:] else op
                raise Fallback(later, "loops would repeat a reduction", on_tiles=True)


def _best_vector(nest: Nest, full: list[int]) -> int:
    """The axis along which most elements have their neighbours in memory; the last one if there are none."""
    votes = dict.fromkeys(full, 0)
    votes[full[-1]] = 1

    def vote(value: Value, axes: Iterable[int]) -> None:
        for axis in axes:
            votes[axis] += 2 * math.prod(value_shape(value))

    for access in nest.effects.accesses:
        if access.pointers is not None:
            vote(access.value, (axis for axis, step in access.pointers.steps.items() if step == ONE))
        elif "view" in access.op.operands:
            view = access.op.operands["view"][0].type
            dimensions = zip(nest.axes.of(access.value), tile_facts(view).axes, strict=True)
            vote(access.value, (axes[-1] for axes, d in dimensions if axes and view.tensor.strides[d] == 1))
    for value in [*nest.outputs, *nest.taken()]:
        vote(value, nest.axes.list_of(value)[-1:])
    best = max(full, key=lambda axis: votes[axis])
    if (
        any(is_window(op) or is_joint(op) for op in nest.ops)
        and nest.axes.extents[best] < short_rows.SHORTEST
    ):
        best = max(full, key=lambda axis: nest.axes.extents[axis])
    for op in nest.ops:
        if op.name == "permute" and _turns(nest, op) and sum(v > 1 for v in votes.values()) > 1:
            raise Fallback(op, "it is faster for whole tiles", on_tiles=True)
    return best


def _turns(nest: Nest, op: Operation) -> bool:
    """Whether a permutation changes along which axis neighbours lie."""
    (source,), (result,) = operands_of(op), op.results
    return nest.axes.list_of(source)[-1:] != nest.axes.list_of(result)[-1:]


def _find_levels(nest: Nest) -> None:
    for op in nest.ops:
        level = max((nest.levels.get(id(value), 0) for value in nest.inputs(op)), default=0)
        for value in op.results:
            nest.levels[id(value)] = level + (op.name == "reduce")
        if writes(op):
            nest.levels[id(op)] = level


def _reduce_all_rows(nest: Nest) -> None:
    """What needs the reduction of a row would wait for it, row by row. It does not if all rows of a tile are
    reduced first, as long as caches hold the tile. So it belongs to the next nest."""
    if nest.inner != nest.vector or nest.elements > _IN_CACHES:
        return
    for op in nest.ops:
        if op.name != "reduce" and nest.level(op) > 0:
            raise Fallback(op, "it needs the reduction of a row", on_tiles=True)


def _find_used(nest: Nest) -> None:
    nest.used = {id(value) for value in nest.outputs}
    for op in reversed(nest.ops):
        if nest.uses(op):
            nest.used |= {id(value) for value in [*op.results, *nest.inputs(op)]}


def _find_needed(nest: Nest) -> None:
    """Which values each stage computes in its loop, and which are kept in buffers."""
    definitions = nest.analysis.definitions
    costs: dict[int, int] = {}
    nest.needed = {stage: set() for stage in nest.stages}

    def cost(value: Value) -> int:
        op = definitions.get(id(value))
        if op is None or not nest.is_inner(value) or id(value) in nest.buffers:
            return 0 if op is None else 1
        if id(value) not in costs:
            operands = nest.inputs(op)
            gathers = op.name in LOADS and nest.access(op).index is not None
            costs[id(value)] = (_GATHER if gathers else cost_of(op)) + sum(map(cost, operands))
        return costs[id(value)]

    def overwritten(value: Value, stage: int) -> bool:
        op = definitions[id(value)]
        store = nest.effects.in_place.get(id(op)) if op.name in LOADS else None
        return store is not None and nest.levels[id(store.op)] < stage

    def need(value: Value, stage: int) -> None:
        waiting = [(value, stage)]
        while waiting:
            value, stage = waiting.pop()
            if id(value) not in definitions or not nest.is_inner(value) or id(value) in nest.needed[stage]:
                continue
            nest.needed[stage].add(id(value))
            first = nest.levels[id(value)]
            if stage > first and (cost(value) > CHEAP or overwritten(value, stage)):
                nest.buffers[id(value)] = value
            if stage > first and id(value) in nest.buffers:
                waiting.append((value, first))
            else:
                operands = nest.inputs(definitions[id(value)])
                waiting += [(operand, stage) for operand in reversed(operands)]

    for op in reversed(nest.ops):
        if op.name == "reduce":
            level = nest.level(op) - 1
            for source in operands_of(op):
                need(source, level)
        elif writes(op):
            for value in nest.inputs(op):
                need(value, nest.levels[id(op)])
    for value in nest.outputs:
        need(value, nest.levels[id(value)])


def _find_masks(nest: Nest) -> None:
    """Comparisons, bools of whole strips, and what `and`, `or` and `xor` make of them, that nothing
    but `select` uses in the loops."""
    made = {
        id(v): op for op in nest.ops for v in op.results if value_element(v) == "i1" and nest.has_lanes(v)
    }
    left = {key for key, op in made.items() if op.name in _MAKES_MASKS} - nest.buffers.keys()
    selected = {id(operands_of(op)[0]) for op in nest.ops if op.name == "select"}
    left -= {id(value) for value in nest.outputs} - selected
    before = None
    while before != left:
        before = set(left)
        for op in nest.ops:
            given = operands_of(op)[1:] if op.name == "select" else operands_of(op)
            others = [value for value in given if nest.has_lanes(value)]
            combines = op.name in _COMBINES_MASKS and id(op.results[0]) in left
            if not combines or not all(id(value) in left for value in others):
                left -= {id(value) for value in others}
                if combines:
                    left.discard(id(op.results[0]))
    nest.masks = left
