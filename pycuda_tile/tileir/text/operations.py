"""Reads one operation from its text, following the format in its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..grammar import ENUMS, Item, OperationRow
from ..ir import MAX_AXES, Operation, Token, Value
from .attributes import parse_hints, parse_predicate
from .fits import may_be
from .lexer import Tokens
from .values import (
    Dense,
    parse_bool,
    parse_integer,
    parse_list,
    parse_string,
    parse_symbol,
)

if TYPE_CHECKING:
    from .parser import Parser


class OperationReader:
    """Reads one operation by its format."""

    def __init__(self, parser: Parser, form: OperationRow, op: Operation, names: list[str], start: int):
        self.parser, self.tokens, self.form, self.op = parser, parser.tokens, form, op
        self.names, self.start = names, start
        self.result_types: dict[str, Any] = {}
        self.types: list[Any] | None = None  # of all results, if their number is variable
        self.dense: dict[str, Dense] = {}
        op.operands = {name: [] for name, found in form.operands.items() if found.most is None}

    def items(self, items: tuple[Item, ...]) -> None:
        for item in items:
            getattr(self, "_" + item.kind)(item)

    def finish(self) -> None:
        """The results, once everything is known."""
        op, count = self.op, len(self.names)
        op.operands = {name: op.operands[name] for name in self.form.operands if name in op.operands}
        types = self.types
        if types is None:  # a result whose type is not in the text is a token
            types = [self.result_types.get(n, Token()) for n in self.form.results]
        if count not in (0, len(types)):
            self.tokens.fail(f"{op.name} has {len(types)} results, but {count} are named", self.start)
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
        if self.tokens.next[:1] != "%" or self.tokens.ahead(1) == "=":  # if so, the next operation
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
            if tokens.next in ENUMS[kind[5:]]:
                given[item.name] = tokens.take()
            elif not optional:
                tokens.wrong(f"one of {', '.join(ENUMS[kind[5:]])}")
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
            if tokens.next not in ENUMS[kind[5:]]:
                tokens.wrong(f"one of {', '.join(ENUMS[kind[5:]])}")
            value = tokens.take()
            tokens.expect(">")
        self.op.attributes[item.name] = value

    def _dense(self, item: Item) -> None:
        self.dense[item.name] = Dense(self.tokens)

    def _group(self, item: Item) -> None:
        if self._is_there(item.items):
            self.items(item.items)
            return
        for inner in item.items:
            if inner.kind == "framed":
                self.op.attributes[inner.name] = inner.default

    def _is_there(self, items: tuple[Item, ...]) -> bool:
        """Whether a group comes next: its words, and a value that fits its operand."""
        ahead = 0
        for item in items:
            text = self.tokens.ahead(ahead)
            if item.kind == "literal":
                if text == item.name.rstrip("?"):
                    ahead += 1
                elif not item.name.endswith("?"):
                    return False
            elif item.kind in ("operand", "operands"):
                return text[:1] == "%" and (
                    item.kind == "operands" or may_be(self.form, item.name, self.parser.values.get(text))
                )
            elif item.kind in ("type", "types", "shared"):
                return bool(self._given(item.name.split("=")[0])) or item.name in self.form.results
            else:
                break
        return True

    def _given(self, name: str) -> list[Value]:
        return self.op.operands.get(name, [])

    def _type(self, item: Item) -> None:
        at, type_ = self.tokens.at, self.parser.type()
        self.share(item.name.split("="), type_, at)

    def share(self, names: list[str], type_: Any, at: int) -> None:
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
        """One type for as many results as have names, or for all operands, which may also have one each."""
        at = self.tokens.at
        if item.name in self.form.results:
            if len(self.names) > MAX_AXES:
                self.tokens.fail(
                    f"{self.op.name} has a result for each axis, but {len(self.names)} are named", self.start
                )
            self.types = [self.parser.type()] * len(self.names)
            return
        types = [self.parser.type()]
        while self.tokens.next == "," and self.tokens.ahead(1) != "token":
            self.tokens.at += 1
            types.append(self.parser.type())
        if len(types) == 1:
            self.share([item.name], types[0], at)
        else:
            self._check(self._given(item.name), types, at)


_VALUES: dict[str, Callable[[Tokens], Any]] = {
    "int": parse_integer,
    "bool": parse_bool,
    "string": parse_string,
    "i32s": lambda tokens: parse_list(tokens, parse_integer),
    "tagged": parse_predicate,
}
