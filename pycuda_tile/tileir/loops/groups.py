"""groups: which neighbouring operations of a block become one nest of loops.

What works on single elements is moved in front of a group where it does not depend on it. Operations of which
there is no rule stand between groups, and run on whole tiles.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..elements import bits_of
from ..ir import TERMINATORS, Block, Operation, Value, walk
from ..lower.tiles import shared_value
from ..reading import is_pointer, operands_of, value_element
from .affine import Analysis
from .axes import Axes
from .facts import (
    ATOMICS,
    CHEAP,
    ELEMENTWISE,
    FOLDS,
    LOADS,
    SHAPES,
    SMALL,
    SOURCES,
    STORES,
    captured,
    cost_of,
    data_of,
    has_tiles,
    is_joint,
    is_pure,
    is_scalar,
    is_small,
    is_tile,
    is_weak,
    is_window,
    needed_for,
)
from .fallback import Fallback
from .quasi_affine import index_of, pointers_of
from .simplify import LIGHT
from .stages import Nest, plan

Item = Operation | Nest

#: What runs on whole tiles by rule: control flow, and updates of memory, for which effects.py says why.
_ON_TILES = ATOMICS | {*TERMINATORS, "if", "for", "loop"}

#: Bits of a tile that is copied as fast whole, from rows to rows.
_FEW_BITS = 2048


@dataclass
class Uses:
    """Which operations use a value, by the value's identity. What the regions of a reduction use, it uses."""

    users: dict[int, set[int]] = field(default_factory=dict)

    @staticmethod
    def of(body: Block) -> Uses:
        found = Uses()
        for op in walk(body):
            for value in [*operands_of(op), *captured(op)]:
                found.users.setdefault(id(value), set()).add(id(op))
        return found

    def outside(self, ops: list[Operation], also: Sequence[Operation] = ()) -> list[Value]:
        """The results of operations that others use, and not only those of `also`."""
        own = {id(op) for op in walk(Block([], [*ops, *also]))}
        results = [value for op in ops for value in op.results if is_tile(value) or is_scalar(value)]
        return [value for value in results if self.users.get(id(value), set()) - own]

    def forget(self, made: list[Operation], users: list[Operation]) -> None:
        """Leaves out that operations use what others compute."""
        done = {id(op) for op in others(users, made)}
        for value in (value for op in made for value in op.results):
            self.users[id(value)] = self.users.get(id(value), set()) - done


def split(ops: list[Operation], uses: Uses, note: Callable[[Fallback], None]) -> list[Item]:
    """The operations of a block in order, with groups as nests. `note` gets the reasons why operations are
    not fused."""
    items: list[Item] = []
    current: list[Operation] = []
    made: set[int] = set()  # results of the current group

    def end() -> None:
        items.extend(_nests(current, uses, note))
        current.clear()
        made.clear()

    for op in ops:
        if any(id(value) in made for value in captured(op)):  # of a reduction: known before its loops
            end()
        depends = any(id(value) in made for value in data_of(op))
        if _is_fusible(op) or (depends and op.name in ELEMENTWISE | SHAPES):
            current.append(op)
            made |= {id(value) for value in op.results}
        elif not depends and _may_precede(op, current):
            items.append(op)
        else:
            end()
            items.append(op)
            if not is_small(op) and op.name not in _ON_TILES and not _takes_one(op):
                note(Fallback(op, "there is no rule for it"))
    end()
    return items


def _takes_one(op: Operation) -> bool:
    """Whether an operation only reads one element of a tile."""
    return op.name == "extract" and is_scalar(op.results[0])


def _is_fusible(op: Operation) -> bool:
    if not has_tiles(op):
        return False
    if op.name in FOLDS:
        return is_pure(op) and not any(is_tile(value) for value in captured(op))
    if op.name == "constant":
        return shared_value(op) is not None
    return op.name in ELEMENTWISE | SHAPES | SOURCES | LOADS | STORES or is_window(op) or is_joint(op)


def _may_precede(op: Operation, group: list[Operation]) -> bool:
    """Whether an operation that needs nothing of a group may run before it. Constants whose elements differ
    do: loops read them as other tiles."""
    if has_tiles(op):
        return op.name == "constant"
    if is_pure(op):
        return True
    return op.name in LOADS and is_weak(op) and not any(member.name in STORES for member in group)


def ops_of(item: Item) -> list[Operation]:
    """The operations of an item that belong to no other."""
    return others(item.all_ops, item.again) if isinstance(item, Nest) else [item]


def _nests(ops: list[Operation], uses: Uses, note: Callable[[Fallback], None]) -> list[Item]:
    """Nests for operations that stand together, and the operations of which there is none."""
    items: list[Item] = []
    reasons: dict[int, Fallback] = {}
    for part in map(_with_late_loads, _parts(ops)):
        while part:
            found = (
                [*_ready(part)]
                or _for_rows(part, uses)
                or _for_loads(part, uses)
                or _next_items(part, uses, reasons, note)
            )
            assert found  # else this would not end
            items.extend(found)
            part = others(part, [op for item in found for op in ops_of(item)])
    return items


def _next_items(
    part: list[Operation], uses: Uses, reasons: dict[int, Fallback], note: Callable[[Fallback], None]
) -> list[Item]:
    """What comes first of operations that stand together: a nest, or those that are not worth one."""
    nest = _best_nest(part, uses, reasons)
    if nest is not None and _is_worth_it(nest):
        if front := _in_front(nest, uses):
            return front
        uses.forget(nest.again, nest.all_ops)
        return [nest]
    alone = part[:1] if nest is None or _only_arranges(nest) else nest.all_ops
    for op in alone:
        found = reasons.get(id(op))
        if found and not found.on_tiles and not is_small(op) and (nest is None or found.by_order):
            note(found)
    return [*alone]


def _best_nest(part: list[Operation], uses: Uses, reasons: dict[int, Fallback]) -> Nest | None:
    nest = _sparing_loads(_longest(part, uses, reasons, _without), part, uses)
    if nest is None or not _is_worth_it(nest):
        nest = _for_a_load(part, uses, reasons) or nest
    if nest is None or not _is_worth_it(nest):
        whole = _sparing_loads(_longest(part, uses, reasons, _before), part, uses)
        if nest is None or (whole is not None and _is_worth_it(whole)):
            nest = whole
    return _longest(part[:1], uses, reasons, _before) if nest is None else nest


def _in_front(nest: Nest, uses: Uses) -> list[Item]:
    """What takes long, and its operands, if the loops would compute it again for other positions, or one
    element at a time rather than by strips."""
    slow = [
        value
        for op in nest.ops
        if cost_of(op) > CHEAP
        for value in op.results
        if is_tile(value)
        and id(value) in nest.used
        and nest.level(op) == 0
        and (nest.repeats(value) or not nest.has_lanes(value))
    ]
    needed = needed_for(slow, nest.all_ops)
    if not needed or any(op.name in STORES for op in _before(needed[-1:], nest.all_ops, uses)):
        return []
    try:
        front = plan(needed, uses.outside(needed))
    except Fallback:
        return list(needed)
    return _in_front(front, uses) or [front]


def _sparing_loads(nest: Nest | None, part: list[Operation], uses: Uses) -> Nest | None:
    """A nest without the tiles that what is left of a part can load again."""
    if nest is None or any(op.name in STORES for op in nest.all_ops):
        return nest
    beyond = {id(value) for value in uses.outside(nest.all_ops, others(part, nest.all_ops))}
    loaded = [v for v in nest.outputs if id(v) not in beyond and _is_loaded(needed_for([v], nest.all_ops))]
    outputs = [value for value in nest.outputs if value not in loaded]
    if not loaded or not outputs:
        return nest
    try:
        spared = plan(needed_for(outputs, nest.all_ops), outputs)
    except Fallback:
        return nest
    kept = [op for op in nest.all_ops if not any(value in outputs for value in op.results)]
    spared.again = needed_for(loaded, kept)
    return spared


def _orders(op: Operation) -> bool:
    """Whether loads stay on their side of an operation."""
    return op.name in STORES or not is_weak(op)


def _with_late_loads(part: list[Operation]) -> list[Operation]:
    """Loads stand before what needs them first, but not behind stores: they may belong to its loops."""
    result: list[Operation] = []
    for op in reversed(part):
        made = {id(value) for value in op.results}
        uses = (_orders(each) or any(id(value) in made for value in data_of(each)) for each in result)
        moves = op.name in LOADS and is_weak(op)
        at = next((i for i, needs in enumerate(uses) if needs), 0) if moves else 0
        result.insert(at, op)
    return result


def _ready(part: list[Operation]) -> list[Operation]:
    """Loads of which tiles that were made before a part have the places, and constants for them, but not
    behind stores. They run on whole tiles, and what uses several of them shares loops if all of them are
    loaded first."""
    found: list[Operation] = []
    for op in itertools.takewhile(lambda op: not _orders(op), part):
        if op.name in LOADS and any(map(is_tile, data_of(op))):
            needed = others(needed_for(data_of(op), part), found)
            found += [*needed, op] if all(each.name == "constant" for each in needed) else []
    return found


def _for_rows(part: list[Operation], uses: Uses) -> list[Item]:
    """Nests for what says where the rows of accesses begin: it is known before the loops of these."""
    for op in part:
        given = needed_for(_beginnings(op, part), part)
        if given:
            nest = _longest(given, uses, {}, _before)
            return [nest] if nest is not None and _is_worth_it(nest) else [*given]
        if _orders(op):
            break
    return []


def _beginnings(access: Operation, part: list[Operation]) -> list[Value]:
    """What says where the rows of an access begin, and is made by operations of a part."""
    if access.name not in LOADS | STORES or "view" in access.operands or not has_tiles(access):
        return []
    pointers = pointers_of(access)
    needed = needed_for([pointers], part)
    try:
        axes = Axes([*needed, access])
    except Fallback:
        return []
    made = {id(value): op for op in needed for value in op.results}
    analysis = Analysis(axes, made)
    index = None if analysis.pointers(pointers) else index_of(access, analysis)
    return [] if index is None else [value for value in index.given if id(value) in made]


def _for_loads(part: list[Operation], uses: Uses) -> list[Item]:
    """Nests for the places of several loads that belong to no loops: for the pointers of all together if that
    can be, then for masks. Not where other loads are needed for these: compilers do not vectorise so much at
    once, with the branches at the ends of loads."""
    loads: list[Operation] = []
    for op in itertools.takewhile(lambda op: not _orders(op), part):
        if op.name in LOADS and any(map(is_tile, data_of(op))):
            loads += [] if any(each.name in LOADS for each in needed_for(data_of(op), part)) else [op]
    loads = [op for op in loads if _runs_on_tiles(op, part)] if len(loads) > 1 else []
    items: list[Item] = []
    if len(loads) < 2:
        return items
    for alike in itertools.zip_longest(*(filter(is_tile, data_of(op)) for op in loads)):
        while values := [value for value in alike if value and needed_for([value], part)]:
            nests = [_longest(needed_for(some, part), uses, {}, _before) for some in [values, values[:1]]]
            nest = next((each for each in nests if each and _is_worth_it(each)), None)
            if nest is not None and (front := _in_front(nest, uses)):
                return [*items, *front]
            found = [nest] if nest is not None else needed_for(values[:1], part)
            items += found
            part = others(part, [op for item in found for op in ops_of(item)])
    return items


def _runs_on_tiles(load: Operation, part: list[Operation]) -> bool:
    """Whether a load belongs to no loops, whatever else does."""
    try:
        plan(needed_for(load.results, part), load.results)
    except Fallback as error:
        return error.op is load and error.on_tiles
    return False


def _for_a_load(part: list[Operation], uses: Uses, reasons: dict[int, Fallback]) -> Nest | None:
    """A nest for the places of a load that belongs to no loops."""
    for op in itertools.takewhile(lambda op: not _orders(op), part):
        if op.name not in LOADS or id(op) not in reasons or not reasons[id(op)].on_tiles:
            continue
        needed = needed_for([value for value in data_of(op) if is_tile(value)], part)
        loads = any(each.name in LOADS for each in needed)
        nest = None if loads else _longest(needed, uses, reasons, _before)
        if nest is not None and _is_worth_it(nest):
            return nest
    return None


def _is_loaded(ops: list[Operation]) -> bool:
    """Whether operations only load a tile, which costs no more than to read it from a copy."""
    return any(op.name in LOADS for op in ops) and all(op.name in LOADS | SOURCES | LIGHT for op in ops)


#: What is left to fuse together if some operations cannot belong to it.
_Left = Callable[[list[Operation], list[Operation], Uses], list[Operation]]


def _longest(ops: list[Operation], uses: Uses, reasons: dict[int, Fallback], left: _Left) -> Nest | None:
    """A nest for as many operations as fit together; `reasons` gets why others do not."""
    while ops := _without_copies(ops, uses):
        try:
            return plan(ops, uses.outside(ops))
        except Fallback as error:
            reasons |= {id(each.op): each for each in error.of_each()}
            ops = left([error.op, *error.alike], ops, uses)
    return None


def _without_copies(ops: list[Operation], uses: Uses) -> list[Operation]:
    """All but shapes for others that would only write again what the group writes anyway, or write it more
    often."""
    used = {id(value) for op in ops for value in data_of(op)}
    outside = {id(value) for value in uses.outside(ops)}

    def copies(op: Operation) -> bool:
        if is_small(op) or id(op.results[0]) in used:
            return False
        return op.name == "broadcast" or (op.name == "reshape" and id(operands_of(op)[0]) in outside)

    kept = [op for op in ops if op.name not in SHAPES or not copies(op)]
    return kept if len(kept) == len(ops) else _without_copies(kept, uses)


def _before(some: list[Operation], ops: list[Operation], _: Uses) -> list[Operation]:
    """What comes before the first of some operations."""
    return ops[: next(i for i, op in enumerate(ops) if op is some[0])]


def others(ops: list[Operation], some: list[Operation]) -> list[Operation]:
    taken = {id(op) for op in some}
    return [op for op in ops if id(op) not in taken]


def _without(some: list[Operation], ops: list[Operation], uses: Uses) -> list[Operation]:
    """All but some operations, those that must follow them, and what only these use."""
    late: set[int] = {id(op) for op in some}
    made: set[int] = set()
    accesses: set[str] = set()
    for op in ops[len(_before(some, ops, uses)) :]:
        depends = id(op) in late or any(id(value) in made for value in data_of(op))
        if depends or _is_ordered(accesses, op):
            late.add(id(op))
            made |= {id(value) for value in op.results}
            accesses.add(op.name)
    kept = {id(op) for op in ops} - late
    stored = any(op.name in STORES for op in ops if id(op) in kept)
    for op in reversed(ops):
        if id(op) not in kept:
            continue
        users = {user for value in op.results for user in uses.users.get(id(value), ())}
        light = op.name in SOURCES | LIGHT or (op.name in LOADS and not stored)
        if light and users & late and not users & kept:
            late.add(id(op))
            kept.remove(id(op))
    return [op for op in ops if id(op) in kept]


def _is_ordered(earlier: set[str], op: Operation) -> bool:
    """Whether an access must stay behind others, of which the names are given: all but two loads must."""
    accesses = earlier & (LOADS | STORES)
    return bool(accesses) and op.name in LOADS | STORES and not {op.name, *accesses} <= LOADS


def _parts(ops: list[Operation]) -> list[list[Operation]]:
    """Operations that depend on each other, in the order of the program; all of them, if parts would reorder
    accesses of which one is a store, or strong."""
    parts: list[list[Operation]] = []
    values: list[set[int]] = []
    results = {id(value) for op in ops for value in op.results}
    for op in ops:
        own = {id(value) for value in [*data_of(op), *op.results] if is_tile(value) or is_scalar(value)}
        own &= results
        joined = [i for i, known in enumerate(values) if known & own]
        for i in joined[:0:-1]:
            parts[joined[0]] += parts.pop(i)
            values[joined[0]] |= values.pop(i)
        if joined:
            parts[joined[0]].append(op)
            values[joined[0]] |= own
        else:
            parts.append([op])
            values.append(own)
    place = {id(op): i for i, op in enumerate(ops)}
    for part in parts:
        part.sort(key=lambda op: place[id(op)])
    flat = [op for part in parts for op in part if op.name in LOADS or op.name in STORES]
    ordered = [place[id(op)] for op in flat]
    if any(map(_orders, flat)) and ordered != sorted(ordered):
        return [list(ops)]
    return parts


def _only_arranges(nest: Nest) -> bool:
    """Whether what follows may use the later operations of a nest that is not worth it."""
    return all(op.name in SHAPES for op in nest.ops)


def _copies_few(nest: Nest) -> bool:
    """Whether loops would only copy a tile that takes no longer than the tests before them, or only write
    down a few pointers, which whole tiles need not do."""
    computed = set().union(*nest.needed.values())
    made = {op.name for op in nest.ops if op.name in FOLDS or any(id(v) in computed for v in op.results)}
    if nest.elements <= SMALL and nest.outputs and all(map(is_pointer, nest.outputs)):
        return made <= SOURCES | LIGHT
    results = [value for op in nest.ops for value in op.results if is_tile(value)]
    has_pointers = any(op.name.endswith("_ptr_tko") for op in nest.ops) or any(map(is_pointer, results))
    if has_pointers or made & SHAPES:
        return nest.elements <= SMALL and made <= LOADS | SOURCES | SHAPES
    widest = max((bits_of(value_element(value)) for value in results), default=0)
    return nest.elements * widest <= _FEW_BITS and made <= LOADS | SOURCES


def _is_worth_it(nest: Nest) -> bool:
    """Whether loops spare a tile: one that is computed or loaded, and needed by the group alone."""
    outputs = {id(value) for value in nest.outputs}
    return not _copies_few(nest) and any(
        op.results
        and (op.name not in SOURCES | SHAPES or op.name == "broadcast")
        and is_tile(op.results[0])
        and id(op.results[0]) not in outputs
        for op in nest.ops
    )
