"""The tables of docs/coming_from.md: every expression here compiles, and NumPy's have NumPy's values."""

from __future__ import annotations

import re

import numpy as np
from run_pages import ROOT

import pycuda_tile as pct

ROW = re.compile(r"^\| `(?P<theirs>.+?)`.* \| `(?P<ours>[^`]+)` \|$", re.M)
START = """
#include <cuda_fp16.h>
#include "cuda_tile.h"
#include "cuda_tile/print.h"
namespace ct = cuda::tiles;
using namespace ct::literals;

template <class T>
__tile__ void keep(float* out, int* shape, T t) {
  constexpr int size = int(ct::tile_size_v<T>);
  ct::store(out + ct::iota<ct::tile<int, ct::shape<size>>>(),
            ct::reshape(ct::element_cast<float>(t), ct::shape<size>{}));
  for (int i = 0; i < int(ct::tile_rank_v<T>); ++i)
    shape[i] = int(T::shape_type::static_extent(i));
}
"""
KERNEL = """
__tile_global__ void row_{number}(float* p, int* q, float* out, int* shape) {{
  ct::tensor_span span{{p, ct::extents{{16, 8}}}};
  auto n = ct::reshape(ct::iota<ct::tile<int, ct::shape<32>>>(), ct::shape<4, 8>{{}}) - 5;
  auto x = ct::partition_view{{span, ct::shape<4, 8>{{}}}}.load(2, 0);
  auto y = ct::partition_view{{span, ct::shape<4, 8>{{}}}}.load(3, 0);
  {statement}
}}
"""


def rows_of(heading: str) -> list[tuple[str, str]]:
    page = (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")
    section = page.split(f"## {heading}\n")[1].partition("\n## ")[0]
    rows = [(row["theirs"], row["ours"]) for row in ROW.finditer(section)]
    assert len(rows) > 10
    return rows


def statement(ours: str) -> str:
    return f"{ours};" if "print" in ours else f"(void)({ours});"


def test_every_expression_compiles_and_those_of_numpy_have_its_values():
    rows = rows_of("From NumPy")
    statements = [f"keep(out, shape, {ours});" for _, ours in rows]
    statements += [statement(ours) for _, ours in rows_of("From Triton") + rows_of("From CUDA")]
    kernels = (KERNEL.format(number=n, statement=statement) for n, statement in enumerate(statements))
    module = pct.build(START + "".join(kernels), target="cpu", optimize=False)
    span = np.random.default_rng(0).standard_normal((16, 8), np.float32)
    names = {"np": np, "span": span, "x": span[8:12], "y": span[12:]}
    names |= {"n": np.arange(32, dtype=np.int32).reshape(4, 8) - 5, "p": span.ravel()}
    for number, (theirs, ours) in enumerate(rows):
        expected = np.asarray(eval(theirs, names))
        out, shape = np.full(64, np.nan, np.float32), np.zeros(2, np.int32)
        module[f"row_{number}"][1](span, None, out, shape)
        assert tuple(shape[: expected.ndim]) == expected.shape, ours
        result = out[: expected.size].reshape(expected.shape)
        np.testing.assert_allclose(result, expected.astype(np.float32), rtol=1e-6, atol=1e-6, err_msg=ours)
