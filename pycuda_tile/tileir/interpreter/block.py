"""One tile block: its values, and the operations of its entry run in order.

Running a region is a generator: it yields where another block may go on, before each operation on memory.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from pycuda_tile.errors import NotAvailableYet, UndefinedBehaviorError

from ..elements import constant, width, wrap
from ..reading import attribute, operands_of, optional_region, region
from . import accesses, folds
from .operations import ELEMENTWISE, PURE
from .order import Access, Order
from .program import Program

Running = Generator[None, None, Any]


class Leave(Exception):
    """A terminator other than the one that ends its own region; `values` are its operands."""

    def __init__(self, kind: str, values: list):
        super().__init__(kind)
        self.kind, self.values = kind, values


class Block:
    """A tile block of a running program.

    values:   by the identity of the model's value; what a load in waiting yields is an Access
    """

    def __init__(self, program: Program, index: tuple[int, int, int], order: Order):
        self.program, self.index, self.order = program, index, order
        self.values: dict[int, Any] = {}

    def run(self, entry: Any, arguments: list[np.ndarray]) -> Running:
        """The entry's body, from the first operation to its return."""
        body = entry.body
        self._bind(body.arguments, arguments)
        try:
            yield from self._operations(body)
        except Leave as leave:
            assert leave.kind == "return"
        self.order.finish()

    # --- values ---

    def get(self, value: Any) -> Any:
        """What a value is; a load that waits for its turn happens now."""
        found = self.values[id(value)]
        if isinstance(found, Access):
            found = self.values[id(value)] = found.finish()
        return found

    def operands(self, op: Any) -> list:
        return [self.get(value) for value in operands_of(op)]

    def _raw(self, op: Any) -> list:
        """Operands as they are handed on, without need for what they are."""
        return [self.values[id(value)] for value in operands_of(op)]

    def _bind(self, values: list, to: list) -> None:
        for value, what in zip(values, to, strict=True):
            self.values[id(value)] = what

    def report(self, op: Any) -> Callable[[str, str], None]:
        """What to call when `op` does what is undefined."""

        def report(kind: str, message: str) -> None:
            if self.program.raises:
                raise UndefinedBehaviorError(
                    f"{op}: block {self.index}: {message}",
                    kind=kind,
                    line=op.line,
                    block=self.index,
                )

        return report

    # --- operations ---

    def _operations(self, block: Any) -> Running:
        """All operations of a block; returns the operands of its terminator."""
        for op in block.ops:
            name = op.name
            if name in PURE:
                self._bind(op.results, [self.pure(op, self.operands(op))])
            elif name in accesses.MEMORY:
                if self.program.interleaves:
                    yield
                self._bind(op.results, accesses.MEMORY[name](self, op))
            elif name in accesses.OTHER:
                self._bind(op.results, accesses.OTHER[name](self, op))
            elif name in _CONTROL:
                self._bind(op.results, (yield from _CONTROL[name](self, op)))
            elif name == "yield":
                return self._raw(op)
            elif name in ("continue", "break", "return"):
                raise Leave(name, self._raw(op))
            else:
                raise NotAvailableYet(f"{op}: {name} cannot be interpreted")
        return []

    def pure(self, op: Any, operands: list) -> np.ndarray:
        """The result of an operation without effect."""
        function = self.program.functions.get(id(op))
        if function is None:
            function = self.program.functions[id(op)] = PURE[op.name](op)
        return np.asarray(function(self.report(op), *operands))

    # --- control flow ---

    def _if(self, op: Any) -> Running:
        (condition,) = self.operands(op)
        body = optional_region(op, 0 if condition else 1)
        return (yield from self._operations(body)) if body is not None else []

    def _loop(self, op: Any) -> Running:
        body = region(op, 0)
        carried = self._raw(op)
        while True:
            self._bind(body.arguments, carried)
            try:
                yield from self._operations(body)
                carried = []  # a body without values may do without its continue
            except Leave as leave:
                if leave.kind == "break":
                    return leave.values
                if leave.kind == "return":
                    raise
                carried = leave.values
            self.program.step()
            yield

    def _for(self, op: Any) -> Running:
        body = region(op, 0)
        bounds, carried = self.operands(op)[:3], self._raw(op)[3:]
        induction, *arguments = body.arguments
        unsigned = bool(attribute(op, "unsignedCmp", False))
        dtype = bounds[0].dtype
        modulus = 1 << width(dtype)
        lower, upper, step = (int(bound) % modulus if unsigned else int(bound) for bound in bounds)
        if step <= 0:
            self.report(op)("irange-step", f"a loop with step {step}")
            return carried
        for index in range(lower, upper, step):
            self._bind([induction], [wrap(np.asarray(index, object), dtype)])
            self._bind(arguments, carried)
            try:
                yield from self._operations(body)
                carried = []
            except Leave as leave:
                if leave.kind != "continue":
                    raise
                carried = leave.values
        return carried

    def _fold(self, op: Any) -> Running:
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
        start = [constant(found) for found in attribute(op, "identities")]
        return folds.scan(run, operands, start, dim, bool(attribute(op, "reverse", False)))
        yield  # a generator, as all that can have a region

    def _tiles(self, body: Any, arguments: list[np.ndarray]) -> list[np.ndarray]:
        """A body of elementwise operations, on tiles where it has single elements."""
        self._bind(body.arguments, arguments)
        shape = arguments[0].shape
        for op in body.ops:
            operands = [np.broadcast_to(operand, shape) for operand in self.operands(op)]
            if op.name == "yield":
                return operands
            self._bind(op.results, [self.pure(op, operands)])
        raise AssertionError("a body without yield")

    def _scalars(self, body: Any, arguments: list[np.ndarray]) -> list[np.ndarray]:
        self._bind(body.arguments, arguments)
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
