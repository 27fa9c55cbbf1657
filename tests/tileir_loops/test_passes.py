"""Axes, pointers, effects, neutral elements and variables, each by itself, in small kernels."""

from __future__ import annotations

import loop_kernels as kernels
import pytest
from pass_results import body, entry, nests

from pycuda_tile.tileir.ir import walk
from pycuda_tile.tileir.loops.affine import Analysis
from pycuda_tile.tileir.loops.axes import Axes
from pycuda_tile.tileir.loops.effects import effects
from pycuda_tile.tileir.loops.facts import has_tiles
from pycuda_tile.tileir.loops.fallback import Fallback
from pycuda_tile.tileir.loops.neutral import neutral
from pycuda_tile.tileir.loops.simplify import simplify
from pycuda_tile.tileir.loops.variables import Variables


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


@pytest.mark.parametrize("chosen", [False, True])
@pytest.mark.parametrize("exist, least", [("less_than", False), ("greater_than", True)])
def test_pointers_that_grow_by_steps(chosen: bool, exist: str, least: bool):
    (nest,) = nests(kernels.pointers(exist=exist, chosen=chosen))
    for access in nest.effects.accesses:
        assert access.pointers is not None and list(access.pointers.steps.values()) == [{(): 1}]
        ((limit,), (offsets, *_)) = access.limits, access.ranges
        assert (limit.factors, limit.inclusive, limit.unsigned) == ({0: 1}, False, False)
        assert limit.is_least == least
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
    (nest,) = nests(kernels.pointers(exist="not_equal"))
    for access in nest.effects.accesses:
        assert access.mask is not None and access.mask in nest.inputs(access.op) and not access.limits


def test_a_load_after_a_store_to_the_same_place_starts_a_group():
    ops = [op for op in simplify(entry(kernels.in_place())).body.ops if has_tiles(op)]
    load, store = (next(op for op in ops if op.name == name) for name in ("load_view_tko", "store_view_tko"))
    analysis = Analysis(Axes(ops), {})
    assert list(effects([load, store], analysis).in_place) == [id(load)]
    with pytest.raises(Fallback, match="load_view_tko: it accesses what an operation before it stores"):
        effects([store, load], analysis)


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
