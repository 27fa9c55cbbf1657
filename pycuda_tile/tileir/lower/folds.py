"""Reductions and scans in C++."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import Operation
from ..reading import attribute, operands_of, region, value_element, value_shape
from .promises import wraps
from .translation import Translation
from .types import element, shape, tile


def _fold(translator: Translation, op: Operation) -> None:
    if len(operands_of(op)) == 1:
        _fold_one(translator, op)
    else:
        _fold_many(translator, op)


def _fold_one(translator: Translation, op: Operation) -> None:
    (operand,) = operands_of(op)
    dim = int(attribute(op, "dim"))
    function = known_function(op) if op.name == "reduce" else scanning_function(op)
    if not function or (translator.checked and wraps(region(op, 0).ops[0])):  # its sums overflow in C++
        function, kind, body = translator.fresh("combine"), element(value_element(operand)), region(op, 0)
        accumulator, current = (translator.names.name(a, a.name or "v") for a in body.arguments)
        with translator.names.block(
            f"auto const {function} = [&]({kind} {accumulator}, {kind} {current}) -> {kind}", "};"
        ):
            translator.function_body(body, lambda names: f"return {names[0]};")
    if op.name == "scan":
        _scan(translator, op, function)
        return
    source, (result,) = translator.names[operand], op.results
    text = f"tileir::reduce<{dim}>({function}, {source})"
    if value_shape(result):
        translator.define(result, f"ct::reshape({text}, {shape(value_shape(result))}{{}})")
    else:
        translator.define(result, f"tileir::element_of({text})")


_ADD = "ct::elements::add{}"
_FUNCTIONS = {
    "addf": _ADD,
    "addi": _ADD,
    "mulf": "ct::elements::mul{}",
    "maxf": "ct::elements::max{}",
    "minf": "ct::elements::min{}",
    "maxi": "ct::elements::max{}",
    "mini": "ct::elements::min{}",
    "andi": "ct::elements::bit_and{}",
    "ori": "ct::elements::bit_or{}",
}


def known_function(op: Operation) -> str:
    """The function of the header by which a tile is folded, which vectors compute; "" for others."""
    body = region(op, 0)
    step, *rest = body.ops
    is_known = (
        step.name in _FUNCTIONS
        and [each.name for each in rest] == ["yield"]
        and operands_of(rest[0]) == step.results
        and {id(value) for value in operands_of(step)} == {id(value) for value in body.arguments}
        and attribute(step, "rounding_mode", "nearest_even") == "nearest_even"
        and not attribute(step, "flush_to_zero", False)
        and not attribute(step, "propagate_nan", False)
        and attribute(step, "signedness", "signed") == "signed"  # as the elements' types in C++ are
        and (
            step.name not in ("maxi", "mini") or value_element(step.results[0]) != "i1"
        )  # of which true is -1
    )
    return _FUNCTIONS[step.name] if is_known else ""


def scanning_function(op: Operation) -> str:
    """The same for scans: that of ct::partial_sum, which vectors compute in another order."""
    known = known_function(op)
    return known if known == _ADD else ""


def _scan(translator: Translation, op: Operation, function: str) -> None:
    source, dim, (result,) = translator.names[operands_of(op)[0]], int(attribute(op, "dim")), op.results
    if attribute(op, "reverse", False):
        text = f"tileir::scan<{dim}>({function}, tileir::reversed<{dim}>({source}))"
        translator.define(result, f"tileir::reversed<{dim}>({text})")
    else:
        translator.define(result, f"tileir::scan<{dim}>({function}, {source})")


def structures(translator: Translation, op: Operation) -> tuple[str, str]:
    """Writes a type with a member for each tile of a fold, and the function of its body on two of them."""
    body = region(op, 0)
    members, function = translator.fresh("elements"), translator.fresh("combine")
    with translator.names.block(f"struct {members}", "};"):
        translator.line("using is_structure = void;")
        for i, value in enumerate(operands_of(op)):
            translator.line(f"{element(value_element(value))} e{i};")
    accumulator, current = translator.fresh("accumulator"), translator.fresh("current")
    for i, (accumulated, element_argument) in enumerate(
        zip(body.arguments[::2], body.arguments[1::2], strict=True)
    ):
        translator.names.alias(accumulated, f"{accumulator}.e{i}")
        translator.names.alias(element_argument, f"{current}.e{i}")
    head = f"auto const {function} = [&]({members} {accumulator}, {members} {current}) -> {members}"
    with translator.names.block(head, "};"):
        translator.function_body(body, lambda names: f"return {members}{{{', '.join(names)}}};")
    return members, function


def _fold_many(translator: Translation, op: Operation) -> None:
    """Folds several tiles as one tile of structures."""
    members, function = structures(translator, op)
    dim = int(attribute(op, "dim"))
    sources = [translator.names[value] for value in operands_of(op)]
    reverse = op.name == "scan" and attribute(op, "reverse", False)
    if reverse:
        sources = [f"tileir::reversed<{dim}>({source})" for source in sources]
    folded = translator.fresh("folded")
    packed = f"tileir::zip<{members}>({', '.join(sources)})"
    translator.line(f"auto const {folded} = tileir::{op.name}<{dim}>({function}, {packed});")
    for i, value in enumerate(op.results):
        kind = tile(value_element(value), value_shape(value))
        text = f"tileir::unzip<{kind}>({folded}, []({members} const& e) {{ return e.e{i}; }})"
        translator.define(value, f"tileir::reversed<{dim}>({text})" if reverse else text)


FOLDS: dict[str, Callable[[Translation, Operation], None]] = {"reduce": _fold, "scan": _fold}
