"""Rules of control flow (where operations may occur, arguments and ends of regions), reductions and scans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..ir import Block, Constant, Operation, TensorView, Tile, TileView, Value
from .place import Place, types


def _types(values: Sequence[Value]) -> list[Any]:
    return [value.type for value in values]


def _around(place: Place, *skipped: str) -> Operation | None:
    """The innermost enclosing operation that is none of these."""
    return next((op for op in reversed(place.outer) if op.name not in skipped), None)


def _name(op: Operation | None) -> str:
    return f"it in {op.name}" if op else "it in the entry"


def terminator(place: Place) -> str | None:
    return None if place.block.ops[-1] is place.op else f"{place.block.ops[-1].name} at the end"


def in_loop(place: Place) -> str | None:
    around = _around(place, "if")
    return None if around and around.name == "loop" else _name(around)


def in_loop_or_for(place: Place) -> str | None:
    around = _around(place, "if")
    return None if around and around.name in ("loop", "for") else _name(around)


def in_entry(place: Place) -> str | None:
    around = _around(place, "if", "loop")
    return _name(around) if around else None


def in_if_or_fold(place: Place) -> str | None:
    around = _around(place)
    return None if around and around.name in ("if", "reduce", "scan") else _name(around)


def no_operands(place: Place) -> str | None:
    found = place.values("operands")
    return types(found) if found else None


def _differs(place: Place, wanted: list[Any]) -> str | None:
    values = place.values("operands")
    if _types(values) == wanted:
        return None
    return f"{types(values)}, where {', '.join(map(str, wanted)) or 'none'} is expected"


def break_types(place: Place) -> str | None:
    around = _around(place, "if")
    return _differs(place, _types(around.results)) if around else None


def continue_types(place: Place) -> str | None:
    around = _around(place, "if")
    return _differs(place, _types(around.operands.get("initValues", []))) if around else None


def yield_types(place: Place) -> str | None:
    around = _around(place)
    if around is None:
        return None
    if around.name == "if":
        return _differs(place, _types(around.results))
    return _differs(place, [Tile(v.type.element, ()) for v in around.operands.get("operands", [])])


def _body(place: Place, wanted: list[Any], ends: tuple[str, ...]) -> str | None:
    regions = place.op.regions
    if len(regions) != 1 or regions[0] is None:
        return f"{len(regions)} regions"
    block = regions[0]
    if _types(block.arguments) != wanted:
        return f"the arguments {types(block.arguments)}"
    return None if _end(block) in ends else f"{_end(block)} at the end"


def _end(block: Block) -> str:
    return block.ops[-1].name if block.ops else "nothing"


def for_body(place: Place) -> str | None:
    wanted = [place.type("lowerBound"), *_types(place.values("initValues"))]
    return _body(place, wanted, ("continue",))


def loop_body(place: Place) -> str | None:
    return _body(place, _types(place.values("initValues")), ("continue", "break", "return"))


def carried_types(place: Place) -> str | None:
    carried = place.values("initValues")
    same = _types(carried) == _types(place.op.results)
    return None if same else f"{types(place.op.results)} for {types(carried)}"


def carried_no_view(place: Place) -> str | None:
    return _no_view([*place.values("initValues"), *place.op.results])


def results_no_view(place: Place) -> str | None:
    return _no_view(place.op.results)


def _no_view(values: list[Value]) -> str | None:
    found = [value for value in values if isinstance(value.type, (TensorView, TileView))]
    return types(found) if found else None


def if_regions(place: Place) -> str | None:
    blocks = [block for block in place.op.regions if block is not None]
    if not 1 <= len(blocks) <= 2 or place.op.regions[0] is None:
        return f"{len(blocks)} regions"
    if place.op.results and len(blocks) != 2:
        return "results, and no region for else"
    taken = [argument for block in blocks for argument in block.arguments]
    return f"the arguments {types(taken)}" if taken else None


# --- reductions and scans ---


def no_fold(place: Place) -> str | None:
    around = next((op for op in place.outer if op.name in ("reduce", "scan")), None)
    return _name(around) if around else None


def fold_operands(place: Place) -> str | None:
    operands = place.values("operands")
    return None if len({value.type.shape for value in operands}) == 1 else types(operands)


def fold_results(place: Place) -> str | None:
    dim, wanted = place.attribute("dim"), []
    for value in place.values("operands"):
        shape = list(value.type.shape)
        del shape[dim]
        wanted.append(Tile(value.type.element, tuple(shape)))
    results = place.op.results
    return None if _types(results) == wanted else f"{types(results)}, where {_listed(wanted)} is expected"


def scan_results(place: Place) -> str | None:
    wanted = _types(place.values("operands"))
    results = place.op.results
    return None if _types(results) == wanted else f"{types(results)}, where {_listed(wanted)} is expected"


def fold_identities(place: Place) -> str | None:
    found = place.attribute("identities")
    wanted = [value.type.element for value in place.values("operands")]
    same = [c.type if isinstance(c, Constant) else None for c in found] == wanted
    return None if same else f"{_listed(found)} for {_listed(wanted)}"


def fold_body(place: Place) -> str | None:
    elements = [Tile(v.type.element, ()) for v in place.values("operands")]
    return _body(place, [element for element in elements for _ in range(2)], ("yield",))


def _listed(found: Sequence[Any]) -> str:
    return ", ".join(map(str, found)) or "none"
