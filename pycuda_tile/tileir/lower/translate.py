"""Translates a module of Tile IR to C++ against cuda_tile.h, with a kernel for each entry.

SSA values become local constants, zero-dimensional tiles scalars, and the carried values of loops variables.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np

from ...spec.element_types import HEADERS
from ..elements import HALF_BYTE, pairs
from ..ir import Entry, Global, Operation, walk
from ..locations import place_in_source
from ..module import Module
from ..reading import attribute, dense, operands_of, result_element, result_shape, value_element
from .control import CONTROL
from .effects import EFFECTS
from .expressions import EXPRESSIONS, expression
from .folds import FOLDS
from .memory import MEMORY, changed_bases
from .promises import checked_expression
from .tiles import shared_value
from .translation import Translation
from .types import NotLowered, element, literal, pointee_type, tile
from .writer import function_name, identifier

_STATEMENTS = MEMORY | EFFECTS | CONTROL | FOLDS
_NOTHING = {
    "make_token",
    "join_tokens",
    "memory_fence_alias_tko",
    "gdc_wait_tko",
    "gdc_launch_dependents_tko",
}
#: Headers that only some translations need, by the name whose use requires them.
_HEADERS = HEADERS | {
    "tileir::require": "cuda_tile/tileir/assert.h",
    "__assert_fail": "cassert",
    "tileir::promised": "cuda_tile/tileir/checked.h",
    "tileir::overlapping_mapping": "cuda_tile/tileir/checked.h",
    "tileir::print_array": "cuda_tile/tileir/print_array.h",
    "namespace loops": "cuda_tile/loops/loops.h",
    "cuda_tile::are_independent": "cuda_tile/launch/independence.h",
    "loops::refuse": "cuda_tile/loops/refusal.h",
}
_HEAD = """#include <cuda_tile/tileir/tileir.h>

namespace ct = cuda::tiles;
namespace tileir = cuda_tile::tileir;

"""


def translate(module: Module, target: str, checked: bool = False) -> tuple[str, list[Operation]]:
    """The C++ text of a module, and the `assert`s to which its exceptions refer by number. Raises
    NotAvailableYet, with operation and line, for what cannot be translated.

    checked:  whether the text is for a checked build, with the lines of the module's source in line tables
    """
    translator = Translator(module, target, str if checked else None, checked)
    return translator.text(), translator.assertions


class Translator(Translation):
    """Combines the translations of all families of operations.

    find:     the path of a file by the name that locations have, for line tables; None without these
    checked:  whether the text is for a checked build
    """

    def __init__(
        self, module: Module, target: str, find: Callable[[str], str] | None = None, checked: bool = False
    ):
        super().__init__(target, checked)
        self.module = module
        self._find = find
        self.kernel_names: dict[str, str] = {}  # in C++, by the name of the entry

    def at(self, op: Operation) -> None:
        if self._find and (place := place_in_source(op.location)):
            self.names.place = f"{place.line} {json.dumps(self._find(place.file))}"

    def text(self) -> str:
        used = {
            attribute(op, "name")
            for entry in self.module.entries
            for op in walk(entry.body)
            if op.name == "get_global"
        }
        for found in self.module.globals:
            if found.name in used:
                self._global(found)
        for entry in self.module.entries:
            self._entry(entry)
        lines = "\n".join(self.names.lines) + "\n"
        needed = {header for found, header in _HEADERS.items() if found in lines}
        includes = [f"#include <{header}>\n" for header in sorted(needed)]
        return "".join([*includes, _HEAD, lines])

    # --- outside of blocks ---

    def _global(self, found: Global) -> None:
        kind, values = str(found.type.element), found.value.reshape(-1)
        if kind == HALF_BYTE:
            kind, values = "i16", pairs(values).astype(np.int16)
        name = self.fresh("global_" + identifier(found.name))
        listed = ", ".join(literal(value, kind) for value in values)
        element_type, address = pointee_type(str(found.type.element)), name
        qualifiers = "__device__ " if self.target.threads else ""
        if found.constant and not self.target.on_gpu:
            qualifiers, address = "static const ", f"const_cast<{element_type}*>({name})"
        self.line(f"{qualifiers}{element_type} {name}[] = {{{listed}}};")
        self.globals[found.name] = address

    def _entry(self, entry: Entry) -> None:
        body, self.names.place = entry.body, ""
        self.changed = changed_bases(body)
        name = self.kernel_names[entry.name] = self.fresh(function_name(entry.name))
        parameters, casts = [], []
        for argument in body.arguments:
            kind, given = element(value_element(argument)), argument.name or "argument"
            local = self.names.name(argument, given)
            integers = value_element(argument).startswith(("ptr<i", f"ptr<{HALF_BYTE}"))
            if integers and not self.target.on_gpu:
                passed = self.fresh(f"{given}_integers")
                parameters.append(f"tileir::integer<{kind[:-1]}>* {passed}")
                casts.append(f"auto const {local} = reinterpret_cast<{kind}>({passed});")
            else:
                parameters.append(f"{kind} {local}")
        with self.names.block(f"__tile_global__ void {name}({', '.join(parameters)})"):
            for cast in casts:
                self.line(cast)
            self.block(body)
        self.line("")

    def operation(self, op: Operation) -> None:
        if op.name in _NOTHING:
            return
        if op.name == "constant" and shared_value(op) is None:
            self._list(op)
        elif op.name in EXPRESSIONS:
            names = [self.names[value] for value in operands_of(op)]
            written = checked_expression(op, names) if self.checked else expression(op, names)
            self.define(op.results[0], written)
        elif op.name in _STATEMENTS:
            _STATEMENTS[op.name](self, op)
        else:
            raise NotLowered("it is not supported")

    def _list(self, op: Operation) -> None:
        """A constant whose elements differ, with an array that lists them."""
        kind, name = result_element(op), self.fresh("elements")
        listed = ", ".join(literal(value, kind) for value in dense(op).reshape(-1))
        self.line(f"const {element(kind)} {name}[] = {{{listed}}};")
        self.define(op.results[0], f"tileir::listed<{tile(kind, result_shape(op))}>({name})")
