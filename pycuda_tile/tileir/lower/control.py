"""Conditionals and loops in C++. Carried values of loops and results of conditionals become variables."""

from __future__ import annotations

from collections.abc import Callable

from ..ir import Operation, Value
from ..reading import attribute, is_token, operands_of, optional_region, region, value_element, value_shape
from .promises import wrapped
from .translation import Translation
from .types import element, tile


def _variables(translator: Translation, values: list[Value], start: list[str] | None) -> list[str]:
    """Variables for values that are not tokens; "" for tokens, and for starts that need no value."""
    names, given = [], []
    for i, value in enumerate(values):
        begins = start[i] if start else ""
        if is_token(value):
            names.append("")
            continue
        name = translator.declared.get(translator.shared.get(id(value), 0), "")
        if name:
            translator.names.alias(value, name)
            given += [(name, begins)] if begins else []
        else:
            name = translator.names.name(value, value.name or "v")
            kind = tile(value_element(value), value_shape(value))
            braces = "" if value_shape(value) else "{}"
            translator.line(f"{kind} {name} = {begins};" if begins else f"{kind} {name}{braces};")
        _declare(translator, value, name)
        names.append(name)
    _assign(translator, [name for name, _ in given], [begins for _, begins in given])
    return names


def _declare(translator: Translation, value: Value, name: str) -> None:
    if id(value) in translator.shared:
        translator.declared[translator.shared[id(value)]] = name


def _handed(translator: Translation, op: Operation) -> list[str]:
    return ["" if is_token(value) else translator.names[value] for value in operands_of(op)]


def _assign(translator: Translation, targets: list[str], values: list[str]) -> None:
    """Assigns all values at once: those that another assignment would overwrite are saved first."""
    pairs = [(t, v) for t, v in zip(targets, values, strict=True) if t and t != v]
    overwritten = {t for t, _ in pairs}
    kept = {}
    for _, value in pairs:
        if value in overwritten and value not in kept:
            kept[value] = translator.fresh("kept")
            translator.line(f"auto const {kept[value]} = {value};")
    for target, value in pairs:
        translator.line(f"{target} = {kept.get(value, value)};")


def _if(translator: Translation, op: Operation) -> None:
    results = _variables(translator, op.results, None)
    condition = translator.names[operands_of(op)[0]]
    translator.yields.append(results)
    with translator.names.block(f"if ({condition})"):
        translator.block(region(op, 0))
    otherwise = optional_region(op, 1)
    if otherwise is not None and otherwise.ops:
        with translator.names.block("else"):
            translator.block(otherwise)
    translator.yields.pop()


def _for(translator: Translation, op: Operation) -> None:
    lower, upper, step = (translator.names[value] for value in operands_of(op)[:3])
    start = _handed(translator, op)[3:]
    induction, *arguments = region(op, 0).arguments
    carried = _variables(translator, arguments, start)
    sign = "unsigned" if attribute(op, "unsignedCmp", False) else "signed"
    count, index = translator.fresh("rounds"), translator.names.name(induction, induction.name or "i")
    kind = element(value_element(induction))
    following = f"ct::add({index}, {step})"
    if translator.checked:
        following = wrapped("add", kind, [index, step])
    head = f"for ({kind} {index} = {lower}; {count} > 0; --{count}, {index} = {following})"
    translator.loops.append((carried, []))
    with translator.around_rounds(op):
        translator.line(f"auto {count} = tileir::rounds<tileir::as_{sign}>({lower}, {upper}, {step});")
        with translator.names.block(head):
            translator.block(region(op, 0))
    translator.loops.pop()
    for value, name in zip(op.results, carried, strict=True):
        translator.names.alias(value, name)
        _declare(translator, value, name)


def _loop(translator: Translation, op: Operation) -> None:
    results = _variables(translator, op.results, None)
    carried = _variables(translator, list(region(op, 0).arguments), _handed(translator, op))
    translator.loops.append((carried, results))
    with translator.names.block("for (;;)"):
        translator.block(region(op, 0))
    translator.loops.pop()


def _yield(translator: Translation, op: Operation) -> None:
    _assign(translator, translator.yields[-1], _handed(translator, op))


def _continue(translator: Translation, op: Operation) -> None:
    _assign(translator, translator.loops[-1][0], _handed(translator, op))
    translator.line("continue;")


def _break(translator: Translation, op: Operation) -> None:
    _assign(translator, translator.loops[-1][1], _handed(translator, op))
    translator.line("break;")


def _return(translator: Translation, op: Operation) -> None:
    translator.line("return;")


CONTROL: dict[str, Callable[[Translation, Operation], None]] = {
    "if": _if,
    "for": _for,
    "loop": _loop,
    "yield": _yield,
    "continue": _continue,
    "break": _break,
    "return": _return,
}
