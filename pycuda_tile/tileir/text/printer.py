"""Prints modules as text that matches NVIDIA's tools, except for blanks, and that `parse` reads."""

from __future__ import annotations

import re

from pycuda_tile.errors import Error

from ..grammar import Item, OperationRow, find_operation
from ..ir import Block, Entry, Global, Operation, Value
from .attributes import print_hints, print_predicate
from .fits import fits
from .forms import PRINTERS
from .generic import print_generic
from .locations import LocationPrinter
from .values import print_string, print_symbol, print_value

_NAME = re.compile(r"[A-Za-z_$.-][\w$.-]*")
#: Meaningless names given by the reader of bytecode: such values are numbered.
_PLAIN = {"result", "to", "results", "reduced_values"}


def print_items(
    globals_: list[Global], entries: list[Entry], name: str, producer: str, locations: bool
) -> str:
    """The text of a module's contents, with or without the locations of operations."""
    aliases = LocationPrinter() if locations else None
    producer = " ".join(producer.split())
    lines = [f"// Producer: {producer}"] if producer else []
    try:
        items = [*map(_global, globals_), *(Printer(aliases).entry(entry) for entry in entries)]
    except RecursionError:
        raise Error(
            "the module cannot be printed: its regions nest too deep for Python's recursion limit"
        ) from None
    if name:
        items = [f"module {print_symbol(name)} {{", *items, "}"]
    return "\n".join([*lines, *items, *(aliases.definitions() if aliases else ())]) + "\n"


def _global(found: Global) -> str:
    words = "global" + (" private" if found.private else "") + (" constant" if found.constant else "")
    alignment = f" alignment = {found.alignment}" if found.alignment else ""
    value = print_value(found.value, found.type)
    return f"{words} {print_symbol(found.name)}{alignment} {value} : {found.type}"


class Printer:
    """Prints one entry."""

    def __init__(self, locations: LocationPrinter | None) -> None:
        self.indent, self._locations = "", locations
        self._text: list[
            str
        ] = []  # in pieces, so that nested text is not copied again for each enclosing region
        self._names: dict[Value, str] = {}
        self._used: dict[str, None] = {}  # in the order in which they were given
        self._number = self._conflict = 0

    def entry(self, entry: Entry) -> str:
        for i, value in enumerate(entry.params):
            self._give(value, value.name or f"arg{i}")
        self._name_all(entry.body)
        parameters = ", ".join(f"{self.name(value)}: {value.type}" for value in entry.params)
        hints = f" optimization_hints={print_hints(entry.hints)}" if entry.hints else ""
        self.write(f"entry {print_symbol(entry.name)}({parameters}){hints}")
        self.region(entry.body, "")
        self.write(self._location(entry))
        return "".join(self._text)

    def write(self, text: str) -> None:
        self._text.append(text)

    # --- names ---

    def name(self, value: Value) -> str:
        found = self._names.get(value)
        if found is None:  # inconsistent modules are printed, too
            self._give(value, "undefined")
            found = self._names[value]
        return found

    def _give(self, value: Value, wish: str) -> None:
        self._names[value] = "%" + self._unique(wish)

    def _unique(self, wish: str) -> str:
        name = wish
        if not _NAME.fullmatch(wish):
            name = str(self._number)
            self._number += 1
        while name in self._used:
            name = f"{wish}_{self._conflict}"
            self._conflict += 1
        self._used[name] = None
        return name

    def _name_all(self, block: Block) -> None:
        """Names the results of a block first, then the values in its regions."""
        for op in block.ops:
            self._name_results(op)
        for op in block.ops:
            for inner in op.regions:
                if inner is not None:
                    number, conflict, used = self._number, self._conflict, len(self._used)
                    for i, value in enumerate(inner.arguments):
                        self._give(value, value.name or _argument(op.name, i))
                    self._name_all(inner)
                    self._number, self._conflict = number, conflict
                    while len(self._used) > used:  # names are local to their block
                        self._used.popitem()

    def _name_results(self, op: Operation) -> None:
        form = find_operation(op.name)
        wishes = [value.name for value in op.results]
        if len(wishes) == 1 and wishes[0] in _PLAIN:
            wishes = [""]
        elif len(wishes) > 1 and not any(wishes) and form is not None and len(form.results) == len(wishes):
            wishes = list(form.results)
        if len(op.results) > 1 and not all(map(_NAME.fullmatch, wishes)):
            pack = self._unique("")
            for i, value in enumerate(op.results):
                self._names[value] = f"%{pack}#{i}"
            return
        for value, wish in zip(op.results, wishes, strict=True):
            self._give(value, wish)

    # --- operations ---

    def region(self, block: Block, implied: str, header: str | None = None) -> None:
        """Writes { operations }, without an `implied` terminator that says nothing. `header` is written
        before them in the generic form."""
        ops = block.ops
        if ops and ops[-1].name == implied and self._is_implied(ops[-1]):
            ops = ops[:-1]
        outer, self.indent = self.indent, self.indent + "  "
        self.write(" {\n" if header is None else f"{{\n{outer}{header}\n" if header else "{\n")
        for op in ops:
            self.operation(op)
        self.indent = outer
        self.write(outer + "}")

    def _is_implied(self, op: Operation) -> bool:
        given = (*op.operands.values(), *op.attributes.values(), op.results, op.regions)
        return not any(given) and not self._location(op)

    def operation(self, op: Operation) -> None:
        self.write(self.indent + self._results(op))
        try:
            form = find_operation(op.name)
            if form is not None and form.form:
                PRINTERS[form.form](self, op)  # writes nothing until it is sure that its form applies
            elif form is not None and fits(form, op):
                self.write(op.name + "".join(self._items(form, op, form.items)))
            else:
                print_generic(self, op)
        except (AttributeError, LookupError, TypeError, ValueError):
            # Its form needs something that is missing, which `verify` explains: print it all the same.
            print_generic(self, op)
        self.write(self._location(op) + "\n")

    def _location(self, found: Entry | Operation) -> str:
        return self._locations.behind(found.location) if self._locations else ""

    def _results(self, op: Operation) -> str:
        if not op.results:
            return ""
        first = self.name(op.results[0])
        if "#" in first:
            return f"{first.split('#')[0]}:{len(op.results)} = "
        return ", ".join(map(self.name, op.results)) + " = "

    def _items(self, form: OperationRow, op: Operation, items: tuple[Item, ...]) -> list[str]:
        parts = []
        for i, item in enumerate(items):
            text = getattr(self, "_" + item.kind)(form, op, item)
            if text:
                apart = (item.space or (i == 0 and items is form.items)) and text[0] != ","
                parts.append((" " if apart else "") + text)
        return parts

    # --- one method for each kind of item ---

    def _literal(self, form: OperationRow, op: Operation, item: Item) -> str:
        return "" if item.name.endswith("?") else item.name

    def _operand(self, form: OperationRow, op: Operation, item: Item) -> str:
        return self.name(op.operands[item.name][0])

    def _operands(self, form: OperationRow, op: Operation, item: Item) -> str:
        return ", ".join(map(self.name, op.operands.get(item.name, ())))

    def _attribute(self, form: OperationRow, op: Operation, item: Item) -> str:
        kind, value = form.attributes[item.name].kind, op.attributes.get(item.name)
        if kind == "unit":
            return item.name if value else ""
        if kind == "hints":
            return f"{item.name} = {print_hints(value)}" if value else ""
        if kind == "bools":
            words = ", ".join(str(bool(v)).lower() for v in value or ())
            return f"{item.name} = [{words}]" if any(value or ()) else ""
        if value is None:
            return ""
        if kind == "string":
            return print_string(value)
        if kind == "tagged":
            return print_predicate(value)
        return str(list(value) if kind == "i32s" else value)

    def _symbol(self, form: OperationRow, op: Operation, item: Item) -> str:
        return print_symbol(op.attributes[item.name])

    def _framed(self, form: OperationRow, op: Operation, item: Item) -> str:
        value = op.attributes.get(item.name, item.default)
        return "" if value in (None, item.default) else f"{item.word}<{value}>"

    def _dense(self, form: OperationRow, op: Operation, item: Item) -> str:
        return print_value(op.attributes[item.name], op.results[0].type)

    def _group(self, form: OperationRow, op: Operation, item: Item) -> str:
        found = next(inner for inner in item.items if inner.kind != "literal")
        named = found.name.split("=")[0]
        if found.kind == "framed":
            there: object = self._framed(form, op, found)
        else:
            there = op.results if named in form.results else op.operands.get(named)
        return "".join(self._items(form, op, item.items)).lstrip() if there else ""

    def _type(self, form: OperationRow, op: Operation, item: Item) -> str:
        name = item.name.split("=")[0]
        value = op.operands[name][0] if name in form.operands else op.results[list(form.results).index(name)]
        return str(value.type)

    def _types(self, form: OperationRow, op: Operation, item: Item) -> str:
        found = op.operands.get(item.name, []) if item.name in form.operands else op.results
        return ", ".join(str(value.type) for value in found)

    def _shared(self, form: OperationRow, op: Operation, item: Item) -> str:
        if item.name in form.results:
            return str(op.results[0].type)
        types = [str(value.type) for value in op.operands[item.name]]
        return types[0] if len(set(types)) == 1 else ", ".join(types)


def _argument(name: str, number: int) -> str:
    if name == "for":
        return f"iterArg{number - 1}" if number else "loopIdx"
    if name == "loop":
        return f"iterArg{number}"
    return f"{name}_{'rhs' if number % 2 else 'lhs'}"
