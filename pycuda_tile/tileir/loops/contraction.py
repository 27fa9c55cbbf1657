"""contraction: products of matrices (`mmaf`, `mmai`) whose factors come straight from memory, and whose sums
stay where they are.

-  A factor that is loaded for a product alone is packed from where it lies, in the order in which it is
   multiplied: transposed on the way, if it is permuted, and converted to the type of the sums, if that is
   exact. So its tile is never made.
-  Where a loop carries a sum to which each round adds a product, and which nothing else looks at, the
   products of several rounds are made together. Sums may then be rounded in another order.
-  The tile of a sum that nothing else needs becomes that of the result.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..ir import TERMINATORS, Block, Operation, Value, walk
from ..lower.tiles import shared_value
from ..reading import (
    attribute,
    group,
    is_token,
    operand,
    operands_of,
    region,
    source_element,
    value_element,
    value_shape,
)
from .affine import Analysis
from .axes import Axes
from .effects import Access, effects
from .facts import LOADS, SHAPES, STORES, is_pure, is_small, is_tile, is_weak
from .fallback import Fallback

if TYPE_CHECKING:
    from .groups import Uses
    from .variables import Variables

PRODUCTS = frozenset({"mmaf", "mmai"})
#: All values of the first type are values of the others.
_WIDER = {
    "f8E4M3FN": {"f16", "bf16", "tf32", "f32", "f64"},
    "f8E5M2": {"f16", "bf16", "tf32", "f32", "f64"},
    "f16": {"tf32", "f32", "f64"},
    "bf16": {"tf32", "f32", "f64"},
    "f32": {"f64"},
}
#: Operations besides pure ones that neither read nor write memory.
_HARMLESS = frozenset({*TERMINATORS, "if", "for", "loop", "print_tko", "assert"})
#: Processors multiply up to so many bytes of a row and a column for one sum.
_LEAST_DEPTH = 4
#: So many products of rows that are shorter than most vectors take less time than to pack the factors.
_FEW_PRODUCTS, _SHORT_ROW = 256, 8
#: Packing many matrices of fewer sums takes longer than multiplying them.
_LEAST_BATCHED = 128


@dataclass
class Factor:
    """An operand of a product.

    value:  the operand
    tile:   what holds its elements if they do not lie in memory: the operand, or what is permuted to make it
    chain:  the operations that make it of what lies in memory or of a tile; none if it is a tile
    access: the load among them
    """

    value: Value
    tile: Value
    chain: list[Operation] = field(default_factory=list)
    axes: Axes | None = None
    analysis: Analysis | None = None
    access: Access | None = None


@dataclass
class Product:
    """A product that has a rule.

    begins:   the sums are zeros before it (or, if it is `carried`, before its loop): an operation
    in_place: its sums are made where the addend is, which nothing needs afterwards
    replaces: the addend is in a variable of control flow, which is to hold the sums next
    carried:  the position of the sums among the values that its loop carries, if products of several rounds
              may be made together
    steady:   nothing in this loop writes, so that factors in memory may be read later
    loop:     each round of this one makes the product once, with sums of its own
    same:     the left factor is a tile from before that loop
    """

    op: Operation
    left: Factor
    right: Factor
    begins: Operation | None = None
    in_place: bool = False
    replaces: bool = False
    carried: int | None = None
    steady: bool = False
    loop: Operation | None = None
    same: bool = False


@dataclass
class Contraction:
    """The products of a kernel.

    found:     those that have a rule, by the identity of their operations
    reasons:   why there is none for the others
    absorbed:  operations, by identity, of which nothing is left
    """

    found: dict[int, Product] = field(default_factory=dict)
    reasons: dict[int, Fallback] = field(default_factory=dict)
    absorbed: set[int] = field(default_factory=set)

    def carried_by(self, loop: Operation) -> list[Product]:
        own = {id(op) for op in region(loop, 0).ops}
        return [each for key, each in self.found.items() if key in own and each.carried is not None]

    def repeated_by(self, loop: Operation) -> list[Product]:
        return [each for each in self.found.values() if each.loop is loop]


def find_products(body: Block, uses: Uses, variables: Variables) -> Contraction:
    result = Contraction()
    definitions = {id(value): op for op in walk(body) for value in op.results}

    def visit(block: Block, loop: Operation | None) -> None:
        for op in block.ops:
            if op.name in PRODUCTS:
                try:
                    result.found[id(op)] = _product(op, block, loop, uses, variables, definitions)
                except Fallback as error:
                    result.reasons[id(op)] = error
            for inner in op.regions:
                if inner is not None:
                    visit(inner, op if op.name == "for" else None)

    visit(body, None)
    candidates: list[Operation] = []
    for product in result.found.values():
        candidates += [*product.left.chain, *product.right.chain]
        candidates += [product.begins] if product.begins is not None else []
    result.absorbed = _unneeded(candidates, {*result.found, *_loops(body)}, uses)
    return result


def _loops(body: Block) -> set[int]:
    return {id(op) for op in walk(body) if op.name == "for"}


def _unneeded(ops: list[Operation], allowed: set[int], uses: Uses) -> set[int]:
    """Operations whose results only such operations use, and allowed ones."""
    found = {id(op): op for op in ops}

    def is_needed(op: Operation) -> bool:
        data = [value for value in op.results if not is_token(value)]
        return any(uses.users.get(id(value), set()) - found.keys() - allowed for value in data)

    while True:
        needed = [key for key, op in found.items() if is_needed(op)]
        if not needed:
            return set(found)
        for key in needed:
            del found[key]


def _product(
    op: Operation,
    block: Block,
    loop: Operation | None,
    uses: Uses,
    variables: Variables,
    definitions: dict[int, Operation],
) -> Product:
    lhs, rhs, addend = (operand(op, name) for name in ("lhs", "rhs", "acc"))
    if reason := size_against(op):
        raise Fallback(op, reason)
    factors = [_factor(value, op, block, uses, definitions) for value in (lhs, rhs)]
    product = Product(op, factors[0], factors[1])
    product.in_place = product.replaces = _replaces(op, block, uses, variables)
    alone = uses.users.get(id(addend), set()) == {id(op)} and addend not in (lhs, rhs)
    if alone and loop is not None:
        product.carried = _carried(op, block, uses)
        product.steady = product.carried is not None and _only_reads(block.ops)
    if product.carried is None and all(factor.access is None for factor in factors):
        raise Fallback(op, "to pack tiles takes longer than it saves", on_tiles=True)
    if loop is not None and product.carried is None and not _leaves(block.ops[:-1]):
        product.loop = loop
        inside = lhs in block.arguments or definitions.get(id(lhs)) in block.ops
        product.same = factors[0].access is None and not inside
    if not alone:
        return product
    product.in_place = True
    made = definitions.get(id(addend))
    if made is not None and is_zero(made):
        product.begins = made
    if loop is not None and product.carried is not None:
        start = operands_of(loop)[3 + product.carried]
        made = definitions.get(id(start))
        if made is not None and is_zero(made) and uses.users.get(id(start)) == {id(loop)}:
            product.begins = made
    return product


def size_against(op: Operation) -> str:
    """Why a product is too small for a rule; "" if it is not."""
    *batch, rows, columns = value_shape(operand(op, "acc"))
    depth = value_shape(operand(op, "lhs"))[-1]
    if is_small(op) or (columns < _SHORT_ROW and rows * columns * depth <= _FEW_PRODUCTS):
        return "it has few products, which fit in registers"
    if depth < _LEAST_DEPTH:
        return f"each sum has fewer than {_LEAST_DEPTH} products"
    if math.prod(batch) > 1 and rows * columns < _LEAST_BATCHED:
        return f"each of its matrices has fewer than {_LEAST_BATCHED} sums"
    return ""


def _replaces(op: Operation, block: Block, uses: Uses, variables: Variables) -> bool:
    """Whether the block's terminator assigns the sums to the variable of the addend, which nothing else after
    the product reads or assigns."""
    addend, (result,), last = operand(op, "acc"), op.results, block.ops[-1]
    pairs = zip(operands_of(last), variables.assigned.get(id(last), ()), strict=False)
    assigned = [to for value, to in pairs if value is result]
    if len(assigned) != 1 or uses.users[id(result)] != {id(last)}:
        return False
    held = id(addend) in variables.members(assigned[0])
    return held and variables.is_left_alone(addend, block.ops[block.ops.index(op) + 1 :])


def _carried(op: Operation, block: Block, uses: Uses) -> int | None:
    """The position of sums to which each round of a loop adds a product."""
    *ops, last = block.ops
    (result,), handed = op.results, operands_of(last)
    carried = [id(argument) for argument in block.arguments[1:]]
    addend = id(operand(op, "acc"))
    if addend not in carried or uses.users.get(id(result)) != {id(last)} or _leaves(ops):
        return None
    at = carried.index(addend)
    others = [value for i, value in enumerate(handed) if i != at]
    return at if handed[at] is result and result not in others else None


def is_zero(op: Operation) -> bool:
    value = shared_value(op) if op.name == "constant" else None
    return value is not None and not any(value.tobytes())


def _leaves(ops: list[Operation]) -> bool:
    """Whether a round of a loop may end before the end of its body."""
    inner = [op for each in ops for found in each.regions if found is not None for op in walk(found)]
    return any(op.name in ("continue", "break", "return") for op in inner)


def _factor(
    value: Value, product: Operation, block: Block, uses: Uses, definitions: dict[int, Operation]
) -> Factor:
    """How an operand is made, if it may be packed from memory, or from another tile, at the place of the
    product."""
    chain: list[Operation] = []
    user, current = product, value
    from_tile = Factor(value, value)
    while True:
        op = definitions.get(id(current))
        if op is None or op not in block.ops or uses.users.get(id(current)) != {id(user)}:
            return from_tile
        chain.insert(0, op)
        if op.name in LOADS:
            break
        widens = op.name == "ftof" and value_element(current) in _WIDER.get(source_element(op), ())
        if not (widens or op.name in SHAPES):
            return from_tile
        user, (current,) = op, operands_of(op)
        if chain == [op] and _may_be_permuted_late(op, product, block):
            from_tile = Factor(value, current, [op])
    load = chain[0]
    if not is_weak(load) or not is_tile(load.results[0]) or not _may_wait(load, product, block):
        return from_tile
    addresses = _pure_tiles(load, definitions) if "view" not in load.operands else []
    try:
        axes = Axes([*addresses, *chain])
        analysis = Analysis(axes, {id(result): op for op in addresses for result in op.results}, True)
        (access,) = effects([load], analysis).accesses
    except Fallback:
        return from_tile
    divided = any(len(own) > 1 for op in chain for own in axes.of(op.results[0]))
    masked = access.mask is not None or any(
        limit.is_least or len(limit.factors) > 1 for limit in access.limits
    )
    if access.index is not None or divided or masked:
        return from_tile
    return Factor(value, value, [*addresses, *chain], axes, analysis, access)


def _may_be_permuted_late(op: Operation, product: Operation, block: Block) -> bool:
    """Whether a product may read the tile that an operation permutes: nothing in between, nor the product,
    makes another tile in its place (variables.py), and each matrix of a batch is one of the tile's."""
    if op.name != "permute" or operands_of(op)[0] is operand(product, "acc"):
        return False
    order = attribute(op, "permutation")
    between = block.ops[block.ops.index(op) + 1 : block.ops.index(product)]
    in_place = any(each.name in PRODUCTS or not (is_pure(each) or each.name in LOADS) for each in between)
    return not in_place and (len(order) == 2 or order[0] == 0)


def _pure_tiles(load: Operation, definitions: dict[int, Operation]) -> list[Operation]:
    """The operations that make the tiles which an operation uses, in order."""
    found: dict[int, Operation] = {}

    def visit(user: Operation) -> None:
        for value in operands_of(user):
            op = definitions.get(id(value))
            if op is not None and is_tile(value) and is_pure(op) and not op.regions and id(op) not in found:
                visit(op)
                found[id(op)] = op

    visit(load)
    return list(found.values())


def _may_wait(load: Operation, until: Operation, block: Block) -> bool:
    """Whether a load may be made later, in the place of another operation."""
    begin, end = block.ops.index(load), block.ops.index(until)
    return _only_reads(block.ops[begin + 1 : end])


def _only_reads(ops: list[Operation]) -> bool:
    """Whether operations neither write memory nor wait for others that do."""
    inner = [found for op in ops for found in _with_inner(op)]
    return all(is_pure(op) or op.name in _HARMLESS or (op.name in LOADS and is_weak(op)) for op in inner)


def _with_inner(op: Operation) -> list[Operation]:
    return [op, *(inner for block in op.regions if block is not None for inner in walk(block))]


# --- what blocks share ---


def uniform_values(body: Block) -> set[int]:
    """The values, by identity, that are the same in all blocks of a launch."""
    found = {id(argument) for argument in body.arguments}
    for op in walk(body):
        own = is_pure(op) and op.name != "get_tile_block_id" and not op.regions
        if own and all(id(value) in found for value in operands_of(op)):
            found |= {id(value) for value in op.results}
    return found


def may_share(body: Block, loop: Operation) -> bool:
    """Whether blocks may use factors that others of the launch have packed for a loop: where nothing orders
    them, and none writes before its loop ends. Then what one block loads, another one cannot have changed."""
    if loop not in body.ops:
        return False
    end = body.ops.index(loop)
    for at, op in enumerate(body.ops):
        for inner in _with_inner(op):
            weak = (inner.name in LOADS or (inner.name in STORES and at > end)) and is_weak(inner)
            if not (weak or is_pure(inner) or inner.name in _HARMLESS):
                return False
    return True


def line_of(
    factor: Factor, loop: Operation, uniform: set[int], *, ends: bool = True
) -> list[tuple[int, Value]] | None:
    """Which row or column of tiles a loop packs: the indices, with their dimensions, that stay the same
    during the loop; None if blocks with the same ones may pack something else, or (`ends`) not as many."""
    if factor.access is None or "view" not in factor.access.op.operands:
        return None
    load, body = factor.access.op, region(loop, 0)
    start, stop, step = operands_of(loop)[:3]
    bounds = [start, stop, step] if ends else [start, step]
    if id(operand(load, "view")) not in uniform or not all(id(value) in uniform for value in bounds):
        return None
    inside = {id(value) for op in walk(body) for value in op.results}
    inside |= {id(argument) for argument in body.arguments[1:]}
    found = [(d, value) for d, value in enumerate(group(load, "index")) if value is not body.arguments[0]]
    return None if any(id(value) in inside for _, value in found) else found
