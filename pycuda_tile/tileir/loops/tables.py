"""tables: an array of a kernel's own that only ever holds a constant becomes that constant.

C++ has `float weights[3] = {1, 2, 1};` copied from a constant at each call, and what a load may find in the
copy no compiler knows.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir import Block, Operation, walk
from ..reading import attribute, operand, operands_of, optional_operand
from .facts import LOADS, SHAPES, blocks, is_weak
from .rows import first_of_row

#: What makes pointers and views of others, and loads through them.
_READERS = LOADS | SHAPES
_READERS |= {"offset", "make_tensor_view", "make_partition_view", "make_strided_view"}


def keep_tables(body: Block, constants: Mapping[str, int]) -> None:
    """Replaces such arrays in a kernel.

    constants: the number of elements of each global that no kernel changes
    """
    made = {id(value): op for op in walk(body) for value in op.results}
    for block in blocks(body):
        for array in [op for op in block.ops if op.name == "alloca"]:
            users = _users(array, body)
            copies = [op for op in users if op.name == "store_ptr_tko"]
            readers = [op for op in users if op not in copies]
            if len(copies) != 1 or not all(op.name in _READERS and is_weak(op) for op in readers):
                continue
            (copy,) = copies
            table = _copied(copy, array, made, constants)
            loads = [op for op in readers if op.name in LOADS]
            if table is not None and _is_first(copy, block, loads):
                _replace(array, table, copy)


def _users(array: Operation, body: Block) -> list[Operation]:
    """The operations that take the array's address, or what is made of that."""
    addresses, found = {id(array.results[0])}, []
    for op in walk(body):
        if any(id(value) in addresses for value in operands_of(op)):
            found.append(op)
            addresses |= set() if op.name in LOADS else {id(value) for value in op.results}
    return found


def _copied(
    copy: Operation, array: Operation, made: dict[int, Operation], constants: Mapping[str, int]
) -> Operation | None:
    """The constant that a store copies to an array, element by element."""
    load = made.get(id(operand(copy, "value")))
    if load is None or load.name != "load_ptr_tko" or not (is_weak(copy) and is_weak(load)):
        return None
    if optional_operand(copy, "mask") is not optional_operand(load, "mask"):
        return None
    ends = operand(copy, "destination"), operand(load, "source")
    to, table = (made.get(id(first_of_row(pointers, made))) for pointers in ends)
    if to is not array or table is None or table.name != "get_global":
        return None
    is_whole = constants.get(attribute(table, "name"), 0) >= int(attribute(array, "num_elem"))
    return table if is_whole and table.results[0].type == array.results[0].type else None


def _is_first(copy: Operation, block: Block, loads: list[Operation]) -> bool:
    """Whether a block begins with a copy as far as an array's loads are concerned."""
    if copy not in block.ops:
        return False
    before = walk(Block([], block.ops[: block.ops.index(copy)]))
    return not any(op in loads for op in before)


def _replace(array: Operation, table: Operation, copy: Operation) -> None:
    """The address is the constant's, and nothing is copied."""
    array.name, array.operands, array.attributes = table.name, {}, dict(table.attributes)
    copy.name, copy.operands, copy.attributes = "make_token", {}, {}
