"""The passes that fuse, each by itself: what they find in small kernels, and why they give up."""

from __future__ import annotations

import re

import loop_kernels as kernels
import pytest

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Operation, walk
from pycuda_tile.tileir.loops.affine import Analysis
from pycuda_tile.tileir.loops.axes import Axes
from pycuda_tile.tileir.loops.effects import effects
from pycuda_tile.tileir.loops.facts import has_tiles
from pycuda_tile.tileir.loops.fallback import Fallback
from pycuda_tile.tileir.loops.groups import Uses, split
from pycuda_tile.tileir.loops.neutral import neutral
from pycuda_tile.tileir.loops.simplify import simplify
from pycuda_tile.tileir.loops.stages import Nest
from pycuda_tile.tileir.loops.translate import fuse
from pycuda_tile.tileir.loops.variables import Variables


def entry(text: str):
    return tileir.parse(text).entries[0]


def items(text: str) -> tuple[list[Operation | Nest], list[str]]:
    simple, reasons = simplify(entry(text)), []
    found = split(simple.body.ops, Uses.of(simple.body), lambda error: reasons.append(str(error)))
    return found, reasons


def nests(text: str) -> list[Nest]:
    return [item for item in items(text)[0] if isinstance(item, Nest)]


def body(lines: str) -> str:
    return f"entry @k(%p: tile<ptr<f32>>, %n: tile<i32>) {{\n{lines}\n  return\n}}\n"


def test_a_reshape_divides_dimensions():
    text = body("""  %a = constant <i32: 1> : tile<8x16xi32>
  %b = negi %a : tile<8x16xi32>
  %c = reshape %b : tile<8x16xi32> -> tile<32x4xi32>
  %d = negi %c : tile<32x4xi32>
  print_tko "%d", %d : tile<32x4xi32> -> token""")
    ops = simplify(entry(text)).body.ops[:-2]
    axes = Axes(ops)
    outer, inner = axes.of(ops[-1].results[0])
    assert [axes.extents[axis] for axis in [*outer, *inner]] == [8, 4, 4]
    assert axes.of(ops[0].results[0]) == (outer[:1], (outer[1], *inner))
    assert axes.weights([*outer, *inner]) == {outer[0]: 16, outer[1]: 4, inner[0]: 1}


def test_a_sum_makes_the_rows_and_columns_of_another_tile_one_axis():
    text = body("""  %z = constant <f32: 1.0> : tile<16xf32>
  %x = exp %z : tile<16xf32>
  %y = sin %z : tile<16xf32>
  %r = reshape %x : tile<16xf32> -> tile<16x1xf32>
  %s = broadcast %r : tile<16x1xf32> -> tile<16x16xf32>
  %c = reshape %y : tile<16xf32> -> tile<1x16xf32>
  %d = broadcast %c : tile<1x16xf32> -> tile<16x16xf32>
  %e = mulf %s, %d : tile<16x16xf32>
  %f = addf %x, %y : tile<16xf32>
  print_tko "%f%f", %e, %f : tile<16x16xf32>, tile<16xf32> -> token""")
    ops = simplify(entry(text)).body.ops[:-2]
    with pytest.raises(Fallback, match="addf: it makes rows and columns one axis"):
        Axes(ops)
    Axes(ops[:-1])


@pytest.fixture
def leaves_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are as if they were large."""
    monkeypatch.setattr("pycuda_tile.tileir.loops.stages._IN_CACHES", 0)


def test_what_needs_a_reduction_is_in_the_next_nest():
    found = [[op.name for op in nest.ops] for nest in nests(kernels.softmax())]
    chain = ["reshape", "broadcast"]
    sums = [["load_view_tko", "reduce"], ["load_view_tko", *chain, "subf", "exp", "reduce"]]
    assert found == [*sums, [*chain, "divf", "store_view_tko"]]


@pytest.mark.usefixtures("leaves_caches")
@pytest.mark.parametrize(
    "text, extents, outer, inner, vector, stages, buffers",
    [
        (kernels.saxpy(), [8, 64], [8], 64, 64, 1, 0),
        (kernels.softmax(), [256], [], 256, 256, 3, 1),
        (kernels.sums("s", "4x64", 1), [4, 64], [4], 64, 64, 2, 0),
        (kernels.sums("s", "64x16", 0), [16, 64], [16], 64, 16, 2, 0),
    ],
)
def test_loops(text: str, extents, outer, inner: int, vector: int, stages: int, buffers: int):
    (nest,) = nests(text)
    of = nest.axes.extents
    assert sorted(of) == extents
    assert [of[axis] for axis in nest.outer] == outer
    assert (of[nest.inner], of[nest.vector]) == (inner, vector)
    assert len(nest.stages) == stages and len(nest.buffers) == buffers


@pytest.mark.parametrize("shape, count", [("8x64", 2), ("2x4096", 0), ("1x4096", 0)])
def test_short_rows_are_prefetched(shape: str, count: int):
    text = fuse(tileir.parse(kernels.saxpy("s", shape)))[0]
    assert len(re.findall(r"loops::prefetch<strip>\(.* \+ 2 \* ", text)) == count


@pytest.mark.usefixtures("leaves_caches")
def test_exponentials_are_kept_and_loads_repeated():
    (nest,) = nests(kernels.softmax())
    (kept,) = nest.buffers
    assert nest.analysis.definitions[kept].name == "exp"
    loads = [id(op.results[0]) for op in nest.ops if op.name == "load_view_tko"]
    assert [loads[0] in needed for needed in nest.needed.values()] == [True, True, False]


@pytest.mark.usefixtures("leaves_caches")
def test_what_is_stored_before_it_is_needed_again_is_kept():
    (nest,) = nests(kernels.in_place())
    (kept,) = nest.buffers
    assert nest.analysis.definitions[kept].name == "load_view_tko"
    assert [(a.op.name, b.op.name) for a, b in nest.effects.disjoint] == [
        ("load_view_tko", "store_view_tko"),
        ("store_view_tko", "store_view_tko"),
    ]


@pytest.mark.parametrize("chosen", [False, True])
def test_pointers_that_grow_by_steps(chosen: bool):
    (nest,) = nests(kernels.pointers(chosen=chosen))
    for access in nest.effects.accesses:
        assert access.pointers is not None and list(access.pointers.steps.values()) == [{(): 1}]
        ((limit,), (offsets, *_)) = access.limits, access.ranges
        assert (limit.factors, limit.inclusive, limit.unsigned) == ({0: 1}, False, False)
        assert not offsets.unsigned


def test_a_bound_that_a_mask_has_twice_is_one():
    text = kernels.pointers().replace("%mask = cmpi", "%once = cmpi")
    twice = "  %twice = andi %once, %once : tile<128xi1>\n  %mask = andi %twice, %once : tile<128xi1>\n"
    before, _, after = text.partition("  %r_x =")
    (nest,) = nests(f"{before}{twice}  %r_x ={after}")
    assert [len(access.limits) for access in nest.effects.accesses] == [1, 1]


def test_steps_of_pointers_to_another_type():
    def steps(scale: int) -> list:
        (nest,) = nests(
            body(f"""  %i = iota : tile<64xi32>
  %c = constant <i32: {scale}> : tile<64xi32>
  %b = muli %i, %c : tile<64xi32>
  %o = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>
  %u = reshape %o : tile<ptr<i8>> -> tile<1xptr<i8>>
  %w = broadcast %u : tile<1xptr<i8>> -> tile<64xptr<i8>>
  %q = offset %w, %b : tile<64xptr<i8>>, tile<64xi32> -> tile<64xptr<i8>>
  %f = ptr_to_ptr %q : tile<64xptr<i8>> -> tile<64xptr<f32>>
  %v, %t = load_ptr_tko weak %f : tile<64xptr<f32>> -> tile<64xf32>, token
  %e = exp %v : tile<64xf32>
  %d = store_ptr_tko weak %f, %e : tile<64xptr<f32>>, tile<64xf32> -> token""")
        )
        return [access.pointers.steps[0] for access in nest.effects.accesses]

    assert steps(4) == [{(): 1}] * 2
    assert steps(12) == [{(): 3}] * 2
    assert steps(6) == []


def test_masks_that_are_no_bounds_belong_to_the_loops():
    (nest,) = nests(kernels.pointers(exist="greater_than"))
    for access in nest.effects.accesses:
        assert access.mask is not None and access.mask in nest.inputs(access.op) and not access.limits


ARBITRARY = """  %a = iota : tile<64xi32>
  %b = muli %a, %a : tile<64xi32>
  %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %w = broadcast %r : tile<1xptr<f32>> -> tile<64xptr<f32>>
  %q = offset %w, %b : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %c = itof %b signed : tile<64xi32> -> tile<64xf32>
"""


@pytest.mark.parametrize(
    "access",
    [
        "%v, %t = load_ptr_tko weak %q : tile<64xptr<f32>> -> tile<64xf32>, token",
        "%t = store_ptr_tko weak %q, %c : tile<64xptr<f32>>, tile<64xf32> -> token",
        "%v, %t = atomic_rmw_tko relaxed device %q, addf, %c : tile<64xptr<f32>>, tile<64xf32>"
        " -> tile<64xf32>, token",
    ],
)
def test_arbitrary_pointers_are_used_between_groups(access: str):
    used = "  %s = negf %v : tile<64xf32>\n  %z = exp %s : tile<64xf32>\n" if "%v" in access else ""
    used += '  print_tko "%f", %z : tile<64xf32> -> token' if used else ""
    found, reasons = items(body(f"{ARBITRARY}  {access}\n{used}"))
    at = next(i for i, item in enumerate(found) if isinstance(item, Operation) and item.name in access)
    assert any(isinstance(item, Nest) for item in found[:at])
    assert any(isinstance(item, Nest) for item in found[at:]) == bool(used)
    assert not [reason for reason in reasons if "print" not in reason]


@pytest.mark.parametrize(
    "between",
    [
        "",
        "%t = store_ptr_tko weak %q, %c : tile<64xptr<f32>>, tile<64xf32> -> token",
        "%o, %t = load_ptr_tko acquire device %q : tile<64xptr<f32>> -> tile<64xf32>, token",
    ],
)
def test_what_uses_several_gathered_tiles_shares_a_loop(between: str):
    loads = [
        f"""  %b{i} = constant <i32: {i}> : tile<64xi32>
  %d{i} = addi %b, %b{i} : tile<64xi32>
  %q{i} = offset %w, %d{i} : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %v{i}, %t{i} = load_ptr_tko weak %q{i} : tile<64xptr<f32>> -> tile<64xf32>, token
"""
        for i in (1, 2, 3)
    ]
    sums = """  %s = addf %v1, %v2 : tile<64xf32>
  %z = addf %s, %v3 : tile<64xf32>
  print_tko "%f", %z : tile<64xf32> -> token"""
    found, _ = items(body(f"{ARBITRARY}{loads[0]}  {between}\n{loads[1]}{loads[2]}{sums}"))
    kinds = ["nest" if isinstance(item, Nest) else item.name for item in found]
    results = [item.results[0].name for item in found if "ptr_tko" in getattr(item, "name", "")]
    assert sorted(results[-2:]) == ["v2", "v3"] if between else sorted(results) == ["v1", "v2", "v3"]
    assert kinds[-4:] == ["load_ptr_tko", "nest", "print_tko", "return"] and "addf" not in kinds


SCATTERED = "tensor_view<?x64xf32, strides=[64,1]>"
GATHER = f"gather_scatter_view<tile=(64x1), padding_value = zero, {SCATTERED}, sparse_dim=0>"
PARTS = f"partition_view<tile=(64x1), {SCATTERED}>"
VIEWS = f"""  %t = make_tensor_view %p, shape = [%n, 64], strides = [64, 1] : tile<i32> -> {SCATTERED}
  %gather = make_gather_scatter_view %t : {GATHER}
  %parts = make_partition_view %t : {PARTS}
  %v, %t1 = load_view_tko weak %gather[%b, %n] : {GATHER}, tile<64xi32>, tile<i32> -> tile<64x1xf32>, token
  %s = negf %v : tile<64x1xf32>
  %z = exp %s : tile<64x1xf32>
  %t2 = atomic_red_view_tko relaxed device %parts[%n, %n], addf, %z
    : tile<64x1xf32>, {PARTS}, tile<i32> -> token
"""


def test_gathered_views_and_atomic_updates_are_on_whole_tiles():
    found, reasons = items(body(ARBITRARY + VIEWS))
    kinds = ["nest" if isinstance(item, Nest) else item.name for item in found]
    assert kinds[kinds.index("load_view_tko") :] == ["load_view_tko", "nest", "atomic_red_view_tko", "return"]
    assert not reasons


def test_a_load_after_a_store_to_the_same_place_starts_a_group():
    ops = [op for op in simplify(entry(kernels.in_place())).body.ops if has_tiles(op)]
    load, store = (next(op for op in ops if op.name == name) for name in ("load_view_tko", "store_view_tko"))
    analysis = Analysis(Axes(ops), {})
    assert list(effects([load, store], analysis).in_place) == [id(load)]
    with pytest.raises(Fallback, match="load_view_tko: it accesses what an operation before it stores"):
        effects([store, load], analysis)


@pytest.mark.parametrize(
    ("count", "together"), [(1, False), (0, True), (1024, True)], ids=["neighbours", "in place", "apart"]
)
def test_accesses_that_overlap_at_other_positions_are_not_in_one_nest(count: int, together: bool):
    kind = "tile<1024xptr<f32>>"
    found = nests(
        body(f"""  %i = iota : tile<1024xi32>
  %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %w = broadcast %r : tile<1xptr<f32>> -> {kind}
  %c = constant <i32: {count}> : tile<1024xi32>
  %j = addi %i, %c : tile<1024xi32>
  %from = offset %w, %j : {kind}, tile<1024xi32> -> {kind}
  %to = offset %w, %i : {kind}, tile<1024xi32> -> {kind}
  %v, %t = load_ptr_tko weak %from : {kind} -> tile<1024xf32>, token
  %e = exp %v : tile<1024xf32>
  %t1 = store_ptr_tko weak %to, %e token = %t : {kind}, tile<1024xf32> -> token""")
    )
    names = [[access.op.name for access in nest.effects.accesses] for nest in found]
    accesses = ["load_ptr_tko", "store_ptr_tko"]
    assert names == ([accesses] if together else [[access] for access in accesses])


def test_an_index_that_the_group_computes_starts_a_group():
    fold = kernels.row_fold("most", "maxf", "p", "tile<64xf32>", "tile<f32>", 0)
    lines = kernels.in_place().partition("  %a = mulf")[0] + fold
    lines += """  %index = ftoi %most signed rounding<nearest_int_to_zero> : tile<f32> -> tile<i32>
  %q, %t9 = load_view_tko weak %v_y[%index] : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>,
    tile<i32> -> tile<64xf32>, token
  %r = addf %p, %q : tile<64xf32>
  %t8 = store_view_tko weak %r, %v_y[%i] : tile<64xf32>,
    partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
"""
    found = items(lines)[0]
    first, second = (item for item in found if isinstance(item, Nest))
    loaded = [[op.results[0].name for op in n.ops if op.name == "load_view_tko"] for n in (first, second)]
    assert loaded == [["p"], ["q"]]
    between = found[found.index(first) : found.index(second)]
    assert any(isinstance(item, Operation) and item.name == "ftoi" for item in between)


@pytest.mark.parametrize("rows, columns, fused", [(16, 4, False), (4, 16, True)])
def test_tiles_of_short_rows_are_computed_whole(rows: int, columns: int, fused: bool):
    kind = f"tile<{rows}x{columns}xi32>"
    text = body(f"""  %a = iota : tile<{rows}xi32>
  %b = reshape %a : tile<{rows}xi32> -> tile<{rows}x1xi32>
  %c = broadcast %b : tile<{rows}x1xi32> -> {kind}
  %d = iota : tile<{columns}xi32>
  %e = reshape %d : tile<{columns}xi32> -> tile<1x{columns}xi32>
  %f = broadcast %e : tile<1x{columns}xi32> -> {kind}
  %g = mulhii %c, %f : {kind}
  print_tko "%d", %g : {kind} -> token""")
    assert bool(nests(text)) == fused


SELECTED = "%r = select %both, %a, %z : tile<1024xi1>, tile<1024xi32>"


@pytest.mark.parametrize(
    ("use", "masks"),
    [
        (SELECTED, {"cmpi": 2, "andi": 1}),
        ("%r = exti %both unsigned : tile<1024xi1> -> tile<1024xi32>", {}),
        (f'{SELECTED}\n  print_tko "%d", %both : tile<1024xi1> -> token', {"cmpi": 2, "andi": 1}),
    ],
)
def test_comparisons_that_only_select_are_masks(use: str, masks: dict[str, int]):
    [nest] = nests(
        body(f"""  %i = iota : tile<1024xi32>
  %a = negi %i : tile<1024xi32>
  %s = reshape %n : tile<i32> -> tile<1xi32>
  %b = broadcast %s : tile<1xi32> -> tile<1024xi32>
  %z = constant <i32: 0> : tile<1024xi32>
  %less = cmpi less_than %a, %b, signed : tile<1024xi32> -> tile<1024xi1>
  %more = cmpi greater_than %a, %z, signed : tile<1024xi32> -> tile<1024xi1>
  %both = andi %less, %more : tile<1024xi1>
  {use}
  print_tko "%d", %r : tile<1024xi32> -> token""")
    )
    found = [op.name for op in nest.ops if id(op.results[0]) in nest.masks]
    assert {name: found.count(name) for name in found} == masks


def test_a_row_that_is_a_column_as_well_is_not_spread_before_the_loops():
    """Only the column is made first: then it is another tile than the row, and both spread in the loops."""
    *_, nest = nests(
        body("""  %a = iota : tile<128xi32>
  %m = extract %a[%n] : tile<128xi32> -> tile<64xi32>
  %row = reshape %m : tile<64xi32> -> tile<1x64xi32>
  %column = permute %row [1, 0] : tile<1x64xi32> -> tile<64x1xi32>
  %rows = broadcast %row : tile<1x64xi32> -> tile<64x64xi32>
  %columns = broadcast %column : tile<64x1xi32> -> tile<64x64xi32>
  %products = mulhii %rows, %columns : tile<64x64xi32>
  print_tko "%d", %products : tile<64x64xi32> -> token""")
    )
    assert [op.name for op in nest.ops] == ["broadcast", "broadcast", "mulhii"]


def test_scans_need_no_stage():
    *_, columns = nests(kernels.scans("s", "64x16", 0, "addf", "true"))
    (rows,) = nests(kernels.scans("s", "4x64", 1))
    for nest in (columns, rows):
        levels = [nest.level(op) for op in nest.ops if op.name in ("scan", "store_view_tko")]
        assert levels == [0, 0] and not nest.buffers
    assert columns.backward and not rows.backward


SPREAD = """  %s = broadcast %c : tile<64x1xf32> -> tile<64x128xf32>
  %i = iota : tile<128xi32>
  %f = itof %i signed : tile<128xi32> -> tile<128xf32>
  %g = reshape %f : tile<128xf32> -> tile<1x128xf32>
  %h = broadcast %g : tile<1x128xf32> -> tile<64x128xf32>
  %o = mulf %s, %h : tile<64x128xf32>
  %q = addf %o, %h : tile<64x128xf32>
  print_tko "%f", %q : tile<64x128xf32> -> token"""


def test_exponentials_of_a_column_are_computed_by_strips():
    column = """  %r = iota : tile<64xi32>
  %v = itof %r signed : tile<64xi32> -> tile<64xf32>
  %e = exp %v : tile<64xf32>
  %c = reshape %e : tile<64xf32> -> tile<64x1xf32>
"""
    first, second = nests(body(column + SPREAD))
    assert first.axes.extents == [64] and "exp" in [op.name for op in first.ops]
    assert sorted(second.axes.extents) == [64, 128]


@pytest.mark.parametrize("rows, alone", [(64, True), (32, False)])
def test_exponentials_of_rows_do_not_run_row_by_row(rows: int, alone: bool):
    """As of the greatest score in attention, of which the loops need the number itself, too."""
    column = f"""  %r = iota : tile<{rows}xi32>
  %v = itof %r signed : tile<{rows}xi32> -> tile<{rows}xf32>
  %e = exp %v : tile<{rows}xf32>
  %c = reshape %v : tile<{rows}xf32> -> tile<{rows}x1xf32>
"""
    text = column + SPREAD.replace("64x", f"{rows}x")
    found = nests(body(text + f'\n  print_tko "%f", %e : tile<{rows}xf32> -> token'))
    assert [nest.axes.extents for nest in found] == ([[64], [64, 128]] if alone else [[32, 128]])
    assert "exp" in [op.name for op in found[0].ops]


@pytest.mark.parametrize("fold", ["reduce", "scan"])
def test_what_is_for_other_tiles_does_not_repeat_a_reduction(fold: str):
    result = "tile<f32>" if fold == "reduce" else "tile<64xf32>"
    folded = kernels.row_fold("t", "addf", "v", "tile<64xf32>", result, 0).replace(
        "reduce %v dim=0", {"reduce": "reduce %v dim=0", "scan": "scan %v dim=0 reverse=false"}[fold]
    )
    column = f"""  %r = iota : tile<64xi32>
  %v = itof %r signed : tile<64xi32> -> tile<64xf32>
{folded}  print_tko "%f", %t : {result} -> token
  %c = reshape %v : tile<64xf32> -> tile<64x1xf32>
"""
    for nest in nests(body(column + SPREAD)):
        assert fold not in [op.name for op in nest.ops] or nest.axes.extents == [64]


def test_equal_strips_are_computed_once():
    """The same shared values and positions, which simplify repeats for each use."""
    iota, kind = "iota : tile<64xi32>", "tile<64xi32>"
    (text, _, _) = fuse(
        tileir.parse(
            body(f"""  %i = {iota}
  %c = constant <i32: 3> : {kind}
  %a = mulhii %i, %c : {kind}
  %j = {iota}
  %b = mulhii %j, %c : {kind}
  %r = subi %a, %b : {kind}
  print_tko "%d", %r : {kind} -> token""")
        )
    )
    counts = [
        text.count(word) for word in ("loops::count_from", "ct::full<ct::tile<int", "ct::mulhi(", "ct::sub(")
    ]
    assert counts == [1, 1, 1, 1]


def test_listed_constants_are_tiles_that_loops_read():
    listed = ", ".join(map(str, range(64)))
    found, reasons = items(
        body(f"""  %a = constant <i32: [{listed}]> : tile<64xi32>
  %b = mulhii %a, %a : tile<64xi32>
  %c = addi %b, %a : tile<64xi32>
  print_tko "%d", %c : tile<64xi32> -> token""")
    )
    (nest,) = (item for item in found if isinstance(item, Nest))
    assert [op.name for op in nest.ops] == ["mulhii", "addi"]
    assert len(reasons) == 1 and "print_tko" in reasons[0]


def test_operations_that_follow_each_other_for_long():
    """Loops that compilers unroll make so many; and more than Python's functions may call each other."""
    count, kind = 1200, "tile<64xf32>"
    chain = "".join(f"  %x{i + 1} = absf %x{i} : {kind}\n" for i in range(count))
    start = f"  %i = iota : tile<64xi32>\n  %x0 = itof %i signed : tile<64xi32> -> {kind}\n"
    (nest,) = nests(body(f'{start}{chain}  print_tko "%f", %x{count} : {kind} -> token'))
    assert len(nest.ops) == count + 2


def test_order_of_parts():
    """A whole-tile operation stands between the groups that it separates."""
    kind = "tile<4x64xf32>"
    prints = f'  print_tko "%f", %p : {kind} -> token\n'
    text = kernels.sums("s", "4x64", 1).replace("  %d = addf", f"{prints}  %d = addf")
    found, reasons = items(text)
    kinds = ["nest" if isinstance(item, Nest) else item.name for item in found]
    assert kinds.index("print_tko") < kinds.index("nest")
    assert [reason for reason in reasons if reason.endswith("print_tko: there is no rule for it")]


@pytest.mark.parametrize(
    "function, expected", [("addf", "-0x0.0p+0f"), ("mulf", "0x1.0000000000000p+0f"), ("subf", "")]
)
def test_neutral_elements(function: str, expected: str):
    fold = kernels.row_fold("s", function, "v", "tile<8xf32>", "tile<f32>", 0)
    text = body(f"  %v = constant <f32: 1.0> : tile<8xf32>\n{fold}")
    found = neutral(next(op for op in entry(text).body.ops if op.name == "reduce"))
    assert found == expected


def test_what_branches_hand_on_is_one_variable_unless_both_are_needed():
    body = entry(kernels.branching()).body
    variables = Variables(body)
    (loop,) = (op for op in body.ops if op.name == "loop")
    branch = next(op for op in walk(body) if op.name == "if" and op.results)
    (a, b, _), (c, d) = loop.regions[0].arguments, branch.results
    assert variables.members(a) == variables.members(c) == {id(a), id(c), id(loop.results[0])}
    assert variables.members(b) == variables.members(d) == {id(b), id(d), id(loop.results[1])}


def test_a_bool_of_a_row_joins_the_masks_of_its_strips():
    """As in `r < rows && c < columns`: the comparison of rows is a scalar of the loops."""
    text = body("""  %i = iota : tile<32xi32>
  %r = reshape %i : tile<32xi32> -> tile<32x1xi32>
  %c = reshape %i : tile<32xi32> -> tile<1x32xi32>
  %s = reshape %n : tile<i32> -> tile<1x1xi32>
  %u = broadcast %s : tile<1x1xi32> -> tile<32x1xi32>
  %v = broadcast %s : tile<1x1xi32> -> tile<1x32xi32>
  %row = cmpi less_than %r, %u, signed : tile<32x1xi32> -> tile<32x1xi1>
  %column = cmpi less_than %c, %v, signed : tile<1x32xi32> -> tile<1x32xi1>
  %rows = broadcast %row : tile<32x1xi1> -> tile<32x32xi1>
  %columns = broadcast %column : tile<1x32xi1> -> tile<32x32xi1>
  %both = andi %rows, %columns : tile<32x32xi1>
  %x = broadcast %r : tile<32x1xi32> -> tile<32x32xi32>
  %y = broadcast %c : tile<1x32xi32> -> tile<32x32xi32>
  %z = select %both, %x, %y : tile<32x32xi1>, tile<32x32xi32>
  print_tko "%d", %z : tile<32x32xi32> -> token""")
    [nest] = nests(text)
    bools = [value for op in nest.ops for value in op.results if str(value.type).endswith("i1>")]
    assert len(bools) == 5
    assert [value.name for value in bools if id(value) not in nest.masks] == ["row"]
    cxx, _, _ = fuse(tileir.parse(text))
    assert "loops::splat<ct::tile<mask" in cxx and "splat<ct::tile<bool" not in cxx


@pytest.mark.parametrize(("columns", "fused"), [(8, False), (16, True)])
def test_short_rows_of_memory_are_stored_whole(columns: int, fused: bool):
    shape, tensor = f"64x{columns}", f"tensor_view<?x{columns}xf32, strides=[{columns},1]>"
    text = body(f"""  %t = make_tensor_view %p, shape = [%n, {columns}], strides = [{columns}, 1]
    : tile<i32> -> {tensor}
  %v = make_partition_view %t : partition_view<tile=({shape}), {tensor}>
  %z = constant <i32: 0> : tile<i32>
  %a, %u = load_view_tko weak %v[%n, %z] : partition_view<tile=({shape}), {tensor}>, tile<i32>
    -> tile<{shape}xf32>, token
  %b = exp %a : tile<{shape}xf32>
  %w = store_view_tko weak %b, %v[%n, %z] : tile<{shape}xf32>, partition_view<tile=({shape}), {tensor}>,
    tile<i32> -> token""")
    assert bool(nests(text)) == fused


def test_tiles_that_are_needed_after_a_branch_that_leaves_are_apart():
    """Although the branch does not need them; and so are those that an `if` gives at once."""
    kind = "tile<64xf32>"
    text = body(f"""  %z = constant <f32: 1.0> : {kind}
  %c = cmpi less_than %n, %n, signed : tile<i32> -> tile<i1>
  %ends = loop iter_values(%a = %z, %b = %z) : {kind}, {kind} -> {kind} {{
    %r:2 = if %c -> ({kind}, {kind}) {{
      yield %b, %b : {kind}, {kind}
    }} else {{
      yield %b, %a : {kind}, {kind}
    }}
    %q = if %c -> ({kind}) {{
      yield %b : {kind}
    }} else {{
      yield %r#1 : {kind}
    }}
    if %c {{
      break %q : {kind}
    }}
    %s = addf %q, %b : {kind}
    continue %s, %r#0 : {kind}, {kind}
  }}
  print_tko "%f", %ends : {kind} -> token""")
    body_of = entry(text).body
    variables = Variables(body_of)
    (loop,) = (op for op in body_of.ops if op.name == "loop")
    both, one = (op.results for op in loop.regions[0].ops if op.name == "if" and op.results)
    _, b = loop.regions[0].arguments
    assert id(both[1]) not in variables.members(both[0])
    assert id(one[0]) not in variables.members(b)
