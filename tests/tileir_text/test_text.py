"""The textual form: reading, printing, and the messages of errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pycuda_tile import tileir
from pycuda_tile.tileir.elements import DTYPES
from pycuda_tile.tileir.ir import Constant, Scalar, walk
from pycuda_tile.tileir.rows import rows
from pycuda_tile.tileir.text.numbers import parse_number, print_number

MODULES = {path.stem: path.read_text() for path in sorted((Path(__file__).parent / "modules").glob("*.mlir"))}


def entry(body: str, parameters: str = "") -> str:
    return f"entry @k({parameters}) {{\n{body}\n}}\n"


def only(text: str, name: str):
    """The only operation of that name."""
    (found,) = [op for e in tileir.parse(text).entries for op in walk(e.body) if op.name == name]
    return found


def constant(text: str, type_: str):
    return only(entry(f"%0 = constant <{text}> : tile<{type_}>"), "constant").attributes["value"]


# --- modules ---


@pytest.mark.parametrize("name", MODULES)
def test_printed_and_parsed_it_is_the_same(name: str) -> None:
    module = tileir.parse(MODULES[name])
    assert tileir.equal(tileir.parse(str(module)), module)
    assert tileir.equal(tileir.read_bytecode(tileir.write_bytecode(module)), module)
    tileir.verify(module)


def test_the_modules_have_every_operation() -> None:
    found = {op.name for text in MODULES.values() for e in tileir.parse(text).entries for op in walk(e.body)}
    multimem = {row["op"] for row in rows("operations.tsv") if row["op"].startswith("multimem")}
    others = {"entry", "global", "module", *multimem}  # multimem: tests/tileir_bytecode
    assert {row["op"] for row in rows("operations.tsv")} == found | others


def test_names_hints_producer_and_globals() -> None:
    module = tileir.parse(MODULES["memory"])
    assert module.producer == "by hand"
    assert [e.name for e in module.entries] == ["pointers", "views"]
    assert module.entries[0].hints["sm_100"]["occupancy"] == Constant(Scalar("i32"), 2)
    first, odd = module.globals
    assert (first.name, first.alignment, first.private, first.constant) == ("values", 128, False, False)
    assert (odd.name, odd.private, odd.constant) == ("odd name", True, True)
    assert str(module).startswith("// Producer: by hand\nglobal @values alignment = 128 <f32: [1.000000e-01,")


def test_prefixes_and_the_wrapper_make_no_difference() -> None:
    long = """cuda_tile.module @m { cuda_tile.entry @k(%a: !cuda_tile.tile<4x!cuda_tile.ptr<f32>>) {
      %0 = cuda_tile.assume #cuda_tile.div_by<16>, %a : !cuda_tile.tile<4x!cuda_tile.ptr<f32>>  loc("f":1:2)
      cuda_tile.return } }"""
    short = entry("%0 = assume div_by<16>, %a : tile<4xptr<f32>>\n return", "%a: tile<4xptr<f32>>")
    assert tileir.equal(tileir.parse(long), tileir.parse(short))
    assert str(tileir.parse(long)).startswith("module @m {\nentry @k(")


def test_files_of_windows() -> None:
    """With a byte order mark and carriage returns; positions are counted as an editor counts them."""
    text = "entry @k() {\n  return\n}\n"
    assert tileir.equal(tileir.parse("\ufeff" + text.replace("\n", "\r\n")), tileir.parse(text))
    with pytest.raises(tileir.ParseError) as caught:
        tileir.parse("\ufeffentri @k() {}\r\n")
    assert (caught.value.line, caught.value.column) == (1, 1)


def test_what_makes_modules_unequal() -> None:
    text = entry("%0 = addf %a, %b rounding<zero> : tile<f32>", "%a: tile<f32>, %b: tile<f32>")
    module = tileir.parse(text)
    assert tileir.equal(module, tileir.parse(text.replace("%0", "%sum").replace("%b", "%c")))
    changes = {"%a, %b": "%b, %a", "<zero>": "<approx>", "addf": "subf", "@k": "@l", "f32": "f64"}
    for old, new in changes.items():
        assert not tileir.equal(module, tileir.parse(text.replace(old, new))), new
    numbers = ("0.0", "-0.0", "0x7FC00000")
    zero = [tileir.parse(entry(f"%0 = constant <f32: {number}> : tile<f32>")) for number in numbers]
    assert [tileir.equal(zero[0], other) for other in zero] == [True, False, False]
    assert tileir.equal(zero[2], zero[2])


# --- numbers ---


@pytest.mark.parametrize(
    ("element", "value", "text"),
    [
        ("f32", 1.0, "1.000000e+00"),
        ("f32", -0.0, "-0.000000e+00"),
        ("f32", 0.1, "1.000000e-01"),
        ("f32", 1e-8, "9.99999993E-9"),
        ("f32", np.float32(1.44269504), "1.44269502"),
        ("f32", np.inf, "0x7F800000"),
        ("f32", -np.inf, "0xFF800000"),
        ("f16", np.nan, "0x7E00"),
        ("f64", 0.1, "1.000000e-01"),
        ("f64", 1 / 3, "0.33333333333333331"),
        ("f64", 123456789.0, "0x419D6F3454000000"),  # nine digits have no decimal point
        ("bf16", 3.140625, "3.140630e+00"),
        ("i8", -128, "-128"),
        ("i64", 2**63 - 1, "9223372036854775807"),
        ("i1", True, "true"),
    ],
)
def test_numbers_are_printed_as_by_nvidia(element: str, value, text: str) -> None:
    array = np.array(value).astype(DTYPES[element])
    module = entry(f"%0 = constant <{element}: {text}> : tile<{element}>")
    assert np.asarray(only(module, "constant").attributes["value"]).tobytes() == array.tobytes()
    assert f"<{element}: {text}>" in str(tileir.parse(module))


@pytest.mark.parametrize("element", ["f16", "bf16", "f8E4M3FN", "f8E5M2", "i8"])
def test_every_number_of_a_small_type_comes_back(element: str) -> None:
    width = DTYPES[element].itemsize * 8
    bits = np.arange(1 << width, dtype=f"u{width // 8}")
    values = bits.view(DTYPES[element]).reshape(-1, 64)
    for row in values[:: 1 if width == 8 else 37]:
        for value in row:
            raw = int(np.asarray(value).view(f"u{width // 8}"))
            assert parse_number(print_number(raw, element), element) == raw


def test_integers_are_taken_modulo_their_width() -> None:
    assert constant("i32: 2147483648", "i32") == -(2**31)
    assert constant("i8: [255, -128, 0x7f]", "3xi8").tolist() == [-1, -128, 127]


def test_lists_bytes_and_one_for_all() -> None:
    assert constant("i16: [[1, 2], [3, 4]]", "2x2xi16").tolist() == [[1, 2], [3, 4]]
    assert constant('f32: "0x0000803F00000040"', "2xf32").tolist() == [1.0, 2.0]
    assert constant('f32: "0x0000803F"', "2xf32").tolist() == [1.0, 1.0]
    assert constant('i1: "0x01000001"', "4xi1").tolist() == [True, False, False, True]
    assert constant("f4E2M1FN: [0.5, 6.0]", "2xf4E2M1FN").astype(np.float32).tolist() == [0.5, 6.0]
    old = only(entry("%0 = constant dense<[1, 2]> : tile<2xi8>"), "constant").attributes["value"]
    assert old.tolist() == [1, 2]
    splat = constant("f32: 1.0", "4096x4096xf32")
    assert splat.strides == (0, 0)  # 64 MiB are not allocated


def test_long_lists_are_printed_as_bytes() -> None:
    values = ", ".join(str(n) for n in range(128))
    text = entry(f"%0 = constant <i16: [{values}]> : tile<128xi16>")
    printed = str(tileir.parse(text))
    assert '<i16: "0x000001000200' in printed
    assert tileir.equal(tileir.parse(printed), tileir.parse(text))


# --- errors ---

ERRORS = {
    "an operation": ("%0 = adf %a, %a : tile<f32>", 6, "expected an operation, found 'adf'"),
    "a comma": ("%0 = addf %a %a : tile<f32>", 14, "expected ',', found '%a'"),
    "a value": ("%0 = addf %a, %c : tile<f32>", 15, "%c is not defined here"),
    "its type": ("%0 = addf %a, %a : tile<f16>", 20, "%a has type tile<f32>, not tile<f16>"),
    "a mode": ("%0 = addf %a, %a rounding<up> : tile<f32>", 27, "expected one of nearest_even, zero,"),
    "a number": ("%0 = constant <i32: 1.5> : tile<i32>", 21, "expected a number of type i32, found '1.5'"),
    "a shape": ("%0 = constant <i32: [1, 2]> : tile<4xi32>", 26, "expected ',' (a list of 4 elements)"),
    "a name": ("%a = addf %a, %a : tile<f32>", 1, "%a is defined already"),
    "results": ("%0, %1 = addf %a, %a : tile<f32>", 1, "addf has 1 results, but 2 are named"),
    "a type": ("%0 = iota : tle<8xi32>", 13, "expected a type, found 'tle'"),
    "an extent": ("%0 = iota : tile<0xi32>", 13, "expected extents from 1 on"),
    "an ending": ("return\n%0 = iota : tile<8xi32>", 1, "expected '}' behind return, found '%0'"),
    "a predicate": ("%0 = assume odd<1>, %a : tile<f32>", 13, "expected bounded, div_by or same_elements"),
    "branches": ("br ^next", 1, "br jumps between blocks, which is not supported: use if, for and loop"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors_name_the_place_and_what_was_expected(what: str) -> None:
    body, column, message = ERRORS[what]
    with pytest.raises(tileir.ParseError) as caught:
        tileir.parse(entry(body, "%a: tile<f32>"))
    error = caught.value
    line = 2 + body.count("\n")
    assert (error.line, error.column) == (line, column)
    assert str(error).startswith(f"line {line}, column {column}: {message}"), str(error)
    shown, caret = str(error).split("\n")[1:]
    assert shown.strip() == body.split("\n")[-1] and caret.index("^") - 4 == column - 1


ENDLESS = ["entry @k() {", "entry", "module @m {", entry("") + "}", entry("") + entry("")]


@pytest.mark.parametrize("text", ENDLESS)
def test_modules_that_do_not_end_well(text: str) -> None:
    with pytest.raises(tileir.ParseError):
        tileir.parse(text)


def nested(depth: int) -> str:
    return entry("if %c {\n" * depth + "}\n" * depth, "%c: tile<i1>")


def test_regions_nest_deep_but_not_without_end() -> None:
    module = tileir.parse(nested(120))
    assert tileir.equal(tileir.parse(str(module)), module)
    for depth in (300, 20_000):
        with pytest.raises(tileir.ParseError, match="regions nested"):
            tileir.parse(nested(depth))


def test_names_end_with_their_block() -> None:
    once = "if %c {\n %x = iota : tile<8xi32>\n}\n"
    text = entry(once + once, "%c: tile<i1>")
    outside = entry(once + "%y = absi %x : tile<8xi32>", "%c: tile<i1>")
    assert tileir.equal(tileir.parse(str(tileir.parse(text))), tileir.parse(text))
    with pytest.raises(tileir.ParseError, match="%x is not defined here"):
        tileir.parse(outside)


def test_names_of_regions_side_by_side() -> None:
    """Numbers and names start afresh in each region, and multiple results keep theirs: printing again gives
    the same text."""
    region = "if %c {\n %0 = iota : tile<8xi32>\n %x = absi %0 : tile<8xi32>\n"
    region += " %2:2 = get_tensor_shape %v : T -> tile<i64>\n}\nelse {\n"
    region += " %1:2 = if %c -> (tile<i1>, tile<i1>) { yield %c, %c : tile<i1>, tile<i1> }\n"
    region += " else { yield %c, %c : tile<i1>, tile<i1> } \n %3 = iota : tile<8xi32> \n}\n"
    text = entry(region * 3, "%c: tile<i1>, %v: T").replace("T", "tensor_view<4x4xf32, strides=[4,1]>")
    module = tileir.parse(text)
    for m in (module, tileir.read_bytecode(tileir.write_bytecode(module))):
        printed = str(m)
        assert "_0 =" not in printed
        assert str(tileir.parse(printed)) == printed and tileir.equal(tileir.parse(printed), module)
        assert printed.count(":2 = ") == 6 and printed.count("%0:2 = ") == 3


def test_forms_of_mlir() -> None:
    """The first result without its number, dictionaries, `attributes` and the builtin module."""
    text = """module attributes {gpu.container_module, other = [1 : i32, {a = "b"}, dense<1> : tile<i32>]} {
      cuda_tile.module @m attributes {producer = "someone"} {
        entry @k(%a: tile <i32> {a.b = 1}, %p: tile<ptr<i32>>) attributes {sym_visibility = "public"} {
          %0:2 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
          %1 = addi %0, %a : tile<i32> {cuda_tile.some = #cuda_tile.hint<x, y>, flag} loc("f":1:2)
          return {a = array<i32: 1, 2>}
        } {cuda_tile.loop_split = 0}
      }
    }"""
    plain = """// Producer: someone
      module @m { entry @k(%a: tile<i32>, %p: tile<ptr<i32>>) {
        %0:2 = load_ptr_tko weak %p : tile<ptr<i32>> -> tile<i32>, token
        %1 = addi %0#0, %a : tile<i32>
      } }"""
    module = tileir.parse(text)
    assert module.text(locations=False) == str(tileir.parse(plain))
    assert tileir.equal(module, tileir.parse(plain))


def test_a_text_is_one_module() -> None:
    for text in ("module @a {}\nmodule @b {}", "entry @k() {}\nmodule @b {}", "module @a {}\nentry @k() {}"):
        with pytest.raises(tileir.ParseError, match="expected the end of the text, which has one module"):
            tileir.parse(text)


def test_regions_print_read_and_write_as_deep_as_they_are_parsed() -> None:
    text = nested(199)
    printed = str(tileir.parse(text))
    data = tileir.write_bytecode(tileir.parse(printed))
    assert str(tileir.parse(printed)) == printed
    assert tileir.write_bytecode(tileir.read_bytecode(data)) == data
    with pytest.raises(tileir.ParseError, match="regions nested more than 200 deep"):
        tileir.parse(nested(200))


def test_odd_hints_come_back() -> None:
    hints = '<sm_100 = {"" = tile<4xptr<f32>>, "a b" = [1 : i8, "x", {c = 5}], occupancy = 2, on = true, '
    hints += "wide = 7 : i64}>"
    module = tileir.parse(entry("").replace("()", f"() optimization_hints={hints}"))
    printed = str(module)
    assert hints in printed
    assert tileir.equal(tileir.parse(printed), module)
    assert str(tileir.parse(printed)) == printed
    with pytest.raises(tileir.ParseError, match="expected hints of sm_100"):
        tileir.parse(printed.replace(hints, "<sm_100 = 5>"))


# --- operations of the draft ---


def test_operations_of_the_draft_run() -> None:
    x, q = np.arange(8, dtype=np.int32), np.full(4, 4.0, np.float32)
    module = tileir.parse(MODULES["drafts"])
    assert not {op.name for op in walk(module.entries[0].body)} & {row["op"] for row in rows("drafts.tsv")}
    tileir.interpret(module, "drafts", 1, x, q, True)
    assert x.tolist() == list(range(8))  # the second half of [4 to 7, 4 to 7, 0 to 7]
    assert q.tolist() == [20.0] * 4  # 4 * 4 + 4


@pytest.mark.parametrize("signedness", ["signed", "unsigned"])
def test_atomics_of_the_draft(signedness: str) -> None:
    body = f"""%two = constant <i32: 2> : tile<i32>
      %a = atomic_sub %p, %two {{ordering = seq_cst}} : tile<ptr<i32>>, tile<i32> -> tile<i32>
      %b = atomic_min %p, %two {{ordering = relaxed, signedness = {signedness}}}
        : tile<ptr<i32>>, tile<i32> -> tile<i32>
      %c, %ok = atomic_compare_exchange %p, %b, %a {{success_ordering = relaxed}}
        : tile<ptr<i32>>, tile<i32>, tile<i32> -> tile<i32>, tile<i1>
      %whether = exti %ok unsigned : tile<i1> -> tile<i32>
      store %q, %whether : tile<ptr<i32>>, tile<i32>"""
    p, q = np.array([1], np.int32), np.array([7], np.int32)
    tileir.interpret(tileir.parse(entry(body, "%p: tile<ptr<i32>>, %q: tile<ptr<i32>>")), "k", 1, p, q)
    least = {"signed": -1, "unsigned": 2}[signedness]  # of -1 and 2
    assert (p[0], q[0]) == ((1, 1) if least == -1 else (2, 0))


MISSING = {
    "slice %a {starts = [1], ends = [3], steps = [1]} : tile<8xi32> -> tile<2xi32>": "multiples of the sizes",
    "atomic_max %p, %p : tile<i32>, tile<i32>": "needs the attribute signedness",
    "split %a {axis = 0, num_splits = 3} : tile<8xi32> -> tile<2xi32>": "3 equal parts of 8",
}


@pytest.mark.parametrize("body", MISSING)
def test_the_draft_tells_what_is_missing(body: str) -> None:
    with pytest.raises(tileir.ParseError, match=MISSING[body]):
        tileir.parse(entry("%r = " + body, "%a: tile<8xi32>, %p: tile<i32>"))
