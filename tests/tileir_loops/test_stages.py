"""strips and stages: the loops of small kernels, what they keep, and which bools are masks."""

from __future__ import annotations

import re

import loop_kernels as kernels
import pytest
from pass_results import body, nests

from pycuda_tile import tileir
from pycuda_tile.tileir.loops.translate import fuse


@pytest.fixture
def leaves_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are as if they were large."""
    monkeypatch.setattr("pycuda_tile.tileir.loops.stages._IN_CACHES", 0)


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


@pytest.mark.parametrize(
    "shape, rows", [("16x16", "8"), ("8x64", "4"), ("8x512", "2"), ("2x4096", ""), ("1x4096", "")]
)
def test_short_rows_are_prefetched(shape: str, rows: str):
    text = fuse(tileir.parse(kernels.saxpy("s", shape)))[0]
    ahead = re.findall(r"loops::prefetch<strip>\(.* \+ (\d) \* ", text)
    assert ahead == ([rows] * 2 if rows else [])


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


SELECTED = "%r = select %both, %a, %z : tile<1024xi1>, tile<1024xi32>"


@pytest.mark.parametrize(
    ("use", "masks"),
    [
        (SELECTED, {"cmpi": 2, "andi": 1}),
        ("%r = exti %both unsigned : tile<1024xi1> -> tile<1024xi32>", {"cmpi": 2, "andi": 1}),
        (
            "%e = exti %both unsigned : tile<1024xi1> -> tile<1024xi8>\n"
            "  %r = exti %e unsigned : tile<1024xi8> -> tile<1024xi32>",
            {},
        ),
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


def test_scans_need_no_stage():
    *_, columns = nests(kernels.scans("s", "64x16", 0, "addf", "true"))
    (rows,) = nests(kernels.scans("s", "4x64", 1))
    for nest in (columns, rows):
        levels = [nest.level(op) for op in nest.ops if op.name in ("scan", "store_view_tko")]
        assert levels == [0, 0] and not nest.buffers
    assert columns.backward and not rows.backward


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
