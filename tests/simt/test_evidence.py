"""The code that NVRTC generates for GPUs, as counted by benchmarks/simt_evidence.py; no GPU is needed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc
from pycuda_tile.launching import gpu

NVRTC = (13, 5)  # whose instructions are counted
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def _load(name: str):
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_simt_evidence = _load("simt_evidence")


@pytest.fixture(scope="module")
def evidence():
    pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")
    if _simt_evidence.find_nvdisasm() is None:
        pytest.skip("nvdisasm is missing: it comes with the wheel nvidia-cuda-nvdisasm or the CUDA toolkit")
    if (version := nvrtc.version(gpu.EXTRA)) != NVRTC:
        pytest.skip("counts are of code by NVRTC {}.{}, here is {}.{}".format(*NVRTC, *version))
    return Evidence(_simt_evidence)


class Evidence:
    def __init__(self, module) -> None:
        self.module = module

    def example(self, title: str):
        return next(example for example in self.module.KERNELS if example.title == title)

    def __call__(self, title: str, arch: str):
        return self.module.build(self.example(title), arch)

    def of_source(self, source: str, arch: str, options: tuple = ()):
        """The evidence of a source's only kernel."""
        module = pct.build(source, target="simt", arch=arch, options=options)
        (info,) = module.kernels
        return self.module.examine(module.kernel(info.name), module.log, loops=False)


# Each example on one of the architectures.
CASES = [
    (
        example.title,
        [arch for arch in _simt_evidence.ARCHS if _simt_evidence.compute_capability(arch) >= example.since],
    )
    for example in _simt_evidence.KERNELS
]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("title", "arch"), [(title, archs[i % len(archs)]) for i, (title, archs) in enumerate(CASES)]
)
def test_every_example_fits_its_machine(evidence, title, arch):
    """No spills, no serialised matrix instructions, the desired number of resident threads, and in loops over
    tiles half of the loads in flight before the last wait."""
    seen, example = evidence(title, arch), evidence.example(title)
    assert (seen.spilled_bytes, seen.warnings) == (0, 0)
    assert seen.blocks(arch) * seen.threads // 32 >= example.warps
    assert seen.early_loads >= 0.5
    assert seen.counts["LDG.128"] + seen.counts["LDG.64"] > 0


def test_loads_before_the_last_wait_are_counted(evidence):
    loop = [".L_1:", "LDG.E.128 R4, [R2.64] ;", "BAR.SYNC 0x0 ;", "@P0 LDG.E R8, [R2.64] ;", "BRA `(.L_1) ;"]
    assert evidence.module.early_loads(loop) == 0.5
    assert evidence.module.early_loads(loop[:2]) == 1  # nothing waits


@pytest.mark.parametrize(
    ("arch", "threads", "registers", "shared", "blocks"),
    [
        ("sm_80", 128, 32, 0, 16),
        ("sm_80", 128, 33, 0, 12),  # registers are allocated to threads in units of 8
        ("sm_90", 256, 255, 0, 1),
        ("sm_75", 128, 32, 16384, 4),
        ("sm_80", 32, 16, 0, 32),
        ("sm_90", 128, 32, 75 * 1024, 3),
    ],
)
def test_blocks_that_a_multiprocessor_holds(evidence, arch, threads, registers, shared, blocks):
    made = evidence.module.Evidence(threads, registers, shared, 0, 0, 0, {}, 1.0)
    assert made.blocks(arch) == blocks


def test_rows_are_loaded_in_vectors_and_reduced_by_shuffles(evidence):
    seen = evidence("softmax", "sm_80")
    assert seen.threads == 128 and seen.spilled_bytes == 0
    assert seen.counts["LDG.128"] == 2 + 2  # 1024 floats of 128 threads: within the span, and at its end
    assert seen.counts["shuffles"] == 10  # of 32 lanes, twice


def test_vector_add_loads_and_stores_16_bytes(evidence):
    seen = evidence("vector add", "sm_90")
    # Within the span and at its end; one by one if arrays begin or end elsewhere.
    assert (seen.counts["LDG.128"], seen.counts["STG.128"]) == (4 + 4, 2 + 2)
    assert (seen.counts["LDG other"], seen.counts["STG other"]) == (16, 8)


COPIES = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
using rows = ct::shape<16, 64>;

__tile_global__ void known(const float* in, float* out) {{
  auto extents = ct::extents<int, 128, 1024>{{}};
  ct::partition_view from{{ct::tensor_span{{ct::assume_aligned(in, 16_ic), extents}}, rows{{}}}};
  ct::partition_view to{{ct::tensor_span{{ct::assume_aligned(out, 16_ic), extents}}, rows{{}}}};
  auto block = ct::bid();
  to.store{masked}(from.load{masked}(block.y, block.x), block.y, block.x);
}}
"""


@pytest.mark.parametrize(("masked", "paths"), [("", 1), ("_masked", 2)])
@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_what_is_known_of_memory_is_not_asked(evidence, masked, paths, arch):
    """With aligned arrays and static extents, no element is loaded or stored alone."""
    seen = evidence.of_source(COPIES.format(masked=masked), arch)
    assert (seen.counts["LDG.128"], seen.counts["STG.128"]) == (2 * paths, 2 * paths)
    assert (seen.counts["LDG other"], seen.counts["STG other"]) == (0, 0)


DIVISIBLE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
using rows = ct::shape<16, 64>;

__tile_global__ void divisible(const float* in, float* out, int lines, int width) {
  auto extents = ct::extents{lines, ct::assume_divisible(width, 4_ic)};
  ct::partition_view from{ct::tensor_span{ct::assume_aligned(in, 16_ic), extents}, rows{}};
  ct::partition_view to{ct::tensor_span{ct::assume_aligned(out, 16_ic), extents}, rows{}};
  auto block = ct::bid();
  to.store_masked(from.load_masked(block.y, block.x), block.y, block.x);
}
"""


def test_a_divisor_that_is_assumed_is_not_asked(evidence):
    seen = evidence.of_source(DIVISIBLE, "sm_80")
    assert (seen.counts["LDG.128"], seen.counts["STG.128"]) == (4, 4)  # within the span, and at its end
    assert (seen.counts["LDG other"], seen.counts["STG other"]) == (0, 0)


POINTERS = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void copy(const float* in, float* out, int n) {
  auto i = static_cast<int>(ct::bid().x) * 1024 + ct::iota<ct::tile<int, ct::shape<1024>>>();
  ct::store_masked(out + i, ct::load_masked(in + i, i < n), i < n);
}
"""


def test_pointers_are_followed_in_vectors(evidence):
    seen = evidence.of_source(POINTERS, "sm_80")
    assert (seen.counts["LDG.128"], seen.counts["STG.128"]) == (2, 2)  # of 4 elements
    assert (seen.counts["LDG other"], seen.counts["STG other"]) == (8, 8)


@pytest.mark.parametrize(("title", "arch"), [("matmul f16", "sm_75"), ("matmul bf16", "sm_80")])
def test_products_of_halves_use_matrix_instructions_and_spill_nothing(evidence, title, arch):
    seen = evidence(title, arch)
    assert seen.spilled_bytes == 0 and seen.warnings == 0
    # The warps share 128 x 128 x 64 in instructions of 16 x 8 x 16, on sm_75 of 16 x 8 x 8.
    instructions = 8 * 16 * 4 * (2 if arch == "sm_75" else 1)
    assert seen.counts["matrix"] == instructions // (seen.threads // 32)
    assert seen.counts["barriers"] == 2
    whole = 2 * 128 * 64 * 2 // 16 // seen.threads  # both operands, once within the span and once at its end
    assert seen.counts["LDG.128"] == 2 * whole


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("title", "arch", "products", "an_instruction"),
    [
        ("a b^T s8", "sm_75", 128 * 128 * 64, 8 * 8 * 16),
        ("a b^T s8", "sm_80", 128 * 128 * 64, 16 * 8 * 32),
        ("a b^T tf32", "sm_80", 128 * 64 * 32, 16 * 8 * 8),
        ("a b^T fp8", "sm_80", 128 * 128 * 64, 16 * 8 * 16),  # as halves
        ("a b^T fp8", "sm_89", 128 * 128 * 64, 16 * 8 * 32),
        ("matmul f64", "sm_80", 64 * 64 * 16, 8 * 8 * 4),
        ("matmul f64", "sm_90", 64 * 64 * 16, 16 * 8 * 8),
        ("batched f16", "sm_80", 4 * 32 * 64 * 32, 16 * 8 * 16),
    ],
)
def test_warps_share_the_matrix_instructions_of_all_types(evidence, title, arch, products, an_instruction):
    seen = evidence(title, arch)
    assert seen.spilled_bytes == 0 and seen.warnings == 0
    assert seen.counts["matrix"] == products // an_instruction // (seen.threads // 32)
    assert seen.counts["barriers"] == 2


EXCHANGES = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void exchanges(float* p) {
  auto rows = ct::partition_view{ct::tensor_span{p, ct::shape<64, 32>{}}, ct::shape<64, 32>{}}.load(0, 0);
  auto wide = ct::reshape(ct::element_cast<double>(rows), ct::shape<2, 8, 128>{});
  auto columns = ct::element_cast<float>(ct::permute(wide, ct::dimension_map<2, 0, 1>{}));
  auto array = ct::shape<2048>{};
  auto all = ct::cat(ct::reshape(columns, array), ct::reshape(rows, array), ct::integral_constant<0>{});
  ct::partition_view{ct::tensor_span{p, ct::shape<4096>{}}, ct::shape<4096>{}}.store(all, 0);
}
"""


def test_shared_memory_is_that_of_the_largest_exchange(evidence):
    assert evidence.of_source(EXCHANGES, "sm_80").shared_bytes == 2048 * 8


def test_other_launchers_are_asked_for_no_dynamic_shared_memory(evidence):
    seen = evidence.of_source(EXCHANGES, "sm_80", ("-UCUDA_TILE_DYNAMIC_SCRATCH",))
    assert seen.shared_bytes == 32 * 1024
