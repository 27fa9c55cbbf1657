"""Operations whose text no format can describe: loops, conditionals, folds, tensor views.

Each has a parser and a matching printer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..ir import Constant, Operation, TensorView, Value
from ..reading import region
from .lexer import Tokens
from .values import parse_bool, parse_constant, parse_integer, parse_list, print_constant

if TYPE_CHECKING:
    from .operations import OperationReader
    from .printer import Printer


# --- iter_values(%inside = %outside, ...) ---


def _parse_carried(reader: OperationReader) -> list[str]:
    """Fills initValues; returns the names used inside."""
    tokens = reader.tokens
    names: list[str] = []
    values: list[Value] = []
    if tokens.accept("iter_values"):
        tokens.expect("(")
        while not tokens.accept(")"):
            if names:
                tokens.expect(",")
            names.append(reader.parser.new_name())
            tokens.expect("=")
            values.append(reader.parser.value())
    reader.op.operands["initValues"] = values
    return names


def _print_carried(printer: Printer, arguments: list[Value], values: list[Value]) -> str:
    if not values:
        return ""
    pairs = (f"{printer.name(a)} = {printer.name(v)}" for a, v in zip(arguments, values, strict=True))
    return f" iter_values({', '.join(pairs)})"


def _results(reader: OperationReader) -> list[Any]:
    """(type, ...)"""
    reader.tokens.expect("(")
    types = reader.parser.types_list()
    reader.tokens.expect(")")
    return types


def _arguments(reader: OperationReader, names: list[str], types: list[Any]) -> list[Value]:
    return [reader.parser.define(name, type_) for name, type_ in zip(names, types, strict=True)]


def _types(values: list[Value]) -> list[Any]:
    return [value.type for value in values]


def _check(op: Operation, operands: str, attributes: str = "", regions: int = 1) -> None:
    """Checks that the operation has these operands (one of each, or any number if the name ends in "*"), no
    attributes but these, and this number of regions. ValueError: it must be printed in the generic form."""
    known = operands.split()
    given = {name for name, values in op.operands.items() if values}
    fits = given <= {name.rstrip("*") for name in known} and len(op.regions) == regions
    fits &= all(len(op.operands.get(name, ())) == 1 for name in known if name[-1] != "*")
    if not fits or {name for name, value in op.attributes.items() if value} - set(attributes.split()):
        raise ValueError


def _agree(*lists: list[Any]) -> None:
    if any(one != lists[0] for one in lists[1:]):
        raise ValueError


# --- for ---


def _parse_for(reader: OperationReader) -> None:
    tokens, parser, op = reader.tokens, reader.parser, reader.op
    op.attributes["unsignedCmp"] = tokens.accept("unsigned")
    induction = parser.new_name()
    for words, name in ((("in", "("), "lowerBound"), (("to",), "upperBound"), ((",", "step"), "step")):
        for word in words:
            tokens.expect(word)
        op.operands[name] = [parser.value()]
    tokens.expect(")")
    tokens.expect(":")
    at, type_ = tokens.at, parser.type()
    reader.share(["lowerBound", "upperBound", "step"], type_, at)
    names = _parse_carried(reader)
    carried = [value.type for value in op.operands["initValues"]]
    at, reader.types = tokens.at, []
    if tokens.accept("->"):
        reader.types = _results(reader)
    if reader.types != carried:
        tokens.fail("the results of for must have the types of its carried values", at)
    arguments = _arguments(reader, [induction, *names], [type_, *carried])
    op.regions.append(parser.block(arguments, "for"))


def _print_for(printer: Printer, op: Operation) -> None:
    _check(op, "lowerBound upperBound step initValues*", "unsignedCmp")
    bounds = _types([op.operands[name][0] for name in ("lowerBound", "upperBound", "step")])
    carried = _types(op.operands.get("initValues", []))
    _agree([bounds[0]] * 3, bounds)
    _agree([bounds[0], *carried], _types(region(op, 0).arguments), [bounds[0], *_types(op.results)])
    lower, upper, step = (printer.name(op.operands[n][0]) for n in ("lowerBound", "upperBound", "step"))
    body, values = region(op, 0), op.operands.get("initValues", [])
    unsigned = "unsigned " if op.attributes.get("unsignedCmp") else ""
    head = f"for {unsigned}{printer.name(body.arguments[0])} in ({lower} to {upper}, step {step})"
    head += f" : {op.operands['lowerBound'][0].type}{_print_carried(printer, body.arguments[1:], values)}"
    types = ", ".join(str(value.type) for value in op.results)
    printer.write(head + (f" -> ({types})" if types else ""))
    printer.region(body, "continue")


# --- loop ---


def _parse_loop(reader: OperationReader) -> None:
    tokens, op = reader.tokens, reader.op
    names = _parse_carried(reader)
    carried = [value.type for value in op.operands["initValues"]]
    at, reader.types = tokens.at, []
    if tokens.accept(":"):
        first = reader.parser.types_list()
        if carried and first != carried:
            tokens.fail("these are not the types of the carried values", at)
        if not carried:
            reader.types = first
        elif tokens.accept("->"):
            reader.types = reader.parser.types_list()
    elif carried:
        tokens.wrong("':' and the types of the carried values")
    op.regions.append(reader.parser.block(_arguments(reader, names, carried), "loop"))


def _print_loop(printer: Printer, op: Operation) -> None:
    _check(op, "initValues*")
    _agree(_types(region(op, 0).arguments), _types(op.operands.get("initValues", [])))
    body, values = region(op, 0), op.operands.get("initValues", [])
    carried = ", ".join(str(value.type) for value in values)
    results = ", ".join(str(value.type) for value in op.results)
    types = f"{carried} -> {results}" if carried and results else carried or results
    printer.write("loop" + _print_carried(printer, body.arguments, values) + (f" : {types}" if types else ""))
    printer.region(body, "continue")


# --- if ---


def _parse_if(reader: OperationReader) -> None:
    tokens, op = reader.tokens, reader.op
    op.operands["condition"] = [reader.parser.value()]
    reader.types = []
    if tokens.accept("->"):
        reader.types = _results(reader)
    op.regions.append(reader.parser.block([], "if"))
    op.regions.append(reader.parser.block([], "if") if tokens.accept("else") else None)


def _print_if(printer: Printer, op: Operation) -> None:
    _check(op, "condition", regions=2)
    if op.regions[0] is None or any(block is not None and block.arguments for block in op.regions):
        raise ValueError
    types = ", ".join(str(value.type) for value in op.results)
    printer.write(f"if {printer.name(op.operands['condition'][0])}" + (f" -> ({types})" if types else ""))
    printer.region(region(op, 0), "yield")
    if op.regions[1] is not None:
        printer.write(" else")
        printer.region(op.regions[1], "yield")


# --- reduce and scan ---


def _parse_fold(reader: OperationReader) -> None:
    tokens, parser, op = reader.tokens, reader.parser, reader.op
    op.operands["operands"] = [parser.value()]
    while tokens.accept(","):
        op.operands["operands"].append(parser.value())
    keys: dict[str, Callable[[Tokens], Any]] = {
        "dim": parse_integer,
        "reverse": parse_bool,
        "identities": lambda t: parse_list(t, parse_constant),
    }
    for key in keys if op.name == "scan" else ("dim", "identities"):
        tokens.expect(key)
        tokens.expect("=")
        op.attributes[key] = keys[key](tokens)
    tokens.expect(":")
    at, types = tokens.at, parser.types_list()
    if types != [value.type for value in op.operands["operands"]]:
        tokens.fail("these are not the types of the operands", at)
    tokens.expect("->")
    reader.types = parser.types_list()
    arguments = parser.arguments()
    op.regions.append(parser.block(arguments, op.name))


def _print_fold(printer: Printer, op: Operation) -> None:
    _check(op, "operands*", "dim identities" + " reverse" * (op.name == "scan"))
    if not all(isinstance(number, Constant) for number in op.attributes["identities"]):
        raise ValueError
    if not op.operands["operands"] or not op.results or op.regions[0] is None:
        raise ValueError
    operands, given = op.operands["operands"], op.attributes
    text = f"{op.name} {', '.join(map(printer.name, operands))} dim={given['dim']}"
    if op.name == "scan":
        text += f" reverse={str(bool(given.get('reverse'))).lower()}"
    text += f" identities=[{', '.join(map(print_constant, given['identities']))}]"
    text += f" : {', '.join(str(value.type) for value in operands)}"
    text += f" -> {', '.join(str(value.type) for value in op.results)}"
    body = region(op, 0)
    arguments = ", ".join(f"{printer.name(value)}: {value.type}" for value in body.arguments)
    printer.write(f"{text}\n{printer.indent}({arguments})")
    printer.region(body, "")


# --- make_tensor_view ---


def _parse_tensor(reader: OperationReader) -> None:
    tokens, parser, op = reader.tokens, reader.parser, reader.op
    op.operands["base"] = [parser.value()]
    lists = {}
    for key, name in (("shape", "dynamicShape"), ("strides", "dynamicStrides")):
        tokens.expect(",")
        tokens.expect(key)
        tokens.expect("=")
        lists[key] = parse_list(tokens, lambda _: _extent(reader))
        op.operands[name] = [n for n in lists[key] if isinstance(n, Value)]
    tokens.expect(":")
    at, type_ = tokens.at, parser.type()
    dynamic = op.operands["dynamicShape"] + op.operands["dynamicStrides"]
    if type_ == op.operands["base"][0].type:  # written here if the pointer has an attribute
        tokens.expect("," if dynamic else "->")
        at, type_ = tokens.at, parser.type()
    if dynamic:
        reader.share(["dynamicShape", "dynamicStrides"], type_, at)
        tokens.expect("->")
        at, type_ = tokens.at, parser.type()
    given = [[None if isinstance(n, Value) else n for n in found] for found in lists.values()]
    if not isinstance(type_, TensorView) or [[*type_.shape], [*type_.strides]] != given:
        tokens.fail("expected a tensor_view of this shape and these strides", at, "a tensor_view")
    reader.result_types["result"] = type_
    reader.types = [type_]


def _extent(reader: OperationReader) -> int | Value:
    return reader.parser.value() if reader.tokens.next[:1] == "%" else parse_integer(reader.tokens, 0)


def _print_tensor(printer: Printer, op: Operation) -> None:
    _check(op, "base dynamicShape* dynamicStrides*", regions=0)
    (type_,), dynamic, base = _types(op.results), [], op.operands["base"][0].type
    _agree(
        [sum(n is None for n in type_.shape), sum(n is None for n in type_.strides)],
        [len(op.operands.get(name, ())) for name in ("dynamicShape", "dynamicStrides")],
    )
    text = f"make_tensor_view {printer.name(op.operands['base'][0])}"
    for key, name, extents in (
        ("shape", "dynamicShape", type_.shape),
        ("strides", "dynamicStrides", type_.strides),
    ):
        given = iter(op.operands.get(name, []))
        dynamic += op.operands.get(name, [])
        parts = (printer.name(next(given)) if n is None else str(n) for n in extents)
        text += f", {key} = [{', '.join(parts)}]"
    _agree(*([value.type] for value in dynamic))
    if base in (type_, *_types(dynamic)):  # it is recognised by differing from them
        raise ValueError
    types = [base] if type_.attr else []
    types += _types(dynamic[:1])
    printer.write(text + " : " + ", ".join(map(str, types)) + (" -> " if types else "") + str(type_))


PARSERS = {
    "for": _parse_for,
    "loop": _parse_loop,
    "if": _parse_if,
    "fold": _parse_fold,
    "tensor": _parse_tensor,
}
PRINTERS = {
    "for": _print_for,
    "loop": _print_loop,
    "if": _print_if,
    "fold": _print_fold,
    "tensor": _print_tensor,
}
