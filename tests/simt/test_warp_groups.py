"""Matrix products by warp groups (wgmma), which stay open. The emulated target computes them as late as
possible from descriptors as specified by the PTX manual; ptxas says whether it can leave them open."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc
from pycuda_tile.launching import gpu
from pycuda_tile.targets import products

KERNELS = Path(__file__).parents[2] / "benchmarks" / "kernels"
SOURCE = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;

template <typename E, size_t M, size_t N>
__tile__ auto view(E* p, ct::shape<M, N> s) {
  return ct::partition_view{ct::tensor_span{p, s}, s};
}

/// In a loop over parts of k; b is n x k if it is taken transposed.
template <typename L, typename R, typename C, int M, int N, int K, bool Transposed>
__tile_global__ void matmul(const L* a, const R* b, C* c, int k) {
  using tile = ct::tile<C, ct::shape<M, N>>;
  using left = ct::tile<L, ct::shape<M, K>>;
  using right = ct::tile<R, ct::shape<K, N>>;
  using model = decltype(ct::detail::choose_multiplication<left, right, tile>());
  static_assert(model::unit == ct::detail::mma_unit::wgmma);
  auto rows = ct::integral_constant<M>{};
  ct::partition_view a_view{ct::tensor_span{a, ct::extents{rows, k}}, ct::shape<M, K>{}};
  auto sum = ct::zeros<tile>();
  for (int step : ct::irange(0, ct::ceildiv(k, K))) {
    left part = a_view.load_masked(0, step);
    if constexpr (Transposed) {
      auto extents = ct::extents{ct::integral_constant<N>{}, k};
      ct::partition_view b_view{ct::tensor_span{b, extents}, ct::shape<N, K>{}};
      sum = ct::mma(part, ct::transpose(b_view.load_masked(0, step)), sum);
    } else {
      auto extents = ct::extents{k, ct::integral_constant<N>{}};
      ct::partition_view b_view{ct::tensor_span{b, extents}, ct::shape<K, N>{}};
      sum = ct::mma(part, b_view.load_masked(step, 0), sum);
    }
  }
  view(c, ct::shape<M, N>{}).store(sum, 0, 0);
}

/// Operands held k x m, and k x n or n x k.
__tile_global__ void transposed(const __half* a, const __half* b, const __half* c, float* out) {
  auto left = ct::transpose(view(a, ct::shape<32, 64>{}).load(0, 0));
  auto right = view(b, ct::shape<32, 128>{}).load(0, 0);
  auto other = ct::transpose(view(c, ct::shape<128, 32>{}).load(0, 0));
  auto sum = ct::mma(left, right, ct::zeros<ct::tile<float, ct::shape<64, 128>>>());
  view(out, ct::shape<64, 128>{}).store(ct::mma(left, other, sum), 0, 0);
}

/// Open integers, too, are waited for.
template <int N>
__tile_global__ void used_integers(const signed char* a, const signed char* b, int* out) {
  ct::shape<N, N> s;
  auto x = view(a, s).load(0, 0), y = view(b, s).load(0, 0);
  auto none = ct::zeros<ct::tile<int, ct::shape<N, N>>>();
  auto store = [&, i = 0](auto const& value) mutable { view(out + i++ * N * N, s).store(value, 0, 0); };
  store(ct::mma(x, y, none));
  store(ct::mma(y, x, none) * 2 + ct::mma(ct::transpose(x), y, none));
  store(ct::broadcast(ct::sum(ct::mma(y, x, none), ct::integral_constant<1>{}), s));
  store(ct::transpose(ct::mma(y, x, none)));
  store(ct::element_cast<int>(ct::element_cast<float>(ct::mma(x, y, none))));
}

/// Open sums meet every kind of operation, and exchanges of other tiles happen while they are open.
__tile_global__ void used(const __half* a, const __half* b, float* out) {
  ct::shape<64, 64> s;
  auto x = view(a, s).load(0, 0), y = view(b, s).load(0, 0);
  auto none = ct::zeros<ct::tile<float, ct::shape<64, 64>>>();
  auto p = ct::mma(x, y, none);
  auto moved = ct::reshape(ct::reshape(x, ct::shape<4096>{}), s) + ct::reshape(y, s);
  auto q = ct::mma(moved, x, none);
  auto r = ct::mma(x, ct::transpose(y), p);
  auto store = [&, i = 0](auto const& value) mutable { view(out + i++ * 4096, s).store(value, 0, 0); };
  store(p);
  store(q);
  store(ct::transpose(r));
  store(ct::broadcast(ct::sum(ct::mma(y, x, none), ct::integral_constant<1>{}), s));
  store(ct::partial_sum(ct::mma(y, x, none), ct::integral_constant<0>{}));
  store(ct::select(ct::mma(y, x, none) > 0.0f, r, p * 2.0f));
  auto halves = ct::extract(ct::mma(y, x, none), ct::shape<32, 64>{}, 1, 0);
  store(ct::cat(halves, halves, ct::integral_constant<0>{}));
  store(ct::element_cast<float>(ct::mma(x, y, ct::zeros<ct::tile<__half, ct::shape<64, 64>>>())));
}
"""
OPTIONS = ("-O1", "-DCUDA_TILE_WARP_GROUPS=1")
# Left and right elements, their types in NumPy, and the type of the sums.
HALVES = ("__half", "__half", np.float16, np.float16, "float")
TYPES = [
    ("__nv_tf32", "__nv_tf32", np.float32, np.float32, "float"),
    ("__nv_fp8_e4m3", "__nv_fp8_e4m3", ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fn, "float"),
    ("__nv_fp8_e5m2", "__nv_fp8_e5m2", ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2, "float"),
    ("__nv_fp8_e4m3", "__nv_fp8_e4m3", ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e4m3fn, "__half"),
    ("signed char", "signed char", np.int8, np.int8, "int"),
    ("signed char", "unsigned char", np.int8, np.uint8, "int"),
    ("unsigned char", "signed char", np.uint8, np.int8, "int"),
    ("unsigned char", "unsigned char", np.uint8, np.uint8, "int"),
]
SUMS = {"float": np.float32, "__half": np.float16, "int": np.int32}
# Threads, then m, n and bytes of k of the tiles. Groups share rows or columns, or have two blocks of rows, or
# process k in parts.
CASES = [
    (128, (64, 32, 64)),
    (128, (128, 64, 128)),
    (256, (64, 128, 64)),
    (256, (128, 128, 512)),
    (256, (256, 64, 64)),
]
# The same for all types, and for some with k in parts.
CASES_OF_TYPES = [(128, (128, 64, 128)), (256, (64, 128, 128))]
IN_PARTS = (256, (128, 128, 512))


def _operand(seed: int, dtype: type, *shape: int) -> np.ndarray:
    """All values of 8-bit integers; for other types, integers whose products and sums are exact."""
    rng = np.random.default_rng(seed)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
    return rng.integers(-3, 4, shape).astype(dtype)


def _integers(*shape: int) -> np.ndarray:
    return _operand(4, np.float16, *shape)


def _kernel(elements: tuple, lengths: tuple[int, int, int], transposed: bool) -> str:
    left, right, dtype, _, total = elements
    m, n, bytes_of_k = lengths
    k = bytes_of_k // np.dtype(dtype).itemsize
    return f"matmul<{left}, {right}, {total}, {m}, {n}, {k}, {str(transposed).lower()}>"


def _check(kernel: pct.Kernel, elements: tuple, lengths: tuple[int, int, int], transposed: bool) -> None:
    _, _, left, right, total = elements
    m, n, bytes_of_k = lengths
    tile = bytes_of_k // np.dtype(left).itemsize
    for k in (tile, 2 * tile + 8):
        a, b = _operand(4, left, m, k), _operand(5, right, k, n)
        c = np.full((m, n), -1, SUMS[total])
        kernel[1](a, np.ascontiguousarray(b.T) if transposed else b, c, k)
        expected = a.astype(np.float64) @ b.astype(np.float64)
        np.testing.assert_array_equal(c.astype(np.float64), expected, err_msg=f"{kernel.name}, k = {k}")


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("threads", "lengths"), CASES)
@pytest.mark.parametrize("transposed", [False, True])
def test_products_are_exact(threads, lengths, transposed):
    name = _kernel(HALVES, lengths, transposed)
    module = pct.build(SOURCE, target="emulated", num_threads=threads, kernels=(name,), options=OPTIONS)
    _check(module.kernel(name), HALVES, lengths, transposed)


def _check_types(threads: int, lengths: tuple[int, int, int], types: list[tuple]) -> None:
    cases = [(elements, lengths, transposed) for elements in types for transposed in (False, True)]
    names = [_kernel(*case) for case in cases]
    module = pct.build(SOURCE, target="emulated", num_threads=threads, kernels=tuple(names), options=OPTIONS)
    for name, case in zip(names, cases, strict=True):
        _check(module.kernel(name), *case)


@pytest.mark.parametrize(("threads", "lengths"), CASES_OF_TYPES)
@pytest.mark.wide
def test_products_of_all_types_are_exact(threads, lengths):
    _check_types(threads, lengths, TYPES)


@pytest.mark.wide
@pytest.mark.wide
def test_products_of_all_sizes_are_exact_in_parts():
    _check_types(*IN_PARTS, [TYPES[0], TYPES[2], TYPES[5]])


@pytest.mark.wide
def test_threads_that_hold_fewer_neighbours_than_are_stored_at_once():
    _check_types(512, (64, 128, 128), TYPES[:2])


@pytest.mark.wide
def test_more_columns_than_sums_of_their_own_are_exact():
    _check_types(256, (128, 256, 64), [TYPES[1]])


@pytest.mark.wide
def test_both_operands_are_taken_transposed():
    module = pct.build(SOURCE, target="emulated", num_threads=128, options=OPTIONS)
    a, b, c = _integers(32, 64), _integers(32, 128), _integers(128, 32)
    out = np.full((64, 128), np.nan, np.float32)
    module.kernel("transposed")[1](a, b, c, out)
    a, b, c = (x.astype(np.float32) for x in (a, b, c))
    np.testing.assert_array_equal(out, a.T @ b + a.T @ c.T)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_open_sums_are_waited_for(seed):
    module = pct.build(SOURCE, target="emulated", num_threads=128, options=OPTIONS)
    x, y = _integers(64, 64), _integers(64, 64)[::-1].copy()
    out = np.full((8, 64, 64), np.nan, np.float32)
    module.kernel("used").launch(1, x, y, out, schedule_seed=seed)
    x, y = x.astype(np.float32), y.astype(np.float32)
    p, q, r, s = x @ y, (x + y) @ x, x @ y + x @ y.T, y @ x
    sums = np.broadcast_to(s.sum(1, keepdims=True), s.shape)
    halves = np.concatenate([s[32:], s[32:]])
    expected = [p, q, r.T, sums, s.cumsum(0), np.where(s > 0, r, p * 2), halves, p]
    for i, (found, wanted) in enumerate(zip(out, expected, strict=True)):
        np.testing.assert_array_equal(found, wanted, err_msg=str(i))


@pytest.mark.wide
def test_open_integers_are_waited_for():
    name = "used_integers<64>"
    module = pct.build(SOURCE, target="emulated", num_threads=128, kernels=(name,), options=OPTIONS)
    x, y = _operand(6, np.int8, 64, 64), _operand(7, np.int8, 64, 64)
    out = np.full((5, 64, 64), -1, np.int32)
    module.kernel(name)[1](x, y, out)
    x, y = x.astype(np.int32), y.astype(np.int32)
    p, q = x @ y, y @ x
    expected = [p, 2 * q + x.T @ y, np.broadcast_to(q.sum(1, keepdims=True), q.shape), q.T, p]
    for i, (found, wanted) in enumerate(zip(out, expected, strict=True)):
        np.testing.assert_array_equal(found, wanted, err_msg=str(i))


@pytest.mark.wide
def test_sums_stay_open_while_many_others_are_computed():
    source = (
        SOURCE
        + """
    __tile_global__ void patient(const __half* a, const __half* b, float* out, int n) {
      ct::shape<64, 64> s;
      auto x = view(a, s).load(0, 0), y = view(b, s).load(0, 0);
      auto none = ct::zeros<ct::tile<float, ct::shape<64, 64>>>();
      auto first = ct::mma(x, y, none), other = none;
      for (int i : ct::irange(0, n))
        other = ct::mma(y, y, other);
      view(out, s).store(first, 0, 0);
      view(out + 4096, s).store(other, 0, 0);
    }
    """
    )
    module = pct.build(source, target="emulated", num_threads=128, options=OPTIONS)
    x, y = _integers(64, 64), _integers(64, 64)[::-1].copy()
    out = np.full((2, 64, 64), np.nan, np.float32)
    module.kernel("patient")[1](x, y, out, 20)
    x, y = x.astype(np.float32), y.astype(np.float32)
    np.testing.assert_array_equal(out, [x @ y, 20 * (y @ y)])


def test_a_sum_that_nobody_waited_for_is_no_number():
    """Shows what the tests above would see if an operation did not wait."""
    source = (
        SOURCE
        + """
    __tile_global__ void hasty(const __half* a, float* out) {
      ct::shape<64, 64> s;
      auto sum = ct::mma(view(a, s).load(0, 0), view(a, s).load(0, 0),
                         ct::zeros<ct::tile<float, ct::shape<64, 64>>>());
      out[ct::platform::thread()] = sum.slots[0];
    }
    """
    )
    module = pct.build(source, target="emulated", num_threads=128, options=OPTIONS)
    out = np.zeros(128, np.float32)
    module.kernel("hasty")[1](_integers(64, 64), out)
    assert np.isnan(out).all()


FP8 = "__nv_fp8_e4m3"
NVRTC = (13, 5)  # whose code ptxas is asked about


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("source", "name", "products"),
    [
        ("matmul", "matmul<__half, float, __half, 128, 128, 64>", 4),
        ("matmul", "matmul<__nv_bfloat16, float, __nv_bfloat16, 128, 256, 64>", 4),
        ("matmul", "matmul<signed char, int, int, 128, 128, 64>", 2),
        ("products", "matmul_transposed<float, __nv_tf32, float, float, 128, 128, 32>", 4),
        ("products", "matmul_converted<float, __nv_tf32, float, float, 128, 128, 32>", 4),
        ("products", f"matmul_transposed<{FP8}, {FP8}, float, float, 128, 128, 64>", 2),
        ("products", f"matmul_converted<{FP8}, {FP8}, float, float, 128, 128, 64>", 2),
        ("attention", "attention<__nv_bfloat16, 64, 64, 64>", 8),
        ("attention", "attention<__nv_bfloat16, 128, 64, 64>", 8),
    ],
)
def test_ptxas_leaves_sums_open(source, name, products):
    if importlib.util.find_spec("cuda") is None:
        pytest.skip("needs cuda-python and NVRTC")
    if (version := nvrtc.version(gpu.EXTRA)) != NVRTC:
        pytest.skip("remarks and spills are of NVRTC {}.{}, here is {}.{}".format(*NVRTC, *version))
    module = pct.build(
        KERNELS / f"{source}.cu", target="simt", arch="sm_90a", kernels=(name,), num_threads=256
    )
    assert module.kernel(name).ptx.count("wgmma.mma_async") == products
    assert not re.findall("C75..", module.log)  # the warning about serialised products
    assert "0 bytes spill stores" in module.log


PRODUCT = """
#include <cuda_fp16.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
inline __tile__ void product(const __half* a, float* c) {
  ct::shape<64, 64> s;
  auto x = ct::partition_view{ct::tensor_span{a, s}, s}.load(0, 0);
  auto none = ct::zeros<ct::tile<float, ct::shape<64, 64>>>();
  ct::partition_view{ct::tensor_span{c, s}, s}.store(ct::NAME(x, x, none), 0, 0);
}
"""
KERNEL = "__tile_global__ void k(const __half* a, float* c) { product(a, c); }"
SUM = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
// What a matmul is followed by.
__tile_global__ void k(float* x) {
  ct::partition_view view{ct::tensor_span{x, ct::shape<64, 64>{}}, ct::shape<64, 64>{}};
  view.store(view.load(0, 0) + 1.0f, 0, 0);
}
"""


@pytest.fixture
def on_hopper(monkeypatch):
    if importlib.util.find_spec("cuda") is None:
        pytest.skip("needs cuda-python and NVRTC")
    monkeypatch.setattr(gpu, "compute_capability", lambda: (9, 0))


@pytest.mark.parametrize("place", ["source", "included header", "macro"])
def test_products_take_warp_groups_where_they_are(on_hopper, tmp_path, place):
    product = PRODUCT.replace("NAME", "m##ma" if place == "macro" else "mma")
    if place == "macro":
        product = product.replace("ct::m##ma(", "CALL(").replace(
            "inline", "#define CALL ct::JOIN(m, ma)\ninline"
        )
        product = "#define JOIN(a, b) a##b\n" + product
    (tmp_path / "product.cuh").write_text(product)
    include = product if place != "included header" else '#include "product.cuh"\n'
    (tmp_path / "kernel.cu").write_text(include + KERNEL)
    module = pct.build(tmp_path / "kernel.cu", target="simt")
    assert module.arch == "sm_90a"
    assert module.kernel("k").attributes["mma"] == "wgmma"


def test_kernels_without_products_do_not_wait_for_them(on_hopper):
    """Code for sm_90a runs on every device of compute capability 9.0: so it may always be chosen."""
    module = pct.build(SUM, target="simt")
    assert module.arch == "sm_90a"
    assert "wgmma.wait_group" not in module.kernel("k").ptx
    here = pct.build(SUM, target="simt", arch="sm_90").kernel("k")
    assert _code(module.kernel("k").binary) == _code(here.binary)


def test_other_devices_have_the_architecture_of_their_own(monkeypatch):
    if importlib.util.find_spec("cuda") is None:
        pytest.skip("needs cuda-python and NVRTC")
    monkeypatch.setattr(gpu, "compute_capability", lambda: (8, 0))
    assert pct.build(KERNELS / "matmul.cu", target="simt", kernels=()).arch == "sm_80"


def _code(cubin: bytes) -> bytes:
    """The machine code of a cubin with one kernel."""
    return next(s.content for s in products._sections(cubin) if s.name.startswith(".text."))
