"""What a module of Tile IR (module.py) is made of: types, values, operations, entries and globals.

Operations are all of one class; what each has is said by its row of tables/operations.tsv, whose names of
operands, attributes and results are the ones used here. Values and operations are compared by identity.
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
    """An address of elements; `attr` is the attribute none, unicast or multicast, where one is given."""

    pointee: Scalar | Pointer
    attr: str | None = None

    def __str__(self) -> str:
        return f"ptr<{self.pointee}, <{self.attr}>>" if self.attr else f"ptr<{self.pointee}>"


@dataclass(frozen=True)
class Tile:
    """An array of elements; a shape of () is a single one."""

    element: Scalar | Pointer
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"tile<{''.join(f'{n}x' for n in self.shape)}{self.element}>"


@dataclass(frozen=True)
class TensorView:
    """A strided tensor in memory; None is an extent or stride that an operand gives, in elements. `attr`: as
    of pointers."""

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
    padding:  what elements beyond the tensor are: zero, neg_zero, nan, pos_inf, neg_inf; None: undefined
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
    """What an entry takes and yields."""

    inputs: tuple[Any, ...]
    results: tuple[Any, ...] = ()

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.inputs))}) -> ({', '.join(map(str, self.results))})"


Type = Scalar | Pointer | Tile | TensorView | TileView | Token | Function

# --- attributes that are no numbers, strings or enumerators ---


@dataclass(frozen=True)
class DivBy:
    """assume: multiples of `divisor`; with `every` and `along` the first of each run along an axis."""

    divisor: int
    every: int | None = None
    along: int | None = None


@dataclass(frozen=True)
class SameElements:
    """assume: equal in each block of these extents."""

    groups: tuple[int, ...]


@dataclass(frozen=True)
class Bounded:
    """assume: from lower to upper, read as signed; None is no bound."""

    lower: int | None = None
    upper: int | None = None


@dataclass(frozen=True)
class Constant:
    """A typed number, as its bits."""

    type: Scalar
    bits: int


# --- values, operations, entries ---

#: How deep regions may stand in regions, in text and in the binary form.
MAX_NESTING = 200
#: How deep attributes may stand in each other.
MAX_ATTRIBUTE_DEPTH = 20
#: How many elements a tile may have, and how many axes: as many as NumPy's arrays of all versions.
MAX_ELEMENTS = 1 << 24
MAX_AXES = 32
#: What ends a block.
TERMINATORS = ("break", "continue", "return", "yield")


@dataclass(eq=False)
class Value:
    """What an operation yields or a block is given."""

    type: Any
    name: str = ""


@dataclass(eq=False)
class Block:
    """Operations in order; the last one ends the block."""

    arguments: list[Value] = field(default_factory=list)
    ops: list[Operation] = field(default_factory=list)


@dataclass(eq=False)
class Operation:
    """One operation.

    operands:    values by the name of the operand; several for one that may stand for any number
    attributes:  by name; enumerators and symbols as strings, dense constants as arrays
    regions:     the block of each; None for one that is left out
    line:        in the text that it was read from, or in the source that bytecode is of; 0 if it is unknown
    location:    where it comes from (locations.py), where bytecode or text says it
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
    """A kernel."""

    name: str
    body: Block
    hints: dict[str, dict[str, Any]] = field(default_factory=dict)
    location: AnyLocation | None = None

    @property
    def params(self) -> list[Value]:
        return self.body.arguments


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
    """All operations of a block, those in regions behind the operation that has them."""
    left = [iter(block.ops)]
    while left:
        op = next(left[-1], None)
        if op is None:
            left.pop()
            continue
        yield op
        left.append(chain.from_iterable(inner.ops for inner in op.regions if inner is not None))
