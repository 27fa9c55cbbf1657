"""ahead: a row that several groups load is in the caches after the first one, so the second asks for the row
that comes next: that of the next block, or of the next round of a loop. Processors foresee only that the
present row goes on."""

from __future__ import annotations

from collections import Counter

from ..ir import Block, Operation, Value, walk
from ..lower.memory import unsigned_scalar
from ..lower.translation import Translation
from ..reading import group, operand, operands_of, region
from .stages import Nest


class Ahead:
    """Which loads of a kernel know what comes next."""

    def __init__(self, body: Block):
        self._steps: dict[int, Value | None] = {}  # by what takes them, by identity; None for a step of one
        self._loaded: Counter[int] = Counter()  # how many nests had a load, by its identity
        for op in walk(body):
            if op.name == "get_tile_block_id":
                self._steps[id(op.results[0])] = None
            elif op.name == "for":
                self._steps[id(region(op, 0).arguments[0])] = operands_of(op)[2]

    def distances(self, nest: Nest, translator: Translation) -> dict[int, str]:
        """For the loads of a nest that one nest before it had: elements, in C++, from what they load to what
        comes next."""
        found = {}
        for access in nest.effects.accesses:
            if access.stores:
                continue
            self._loaded[id(access.op)] += 1
            if self._loaded[id(access.op)] == 2 and "view" in access.op.operands:
                found[id(access.op)] = self._distance(access.op, translator)
        return {key: distance for key, distance in found.items() if distance}

    def _distance(self, op: Operation, translator: Translation) -> str:
        view = translator.views[id(operand(op, "view"))]
        terms = []
        for d, index in enumerate(group(op, "index")):
            if id(index) not in self._steps:
                continue
            step = self._steps[id(index)]
            count = "" if step is None else f" * {unsigned_scalar(translator, step)}"
            terms.append(f"{view.kind.steps[d]}ll{count} * {view.tensor.strides[view.kind.axes[d]]}")
        return terms[0] if len(terms) == 1 else ""
