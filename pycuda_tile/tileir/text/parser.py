"""Modules from their text."""

from __future__ import annotations

from typing import Any

from ...errors import BuildTypeError
from ..ir import Block, Entry, Global, Module, Operation, Value
from . import drafts
from .formats import formats
from .forms import PARSERS
from .lexer import Tokens
from .operations import OperationReader
from .types import parse_type
from .values import Dense, parse_hints, parse_integer, parse_symbol

#: As in the binary form.
MAX_NESTING = 200
_PREFIX = "cuda_tile."
_PRODUCER = "// Producer: "
_TERMINATORS = ("break", "continue", "return", "yield")
#: What ends a region that ends without one.
_IMPLIED = {"for": "continue", "loop": "continue", "if": "yield"}


def parse(text: str) -> Module:
    """The module that text describes, with or without `module` around its entries and globals.

    Raises ParseError (line, column, what was expected) where it is none.
    """
    if not isinstance(text, str):
        raise BuildTypeError(f"the text of a module is a str, got {type(text).__name__}")
    parser = Parser(text)
    try:
        return parser.module()
    except RecursionError:
        parser.tokens.fail("regions nested deeper than Python's recursion limit allows")


class Parser:
    """A place in a text, and the values that can be named there."""

    def __init__(self, text: str):
        self.tokens = Tokens(text)
        self.values: dict[str, Value] = {}
        self.symbols: set[str] = set()
        self.scope: list[str] = []  # their names, innermost last
        self.types: dict[str, Any] = {}
        self.depth = 0
        self.last_token: Value | None = None  # of the draft's last operation on memory
        self._formats, self._drafts = formats(), drafts.draft_names()

    # --- modules ---

    def module(self) -> Module:
        tokens, module = self.tokens, Module()
        head = tokens.text.lstrip().split("\n", 1)[0]
        if head.startswith(_PRODUCER):
            module.producer = head.removeprefix(_PRODUCER).strip()
        while self._skip_alias():
            pass
        wrapped = tokens.next.removeprefix(_PREFIX) == "module"
        if wrapped:
            tokens.at += 1
            module.name = parse_symbol(tokens) if tokens.next[:1] == "@" else ""
            tokens.expect("{")
        while tokens.next and not (wrapped and tokens.next == "}"):
            if not self._skip_alias():
                self._item(module)
        if wrapped:
            tokens.expect("}")
            self._skip_location()
            while self._skip_alias():
                pass
            if tokens.next:
                tokens.wrong("the end of the text")
        return module

    def _item(self, module: Module) -> None:
        tokens = self.tokens
        name = tokens.next.removeprefix(_PREFIX)
        start = tokens.at
        tokens.at += 1
        if name == "entry":
            made: Entry | Global = self._entry()
        elif name == "global":
            made = self._global()
        else:
            tokens.at = start
            tokens.wrong("entry or global")
        if made.name in self.symbols:
            tokens.fail(f"{made.name} is there twice", start)
        self.symbols.add(made.name)
        self._skip_location()
        (module.entries if isinstance(made, Entry) else module.globals).append(made)

    def _entry(self) -> Entry:
        tokens = self.tokens
        name = parse_symbol(tokens)
        self.values, self.scope, self.last_token = {}, [], None
        arguments = self.arguments()
        hints = {}
        if tokens.accept("optimization_hints"):
            tokens.expect("=")
            hints = parse_hints(tokens)
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
        self.tokens.expect("(")
        while not self.tokens.accept(")"):
            if found:
                self.tokens.expect(",")
            name = self.new_name()
            self.tokens.expect(":")
            found.append(self.define(name, self.type()))
            self._skip_location()
        return found

    # --- blocks ---

    def block(self, arguments: list[Value], parent: str) -> Block:
        """{ operations }, in which `arguments`, defined just before, can be seen."""
        block = Block(arguments)
        tokens, outer, token = self.tokens, len(self.scope) - len(arguments), self.last_token
        tokens.expect("{")
        self.depth += 1
        if self.depth > MAX_NESTING:
            tokens.fail(f"regions nested more than {MAX_NESTING} deep", tokens.at - 1)
        while not tokens.accept("}"):
            if not tokens.next:
                tokens.wrong("an operation or '}'")
            block.ops += self.next_operations()
            if block.ops and block.ops[-1].name in _TERMINATORS and tokens.next != "}":
                tokens.wrong(f"'}}' behind {block.ops[-1].name}")
        self.depth -= 1
        for name in self.scope[outer:]:
            del self.values[name]
        del self.scope[outer:]
        self.last_token = token
        if not block.ops or block.ops[-1].name not in _TERMINATORS:
            ending = "return" if parent == "entry" else _IMPLIED.get(parent)
            if ending is None:
                tokens.at -= 1
                tokens.wrong(f"yield at the end of {parent}")
            block.ops.append(Operation(ending, {"operands": []}))
        return block

    # --- operations ---

    def next_operations(self) -> list[Operation]:
        """The operation that stands next; several for one of the draft."""
        tokens = self.tokens
        start = tokens.at
        names = self._result_names() if tokens.next[:1] == "%" else []
        name = tokens.next.removeprefix(_PREFIX)
        if name in self._drafts and drafts.is_draft(self, name):
            return drafts.parse_draft(self, name, names, start)
        form = self._formats.get(name)
        if form is None or name in ("entry", "global", "module"):
            tokens.wrong("an operation")
        tokens.at += 1
        op = Operation(form.name, line=tokens.line(start))
        reader = OperationReader(self, form, op, names, start)
        if form.items and form.items[0].kind == "form":  # not one of the others' methods: regions nest deep
            PARSERS[form.items[0].name](reader)
        else:
            reader.items(form.items)
        reader.finish()
        self._skip_location()
        return [op]

    def _skip_alias(self) -> bool:
        """#loc1 = loc(...)"""
        tokens = self.tokens
        if tokens.next[:1] != "#" or tokens.ahead(1) != "=" or tokens.ahead(2) != "loc":
            return False
        tokens.at += 2
        self._skip_location()
        return True

    def _skip_location(self) -> None:
        tokens = self.tokens
        if tokens.next == "loc" and tokens.ahead(1) == "(":
            tokens.at += 1
            depth = 0
            while True:
                depth += {"(": 1, ")": -1}.get(tokens.next, 0)
                if not tokens.take():
                    tokens.wrong("')'")
                if depth == 0:
                    return

    def _result_names(self) -> list[str]:
        """%a, %b:2 = names a, b#0 and b#1."""
        tokens, found = self.tokens, []
        while True:
            name = self.new_name()
            if tokens.accept(":"):
                count = parse_integer(tokens, 1)
                if count > 10000:
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
            if found is None or text + "#1" in self.values:
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
