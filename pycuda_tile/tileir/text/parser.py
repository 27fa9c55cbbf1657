"""Reads modules from their text."""

from __future__ import annotations

from typing import Any

from ...errors import BuildTypeError, short_traceback
from ..grammar import find_operation
from ..ir import MAX_NESTING, TERMINATORS, Block, Entry, Global, Operation, Value
from ..module import Module
from . import drafts
from .attributes import parse_dictionary, parse_hints
from .forms import PARSERS
from .generic import parse_generic
from .lexer import ParseError, Tokens
from .locations import LocationReader
from .operations import OperationReader
from .types import parse_type
from .values import Dense, parse_integer, parse_symbol

_PREFIX = "cuda_tile."
_PRODUCER = "// Producer: "
_MAX_RESULTS = 10_000  # that one name may stand for
#: The implied terminator of a region that is written without one.
_IMPLIED = {"for": "continue", "loop": "continue", "if": "yield"}


@short_traceback(ParseError)
def parse(text: str) -> Module:
    """The module that text describes, with or without `module` around its entries and globals.

    Raises ParseError (line, column, what was expected) if the text is not a module.
    """
    if not isinstance(text, str):
        raise BuildTypeError(f"the text of a module must be a str, got {type(text).__name__}")
    parser = Parser(text)
    try:
        return parser.module()
    except RecursionError:
        pass
    parser.tokens.fail("regions nested deeper than Python's recursion limit allows")


class Parser:
    """A position in a text, and the values in scope there."""

    def __init__(self, text: str):
        self.tokens = Tokens(text)
        self.values: dict[str, Value] = {}
        self.symbols: set[str] = set()
        self.scope: list[str] = []  # their names, innermost last
        self.types: dict[str, Any] = {}
        self.depth = 0
        self.closed = False  # whether a module has ended
        self.last_token: Value | None = None  # of the draft's last operation on memory
        self.locations = LocationReader(self.tokens)
        self._drafts = drafts.draft_names()

    # --- modules ---

    def module(self) -> Module:
        tokens, module = self.tokens, Module()
        head = tokens.text.lstrip().split("\n", 1)[0]
        if head.startswith(_PRODUCER):
            module.producer = head.removeprefix(_PRODUCER).strip()
        self._items(module, "", 0)
        return module

    def _items(self, module: Module, end: str, depth: int) -> None:
        """Entries and globals, or one module around them, up to `end`."""
        tokens = self.tokens
        while tokens.next != end:
            if self.locations.skip_alias():
                continue
            if tokens.next.removeprefix(_PREFIX) == "module":
                self._module(module, depth + 1)
            else:
                self._item(module)

    def _module(self, module: Module, depth: int) -> None:
        """module @name attributes {...} { ... }; the builtin one may contain a module."""
        tokens, start = self.tokens, self.tokens.at
        if module.entries or module.globals or self.closed:
            tokens.wrong("the end of the text, which has one module")
        tokens.at += 1
        if tokens.next[:1] == "@":
            module.name = parse_symbol(tokens)
        if tokens.accept("attributes"):
            producer = parse_dictionary(tokens).get("producer")
            module.producer = producer if isinstance(producer, str) else module.producer
        tokens.expect("{")
        if depth > 2:
            tokens.fail("modules nested more than two deep", start)
        self._items(module, "}", depth)
        tokens.expect("}")
        self.locations.accept()
        self.closed = True

    def _item(self, module: Module) -> None:
        tokens = self.tokens
        name = tokens.next.removeprefix(_PREFIX)
        start = tokens.at
        if self.closed:
            tokens.wrong("the end of the text, which has one module")
        tokens.at += 1
        if name not in ("entry", "global"):
            tokens.at = start
            tokens.wrong("entry or global")
        made = self._entry() if name == "entry" else self._global()
        if made.name in self.symbols:
            tokens.fail(f"{made.name} is there twice", start)
        self.symbols.add(made.name)
        if tokens.next == "{":
            parse_dictionary(tokens)
        location = self.locations.accept()
        if isinstance(made, Entry):
            made.location = location
            module.entries.append(made)
        else:
            module.globals.append(made)

    def _entry(self) -> Entry:
        tokens = self.tokens
        name = parse_symbol(tokens)
        self.values, self.scope, self.last_token = {}, [], None
        arguments = self.arguments()
        hints = {}
        if tokens.accept("optimization_hints"):
            tokens.expect("=")
            hints = parse_hints(tokens)
        if tokens.accept("attributes"):
            parse_dictionary(tokens)
        return Entry(name, self.block(arguments, "entry"), hints)

    def _global(self) -> Global:
        tokens, options = self.tokens, {}
        for word in ("public", "private", "constant"):
            options[word] = tokens.accept(word)
        name, alignment = parse_symbol(tokens), 0
        if tokens.accept("alignment"):
            tokens.expect("=")
            alignment = parse_integer(tokens, 0)
        dense = Dense(tokens)
        tokens.expect(":")
        type_ = self.type()
        return Global(name, type_, dense.array(type_), alignment, options["private"], options["constant"])

    def arguments(self) -> list[Value]:
        """(%name: type, ...)"""
        found: list[Value] = []
        tokens = self.tokens
        tokens.expect("(")
        while not tokens.accept(")"):
            if found:
                tokens.expect(",")
            name = self.new_name()
            tokens.expect(":")
            found.append(self.define(name, self.type()))
            if tokens.next == "{":
                parse_dictionary(tokens)
            self.locations.accept()
        return found

    # --- blocks ---

    def block(self, arguments: list[Value], parent: str, generic: bool = False) -> Block:
        """{ operations }, in which `arguments`, defined just before, are in scope. In the generic form they
        are written inside, after ^bb0, and the last operation is never left out."""
        block = Block(arguments)
        tokens, outer, token = self.tokens, len(self.scope) - len(arguments), self.last_token
        tokens.expect("{")
        self.depth += 1
        if generic:
            block.arguments = self._header()
            parent = ""
        if self.depth > MAX_NESTING:
            tokens.fail(f"regions nested more than {MAX_NESTING} deep", tokens.at - 1)
        while not tokens.accept("}"):
            if not tokens.next:
                tokens.wrong("an operation or '}'")
            block.ops += self.next_operations()
            if block.ops and block.ops[-1].name in TERMINATORS and tokens.next != "}":
                tokens.wrong(f"'}}' behind {block.ops[-1].name}")
        self.depth -= 1
        for name in self.scope[outer:]:
            del self.values[name]
        del self.scope[outer:]
        self.last_token = token
        if not block.ops or block.ops[-1].name not in TERMINATORS:
            ending = "return" if parent == "entry" else _IMPLIED.get(parent)
            if ending is None:
                tokens.at -= 1
                tokens.wrong(
                    f"yield at the end of {parent}" if parent else f"one of {', '.join(TERMINATORS)}"
                )
            block.ops.append(Operation(ending, {"operands": []}))
        return block

    def _header(self) -> list[Value]:
        """^bb0(%name: type, ...):"""
        tokens = self.tokens
        if not tokens.accept("^"):
            return []
        tokens.take()
        arguments = self.arguments() if tokens.next == "(" else []
        tokens.expect(":")
        return arguments

    # --- operations ---

    def next_operations(self) -> list[Operation]:
        """The operation that comes next, or several for one of the draft."""
        tokens = self.tokens
        start = tokens.at
        names = self._result_names() if tokens.next[:1] == "%" else []
        name = tokens.next.removeprefix(_PREFIX)
        if name in self._drafts and drafts.is_draft(self, name):
            found = drafts.parse_draft(self, name, names, start)
        else:
            form = find_operation(name.strip('"').removeprefix(_PREFIX))
            if form is None or form.name in ("entry", "global", "module"):
                tokens.wrong("an operation")
            tokens.at += 1
            op = Operation(form.name, line=tokens.line(start))
            reader, found = OperationReader(self, form, op, names, start), [op]
            if name[:1] == '"':
                parse_generic(reader)
            elif form.form:  # called directly, not through OperationReader's methods: regions nest deeply
                PARSERS[form.form](reader)
            else:
                reader.items(form.items)
            reader.finish()
        if tokens.next == "{":
            parse_dictionary(tokens)
        location = self.locations.accept()
        for op in found:
            op.location = location
        return found

    def _result_names(self) -> list[str]:
        """`%a, %b:2 =` names a, b#0 and b#1."""
        tokens = self.tokens
        found: list[str] = []
        while True:
            name = self.new_name()
            if tokens.accept(":"):
                count = parse_integer(tokens, 1)
                if count > _MAX_RESULTS:
                    tokens.fail("more results than any operation has", tokens.at - 1)
                found.extend(f"{name}#{i}" for i in range(count))
            else:
                found.append(name)
            if not tokens.accept(","):
                break
        tokens.expect("=")
        return found

    # --- names and types ---

    def new_name(self) -> str:
        text = self.tokens.next
        if text[:1] != "%" or len(text) == 1 or "#" in text:
            self.tokens.wrong("a name, %name")
        if text in self.values or text + "#0" in self.values:
            self.tokens.fail(f"{text} is defined already")
        self.tokens.at += 1
        return text[1:]

    def define(self, name: str, type_: Any) -> Value:
        if "%" + name in self.values:
            self.tokens.fail(f"%{name} is defined already")
        value = self.values["%" + name] = Value(type_, name)
        self.scope.append("%" + name)
        return value

    def value(self) -> Value:
        text = self.tokens.next
        found = self.values.get(text)
        if found is None:
            found = self.values.get(text + "#0")
            if found is None:
                if text[:1] == "%":
                    self.tokens.fail(f"{text} is not defined here", expected="a value that is defined")
                self.tokens.wrong("a value, %name")
        self.tokens.at += 1
        return found

    def type(self) -> Any:
        return parse_type(self.tokens, self.types)

    def types_list(self) -> list[Any]:
        found = [self.type()]
        while self.tokens.accept(","):
            found.append(self.type())
        return found
