"""Views whose tiles overlap or take arbitrary rows, and atomics on views, against NumPy, run in every way."""

from __future__ import annotations

import re

import numpy as np
import pytest

from pycuda_tile import tileir
from pycuda_tile.tileir.lower.translate import translate

TENSOR = "tensor_view<?x?xf32, strides=[?,1]>"
HEAD = f"""entry @kernel(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %r: tile<ptr<i32>>,
              %m: tile<i32>, %n: tile<i32>) {{
  %x, %y, %z = get_tile_block_id : tile<i32>
  %t = make_tensor_view %p, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {TENSOR}
  %o = make_tensor_view %q, shape = [32, 16], strides = [16, 1] : tensor_view<32x16xf32, strides=[16,1]>
  %out = make_partition_view %o : partition_view<tile=(4x8), tensor_view<32x16xf32, strides=[16,1]>>
"""
STORE = """  %u = store_view_tko weak %v, %out[%y, %x] : tile<4x8xf32>,
    partition_view<tile=(4x8), tensor_view<32x16xf32, strides=[16,1]>>, tile<i32> -> token
  return
}
"""


@pytest.fixture(params=["interpret", "cpu", "emulated"])
def run(request):
    def launch(text: str, grid, *arguments) -> None:
        module = tileir.parse(text)
        if request.param == "interpret":
            return tileir.interpret(module, "kernel", grid, *arguments)
        threads = 4 if request.param == "emulated" else None
        built = tileir.build(module, target=request.param, options=("-O1",), num_threads=threads)
        return built.kernel("kernel")[grid](*arguments)

    return launch


def arrays() -> tuple[np.ndarray, np.ndarray]:
    """An 11 x 13 tensor, and a larger array that contains it and is -1 elsewhere."""
    tensor = np.arange(1, 144, dtype=np.float32).reshape(11, 13)
    around = np.full((80, 80), -1, np.float32)
    around[:11, :13] = tensor
    return tensor, around


def test_strided_view(run) -> None:
    """Tiles of 4 x 8, one every 2 rows and 16 columns, which overlap and leave gaps."""
    view = f"strided_view<tile=(4x8), traversal_strides=[2,16], padding_value = neg_inf, {TENSOR}>"
    text = HEAD + f"""  %w = make_strided_view %t : {view}
  %v, %a = load_view_tko weak %w[%y, %x] : {view}, tile<i32> -> tile<4x8xf32>, token
""" + STORE  # fmt: skip
    tensor, around = arrays()
    around[around == -1] = -np.inf
    out = np.zeros((32, 16), np.float32)
    run(text, (2, 8), tensor, out, None, 11, 13)
    for i, j in np.ndindex(8, 2):
        expected = around[2 * i : 2 * i + 4, 16 * j : 16 * j + 8]
        assert np.array_equal(out[4 * i : 4 * i + 4, 8 * j : 8 * j + 8], expected)


def test_gather_and_scatter(run) -> None:
    """Rows 9, 2, 100 (there is none) and 2 of 8 columns from 3 and from 11 on are read, and doubled written
    to other rows: a dense index counts elements, too."""
    view = f"gather_scatter_view<tile=(4x8), padding_value = zero, {TENSOR}, sparse_dim = 0>"
    text = HEAD + f"""  %w = make_gather_scatter_view %t : {view}
  %rows = constant <i32: [9, 2, 100, 2]> : tile<4xi32>
  %others = constant <i32: [0, 1, 2, 100]> : tile<4xi32>
  %three = constant <i32: 3> : tile<i32>
  %eight = constant <i32: 8> : tile<i32>
  %before = muli %x, %eight : tile<i32>
  %first = addi %before, %three : tile<i32>
  %v, %a = load_view_tko weak %w[%rows, %first] : {view}, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
  %d = addf %v, %v : tile<4x8xf32>
  %s = store_view_tko weak %d, %w[%others, %first] token = %a
    : tile<4x8xf32>, {view}, tile<4xi32>, tile<i32> -> token
""" + STORE  # fmt: skip
    tensor, around = arrays()
    before = tensor.copy()
    out = np.zeros((32, 16), np.float32)
    run(text, (2, 1), tensor, out, None, 11, 13)
    expected = around[[9, 2, 79, 2], 3:19]
    expected[expected == -1] = 0
    assert np.array_equal(out[:4], expected)
    before[:3, 3:] = 2 * expected[:3, :10]
    assert np.array_equal(tensor, before)


def test_sizes_and_far_indices(run) -> None:
    """The number of indices of each view, and 64-bit indices, read as unsigned, that are out of bounds."""
    gather = f"gather_scatter_view<tile=(4x8), padding_value = zero, {TENSOR}, sparse_dim = 0>"
    strided = f"strided_view<tile=(4x8), traversal_strides=[2,16], padding_value = zero, {TENSOR}>"
    text = HEAD + f"""  %g = make_gather_scatter_view %t : {gather}
  %s = make_strided_view %t : {strided}
  %s0, %s1 = get_index_space_shape %g : {gather} -> tile<i32>
  %s2, %s3 = get_index_space_shape %s : {strided} -> tile<i32>
""" + "".join(f"""  %i{i} = constant <i32: {i}> : tile<i32>
  %r{i} = offset %r, %i{i} : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  %k{i} = store_ptr_tko weak %r{i}, %s{i} : tile<ptr<i32>>, tile<i32> -> token
""" for i in range(4)) + f"""  %last = constant <i64: -1> : tile<i64>
  %rows = constant <i64: [-1, -9223372036854775808, 0, 1]> : tile<4xi64>
  %l, %u0 = load_view_tko weak %g[%rows, %last] : {gather}, tile<4xi64>, tile<i64> -> tile<4x8xf32>, token
  %far, %u1 = load_view_tko weak %s[%last, %last] : {strided}, tile<i64> -> tile<4x8xf32>, token
  %v = addf %l, %far : tile<4x8xf32>
""" + STORE  # fmt: skip
    tensor, _ = arrays()
    out, sizes = np.ones((32, 16), np.float32), np.zeros(4, np.int32)
    run(text, 1, tensor, out, sizes, 11, 13)
    assert sizes.tolist() == [11, 13, 6, 1]
    assert not out[:4, :8].any()


def test_atomic_updates_of_a_view(run) -> None:
    """All blocks of a grid add to one tile; memory beyond the tensor is unchanged."""
    view = "partition_view<tile=(4x8), tensor_view<3x5xi32, strides=[8,1]>>"
    text = HEAD + f"""  %i = make_tensor_view %r, shape = [3, 5], strides = [8, 1]
    : tensor_view<3x5xi32, strides=[8,1]>
  %w = make_partition_view %i : {view}
  %c = constant <i32: 0> : tile<i32>
  %two = constant <i32: 2> : tile<4x8xi32>
  %s = atomic_red_view_tko relaxed device %w[%c, %c], add, %two : tile<4x8xi32>, {view}, tile<i32> -> token
  return
}}
"""  # fmt: skip
    array = np.ones((4, 8), np.int32)
    run(text, 7, None, None, array, 0, 0)
    expected = np.ones((4, 8), np.int32)
    expected[:3, :5] += 14
    assert np.array_equal(array, expected)


PARTS = f"partition_view<tile=(4x8), {TENSOR}>"
LOADED = f"""  %w = make_partition_view %t : {PARTS}
  %v, %a = load_view_tko weak %w[%y, %x] : {PARTS}, tile<i32> -> tile<4x8xf32>, token
"""
STORED_BACK = f"  %again = make_partition_view %t : {PARTS}\n  %c = store_view_tko weak %v, %again[%y, %x]"
UPDATED = "  %c = atomic_red_view_tko relaxed device %w[%y, %x], addf, %v"


@pytest.mark.parametrize(
    ("before", "after", "constant"),
    [
        ("", "", True),
        ("  %u =", f"{STORED_BACK} : tile<4x8xf32>, {PARTS}, tile<i32> -> token\n  %u =", False),
        ("  %u =", f"{UPDATED} : tile<4x8xf32>, {PARTS}, tile<i32> -> token\n  %u =", False),
        ("weak %w", "acquire device %w", False),
    ],
    ids=["loads alone", "in place", "updates", "strong loads"],
)
def test_tensors_that_a_kernel_only_loads_are_constant(before: str, after: str, constant: bool) -> None:
    """Blocks note what they load from others, since what they store there is in the caches."""
    text = HEAD + LOADED + STORE
    text = text.replace(before, after) if before else text
    cpp, *_ = translate(tileir.parse(text), "cpu")
    spans = re.findall(r"tensor_span\{(static_cast<float const\*>\()?p\b", cpp)
    assert spans and all(map(bool, spans)) == constant
