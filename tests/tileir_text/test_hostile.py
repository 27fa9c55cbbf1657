"""Text designed to hang, overflow or exhaust a reader is soon read as a module or raises ParseError."""

from __future__ import annotations

import pytest

from pycuda_tile import tileir

ENTRY = "entry @k() {\n"
MANY = 10_000
BAD = {
    "types that do not close": (ENTRY + "%0 = iota : " + "tile<" * MANY, "expected a type"),
    "pointers to pointers": (ENTRY + "%0 = iota : " + "ptr<" * MANY + "f32" + ">" * MANY, "expected a type"),
    "axes": (ENTRY + "%0 = constant <i32: 1> : tile<" + "1x" * MANY + "i32>", "at most 32 axes"),
    "extents": (ENTRY + "%0 = constant <i32: 1> : tile<16777216x2xi32>", "at most 16777216 elements"),
    "an extent of many digits": (ENTRY + f"%0 = iota : tile<{'9' * MANY}xi32>", "expected a number"),
    "lists in lists": (ENTRY + "%0 = constant <i32: " + "[" * MANY, "the text ends"),
    "too many elements": (
        ENTRY + f"%0 = constant <i32: [{'1,' * MANY}1]> : tile<8xi32>",
        "a list of 8 elements",
    ),
    "a long integer": (ENTRY + f"%0 = constant <i32: {'9' * MANY}> : tile<i32>", "a number of type i32"),
    "a long float": (ENTRY + f"%0 = constant <f32: 0.{'9' * MANY}> : tile<f32>", "a number of type f32"),
    "regions in regions": (ENTRY + "loop {" * MANY, "regions nested more than"),
    "quotes": ('"' * MANY, "expected entry or global"),
    "strings that do not end": (ENTRY + '"\\' * MANY, "expected an operation"),
    "a string that does not end": ('entry @"k\\" () {}', "expected a symbol"),
    "parentheses": (ENTRY + "return loc" + "(" * MANY, "expected a location"),
    "locations in locations": (ENTRY + "return loc" + '("a"' * MANY, "locations nested more than"),
    "call sites in call sites": (ENTRY + "return loc(" + "callsite(" * MANY, "locations nested more than"),
    "an alias of itself": (
        ENTRY + "return loc(#a) }\n#a = loc(callsite(unknown at #a))",
        "#a refers to itself",
    ),
    "aliases of aliases": (
        ENTRY + "return loc(#a0) }\n" + "".join(f'#a{i} = loc("x"(#a{i + 1}))\n' for i in range(MANY)),
        "locations nested more than",
    ),
    "attributes in attributes": (ENTRY + "return {a = " + "[" * MANY, "attributes nested more than"),
    "modules in modules": ("module {" * MANY, "modules nested more than two deep"),
    "one name for all": (ENTRY + f"%r:{MANY} = get_tensor_shape %v : tile<i64>", "is not defined here"),
    "results": (
        ENTRY + "%a:9223372036854775807 = iota : tile<8xi32> }",
        "more results than any operation has",
    ),
    "control characters": ("\0" * MANY, "expected entry or global"),
}
GOOD = {
    "comments": ("// x\n" * MANY, 0),
    "blanks": (" \t\r\n" * MANY, 0),
    "entries": ("".join(f"entry @k{i}() {{}}\n" for i in range(MANY)), MANY),
    "regions behind regions": (ENTRY + "loop { break }\n" * MANY + "}", 1),
}


@pytest.mark.parametrize("name", BAD)
def test_it_is_an_error(name: str) -> None:
    text, expected = BAD[name]
    with pytest.raises(tileir.ParseError) as caught:
        tileir.parse(text)
    message = str(caught.value)
    assert expected in message
    assert len(message) < 1000
    _, source, caret = message.split("\n")
    assert caret.index("^") <= len(source)


@pytest.mark.parametrize("name", GOOD)
def test_it_is_a_module(name: str) -> None:
    text, entries = GOOD[name]
    module = tileir.parse(text)
    assert len(module.entries) == entries
    assert tileir.equal(tileir.parse(str(module)), module)
