"""Operations on memory: loads, stores and atomics through pointers and views, and prints.

`MEMORY[name](block, op)` adds the access to the memory order and returns the operation's results; the result
of a load is an Access until its value is needed. `OTHER` has assertions and the operations that make tokens,
pointers and views.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pycuda_tile.errors import LaunchError

from ..assertions import AssertionFailed
from ..elements import DTYPES, unsigned, wrap
from ..ir import Bounded, DivBy, Operation, Value
from ..modes import padding_value
from ..print_formats import pieces
from ..reading import (
    attribute,
    group,
    operand,
    operands_of,
    optional_operand,
    pointee,
    result_element,
    source_element,
    tensor_facts,
    tile_facts,
    update_of,
    value_element,
)
from . import assumptions, atomics, half_bytes, messages
from .operations import bits_in_memory, dtype_in_memory
from .order import Access, Token
from .state import BlockState
from .views import GatherScatterView, Places, TensorView, TileView

_TRUE = np.ones((), bool)


def _add(block: BlockState, op: Operation, run: Callable[[], Any]) -> Access:
    token = optional_operand(op, "token")
    after: Token = () if token is None else block.get(token)
    return block.order.add(run, after)


def _with_value(access: Access) -> list:
    return [access.result if access.done else access, (access,)]


def _mask(block: BlockState, op: Operation) -> np.ndarray:
    mask = optional_operand(op, "mask")
    return _TRUE if mask is None else block.get(mask)


# --- through pointers ---


def _load_ptr(block: BlockState, op: Operation) -> list:
    addresses, mask = block.get(operand(op, "source")), _mask(block, op)
    dtype = dtype_in_memory(source_element(op))
    padding = optional_operand(op, "paddingValue")
    otherwise = block.program.undefined(addresses.shape, dtype) if padding is None else block.get(padding)
    memory, report = block.program.memory, block.report(op)
    return _with_value(_add(block, op, lambda: memory.load(addresses, dtype, mask, otherwise, report)))


def _store_ptr(block: BlockState, op: Operation) -> list:
    addresses, value = block.get(operand(op, "destination")), block.get(operand(op, "value"))
    mask, memory, report = _mask(block, op), block.program.memory, block.report(op)

    def run() -> None:
        memory.store(addresses, value, mask, report)
        block.program.changed()

    return [(_add(block, op, run),)]


def _atomic_rmw(block: BlockState, op: Operation) -> list:
    addresses, arg = block.get(operand(op, "pointers")), block.get(operand(op, "arg"))
    mask, mode, report = _mask(block, op), attribute(op, "mode", "add"), block.report(op)
    memory = block.program.memory

    def run() -> np.ndarray:
        block.program.changed()
        return atomics.update(memory, addresses, arg, mask, mode, report)

    return _with_value(_add(block, op, run))


def _atomic_cas(block: BlockState, op: Operation) -> list:
    addresses, mask, report = block.get(operand(op, "pointers")), _mask(block, op), block.report(op)
    cmp, val = block.get(operand(op, "cmp")), block.get(operand(op, "val"))
    memory = block.program.memory

    def run() -> np.ndarray:
        old = atomics.compare_exchange(memory, addresses, cmp, val, mask, report)
        if old.tobytes() == np.asarray(cmp).tobytes():
            block.program.changed()
        return old

    return _with_value(_add(block, op, run))


# --- through views ---


def _places(block: BlockState, op: Operation) -> tuple[TileView | GatherScatterView, Places]:
    view = block.get(operand(op, "view"))
    index = [block.get(value) for value in group(op, "index")]
    _check_inbounds(block, op, view, index)
    return view, view.places(index)


def _check_inbounds(block: BlockState, op: Operation, view: Any, index: list[np.ndarray]) -> None:
    """Checks the promise of `inbounds`: along those axes the whole tile lies in the tensor."""
    for d, promised in enumerate(attribute(op, "inbounds", None) or ()):
        if promised:
            (first, last), extent = view.reach(d, index[d]), view.tensor.shape[view.axes[d]]
            if last >= extent:
                block.report(op)(
                    "unmasked-partition",
                    f"elements {first} to {last} of axis {d} of a tensor of {extent}, "
                    "although the tile was promised to be within the tensor",
                )


def _load_view(block: BlockState, op: Operation) -> list:
    _, places = _places(block, op)
    dtype = DTYPES[result_element(op)]
    padding = operand(op, "view").type.padding
    if padding is None:
        otherwise = block.program.undefined(places.inside.shape, dtype)
    else:
        otherwise = padding_value(padding, result_element(op))
    memory, report = block.program.memory, block.report(op)

    def run() -> np.ndarray:
        if places.high is not None:
            return half_bytes.load(memory, places, otherwise, report)
        return memory.load(places.addresses, dtype, places.inside, otherwise, report)

    return _with_value(_add(block, op, run))


def _store_view(block: BlockState, op: Operation) -> list:
    _, places = _places(block, op)
    tile, memory, report = block.get(operand(op, "tile")), block.program.memory, block.report(op)

    def run() -> None:
        if places.high is not None:
            half_bytes.store(memory, places, tile, report)
        else:
            memory.store(places.addresses, tile, places.inside, report)
        block.program.changed()

    return [(_add(block, op, run),)]


def _atomic_red_view(block: BlockState, op: Operation) -> list:
    _, places = _places(block, op)
    mode, given = update_of(op)
    value, memory, report = block.get(given), block.program.memory, block.report(op)

    def run() -> None:
        atomics.update(memory, places.addresses, value, places.inside, mode, report)
        block.program.changed()

    return [(_add(block, op, run),)]


def _string(block: BlockState, op: Operation, value: Value) -> np.ndarray | str:
    """The string of C that a pointer points to; a tile of pointers prints as addresses."""
    address, found = block.get(value), bytearray()
    if address.ndim:
        return address
    byte, all_, none = np.dtype(np.int8), np.asarray(True), np.asarray(0, np.int8)
    while read := int(block.program.memory.load(address + len(found), byte, all_, none, block.report(op))):
        found.append(read & 255)
    return found.decode(errors="replace")


def _print(block: BlockState, op: Operation) -> list:
    template = attribute(op, "str")
    kinds = [piece.kind for piece in pieces(template) if not isinstance(piece, str)]
    values = [
        _string(block, op, value) if kind == "s" and value_element(value) == "ptr<i8>" else block.get(value)
        for kind, value in zip(kinds, group(op, "args"), strict=True)
    ]
    text = messages.expand(template, values)
    access = _add(block, op, lambda: block.program.write(text))
    return [(access,)] * len(op.results)


MEMORY: dict[str, Callable[[BlockState, Operation], list]] = {
    "load_ptr_tko": _load_ptr,
    "store_ptr_tko": _store_ptr,
    "atomic_rmw_tko": _atomic_rmw,
    "atomic_cas_tko": _atomic_cas,
    "load_view_tko": _load_view,
    "store_view_tko": _store_view,
    "atomic_red_view_tko": _atomic_red_view,
    # There is one device, whose memory a multicast pointer reaches.
    "multimem_load_reduce_view_tko": _load_view,
    "multimem_store_view_tko": _store_view,
    "multimem_reduce_view_tko": _atomic_red_view,
    "print_tko": _print,
    "print": _print,
}

# --- tokens, pointers, views ---


def _tokens(block: BlockState, op: Operation) -> list:
    """A token ordered after everything that any of the operands is ordered after."""
    tokens = [block.get(value) for value in operands_of(op)]
    return [tuple(dict.fromkeys(access for token in tokens for access in token))]


def _block_id(block: BlockState, op: Operation) -> list:
    return [np.asarray(i, np.int32) for i in block.index]


def _num_blocks(block: BlockState, op: Operation) -> list:
    return [np.asarray(n, np.int32) for n in block.program.grid]


def _get_global(block: BlockState, op: Operation) -> list:
    return [np.asarray(block.program.globals[attribute(op, "name")], np.int64)]


def _alloca(block: BlockState, op: Operation) -> list:
    size = -(-int(attribute(op, "num_elem")) * bits_in_memory(pointee(result_element(op))) // 8)
    try:
        array = np.zeros(size, np.uint8)
    except (MemoryError, ValueError):
        raise LaunchError(f"{op}: there is no memory for {size} bytes") from None
    return [np.asarray(block.program.memory.add(array, f"what {op} allocates"), np.int64)]


def _tensor_view(block: BlockState, op: Operation) -> list:
    kind = tensor_facts(op.results[0].type)
    base = int(block.get(operand(op, "base")))
    shape = _filled(kind.shape, [block.get(value) for value in group(op, "dynamicShape")])
    strides = _filled(kind.strides, [block.get(value) for value in group(op, "dynamicStrides")])
    return [TensorView(base, bits_in_memory(kind.element), shape, strides)]


def _filled(static: tuple[int | None, ...], dynamic: list[np.ndarray]) -> tuple[int, ...]:
    left = iter(dynamic)
    return tuple(int(unsigned(next(left))) if n is None else n for n in static)


def _tile_view(block: BlockState, op: Operation) -> list:
    kind, tensor = tile_facts(op.results[0].type), block.get(operand(op, "tensor_view"))
    return [TileView(tensor, kind.tile, kind.axes, kind.steps)]


def _gather_scatter_view(block: BlockState, op: Operation) -> list:
    kind, tensor = tile_facts(op.results[0].type), block.get(operand(op, "tensor_view"))
    assert kind.sparse is not None
    return [GatherScatterView(tensor, kind.tile, kind.axes, kind.sparse)]


def _shape(block: BlockState, op: Operation, extents: tuple[int, ...]) -> list:
    dtype = DTYPES[result_element(op)]
    for extent in extents:
        if extent >> (8 * dtype.itemsize):
            block.report(op)("extent-range", f"extent {extent} does not fit in {dtype.name}")
    return [wrap(np.asarray(extent, object), dtype) for extent in extents]


def _tensor_shape(block: BlockState, op: Operation) -> list:
    return _shape(block, op, block.get(operand(op, "src")).shape)


def _index_space_shape(block: BlockState, op: Operation) -> list:
    return _shape(block, op, block.get(operand(op, "src")).index_space)


def _assume(block: BlockState, op: Operation) -> list:
    value = block.get(operand(op, "value"))
    found = attribute(op, "predicate")
    report = block.report(op)
    value_checked = np.asarray(value.base, np.int64) if isinstance(value, TensorView) else value
    if isinstance(found, Bounded):
        assumptions.bounded(value_checked, found.lower, found.upper, report)
    elif isinstance(found, DivBy):
        element = source_element(op)
        step = max(1, bits_in_memory(pointee(element)) // 8) if element.startswith("ptr<") else 1
        assumptions.divisible(value_checked, found.divisor, found.every, found.along, step, report)
    else:
        assumptions.same_elements(value_checked, found.groups, report)
    return [value]


def _assert(block: BlockState, op: Operation) -> list:
    condition = block.get(operand(op, "condition"))
    if not condition.all():
        raise AssertionFailed.of(op, block.index, tuple(map(int, np.argwhere(~condition)[0])))
    return []


OTHER: dict[str, Callable[[BlockState, Operation], list]] = {
    "make_token": lambda block, op: [()],
    "join_tokens": _tokens,
    "memory_fence_alias_tko": _tokens,
    "gdc_wait_tko": _tokens,
    "gdc_launch_dependents_tko": _tokens,
    "get_tile_block_id": _block_id,
    "get_num_tile_blocks": _num_blocks,
    "get_global": _get_global,
    "alloca": _alloca,
    "make_tensor_view": _tensor_view,
    "make_partition_view": _tile_view,
    "make_strided_view": _tile_view,
    "make_gather_scatter_view": _gather_scatter_view,
    "get_tensor_shape": _tensor_shape,
    "get_index_space_shape": _index_space_shape,
    "assume": _assume,
    "assert": _assert,
}
