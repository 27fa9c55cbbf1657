"""The generic form of operations, used to print those whose custom form would lose something.

    %r = "addi"(lhs: %x, rhs: %y) {overflow = "none"} : (tile<i32>, tile<i32>) -> (tile<i32>)
    "if"(condition: %c) ({^bb0(): yield}, {}) {} : (tile<i1>) -> ()

This is MLIR's generic form, with names for the operands; without names they are taken in order. A region is
empty or has one block labelled ^bb0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..grammar import OperationRow, find_operation
from ..ir import Block, Constant, Operation, Value
from .attributes import Attributes, print_attribute
from .fits import fits_kind
from .values import Dense, print_value

if TYPE_CHECKING:
    from .operations import OperationReader
    from .printer import Printer

# --- printed ---


def print_generic(printer: Printer, op: Operation) -> None:
    """Writes an operation without the names of its results."""
    groups = [(name, values) for name, values in op.operands.items() if values]
    operands = ", ".join(f"{name}: {', '.join(map(printer.name, values))}" for name, values in groups)
    attributes = ", ".join(
        f"{n} = {_attribute(op, v)}" for n, v in op.attributes.items() if _is_there(op, n, v)
    )
    taken = ", ".join(str(value.type) for _, values in groups for value in values)
    made = ", ".join(str(value.type) for value in op.results)
    printer.write(f'"{op.name}"({operands})')
    for i, block in enumerate(op.regions):
        printer.write(", " if i else " (")
        if block is None:
            printer.write("{}")
        else:
            printer.region(block, "", _header(printer, block))
    printer.write(f"{')' * bool(op.regions)} {{{attributes}}} : ({taken}) -> ({made})")


def _is_there(op: Operation, name: str, value: Any) -> bool:
    form = find_operation(op.name)
    unit = form is not None and name in form.attributes and form.attributes[name].kind == "unit"
    return value is not None and not (unit and value is False)


def _attribute(op: Operation, value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)) and op.results:
        try:
            return print_value(np.asarray(value), op.results[0].type)
        except (AttributeError, LookupError, TypeError, ValueError):
            pass
    return print_attribute(value)


def _header(printer: Printer, block: Block) -> str:
    if block.ops and not block.arguments:
        return ""
    arguments = ", ".join(f"{printer.name(value)}: {value.type}" for value in block.arguments)
    return f"^bb0({arguments}):"


# --- parsed ---


def parse_generic(reader: OperationReader) -> None:
    """Reads what follows the name."""
    tokens, parser, op, form = reader.tokens, reader.parser, reader.op, reader.form
    groups = _parse_operands(reader)
    given: dict[str, Any] = {}
    if tokens.accept("<"):
        given = Attributes(tokens, constants=True).dictionary()
        tokens.expect(">")
    if tokens.accept("("):
        while not tokens.accept(")"):
            if op.regions:
                tokens.expect(",")
            if tokens.next == "{" and tokens.ahead(1) == "}":
                tokens.at += 2
                op.regions.append(None)
            else:
                op.regions.append(parser.block([], form.name, True))
    if tokens.next == "{":
        given |= Attributes(tokens, constants=True).dictionary()
    at = tokens.at
    _give_operands(reader, groups, given.pop("operandSegmentSizes", None), at)
    given.pop("resultSegmentSizes", None)
    _give_attributes(reader, given, at)
    tokens.expect(":")
    at = tokens.at
    types = _types(reader)
    if types != [value.type for _, values in groups for value in values]:
        tokens.fail("these are not the types of the operands", at)
    tokens.expect("->")
    at = tokens.at
    reader.types = _types(reader)
    if len(reader.types) != len(form.results) and not form.any_results:
        tokens.fail(f"{form.name} has {len(form.results)} results, not {len(reader.types)}", at)


def _types(reader: OperationReader) -> list[Any]:
    """(type, ...), or one type."""
    tokens = reader.tokens
    if not tokens.accept("("):
        return [reader.parser.type()]
    found = [] if tokens.next == ")" else reader.parser.types_list()
    tokens.expect(")")
    return found


def _parse_operands(reader: OperationReader) -> list[tuple[str, list[Value]]]:
    """(name: %a, %b, other: %c); a missing name is empty."""
    tokens = reader.tokens
    groups: list[tuple[str, list[Value]]] = []
    tokens.expect("(")
    while not tokens.accept(")"):
        if groups:
            tokens.expect(",")
        if tokens.next[:1] != "%":
            groups.append((tokens.take(), []))
            if groups[-1][0] not in reader.form.operands:
                tokens.at -= 1
                tokens.wrong(f"an operand: {', '.join(reader.form.operands) or 'it has none'}")
            tokens.expect(":")
        elif not groups:
            groups.append(("", []))
        groups[-1][1].append(reader.parser.value())
    return groups


def _give_operands(reader: OperationReader, groups: list, sizes: list[int] | None, at: int) -> None:
    form, op = reader.form, reader.op
    if [name for name, _ in groups] == [""]:
        groups = _by_order(form, groups[0][1], sizes)
    for name, values in groups:
        op.operands.setdefault(name, []).extend(values)
    for name, found in form.operands.items():
        count = len(op.operands.get(name, ()))
        if found.most is not None and not found.least <= count <= found.most:
            reader.tokens.fail(f"{form.name} takes one operand {name}, got {count}", at)


def _by_order(
    form: OperationRow, values: list[Value], sizes: list[int] | None
) -> list[tuple[str, list[Value]]]:
    """Assigns operands without names: as many to each name as `sizes` says, otherwise one to each and the
    rest to the last."""
    names, found = list(form.operands), []
    if sizes is None:
        sizes = [1] * (len(names) - 1) + [max(len(values) - len(names) + 1, 0)]
    for name, size in zip(names, sizes, strict=False):
        found.append((name, values[:size]))
        values = values[size:]
    return [*found, (names[-1], values)]


def _give_attributes(reader: OperationReader, given: dict[str, Any], at: int) -> None:
    for name, value in given.items():
        if name not in reader.form.attributes:
            if "." in name:
                continue  # of another dialect
            reader.tokens.fail(f"{reader.form.name} has no attribute {name}", at)
        kind = reader.form.attributes[name].kind
        if isinstance(value, Dense) and kind == "dense":
            reader.dense[name] = value
            continue
        if isinstance(value, Constant) and kind in ("int", "bool", "unit"):
            value = value.bits if kind == "int" else bool(value.bits)
        if not fits_kind(kind, value):
            reader.tokens.fail(f"{name} is not of the kind {kind}", at)
        reader.op.attributes[name] = value
