"""simplify: what it leaves out, shares, repeats and divides."""

from __future__ import annotations

import re

import loop_kernels as kernels
import pytest
from pass_results import body, entry

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.loops.axes import Axes
from pycuda_tile.tileir.loops.facts import has_tiles
from pycuda_tile.tileir.loops.simplify import simplify
from pycuda_tile.tileir.loops.translate import fuse


def names(text: str) -> list[str]:
    return [op.name for op in simplify(entry(text)).body.ops]


def test_simplify_leaves_out_what_nothing_uses():
    assert names(body("  %a = iota : tile<8xi32>\n  %b = addi %a, %a : tile<8xi32>")) == ["return"]


def test_simplify_keeps_what_prints():
    fold = kernels.row_fold("s", "addf", "v", "tile<8xf32>", "tile<f32>", 0)
    printing = fold.replace("      yield", '      print_tko "one step" -> token\n      yield')
    start = "  %v = constant <f32: 1.0> : tile<8xf32>\n"
    assert names(body(start + fold)) == ["return"]
    assert names(body(start + printing)) == ["constant", "reduce", "return"]


def test_simplify_makes_equal_scalars_one():
    text = body("""  %a = addi %n, %n : tile<i32>
  %b = addi %n, %n : tile<i32>
  %c = muli %a, %b : tile<i32>
  print_tko "%d", %c : tile<i32> -> token""")
    product = next(op for op in simplify(entry(text)).body.ops if op.name == "muli")
    assert product.operands["lhs"][0] is product.operands["rhs"][0]


def test_simplify_repeats_positions_for_each_use():
    text = body("""  %a = iota : tile<8xi32>
  %r = reshape %a : tile<8xi32> -> tile<8x1xi32>
  %c = reshape %a : tile<8xi32> -> tile<1x8xi32>
  %x = broadcast %r : tile<8x1xi32> -> tile<8x8xi32>
  %y = broadcast %c : tile<1x8xi32> -> tile<8x8xi32>
  %z = xori %x, %y : tile<8x8xi32>
  print_tko "%d", %z : tile<8x8xi32> -> token""")
    simple = simplify(entry(text)).body.ops
    assert [op.name for op in simple].count("iota") == 2
    axes = Axes([op for op in simple if op.name not in ("print_tko", "return")])
    assert sorted(axes.extents) == [8, 8]


def test_positions_on_whole_tiles_are_written_once():
    """simplify repeats them for loops; where the test before the loops fails, accesses share them again."""
    text = body("""  %i = iota : tile<64xi64>
  %far = constant <i64: 64> : tile<64xi64>
  %j = addi %i, %far : tile<64xi64>
  %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %b = broadcast %r : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %from = offset %b, %i : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
  %to = offset %b, %j : tile<64xptr<f32>>, tile<64xi64> -> tile<64xptr<f32>>
  %v, %t1 = load_ptr_tko weak %from : tile<64xptr<f32>> -> tile<64xf32>, token
  %w = negf %v : tile<64xf32>
  %t2 = store_ptr_tko weak %to, %w : tile<64xptr<f32>>, tile<64xf32> -> token""")
    assert names(text).count("iota") == names(text).count("broadcast") == 2
    otherwise = fuse(tileir.parse(text))[0].partition("noinline")[2]
    assert otherwise.count("ct::iota<") == otherwise.count("tileir::splat<") == 1


@pytest.mark.parametrize(
    "edits, used",
    [
        ({}, True),
        ({"not_equal": "equal"}, False),
        ({"<i8: 0>": "<i8: 1>"}, False),
        ({"%w, %z": "%w, %v"}, False),
        ({"exti %c unsigned : tile<i1>": "exti %b unsigned : tile<i4>"}, False),
    ],
)
def test_simplify_uses_a_condition_as_it_is(edits: dict[str, str], used: bool):
    text = body("""  %c = cmpi less_than %n, %n, signed : tile<i32> -> tile<i1>
  %b = trunci %n : tile<i32> -> tile<i4>
  %v = trunci %n : tile<i32> -> tile<i8>
  %w = exti %c unsigned : tile<i1> -> tile<i8>
  %z = constant <i8: 0> : tile<i8>
  %d = cmpi not_equal %w, %z, unsigned : tile<i8> -> tile<i1>
  assert %d, "m" : tile<i1>""")
    for before, after in edits.items():
        text = text.replace(before, after)
    found = names(text)
    assert (found == ["cmpi", "assert", "return"]) == used and ("exti" in found) != used


ONES = """  %o = constant <f32: 2.0> : tile<1xf32>
  %{0} = reduce %o dim=0 identities=[0.0 : f32] : tile<1xf32> -> tile<f32>
    (%e{0}: tile<f32>, %f{0}: tile<f32>) {{
      %g{0} = {1} %e{0}, %f{0} : tile<f32>
      yield %g{0} : tile<f32>
    }}
"""


@pytest.mark.parametrize(
    "name, lines",
    [
        ("divi", "  %a = divi %n, %n signed : tile<i32>\n  %b = divi %n, %n unsigned : tile<i32>\n"),
        (
            "load_ptr_tko",
            "".join(
                f"  %{x}, %t{x} = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token\n" for x in "ab"
            ),
        ),
        ("reduce", ONES.format("a", "addf") + ONES.format("b", "mulf").partition("\n")[2]),
    ],
)
def test_what_is_unlike_stays_two(name: str, lines: str):
    kind = "tile<i32>" if name == "divi" else "tile<f32>"
    text = body(f'{lines}  print_tko "%d%d", %a, %b : {kind}, {kind} -> token')
    assert names(text).count(name) == 2


def test_what_a_branch_computes_is_computed_again_behind_it():
    text = body("""  %c = cmpi less_than %n, %n, signed : tile<i32> -> tile<i1>
  if %c {
    %a = addi %n, %n : tile<i32>
    print_tko "%d", %a : tile<i32> -> token
  }
  %b = addi %n, %n : tile<i32>
  print_tko "%d", %b : tile<i32> -> token""")
    assert [op.name for op in walk(simplify(entry(text)).body)].count("addi") == 2


def test_simplify_leaves_its_kernel_alone():
    kernel = entry(kernels.softmax())
    before = [(op.name, list(op.operands.items())) for op in walk(kernel.body)]
    simplify(kernel)
    assert [(op.name, list(op.operands.items())) for op in walk(kernel.body)] == before


def test_a_mask_makes_no_choice_among_its_own_addresses():
    text = kernels.pointers(chosen=True)
    assert "select" not in names(text)
    compared = "  %other = cmpi less_than %n2, %at, signed : tile<128xi32> -> tile<128xi1>\n"
    other = text.replace("  %to = select %mask", f"{compared}  %to = select %other")
    assert "select" in names(other)


SLICES = """  %one = constant <i32: 1> : tile<i32>
  %u = addf %p, %p : tile<64xf32>
  %first = extract %u[%zero] : tile<64xf32> -> tile<32xf32>
  %second = extract %u[%one] : tile<64xf32> -> tile<32xf32>
  %c = cat %second, %first dim = 0 : tile<32xf32>, tile<32xf32> -> tile<64xf32>
  %b = negf %c : tile<64xf32>
"""


def test_tiles_that_are_taken_apart_and_joined_are_computed_in_parts():
    """The halves of a tile change places."""
    before, _, after = kernels.in_place().partition("  %a = mulf %p, %p : tile<64xf32>\n")
    text = f"{before}  %zero = constant <i32: 0> : tile<i32>\n{SLICES}{after}".replace(
        "%v_x[%i] :", "%v_y[%i] :"
    )
    text = re.sub(r"  %b = addf.*\n", "", text)
    ops = simplify(entry(re.sub(r"  %total = .*?  return", "  return", text, flags=re.DOTALL))).body.ops
    found = [op.name for op in ops if has_tiles(op)]
    assert found == [name for name in ("load_view_tko", "addf", "negf", "store_view_tko") for _ in range(2)]
    accesses = [op for op in ops if "view" in op.operands]
    assert {op.operands["view"][0].type.tile for op in accesses} == {(32,)}


def test_a_tile_that_something_needs_as_a_whole_is_not_computed_in_parts():
    lines = SLICES.replace("%p, %p", "%v, %v").replace(
        "  %u =", "  %v = constant <f32: 2.0> : tile<64xf32>\n  %u ="
    )
    text = body(
        f'  %zero = constant <i32: 0> : tile<i32>\n{lines}  print_tko "%f %f", %u, %b : '
        + "tile<64xf32>, tile<64xf32> -> token"
    )
    assert [name for name in names(text) if name in ("extract", "cat", "addf")] == [
        "addf",
        "extract",
        "extract",
        "cat",
    ]


TENSOR = "tensor_view<?xf32, strides=[1]>"
SMALL, WHOLE = (f"partition_view<tile=({n}), {TENSOR}>" for n in (32, 64))
JOINED = f"""  %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> {TENSOR}
  %w = make_partition_view %t : {SMALL}
  %to = make_partition_view %t : {WHOLE}
  %zero = constant <i32: 0> : tile<i32>
  %wide = exti %n unsigned : tile<i32> -> tile<i64>
  %v, %t0 = load_view_tko weak %w[%n] : {SMALL}, tile<i32> -> tile<32xf32>, token
  %u, %t1 = load_view_tko weak %w[%zero] : {SMALL}, tile<i32> -> tile<32xf32>, token
  %c = cat %v, %u dim = 0 : tile<32xf32>, tile<32xf32> -> tile<64xf32>
  %x = absf %c : tile<64xf32>
  %s = store_view_tko weak %x, %to[%n] : tile<64xf32>, {WHOLE}, tile<i32> -> token"""
STRIDED = WHOLE.replace("partition_view<tile=(64)", "strided_view<tile=(64), traversal_strides=[48]")
AGAIN = '  print_tko "%f", %c : tile<64xf32> -> token\n  %x ='


@pytest.mark.parametrize(
    "before, after, whole",
    [
        ("", "", False),
        ("store_view_tko weak", "store_view_tko relaxed device", True),
        (f"{WHOLE}, tile<i32>", f"{WHOLE}, tile<i64>", True),
        (WHOLE, STRIDED, True),
        ("  %x =", AGAIN, True),
    ],
)
def test_stores_of_joined_tiles(before: str, after: str, whole: bool):
    text = JOINED.replace(before, after) if before else JOINED
    text = text.replace("%to = make_partition", "%to = make_strided") if after == STRIDED else text
    text = text.replace("%to[%n]", "%to[%wide]") if "i64" in after else text
    found = names(body(text))
    assert (found.count("cat"), found.count("store_view_tko")) == ((1, 1) if whole else (0, 2))


@pytest.mark.parametrize("size", [32, 64])
def test_few_joined_elements_are_stored_as_one_row(size: int):
    half, pointers = f"tile<{size // 2}xf32>", f"tile<{size}xptr<f32>>"
    found = names(
        body(f"""  %i = iota : tile<{size}xi32>
  %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %w = broadcast %r : tile<1xptr<f32>> -> {pointers}
  %to = offset %w, %i : {pointers}, tile<{size}xi32> -> {pointers}
  %a = constant <f32: 1.0> : {half}
  %b = constant <f32: 2.0> : {half}
  %c = cat %a, %b dim = 0 : {half}, {half} -> tile<{size}xf32>
  %s = store_ptr_tko weak %to, %c : {pointers}, tile<{size}xf32> -> token""")
    )
    assert (found.count("cat"), found.count("store_ptr_tko")) == ((1, 1) if size == 32 else (0, 2))


TAKEN = f"""  %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> {TENSOR}
  %to = make_partition_view %t : {WHOLE}
  %zero = constant <i32: 0> : tile<i32>
  %wide = exti %n unsigned : tile<i32> -> tile<i64>
  %v, %t0 = load_view_tko weak %to[%n] : {WHOLE}, tile<i32> -> tile<64xf32>, token
  %part = extract %v[%zero] : tile<64xf32> -> tile<32xf32>
  print_tko "%f", %part : tile<32xf32> -> token"""


@pytest.mark.parametrize(
    "before, after, whole",
    [
        ("", "", False),
        ("weak", "acquire device", True),
        ("tile<i32> -> tile<64", "tile<i64> -> tile<64", True),
        (WHOLE, STRIDED, True),
        ("  %part =", AGAIN.replace("%c", "%v").replace("%x", "%part"), True),
    ],
)
def test_loads_of_parts(before: str, after: str, whole: bool):
    text = TAKEN.replace(before, after) if before else TAKEN
    text = text.replace("%to = make_partition", "%to = make_strided") if after == STRIDED else text
    text = text.replace("%to[%n]", "%to[%wide]") if "i64" in after else text
    assert names(body(text)).count("extract") == whole


@pytest.mark.parametrize("index, found", [(1, 0), (2, 1), (-1, 1)])
def test_parts_beyond_a_tile_are_none(index: int, found: int):
    text = body(f"""  %at = constant <i32: {index}> : tile<i32>
  %c = constant <f32: 2.0> : tile<64xf32>
  %v = addf %c, %c : tile<64xf32>
  %part = extract %v[%at] : tile<64xf32> -> tile<32xf32>
  print_tko "%f", %part : tile<32xf32> -> token""")
    assert names(text).count("extract") == found


def test_parts_of_a_listed_constant_are_taken_from_it():
    text = body(f"""  %at = constant <i32: 1> : tile<i32>
  %v = constant <i32: [{", ".join(map(str, range(64)))}]> : tile<64xi32>
  %part = extract %v[%at] : tile<64xi32> -> tile<32xi32>
  print_tko "%d", %part : tile<32xi32> -> token""")
    assert names(text).count("extract") == 1


def test_operands_that_are_used_twice_do_not_double_the_code():
    """Hashes do that in each of their steps; here also the addresses that a mask chooses."""
    text, kind = kernels.pointers(chosen=True), "tile<128xi32>"
    assert text.count("select %mask, %at") == 1
    steps = "".join(
        f"""  %x{i} = shli %at_{i}, %count : {kind}
  %y{i} = xori %at_{i}, %x{i} : {kind}
  %at_{i + 1} = addi %y{i}, %y{i} : {kind}
"""
        for i in range(4)
    ).replace("%at_0", "%at")
    text = text.replace("  %to = select %mask, %at", f"{steps}  %to = select %mask, %at_4")
    assert len(names(text)) < 100
