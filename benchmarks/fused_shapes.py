"""Small kernels of many kinds, types and tile shapes, fused and operation by operation: how much faster loops
that share operations are where rows are short, long or of bytes.

    python benchmarks/fused_shapes.py [--only TEXT] [--march NAME]

Prints the speeds of each shape, those below 0.95, and kernels whose results differ, which is an error. Takes
ten minutes. Needs what fused_kernels.py needs.
"""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import geometric_mean
from typing import NamedTuple

import ml_dtypes
import numpy as np
from fused_kernels import LEAST_SPEED, steady_ratio
from overhead import machine

import pycuda_tile as pct

SHAPES = [(64, 8), (64, 16), (32, 32), (8, 128), (1, 1024)]
TYPES = {
    "float": np.float32,
    "double": np.float64,
    "int": np.int32,
    "short": np.int16,
    "signed char": np.int8,
    "__half": np.float16,
    "__nv_bfloat16": ml_dtypes.bfloat16,
}
#: Expressions of tiles x and y, and of the shape S; results are broadcast to it.
BODIES = {
    "add": "x + y",
    "polynomial": "(x * y + x) * x + y",
    "divide": "x / (y + ct::element_cast<T>(2))",
    "choose": "ct::select(x > y, x, x * y)",
    "clamp": "ct::min(ct::max(x, ct::zeros<X>()), y)",
    "through_float": "ct::element_cast<T>(ct::element_cast<float>(x) * 0.5f + ct::element_cast<float>(y))",
    "through_int": "ct::element_cast<T>(ct::element_cast<int>(x) + 3)",
    "exp": "ct::element_cast<T>(ct::exp(ct::element_cast<float>(x) * 0.125f))",
    "row_sum": "x - ct::sum(y, 1_ic)",
    "row_max": "x - ct::reduce_max(y, 1_ic)",
    "column_sum": "x - ct::sum(y, 0_ic)",
    "running": "ct::partial_sum(x, 1_ic) + y",
    "softmax": "softmax<T>(ct::element_cast<float>(x))",
    "bools": "ct::element_cast<T>(x > y)",
    "any": "x + ct::element_cast<T>(ct::any_of(x > y, 1_ic))",
}
SOURCE = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;
template <typename T, typename X>
auto softmax(X x) {
  auto e = ct::exp((x - ct::reduce_max(x, 1_ic)) * 0.125f);
  return ct::element_cast<T>(e / ct::sum(e, 1_ic) * 32.0f);
}
"""
KERNEL = """
template <typename T, int M, int N>
__tile_global__ void {name}(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out,
                            int rows) {{
  using X = ct::tile<T, ct::shape<M, N>>;
  ct::extents size{{rows, ct::integral_constant<N>{{}}}};
  auto i = ct::bid().x;
  X x = ct::partition_view{{ct::tensor_span{{a, size}}, ct::shape<M, N>{{}}}}.load_masked(i, 0);
  X y = ct::partition_view{{ct::tensor_span{{b, size}}, ct::shape<M, N>{{}}}}.load_masked(i, 0);
  ct::partition_view to{{ct::tensor_span{{out, size}}, ct::shape<M, N>{{}}}};
  to.store_masked(ct::element_cast<T>({body}), i, 0);
}}
"""
ELEMENTS = 1 << 16  # of each array


class Result(NamedTuple):
    shape: tuple[int, int]
    kernel: str
    path: str
    speed: float
    is_same: bool


def main() -> int:
    parser = argparse.ArgumentParser(description="Small kernels as fused loops, for each shape of tiles")
    parser.add_argument("--only", metavar="TEXT", default="", help="kernels with this in their name")
    parser.add_argument("--march", metavar="NAME", help="the processor to compile for")
    arguments = parser.parse_args()
    pct.set_num_workers(1)  # processor time holds that of threads that wait for each other
    found = list(results(arguments.only, [f"-march={arguments.march}"] if arguments.march else []))
    print(f"{machine()}; {arguments.march or 'native'}")
    for shape in SHAPES:
        speeds = [each.speed for each in found if each.shape == shape]
        if speeds:
            print(
                f"{shape[0]}x{shape[1]}: {min(speeds):.2f} to {max(speeds):.2f}, {geometric_mean(speeds):.2f}"
            )
    for each in sorted(found, key=lambda each: each.speed):
        if each.speed < LEAST_SPEED:
            print(f"{each.speed:5.2f}  {each.kernel}  {each.path}")
    wrong = [each.kernel for each in found if not each.is_same]
    if wrong:
        print(f"results differ: {', '.join(wrong)}", file=sys.stderr)
    return bool(wrong)


def results(only: str, options: list[str]) -> Iterator[Result]:
    wanted: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
    for kind in TYPES:
        for body in BODIES:
            for shape in SHAPES:
                name = f"{body}<{kind}, {shape[0]}, {shape[1]}>"
                if only in name:
                    wanted.setdefault((kind, body), {})[name] = shape
    with ThreadPoolExecutor(2) as pool:
        built = pool.map(functools.partial(both_ways, options=options), wanted, wanted.values())
        modules = dict(zip(wanted, list(built), strict=True))
    for key, names in wanted.items():
        fused, plain = modules.pop(key)
        for name, shape in names.items():
            yield measured(fused.kernel(name), plain.kernel(name), TYPES[key[0]], name, shape)


def both_ways(
    key: tuple[str, str], names: dict[str, tuple[int, int]], options: list[str]
) -> list[pct.Module]:
    text = SOURCE + KERNEL.format(name=key[1], body=BODIES[key[1]])
    return [
        pct.build(text, target="cpu", kernels=list(names), options=options, optimize=way)
        for way in ("auto", False)
    ]


def measured(fused: pct.Kernel, plain: pct.Kernel, kind: type, name: str, shape: tuple[int, int]) -> Result:
    rows = ELEMENTS // shape[1]
    numbers = np.random.default_rng(1).integers(-20, 20, (2, rows, shape[1]))
    a, b = numbers.astype(kind)
    outs = [np.zeros_like(a) for _ in range(2)]
    runs = [
        functools.partial(kernel[rows // shape[0]], a, b, out, rows)
        for kernel, out in zip((fused, plain), outs, strict=True)
    ]
    for run in runs:
        run()
    is_same = outs[0].tobytes() == outs[1].tobytes()
    path = ": ".join(str(fused.attributes[key]) for key in ("path", "reason") if key in fused.attributes)
    result = Result(shape, name, path, steady_ratio(*runs), is_same)
    print(f"{result.speed:5.2f}  {name}  {path}", flush=True)
    return result


if __name__ == "__main__":
    sys.exit(main())
