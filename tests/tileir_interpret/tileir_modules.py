"""Modules of Tile IR for tests, operation by operation."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager

import numpy as np

from pycuda_tile.tileir.elements import DTYPES
from pycuda_tile.tileir.ir import (
    Block,
    Constant,
    Entry,
    Operation,
    Pointer,
    Scalar,
    TensorView,
    Tile,
    TileView,
    Token,
    Value,
)
from pycuda_tile.tileir.module import Module

TOKEN = Token()


def tile(element: str, *shape: int) -> Tile:
    """tile("f32", 4, 8); "ptr<f32>" for pointers."""
    return Tile(_element(element), shape)


def _element(name: str) -> Scalar | Pointer:
    return Pointer(_element(name[4:-1])) if name.startswith("ptr<") else Scalar(name)


class Builder:
    """Builds one entry; `op` appends an operation."""

    def __init__(self, *parameters: Tile, name: str = "kernel"):
        self.arguments = [Value(type_, f"p{i}") for i, type_ in enumerate(parameters)]
        self.name, self.block = name, Block(self.arguments)

    def op(self, name: str, result=(), line: int = 0, attributes: dict | None = None, **operands):
        """Returns the result, a list of results for several types, or the operation if it has none."""
        types = list(result) if isinstance(result, (tuple, list)) else [result]
        given = {k: v if isinstance(v, (list, tuple)) else [v] for k, v in operands.items() if v is not None}
        values = [Value(type_) for type_ in types]
        found = Operation(name, given, attributes or {}, values, [], line)
        self.block.ops.append(found)
        if not isinstance(result, (tuple, list)):
            return values[0]
        return values if values else found

    @contextmanager
    def region(self, op: Operation, *arguments: Tile | Token):
        """Operations added inside go to a new region of `op`; yields its arguments."""
        outer, self.block = self.block, Block([Value(type_) for type_ in arguments])
        op.regions.append(self.block)
        yield self.block.arguments
        self.block = outer

    def constant(self, element: str, value, *shape: int) -> Value:
        array = np.broadcast_to(np.asarray(value).astype(DTYPES[element]), shape)
        return self.op("constant", tile(element, *shape), attributes={"value": array})

    def iota(self, count: int, element: str = "i32") -> Value:
        return self.op("iota", tile(element, count))

    def pointers(self, pointer: Value, count: int) -> Value:
        """Pointers to `count` elements from `pointer` on."""
        element = str(pointer.type.element)
        one = self.op("reshape", tile(element, 1), source=pointer)
        many = self.op("broadcast", tile(element, count), source=one)
        return self.op("offset", tile(element, count), ptr=many, offset=self.iota(count))

    def load(self, pointers: Value, token: Value | None = None, **more) -> list[Value]:
        loaded = Tile(pointers.type.element.pointee, pointers.type.shape)
        weak = {"memory_ordering_semantics": "weak"}
        return self.op("load_ptr_tko", (loaded, TOKEN), attributes=weak, source=pointers, token=token, **more)

    def store(self, pointers: Value, value: Value, token: Value | None = None, **more) -> Value:
        weak = {"memory_ordering_semantics": "weak"}
        return self.op(
            "store_ptr_tko", TOKEN, attributes=weak, destination=pointers, value=value, token=token, **more
        )

    def view(
        self, pointer: Value, shape, strides, tile_shape, dim_map=None, padding=None, dynamic=()
    ) -> Value:
        """A partition view; None in shape and strides stands for the values in `dynamic`, in order."""
        kind = TensorView(pointer.type.element.pointee, tuple(shape), tuple(strides))
        count = sum(n is None for n in shape)
        tensor = self.op(
            "make_tensor_view",
            kind,
            base=pointer,
            dynamicShape=list(dynamic)[:count],
            dynamicStrides=list(dynamic)[count:],
        )
        axes = tuple(dim_map or range(len(shape)))
        partition = TileView("partition_view", tuple(tile_shape), kind, axes, padding, tuple(tile_shape))
        return self.op("make_partition_view", partition, tensor_view=tensor)

    def entry(self) -> Entry:
        self.block.ops.append(Operation("return", {"operands": []}))
        return Entry(self.name, self.block)

    def module(self) -> Module:
        return Module([self.entry()])


def elementwise(name: str, function: Callable, types: list[str], result: str, count: int) -> Entry:
    """An entry that loads tiles of `count` elements, applies function(builder, values), stores the result."""
    builder = Builder(*(tile(f"ptr<{kind}>") for kind in [*types, result]), name=name)
    *sources, target = builder.arguments
    loaded = [builder.load(builder.pointers(source, count))[0] for source in sources]
    builder.store(builder.pointers(target, count), function(builder, loaded))
    return builder.entry()


INT = tile("i32")
POINTER = tile("ptr<i32>")


def compare(builder: Builder, predicate: str, lhs, rhs):
    attributes = {"comparison_predicate": predicate, "signedness": "signed"}
    return builder.op("cmpi", tile("i1"), attributes=attributes, lhs=lhs, rhs=rhs)


def constant(element: str, bits: int) -> Constant:
    return Constant(Scalar(element), bits)
