"""Takes out what nobody needs: pure operations, results of regions, values that a loop only hands on."""

from __future__ import annotations

from collections.abc import Iterator

from ..ir import Block, Operation, Value

_EFFECTS = {"assert", "yield", "break", "continue", "return", "if", "for", "loop"}


def clean(block: Block) -> None:
    """Until nothing more can go."""
    while True:
        used: dict[Value, int] = {}
        for op, _ in _all(block):
            for values in op.operands.values():
                for value in values:
                    used[value] = used.get(value, 0) + 1
        changed = [_narrow(op, used) for op, _ in list(_all(block)) if op.name in ("if", "for", "loop")]
        if not any(changed) and not _sweep(block, used):
            return


def _all(block: Block) -> Iterator[tuple[Operation, Block]]:
    for op in block.ops:
        yield op, block
        for region in op.regions:
            if region is not None:
                yield from _all(region)


def _sweep(block: Block, used: dict[Value, int]) -> bool:
    """From the end on, so that what only unused operations use goes, too."""
    kept: list[Operation] = []
    changed = False
    for op in reversed(block.ops):
        stays = op.name in _EFFECTS or op.name.endswith("_tko")  # in an order by tokens
        if not stays and not any(used.get(result) for result in op.results):
            changed = True
            for values in op.operands.values():
                for value in values:
                    used[value] -= 1
            continue
        kept.append(op)
        for region in op.regions:
            if region is not None and op.name not in ("reduce", "scan"):
                changed |= _sweep(region, used)
    block.ops[:] = reversed(kept)
    return changed


def _narrow(op: Operation, used: dict[Value, int]) -> bool:
    """Takes results away that are not used."""
    unused = [i for i, result in enumerate(op.results) if not used.get(result)]
    if op.name == "if":
        if not unused:
            return False
        _drop(op.results, unused)
        for end in _ends(op, ("yield",)):
            _drop(end.operands["operands"], unused)
        otherwise = op.regions[1]
        if not op.results and otherwise is not None and [o.name for o in otherwise.ops] == ["yield"]:
            op.regions[1] = None
        return True
    changed = False
    if op.name == "loop" and unused:
        _drop(op.results, unused)
        for end in _ends(op, ("break",)):
            _drop(end.operands["operands"], unused)
        changed = True
    return _drop_handed_on(op, used) or changed


def _drop_handed_on(op: Operation, used: dict[Value, int]) -> bool:
    """Values that rounds only hand on to the next one."""
    body = op.regions[0]
    if body is None:
        return False
    first = 1 if op.name == "for" else 0  # the index comes first
    arguments = body.arguments[first:]
    ends = list(_ends(op, ("continue",)))
    gone = []
    for i, argument in enumerate(arguments):
        handed_on = sum(end.operands["operands"][i] is argument for end in ends)
        if used.get(argument, 0) == handed_on and (op.name == "loop" or not used.get(op.results[i])):
            gone.append(i)
    if not gone:
        return False
    _drop(op.operands["initValues"], gone)
    body.arguments[:] = body.arguments[:first] + [a for i, a in enumerate(arguments) if i not in gone]
    for end in ends:
        _drop(end.operands["operands"], gone)
    if op.name == "for":
        _drop(op.results, gone)
    return True


def _ends(op: Operation, names: tuple[str, ...]) -> Iterator[Operation]:
    """What ends the regions of an operation: of loops also from within ifs."""
    for region in op.regions:
        if region is None:
            continue
        for inner in region.ops:
            if inner.name in names:
                yield inner
            elif inner.name == "if" and op.name != "if":
                yield from _ends_in_if(inner, names)


def _ends_in_if(op: Operation, names: tuple[str, ...]) -> Iterator[Operation]:
    for region in op.regions:
        for inner in region.ops if region is not None else ():
            if inner.name in names:
                yield inner
            elif inner.name == "if":
                yield from _ends_in_if(inner, names)


def _drop(values: list[Value], positions: list[int]) -> None:
    for position in reversed(positions):
        del values[position]
