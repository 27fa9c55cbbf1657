"""Rules of legality, where tests that run fused code would show by chance at most that one is missing."""

from __future__ import annotations

import loop_kernels as kernels
import product_kernels
import pytest
from pass_results import body, entry, items
from test_simplify import names

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Operation, walk
from pycuda_tile.tileir.loops import fuse
from pycuda_tile.tileir.loops.affine import Analysis
from pycuda_tile.tileir.loops.axes import Axes
from pycuda_tile.tileir.loops.contraction import find_products, line_of, may_share, uniform_values
from pycuda_tile.tileir.loops.effects import effects
from pycuda_tile.tileir.loops.groups import Uses
from pycuda_tile.tileir.loops.neutral import neutral
from pycuda_tile.tileir.loops.simplify import simplify
from pycuda_tile.tileir.loops.stages import Nest
from pycuda_tile.tileir.loops.stored_sums import find_stored_sums
from pycuda_tile.tileir.loops.variables import Variables

SOFTMAX = kernels.softmax()


def alone(text: str, name: str) -> bool:
    return any(isinstance(item, Operation) and item.name == name for item in items(text)[0])


@pytest.mark.parametrize("name", ["load_view_tko", "store_view_tko"])
def test_strong_accesses_are_between_groups(name: str):
    strong = SOFTMAX.replace(f"{name} weak", f"{name} relaxed device")
    assert alone(strong, name) and not alone(SOFTMAX, "store_view_tko")


TENSOR = "tensor_view<?xf32, strides=[1]>"
LINE = f"partition_view<tile=(64), {TENSOR}>"
LOADED = f"""  %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> {TENSOR}
  %w = make_partition_view %t : {LINE}
  %l, %t0 = load_view_tko weak %w[%n] : {LINE}, tile<i32> -> tile<64xf32>, token
  %v = exp %l : tile<64xf32>
  %s = addf %v, %v : tile<64xf32>
"""
SUM = kernels.row_fold("r", "addf", "s", "tile<64xf32>", "tile<f32>", 0)


def order(lines: str) -> list[str]:
    """Where the nest is among the operations, after those that describe the first view."""
    kinds = ["nest" if isinstance(item, Nest) else item.name for item in items(body(LOADED + lines))[0][2:]]
    return [kind for kind in kinds if kind not in ("print_tko", "return")]


@pytest.mark.parametrize(
    ("semantics", "expected"),
    [("weak", ["load_ptr_tko", "nest"]), ("acquire device", ["nest", "load_ptr_tko"])],
)
def test_strong_loads_of_one_element_wait_for_loops(semantics: str, expected: list[str]):
    load = f"  %one, %t1 = load_ptr_tko {semantics} %p : tile<ptr<f32>> -> tile<f32>, token\n"
    assert order(f'{load}  print_tko "%f%f", %s, %one : tile<64xf32>, tile<f32> -> token') == expected


PART = """      %part = extract %v[%n] : tile<64xf32> -> tile<1xf32>
      %one = reshape %part : tile<1xf32> -> tile<f32>
      %r_r = addf %more, %one : tile<f32>
"""


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ("      yield", ["nest", "nest"]),
        ('      print_tko "step" -> token\n      yield', ["nest", "addf", "reduce"]),
        (f"{PART}      yield", ["nest", "addf", "reduce"]),
    ],
)
def test_reductions_that_print_or_read_other_tiles_are_between_groups(last: str, expected: list[str]):
    fold = SUM.replace("reduce %s", "reduce %u").replace("      yield", last)
    if last.startswith(PART):
        fold = fold.replace("%r_r = addf %e_r", "%more = addf %e_r")
    lines = f"""  print_tko "%f", %v : tile<64xf32> -> token
  %u = addf %s, %s : tile<64xf32>
{fold}  print_tko "%f", %r : tile<f32> -> token"""
    assert order(lines) == expected


def test_a_view_whose_extent_is_a_sum_follows_it():
    store = f"""  %h = ftoi %r signed rounding<nearest_int_to_zero> : tile<f32> -> tile<i32>
  %t2 = make_tensor_view %p, shape = [%h], strides = [1] : tile<i32> -> {TENSOR}
  %w2 = make_partition_view %t2 : {LINE}
  %t3 = store_view_tko weak %s, %w2[%n] : tile<64xf32>, {LINE}, tile<i32> -> token"""
    views = ["make_tensor_view", "make_partition_view"]
    assert order(SUM + store) == ["nest", "ftoi", *views, "store_view_tko"]


def test_elements_of_tiles_are_read_without_a_rule():
    lines = """  %q = extract %s[%n] : tile<64xf32> -> tile<1xf32>
  print_tko "%f", %q : tile<1xf32> -> token"""
    assert order(lines) == ["nest", "extract"]
    assert not [reason for reason in items(body(LOADED + lines))[1] if "print_tko" not in reason]


def test_blocks_wait_for_strong_accesses_only():
    strong = SOFTMAX.replace("load_view_tko weak", "load_view_tko acquire device")
    independent = ["are_independent" in fuse(tileir.parse(text))[0] for text in (SOFTMAX, strong)]
    assert independent == [True, False]


def test_strong_loads_stay_although_nothing_uses_them():
    text = kernels.in_place()
    view = "partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>"
    load = f"  %unused, %t9 = load_view_tko {{}} %v_x[%i] : {view}, tile<i32> -> tile<64xf32>, token\n"
    load += "  %a = mulf"
    for semantics, count in (("weak", 1), ("relaxed device", 2)):
        assert names(text.replace("  %a = mulf", load.format(semantics), 1)).count("load_view_tko") == count


def test_elements_that_share_a_byte_are_on_whole_tiles():
    tensor = "tensor_view<64x64xf4E2M1FN, strides=[64,1]>"
    view, kind = f"partition_view<tile=(8x64), {tensor}>", "tile<8x64xf32>"
    text = f"""entry @k(%x: tile<ptr<f4E2M1FN>>, %n: tile<i32>) {{
  %t = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : {tensor}
  %w = make_partition_view %t : {view}
  %v, %t0 = load_view_tko weak %w[%n, %n] : {view}, tile<i32> -> tile<8x64xf4E2M1FN>, token
  %e = ftof %v : tile<8x64xf4E2M1FN> -> {kind}
  %m = exp %e : {kind}
  print_tko "%f", %m : {kind} -> token
  return
}}
"""
    assert alone(text, "load_view_tko")


def test_the_transposed_place_is_another_one():
    view = "partition_view<tile=(16x16), tensor_view<64x64xf32, strides=[64,1]>>"
    text = f"""entry @k(%x: tile<ptr<f32>>, %n: tile<i32>) {{
  %t = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %w = make_partition_view %t : {view}
  %v, %t0 = load_view_tko weak %w[%n, %n] : {view}, tile<i32> -> tile<16x16xf32>, token
  %p = permute %v [1, 0] : tile<16x16xf32> -> tile<16x16xf32>
  %t1 = store_view_tko weak %p, %w[%n, %n] : tile<16x16xf32>, {view}, tile<i32> -> token
  return
}}
"""
    ops = [op for op in entry(text).body.ops if op.name in ("load_view_tko", "permute", "store_view_tko")]
    found = effects(ops, Analysis(Axes(ops), {}))
    assert found.disjoint and not found.in_place


SQUARE = "tensor_view<?x?xf32, strides=[?,1]>"
ROW, COLUMN = (f"partition_view<tile=({shape}), {SQUARE}>" for shape in ("1x64", "64x1"))


@pytest.mark.parametrize(
    ("other", "shape", "known"),
    [
        (ROW, "1x64", True),
        (COLUMN, "64x1", False),  # of which index (2, 0) has elements of index (0, 2) of the rows
        (ROW.replace("partition", "strided").replace("),", "), traversal_strides=[1,32],", 1), "1x64", False),
    ],
)
def test_other_indices_are_other_elements_only_in_one_partition(other: str, shape: str, known: bool):
    overlapping = "strided" in other
    first = other if overlapping else ROW
    made = {view: f"make_{view.partition('<')[0]} %t : {view}" for view in (first, other)}
    text = f"""entry @k(%p: tile<ptr<f32>>, %n: tile<i32>, %m: tile<i32>) {{
  %t = make_tensor_view %p, shape = [%n, %n], strides = [%n, 1] : tile<i32> -> {SQUARE}
  %w = {made[first]}
  %w2 = {made[other]}
  %l, %t0 = load_view_tko weak %w[%n, %n] : {first}, tile<i32> -> tile<1x64xf32>, token
  %v = exp %l : tile<1x64xf32>
  %r = reshape %v : tile<1x64xf32> -> tile<{shape}xf32>
  %t1 = store_view_tko weak %r, %w2[%m, %n] : tile<{shape}xf32>, {other}, tile<i32> -> token
  return
}}
"""
    code = fuse(tileir.parse(text))[0]
    assert "loops::disjoint" in code
    assert ("bool const injective" in code) == known


def test_a_tile_that_is_kept_is_not_loaded_again():
    """Although what is made of it is: the group that keeps it would have nothing else to do."""
    view, kind = "partition_view<tile=(16x16), tensor_view<64x64xi32, strides=[64,1]>>", "tile<16x16xi32>"
    text = f"""entry @k(%x: tile<ptr<i32>>, %n: tile<i32>) {{
  %t = make_tensor_view %x, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xi32, strides=[64,1]>
  %w = make_partition_view %t : {view}
  %v, %t0 = load_view_tko weak %w[%n, %n] : {view}, tile<i32> -> {kind}, token
  %kept = addi %v, %v : {kind}
  %made = addi %kept, %v : {kind}
  %p = permute %made [1, 0] : {kind} -> {kind}
  %sum = addi %made, %p : {kind}
  %t1 = store_view_tko weak %sum, %w[%n, %n] : {kind}, {view}, tile<i32> -> token
  print_tko "%d", %kept : {kind} -> token
  return
}}
"""
    loops = [[op.name for op in item.ops] for item in items(text)[0] if isinstance(item, Nest)]
    assert loops == [["load_view_tko", "addi"], ["load_view_tko", "addi"], ["addi", "store_view_tko"]]


@pytest.mark.parametrize(
    "step",
    [
        "addf %e, %e",
        "addf %e, %a rounding<zero>",
        "addf %e, %a flush_to_zero",
        "maxf %e, %a propagate_nan",
        "minf %e, %a propagate_nan",
    ],
)
def test_reductions_without_a_neutral_element(step: str):
    fold = kernels.row_fold("s", "addf", "v", "tile<8xf32>", "tile<f32>", 0)
    fold = fold.replace("addf %e_s, %a_s", step.replace("%e", "%e_s").replace("%a", "%a_s"))
    text = body(f"  %v = constant <f32: 1.0> : tile<8xf32>\n{fold}")
    assert neutral(next(op for op in entry(text).body.ops if op.name == "reduce")) == ""


def test_what_a_reduction_captures_is_known_before_its_loops():
    size = 1 << 17
    tensor, kind = f"tensor_view<{size}xf32, strides=[1]>", f"tile<{size}xf32>"
    view, fold = f"partition_view<tile=({size}), {tensor}>", "reduce %v dim=0 identities=[0.0 : f32]"
    text = body(f"""  %t = make_tensor_view %p, shape = [{size}], strides = [1] : {tensor}
  %w = make_partition_view %t : {view}
  %l, %t0 = load_view_tko weak %w[%n] : {view}, tile<i32> -> {kind}, token
  %v = addf %l, %l : {kind}
  %s = {fold} : {kind} -> tile<f32> (%a: tile<f32>, %b: tile<f32>) {{
    %c = addf %a, %b : tile<f32> yield %c : tile<f32> }}
  %r = {fold} : {kind} -> tile<f32> (%d: tile<f32>, %e: tile<f32>) {{
    %f = addf %d, %e : tile<f32> %g = maxf %f, %s : tile<f32> yield %g : tile<f32> }}
  print_tko "%f", %r : tile<f32> -> token""")
    assert fuse(tileir.parse(text))[2]["k"]["path"] == "fused"


# --- products ---

PLAIN = product_kernels.product("k", 16, 32, 32)
VIEW = "partition_view<tile=(16x32), padding_value = zero, tensor_view<?x?xf32, strides=[?,1]>>"
STORE = f"""  %early = store_view_tko weak %start, %v_c[%y, %x] : tile<16x32xf32>, {VIEW}, tile<i32> -> token
  %sum = for"""


def sharing(text: str) -> tuple[bool, bool, bool]:
    """Whether blocks may share factors, and which: the left and the right one."""
    simple = simplify(entry(text)).body
    (product,) = find_products(simple, Uses.of(simple), Variables(simple)).found.values()
    loop = next(op for op in walk(simple) if op.name == "for")
    lines = (line_of(factor, loop, uniform_values(simple)) for factor in (product.left, product.right))
    return may_share(simple, loop), *(line is not None for line in lines)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("", "", (True, True, True)),
        ("  %sum = for", STORE, (False, True, True)),
        (
            "%l_a, %t_a = load_view_tko weak",
            "%l_a, %t_a = load_view_tko relaxed device",
            (False, False, True),
        ),
        ("divi %k, %size", "divi %y, %size", (True, False, False)),
        ("shape = [%m, %k]", "shape = [%x, %k]", (True, False, True)),
        ("weak %v_a[%y, %s]", "weak %v_a[%h, %s]", (True, False, True)),
    ],
)
def test_what_blocks_share(before: str, after: str, expected: tuple[bool, bool, bool]):
    text = PLAIN.replace(before, after) if before else PLAIN
    assert before in PLAIN
    if "%h" in text:
        text = text.replace("    %l_a,", "    %h = addi %s, %y : tile<i32>\n    %l_a,")
    assert sharing(text) == expected


@pytest.mark.parametrize(("semantics", "waits"), [("weak", True), ("relaxed device", False)])
def test_a_factor_waits_for_weak_loads_only(semantics: str, waits: bool):
    text = PLAIN.replace("%l_b, %t_b = load_view_tko weak", f"%l_b, %t_b = load_view_tko {semantics}")
    simple = simplify(entry(text)).body
    (product,) = find_products(simple, Uses.of(simple), Variables(simple)).found.values()
    assert bool(product.left.chain) == waits and bool(product.right.chain) == waits


#: In PLAIN, the type of the sums, and a second store or load.
SUMS = "tile<16x32xf32>"
AGAIN = f"%again = store_view_tko weak %next, %v_c[%y, %x] : {SUMS}, {VIEW}, tile<i32> -> token"
OTHER = f"%other, %t_o = load_view_tko relaxed device %v_c[%y, %x] : {VIEW}, tile<i32> -> {SUMS}, token"
INNER = f"""%t_i = make_tensor_view %a, shape = [%s, %k], strides = [%k, 1] : tile<i32> ->
  tensor_view<?x?xf32, strides=[?,1]>
  %v_i = make_partition_view %t_i : {VIEW}
  %l_a,"""


def stored_sums(text: str) -> tuple[bool, bool]:
    """Whether sums are carried by their loop, and whether they are made where they are stored."""
    simple = simplify(entry(text)).body
    uses = Uses.of(simple)
    found = find_products(simple, uses, Variables(simple))
    (product,) = found.found.values()
    return product.carried is not None, bool(find_stored_sums(simple, found, uses))


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ({}, (True, True)),
        ({"store_view_tko weak %sum": "store_view_tko relaxed device %sum"}, (True, False)),
        ({"  %t_c =": AGAIN.replace("%next", "%sum") + "\n  %t_c ="}, (True, False)),
        ({"  %t_c =": '  print_tko "stored" -> token\n  %t_c ='}, (True, False)),
        ({"weak %v_a[": "weak %v_i[", "%l_a,": INNER}, (True, False)),
        ({"%l_a,": f"{OTHER}\n  %l_a,"}, (True, False)),
        ({"    continue": f"    {AGAIN}\n    continue"}, (False, False)),
        ({"%l_b, %acc": "%l_b, %start"}, (False, False)),
        ({"    %next": f"    if %leaves {{ continue %start : {SUMS} }}\n    %next"}, (False, False)),
    ],
)
def test_which_sums_are_made_where_they_are_stored(edits: dict[str, str], expected: tuple[bool, bool]):
    text = PLAIN.replace("%k: tile<i32>)", "%k: tile<i32>, %leaves: tile<i1>)")
    for before, after in edits.items():
        assert before in text
        text = text.replace(before, after, 1)
    assert stored_sums(text) == expected


def test_sums_of_columns_are_made_in_tiles():
    columns = {"[%n, 1]": "[1, %m]", "[?,1]": "[1,?]"}
    lines = PLAIN.splitlines()
    for before, after in columns.items():
        lines = [line.replace(before, after) if "%v_c" in line else line for line in lines]
    assert stored_sums("\n".join(lines)) == (True, False)


def test_what_each_round_begins_with_stays():
    """The sums are not made in its place."""
    text = PLAIN.replace("  %sum = for", f"  %begin = addf %start, %start : {SUMS}\n  %sum = for")
    simple = simplify(entry(text.replace("%l_b, %acc", "%l_b, %begin"))).body
    (product,) = find_products(simple, Uses.of(simple), Variables(simple)).found.values()
    assert product.op.operands["acc"][0].name == "begin" and not product.in_place
