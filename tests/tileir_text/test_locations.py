"""Where operations come from: read from text, printed, kept in the binary form, read by NVIDIA's tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from nvidia_tools import disassembled

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Block, Entry, Operation, walk
from pycuda_tile.tileir.locations import CallSite, File, Location, Numbers, source_line
from pycuda_tile.tileir.module import Module

#: As NVIDIA's disassembler prints with -g: each kind of attribute, nested call sites, unknown locations.
TEXT = """entry @k(%arg0: tile<f32>, %arg1: tile<i1>) {
  %0 = negf %arg0 : tile<f32> loc(#loc5)
  %1 = absf %0 : tile<f32> loc(#loc)
  if %arg1 {
    %2 = negf %1 : tile<f32> loc(#loc8)
  } loc(#loc7)
  return loc(#loc4)
} loc(#loc4)
#di_file = #cuda_tile.di_file<"f.cu" in "/a \\22dir\\22">
#di_file1 = #cuda_tile.di_file<"f.h" in "/include">
#loc = loc(unknown)
#loc1 = loc("f.cu":7:3)
#loc2 = loc("f.cu":8:13)
#loc3 = loc("f.h":300:1)
#di_compile_unit = #cuda_tile.di_compile_unit<file = #di_file>
#di_subprogram = #cuda_tile.di_subprogram<file = #di_file, line = 6, name = "k", linkageName = "k",\
 compileUnit = #di_compile_unit, scopeLine = 7>
#di_subprogram1 = #cuda_tile.di_subprogram<file = #di_file1, line = 299, name = "f", linkageName = "f",\
 compileUnit = #di_compile_unit, scopeLine = 299>
#di_lexical_block = #cuda_tile.di_lexical_block<scope = #di_subprogram1, file = #di_file1,\
 line = 299, column = 9>
#loc4 = #cuda_tile.di_loc<#loc1 in #di_subprogram>
#loc5 = #cuda_tile.di_loc<#loc2 in #di_subprogram>
#loc6 = #cuda_tile.di_loc<#loc3 in #di_lexical_block>
#loc7 = loc(callsite(#loc6 at #loc4))
#loc8 = loc(callsite(#loc6 at #loc7))
"""


def lines(module: tileir.Module) -> list[int]:
    return [source_line(op.location) for entry in module.entries for op in walk(entry.body)]


def test_text_bytecode_and_text_again() -> None:
    """Inlined operations have the line of the outermost call. The implied yield has no line."""
    module = tileir.parse(TEXT)
    assert lines(module) == [8, 0, 7, 7, 0, 7]
    assert source_line(module.entries[0].location) == 7
    printed = str(module)
    assert str(tileir.parse(printed)) == printed
    for version in ("13.1", "13.5"):
        read = tileir.read_bytecode(tileir.write_bytecode(module, version))
        assert tileir.equal(read, module) and str(read) == printed
        assert [op.line for op in walk(read.entries[0].body)] == lines(module)
    assert "loc" not in module.text(locations=False)
    assert tileir.equal(tileir.parse(module.text(locations=False)), module)


@pytest.mark.parametrize("version", ["13.1", "13.5"])
def test_the_disassembler_reads_and_prints_them(version: str, tmp_path: Path) -> None:
    data = tileir.write_bytecode(tileir.parse(TEXT), version)
    text = disassembled(data, tmp_path, "-g")
    assert len(text.splitlines()) == len(TEXT.splitlines())
    assert str(tileir.parse(text)) == str(tileir.parse(TEXT))  # aliases are numbered differently
    assert tileir.write_bytecode(tileir.parse(text), version) == data


PLAIN = "entry @k() {\n  return\n}\n"


@pytest.mark.parametrize(
    ("location", "line", "printed"),
    [
        ('"f.py":3:4', 3, ['#loc = loc("f.py":3:4)']),
        ('"f.py":3:4 to 5:6', 3, ['#loc = loc("f.py":3:4)']),
        ('"f.py":3:4 to :6', 3, ['#loc = loc("f.py":3:4)']),
        ('"x"', 0, ['#loc = loc("x")']),
        ('"x"("f.py":3:4)', 3, ['#loc = loc("f.py":3:4)', '#loc1 = loc("x"(#loc))']),
        (
            'fused<"pass">["x", "f.py":3:4]',
            0,
            ['#loc = loc("x")', '#loc1 = loc("f.py":3:4)', "#loc2 = loc(fused[#loc, #loc1])"],
        ),
        (
            'callsite("g"("f.py":1:2) at unknown)',
            0,
            ['#loc = loc("f.py":1:2)', '#loc1 = loc("g"(#loc))', "#loc2 = loc(callsite(#loc1 at unknown))"],
        ),
        ('callsite("a b)" at callsite("c" at "f":18446744073709551615:0))', 2**64 - 1, None),
        (
            '#cuda_tile.di_loc<loc("f":1:2) in #cuda_tile.di_subprogram<file = <"f" in "/">, line = 1, '
            'name = "n", linkageName = "n", compileUnit = <file = <"f" in "/">>>>',
            1,
            None,
        ),
        ("unknown", 0, []),
    ],
)
def test_forms(location: str, line: int, printed: list[str] | None) -> None:
    module = tileir.parse(PLAIN.replace("return", f"return loc({location})"))
    assert lines(module) == [line]
    text = str(module)
    assert str(tileir.parse(text)) == text
    if printed is not None:
        assert text.splitlines()[3:] == printed


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("#a", "#a is not defined"),
        ("", "expected a location, found ')'"),
        ('"f":-1:2', "expected an integer from 0 on"),
        ("callsite(unknown, unknown)", "expected 'at', found ','"),
        ('#cuda_tile.di_file<"f" in "/">', "expected a location"),
        (
            '#cuda_tile.di_loc<"f":1:2 in #cuda_tile.di_file<"f" in "/">>',
            "expected di_subprogram or di_lexical_block",
        ),
        ('#cuda_tile.di_loc<"f" in #s>', "expected a location"),
        ("#cuda_tile.di_loc<unknown in #s>", "expected a place in a file"),
        ("#cuda_tile.di_compile_unit<>", "expected file, found '>'"),
        ('#cuda_tile.di_compile_unit<name = "x">', "expected one of file, each once, found 'name'"),
        ('fused["a"', "expected ',', found ')'"),
    ],
)
def test_errors(location: str, message: str) -> None:
    with pytest.raises(tileir.ParseError) as caught:
        tileir.parse(PLAIN.replace("return", f"return loc({location})"))
    assert message in str(caught.value)


def test_aliases_are_defined_once() -> None:
    with pytest.raises(tileir.ParseError, match="line 5, column 1: #a is defined twice"):
        tileir.parse(PLAIN + "#a = loc(unknown)\n#a = loc(unknown)\n")


def test_what_the_binary_form_cannot_hold_is_left_out() -> None:
    """It has only locations in functions, and call sites; a name is dropped, and the named location stays."""
    aliases = TEXT[TEXT.index("#di_file") :]
    text = "entry @k() { return loc(%s) }\n" + aliases
    kept = tileir.read_bytecode(tileir.write_bytecode(tileir.parse(text % '"name"(#loc4)')))
    assert str(kept) == str(tileir.read_bytecode(tileir.write_bytecode(tileir.parse(text % "#loc4"))))
    assert lines(kept) == [7]
    for location in ('"f":1:2', "fused[#loc4]", "callsite(#loc1 at #loc1)"):
        assert lines(tileir.read_bytecode(tileir.write_bytecode(tileir.parse(text % location)))) == [0]
    half = tileir.read_bytecode(tileir.write_bytecode(tileir.parse(text % "callsite(#loc1 at #loc4)")))
    assert half.entries[0].body.ops[0].location.callee is None and lines(half) == [7]


def test_shared_locations_are_walked_once() -> None:
    """As a tree this has 2^3000 leaves, and it is deeper than Python's stack."""
    scope = tileir.parse(TEXT).entries[0].location.scope
    location = Location("f", 1, 2, scope)
    for _ in range(3000):
        location = CallSite(location, location)
    module = Module([Entry("k", Block([], [Operation("return", {"operands": []}, location=location)]))])
    read = tileir.read_bytecode(tileir.write_bytecode(module))
    assert str(read) == str(module) == str(tileir.parse(str(module)))
    assert str(module).count("\n") == 3 + 3 + 1 + 3000
    assert lines(read) == [1]


def test_equal_ones_share_a_number() -> None:
    numbers = Numbers()
    found = [
        numbers.of(item) for item in (File("a", "/"), File("b", "/"), File("a", "/"), Location("a", 1, 2))
    ]
    assert found == [0, 1, 0, 2]
