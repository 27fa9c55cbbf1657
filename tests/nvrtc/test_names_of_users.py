"""Programs whose functions have the names of the header's internal ones: the header still calls its own.

Argument-dependent lookup finds the functions in the namespaces of an argument's type: for __half, for tiles
of it, for views with a user's accessor and so on, the global namespace. An internal call that is not
qualified becomes ambiguous then, or calls the wrong function.
"""

from __future__ import annotations

import re

import numpy as np
import operation_kernels
import pytest

import pycuda_tile as pct
from pycuda_tile.system import resources

VIEWS = """
template <typename E>
struct user_accessor {
  using element_type = E;
  using data_handle_type = E*;
  using reference = E&;
};
template <typename E>
inline constexpr bool ct::enable_contiguous_accessor_policy<user_accessor<E>> = true;

struct user_numbers {
  float scale;
  __half offset;
};

__tile_global__ void views(__half* p, __half const* q, user_numbers u, int n) {
  ct::extents<int, ct::dynamic_extent, 64> lengths{n};
  ct::tensor_span<__half, decltype(lengths), ct::layout_right, user_accessor<__half>> span{p, lengths};
  ct::partition_view v{span, ct::shape<4, 16>{}};
  ct::extents<unsigned, ct::dynamic_extent, ct::dynamic_extent> square(n, n), steps(n, 2);
  ct::layout_strided_mapping every_other{square, steps};
  ct::partition_view w{ct::tensor_span{q, every_other}, ct::shape<4, 16>{}};
  v.store(w.load(0, 0), 0, 0);
  v.store_masked(v.load_masked(1, 1), 1, 1);
  auto a = v.atomic_load<ct::memory_order::relaxed>(0, 1);
  v.atomic_store<ct::memory_order::relaxed>(a, 0, 1);
  auto i = ct::iota<ct::tile<int, ct::shape<256>>>();
  auto x = ct::load_masked(p + i, i < n);
  auto scaled = ct::element_cast<__half>(u.scale * ct::element_cast<float>(x));
  ct::store_masked(p + i, ct::select(p + i == q + i, x, scaled), i < n);
  auto pointers = ct::cat(p + i, p + i, 0_ic);
  ct::store(p + i, ct::load(ct::extract(pointers, ct::shape<256>{}, 1)) + u.offset);
}

__tile_global__ void results(__half const* p, __nv_bfloat16 const* q, float* out) {
  ct::partition_view a{ct::tensor_span{p, ct::extents{32_ic, 32_ic}}, ct::shape<16, 16>{}};
  ct::partition_view b{ct::tensor_span{q, ct::extents{32_ic, 32_ic}}, ct::shape<16, 16>{}};
  ct::partition_view c{ct::tensor_span{out, ct::extents{32_ic, 32_ic}}, ct::shape<16, 16>{}};
  int const y = static_cast<int>(ct::detail::bid<1>()), x = static_cast<int>(ct::detail::bid<0>());
  auto sums = ct::zeros<ct::tile<float, ct::shape<16, 16>>>();
  for (int k : ct::irange(0, 2))
    sums = ct::mma(a.load(y, k), ct::transpose(ct::element_cast<__half>(b.load(x, k))), sums);
  auto rows = ct::sum(ct::element_cast<float>(ct::abs(b.load(y, x))), 1_ic);
  c.store(sums + rows + static_cast<float>(ct::detail::num_blocks<1>()), y, x);
}
"""


def names() -> list[str]:
    """The functions that the headers declare, including members, except names that the sources use. What
    stands for CUDA's and standard headers has names that are not the user's."""
    folder = resources.include_dir() / "cuda_tile"
    others = {"compatible", "record", "vector_types.h"}
    text = "\n".join(p.read_text() for p in folder.rglob("*.h") if others.isdisjoint(p.parts))
    text = re.sub(r'//.*|"(?:\\.|[^"\\\n])*"|^ *#.*', " ", text, flags=re.M)
    begin = r"\b(?:CUDA_TILE_\w+|__device__|inline|constexpr|static|void|auto)\b"
    found = set(
        re.findall(begin + r"(?:[^;{}()=]|decltype\(auto\))*?[\s*&)](?!decltype\()([a-z]\w*)\(", text)
    )
    others = {"operator", "requires", "decltype", "explicit", "noexcept", "volatile"}
    others |= {"printf", "tile", "get", "put"}
    return sorted(name for name in found - others if "__" not in name and not name.startswith("cuda_tile_"))


def own_functions() -> str:
    """A global template of each name for one to four arguments, and some explicit template arguments."""
    lines = ["template <typename> inline constexpr bool never = false;", "struct own {};"]
    for name in names():
        for explicit in ("", "typename T, ", "auto V, ", "auto V, auto W, "):
            for count in range(1, 5):
                types = ", ".join(f"typename A{i}" for i in range(count))
                arguments = ", ".join(f"A{i}" for i in range(count))
                body = f'static_assert(never<A0>, "{name} of the user is called"); return {{}};'
                lines.append(
                    f"template <{explicit}{types}> __host__ __device__ own {name}({arguments}) {{ {body} }}"
                )
    return "\n".join(lines) + "\n"


def source(element: str, with_own_functions: bool, every: int = 1) -> str:
    """Operations on tiles of an element type, all or a sample; user functions come before the header."""
    expressions = list(operation_kernels.expressions(element))[::every]
    text = operation_kernels._source([(element, expression) for expression in expressions]) + VIEWS
    if not with_own_functions:
        return text
    # Marked for GPU compilers, before the header defines the marks for others.
    marks = "#if !defined(__CUDACC__) && !defined(__host__)\n#define __host__\n#define __device__\n#endif\n"
    first = text.index('#include "cuda_tile.h"')
    host = "#if !defined(__CUDACC_RTC__)\n#include <cmath>\n#include <cstdlib>\n#include <cstring>\n#endif\n"
    return text[:first] + host + marks + own_functions() + text[first:]


def test_the_names():
    found = names()
    assert {"to_float", "convert", "map", "rearrange", "bit_cast", "load", "sum", "operand_value"} <= set(
        found
    )


TARGETS = {
    "cpu": {"target": "cpu"},
    "emulated": {"target": "emulated", "num_threads": 32},
    "checked": {"target": "cpu", "checked": True},
}


@pytest.mark.wide
@pytest.mark.parametrize("name", TARGETS)
def test_host(name: str):
    module = pct.build(source("__half", True, 1), **TARGETS[name], options=["-O0"])
    rng = np.random.default_rng(1)
    p = rng.integers(-8, 8, (32, 32)).astype(np.float16)
    ml_dtypes = pytest.importorskip("ml_dtypes")
    q = rng.integers(-8, 8, (32, 32)).astype(ml_dtypes.bfloat16)
    out = np.zeros((32, 32), np.float32)
    module["results"][2, 2](p, q, out)
    p, q = p.astype(np.float32), q.astype(np.float32)
    rows = np.abs(q).reshape(32, 2, 16).sum(2).repeat(16, 1)
    np.testing.assert_array_equal(out, p @ q.T + rows + 2)


@pytest.mark.wide
@pytest.mark.parametrize(
    ("element", "arch", "every"),
    [
        ("__half", "sm_80", 10),
        ("__nv_bfloat16", "sm_90a", 1),
        ("__nv_fp8_e4m3", "sm_89", 1),
        ("float", "sm_75", 1),
    ],
)
def test_gpu(element: str, arch: str, every: int, make_target):
    """The program is identical, except for constants that overload resolution used."""
    built = [make_target("simt", arch=arch).build(source(element, own, every)) for own in (True, False)]
    first, second = (_code(module["results"].ptx) for module in built)
    assert first == second


def _code(ptx: str) -> str:
    return re.sub(r"^\s*(//|\.(visible )?(loc|file|global|weak|const)\b).*\n", "", ptx, flags=re.M)
