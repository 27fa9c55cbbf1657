"""shared_sums: what blocks add to memory atomically, and need no old values of.

Processors add numbers atomically one at a time, and wait for each other where blocks add to the same places,
as they do with the gradients of weights. Here blocks add to tiles that they share, and the last block of the
launch adds these to memory (cuda_tile/loops/shared_sums.h). At places that they read, as for a histogram,
they add to sums of all places in a range (scattered_sums.h). So memory changes later than in the program,
which nothing can tell: these additions are relaxed, they are the only strong accesses of the kernel, and no
access follows them in a block.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..ir import Block, Operation, Token, Value, walk
from ..lower.memory import order_and_scope
from ..lower.translation import Translation
from ..lower.types import tile
from ..reading import attribute, operand, operands_of, optional_operand, value_element, value_shape
from .affine import Analysis
from .axes import Axes
from .effects import effects
from .facts import ATOMICS, LOADS, STORES, has_tiles, is_pure, is_small, is_tile, is_weak, needed_for
from .fallback import Fallback
from .places import Places
from .stages import Nest


@dataclass
class SharedSum:
    """An atomic addition.

    alone:  a copy of it and of what computes its pointers, for where the sum cannot be shared
    nest:   a store to its places; None if these are no steps along axes
    name:   of the sum in C++, once it is written
    """

    op: Operation
    alone: list[Operation]
    nest: Nest | None
    name: str = ""


class SharedSums:
    """The shared sums of a kernel. Takes the users of what only they need from `users`."""

    def __init__(self, body: Block, users: dict[int, set[int]]):
        self._found = {id(each.op): each for each in _find(body, users)}
        self._absorbed: set[int] = set()
        for each in self._found.values():
            if each.nest is None:
                continue
            pointers = operand(each.op, "pointers")
            users[id(pointers)] = users[id(pointers)] - {id(each.op)}
            for op in reversed(_pure_tiles(pointers, body)):
                if not any(users.get(id(value)) for value in op.results):
                    self._absorbed.add(id(op))
                    for value in operands_of(op):
                        users[id(value)] = users[id(value)] - {id(op)}

    def __len__(self) -> int:
        return len(self._found)

    def left(self, ops: list[Operation]) -> list[Operation]:
        """The operations that are not only for places of sums."""
        return [op for op in ops if id(op) not in self._absorbed]

    def find(self, op: Operation) -> SharedSum | None:
        return self._found.get(id(op))

    def end(self, translator: Translation) -> None:
        """Writes the end of a block."""
        for each in self._found.values():
            modes = ", ".join(order_and_scope(each.op))
            extents = "" if each.nest is None else f"{{{', '.join(map(str, _extents(each.nest)))}}}, "
            translator.line(f"{each.name}.end({extents}{modes});")


def write(translator: Translation, each: SharedSum, number: int) -> str:
    """Writes what is needed before an addition; returns the condition, in C++, that it is made."""
    value, mask = operand(each.op, "arg"), optional_operand(each.op, "mask")
    each.name = translator.fresh("sums")
    kind = tile(value_element(value), value_shape(value))
    exist = "true" if mask is None else translator.names[mask]
    given = f"{translator.names[value]}, {exist}"
    if each.nest is None:
        translator.line(f"loops::scattered_sums<{kind}> {each.name}({number});")
        return f"{each.name}.add({translator.names[operand(each.op, 'pointers')]}, {given})"
    axes = each.nest.axes.list_of(value)
    translator.line(f"loops::shared_sums<{kind}, {len(axes)}> {each.name}({number});")
    places = Places(translator, each.nest)
    place = places.of(each.nest.effects.accesses[0])
    steps = ", ".join(place.steps[axis] for axis in axes)
    add = f"{each.name}.add({place.origin}, {{{steps}}}, {given})"
    return " && ".join([*places.tests, add])


def _pure_tiles(pointers: Value, body: Block) -> list[Operation]:
    """The operations on tiles that compute pointers without memory."""
    return [op for op in needed_for([pointers], body.ops) if has_tiles(op) and is_pure(op)]


def _copied(ops: list[Operation]) -> list[Operation]:
    """The same operations, whose results are others."""
    values: dict[int, Value] = {}
    result = []
    for op in ops:
        given = {name: [values.get(id(v), v) for v in some] for name, some in op.operands.items()}
        values |= {id(value): Value(value.type, value.name) for value in op.results}
        made = [values[id(value)] for value in op.results]
        result.append(Operation(op.name, given, op.attributes, made, op.regions, op.line, op.location))
    return result


def _extents(nest: Nest) -> list[int]:
    (access,) = nest.effects.accesses
    return [nest.axes.extents[axis] for axis in nest.axes.list_of(access.value)]


def _find(body: Block, users: dict[int, set[int]]) -> list[SharedSum]:
    found = [each for op in body.ops if (each := _sum(op, body, users)) is not None]
    if not found or not _are_unseen([each.op for each in found], body):
        return []
    return found


def _are_unseen(sums: list[Operation], body: Block) -> bool:
    """Whether no block can tell when the sums are made, and each makes all of them."""
    others = [op for op in walk(body) if not any(op is each for each in sums)]
    if any(op.name in ATOMICS or (op.name in LOADS | STORES and not is_weak(op)) for op in others):
        return False
    if sum(op.name == "return" for op in others) != 1:
        return False
    after = body.ops[next(i for i, op in enumerate(body.ops) if op is sums[0]) :]
    return not any(op.name in LOADS | STORES for op in walk(Block([], after)))


def _sum(op: Operation, body: Block, users: dict[int, set[int]]) -> SharedSum | None:
    if op.name != "atomic_rmw_tko" or attribute(op, "mode", "add") not in ("add", "addf"):
        return None
    pointers, value = operand(op, "pointers"), operand(op, "arg")
    if attribute(op, "memory_ordering_semantics") != "relaxed" or users.get(id(op.results[0])):
        return None
    if not is_tile(value) or is_small(op):
        return None
    nest = _store_to(pointers, value, body)
    return SharedSum(op, _copied([*(_pure_tiles(pointers, body) if nest else []), op]), nest)


def _store_to(pointers: Value, value: Value, body: Block) -> Nest | None:
    """A store whose places are steps along axes."""
    needed = _pure_tiles(pointers, body)
    store = Operation("store_ptr_tko", {"destination": [pointers], "value": [value]}, {}, [Value(Token())])
    try:
        axes = Axes([*needed, store])
        analysis = Analysis(axes, {id(result): each for each in needed for result in each.results})
        nest = Nest([], [store], axes, analysis, effects([store], analysis))
    except Fallback:
        return None
    return nest if nest.effects.accesses[0].pointers is not None else None
