"""What the passes ask about operations and values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ..ir import Block, Operation, Tile, Value, walk
from ..lower.expressions import EXPRESSIONS
from ..reading import attribute, is_token, operand, operands_of, tile_facts, value_element

#: Operations whose result at a position depends on the operands at that position alone.
ELEMENTWISE = EXPRESSIONS.keys() - {
    *("broadcast", "reshape", "permute", "cat", "extract", "insert", "iota", "constant"),
    *("pack", "unpack", "mmaf", "mmai", "mmaf_scaled"),
}
#: Operations that move elements along with their axes.
SHAPES = frozenset({"broadcast", "reshape", "permute"})
#: Operations that combine the elements of rows: a stage ends before their results are known.
FOLDS = frozenset({"reduce", "scan"})
SOURCES = frozenset({"constant", "iota"})
LOADS = frozenset({"load_view_tko", "load_ptr_tko"})
STORES = frozenset({"store_view_tko", "store_ptr_tko"})
#: Updates of memory.
ATOMICS = frozenset({"atomic_rmw_tko", "atomic_cas_tko", "atomic_red_view_tko"})
#: What an operation costs, in additions; others cost one.
COSTS = {
    **dict.fromkeys([*SHAPES, *SOURCES], 0),
    **dict.fromkeys(["divf", "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "tanh", "sin", "cos"], 20),
    "scan": 20,
    **dict.fromkeys(["pow", "fpowf", "fpowi", "remf", "sinh", "cosh", "tan", "atan2", "divi", "remi"], 40),
}
_OF_SMALLEST_FLOATS = 10  # a conversion, which processors have no instructions for
#: What costs as much as to write a value to the caches and to read it again.
CHEAP = 8
#: Operations without effects that give neither tiles nor scalars of the program's data.
_DESCRIBING = frozenset(
    {
        *("make_tensor_view", "make_partition_view", "make_strided_view", "make_gather_scatter_view"),
        *("get_tile_block_id", "get_num_tile_blocks", "get_tensor_shape", "get_index_space_shape"),
        *("make_token", "join_tokens", "assume", "get_global"),
    }
)

#: What makes some values, by their identity.
Definitions = Mapping[int, Operation]

#: The elements of a tile that is one strip for every instruction set (cuda_tile/loops/strips.h).
SMALL = 32


def cost_of(op: Operation) -> int:
    """What an operation costs, in additions."""
    kinds = [value_element(value) for value in [*operands_of(op), *op.results]] if op.name == "ftof" else []
    return _OF_SMALLEST_FLOATS if any(kind[:2] in ("f8", "f4") for kind in kinds) else COSTS.get(op.name, 1)


def is_tile(value: Value) -> bool:
    """Whether a value has more than one element."""
    return isinstance(value.type, Tile) and math.prod(value.type.shape) > 1


def is_scalar(value: Value) -> bool:
    """Whether a value is a tile of one element, of any rank."""
    return isinstance(value.type, Tile) and math.prod(value.type.shape) == 1


def behind(
    value: Value, names: set[str] | frozenset[str], made: Definitions
) -> tuple[Value, Operation | None]:
    """What operations of these names with one operand make a value of, and what makes that."""
    while (op := made.get(id(value))) is not None and op.name in names:
        (value,) = operands_of(op)
    return value, op


def data_of(op: Operation) -> list[Value]:
    """The operands that are not tokens."""
    return [value for value in operands_of(op) if not is_token(value)]


def is_window(op: Operation) -> bool:
    """Whether an operation takes a part of a tile: it reads the tile as a load reads memory."""
    return op.name == "extract" and is_tile(op.results[0])


def is_joint(op: Operation) -> bool:
    """Whether an operation joins tiles, which have one shape: it writes them to parts of a tile as a store
    does."""
    return op.name == "cat" and has_tiles(op)


def writes(op: Operation) -> bool:
    """Whether loops write what an operation makes, and cannot use it."""
    return op.name in STORES or is_joint(op)


def tiles_of(op: Operation) -> list[Value]:
    """The tiles among the operands and results that vary within the loops of a group."""
    operands = [] if is_window(op) else operands_of(op)
    results = [] if is_joint(op) else op.results
    return [value for value in [*operands, *results] if is_tile(value)]


def has_tiles(op: Operation) -> bool:
    return any(is_tile(value) for value in [*operands_of(op), *op.results])


def is_small(op: Operation) -> bool:
    """Whether the tiles of an operation fit in a few registers, so that it needs no loops."""
    values = [value for value in [*operands_of(op), *op.results] if isinstance(value.type, Tile)]
    return all(math.prod(value.type.shape) <= SMALL for value in values)


def is_pure(op: Operation) -> bool:
    """Whether an operation only computes its results, so that it may be moved, repeated or left out."""
    if op.name in FOLDS:
        inner = [each for block in op.regions if block is not None for each in walk(block)]
        return all(each.name == "yield" or is_pure(each) for each in inner)
    return op.name in EXPRESSIONS or op.name in _DESCRIBING


def is_weak(op: Operation) -> bool:
    return bool(attribute(op, "memory_ordering_semantics", "weak") == "weak")


def is_plain_view(op: Operation) -> bool:
    """Whether an access is to consecutive elements along each axis."""
    return tile_facts(operand(op, "view").type).sparse is None


def captured(op: Operation) -> list[Value]:
    """The values from outside that the regions of an operation use."""
    inside: set[int] = set()
    found: list[Value] = []
    for block in op.regions:
        if block is None:
            continue
        for each in blocks(block):
            inside |= {id(value) for value in each.arguments}
        for inner in walk(block):
            found += [value for value in operands_of(inner) if id(value) not in inside]
            inside |= {id(value) for value in inner.results}
    return found


def needed_for(values: list[Value], ops: list[Operation]) -> list[Operation]:
    """The operations among these that compute some values."""
    wanted, found = {id(value) for value in values}, []
    for op in reversed(ops):
        if any(id(result) in wanted for result in op.results):
            wanted |= {id(value) for value in [*data_of(op), *captured(op)]}
            found.append(op)
    return found[::-1]


def blocks(block: Block) -> Iterator[Block]:
    """A block and those inside it."""
    yield block
    for op in walk(block):
        yield from (inner for inner in op.regions if inner is not None)
