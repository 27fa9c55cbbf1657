"""What a module of Tile IR (module.py) is made of: types, values, operations, entries and globals.

All operations share one class. The row of an operation in tables/operations.tsv names its operands,
attributes and results, and the same names are used here. Values and operations are compared by identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from .locations import AnyLocation

# --- types ---


@dataclass(frozen=True)
class Scalar:
    """An element type: i1 to i64, f16, bf16, f32, tf32, f64, f8E4M3FN, f8E5M2, ..."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Pointer:
    """An address of elements; `attr` is none, unicast or multicast if the type has that attribute."""

    pointee: Scalar | Pointer
    attr: str | None = None

    def __str__(self) -> str:
        return f"ptr<{self.pointee}, <{self.attr}>>" if self.attr else f"ptr<{self.pointee}>"


@dataclass(frozen=True)
class Tile:
    """An array of elements; the shape () is a single element."""

    element: Scalar | Pointer
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"tile<{''.join(f'{n}x' for n in self.shape)}{self.element}>"


@dataclass(frozen=True)
class TensorView:
    """A strided tensor in memory, measured in elements; None is an extent or stride given by an operand.
    `attr` is as in Pointer."""

    element: Scalar | Pointer
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    attr: str | None = None

    def __str__(self) -> str:
        extents = "".join(f"{'?' if n is None else n}x" for n in self.shape)
        strides = ",".join("?" if n is None else str(n) for n in self.strides)
        text = f"tensor_view<{extents}{self.element}" + (f", strides=[{strides}]" if self.shape else "")
        return text + (f", #cuda_tile.ptr_attr<{self.attr}>>" if self.attr else ">")


@dataclass(frozen=True)
class TileView:
    """A tensor cut into tiles.

    kind:     "partition_view", "strided_view" or "gather_scatter_view"
    tile:     the shape of the tiles
    tensor:   the tensor's type
    dim_map:  the tensor's axis for each of the tile's
    padding:  the value of elements beyond the tensor: zero, neg_zero, nan, pos_inf, neg_inf; None: undefined
    steps:    elements from one tile to the next, along each axis
    sparse:   the axis along which an index names each element, of a gather_scatter_view
    """

    kind: str
    tile: tuple[int, ...]
    tensor: TensorView
    dim_map: tuple[int, ...]
    padding: str | None = None
    steps: tuple[int, ...] = ()
    sparse: int | None = None

    def __str__(self) -> str:
        text = f"{self.kind}<tile=({'x'.join(map(str, self.tile))})"
        if self.kind == "strided_view":
            text += f", traversal_strides=[{','.join(map(str, self.steps))}]"
        if self.padding:
            text += f", padding_value = {self.padding}"
        text += f", {self.tensor}"
        if self.dim_map != tuple(range(len(self.dim_map))):
            text += f", dim_map={list(self.dim_map)}"
        return text + (">" if self.sparse is None else f", sparse_dim={self.sparse}>")


@dataclass(frozen=True)
class Token:
    """The type of tokens, which order memory operations."""

    def __str__(self) -> str:
        return "token"


@dataclass(frozen=True)
class Function:
    """The types of an entry's arguments and results."""

    inputs: tuple[Any, ...]
    results: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.results))})"


Type = Scalar | Pointer | Tile | TensorView | TileView | Token | Function

# --- attributes other than numbers, strings and enumerators ---


@dataclass(frozen=True)
class DivBy:
    """assume: multiples of `divisor`; with `every` and `along`, only the first of each run along an axis."""

    divisor: int
    every: int | None = None
    along: int | None = None


@dataclass(frozen=True)
class SameElements:
    """assume: elements are equal within each block of these extents."""

    groups: tuple[int, ...]


@dataclass(frozen=True)
class Bounded:
    """assume: from lower to upper, read as signed; None means unbounded."""

    lower: int | None = None
    upper: int | None = None


@dataclass(frozen=True)
class Constant:
    """A typed number, given by its bits."""

    type: Scalar
    bits: int


# --- values, operations, entries ---

#: How deeply regions may nest, in text and in the binary form.
MAX_NESTING = 200
#: How deeply attributes may nest.
MAX_ATTRIBUTE_DEPTH = 20
#: How many elements a tile may have, and how many axes: as many as every version of NumPy supports.
MAX_ELEMENTS = 1 << 24
MAX_AXES = 32
#: The operations that end a block.
TERMINATORS = ("break", "continue", "return", "yield")


@dataclass(eq=False)
class Value:
    """A result of an operation or an argument of a block."""

    type: Any
    name: str = ""


@dataclass(eq=False)
class Block:
    """Operations in order; the last one is the terminator."""

    arguments: list[Value] = field(default_factory=list)
    ops: list[Operation] = field(default_factory=list)


@dataclass(eq=False)
class Operation:
    """One operation.

    operands:    lists of values by the name of the operand
    attributes:  by name; enumerators and symbols as strings, dense constants as arrays
    regions:     the block of each; None for one that is left out
    line:        in the text that it was read from, or in the source of the bytecode; 0 if it is unknown
    location:    where it comes from (locations.py), if bytecode or text says so
    """

    name: str
    operands: dict[str, list[Value]] = field(default_factory=dict)
    attributes: dict[str, Any] = field(default_factory=dict)
    results: list[Value] = field(default_factory=list)
    regions: list[Block | None] = field(default_factory=list)
    line: int = 0
    location: AnyLocation | None = None

    def __str__(self) -> str:
        return f"line {self.line}: {self.name}" if self.line else self.name


@dataclass(eq=False)
class Entry:
    """A kernel.

    expression:  the name expression that it was made from, "" if that is not known
    others:      further ones that mean it
    """

    name: str
    body: Block
    hints: dict[str, dict[str, Any]] = field(default_factory=dict)
    location: AnyLocation | None = None
    expression: str = ""
    others: list[str] = field(default_factory=list)

    @property
    def params(self) -> list[Value]:
        return self.body.arguments

    @property
    def expressions(self) -> list[str]:
        return [*filter(None, [self.expression]), *self.others]

    @property
    def signature(self) -> str:
        return f"{self.name}({', '.join(str(value.type) for value in self.params)})"

    def __repr__(self) -> str:
        return f"<pycuda_tile.tileir.Entry {self.signature}>"

    def is_called(self, name: str) -> bool:
        """Whether a user may mean this entry by its own name or by a name expression."""
        return name == self.name or _short(name) in map(_short, self.expressions)


def _short(expression: str) -> str:
    return "".join(expression.split()).removeprefix("::").removesuffix("<>")


@dataclass(eq=False)
class Global:
    """A buffer that lives as long as its module."""

    name: str
    type: Tile
    value: np.ndarray
    alignment: int = 0
    private: bool = False
    constant: bool = False


def walk(block: Block) -> Iterator[Operation]:
    """All operations of a block; those in regions follow the operation that has the regions."""
    left = [iter(block.ops)]
    while left:
        op = next(left[-1], None)
        if op is None:
            left.pop()
            continue
        yield op
        left.append(chain.from_iterable(inner.ops for inner in op.regions if inner is not None))
