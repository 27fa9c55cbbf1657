"""Locations as text: loc(...) after operations, and the aliases that it names.

%x = absf %y : tile<f32> loc(#loc1)
#di_file = #cuda_tile.di_file<"f.cu" in "/dir">
#loc1 = #cuda_tile.di_loc<loc("f.cu":3:4) in #di_subprogram>
"""

from __future__ import annotations

from typing import Any

from ..locations import (
    ALL,
    LOCATIONS,
    SCOPES,
    AnyLocation,
    CallSite,
    CompileUnit,
    File,
    FusedLocation,
    LexicalBlock,
    Location,
    NamedLocation,
    Numbers,
    Part,
    Subprogram,
)
from .lexer import Tokens, short
from .values import parse_integer, parse_list, parse_string, print_string, skip

#: How deeply locations may nest, or refer to aliases defined after them.
_DEPTH = 64
_PREFIX = "#cuda_tile."
#: By the name in the text: the field, and what it holds.
_FIELDS: dict[type, dict[str, tuple[str, Any]]] = {
    CompileUnit: {"file": ("file", (File,))},
    Subprogram: {
        "file": ("file", (File,)),
        "line": ("line", int),
        "name": ("name", str),
        "linkageName": ("linkage_name", str),
        "compileUnit": ("unit", (CompileUnit,)),
        "scopeLine": ("scope_line", int),
    },
    LexicalBlock: {
        "scope": ("scope", SCOPES),
        "file": ("file", (File,)),
        "line": ("line", int),
        "column": ("column", int),
    },
}
_OPTIONAL = "scope_line"
_ALIASES = {
    File: "di_file",
    CompileUnit: "di_compile_unit",
    Subprogram: "di_subprogram",
    LexicalBlock: "di_lexical_block",
}
_KINDS = {_PREFIX + name: cls for cls, name in _ALIASES.items()} | {_PREFIX + "di_loc": Location}


class LocationReader:
    """The locations of a text. Aliases may be defined after their uses, so all are read at the first use."""

    def __init__(self, tokens: Tokens):
        self.tokens = tokens
        self._depth = 0
        self._places: dict[str, int] = {}  # where each alias is defined
        self._are_read = False
        self._ends: dict[int, int] = {}  # and where that ends
        self._known: dict[str, Any] = {}
        self._open: set[str] = set()

    def accept(self) -> AnyLocation | None:
        """loc(...), if that comes next; None if it does not or if the location is unknown."""
        if self.tokens.next != "loc" or self.tokens.ahead(1) != "(":
            return None
        return self._inside(LOCATIONS)

    def skip_alias(self) -> bool:
        """#name = ..., if that comes next."""
        tokens = self.tokens
        if tokens.next[:1] != "#" or tokens.ahead(1) != "=":
            return False
        self._read_aliases()
        tokens.at = self._ends[tokens.at]
        return True

    # --- aliases ---

    def _read_aliases(self) -> None:
        if self._are_read:
            return
        tokens, self._are_read = self.tokens, True
        for at, text in enumerate(tokens.texts[:-1]):
            if text[:1] == "#" and tokens.texts[at + 1] == "=":
                if text in self._places:
                    tokens.fail(f"{text} is defined twice", at)
                self._places[text] = at
        for name in self._places:
            self._alias(name)

    def _alias(self, name: str) -> Any:
        """The item that an alias stands for."""
        self._read_aliases()
        if name in self._known:
            return self._known[name]
        tokens, before = self.tokens, self.tokens.at
        if name not in self._places or name in self._open:
            what = "is not defined" if name not in self._places else "refers to itself"
            tokens.fail(f"{short(name)} {what}", expected="an alias that is defined")
        self._open.add(name)
        tokens.at = self._places[name] + 2
        self._known[name] = self._item(ALL)
        self._ends[self._places[name]], tokens.at = tokens.at, before
        return self._known[name]

    # --- locations ---

    def _item(self, classes: tuple[type, ...]) -> Any:
        """A location, file, unit or scope of one of these classes; None for an unknown location."""
        tokens, start = self.tokens, self.tokens.at
        self._depth += 1
        if self._depth > _DEPTH:
            tokens.fail(f"locations nested more than {_DEPTH} deep")
        text = tokens.next
        if text in _KINDS:
            tokens.at += 1
            found = self._attribute(_KINDS[text])
        elif text == "<" and len(classes) == 1:  # if only one kind fits, it may be left out
            found = self._attribute(classes[0])
        elif text[:1] == "#":
            found = self._alias(text)
            tokens.at += 1
        else:
            found = self._location(text)
        self._depth -= 1
        if not isinstance(found, classes) and not (found is None and Location in classes):
            names = " or ".join(dict.fromkeys(_ALIASES.get(c, "a location") for c in classes))
            tokens.fail(f"expected {names}", start, names)
        return found

    def _location(self, text: str) -> Any:
        tokens = self.tokens
        if text[:1] == '"':
            return self._place(parse_string(tokens))
        if tokens.accept("unknown"):
            return None
        if text == "loc":
            return self._inside(LOCATIONS)
        if tokens.accept("callsite"):
            tokens.expect("(")
            callee = self._item(LOCATIONS)
            tokens.expect("at")
            caller = self._item(LOCATIONS)
            tokens.expect(")")
            return CallSite(callee, caller)
        if not tokens.accept("fused"):
            tokens.wrong("a location")
        if tokens.next == "<":
            skip(tokens, "<", ">")
        return FusedLocation(tuple(parse_list(tokens, lambda _: self._item(LOCATIONS))))

    def _place(self, text: str) -> Location | NamedLocation:
        """ "file":line:column, possibly followed by a range, which is not kept, or "name"(location)."""
        tokens = self.tokens
        if tokens.next == "(":
            return NamedLocation(text, self._inside(LOCATIONS))
        if not tokens.accept(":"):
            return NamedLocation(text)
        line = parse_integer(tokens, 0)
        tokens.expect(":")
        found = Location(text, line, parse_integer(tokens, 0))
        if tokens.accept("to"):
            if tokens.next != ":":
                parse_integer(tokens, 0)
            tokens.expect(":")
            parse_integer(tokens, 0)
        return found

    def _inside(self, classes: tuple[type, ...]) -> Any:
        """(...) after loc or a name."""
        self.tokens.accept("loc")
        self.tokens.expect("(")
        found = self._item(classes)
        self.tokens.expect(")")
        return found

    def _attribute(self, cls: type) -> Any:
        """<...> after the kind."""
        tokens = self.tokens
        tokens.expect("<")
        if cls is File:
            name = parse_string(tokens)
            tokens.expect("in")
            found: Any = File(name, parse_string(tokens))
        elif cls is Location:
            at, place = tokens.at, self._item((Location,))
            if place is None or place.scope is not None:
                tokens.fail("expected a place in a file", at, "a place")
            tokens.expect("in")
            found = Location(place.file, place.line, place.column, self._item(SCOPES))
        else:
            found = cls(**self._fields(_FIELDS[cls]))
        tokens.expect(">")
        return found

    def _fields(self, fields: dict[str, tuple[str, Any]]) -> dict[str, Any]:
        """key = value, ..., in any order."""
        tokens = self.tokens
        found: dict[str, Any] = {}
        while tokens.next != ">":
            if found:
                tokens.expect(",")
            key = tokens.next
            if key not in fields or fields[key][0] in found:
                tokens.wrong(f"one of {', '.join(fields)}, each once")
            name, kind = fields[key]
            tokens.at += 1
            tokens.expect("=")
            if kind is str:
                found[name] = parse_string(tokens)
            else:
                found[name] = parse_integer(tokens, 0) if kind is int else self._item(kind)
        if missing := [key for key, (name, _) in fields.items() if name not in found and name != _OPTIONAL]:
            tokens.wrong(missing[0])
        return found


class LocationPrinter:
    """Prints locations as aliases, and the definitions of these."""

    def __init__(self) -> None:
        self._numbers = Numbers()
        self._aliases: list[str] = []
        self._lines: list[str] = []
        self._counts: dict[str, int] = {}

    def behind(self, location: AnyLocation | None) -> str:
        """loc(#loc1), which follows whatever comes from that location."""
        return "" if location is None else f" loc({self._alias(location)})"

    def definitions(self) -> list[str]:
        """The aliases that were named, each after those that it names."""
        return self._lines

    def _alias(self, item: Part) -> str:
        self._numbers.of(item)
        for new in self._numbers.items[len(self._aliases) :]:
            text = self._text(new)
            kind = _ALIASES.get(type(new), "loc")
            count = self._counts[kind] = self._counts.get(kind, -1) + 1
            self._aliases.append(f"#{kind}{count or ''}")
            self._lines.append(f"{self._aliases[-1]} = {text}")
        return self._known(item)

    def _known(self, item: Part | None) -> str:
        return "unknown" if item is None else self._aliases[self._numbers.of(item)]

    def _text(self, item: Part) -> str:
        if isinstance(item, Location):
            place = f"loc({print_string(item.file)}:{item.line}:{item.column})"
            return place if item.scope is None else f"{_PREFIX}di_loc<{place} in {self._known(item.scope)}>"
        if isinstance(item, CallSite):
            return f"loc(callsite({self._known(item.callee)} at {self._known(item.caller)}))"
        if isinstance(item, NamedLocation):
            inner = "" if item.location is None else f"({self._known(item.location)})"
            return f"loc({print_string(item.name)}{inner})"
        if isinstance(item, FusedLocation):
            return f"loc(fused[{', '.join(map(self._known, item.locations))}])"
        if isinstance(item, File):
            return f"{_PREFIX}di_file<{print_string(item.name)} in {print_string(item.directory)}>"
        parts = ((key, getattr(item, name)) for key, (name, _) in _FIELDS[type(item)].items())
        fields = (f"{key} = {self._value(value)}" for key, value in parts)
        return f"{_PREFIX}{_ALIASES[type(item)]}<{', '.join(fields)}>"

    def _value(self, value: Part | str | int) -> str:
        if isinstance(value, str):
            return print_string(value)
        return self._known(value) if isinstance(value, ALL) else str(value)
