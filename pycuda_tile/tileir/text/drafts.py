"""Operations of an earlier draft of the manual, found in a few texts and read as current operations.

tables/drafts.tsv says what each becomes, as text with holes, in which its operands are %a, %b, %c and its
results %r and %s. All are written in one form:

    %results = name %operands {attribute = value, ...} : types of the operands -> types of the results

where the types of the results are left out if they are those of the operands. The draft has no tokens: its
memory operations are kept in order by tokens within a block and the enclosing blocks.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from ..ir import Constant, Operation, Token, Value
from ..rows import rows
from .attributes import Attributes
from .draft_holes import Holes
from .values import parse_integer, parse_list

if TYPE_CHECKING:
    from .parser import Parser

_STRUCTURED = ("br", "cond_br")


@cache
def drafts() -> dict[str, str]:
    """What each becomes."""
    return {row["op"]: row["expansion"] for row in rows("drafts.tsv")}


@cache
def draft_names() -> frozenset[str]:
    return frozenset((*drafts(), *_STRUCTURED))


def is_draft(parser: Parser, name: str) -> bool:
    """Whether one of draft_names() begins here; some share their names with current operations."""
    after = parser.tokens.ahead(1)
    if name == "alloca":
        return after == "{"
    if name == "print":
        return after[:1] == "%"
    return True


def parse_draft(parser: Parser, name: str, names: list[str], start: int) -> list[Operation]:
    """The operations that a draft's operation becomes."""
    return Draft(parser, name, names, start).operations()


class Draft:
    """One operation of the draft."""

    def __init__(self, parser: Parser, name: str, names: list[str], start: int):
        self.parser, self.tokens = parser, parser.tokens
        self.name, self.names, self.start = name, names, start
        self.attributes: dict[str, Any] = {}
        self.operands: list[Value] = []
        self.types: list[Any] = []  # the types of the results

    def operations(self) -> list[Operation]:
        if self.name in _STRUCTURED:
            self.tokens.fail(
                f"{self.name} jumps between blocks, which is not supported: use if, for and loop"
            )
        self.tokens.at += 1
        self._parse()
        inner = type(self.parser)("")
        text = self._holes().text(drafts()[self.name])
        inner.tokens = type(self.tokens)(text + "\n}")
        inner.values = {f"%{'abcdefgh'[i]}": value for i, value in enumerate(self.operands[:8])}
        inner.values |= {f"%o{i}": value for i, value in enumerate(self.operands)}
        if self.parser.last_token is not None:
            inner.values["%last"] = self.parser.last_token
        made = []
        while inner.tokens.next != "}":
            made += inner.next_operations()
        for op in made:
            op.line = self.tokens.line(self.start)
        self._define(inner.values)
        return made

    def _holes(self) -> Holes:
        def fail(message: str) -> NoReturn:
            self.tokens.fail(message, self.start)

        after_token = self.parser.last_token is not None
        return Holes(self.name, self.operands, self.types, self.attributes, after_token, fail)

    def _parse(self) -> None:
        tokens, parser = self.tokens, self.parser
        if self.name == "comment" and tokens.next[:1] == '"':
            tokens.at += 1
        while tokens.next[:1] == "%":
            self.operands.append(parser.value())
            if not tokens.accept(","):
                break
        if tokens.accept("{"):
            self._parse_attributes()
        if not tokens.accept(":"):
            return
        if self.name == "alloca":
            self.types = parser.types_list()
            return
        at, types = tokens.at, parser.types_list()
        if types != [value.type for value in self.operands]:
            tokens.fail("these are not the types of the operands", at)
        self.types = parser.types_list() if tokens.accept("->") else types[:1] if self.names else []

    def _parse_attributes(self) -> None:
        tokens = self.tokens
        while not tokens.accept("}"):
            if self.attributes:
                tokens.expect(",")
            key = tokens.take()
            tokens.expect("=")
            if tokens.next == "[":
                self.attributes[key] = parse_list(tokens, parse_integer)
            elif tokens.next[:1].isalpha():
                self.attributes[key] = tokens.take()
            else:
                self.attributes[key] = _signed(Attributes(tokens, "i32").value())

    def _define(self, values: dict[str, Value]) -> None:
        results = [values[name] for name in ("%r", "%s") if name in values]
        results = results or [values[f"%r{i}"] for i in range(len(self.names)) if f"%r{i}" in values]
        if len(self.names) > len(results):
            self.tokens.fail(
                f"{self.name} has {len(results)} results, but {len(self.names)} are named", self.start
            )
        for name, value in zip(self.names, results, strict=False):
            self.parser.values["%" + name] = value
            self.parser.scope.append("%" + name)
            value.name = name
        if isinstance(getattr(values.get("%t"), "type", None), Token):
            self.parser.last_token = values["%t"]


def _signed(value: Any) -> Any:
    """A number as it was written."""
    return (value.bits + (1 << 31)) % (1 << 32) - (1 << 31) if isinstance(value, Constant) else value
