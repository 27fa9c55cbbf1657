"""Block ids, assumptions, assertions and prints in C++."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ..assertions import failed_assertion
from ..ir import Bounded, DivBy, Operation, Value
from ..print_formats import ArrayFormat, Expression, array_format, pieces
from ..reading import attribute, group, operand, operands_of, value_element, value_shape
from .translation import Translation
from .types import literal, shape, tile

#: The message that the open front end gives an assertion of C++.
_FAILED = re.compile(r"(.*?):(\d+): (.*) failed", re.DOTALL)


def block_id(translator: Translation, op: Operation) -> None:
    for value, axis in zip(op.results, "xyz", strict=True):
        translator.define(value, f"static_cast<int>(ct::bid().{axis})")


def num_blocks(translator: Translation, op: Operation) -> None:
    for value, axis in zip(op.results, "xyz", strict=True):
        translator.define(value, f"static_cast<int>(ct::num_blocks().{axis})")


def assume(translator: Translation, op: Operation) -> None:
    """A promise to the compiler, which only checked builds need."""
    source, (result,) = operands_of(op)[0], op.results
    if translator.checked:
        _check_assumption(translator, attribute(op, "predicate"), source)
    if id(source) in translator.tensors:
        translator.tensors[id(result)] = translator.tensors[id(source)]
    else:
        translator.names.alias(result, translator.names[source])


def _check_assumption(translator: Translation, predicate: Any, source: Value) -> None:
    """Calls functions of the API, which check assumptions; the results would only help to optimise."""
    if id(source) in translator.tensors:
        name, is_pointer = translator.tensors[id(source)].base, True
    else:
        name, is_pointer = translator.names[source], value_element(source).startswith("ptr<")
        if value_element(source) == "i1":  # which bool holds as 0 and 1, not -1
            name = f"tileir::resize<{tile('i8', value_shape(source))}, tileir::as_signed>({name})"
    for function in _functions(predicate, is_pointer):
        translator.line(f"static_cast<void>(ct::{function}({name}));")


def _functions(predicate: Any, is_pointer: bool) -> list[str]:
    if isinstance(predicate, Bounded):
        bounds = {"assume_bounded_below": predicate.lower, "assume_bounded_above": predicate.upper}
        return [f"{name}<{literal(np.int64(n), 'i64')}>" for name, n in bounds.items() if n is not None]
    if isinstance(predicate, DivBy):
        name = "assume_aligned" if is_pointer else "assume_divisible"
        if predicate.every is None:
            return [f"{name}<{predicate.divisor}>"]
        return [f"{name}_strided<{predicate.divisor}, {predicate.every}, {predicate.along}>"]
    return [f"assume_blocked<{shape(predicate.groups)}>"]


def check(translator: Translation, op: Operation) -> None:
    """Throws an exception on the host, which build.py translates, or ends the launch as assert() of C++ does;
    prints a message and traps on a device."""
    condition = operand(op, "condition")
    extents = value_shape(condition)
    head = f"tileir::require({translator.names[condition]}, []([[maybe_unused]] unsigned at) {{"
    if translator.from_cxx:
        file, line, text = _FAILED.fullmatch(attribute(op, "message")).groups()  # type: ignore[union-attr]
        place = f"{quoted(text)}, {quoted(file)}, {line}, {quoted(translator.function)}"
        translator.line(f"{head} __assert_fail({place}); }});")
        return
    if not translator.target.on_gpu:
        translator.line(f"{head} tileir::fail({len(translator.assertions)}, at); }});")
        translator.assertions.append(op)
        return
    steps = [math.prod(extents[d + 1 :]) for d in range(len(extents))]
    index = [f", at / {step}u % {n}u" for step, n in zip(steps, extents, strict=True)]
    place = ", ".join(["%u"] * len(extents))
    text = failed_assertion(str(op), "%d, %d, %d", place, attribute(op, "message").replace("%", "%%"))
    block = ", ".join(f"static_cast<int>(ct::bid().{axis})" for axis in "xyz")
    translator.line(f"{head} printf({quoted(text + chr(10))}, {block}{''.join(index)}); }});")


def prints(translator: Translation, op: Operation) -> None:
    """One printf if every operand is a scalar; otherwise one for each element of a tile, in brackets. What
    cuda_tile::print wrote is printed as it prints."""
    values = group(op, "args")
    if array := array_format(attribute(op, "str")):
        names = ", ".join(translator.names[value] for value in values)
        text = _element_text(array, value_element(values[-1]))
        translator.line(
            f"tileir::print_array({quoted(array.title)}, {names}, [](auto e) {{ return {text}; }});"
        )
        return
    left, template = iter(values), ""
    arguments: list[str] = []

    def write() -> None:
        nonlocal template, arguments
        if template:
            call = f"printf({', '.join([quoted(template), *arguments])});"
            translator.line(f"if (tileir::thread() == 0) {call}")
        template, arguments = "", []

    for piece in pieces(attribute(op, "str")):
        if isinstance(piece, str):
            template += piece.replace("%", "%%")
            continue
        value = next(left)
        name = translator.names[value]
        if value_shape(value):
            write()
            form, argument = _printed(piece, value_element(value), "e")
            one = f"[](auto e) {{ printf({quoted(form)}, {argument}); }}"
            translator.line(f"tileir::print_tile({name}, {one});")
        else:
            form, argument = _printed(piece, value_element(value), name)
            template += form
            arguments.append(argument)
    write()


def _element_text(array: ArrayFormat, kind: str) -> str:
    """The text of element e as cuda_tile::print writes it."""
    if array.is_bool:
        return "tileir::text_of(e != 0)"
    if array.value.kind == "g":
        return f"tileir::text_of<{array.digits}>(e)"
    if kind.startswith("ptr<"):
        return "tileir::text_of(e)"
    sign = "unsigned" if array.value.kind == "u" else "signed"
    return f"tileir::text_of(tileir::read<tileir::as_{sign}>(e))"


def _printed(piece: Expression, kind: str, name: str) -> tuple[str, str]:
    """The format and the argument of printf for a value of an element type."""
    if not kind.startswith(("i", "ptr<")):
        return piece.of_float(), f"tileir::printed({name})"
    form, is_unsigned = piece.of_integer()
    sign = "unsigned" if is_unsigned or kind == "i1" else "signed"
    if kind == "i4" and is_unsigned:
        name = f"tileir::low_half({name})"
    argument = f"tileir::printed<tileir::as_{sign}>({name})"
    return form, f"static_cast<int>({argument})" if form.endswith("c") else argument


def quoted(text: str) -> str:
    """A C++ string literal; anything but printable ASCII is escaped byte by byte."""
    usual = {ord('"'): '\\"', ord("\\"): "\\\\"}
    data = text.encode(errors="replace")
    parts = (usual.get(b) or (chr(b) if 32 <= b < 127 else f"\\{b:03o}") for b in data)
    return f'"{"".join(parts)}"'


EFFECTS: dict[str, Callable[[Translation, Operation], None]] = {
    "get_tile_block_id": block_id,
    "get_num_tile_blocks": num_blocks,
    "assume": assume,
    "assert": check,
    "print_tko": prints,
    "print": prints,
}
