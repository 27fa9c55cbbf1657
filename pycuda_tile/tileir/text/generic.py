"""Operations that break their own rules, as text for people to look at. `parse` reads none of it.

%r = "make_tensor_view"(base: %p) {} : (tile<ptr<f32>>) -> (f32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir import Operation

if TYPE_CHECKING:
    from .printer import Printer


def print_generic(printer: Printer, op: Operation) -> str:
    """An operation without its results' names: what it has, in MLIR's generic form."""
    groups = [(name, values) for name, values in op.operands.items() if values]
    operands = ", ".join(f"{name}: {', '.join(map(printer.name, values))}" for name, values in groups)
    attributes = ", ".join(f"{name} = {value!r:.200}" for name, value in op.attributes.items())
    taken = ", ".join(str(value.type) for _, values in groups for value in values)
    made = ", ".join(str(value.type) for value in op.results)
    regions = ",".join(" {}" if block is None else printer.region(block, "") for block in op.regions)
    return f'"{op.name}"({operands}) {{{attributes}}}{regions} : ({taken}) -> ({made})'
