"""Fused code gives the bits of op-by-op code, and what the interpreter gives."""

from __future__ import annotations

import functools
import math

import loop_kernels as kernels
import numpy as np
import pytest
from pass_results import same

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.errors import BuildValueError
from pycuda_tile.tileir.loops import fuse

OTHERS = "  %given = itof %count signed : tile<64xi32> -> tile<64xf32>\n"
TEXT = "\n".join(
    [
        kernels.saxpy(),
        kernels.saxpy("saxpy_of_columns", "64x1"),
        kernels.softmax(),
        kernels.softmax("short_softmax", 16),
        kernels.pointers(),
        kernels.pointers("half_pointers", 64, "f16", chosen=True),
        kernels.pointers("pointers_from_n", exist="greater_than_or_equal"),
        kernels.pointers("half_pointers_after_n", 64, "f16", exist="greater_than"),
        kernels.pointers("pointers_but_n", exist="not_equal", chosen=True),
        kernels.pointers("half_pointers_but_n", 64, "f16", exist="not_equal"),
        kernels.pointers("padded", 64, padded="  %given = constant <f32: -3.5> : tile<64xf32>\n"),
        kernels.pointers("padded_by_others", 64, padded=OTHERS),
        kernels.in_place(),
        kernels.halves(),
        kernels.overlapping(),
        kernels.transposed(),
        kernels.carried(),
        kernels.carried("carried_late", late="subf %old, %acc"),
        kernels.branching(),
        kernels.sums("row_sums", "4x64", 1),
        kernels.sums("column_sums", "64x16", 0),
        kernels.sums("row_greatest", "4x64", 1, "maxf"),
        kernels.sums("short_sums", "32x8", 1),
        kernels.sums("short_greatest", "32x8", 1, "maxf"),
        kernels.sums("column_least", "16x64", 0, "minf"),
        kernels.sums("long_rows", "2x8192", 1),
        kernels.sums("long_columns", "512x16", 0),
    ]
)
SCANS = {
    "row_scan": ("4x64", 1),
    "row_products": ("2x32", 1, "mulf"),
    "row_scan_back": ("2x64", 1, "addf", "true"),
    "column_scan": ("64x16", 0),
    "column_scan_back": ("16x64", 0, "maxf", "true"),
    "long_scan": ("1x8192", 1),
    "row_scan_in_parts": ("1x512", 1, "maxf"),
    "column_scan_in_parts": ("256x16", 0, "addf", "true"),
}
TEXT += "\n".join(kernels.scans(name, *rest) for name, rest in SCANS.items())
AGAIN = kernels.row_fold("again", "addf", "c", "tile<4x64xf32>", "tile<4x64xf32>", 1)
AGAIN = AGAIN.replace("reduce %c dim=1", "scan %c dim=1 reverse=false")
TEXT += kernels.scans("scan_of_scan", "4x64", 1).replace("  %cc = addf %c,", f"{AGAIN}  %cc = addf %again,")
SCANS["scan_of_scan"] = ("4x64", 1)
SEGMENTS = {"segments": ("4x64", 1), "segments_of_columns": ("16x64", 0, "true")}
TEXT += "\n".join(kernels.segments(name, *rest) for name, rest in SEGMENTS.items())
SCANS |= SEGMENTS
BUTTERFLIES = {"butterfly": ("4x64", 32), "of_neighbours": ("16x64", 1), "of_many": ("64x64", 4)}
TEXT += "\n".join(kernels.butterfly(name, *rest) for name, rest in BUTTERFLIES.items())
GREATEST = {"greatest_of_rows": ("4x64", 1), "of_columns": ("64x16", 0), "of_long_rows": ("2x8192", 1)}
TEXT += "".join(kernels.greatest(name, *rest) for name, rest in GREATEST.items())
INSERTED = {"quarter": ((16, 8), (32, 64)), "rows": ((4, 64), (16, 64)), "of_three": ((2, 4, 8), (8, 4, 32))}
TEXT += "".join(kernels.inserted(f"inserted_{name}", *shapes) for name, shapes in INSERTED.items())
SPECIAL = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 1e-42, -1e-45, 3e38]


@functools.cache
def parsed() -> tileir.Module:
    return tileir.parse(TEXT)


@functools.cache
def built(optimize: bool | str) -> pct.Module:
    return tileir.build(parsed(), optimize=optimize, options=("-O2",))


def numbers(count: int, special: bool, kind: str = "f4") -> np.ndarray:
    rng = np.random.default_rng(count)
    values = rng.standard_normal(count)
    if special:
        places = np.linspace(0, count - 1, len(SPECIAL)).astype(int)
        values[places] = SPECIAL
    with np.errstate(over="ignore"):
        return values.astype(kind)


def check(name: str, grid, *arguments, exact: bool = True) -> None:
    """Runs a kernel in all ways; sums in another order than the interpreter's are only close to it."""
    results = []
    ways = [built(False).kernel(name), built("auto").kernel(name)]
    for launch in [
        *(way[grid] for way in ways),
        functools.partial(tileir.interpret, parsed(), name, grid),
    ]:
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
        with np.errstate(all="ignore"):
            launch(*copies)
        results.append([x for x in copies if isinstance(x, np.ndarray)])
    for by_operation, fused, interpreted in zip(*results, strict=True):
        assert same(fused, by_operation)
        if exact:
            assert same(fused, interpreted)
        else:
            np.testing.assert_allclose(fused, interpreted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("name, tile", [("saxpy", (8, 64)), ("saxpy_of_columns", (64, 1))])
@pytest.mark.parametrize("shape, pitch", [((16, 128), 128), ((11, 77), 77), ((7, 1), 5), ((9, 63), 80)])
def test_saxpy(name: str, tile: tuple[int, int], shape: tuple[int, int], pitch: int, special: bool):
    rows, columns = shape
    grid = -(-columns // tile[1]), -(-rows // tile[0])
    x, y = numbers(rows * pitch, special), numbers(rows * pitch, special)[::-1].copy()
    check(name, grid, x, y, np.zeros_like(x), np.float32(1.25), rows, columns, pitch)


@pytest.mark.parametrize("name, width", [("softmax", 256), ("short_softmax", 16)])
@pytest.mark.parametrize("missing", [0, 1, 11])
@pytest.mark.parametrize("special", [False, True])
def test_softmax(name: str, width: int, missing: int, special: bool):
    columns = width - missing
    x = numbers(4 * columns, special)
    check(name, 5, x, np.zeros_like(x), 4, columns, exact=False)


@pytest.mark.parametrize("count", [1, 31, 32, 64, 100, 127, 128, 200])
@pytest.mark.parametrize(
    "name, size, kind",
    [
        ("pointers", 128, "f4"),
        ("half_pointers", 64, "f2"),
        ("pointers_from_n", 128, "f4"),
        ("half_pointers_after_n", 64, "f2"),
    ],
)
def test_pointers(name: str, size: int, kind: str, count: int):
    x = numbers(256, True, kind)
    check(name, 256 // size if name.endswith("_n") else -(-count // size), x, np.zeros_like(x), count)


@pytest.mark.parametrize("count", [0, 1, 31, 100, 127, 128])
@pytest.mark.parametrize(
    "name, size, kind", [("pointers_but_n", 128, "f4"), ("half_pointers_but_n", 64, "f2")]
)
def test_masks_that_are_no_bounds(name: str, size: int, kind: str, count: int):
    x = numbers(256, True, kind)
    check(name, 256 // size, x, np.zeros_like(x), count)
    attributes = built("auto").kernel(name).attributes
    assert attributes["path"] == "fused" and "reason" not in attributes


@pytest.mark.parametrize("name", ["padded", "padded_by_others"])
def test_padding(name: str):
    for count in (1, 20, 64, 80):
        x = np.round(numbers(128, False) * 8)
        check(name, 2, x, np.zeros_like(x), count)


@pytest.mark.parametrize("first", [0, 2, -1, 2**63 // 3, 2**61])
def test_overlapping(first: int):
    """Also rows far outside, whose place would wrap around."""
    x = numbers(9 * 45, True)
    check("overlapping", (2, 2), x, np.zeros((8, 64), np.float32), 9, 45, np.int64(first))
    attributes = built("auto").kernel("overlapping").attributes
    assert attributes["path"] == "fused" and "reason" not in attributes


@pytest.mark.parametrize("count", [64, 40, 100])
def test_in_place(count: int):
    x = np.round(numbers(count, False) * 8)
    check("in_place", -(-count // 64), x, np.zeros_like(x), count)


@pytest.mark.parametrize(
    "name, shape, exact",
    [
        ("row_sums", (4, 64), False),
        ("row_greatest", (4, 64), True),
        ("short_sums", (32, 8), False),
        ("short_greatest", (32, 8), True),
        ("column_sums", (64, 16), False),
        ("column_least", (16, 64), True),
        ("long_rows", (2, 8192), False),
        ("long_columns", (512, 16), False),
    ],
)
@pytest.mark.parametrize("special", [False, True])
def test_reductions(name: str, shape: tuple[int, int], exact: bool, special: bool):
    x = numbers(shape[0] * shape[1], special)
    left = shape[1] if name.startswith("column") or name == "long_columns" else shape[0]
    if special and not exact:
        x[x != x] = 1
        x[np.isinf(x)] = -2
        x[np.abs(x) > 1e30] = 3
    check(name, 1, x, np.zeros(left, np.float32), np.zeros_like(x), exact=exact)


@pytest.mark.parametrize("name", GREATEST)
def test_tiles_that_are_reduced_together(name: str):
    shape, dim = GREATEST[name]
    rows, columns = map(int, shape.split("x"))
    x, left = np.random.default_rng(0).permutation(rows * columns).astype(np.float32), (columns, rows)[dim]
    most, places = np.zeros(left, np.float32), np.zeros(left, np.int32)
    check(name, 1, x, most, np.zeros_like(x), places)
    built("auto").kernel(name)[1](x, most, np.zeros_like(x), places)
    assert (places == x.reshape(rows, columns).argmax(dim)).all()
    assert built("auto").kernel(name).attributes["path"] == "fused"


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("special", [False, True])
def test_scans(name: str, special: bool):
    shape, dim, *_ = SCANS[name]
    rows, columns = map(int, shape.split("x"))
    x = numbers(rows * columns, special)
    if special:
        x[np.isnan(x) | np.isinf(x)] = -0.0
        x[np.abs(x) > 1e30] = -1
    check(name, 1, x, np.zeros(rows if dim else columns, np.float32), np.zeros_like(x), exact=False)
    assert "reason" not in built("auto").kernel(name).attributes


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("name", BUTTERFLIES)
def test_parts_that_are_joined(name: str, part: int):
    rows, columns = map(int, BUTTERFLIES[name][0].split("x"))
    x = numbers(rows * columns, True)
    check(name, 1, x, np.zeros(rows, np.float32), np.zeros_like(x), part)
    assert "reason" not in built("auto").kernel(name).attributes


@pytest.mark.parametrize("rows, columns", [(16, 64), (21, 70), (3, 5)])
@pytest.mark.parametrize("name", ["carried", "carried_late"])
def test_carried_tiles(name: str, rows: int, columns: int):
    x = np.round(numbers(rows * columns, False) * 16)
    check(name, -(-rows // 16), x, np.zeros(rows, np.float32), rows, columns)


@pytest.mark.parametrize("rounds", [0, 1, 2, 3, 7])
def test_tiles_that_branches_hand_on(rounds: int):
    check("branching", 1, numbers(64, True), numbers(64, True)[::-1].copy(), rounds)
    assert "reason" not in built("auto").kernel("branching").attributes


@pytest.mark.parametrize("which", ["first", "last", "beyond"])
@pytest.mark.parametrize("name", INSERTED)
def test_parts_that_are_replaced(name: str, which: str):
    """Beyond the tile nothing is, as operation by operation."""
    part, whole = INSERTED[name]
    counts = [m // n for m, n in zip(whole, part, strict=True)]
    index = {"first": [0] * len(counts), "last": [n - 1 for n in counts], "beyond": counts}[which]
    x, y = (numbers(math.prod(shape), True) for shape in (part, whole))
    results = []
    for optimize in (False, "auto"):
        results.append(y.copy())
        built(optimize).kernel(f"inserted_{name}")[1](x, results[-1], *index)
    with np.errstate(over="ignore"):
        expected, twice = (y + y).reshape(whole), (x + x).reshape(part)
    if which != "beyond":
        expected[tuple(slice(i * n, i * n + n) for i, n in zip(index, part, strict=True))] = twice
    assert same(*results) and same(results[1].reshape(whole), expected)
    assert "reason" not in built("auto").kernel(f"inserted_{name}").attributes


def test_autotune_tells_the_ways_apart():
    ways = [built(optimize).kernel("saxpy")._request.way for optimize in (False, "auto")]
    assert ways[0] | {"optimize": "auto"} == ways[1] != ways[0]


def test_large_results():
    """They are stored past the caches, where rows lie at multiples of 16 bytes."""
    for columns, skipped in ((2048, 0), (2048, 1), (2047, 0)):
        x = np.tile(numbers(2048, True), 2049)[: 2048 * columns]
        results = []
        for optimize in (False, "auto"):
            memory = np.zeros(2048 * columns + 4, np.float32)
            out = memory[skipped : skipped + x.size]
            kernel = built(optimize).kernel("saxpy")
            kernel[-(-columns // 64), 256](x, x, out, np.float32(0.5), 2048, columns, columns)
            results.append(out)
        assert same(*results) and results[0].any()


@pytest.mark.parametrize(
    "name, shift", [("pointers", 1), ("pointers", 0), ("softmax", 5), ("softmax", 0), ("in_place", 7)]
)
def test_arrays_that_overlap(name: str, shift: int):
    """Each block reads what it has not written yet, whatever the order of its loops."""
    results = []
    for optimize in (False, "auto"):
        memory = numbers(1024, False)
        x, out = memory[128 : 128 + 512], memory[128 + shift : 128 + shift + 512]
        numbers_of = {"pointers": (100,), "softmax": (1, 200), "in_place": (60,)}[name]
        built(optimize).kernel(name)[1](x, out, *numbers_of)
        results.append(memory)
    assert same(*results) and not same(memory, numbers(1024, False))


@pytest.mark.parametrize("shift", [512, 16, 5, -8])
def test_halves_of_rows_do_not_overlap(shift: int):
    """The loops may store both in one array, unless that is the other one."""
    insisting = tileir.build(tileir.parse(kernels.halves()), optimize=True, options=("-O2",))
    results = []
    for kernel in (built("auto").kernel("halves"), built(False).kernel("halves"), insisting.kernel("halves")):
        memory = numbers(1600, False)
        x, out = memory[512:1024], memory[512 + shift : 1024 + shift]
        if len(results) == 2 and shift < 512:
            with pytest.raises(pct.LaunchError, match="arrays overlap"):
                kernel[1](x, out, 16)
        else:
            kernel[1](x, out, 16)
            results.append(memory)
    assert all(same(results[0], result) for result in results)
    assert not same(results[0], numbers(1600, False))


def test_one_array_twice():
    x = [numbers(128, True) for _ in range(2)]
    for optimize in (False, "auto"):
        built(optimize).kernel("pointers")[1](x[bool(optimize)], x[bool(optimize)], 99)
    assert same(*x) and not same(x[0], numbers(128, True))


def test_kernels_of_these_tests_are_fused():
    assert {found["path"] for found in fuse(parsed())[2].values()} == {"fused"}


def test_attributes():
    assert built("auto").kernel("softmax").attributes["path"] == "fused"
    assert built(False).kernel("softmax").attributes["path"] == "by operation"
    kind = "tile<4x64xf32>"
    prints = f'  print_tko "%f", %p : {kind} -> token\n'
    partly = kernels.sums("partly", "4x64", 1).replace("  %d = addf", f"{prints}  %d = addf")
    copy = kernels.sums("copy", "4x64", 1, "maxf").replace("%d = addf %p, %p", "%d = negf %p")
    _, _, attributes = fuse(tileir.parse(partly + copy))
    line = partly[: partly.index("print_tko")].count("\n") + 1
    assert attributes == {
        "partly": {"path": "fused", "reason": f"line {line}: print_tko: there is no rule for it"},
        "copy": {"path": "fused"},
    }


@pytest.mark.parametrize("arguments", [{"target": "emulated"}, {"checked": True}])
def test_optimize_is_for_plain_builds_for_the_cpu(arguments: dict):
    with pytest.raises(BuildValueError, match="optimize=True is not for this build"):
        tileir.build(tileir.parse(kernels.saxpy()), optimize=True, **arguments)


@pytest.mark.parametrize("optimize", ["auto", False])
@pytest.mark.parametrize(("function", "expected"), [("maxi", False), ("mini", True)])
def test_signed_bools_are_zero_and_minus_one(function: str, expected: bool, optimize: str | bool):
    view = "partition_view<tile=(64), tensor_view<64xi1, strides=[1]>>"
    text = f"""entry @fold(%x: tile<ptr<i1>>, %out: tile<ptr<i1>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %tensor = make_tensor_view %x, shape = [64], strides = [1] : tensor_view<64xi1, strides=[1]>
  %view = make_partition_view %tensor : {view}
  %a, %t0 = load_view_tko weak %view[%zero] : {view}, tile<i32> -> tile<64xi1>, token
  %r = reduce %a dim=0 identities=[0 : i1] : tile<64xi1> -> tile<i1>
    (%e: tile<i1>, %b: tile<i1>) {{
      %c = {function} %e, %b signed : tile<i1>
      yield %c : tile<i1>
    }}
  %t1 = store_ptr_tko weak %out, %r : tile<ptr<i1>>, tile<i1> -> token
  return
}}
"""
    module, x = tileir.parse(text), np.arange(64) % 5 == 0
    results = [np.full(1, not expected), np.full(1, not expected)]
    tileir.interpret(module, "fold", 1, x, results[0])
    tileir.build(module, optimize=optimize).kernel("fold")[1](x, results[1])
    assert [bool(result[0]) for result in results] == [expected, expected]
