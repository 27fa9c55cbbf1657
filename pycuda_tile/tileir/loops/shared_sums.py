"""shared_sums: what blocks add to memory atomically, and need no old values of.

Processors add numbers atomically one at a time, and wait for each other where blocks add to the same places,
as they do with the gradients of weights. Here blocks add to tiles that they share, and the last block of the
launch adds these to memory (cuda_tile/loops/shared_sums.h). At places that they read, as for a histogram,
or in loops and conditionals, they add to sums of all places in a range (scattered_sums.h). So memory changes
later than in the program, which nothing can tell: these additions are relaxed, they are the only strong
accesses of the kernel, and no token orders an access of the block after them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..ir import TERMINATORS, Block, Operation, Token, Value, walk
from ..lower.memory import order_and_scope
from ..lower.translation import Translation
from ..lower.types import tile
from ..reading import attribute, operand, operands_of, optional_operand, region, value_element, value_shape
from .affine import Analysis
from .axes import Axes
from .effects import effects
from .facts import ATOMICS, LOADS, STORES, has_tiles, is_pure, is_small, is_tile, is_weak, needed_for
from .fallback import Fallback
from .groups import others
from .places import Places
from .stages import Nest
from .variables import Variables

# How often a loop is expected to repeat an addition, which decides for how many places the sums are.
_ROUNDS = 16


@dataclass
class SharedSum:
    """An atomic addition.

    alone:  a copy of it and of what computes its pointers, for where the sum cannot be shared
    nest:   a store to its places; None if these are no steps along axes, or it is in a loop or conditional
    often:  whether a loop may repeat it
    name:   of the sum in C++, once it is declared
    """

    op: Operation
    alone: list[Operation]
    nest: Nest | None
    often: bool
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

    def begin(self, translator: Translation, take_number: Callable[[], int]) -> None:
        """Declares the sums, each with a number of memory that blocks share."""
        for each in self._found.values():
            each.name = translator.fresh("sums")
            value = operand(each.op, "arg")
            kind, number = tile(value_element(value), value_shape(value)), take_number()
            if each.nest is None:
                rounds = _ROUNDS if each.often else 1
                translator.line(f"loops::scattered_sums<{kind}> {each.name}({number}, {rounds});")
            else:
                axes = each.nest.axes.list_of(value)
                translator.line(f"loops::shared_sums<{kind}, {len(axes)}> {each.name}({number});")

    def end(self, translator: Translation) -> None:
        """Writes the end of a block."""
        for each in self._found.values():
            modes = ", ".join(order_and_scope(each.op))
            extents = "" if each.nest is None else f"{{{', '.join(map(str, _extents(each.nest)))}}}, "
            translator.line(f"{each.name}.end({extents}{modes});")


def write(translator: Translation, each: SharedSum) -> str:
    """Writes what is needed before an addition; returns the condition, in C++, that it is made."""
    value, mask = operand(each.op, "arg"), optional_operand(each.op, "mask")
    exist = "true" if mask is None else translator.names[mask]
    given = f"{translator.names[value]}, {exist}"
    if each.nest is None:
        return f"{each.name}.add({translator.names[operand(each.op, 'pointers')]}, {given})"
    axes = each.nest.axes.list_of(value)
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
    repeated = {id(op) for loop in walk(body) if loop.name in ("for", "loop") for op in walk(region(loop, 0))}
    outermost = {id(op) for op in body.ops}
    found = []
    for op in walk(body):
        if _may_be_shared(op, users):
            nest = _nest(op, body) if id(op) in outermost else None
            places = _pure_tiles(operand(op, "pointers"), body) if nest else []
            found.append(SharedSum(op, _copied([*places, op]), nest, id(op) in repeated))
    return found if found and _are_unseen([each.op for each in found], body) else []


def _are_unseen(sums: list[Operation], body: Block) -> bool:
    """Whether no block can tell when the sums are made, and each makes all of them."""
    rest = others(list(walk(body)), sums)
    if any(op.name in ATOMICS or (op.name in LOADS | STORES and not is_weak(op)) for op in rest):
        return False
    if sum(op.name == "return" for op in rest) != 1:
        return False
    return not _are_waited_for(sums, rest, Variables(body).assigned)


def _are_waited_for(
    sums: list[Operation], rest: list[Operation], assigned: Mapping[int, list[Value]]
) -> bool:
    """Whether tokens order one of the other operations after a sum. `assigned`: see Variables."""
    after = {id(token) for op in sums for token in op.results}
    known = 0
    while known < len(after):
        known = len(after)
        for op in rest:
            given = [index for index, value in enumerate(operands_of(op)) if id(value) in after]
            inner = region(op, 0).arguments if op.name in ("for", "loop") else []
            if op.name in TERMINATORS:
                to = assigned.get(id(op), ())
                after |= {id(to[index]) for index in given if index < len(to)}
            elif inner and (given or any(id(value) in after for value in inner)):
                after |= {id(value) for value in [*inner, *op.results] if isinstance(value.type, Token)}
            elif given and op.name == "join_tokens":
                after |= {id(value) for value in op.results}
            elif given:
                return True
    return False


def _may_be_shared(op: Operation, users: dict[int, set[int]]) -> bool:
    if op.name != "atomic_rmw_tko" or attribute(op, "mode", "add") not in ("add", "addf"):
        return False
    if attribute(op, "memory_ordering_semantics") != "relaxed" or users.get(id(op.results[0])):
        return False
    return is_tile(operand(op, "arg")) and not is_small(op)


def _nest(op: Operation, body: Block) -> Nest | None:
    """A store to the places of an addition, if these are steps along axes."""
    pointers, value = operand(op, "pointers"), operand(op, "arg")
    needed = _pure_tiles(pointers, body)
    store = Operation("store_ptr_tko", {"destination": [pointers], "value": [value]}, {}, [Value(Token())])
    try:
        axes = Axes([*needed, store])
        analysis = Analysis(axes, {id(result): each for each in needed for result in each.results})
        nest = Nest([], [store], axes, analysis, effects([store], analysis))
    except Fallback:
        return None
    return nest if nest.effects.accesses[0].pointers is not None else None
