"""groups: which operations of small kernels share loops, and which run on whole tiles."""

from __future__ import annotations

import loop_kernels as kernels
import pytest
from pass_results import body, items, nests

from pycuda_tile.tileir.ir import Operation
from pycuda_tile.tileir.loops import groups
from pycuda_tile.tileir.loops.stages import Nest


def test_what_needs_a_reduction_is_in_the_next_nest():
    found = [[op.name for op in nest.ops] for nest in nests(kernels.softmax())]
    chain = ["reshape", "broadcast"]
    sums = [["load_view_tko", "reduce"], ["load_view_tko", *chain, "subf", "exp", "reduce"]]
    assert found == [*sums, [*chain, "divf", "store_view_tko"]]


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


ROWS = """  %a = iota : tile<16xi32>
  %b = iota : tile<128xi32>
  %a1 = reshape %a : tile<16xi32> -> tile<16x1xi32>
  %a2 = broadcast %a1 : tile<16x1xi32> -> tile<16x128xi32>
  %b1 = reshape %b : tile<128xi32> -> tile<1x128xi32>
  %b2 = broadcast %b1 : tile<1x128xi32> -> tile<16x128xi32>
  %n1 = reshape %n : tile<i32> -> tile<1x1xi32>
  %n2 = broadcast %n1 : tile<1x1xi32> -> tile<16x128xi32>
  %p1 = reshape %p : tile<ptr<f32>> -> tile<1x1xptr<f32>>
  %p2 = broadcast %p1 : tile<1x1xptr<f32>> -> tile<16x128xptr<f32>>
  INDEX
  %q = offset %p2, %i : tile<16x128xptr<f32>>, tile<16x128xi32> -> tile<16x128xptr<f32>>
  %v, %t = load_ptr_tko weak %q : tile<16x128xptr<f32>> -> tile<16x128xf32>, token
  %z = negf %v : tile<16x128xf32>
  %u = store_ptr_tko weak %q, %z : tile<16x128xptr<f32>>, tile<16x128xf32> -> token
  print_tko "%f", %z : tile<16x128xf32> -> token
"""


@pytest.mark.parametrize(
    "index, shortest",
    [
        ("%i = divi %b2, %n2 signed : tile<16x128xi32>", 128),
        ("%i = remi %b2, %n2 unsigned : tile<16x128xi32>", 128),
        ("%i = divi %b2, %n2 signed rounding<negative_inf> : tile<16x128xi32>", 128),
        ("%i = divi %b2, %n2 signed rounding<positive_inf> : tile<16x128xi32>", None),
        ("%i = divi %n2, %b2 signed : tile<16x128xi32>", None),
        ("%i = muli %a2, %b2 : tile<16x128xi32>", None),
        ("%i = xori %b2, %n2 : tile<16x128xi32>", None),
        (
            """%x1 = muli %a1, %a1 : tile<16x1xi32>
  %x2 = broadcast %x1 : tile<16x1xi32> -> tile<16x128xi32>
  %i = addi %x2, %b2 : tile<16x128xi32>""",
            8,
        ),
    ],
)
def test_places_that_loops_compute(index: str, shortest: int | None):
    """Along a row, they are affine up to a change of a quotient; rows may begin anywhere. Short rows are left
    to whole tiles, unless they are neighbours."""
    for columns in (128, 64, 8):
        found, _ = items(body(ROWS.replace("INDEX", index).replace("128x", f"{columns}x")))
        loads = [item for item in found if isinstance(item, Operation) and item.name == "load_ptr_tko"]
        assert (not loads) == (shortest is not None and columns >= shortest)


@pytest.mark.parametrize("count, in_loops", [(32, False), (64, True)])
def test_few_pointers_have_no_loops_of_their_own(count: int, in_loops: bool):
    pointers = ARBITRARY.replace("64x", f"{count}x").partition("  %c")[0]
    load = f"  %v, %t = load_ptr_tko acquire device %q : tile<{count}xptr<f32>> -> tile<{count}xf32>, token"
    found, _ = items(body(f"{pointers}{load}\n"))
    first = next(item for item in found if isinstance(item, Nest) or item.name == "offset")
    assert isinstance(first, Nest) == in_loops


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


@pytest.mark.parametrize(
    ("count", "pointers"),
    [("muli %a, %a", [1, 1]), ("divi %n64, %a signed", [2])],
    ids=["apart", "together"],  # what is cheap is computed for each use, so that these share nothing
)
def test_places_of_several_gathered_tiles_are_made_before_all_else(count: str, pointers: list[int]):
    loads = f"""  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %n64 = broadcast %n1 : tile<1xi32> -> tile<64xi32>
  %m = constant <i32: 9> : tile<64xi32>
  %below = cmpi less_than %a, %m, signed : tile<64xi32> -> tile<64xi1>
  %pad = constant <f32: 1.0> : tile<64xf32>
  %h = {count} : tile<64xi32>
  %o = offset %w, %h : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %first, %t1 = load_ptr_tko weak %o, %below, %pad
    : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %x = exp %c : tile<64xf32>
  %y = mulf %x, %first : tile<64xf32>
  %d = addi %h, %a : tile<64xi32>
  %u = offset %w, %d : tile<64xptr<f32>>, tile<64xi32> -> tile<64xptr<f32>>
  %second, %t2 = load_ptr_tko weak %u, %below, %pad
    : tile<64xptr<f32>>, tile<64xi1>, tile<64xf32> -> tile<64xf32>, token
  %z = addf %y, %second : tile<64xf32>
  print_tko "%f", %z : tile<64xf32> -> token"""
    found, _ = items(body(ARBITRARY + loads))
    kinds = [
        [str(value.type) for value in item.outputs] if isinstance(item, Nest) else item.name for item in found
    ]
    assert [len(each) for each in kinds if "tile<64xptr<f32>>" in each] == pointers, kinds
    assert kinds[-5:] == ["load_ptr_tko", "load_ptr_tko", ["tile<64xf32>"], "print_tko", "return"], kinds


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


@pytest.mark.parametrize("rows, columns, fused", [(16, 4, False), (16, 8, True), (4, 16, True)])
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


SPREAD = """  %s = broadcast %c : tile<64x1xf32> -> tile<64x128xf32>
  %i = iota : tile<128xi32>
  %f = itof %i signed : tile<128xi32> -> tile<128xf32>
  %g = reshape %f : tile<128xf32> -> tile<1x128xf32>
  %h = broadcast %g : tile<1x128xf32> -> tile<64x128xf32>
  %o = mulf %s, %h : tile<64x128xf32>
  %q = addf %o, %h : tile<64x128xf32>
  print_tko "%f", %q : tile<64x128xf32> -> token"""


SMALL_FLOATS = """ftof %v : tile<64xf32> -> tile<64xf8E4M3FN>
  %e = ftof %b : tile<64xf8E4M3FN> -> tile<64xf32>"""


@pytest.mark.parametrize(
    "slow", ["exp %v : tile<64xf32>", SMALL_FLOATS], ids=["exponentials", "floats of 8 bits"]
)
def test_what_takes_long_of_a_column_is_computed_by_strips(slow: str):
    name = "%b" if "%e" in slow else "%e"
    column = f"""  %r = iota : tile<64xi32>
  %v = itof %r signed : tile<64xi32> -> tile<64xf32>
  {name} = {slow}
  %c = reshape %e : tile<64xf32> -> tile<64x1xf32>
"""
    first, second = nests(body(column + SPREAD))
    assert first.axes.extents == [64] and slow.partition(" ")[0] in [op.name for op in first.ops]
    assert sorted(second.axes.extents) == [64, 128]


@pytest.mark.parametrize("rows", [64, 16])
def test_exponentials_of_rows_do_not_run_row_by_row(rows: int):
    """As of the greatest score in attention, of which the loops need the number itself, too."""
    column = f"""  %r = iota : tile<{rows}xi32>
  %v = itof %r signed : tile<{rows}xi32> -> tile<{rows}xf32>
  %e = exp %v : tile<{rows}xf32>
  %c = reshape %v : tile<{rows}xf32> -> tile<{rows}x1xf32>
"""
    text = column + SPREAD.replace("64x", f"{rows}x")
    found = nests(body(text + f'\n  print_tko "%f", %e : tile<{rows}xf32> -> token'))
    assert [nest.axes.extents for nest in found] == [[rows], [rows, 128]]
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


def test_many_reductions_in_a_row_are_planned_in_a_few_steps(monkeypatch: pytest.MonkeyPatch):
    """Each has loops of its own. That others do not fit into these is found at once, not one by one."""
    count, view = 96, "tensor_view<4096x32xf32, strides=[32,1]>"
    parts = f"partition_view<tile=(32x32), {view}>"
    lines = [
        f"%v = make_tensor_view %p, shape = [4096, 32], strides = [32, 1] : {view}",
        f"%w = make_partition_view %v : {parts}",
        "%z = constant <i32: 0> : tile<i32>",
        "%s0 = constant <f32: 0.0> : tile<32xf32>",
    ]
    for i in range(count):
        lines += [
            f"%i{i} = constant <i32: {i}> : tile<i32>",
            f"%x{i}, %t{i} = load_view_tko weak %w[%i{i}, %z] : {parts}, tile<i32>",
            "-> tile<32x32xf32>, token",
            f"%r{i} = reduce %x{i} dim=0 identities=[0.0 : f32] : tile<32x32xf32> -> tile<32xf32>",
            "(%a: tile<f32>, %b: tile<f32>) { %c = addf %a, %b : tile<f32>  yield %c : tile<f32> }",
            f"%s{i + 1} = addf %s{i}, %r{i} : tile<32xf32>",
        ]
    lines.append(f'print_tko "%f", %s{count} : tile<32xf32> -> token')
    planned: list[object] = []
    plan = groups.plan
    monkeypatch.setattr(groups, "plan", lambda *given: planned.append(given) or plan(*given))
    found = nests(body("\n".join(lines)))
    assert sum(op.name == "reduce" for nest in found for op in nest.ops) == count
    assert len(planned) < 12 * count


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
    ("shape", "operation", "row", "stored"),
    [
        *[("64x8", "exp", "n", False), ("64x16", "exp", "n", True), ("64x8", "negf", "z", True)],
        *[("1x8", "negf", "n", True), ("1x8", "negf", "z", False)],
        *[("1x32", "negf", "n", True), ("1x32", "negf", "z", False), ("1x64", "negf", "z", True)],
    ],
)
def test_short_rows_of_memory(shape: str, operation: str, row: str, stored: bool):
    """They share loops if vectors are whole, and if loops make up for the tests before them. There are none
    of these where a tile is stored to the row from which it was loaded."""
    columns = shape.partition("x")[2]
    tensor = f"tensor_view<?x{columns}xf32, strides=[{columns},1]>"
    text = body(f"""  %t = make_tensor_view %p, shape = [%n, {columns}], strides = [{columns}, 1]
    : tile<i32> -> {tensor}
  %v = make_partition_view %t : partition_view<tile=({shape}), {tensor}>
  %z = constant <i32: 0> : tile<i32>
  %a, %u = load_view_tko weak %v[%n, %z] : partition_view<tile=({shape}), {tensor}>, tile<i32>
    -> tile<{shape}xf32>, token
  %b = {operation} %a : tile<{shape}xf32>
  %w = store_view_tko weak %b, %v[%{row}, %z] : tile<{shape}xf32>, partition_view<tile=({shape}), {tensor}>,
    tile<i32> -> token""")
    assert ("store_view_tko" in {op.name for nest in nests(text) for op in nest.ops}) == stored


@pytest.mark.parametrize("mask", ["", ", %m"], ids=["whole", "masked"])
def test_masks_of_short_rows_are_applied_in_loops(mask: str):
    """Whole tiles store masked elements one by one."""
    kinds = "tile<32xptr<f32>>, tile<32xf32>" + (", tile<32xi1>" if mask else "")
    found = nests(
        body(f"""  %a = iota : tile<32xi32>
  %r = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %w = broadcast %r : tile<1xptr<f32>> -> tile<32xptr<f32>>
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %n32 = broadcast %n1 : tile<1xi32> -> tile<32xi32>
  %m = cmpi less_than %a, %n32, signed : tile<32xi32> -> tile<32xi1>
  %b = addi %a, %n32 : tile<32xi32>
  %q = offset %w, %b : tile<32xptr<f32>>, tile<32xi32> -> tile<32xptr<f32>>
  %o = offset %w, %a : tile<32xptr<f32>>, tile<32xi32> -> tile<32xptr<f32>>
  %v, %t = load_ptr_tko weak %q : tile<32xptr<f32>> -> tile<32xf32>, token
  %x = negf %v : tile<32xf32>
  %u = store_ptr_tko weak %o, %x{mask} : {kinds} -> token""")
    )
    assert ("store_ptr_tko" in {op.name for nest in found for op in nest.ops}) == bool(mask)


@pytest.mark.parametrize(
    ("size", "kind", "shape", "in_loops"),
    [
        *[(64, "f32", "", False), (128, "f32", "", True), (256, "i8", "", False), (512, "i8", "", True)],
        *[(32, "f32", "pointers", False), (64, "f32", "pointers", True)],
        *[(32, "f32", "permute", False), (64, "f32", "permute", True)],
    ],
)
def test_few_elements_are_copied_whole(size: int, kind: str, shape: str, in_loops: bool):
    tensor = f"tensor_view<?x{kind}, strides=[1]>"
    view, tile, half = f"partition_view<tile=({size}), {tensor}>", f"tile<{size}x{kind}>", size // 2
    text = f"""entry @k(%p: tile<ptr<{kind}>>, %q: tile<ptr<{kind}>>, %n: tile<i32>) {{
  %a = iota : tile<{size}xi32>
  %r = reshape %p : tile<ptr<{kind}>> -> tile<1xptr<{kind}>>
  %w = broadcast %r : tile<1xptr<{kind}>> -> tile<{size}xptr<{kind}>>
  %from = offset %w, %a : tile<{size}xptr<{kind}>>, tile<{size}xi32> -> tile<{size}xptr<{kind}>>
  %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> {tensor}
  %o = make_tensor_view %q, shape = [%n], strides = [1] : tile<i32> -> {tensor}
  %v = make_partition_view %t : {view}
  %to = make_partition_view %o : {view}
"""
    if shape == "pointers":
        text += f"  %x, %u = load_ptr_tko weak %from : tile<{size}xptr<{kind}>> -> {tile}, token\n"
    else:
        text += f"  %x, %u = load_view_tko weak %v[%n] : {view}, tile<i32> -> {tile}, token\n"
    if shape == "permute":
        text += f"""  %b = reshape %x : {tile} -> tile<2x{half}x{kind}>
  %c = permute %b [1, 0] : tile<2x{half}x{kind}> -> tile<{half}x2x{kind}>
  %y = reshape %c : tile<{half}x2x{kind}> -> {tile}
"""
    stored = "%y" if shape == "permute" else "%x"
    text += (
        f"  %s = store_view_tko weak {stored}, %to[%n] : {tile}, {view}, tile<i32> -> token\n  return\n}}\n"
    )
    assert bool(nests(text)) == in_loops


@pytest.mark.parametrize(
    ("shape", "operation", "in_loops"),
    [
        *[("16x16", "maxf %a, %a", True), ("16x8", "maxf %a, %a", True), ("32x4", "maxf %a, %a", False)],
        *[("16x8", "exp %a", False), ("16x16", "exp %a", True), ("16x8", "divf %a, %a", True)],
    ],
)
def test_what_takes_long_needs_whole_vectors(shape: str, operation: str, in_loops: bool):
    kind = f"tile<{shape}xf32>"
    count, columns = (int(n) for n in shape.split("x"))
    lines = f"""  %i = iota : tile<{count * columns}xi32>
  %f = itof %i signed rounding<nearest_even> : tile<{count * columns}xi32> -> tile<{count * columns}xf32>
  %m = reshape %f : tile<{count * columns}xf32> -> {kind}
  %a = addf %m, %m : {kind}
  %b = {operation} : {kind}
  print_tko "%f", %b : {kind} -> token"""
    names = {op.name for nest in nests(body(lines)) for op in nest.ops}
    assert (operation.partition(" ")[0] in names) == in_loops
