"""From a module of Tile IR to C++ against cuda_tile.h: a kernel for each entry.

SSA values become locals, tiles without dimension scalars, carried values of loops variables.
"""

from __future__ import annotations

from typing import Any

from pycuda_tile import targets
from pycuda_tile.errors import NotAvailableYet

from ..ir import walk
from ..reading import (
    attribute,
    dense,
    is_token,
    operands_of,
    region,
    result_element,
    result_shape,
    value_element,
    value_shape,
)
from .effects import EFFECTS
from .expressions import EXPRESSIONS, expression
from .memory import MEMORY
from .types import NotLowered, element, literal, shape, tile
from .writer import Writer, identifier

_NOTHING = {
    "make_token",
    "join_tokens",
    "memory_fence_alias_tko",
    "gdc_wait_tko",
    "gdc_launch_dependents_tko",
}

#: Headers that not all translations need, by what shows that one does.
_HEADERS = {
    "__half": "cuda_fp16.h",
    "__nv_bfloat16": "cuda_bf16.h",
    "__nv_fp8": "cuda_fp8.h",
    "__nv_fp4": "cuda_fp4.h",
    "__nv_tf32": "cuda_tf32.h",
    "tileir::require": "cuda_tile/tileir/assert.h",
}
_HEAD = """#include <cuda_tile/tileir/tileir.h>

namespace ct = cuda::tiles;
namespace tileir = cuda_tile::tileir;

"""


def translate(module: Any, target: str) -> tuple[str, list[Any]]:
    """The C++ text of a module, and the `assert`s that its exceptions tell by number. Raises NotAvailableYet,
    with operation and line, where there is none."""
    translator = Translator(module, target)
    return translator.text(), translator.assertions


class Translator:
    """One module.

    names:    the writer; names[value] is a C++ expression
    views:    what is known of views, by the identity of their values
    globals:  expressions of the addresses of globals
    assertions:  the operations `assert`, in the order of their numbers
    """

    def __init__(self, module: Any, target: str):
        self.module, self.target = module, targets.find(target)
        self.names = Writer()
        self.views: dict[int, Any] = {}
        self.globals: dict[str, str] = {}
        self.assertions: list[Any] = []
        self.line, self.fresh = self.names.line, self.names.fresh
        self._loops: list[tuple[list[str], list[str]]] = []  # names of carried values and of results
        self._yields: list[list[str]] = []

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
        includes = [f"#include <{header}>\n" for found, header in _HEADERS.items() if found in lines]
        return "".join([*includes, _HEAD, lines])

    def define(self, value: Any, text: str) -> None:
        """A local for a value."""
        self.line(f"auto const {self.names.name(value, value.name or 'v')} = {text};")

    # --- what stands outside of blocks ---

    def _global(self, found: Any) -> None:
        kind, values = str(found.type.element), found.value.reshape(-1)
        name = self.fresh("global_" + identifier(found.name))
        listed = ", ".join(literal(value, kind) for value in values)
        device = "__device__ " if self.target.threads else ""
        self.line(f"{device}{element(kind)} {name}[] = {{{listed}}};")
        self.globals[found.name] = name

    def _entry(self, entry: Any) -> None:
        body = entry.body
        name = self.fresh(entry.name)
        parameters, casts = [], []
        for argument in body.arguments:
            kind, given = element(value_element(argument)), argument.name or "argument"
            local = self.names.name(argument, given)
            if value_element(argument).startswith("ptr<i") and not self.target.on_gpu:
                passed = self.fresh(f"{given}_integers")
                parameters.append(f"tileir::integer<{kind[:-1]}>* {passed}")
                casts.append(f"auto const {local} = reinterpret_cast<{kind}>({passed});")
            else:
                parameters.append(f"{kind} {local}")
        with self.names.block(f"__tile_global__ void {name}({', '.join(parameters)})"):
            for cast in casts:
                self.line(cast)
            self._block(body)
        self.line("")

    # --- operations ---

    def _block(self, block: Any) -> None:
        for op in block.ops:
            try:
                self._operation(op)
            except NotLowered as error:
                raise NotAvailableYet(f"{op}: {op.name} has no translation to C++: {error}") from None

    def _operation(self, op: Any) -> None:
        if op.name in _NOTHING:
            return
        if op.name == "constant" and self._list(op):
            return
        if op.name in EXPRESSIONS:
            names = [self.names[value] for value in operands_of(op)]
            self.define(op.results[0], expression(op, names))
        elif op.name in MEMORY:
            MEMORY[op.name](self, op)
        elif op.name in EFFECTS:
            EFFECTS[op.name](self, op)
        elif op.name in _CONTROL:
            _CONTROL[op.name](self, op)
        else:
            raise NotLowered("it is not known here")

    def _list(self, op: Any) -> bool:
        """A constant with different elements: an array beside it."""
        try:
            expression(op, [])
            return False
        except NotLowered:
            pass
        kind, name = result_element(op), self.fresh("elements")
        listed = ", ".join(literal(value, kind) for value in dense(op).reshape(-1))
        self.line(f"const {element(kind)} {name}[] = {{{listed}}};")
        self.define(op.results[0], f"tileir::listed<{tile(kind, result_shape(op))}>({name})")
        return True

    def _variables(self, values: list[Any], start: list[str] | None) -> list[str]:
        """Variables for values that are not tokens; "" for tokens."""
        names = []
        for i, value in enumerate(values):
            if is_token(value):
                names.append("")
                continue
            name = self.names.name(value, value.name or "v")
            kind = tile(value_element(value), value_shape(value))
            braces = "" if value_shape(value) else "{}"
            self.line(f"{kind} {name} = {start[i]};" if start else f"{kind} {name}{braces};")
            names.append(name)
        return names

    def _handed(self, op: Any) -> list[str]:
        return ["" if is_token(value) else self.names[value] for value in operands_of(op)]

    def _assign(self, targets: list[str], values: list[str]) -> None:
        """All at once: what another assignment would overwrite is kept first."""
        pairs = [(t, v) for t, v in zip(targets, values, strict=True) if t and t != v]
        overwritten = {t for t, _ in pairs}
        kept = {}
        for _, value in pairs:
            if value in overwritten and value not in kept:
                kept[value] = self.fresh("kept")
                self.line(f"auto const {kept[value]} = {value};")
        for target, value in pairs:
            self.line(f"{target} = {kept.get(value, value)};")

    def _if(self, op: Any) -> None:
        results = self._variables(op.results, None)
        condition = self.names[operands_of(op)[0]]
        self._yields.append(results)
        with self.names.block(f"if ({condition})"):
            self._block(region(op, 0))
        otherwise = region(op, 1)
        if otherwise is not None and len(otherwise.ops):
            with self.names.block("else"):
                self._block(otherwise)
        self._yields.pop()

    def _for(self, op: Any) -> None:
        lower, upper, step = (self.names[value] for value in operands_of(op)[:3])
        start = self._handed(op)[3:]
        induction, *arguments = region(op, 0).arguments
        carried = self._variables(arguments, start)
        sign = "unsigned" if attribute(op, "unsignedCmp", False) else "signed"
        count, index = self.fresh("rounds"), self.names.name(induction, induction.name or "i")
        kind = element(value_element(induction))
        self.line(f"auto {count} = tileir::rounds<tileir::as_{sign}>({lower}, {upper}, {step});")
        head = f"for ({kind} {index} = {lower}; {count} > 0; --{count}, {index} = ct::add({index}, {step}))"
        self._loops.append((carried, []))
        with self.names.block(head):
            self._block(region(op, 0))
        self._loops.pop()
        for value, name in zip(op.results, carried, strict=True):
            self.names.alias(value, name)

    def _loop(self, op: Any) -> None:
        results = self._variables(op.results, None)
        carried = self._variables(list(region(op, 0).arguments), self._handed(op))
        self._loops.append((carried, results))
        with self.names.block("for (;;)"):
            self._block(region(op, 0))
        self._loops.pop()

    def _yield(self, op: Any) -> None:
        self._assign(self._yields[-1], self._handed(op))

    def _continue(self, op: Any) -> None:
        self._assign(self._loops[-1][0], self._handed(op))
        self.line("continue;")

    def _break(self, op: Any) -> None:
        self._assign(self._loops[-1][1], self._handed(op))
        self.line("break;")

    def _return(self, op: Any) -> None:
        self.line("return;")

    # --- reductions and scans ---

    def _fold(self, op: Any) -> None:
        if len(operands_of(op)) == 1:
            self._fold_one(op)
        else:
            self._fold_many(op)

    def _fold_one(self, op: Any) -> None:
        (operand,) = operands_of(op)
        function, dim = self.fresh("combine"), int(attribute(op, "dim"))
        kind = element(value_element(operand))
        body = region(op, 0)
        current, accumulator = (self.names.name(a, a.name or "v") for a in body.arguments)
        with self.names.block(
            f"auto const {function} = [&]({kind} {accumulator}, {kind} {current}) -> {kind}", "};"
        ):
            self._body(body, lambda names: f"return {names[0]};")
        source, (result,) = self.names[operand], op.results
        if op.name == "scan":
            if attribute(op, "reverse", False):
                text = f"tileir::scan<{dim}>({function}, tileir::reversed<{dim}>({source}))"
                self.define(result, f"tileir::reversed<{dim}>({text})")
            else:
                self.define(result, f"tileir::scan<{dim}>({function}, {source})")
            return
        text = f"tileir::reduce<{dim}>({function}, {source})"
        if value_shape(result):
            self.define(result, f"ct::reshape({text}, {shape(value_shape(result))}{{}})")
        else:
            self.define(result, f"tileir::element_of({text})")

    def _body(self, body: Any, end: Any) -> None:
        """A region whose yield becomes what end(names) says."""
        *ops, last = list(body.ops)
        for op in ops:
            try:
                self._operation(op)
            except NotLowered as error:
                raise NotAvailableYet(f"{op}: {op.name} has no translation to C++: {error}") from None
        self.line(end([self.names[value] for value in operands_of(last)]))

    def _fold_many(self, op: Any) -> None:
        """Several tiles: one of structures, whose members are the elements of each."""
        body, dim = region(op, 0), int(attribute(op, "dim"))
        members, function = self.fresh("elements"), self.fresh("combine")
        kinds = [element(value_element(value)) for value in operands_of(op)]
        with self.names.block(f"struct {members}", "};"):
            for i, kind in enumerate(kinds):
                self.line(f"{kind} e{i};")
        accumulator, current = self.fresh("accumulator"), self.fresh("current")
        for i, (element_argument, accumulated) in enumerate(
            zip(body.arguments[::2], body.arguments[1::2], strict=True)
        ):
            self.names.alias(element_argument, f"{current}.e{i}")
            self.names.alias(accumulated, f"{accumulator}.e{i}")
        head = f"auto const {function} = [&]({members} {accumulator}, {members} {current}) -> {members}"
        with self.names.block(head, "};"):
            self._body(body, lambda names: f"return {members}{{{', '.join(names)}}};")
        sources = [self.names[value] for value in operands_of(op)]
        reverse = op.name == "scan" and attribute(op, "reverse", False)
        if reverse:
            sources = [f"tileir::reversed<{dim}>({source})" for source in sources]
        folded = self.fresh("folded")
        packed = f"tileir::zip<{members}>({', '.join(sources)})"
        if op.name == "scan":
            self.line(f"auto const {folded} = tileir::scan_zipped<{dim}>({function}, {packed});")
        else:
            extents = list(value_shape(operands_of(op)[0]))
            extents[dim] = 1
            to = shape(tuple(extents))
            self.line(f"auto const {folded} = tileir::reduce_zipped<{dim}, {to}>({function}, {packed});")
        for i, value in enumerate(op.results):
            kind = tile(value_element(value), value_shape(value))
            text = f"tileir::unzip<{kind}>({folded}, []({members} const& e) {{ return e.e{i}; }})"
            self.define(value, f"tileir::reversed<{dim}>({text})" if reverse else text)


_CONTROL = {
    "if": Translator._if,
    "for": Translator._for,
    "loop": Translator._loop,
    "yield": Translator._yield,
    "continue": Translator._continue,
    "break": Translator._break,
    "return": Translator._return,
    "reduce": Translator._fold,
    "scan": Translator._fold,
}
