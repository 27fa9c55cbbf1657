"""A kernel of cuTile Python as Tile IR for one signature."""

from __future__ import annotations

import io
from typing import Any

from cuda.tile import compilation

from .. import tileir
from ..tileir.ir import Block, Operation, Value, walk
from .signatures import signature


def export(kernel: Any, keys: tuple[tuple, ...]) -> tileir.Module:
    """The module for arguments that signatures.read() describes so; its one entry is called kernel."""
    bytecode = io.BytesIO()
    compilation.export_kernel(
        kernel, [signature(keys, symbol="kernel")], bytecode, output_format="tileir_bytecode"
    )
    m = tileir.read_bytecode(bytecode.getvalue())
    for entry in m.entries:
        _drop_promises_of_unused_strides(entry.body)
    return m


def _drop_promises_of_unused_strides(body: Block) -> None:
    """The stride of an axis with one element is never used, and cuda.tile promises any multiple of it, though
    it may be 1: a promise that is broken would be undefined behaviour here."""
    promised = {id(op.results[0]): op.operands["value"][0] for op in walk(body) if op.name == "assume"}

    def without_promise(value: Value) -> Value:
        while id(value) in promised:
            value = promised[id(value)]
        return value

    for op in walk(body):
        if op.name == "make_tensor_view":
            view = op.results[0].type
            extents = [
                extent for extent, stride in zip(view.shape, view.strides, strict=True) if stride is None
            ]
            op.operands["dynamicStrides"] = [
                without_promise(value) if extent == 1 else value
                for value, extent in zip(op.operands["dynamicStrides"], extents, strict=True)
            ]
    _drop_unused_promises(body)


def _drop_unused_promises(body: Block) -> None:
    used = {id(value) for op in walk(body) for values in op.operands.values() for value in values}

    def is_unused(op: Operation) -> bool:
        return op.name == "assume" and id(op.results[0]) not in used

    if not any(map(is_unused, walk(body))):
        return
    for block in (body, *(inner for op in walk(body) for inner in op.regions if inner is not None)):
        block.ops = [op for op in block.ops if not is_unused(op)]
    _drop_unused_promises(body)  # of those that were made of what another promises
