"""stored_sums: sums of a loop of products that are only stored, and may be made where they are stored.

That saves a tile and a copy. It is right where the array is apart from those that the loop loads, and all of
the tile exists, which is tested when the kernel runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..ir import Block, Operation
from ..reading import operand, operands_of, region, tile_facts, value_shape
from .affine import Analysis
from .axes import Axes
from .effects import Access, effects
from .facts import blocks, data_of, is_pure, needed_for
from .fallback import Fallback
from .stages import Nest

if TYPE_CHECKING:
    from .contraction import Contraction, Product
    from .groups import Uses


@dataclass
class StoredSums:
    """The store of a loop's sums.

    before: operations between the loop and the store that are to run before the loop
    nest:   the store alone
    rows:   the dimension of the array along which the sums' rows follow each other
    """

    loop: Operation
    product: Product
    store: Operation
    before: list[Operation]
    nest: Nest
    rows: int

    @property
    def access(self) -> Access:
        return self.nest.effects.accesses[0]


def find_stored_sums(body: Block, contraction: Contraction, uses: Uses) -> list[StoredSums]:
    found = []
    for block in blocks(body):
        for at, loop in enumerate(block.ops):
            products = contraction.carried_by(loop) if loop.name == "for" else []
            if len(products) == 1:
                stored = _stored(loop, products[0], block.ops[at + 1 :], uses)
                found += [] if stored is None else [stored]
    return found


def _stored(loop: Operation, product: Product, after: list[Operation], uses: Uses) -> StoredSums | None:
    assert product.carried is not None
    sums = loop.results[product.carried]
    users = uses.users.get(id(sums), set())
    store = next((op for op in after if {id(op)} == users), None)
    if store is None or store.name != "store_view_tko" or product.begins is None:
        return None
    between = after[: after.index(store)]
    if len(value_shape(sums)) != 2 or not all(map(is_pure, between)):
        return None
    if not _loads_nothing_else(loop, product):
        return None
    given = [value for value in data_of(store) if value is not sums]
    before = needed_for(given, between)
    used = {id(value) for value in [*given, *(v for op in before for v in operands_of(op))]}
    if any(id(result) in used for result in loop.results):
        return None
    view = operand(store, "view").type
    rows, columns = tile_facts(view).axes
    if view.tensor.strides[columns] != 1:
        return None
    try:
        axes = Axes([store])
        analysis = Analysis(axes, {})
        nest = Nest([], [store], axes, analysis, effects([store], analysis))
    except Fallback:
        return None
    return StoredSums(loop, product, store, before, nest, rows)


def _loads_nothing_else(loop: Operation, product: Product) -> bool:
    """Whether a loop accesses memory only for the factors of its product, through views from outside."""
    ops = region(loop, 0).ops
    accesses = [f.access.op for f in (product.left, product.right) if f.access is not None]
    if len(accesses) != 2 or not all("view" in op.operands for op in accesses):
        return False
    inner = {id(value) for op in ops for value in op.results}
    if any(id(operand(op, "view")) in inner for op in accesses):
        return False
    return all(is_pure(op) or op in accesses or op.name == "continue" for op in ops)
