"""Runs one tile block: keeps its values and runs the operations of its entry in order.

Running a region is a generator: it yields wherever another block may run, before each operation on memory.
"""

from __future__ import annotations

import numpy as np

from pycuda_tile.errors import NotAvailableYet

from .. import ir
from ..elements import width, wrap
from ..ir import Entry, Operation
from ..reading import attribute, optional_region, region
from . import accesses, folds
from .operations import ELEMENTWISE, PURE
from .order import Access
from .program import Running
from .state import BlockState


class Leave(Exception):
    """A terminator other than the one that ends its own region; `values` are its operands."""

    def __init__(self, kind: str, values: list):
        super().__init__(kind)
        self.kind, self.values = kind, values


class Block(BlockState):
    """A tile block running an entry."""

    def run(self, entry: Entry, arguments: list[np.ndarray]) -> Running:
        """The entry's body, from the first operation to its return."""
        body = entry.body
        self.bind(body.arguments, arguments)
        try:
            yield from self._operations(body)
        except Leave as leave:
            assert leave.kind == "return"
        self.order.finish()

    # --- operations ---

    def _operations(self, block: ir.Block) -> Running:
        """All operations of a block; returns the operands of its terminator."""
        for op in block.ops:
            name = op.name
            if name in PURE:
                self.bind(op.results, [self.pure(op, self.operands(op))])
            elif name in accesses.MEMORY:
                if self.program.interleaves:
                    yield
                self.bind(op.results, accesses.MEMORY[name](self, op))
            elif name in accesses.OTHER:
                self.bind(op.results, accesses.OTHER[name](self, op))
            elif name in _CONTROL:
                self.bind(op.results, (yield from _CONTROL[name](self, op)))
            elif name == "yield":
                return self.raw(op)
            elif name in ("continue", "break", "return"):
                raise Leave(name, self.raw(op))
            else:
                raise NotAvailableYet(f"{op}: {name} cannot be interpreted")
        return []

    def pure(self, op: Operation, operands: list) -> np.ndarray:
        """The result of an operation without side effects."""
        function = self.program.functions.get(id(op))
        if function is None:
            function = self.program.functions[id(op)] = PURE[op.name](op)
        return np.asarray(function(self.report(op), *operands))

    # --- control flow ---

    def _if(self, op: Operation) -> Running:
        (condition,) = self.operands(op)
        body = optional_region(op, 0 if condition else 1)
        return (yield from self._operations(body)) if body is not None else []

    def _loop(self, op: Operation) -> Running:
        body = region(op, 0)
        carried = self.raw(op)
        while True:
            self.bind(body.arguments, carried)
            try:
                yield from self._operations(body)
                carried = []  # a body that carries no values may omit its `continue`
            except Leave as leave:
                if leave.kind == "break":
                    return leave.values
                if leave.kind == "return":
                    raise
                carried = leave.values
            self.program.step()
            yield

    def _for(self, op: Operation) -> Running:
        body = region(op, 0)
        bounds, carried = self.operands(op)[:3], self.raw(op)[3:]
        induction, *arguments = body.arguments
        unsigned = bool(attribute(op, "unsignedCmp", False))
        dtype = bounds[0].dtype
        modulus = 1 << width(dtype)
        lower, upper, step = (int(bound) % modulus if unsigned else int(bound) for bound in bounds)
        if step <= 0:
            self.report(op)("irange-step", f"a loop with step {step}")
            return carried
        for index in range(lower, upper, step):
            self.bind([induction], [wrap(np.asarray(index, object), dtype)])
            self.bind(arguments, carried)
            try:
                yield from self._operations(body)
                carried = []
            except Leave as leave:
                if leave.kind != "continue":
                    raise
                carried = leave.values
        return carried

    def _fold(self, op: Operation) -> Running:
        body = region(op, 0)
        elementwise = all(inner.name in ELEMENTWISE or inner.name == "yield" for inner in body.ops)
        run = (
            (lambda arguments: self._tiles(body, arguments))
            if elementwise
            else folds.one_by_one(lambda arguments: self._scalars(body, arguments))
        )
        operands, dim = self.operands(op), attribute(op, "dim")
        if op.name == "reduce":
            return folds.reduce(run, operands, dim)
        return folds.scan(run, operands, dim, bool(attribute(op, "reverse", False)))
        yield  # makes this a generator, like all operations that can have a region

    def _tiles(self, body: ir.Block, arguments: list[np.ndarray]) -> list[np.ndarray]:
        """Runs a body of elementwise operations, written for single elements, on whole tiles."""
        self.bind(body.arguments, arguments)
        shape = arguments[0].shape
        for op in body.ops:
            operands = [np.broadcast_to(operand, shape) for operand in self.operands(op)]
            if op.name == "yield":
                return operands
            self.bind(op.results, [self.pure(op, operands)])
        raise AssertionError("a body without yield")

    def _scalars(self, body: ir.Block, arguments: list[np.ndarray]) -> list[np.ndarray]:
        self.bind(body.arguments, arguments)
        running = self._operations(body)
        while True:
            try:
                next(running)
            except StopIteration as end:
                return [v.finish() if isinstance(v, Access) else v for v in end.value]


_CONTROL = {
    "if": Block._if,
    "loop": Block._loop,
    "for": Block._for,
    "reduce": Block._fold,
    "scan": Block._fold,
}
