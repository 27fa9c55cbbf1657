"""Matrix products by matrix instructions against NumPy. The emulated target executes them lane by lane, with
the fragments of the PTX manual."""

from __future__ import annotations

from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct


class Elements(NamedTuple):
    """A type of operands, the type of their sums, and an instruction's inner dimension."""

    dtype: type
    accumulator: str
    depth: int


TYPES = {
    "__half": Elements(np.float16, "float", 16),
    "__nv_bfloat16": Elements(ml_dtypes.bfloat16, "float", 16),
    "__nv_tf32": Elements(np.float32, "float", 8),
    "__nv_fp8_e4m3": Elements(ml_dtypes.float8_e4m3fn, "float", 32),
    "__nv_fp8_e5m2": Elements(ml_dtypes.float8_e5m2, "float", 32),
    "signed char": Elements(np.int8, "int", 32),
    "unsigned char": Elements(np.uint8, "int", 32),
    "double": Elements(np.float64, "double", 8),
}
SUMS = {"float": np.float32, "__half": np.float16, "int": np.int32, "double": np.float64}
# Tiles of m x n, and k as a number of instructions.
SHAPES = [(16, 8, 1), (64, 64, 2), (128, 16, 4)]

INCLUDES = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
"""
SOURCE = (
    INCLUDES
    + """
/// All of a matrix, as one tile.
template <typename E, int... Lengths>
auto load(const E* p) {
  return ct::partition_view{ct::tensor_span{p, ct::shape<Lengths...>{}}, ct::shape<Lengths...>{}}.load(
      (Lengths, 0)...);
}

/// With matrix instructions if Unit; with tiles that do not divide the matrices.
template <bool Unit, typename L, typename R, typename C, int M, int N, int K>
__tile_global__ void matmul(const L* a, const R* b, C* c, int m, int n, int k) {
  using tile = ct::tile<C, ct::shape<M, N>>;
  using left = ct::tile<L, ct::shape<M, K>>;
  using right = ct::tile<R, ct::shape<K, N>>;
  using model = decltype(ct::detail::choose_multiplication<left, right, tile>());
  static_assert(model::unit == (Unit ? ct::detail::mma_unit::mma_sync : ct::detail::mma_unit::fma));
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{m, k}}, ct::shape<M, K>{}};
  ct::partition_view b_view{ct::tensor_span{b, ct::extents{k, n}}, ct::shape<K, N>{}};
  ct::partition_view c_view{ct::tensor_span{c, ct::extents{m, n}}, ct::shape<M, N>{}};
  auto row = ct::bid().y, column = ct::bid().x;
  auto sum = ct::zeros<tile>();
  for (int step : ct::irange(0, ct::ceildiv(k, K)))
    sum = ct::mma(a_view.load_masked(row, step), b_view.load_masked(step, column), sum);
  c_view.store_masked(sum, row, column);
}

/// The right operand is held transposed.
template <typename E, typename C, int M, int N, int K>
__tile_global__ void transposed(const E* a, const E* b, C* c) {
  auto right = ct::transpose(load<E, N, K>(b));
  ct::partition_view{ct::tensor_span{c, ct::shape<M, N>{}}, ct::shape<M, N>{}}.store(
      ct::mma(load<E, M, K>(a), right, ct::zeros<ct::tile<C, ct::shape<M, N>>>()), 0, 0);
}

template <typename E, typename C, int Left, int Right, int M, int N, int K>
__tile_global__ void batched(const E* a, const E* b, C* c) {
  constexpr int batches = Left > Right ? Left : Right;
  auto sum = ct::mma(load<E, Left, M, K>(a), load<E, Right, K, N>(b),
                     ct::zeros<ct::tile<C, ct::shape<batches, M, N>>>());
  using shape = ct::shape<batches, M, N>;
  ct::partition_view{ct::tensor_span{c, shape{}}, shape{}}.store(sum, 0, 0, 0);
}
"""
)


def _operand(rng: np.random.Generator, dtype: type, shape: tuple[int, ...]) -> np.ndarray:
    """All values of 8-bit integers; for other types, integers whose products and sums are exact."""
    if np.issubdtype(dtype, np.integer):
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    return rng.integers(-4, 5, shape).astype(dtype)


def _check(module: pct.Module, name: str) -> None:
    """Runs a kernel `matmul<...>` on matrices that its tiles do not divide."""
    _, left, right, accumulator, *lengths = name[7:-1].split(", ")
    m_tile, n_tile, k_tile = map(int, lengths)
    m, n, k = m_tile + 5, n_tile + 3, k_tile + 7
    rng = np.random.default_rng(1)
    dtypes = {**{key: value.dtype for key, value in TYPES.items()}, "float": np.float32}
    a, b = _operand(rng, dtypes[left], (m, k)), _operand(rng, dtypes[right], (k, n))
    c = np.full((m, n), -1, SUMS[accumulator])
    module.kernel(name)[2, 2](a, b, c, m, n, k)
    expected = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(c.astype(np.float64), expected, err_msg=name)


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("threads", [32, 128])
@pytest.mark.wide
def test_products_of_integers_are_exact(threads, part):
    names = [
        f"matmul<true, {name}, {name}, {element.accumulator}, {m}, {n}, {k * element.depth}>"
        for name, element in TYPES.items()
        for m, n, k in SHAPES
    ]
    names += [f"matmul<true, {e}, {e}, __half, 64, 32, 32>" for e in ("__half", "__nv_fp8_e5m2")]
    names.append("matmul<true, signed char, unsigned char, int, 32, 32, 32>")
    names.append("matmul<true, unsigned char, signed char, int, 32, 16, 64>")
    names = names[part::2]  # of each type, as there is an odd number of shapes
    module = pct.build(SOURCE, target="emulated", num_threads=threads, kernels=names, options=("-O1",))
    for name in names:
        _check(module, name)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("arch", "units"), [(75, ("__half", "signed char", "unsigned char")), (80, tuple(TYPES))]
)
def test_older_devices_multiply_fp8_as_half_and_the_rest_by_fma(arch, units):
    fp8 = ("__nv_fp8_e4m3", "__nv_fp8_e5m2")
    names = [
        f"matmul<{'true' if e in units or e in fp8 else 'false'}, {e}, {e}, {accumulator}, 32, 64, 32>"
        for e, (_, accumulator, _) in {**TYPES, "float": (np.float32, "float", 0)}.items()
    ]
    options = ("-O1", f"-DCUDA_TILE_MATRIX_ARCH={arch}")
    module = pct.build(SOURCE, target="emulated", num_threads=128, kernels=names, options=options)
    for name in names:
        _check(module, name)


def test_floats_and_short_inner_dimensions_are_multiplied_by_fma():
    names = [
        "matmul<false, __half, __half, float, 32, 16, 8>",
        "matmul<false, signed char, signed char, int, 16, 16, 16>",
        "matmul<false, float, float, float, 16, 8, 1>",
        "matmul<false, float, float, float, 32, 64, 16>",  # lanes exchange columns for rows
        "matmul<false, double, double, double, 64, 8, 2>",
        "matmul<false, __nv_tf32, __nv_tf32, float, 8, 32, 16>",
    ]
    module = pct.build(SOURCE, target="emulated", num_threads=64, kernels=names, options=("-O1",))
    for name in names:
        _check(module, name)


@pytest.mark.wide
def test_operands_that_shared_memory_does_not_hold_are_staged_in_parts():
    names = [
        "matmul<true, double, double, double, 128, 128, 64>",  # 128 KiB
        "matmul<true, __half, __half, float, 256, 128, 256>",
        "matmul<false, float, float, float, 128, 128, 128>",
        "transposed<__nv_tf32, float, 128, 128, 128>",
    ]
    module = pct.build(SOURCE, target="emulated", num_threads=256, kernels=names, options=("-O1",))
    for name in names[:-1]:
        _check(module, name)
    rng = np.random.default_rng(6)
    a, b = (_operand(rng, np.float32, (128, 128)) for _ in range(2))
    c = np.full((128, 128), np.nan, np.float32)
    module.kernel(names[-1])[1](a, b, c)
    np.testing.assert_array_equal(c, a @ b.T)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("threads", [32, 128])
def test_batches_have_operands_of_their_own_or_in_common(threads):
    """Few rows per batch, so that a warp holds several batches, and many, so that several warps hold one."""
    lengths = [(4, 4, 16, 64, 32), (2, 2, 64, 16, 32), (1, 4, 32, 8, 32), (4, 1, 16, 16, 64)]
    names = [
        f"batched<{element}, {accumulator}, {', '.join(map(str, shape))}>"
        for element, accumulator in (("__half", "float"), ("signed char", "int"), ("float", "float"))
        for shape in lengths
    ]
    module = pct.build(SOURCE, target="emulated", num_threads=threads, kernels=names, options=("-O1",))
    rng = np.random.default_rng(3)
    for name in names:
        element, accumulator, *shape = name[8:-1].split(", ")
        left, right, m, n, k = map(int, shape)
        dtype = TYPES[element].dtype if element in TYPES else np.float32
        a, b = _operand(rng, dtype, (left, m, k)), _operand(rng, dtype, (right, k, n))
        c = np.full((max(left, right), m, n), -1, SUMS[accumulator])
        module.kernel(name)[1](a, b, c)
        expected = a.astype(np.float64) @ b.astype(np.float64)
        np.testing.assert_array_equal(c.astype(np.float64), expected, err_msg=name)


@pytest.mark.parametrize("threads", [32, 256])
@pytest.mark.wide
def test_transposed_right_operands_are_multiplied_as_they_are_held(threads):
    shapes = [(64, 16, 32), (32, 128, 64)]
    names = [
        f"transposed<{name}, {element.accumulator}, {m}, {n}, {k}>"
        for name, element in TYPES.items()
        for m, n, k in shapes
    ]
    module = pct.build(SOURCE, target="emulated", num_threads=threads, kernels=names, options=("-O1",))
    rng = np.random.default_rng(5)
    for name in names:
        element, accumulator, *shape = name[11:-1].split(", ")
        m, n, k = map(int, shape)
        a, b = (_operand(rng, TYPES[element].dtype, s) for s in ((m, k), (n, k)))
        c = np.full((m, n), -1, SUMS[accumulator])
        module.kernel(name)[1](a, b, c)
        expected = a.astype(np.float64) @ b.astype(np.float64).T
        np.testing.assert_array_equal(c.astype(np.float64), expected, err_msg=name)


@pytest.mark.parametrize("element", ["__nv_fp8_e4m3", "__nv_fp8_e5m2"])
def test_fp8_becomes_half_exactly(element):
    source = (
        INCLUDES
        + """
    template <typename E>
    __tile_global__ void halves(const E* from, __half* to) {
      if (ct::platform::thread() == 0)
        ct::detail::convert_all<256>(to, from);
    }
    """
    )
    codes = np.arange(256, dtype=np.uint8).view(TYPES[element].dtype)
    halves = np.zeros(256, np.float16)
    name = f"halves<{element}>"
    pct.build(source, target="emulated", num_threads=32, kernels=[name], options=("-O1",)).kernel(name)[1](
        codes, halves
    )
    np.testing.assert_array_equal(halves, codes.astype(np.float16))
    np.testing.assert_array_equal(np.signbit(halves), np.signbit(codes.astype(np.float16)))


def test_doubles_are_summed_by_fused_multiply_add():
    """The product's last bits survive only if it is not rounded before the addition."""
    x = 1 + 2.0**-30
    a, b = np.zeros((16, 8)), np.zeros((8, 8))
    a[:, 0], a[:, 1] = x, -1
    b[0], b[1] = x, x * x
    name = "matmul<true, double, double, double, 16, 8, 8>"
    c = np.full((16, 8), np.nan)
    module = pct.build(SOURCE, target="emulated", num_threads=32, kernels=[name], options=("-O1",))
    module.kernel(name)[1](a[:, ::-1].copy(), b[::-1].copy(), c, 16, 8, 8)
    np.testing.assert_array_equal(c, 2.0**-60)  # x^2 = 1 + 2^-29 + 2^-60, and a double has 52 bits


def test_transposed_operands_and_weights_of_attention():
    """Two products; the second one uses values computed from the first one's accumulators."""
    source = """
    #include <cuda_fp16.h>
    #include "cuda_tile.h"
    namespace ct = cuda::tiles;
    __tile_global__ void twice(const __half* q, const __half* k, const __half* v, float* out) {
      auto view = [](auto* p, auto shape) {
        return ct::partition_view{ct::tensor_span{p, shape}, shape};
      };
      auto query = view(q, ct::shape<64, 32>{}).load(0, 0);
      auto key = view(k, ct::shape<128, 32>{}).load(0, 0);
      auto value = view(v, ct::shape<128, 64>{}).load(0, 0);
      auto scores = ct::mma(query, ct::transpose(key), ct::zeros<ct::tile<float, ct::shape<64, 128>>>());
      auto weights = ct::element_cast<__half>(scores);
      ct::tile<float, ct::shape<64, 64>> result = ct::element_cast<float>(ct::matmul(weights, value));
      view(out, ct::shape<64, 64>{}).store(result, 0, 0);
    }
    """
    rng = np.random.default_rng(2)
    q, k, v = (rng.integers(-2, 3, s).astype(np.float16) for s in ((64, 32), (128, 32), (128, 64)))
    out = np.full((64, 64), np.nan, np.float32)
    module = pct.build(source, target="emulated", num_threads=128, options=("-O1",))
    module.kernel("twice")[1](q, k, v, out)
    exact = q.astype(np.int64) @ k.astype(np.int64).T @ v.astype(np.int64)
    np.testing.assert_allclose(out, exact, rtol=1e-3, atol=2)  # the second product is rounded to half
