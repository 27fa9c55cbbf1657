"""Ids of blocks, assumptions, assertions and prints in C++."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from ..reading import attribute, group, operand, operands_of, value_element, value_shape
from .types import NotLowered

_EXPRESSION = re.compile(r"%[-+ #0]*\d*(?:\.\d*)?(?:hh|h|ll|l|j|z|t|L)?(.)")


def block_id(translator: Any, op: Any) -> None:
    for value, axis in zip(op.results, "xyz", strict=True):
        translator.define(value, f"static_cast<int>(ct::bid().{axis})")


def num_blocks(translator: Any, op: Any) -> None:
    for value, axis in zip(op.results, "xyz", strict=True):
        translator.define(value, f"static_cast<int>(ct::num_blocks().{axis})")


def assume(translator: Any, op: Any) -> None:
    """A promise to the compiler, of which nothing is made."""
    source, (result,) = operands_of(op)[0], op.results
    if id(source) in translator.views:
        translator.views[id(result)] = translator.views[id(source)]
    else:
        translator.names.alias(result, translator.names[source])


def check(translator: Any, op: Any) -> None:
    message = json.dumps("assertion failed: " + attribute(op, "message") + "\n")
    condition = operand(op, "condition")
    name = translator.names[condition]
    if value_shape(condition):
        name = f"tileir::all_of({name})"
    translator.line(f"tileir::require({name}, {message});")


def prints(translator: Any, op: Any) -> None:
    """printf where every operand is a scalar."""
    values = group(op, "args")
    if any(value_shape(value) for value in values):
        if translator.target != "cpu":
            raise NotLowered("tiles are printed on the cpu target only")
        _print_tiles(translator, op, values)
        return
    arguments = "".join(f", {_promoted(translator, value)}" for value in values)
    template = _fitted(attribute(op, "str"), values)
    translator.line(f"if (ct::platform::thread() == 0) printf({json.dumps(template)}{arguments});")


def _promoted(translator: Any, value: Any) -> str:
    """An argument of printf."""
    kind = value_element(value)
    name = translator.names[value]
    if kind.startswith("i"):
        return f"static_cast<long long>({name})"
    return f"ct::element_cast<double>({name})"


def _fitted(template: str, values: list[Any]) -> str:
    """The format with lengths that fit what _promoted makes of the operands."""
    left = iter(values)

    def replace(match: re.Match) -> str:
        kind = match[1]
        if kind == "%":
            return match[0]
        integer = value_element(next(left)).startswith("i")
        text = re.sub(r"(hh|h|ll|l|j|z|t|L)?.$", "", match[0])
        if integer:
            return text + ("c" if kind == "c" else "ll" + (kind if kind in "diuxXo" else "d"))
        return text + (kind if kind in "eEfFgGaA" else "f")

    return _EXPRESSION.sub(replace, template)


def _print_tiles(translator: Any, op: Any, values: list[Any]) -> None:
    """The format taken apart; a tile is printed element after element, in brackets."""
    template, at, left = attribute(op, "str"), 0, iter(values)
    for match in _EXPRESSION.finditer(template):
        if match[1] == "%":
            continue
        value = next(left)
        if match.start() > at:
            translator.line(f"printf({json.dumps(template[at : match.start()])});")
        at = match.end()
        form = json.dumps(_fitted(match[0], [value]))
        if not value_shape(value):
            translator.line(f"printf({form}, {_promoted(translator, value)});")
            continue
        cast = (
            "static_cast<long long>(e)"
            if value_element(value).startswith("i")
            else "ct::element_cast<double>(e)"
        )
        translator.line(
            f"tileir::print({translator.names[value]}, [](auto e) {{ printf({form}, {cast}); }});"
        )
    if at < len(template):
        translator.line(f"printf({json.dumps(template[at:])});")


EFFECTS: dict[str, Callable[[Any, Any], None]] = {
    "get_tile_block_id": block_id,
    "get_num_tile_blocks": num_blocks,
    "assume": assume,
    "assert": check,
    "print_tko": prints,
    "print": prints,
}
