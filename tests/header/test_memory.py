"""Loads, stores and atomics through pointers [2.7] and partition views [2.12], including masked edges."""

from __future__ import annotations

import numpy as np
import pytest
import targets
from cases import CPP_TYPES
from targets import OnArrays
from values import SMALL_FLOATS

from pycuda_tile import reference, spec
from pycuda_tile.compilers import nvrtc

HEAD = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
using i32x64 = ct::tile<int, ct::shape<64>>;
"""


def build(text: str, target) -> OnArrays:
    return targets.build(HEAD + text, target)


@pytest.mark.every_target
def test_gather_and_scatter_with_masks_and_padding(target):
    module = build(
        """
        __tile_global__ void gather(const float* in, const int* index, float* out, int n) {
          auto lane = ct::iota<i32x64>();
          auto i = ct::load_masked(index + lane, lane < n, 0);
          ct::store(out + lane, ct::load_masked(in + i, lane < n, -1));
        }
        __tile_global__ void scatter(float* out, const int* index, int n) {
          auto lane = ct::iota<i32x64>();
          auto i = ct::load_masked(index + lane, lane < n, 0);
          ct::store_masked(out + i, ct::element_cast<float>(lane), lane < n);
        }
        """,
        target,
    )
    rng = np.random.default_rng(0)
    values = rng.standard_normal(100).astype(np.float32)
    index = rng.permutation(100).astype(np.int32)
    for n in (0, 1, 37, 64):
        out = np.full(64, np.nan, np.float32)
        module["gather"][1](values, index, out, n)
        np.testing.assert_array_equal(out, np.where(np.arange(64) < n, values[index[:64]], np.float32(-1)))
        spread, expected = np.full(100, -5, np.float32), np.full(100, -5, np.float32)
        module["scatter"][1](spread, index, n)
        expected[index[:n]] = np.arange(n)
        np.testing.assert_array_equal(spread, expected)


@pytest.mark.every_target
def test_blocks_see_their_index_and_the_grid(target):
    module = build(
        """
        __tile_global__ void where(int* out) {
          auto b = ct::bid();
          auto g = ct::num_blocks();
          out[(b.z * g.y + b.y) * g.x + b.x] = int(b.x + 10 * b.y + 100 * b.z + 1000 * g.x + 10000 * g.y);
        }
        """,
        target,
    )
    out = np.zeros((4, 3, 2), np.int32)
    module["where"][2, 3, 4](out)
    z, y, x = np.indices(out.shape)
    np.testing.assert_array_equal(out, x + 10 * y + 100 * z + 2000 + 30000)


def test_a_block_sees_its_own_stores(target):
    module = build(
        """
        __tile_global__ void reverse_twice(int* data) {
          auto lane = ct::iota<i32x64>();
          ct::store(data + lane, ct::load(data + (63 - lane)) + 1);
          ct::store(data + lane, ct::load(data + (63 - lane)) + 1);
        }
        """,
        target,
    )
    data = np.arange(64, dtype=np.int32)
    module["reverse_twice"][1](data)
    np.testing.assert_array_equal(data, np.arange(64) + 2)


_ORDERS = ["relaxed", "acquire", "release", "acq_rel"]
_SCOPES = ["block", "device", "system"]
_UPDATED = [np.dtype(name) for name in ("int32", "uint32", "int64", "uint64", "float32", "float64")]


def _atomic_rows():
    """Each update on each of its types, with __half and, since 13.4, __nv_bfloat16 if their headers exist."""
    for number, row in enumerate(spec.load("atomics")):
        small = SMALL_FLOATS if "half" in row.elements and nvrtc.include_dirs() else []
        for dtype in [*(_UPDATED if "float" in row.elements else _UPDATED[:4]), *small]:
            yield row, dtype, f"{row.name}_{dtype}", _ORDERS[number % 4], _SCOPES[number % 3]


@pytest.mark.every_target
def test_atomic_updates_yield_the_old_value(target):
    text = []
    for row, dtype, name, order, scope in _atomic_rows():
        mask = ", lane % 3 != 0" if row.masked == "yes" else ""
        cpp = CPP_TYPES[dtype]
        text.append(f"""
        __tile_global__ void {name}({cpp}* data, const {cpp}* values, {cpp}* old) {{
          auto lane = ct::iota<i32x64>();
          auto before = ct::{row.name}(data + lane, ct::load(values + lane){mask},
                                       ct::memory_order_{order}_t{{}}, ct::thread_scope_{scope}_t{{}});
          ct::store(old + lane, before);
        }}""")
    includes = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" if nvrtc.include_dirs() else ""
    source = includes + HEAD + "".join(text)
    module = targets.build(source, target, include_dirs=nvrtc.include_dirs(), options=("-O1",))
    rng, lane = np.random.default_rng(1), np.arange(64)
    for row, dtype, name, _, _ in _atomic_rows():
        low = 0 if dtype.kind == "u" else -50
        data, values = (rng.integers(low, 50, 64).astype(dtype) for _ in range(2))
        mask = (lane % 3 != 0,) if row.masked == "yes" else ()
        expected = data.copy()
        before = getattr(reference, row.name)(reference.pointer(expected) + lane, values, *mask)
        old = np.zeros(64, dtype)
        module[name][1](data, values, old)
        np.testing.assert_array_equal(data, expected, err_msg=name)
        acts = mask[0] if mask else np.ones(64, bool)  # results of the others are unspecified
        np.testing.assert_array_equal(old[acts], before[acts], err_msg=name)


def test_atomic_add_on_one_location_counts_every_element(target):
    module = build(
        """
        __tile_global__ void count(int* total, int* first) {
          auto everywhere = ct::full<ct::tile<int*, ct::shape<64>>>(total);
          ct::atomic_add(everywhere, 1, ct::memory_order_relaxed_t{});
          int before = ct::atomic_add<ct::memory_order::acq_rel>(total + 1, 1);
          first[ct::bid().x] = before;
        }
        """.replace("everywhere, 1,", "everywhere, ct::ones<i32x64>(),"),
        target,
    )
    total, first = np.zeros(2, np.int32), np.zeros(33, np.int32)
    module["count"][33](total, first)
    assert total.tolist() == [33 * 64, 33]
    assert sorted(first.tolist()) == list(range(33))


@pytest.mark.every_target
def test_compare_exchange(target):
    module = build(
        """
        __tile_global__ void swap(int* data, int* old, float* floats) {
          auto lane = ct::iota<i32x64>();
          ct::memory_order_acq_rel_t order;
          auto got = ct::atomic_compare_exchange(data + lane, lane, lane + 1000, order);
          ct::store(old + lane, got);
          auto kept = ct::atomic_compare_exchange_masked(data + lane, lane, lane, lane < 0, order);
          ct::store(old + 64 + lane, kept);
          ct::atomic_compare_exchange<ct::memory_order::relaxed>(floats, 0.0f, 5.0f);
          ct::atomic_compare_exchange<ct::memory_order::relaxed>(floats + 1, 0.0f, 5.0f);
        }
        """,
        target,
    )
    data = np.where(np.arange(64) % 2 == 0, np.arange(64), -1).astype(np.int32)
    before, old, floats = data.copy(), np.zeros(128, np.int32), np.array([0.0, -0.0], np.float32)
    module["swap"][1](data, old, floats)
    np.testing.assert_array_equal(data, np.where(np.arange(64) % 2 == 0, np.arange(64) + 1000, -1))
    np.testing.assert_array_equal(old[:64], before)
    np.testing.assert_array_equal(old[64:], np.arange(64))  # masked off: the comparison value
    # Bits are compared, so -0.0 differs from 0.0.
    np.testing.assert_array_equal(floats.view(np.int32), np.array([5.0, -0.0], np.float32).view(np.int32))


@pytest.mark.every_target
def test_atomic_loads_and_stores(target):
    module = build(
        """
        __tile_global__ void copy(const short* in, short* out, double* one) {
          auto lane = ct::iota<i32x64>();
          auto x = ct::atomic_load(in + lane, ct::memory_order_acquire_t{}, ct::thread_scope_device_t{});
          ct::atomic_store(out + lane, x, ct::memory_order_release_t{});
          auto y = ct::atomic_load_masked(in + lane, lane < 3, 9, ct::memory_order_relaxed_t{});
          ct::atomic_store_masked(out + 64 + lane, y, lane < 5, ct::memory_order_relaxed_t{},
                                  ct::thread_scope_block_t{});
          double d = ct::atomic_load<ct::memory_order::relaxed>(one);
          ct::atomic_store<ct::memory_order::relaxed>(one, d + 1);
        }
        """,
        target,
    )
    data, out, one = np.arange(64, dtype=np.int16) - 32, np.zeros(128, np.int16), np.array([2.5])
    module["copy"][1](data, out, one)
    np.testing.assert_array_equal(out[:64], data)
    np.testing.assert_array_equal(out[64:70], [-32, -31, -30, 9, 9, 0])
    assert one[0] == 3.5


PADDINGS = {
    "zero": 0.0,
    "negative_zero": -0.0,
    "positive_inf": np.inf,
    "negative_inf": -np.inf,
    "nan": np.nan,
}
SIZES = [(1, 1), (4, 8), (5, 11), (8, 16), (3, 64), (33, 1)]


@pytest.mark.parametrize("layout", ["right", "left"])
def test_partition_view_covers_any_size(layout, target):
    module = build(
        f"""
        __tile_global__ void copy(const float* in, float* out, int rows, int columns) {{
          ct::extents size{{rows, columns}};
          ct::shape<4, 8> shape;
          ct::partition_view from{{ct::tensor_span{{in, size, ct::layout_{layout}{{}}}}, shape}};
          ct::partition_view to{{ct::tensor_span{{out, size, ct::layout_right{{}}}}, shape}};
          auto b = ct::bid();
          to.store_masked(from.load_masked(b.y, b.x) + 1.0f, b.y, b.x);
        }}
        """,
        target,
    )
    for rows, columns in SIZES:
        values = np.random.default_rng(rows).standard_normal((rows, columns)).astype(np.float32)
        memory = np.ascontiguousarray(values.T if layout == "left" else values)
        out = np.full((rows + 1, columns), -7, np.float32)
        module["copy"][-(-columns // 8), -(-rows // 4)](memory, out, rows, columns)
        np.testing.assert_array_equal(out[:rows], values + 1)
        np.testing.assert_array_equal(out[rows], -7)  # nothing is written beyond the span


def test_rows_that_no_vector_is_aligned_to(make_target):
    """g++ once made aligned copies of those that stand where addresses are not aligned."""
    kernel = make_target("emulated", 4).build(
        f"""{HEAD}
        __tile_global__ void copy(const float* in, float* out, int rows, int columns) {{
          ct::extents size{{rows, columns}};
          ct::partition_view from{{ct::tensor_span{{in, size}}, ct::shape<2, 8>{{}}}};
          ct::partition_view to{{ct::tensor_span{{out, size}}, ct::shape<2, 8>{{}}}};
          to.store(from.load(0, 0), 0, 0);
        }}"""
    )["copy"]
    values, out = np.arange(26, dtype=np.float32).reshape(2, 13), np.zeros((2, 13), np.float32)
    kernel[1](values, out, 2, 13)
    np.testing.assert_array_equal(out, np.where(np.arange(13) < 8, values, 0))


@pytest.mark.every_target
def test_padding_of_masked_loads(target):
    kernels = "".join(
        f"""
        __tile_global__ void pad_{name}(const double* in, double* out) {{
          ct::partition_view view{{ct::tensor_span{{in, ct::extents{{3}}}}, ct::shape{{4_ic}}}};
          auto x = view.load_masked(ct::view_padding_{name}_t{{}}, 0);
          auto y = view.load_masked<ct::view_padding::{name}>(0);
          auto lane = ct::iota<ct::tile<int, ct::shape<4>>>();
          ct::store(out + lane, x);
          ct::store(out + 4 + lane, y);
        }}"""
        for name in PADDINGS
    )
    module = build(kernels, target)
    for name, padding in PADDINGS.items():
        out = np.zeros(8)
        module[f"pad_{name}"][1](np.array([1.0, 2.0, 3.0]), out)
        expected = np.array([1.0, 2.0, 3.0, padding] * 2)
        np.testing.assert_array_equal(np.signbit(out), np.signbit(expected))
        np.testing.assert_array_equal(out, expected)


def test_views_of_rank_0_to_4_and_strides(target):
    module = build(
        """
        __tile_global__ void ranks(const int* in, int* out) {
          auto lane = ct::iota<ct::tile<int, ct::shape<16>>>();
          ct::partition_view zero{ct::tensor_span{in, ct::extents<unsigned>{}}, ct::shape<>{}};
          out[0] = zero.load();
          ct::partition_view four{ct::tensor_span{in, ct::extents{2, 3_ic, 2, 5}}, ct::shape<2, 2, 1, 4>{}};
          ct::store(out + 16 + lane, ct::reshape<ct::shape<16>>(four.load_masked(0, 1, 1, 1)));
          ct::layout_strided_mapping every_other{ct::extents{4, 4}, ct::extents{12, 2_ic}};
          ct::partition_view strided{ct::tensor_span{in, every_other}, ct::shape<4, 4>{}};
          ct::store(out + 32 + lane, ct::reshape<ct::shape<16>>(strided.load(0, 0)));
          ct::layout_right_padded_mapping padded{ct::extents{4, 3}, 4_ic};
          ct::partition_view aligned{ct::tensor_span{in, padded}, ct::shape<4, 4>{}};
          ct::store(out + 48 + lane, ct::reshape<ct::shape<16>>(aligned.load_masked(0, 0)));
        }
        """,
        target,
    )
    data, out = np.arange(1, 61, dtype=np.int32), np.zeros(64, np.int32)
    module["ranks"][1](data, out)
    array = data.reshape(2, 3, 2, 5)
    window = np.zeros((2, 2, 1, 4), np.int32)
    window[:, :1, :, :1] = array[:, 2:3, 1:2, 4:5]
    assert out[0] == 1
    np.testing.assert_array_equal(out[16:32], window.ravel())
    np.testing.assert_array_equal(out[32:48], (1 + 12 * np.arange(4)[:, None] + 2 * np.arange(4)).ravel())
    padded = 1 + 4 * np.arange(4)[:, None] + np.arange(4)
    padded[:, 3] = 0
    np.testing.assert_array_equal(out[48:64], padded.ravel())


@pytest.mark.every_target
def test_load_masked_without_padding_reads_where_the_mask_is_true(target):
    module = build(
        """
        __tile_global__ void some(const int* in, int* out, int n) {
          auto lane = ct::iota<i32x64>();
          ct::store_masked(out + lane, ct::load_masked(in + lane, lane < n), lane < n);
        }
        """,
        target,
    )
    data, out = np.arange(5, 69, dtype=np.int32), np.full(64, -1, np.int32)
    module["some"][1](data[:9].copy(), out, 9)
    np.testing.assert_array_equal(out, np.where(np.arange(64) < 9, data, -1))


@pytest.mark.every_target
def test_atomic_accesses_of_partition_views(target):
    module = build(
        """
        __tile_global__ void views(const double* in, double* out) {
          ct::partition_view from{ct::tensor_span{in, ct::extents{11}}, ct::shape<8>{}};
          ct::partition_view to{ct::tensor_span{out, ct::extents{6, 11}}, ct::shape<1, 8>{}};
          using row = ct::shape<1, 8>;
          to.atomic_store<ct::memory_order::relaxed>(
              ct::reshape<row>(from.atomic_load<ct::memory_order::relaxed>(0)), 0, 0);
          auto acquired = ct::reshape<row>(from.atomic_load(ct::memory_order_acquire_t{}, 0));
          to.atomic_store(acquired, ct::memory_order_release_t{}, 1, 0);
          auto relaxed = from.atomic_load(ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{}, 0);
          to.atomic_store(ct::reshape<row>(relaxed), ct::memory_order_relaxed_t{},
                          ct::thread_scope_device_t{}, 2, 0);
          auto zeros = from.atomic_load_masked<ct::view_padding::zero, ct::memory_order::relaxed>(1);
          auto padded = from.atomic_load_masked<ct::view_padding::nan, ct::memory_order::relaxed>(
              ct::view_padding_nan_t{}, 1);
          to.atomic_store_masked<ct::memory_order::relaxed>(ct::reshape<row>(zeros + padded), 3, 1);
          padded = from.atomic_load_masked(ct::view_padding_nan_t{}, ct::memory_order_acquire_t{}, 1);
          to.atomic_store_masked(ct::reshape<row>(padded), ct::memory_order_release_t{}, 4, 1);
          padded = from.atomic_load_masked(ct::view_padding_nan_t{}, ct::memory_order_relaxed_t{},
                                           ct::thread_scope_device_t{}, 1);
          auto count = ct::sum(ct::select(ct::isnan(padded), 1.0 + 0 * zeros, 0 * zeros), 0_ic);
          to.atomic_store_masked(ct::broadcast<row>(count), ct::memory_order_relaxed_t{},
                                 ct::thread_scope_device_t{}, 5, 1);
        }
        """,
        target,
    )
    data, out = np.arange(1.0, 12.0), np.zeros((6, 11))
    module["views"][1](data, out)
    np.testing.assert_array_equal(out[:3, :8], np.tile(data[:8], (3, 1)))
    np.testing.assert_array_equal(out[3:5, 8:], [2 * data[8:], data[8:]])
    np.testing.assert_array_equal(out[5, 8:], [5, 5, 5])  # five of the eight elements are padding
