"""ahead: a row that several groups load is in the caches after the first one, so the second fetches the row
that comes next: that of the next block, or of the next round of a loop. Processors foresee only that the
present row goes on."""

from __future__ import annotations

from collections import Counter

from ..ir import Block, Operation, Value, walk
from ..lower.translation import Translation
from ..reading import group, operand, operands_of, region, value_shape
from .effects import Access
from .facts import SHAPES, is_pure, is_scalar
from .places import scalar_name
from .stages import Nest

_WIDENS = SHAPES | {"exti", "assume"}


class Ahead:
    """Which loads of a kernel know what comes next."""

    def __init__(self, body: Block):
        self._definitions = {id(value): op for op in walk(body) for value in op.results}
        self._loops = [op for op in walk(body) if op.name == "for"]
        self._ids = [op for op in walk(body) if op.name == "get_tile_block_id"]
        self._loaded: Counter[int] = Counter()  # how many nests had a load, by its identity

    def distances(self, nest: Nest, translator: Translation) -> dict[int, str]:
        """For the loads of a nest that one nest before it had: elements, in C++, from what they load to what
        comes next."""
        found = {}
        for access in nest.effects.accesses:
            if not access.stores:
                self._loaded[id(access.op)] += 1
                if self._loaded[id(access.op)] == 2:
                    found[id(access.op)] = self._distance(access, translator)
        return {key: distance for key, distance in found.items() if distance}

    def _distance(self, access: Access, translator: Translation) -> str:
        for loop in reversed(self._loops):  # inner ones first
            moved = _Moved(region(loop, 0).arguments[0], self._definitions, translator)
            if distance := moved.address(access):
                return _times(
                    distance, f"static_cast<long long>({scalar_name(translator, operands_of(loop)[2])})"
                )
        for op in self._ids:
            if distance := _Moved(op.results[0], self._definitions, translator).address(access):
                return distance
        return ""


def _times(*factors: str) -> str:
    return " * ".join(factor for factor in factors if factor != "1") or "1"


class _Moved:
    """How far values move, in C++, where a number is one greater: "" if not at all, None if it is unknown."""

    def __init__(self, by: Value, definitions: dict[int, Operation], translator: Translation):
        self._by, self._definitions, self._translator = by, definitions, translator
        self._known: dict[int, str | None] = {}

    def address(self, access: Access) -> str | None:
        op = access.op
        if "view" not in op.operands:
            return self._by_value(access.pointers.value) if access.pointers is not None else None
        view = self._translator.views[id(operand(op, "view"))]
        terms = []
        for d, index in enumerate(group(op, "index")):
            moved = self._by_value(index)
            if moved is None:
                return None
            if moved:
                terms.append(_times(str(view.kind.steps[d]), view.tensor.strides[view.kind.axes[d]], moved))
        return " + ".join(terms)

    def _by_value(self, value: Value) -> str | None:
        if value is self._by:
            return "1"
        if id(value) not in self._known:
            op = self._definitions.get(id(value))
            self._known[id(value)] = "" if op is None or not is_pure(op) else self._by_operation(op)
        return self._known[id(value)]

    def _by_operation(self, op: Operation) -> str | None:
        values = operands_of(op)
        moved = [self._by_value(value) for value in values]
        if not any(moved):
            return None if None in moved else ""
        if None in moved or not (op.name in _WIDENS or len(values) == 2):
            return None
        if op.name in _WIDENS:
            return moved[0]
        first, second = moved
        if op.name in ("addi", "offset"):
            return f"({first} + {second})" if first and second else first or second
        if op.name == "subi" and not second:
            return first
        if op.name == "muli" and not (first and second):
            factor = self._scalar(values[1] if first else values[0])
            return _times(first or second or "", factor) if factor else None
        return None

    def _scalar(self, value: Value) -> str:
        """What all elements of a value are; "" if that is not known before the loops."""
        while value_shape(value):
            op = self._definitions.get(id(value))
            if op is None or op.name not in SHAPES:
                return ""
            (value,) = operands_of(op)
        return f"static_cast<long long>({scalar_name(self._translator, value)})" if is_scalar(value) else ""
