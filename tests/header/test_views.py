"""Strided views, gather and scatter views, and atomic updates of views [13.4] against the NumPy reference."""

from __future__ import annotations

import numpy as np
import pytest
from targets import build

from pycuda_tile import reference

_HEAD = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
using relaxed = ct::memory_order_relaxed_t;
using device = ct::thread_scope_device_t;
template <typename E, typename T>
__tile__ void put(E* to, T const& x) {
  ct::store(to + ct::iota<ct::tile<int, ct::tile_shape_t<T>>>(), x);
}
"""
_PLACES = f"""{_HEAD}
template <typename V, typename To, typename... Idx>
__tile__ void copies(V const& from, float* out, To const& to, Idx... at) {{
  using pad = ct::view_padding_negative_inf_t;
  using acquire = ct::memory_order_acquire_t;
  put(out, from.load_masked(at...));
  put(out + 16, from.load_masked(pad{{}}, at...));
  put(out + 32, from.template atomic_load_masked<ct::view_padding::zero, ct::memory_order::relaxed>(at...));
  constexpr auto padding = ct::view_padding::negative_inf;
  put(out + 48, from.template atomic_load_masked<padding, ct::memory_order::relaxed>(pad{{}}, at...));
  put(out + 64, from.atomic_load_masked(pad{{}}, acquire{{}}, at...));
  put(out + 80, from.atomic_load_masked(pad{{}}, relaxed{{}}, device{{}}, at...));
  to.store_masked(from.load_masked(at...) + 1.0f, at...);
  to.template atomic_store_masked<ct::memory_order::relaxed>(from.load_masked(at...) + 2.0f, at...);
  to.atomic_store_masked(from.load_masked(at...) + 3.0f, ct::memory_order_release_t{{}}, at...);
  to.atomic_store_masked(from.load_masked(at...) + 4.0f, relaxed{{}}, device{{}}, at...);
}}
template <typename V, typename To, typename... Idx>
__tile__ void whole(V const& from, To const& to, Idx... at) {{
  to.store(from.load(at...), at...);
  to.template atomic_store<ct::memory_order::relaxed>(
      to.load(at...) + from.template atomic_load<ct::memory_order::relaxed>(at...), at...);
  auto acquired = to.load(at...) + from.atomic_load(ct::memory_order_acquire_t{{}}, at...);
  to.atomic_store(acquired, ct::memory_order_release_t{{}}, at...);
  auto last = from.atomic_load(relaxed{{}}, device{{}}, at...);
  to.atomic_store(to.load(at...) + last, relaxed{{}}, device{{}}, at...);
}}
__tile_global__ void strided(const float* in, float* out, float* to, int rows, int columns, int y, int x,
                             bool all) {{
  ct::extents size{{rows, columns}};
  ct::shape<2, 8> chunk;
  ct::strides steps{{3_ic, 4_ic}};
  ct::strided_view from{{ct::tensor_span{{in, size}}, chunk, steps}};
  ct::strided_view view{{ct::tensor_span{{to, size}}, chunk, steps}};
  if (all)
    whole(from, view, y, x);
  else
    copies(from, out, view, y, x);
}}
__tile_global__ void gathered(const float* in, float* out, float* to, const long long* rows_of, int rows,
                              int columns, int y, int x, bool all) {{
  ct::layout_strided_mapping apart{{ct::extents{{rows, columns}}, ct::strides{{columns, 1_ic}}}};
  ct::shape<2, 8> chunk;
  ct::gather_scatter_view from{{ct::tensor_span{{in, apart}}, chunk, 0_ic}};
  ct::gather_scatter_view view{{ct::tensor_span{{to, apart}}, chunk, 0_ic}};
  auto picked = ct::load(rows_of + 2 * y + ct::iota<ct::tile<int, ct::shape<2>>>());
  if (all)
    whole(from, view, picked, x);
  else
    copies(from, out, view, picked, x);
}}
__tile_global__ void columns(const short* in, short* out) {{
  ct::gather_scatter_view view{{ct::tensor_span{{in, ct::extents{{4, 9}}}}, ct::shape<2, 4>{{}}, 1_ic}};
  put(out, view.load(1, 8 - 2 * ct::iota<ct::tile<int, ct::shape<4>>>()));
  auto floats = ct::element_cast<float>(ct::iota<ct::tile<int, ct::shape<4>>>());
  put(out + 8, view.load_masked(3, floats + 7.5f));
}}
"""
PADDED = ("zero", "negative_inf", "zero", "negative_inf", "negative_inf", "negative_inf")


def _check_view(kernel, of, chunks: list, whole: list, more: tuple) -> None:
    """`of`: the reference's view of an array; the chunks, as the kernel's arguments and as indices."""
    rng = np.random.default_rng(len(chunks))
    values = rng.standard_normal((7, 13)).astype(np.float32)
    for arguments, index in chunks:
        out, to = np.zeros((6, 2, 8), np.float32), np.full((7, 13), 9, np.float32)
        kernel[1](values, out, to, *more, 7, 13, *arguments, False)
        for got, padding in zip(out, PADDED, strict=True):
            np.testing.assert_array_equal(got, of(values).load_masked(*index, padding=padding))
        expected = np.full((7, 13), 9, np.float32)
        of(expected).store_masked(of(values).load_masked(*index) + np.float32(4), *index)
        np.testing.assert_array_equal(to, expected)
    for arguments, index in whole:
        to, expected = np.full((7, 13), 9, np.float32), np.full((7, 13), 9, np.float32)
        kernel[1](values, out, to, *more, 7, 13, *arguments, True)
        of(expected).store(of(values).load(*index) * 4, *index)
        np.testing.assert_array_equal(to, expected)


@pytest.mark.every_target
def test_places_of_chunks(target):
    module = build(_PLACES, target, options=("-O1",))
    # Overlapping along the columns and apart along the rows; the last chunks reach beyond the array.
    chunks = [((y, x), (y, x)) for y, x in ((0, 0), (2, 3), (1, 1))]
    _check_view(
        module["strided"],
        lambda a: reference.StridedView(a, (2, 8), (3, 4)),
        chunks,
        [chunks[2]],
        (),
    )
    rows = np.array([[5, 0], [6, 7], [2, 3], [-1, 1], [100, 4]], np.int64)
    chunks = [((y, x), (rows[y], x)) for y, x in ((0, 3), (1, 0), (3, 12), (4, 20))]
    _check_view(
        module["gathered"],
        lambda a: reference.GatherScatterView(a, (2, 8), 0),
        chunks,
        [((2, 5), (rows[2], 5))],
        (rows.ravel(),),
    )
    data, out = np.arange(36, dtype=np.int16).reshape(4, 9), np.zeros((2, 2, 4), np.int16)
    module["columns"][1](data, out)
    view = reference.GatherScatterView(data, (2, 4), 1)
    np.testing.assert_array_equal(out[0], view.load(1, [8, 6, 4, 2]))
    np.testing.assert_array_equal(out[1], view.load_masked(3, [7, 8, 9, 10]))


_TYPES = [("int", np.int32), ("unsigned", np.uint32), ("float", np.float32), ("long long", np.int64)]
_UPDATES = ("and", "or", "xor", "max", "min", "add", "sub")


def _updates():
    """Each update, and for each type some of them."""
    for number, update in enumerate(_UPDATES):
        cpp, dtype = _TYPES[number % 4 if update in ("add", "sub") else number % 2]
        yield update, cpp, np.dtype(dtype)


_UPDATING = _HEAD + "".join(
    f"""
__tile_global__ void of_{update}({cpp}* data, {cpp}* partitions, const {cpp}* values, int n) {{
  ct::strided_view view{{ct::tensor_span{{data, ct::extents{{n}}}}, ct::shape<8>{{}}, ct::strides{{3_ic}}}};
  ct::partition_view parts{{ct::tensor_span{{partitions, ct::extents{{n}}}}, ct::shape<8>{{}}}};
  auto x = ct::load(values + ct::iota<ct::tile<int, ct::shape<8>>>());
  auto b = ct::bid().x;
  view.atomic_{update}_masked(x, relaxed{{}}, device{{}}, b);
  if (b == 0) {{
    view.atomic_{update}(x, relaxed{{}}, device{{}}, b);
    parts.atomic_{update}(x, relaxed{{}}, device{{}}, b);
  }} else {{
    parts.atomic_{update}_masked(x, relaxed{{}}, device{{}}, b % 2);
  }}
}}"""
    for update, cpp, _ in _updates()
)


@pytest.mark.every_target
def test_atomic_updates_of_views(target):
    module = build(_UPDATING, target, options=("-O1",))
    rng = np.random.default_rng(3)
    for update, _, dtype in _updates():
        data, parts = (rng.integers(0, 99, 11).astype(dtype) for _ in range(2))
        values = rng.integers(0, 99, 8).astype(dtype)
        expected, expected_parts = data.copy(), parts.copy()
        module[f"of_{update}"][4](data, parts, values, 11)
        view = reference.StridedView(expected, (8,), (3,))
        divided = reference.PartitionView(expected_parts, (8,))
        for b in range(4):
            getattr(view, f"atomic_{update}_masked")(values, b)
            getattr(divided, f"atomic_{update}{'_masked' if b else ''}")(values, b % 2)
        getattr(view, f"atomic_{update}")(values, 0)
        np.testing.assert_array_equal(data, expected, err_msg=update)
        np.testing.assert_array_equal(parts, expected_parts, err_msg=update)


def test_nvidias_front_end_takes_the_same_kernels(make_target):
    for source in (_PLACES, _UPDATING):
        assert make_target("tile").build(source).tileir
