"""Modules from their text."""

from __future__ import annotations

from typing import Any

from ..ir import Block, Entry, Global, Module, Operation, Tile, Token, Value
from . import drafts
from .formats import Format, Item, enumerators, formats, kinds
from .lexer import Tokens
from .types import parse_type
from .values import (
    Dense,
    parse_bool,
    parse_hints,
    parse_integer,
    parse_list,
    parse_predicate,
    parse_string,
    parse_symbol,
)

MAX_NESTING = 100
_PREFIX = "cuda_tile."
_PRODUCER = "// Producer: "
_TERMINATORS = ("break", "continue", "return", "yield")
#: What ends a region that ends without one.
_IMPLIED = {"for": "continue", "loop": "continue", "if": "yield"}


def parse(text: str) -> Module:
    """The module that text describes, with or without `module` around its entries and globals.

    Raises ParseError (line, column, what was expected) where it is none.
    """
    return Parser(text).module()


class Parser:
    """A place in a text, and the values that can be named there."""

    def __init__(self, text: str):
        self.tokens = Tokens(text)
        self.values: dict[str, Value] = {}
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
        wrapped = tokens.next.removeprefix(_PREFIX) == "module"
        if wrapped:
            tokens.at += 1
            module.name = parse_symbol(tokens) if tokens.next[:1] == "@" else ""
            tokens.expect("{")
        while tokens.next and not (wrapped and tokens.next == "}"):
            self._item(module)
        if wrapped:
            tokens.expect("}")
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
        if any(made.name == other.name for other in (*module.entries, *module.globals)):
            tokens.fail(f"{made.name} is there twice", start)
        (module.entries if isinstance(made, Entry) else module.globals).append(made)

    def _entry(self) -> Entry:
        tokens = self.tokens
        name = parse_symbol(tokens)
        self.values, self.scope, self.last_token = {}, [], None
        block = Block(self.arguments())
        hints = {}
        if tokens.accept("optimization_hints"):
            tokens.expect("=")
            hints = parse_hints(tokens)
        self.operations(block, "entry")
        return Entry(name, block, hints)

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
        return found

    # --- blocks ---

    def block(self, arguments: list[Value], parent: str) -> Block:
        """{ operations }, in which `arguments`, defined just before, can be seen."""
        block = Block(arguments)
        self.operations(block, parent, len(arguments))
        return block

    def operations(self, block: Block, parent: str, arguments: int = 0) -> None:
        tokens, outer, token = self.tokens, len(self.scope) - arguments, self.last_token
        tokens.expect("{")
        self.depth += 1
        if self.depth > MAX_NESTING:
            tokens.fail(f"regions nested more than {MAX_NESTING} deep", tokens.at - 1)
        while not tokens.accept("}"):
            if not tokens.next:
                tokens.wrong("an operation or '}'")
            block.ops += self.next_operations()
            if block.ops[-1].name in _TERMINATORS and tokens.next != "}":
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
        reader.items(form.items)
        reader.finish()
        self._skip_location()
        return [op]

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


class OperationReader:
    """One operation, by its format."""

    def __init__(self, parser: Parser, form: Format, op: Operation, names: list[str], start: int):
        self.parser, self.tokens, self.form, self.op = parser, parser.tokens, form, op
        self.names, self.start = names, start
        self.result_types: dict[str, Any] = {}
        self.types: list[Any] | None = None  # of all results, where their number is free
        self.dense: dict[str, Dense] = {}
        op.operands = {name: [] for name, many in form.operands.items() if many}

    def items(self, items: tuple[Item, ...]) -> None:
        for item in items:
            getattr(self, "_" + item.kind)(item)

    def finish(self) -> None:
        """The results, now that all is known."""
        op, count = self.op, len(self.names)
        op.operands = {name: op.operands[name] for name in self.form.operands if name in op.operands}
        types = self.types
        if types is None:  # a result whose type is not in the text is a token
            types = [self.result_types.get(n, Token()) for n in self.form.results]
        if count not in (0, len(types)):
            self.tokens.fail(f"{op.name} has {len(types)} results, {count} are named", self.start)
        op.results = [
            self.parser.define(name, type_) for name, type_ in zip(self.names, types, strict=False)
        ] or [Value(type_) for type_ in types]
        for name, dense in self.dense.items():
            op.attributes[name] = dense.array(types[0])
        for name, attribute in self.form.attributes.items():
            if attribute.kind == "unit":
                op.attributes.setdefault(name, False)

    # --- one method for each kind of item ---

    def _literal(self, item: Item) -> None:
        if item.name == ",?":
            self.tokens.accept(",")
        else:
            self.tokens.expect(item.name)

    def _operand(self, item: Item) -> None:
        self.op.operands[item.name] = [self.parser.value()]

    def _operands(self, item: Item) -> None:
        found = self.op.operands[item.name] = []
        if self.tokens.next[:1] != "%":
            return
        found.append(self.parser.value())
        while self.tokens.next == "," and self.tokens.ahead(1)[:1] == "%":
            self.tokens.at += 1
            found.append(self.parser.value())

    def _attribute(self, item: Item) -> None:
        kind, optional = self.form.attributes[item.name]
        tokens, given = self.tokens, self.op.attributes
        if kind == "unit":
            given[item.name] = tokens.accept(item.name)
        elif kind.startswith("enum:"):
            if tokens.next in enumerators()[kind[5:]]:
                given[item.name] = tokens.take()
            elif not optional:
                tokens.wrong(f"one of {', '.join(enumerators()[kind[5:]])}")
        elif kind in ("hints", "bools"):
            if tokens.accept(item.name):
                tokens.expect("=")
                given[item.name] = parse_hints(tokens) if kind == "hints" else parse_list(tokens, parse_bool)
        else:
            given[item.name] = _VALUES[kind](tokens)

    def _symbol(self, item: Item) -> None:
        self.op.attributes[item.name] = parse_symbol(self.tokens)

    def _framed(self, item: Item) -> None:
        tokens, value = self.tokens, item.default
        if tokens.accept(item.word):
            tokens.expect("<")
            kind = self.form.attributes[item.name].kind
            if tokens.next not in enumerators()[kind[5:]]:
                tokens.wrong(f"one of {', '.join(enumerators()[kind[5:]])}")
            value = tokens.take()
            tokens.expect(">")
        self.op.attributes[item.name] = value

    def _dense(self, item: Item) -> None:
        self.dense[item.name] = Dense(self.tokens)

    def _group(self, item: Item) -> None:
        if self._is_there(item.items):
            self.items(item.items)

    def _is_there(self, items: tuple[Item, ...]) -> bool:
        """Whether the text goes on with a group: its words, and a value that fits its operand."""
        ahead = 0
        for item in items:
            text = self.tokens.ahead(ahead)
            if item.kind == "literal":
                if text == item.name.rstrip("?") or not item.name.endswith("?"):
                    if text != item.name.rstrip("?"):
                        return False
                    ahead += 1
            elif item.kind in ("operand", "operands"):
                return text[:1] == "%" and (item.kind == "operands" or self._fits(text, item.name))
            elif item.kind in ("type", "types", "shared"):
                return bool(self._given(item.name.split("=")[0])) or item.name in self.form.results
        return True

    def _fits(self, text: str, name: str) -> bool:
        """Optional operands with one element type are told apart by it: a mask from a padding."""
        elements = kinds().get(self.form.kinds.get(name, ""), [])
        value = self.parser.values.get(text)
        if value is None or len(elements) != 1 or elements == ["*"]:
            return True
        return isinstance(value.type, Tile) and str(value.type.element) == elements[0]

    def _given(self, name: str) -> list[Value]:
        return self.op.operands.get(name, [])

    def _type(self, item: Item) -> None:
        at, type_ = self.tokens.at, self.parser.type()
        self._share(item.name.split("="), type_, at)

    def _share(self, names: list[str], type_: Any, at: int) -> None:
        for name in names:
            if name not in self.form.operands:
                self.result_types[name] = type_
                continue
            for value in self._given(name):
                if value.type != type_:
                    self.tokens.fail(f"{self._called(value)} has type {value.type}, not {type_}", at)

    def _called(self, value: Value) -> str:
        return "%" + value.name if value.name else "an operand"

    def _types(self, item: Item) -> None:
        at, types = self.tokens.at, self.parser.types_list()
        if item.name in self.form.results:
            self.types = types
            return
        self._check(self._given(item.name), types, at)

    def _check(self, values: list[Value], types: list[Any], at: int) -> None:
        if len(types) != len(values):
            self.tokens.fail(f"{len(values)} operands have {len(types)} types", at)
        for value, type_ in zip(values, types, strict=True):
            if value.type != type_:
                self.tokens.fail(f"{self._called(value)} has type {value.type}, not {type_}", at)

    def _shared(self, item: Item) -> None:
        """One type: of as many results as have names, or of all operands, which may also have one each."""
        at = self.tokens.at
        if item.name in self.form.results:
            self.types = [self.parser.type()] * len(self.names)
        elif len(types := self.parser.types_list()) == 1:
            self._share([item.name], types[0], at)
        else:
            self._check(self._given(item.name), types, at)

    def _form(self, item: Item) -> None:
        from .forms import PARSERS

        PARSERS[item.name](self)


_VALUES = {
    "int": parse_integer,
    "bool": parse_bool,
    "string": parse_string,
    "i32s": lambda tokens: parse_list(tokens, parse_integer),
    "tagged": parse_predicate,
}
