"""pct.show: which elements are coloured, against NumPy; how threads share a tile, against a kernel."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import pictures
from pycuda_tile.pictures import svg

SVG = "{http://www.w3.org/2000/svg}"


def cells(picture: pictures.Picture, grid: str = "array") -> dict[tuple[int, ...], tuple[str, str]]:
    """Fill and text of each element that a picture shows, by its index."""
    found = {}
    for group in ElementTree.fromstring(str(picture)).iter(f"{SVG}g"):
        if group.get("data-grid") == grid:
            for cell, after in zip(group, [*group[1:], None], strict=True):
                if cell.tag == f"{SVG}rect":
                    index = tuple(int(i) for i in cell.get("data-index").split(",") if i)
                    has_text = after is not None and after.tag == f"{SVG}text"
                    is_in_it = has_text and float(after.get("x")) == float(cell.get("x")) + 17
                    found[index] = (cell.get("class"), after.text if is_in_it else "")
    return found


def touched(picture: pictures.Picture, shape: tuple[int, ...]) -> np.ndarray:
    found = cells(picture)
    array = np.zeros(shape, bool)
    for index in np.ndindex(*shape):
        array[index] = found[index][0] == "touched"
    return array


@pytest.mark.parametrize(
    ("extents", "shape", "index"),
    [
        ((10, 14), (4, 8), (2, 1)),
        ((9,), (4,), (0,)),
        ((3, 6, 10), (2, 4, 4), (1, 1, 2)),
        ((1, 1), (1, 1), (0, 0)),
    ],
)
def test_a_partition_is_a_slice(extents, shape, index):
    picture = pct.show(pictures.partition_view(extents, shape, index))
    expected = np.zeros(extents, bool)
    expected[tuple(slice(i * n, (i + 1) * n) for i, n in zip(index, shape, strict=True))] = True
    assert np.array_equal(touched(picture, extents), expected)
    outside = [i for i, (kind, _) in cells(picture).items() if kind == "outside"]
    assert len(outside) + expected.sum() == np.prod(shape)


def test_what_is_outside_of_the_span_is_padding_or_undefined():
    masked = pct.show(pictures.partition_view(6, 4, 1, padding="nan"))
    assert [cells(masked)[i,] for i in (3, 4, 5, 6, 7)] == [
        ("plain", ""),
        ("touched", "0"),
        ("touched", "1"),
        ("outside", "nan"),
        ("outside", "nan"),
    ]
    unmasked = cells(pct.show(pictures.partition_view(6, 4, 1, masked=False)))
    assert unmasked[6,] == unmasked[7,] == ("undefined", "?")
    assert not any(
        kind == "touched" for kind, _ in cells(pct.show(pictures.partition_view(6, 4, -1))).values()
    )


def test_all_partitions_are_drawn_with_their_indices():
    found = cells(pct.show(pictures.partition_view((5, 8), (2, 4))))
    for i, j in np.ndindex(5, 8):
        assert found[i, j][1] == f"{i // 2},{j // 4}"
        for beside in ((i - i % 2 - 1, j), (i, j - j % 4 - 1)):
            assert beside not in found or found[beside][0] != found[i, j][0]
    assert found[5, 0] == ("outside", "0")


def test_chunks_of_a_strided_view_overlap_or_leave_gaps():
    for length, step in ((8, 4), (2, 3), (4, 4)):
        found = cells(pct.show(pictures.strided_view(20, length, step)))
        for i in range(20):
            chunks = [k for k in range(0, 20, step) if k <= i < k + length]
            kind, text = found[i,]
            assert text == " ".join(str(k // step) for k in chunks)
            assert (kind == "plain", kind == "overlap") == (not chunks, len(chunks) > 1)
    assert cells(pct.show(pictures.strided_view(16, 8, 2)))[10,] == ("overlap", "4x")
    one = pct.show(pictures.strided_view((6, 20), (2, 4), (3, 6), (1, 2)))
    expected = np.zeros((6, 20), bool)
    expected[3:5, 12:16] = True
    assert np.array_equal(touched(one, (6, 20)), expected)


def lines(picture: pictures.Picture) -> set[tuple[str, int]]:
    """Where thick lines stand: ("x" or "y", position), positions counted in cells."""
    ends = re.findall(r'M(\S+) (\S+?)L(\S+) (\S+?)(?=[M"])', str(picture))
    columns = {float(x1) for x1, _, x2, _ in ends if x1 == x2}
    rows = {float(y1) for _, y1, _, y2 in ends if y1 == y2}
    return {("x", round((x - min(columns)) / 34)) for x in columns} | {
        ("y", round((y - min(rows)) / 22)) for y in rows
    }


def test_thick_lines_are_around_the_span_and_the_chunk():
    picture = pct.show(pictures.partition_view((10, 14), (4, 8), (2, 1)))
    assert lines(picture) == {("x", n) for n in (0, 8, 14, 16)} | {("y", n) for n in (0, 8, 10, 12)}
    assert lines(pct.show(pictures.pointers((3, 5), [0, 7]))) == {("x", 0), ("x", 5), ("y", 0), ("y", 3)}
    assert not lines(pct.show(np.zeros((3, 4))))


def test_numbers_of_columns_do_not_overlap():
    view = pictures.partition_view((4, 2**20), (4, 8), (0, 2**17 - 1))
    numbers = {
        float(x): words for x, words in re.findall(r'<text x="(\S+)" y="10">(\d+)<', str(pct.show(view)))
    }
    places = sorted(numbers)
    assert len(places) > 8 and numbers[places[-1]].startswith("10485")
    assert all(b - a >= 6.1 * len(numbers[a]) for a, b in pairwise(places))


def test_a_gathered_chunk_has_the_rows_of_its_list():
    rows = [7, 0, 0, 12]
    picture = pct.show(pictures.gather_scatter_view((9, 8), (4, 4), 0, (rows, 2)))
    expected = np.zeros((9, 8), bool)
    expected[np.array([7, 0]), 2:6] = True
    assert np.array_equal(touched(picture, (9, 8)), expected)
    assert cells(picture)[7, 3][1] == "0,1" and cells(picture)[0, 2][1] == "1,0+"
    assert cells(picture)[12, 5] == ("outside", "0")


def test_pointers_with_a_mask():
    offsets, mask = np.array([3, 1, 1, 8, 20, 21]), np.array([1, 1, 1, 0, 0, 1], bool)
    found = cells(pct.show(pictures.pointers((3, 5), offsets, mask)))
    assert {i: text for i, (kind, text) in found.items() if kind == "touched"} == {(0, 3): "0", (0, 1): "1+"}
    assert found[1, 3][0] == found[4, 0][0] == "outside" and found[4, 1] == ("undefined", "?")


@pytest.mark.parametrize(
    ("layout", "array"),
    [
        (pictures.layout_right((3, 5)), np.zeros((3, 5))),
        (pictures.layout_left((3, 5)), np.zeros((3, 5), order="F")),
        (pictures.layout_right_padded((3, 5), 8), np.zeros((3, 8))[:, :5]),
        (pictures.layout_left_padded((3, 5), 4), np.zeros((4, 5), order="F")[:3]),
        (pictures.layout_strided((2, 3, 2), (1, 2, 6)), np.zeros((2, 3, 2), order="F")),
        (pictures.layout_strided((3, 2), (0, 2)), np.broadcast_to(np.zeros(4)[::2], (3, 2))),
        (pictures.layout_strided(4, -1), np.zeros(4)[::-1]),
    ],
)
def test_layouts_have_the_strides_of_numpy(layout, array):
    assert layout[1:] == pictures.layout_of(array)[1:]
    picture = pct.show(array)
    for index in np.ndindex(array.shape):
        offset = sum(i * s // 8 for i, s in zip(index, array.strides, strict=True))
        assert cells(picture)[index][1] == str(offset)
        first = min(i for i in np.ndindex(array.shape) if layout.offset(i) == offset)
        assert cells(picture, "memory")[offset,][1] == ",".join(map(str, first))
    held = sum(kind != "plain" for kind, _ in cells(picture, "memory").values())
    assert held == len({layout.offset(index) for index in np.ndindex(array.shape)})


OWNERS = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
template <size_t... N> __tile_global__ void owners(int* thread, int* slot) {
  using I = ct::tile<int, ct::shape<N...>>;
  I threads = ct::full<I>(0), slots = threads;
  for (unsigned s = 0; s != sizeof threads.slots / sizeof(int); ++s)
    threads.slots[s] = ct::platform::thread(), slots.slots[s] = s;
  ct::partition_view{ct::tensor_span{thread, ct::extents{ct::integral_constant<N>{}...}},
                     ct::shape<N...>{}}.store(threads, (N * 0)...);
  ct::partition_view{ct::tensor_span{slot, ct::extents{ct::integral_constant<N>{}...}},
                     ct::shape<N...>{}}.store(slots, (N * 0)...);
}
"""
SHAPES = [(1,), (8,), (4, 8), (16, 8), (16, 1), (64, 2), (32, 32), (2, 16, 16), (128, 64)]


@pytest.mark.parametrize("threads", [1, 4, 32, 128])
def test_threads_share_a_tile_as_kernels_do(threads):
    names = [f"owners<{', '.join(map(str, shape))}>" for shape in SHAPES]
    module = pct.build(OWNERS, target="emulated", num_threads=threads, kernels=names)
    for name, shape in zip(names, SHAPES, strict=True):
        owner, slot = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
        module[name][1](owner, slot)
        tile = pictures.tile(shape, threads=threads)
        assert np.array_equal(tile.owner, owner) and np.array_equal(tile.slot, slot), shape
        assert tile.copies * tile.size == threads * len(set(slot.flat))


def test_a_shared_tile_shows_threads_and_slots():
    tile = pictures.tile((4, 4), threads=32)
    found = cells(pct.show(tile))
    assert {index: text for index, (_, text) in found.items()} == {
        index: f"{tile.owner[index]}:{tile.slot[index]}" for index in np.ndindex(4, 4)
    }
    assert tile.holders((0, 3)) == [3, 19]
    assert cells(pct.show((2, 4)))[1, 3] == ("touched", "1,3")


def test_large_arrays_are_shortened_around_what_matters():
    found = cells(pct.show(pictures.partition_view((1000, 2**40), (64, 128), (15, 2**33 - 1))))
    assert len(found) < 400
    for index in ((0, 0), (959, 2**40 - 129), (960, 2**40 - 128), (999, 2**40 - 1), (1023, 2**40 - 1)):
        assert index in found
    assert found[960, 2**40 - 128] == ("touched", "0,0") and found[1023, 2**40 - 1] == ("outside", "0")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: pct.show("text"), "expected a tile, layout or view of pycuda_tile.pictures"),
        (lambda: pct.show((3, 4)), r"power of two, got the shape \(3, 4\)"),
        (lambda: pct.show((2**12, 2**13)), "at most 2\\^24"),
        (lambda: pct.show(np.zeros((1, 1, 1, 1))), "at most 3 dimensions"),
        (lambda: pct.show(np.zeros(4, "i1,i4")["f1"]), "not multiples of its 4 byte"),
        (lambda: pictures.tile((4, 4), threads=3), "power of two from 1 to 1024, got 3"),
        (lambda: pictures.tile(4.0), "must be an integer, got 4.0"),
        (lambda: pictures.partition_view((4, 4), 4, 0), "expected 2, for 2 dimensions, got 1"),
        (lambda: pictures.partition_view(4, 4, 2**70), "got 1180591620717411303424"),
        (lambda: pictures.partition_view(-1, 4), "the extents must be from 0"),
        (lambda: pictures.partition_view(4, 4, padding="one"), "padding is one of zero, .*, got 'one'"),
        (lambda: pictures.strided_view(4, 4, 0), "the strides must be from 1"),
        (lambda: pictures.gather_scatter_view((4, 4), (2, 2), 2, (0, 0)), "less than the rank, which is 2"),
        (lambda: pictures.gather_scatter_view((4, 4), (2, 2), 0, ([1], 0)), "2 places along dimension 0"),
        (lambda: pictures.pointers(4, [0.5]), "must be integers"),
        (lambda: pictures.pointers(4, [0], [1]), "the mask must be bool"),
        (lambda: pictures.pointers(4, [0, 1], [True] * 3), "does not broadcast"),
        (lambda: pictures.pointers((0, 4), []), "no elements to point to"),
        (lambda: pictures.layout_right_padded((), 4), "at least one dimension"),
        (lambda: pictures.layout_strided((2**40, 2**40), (2, 2)).index_at(2**40 + 1), "interleave too much"),
        (lambda: pct.show((4,)).save("tile.png"), "saved as .svg"),
    ],
)
def test_what_cannot_be_drawn_is_refused(make, message):
    with pytest.raises(pct.Error, match=message) as caught:
        make()
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "what", [(), pictures.partition_view((0, 4), (2, 2), (0, 0)), pictures.layout_left((0, 3))]
)
def test_empty_and_single_arrays(what):
    ElementTree.fromstring(str(pct.show(what)))


def test_a_picture_is_shown_and_saved(tmp_path):
    picture = pct.show((2, 4))
    picture.save(tmp_path / "tile.svg")
    assert (tmp_path / "tile.svg").read_text() == picture._repr_svg_() == str(picture)
    assert repr(picture) == "<pycuda_tile picture: tile of shape (2, 4)>"


def test_text_is_legible_on_every_fill():
    """The contrast that WCAG asks of text, on light and on dark ground."""

    def luminance(colour: str) -> float:
        values = [int(part, 16) / 255 for part in re.findall("..", colour[1:])]
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for ground in (0, 1):
        for kind, fill in svg.FILLS.items():
            a, b = sorted((luminance(fill[ground]), luminance(svg.INK[ground])))
            assert (b + 0.05) / (a + 0.05) >= 4.5, (kind, ground)
    assert "prefers-color-scheme:dark" in str(pct.show(4))
