"""The state of a translation: the text written so far, and what is known about the values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from pycuda_tile import targets
from pycuda_tile.errors import NotAvailableYet

from ..ir import Block, Operation, Value
from ..reading import operands_of
from .types import NotLowered, Tensor, Tiles
from .writer import Writer


class Translation(ABC):
    """One module.

    names:       the writer; names[value] is a C++ expression
    tensors:     what is known about tensor views, by the identity of their values
    views:       the same for views of tiles
    changed:     the base pointers of views through which the kernel may store, by their identity
    globals:     expressions of the addresses of globals
    assertions:  the operations `assert`, in the order of their numbers
    from_cxx:    whether those are assertions of C++, which fail as the host's do
    function:    the kernel that is being translated, as messages call it
    loops:       names of the carried values and results of the enclosing loops, innermost last
    yields:      names of the variables to which the enclosing conditionals yield
    shared:      numbers of variables that hold several values of control flow, by the values' identity
    declared:    names of such variables, by their numbers
    checked:     whether the text is for a checked build
    """

    def __init__(self, target: str, checked: bool = False):
        self.target, self.checked = targets.find(target), checked
        self.names = Writer()
        self.tensors: dict[int, Tensor] = {}
        self.views: dict[int, Tiles] = {}
        self.changed: set[int] = set()
        self.globals: dict[str, str] = {}
        self.assertions: list[Operation] = []
        self.from_cxx = False
        self.function = ""
        self.loops: list[tuple[list[str], list[str]]] = []
        self.yields: list[list[str]] = []
        self.shared: dict[int, int] = {}
        self.declared: dict[int, str] = {}
        self.line, self.fresh = self.names.line, self.names.fresh

    def around_rounds(self, loop: Operation) -> AbstractContextManager[None]:
        """What is written around the rounds of a `for`."""
        return nullcontext()

    def define(self, value: Value, text: str) -> None:
        """Defines a local for a value."""
        self.line(f"auto const {self.names.name(value, value.name or 'v')} = {text};")

    def block(self, block: Block) -> None:
        self._operations(block.ops)

    def function_body(self, block: Block, end: Callable[[list[str]], str]) -> None:
        """Writes a block, with end(names) in place of its yield."""
        *ops, last = block.ops
        self._operations(ops)
        self.line(end([self.names[value] for value in operands_of(last)]))

    def _operations(self, ops: list[Operation]) -> None:
        for op in ops:
            self.at(op)
            try:
                self.operation(op)
            except NotLowered as error:
                raise NotAvailableYet(f"{op}: {op.name} has no translation to C++: {error}") from None

    def at(self, op: Operation) -> None:  # noqa: B027  most translations need no places
        """What is written from now on comes from this operation."""

    @abstractmethod
    def operation(self, op: Operation) -> None:
        """Writes an operation. Raises NotLowered if it cannot be translated."""
