"""A kernel for each operation on each element type, as text, for the tests of NVRTC's versions.

The regular families come from the tables that generate the headers; the rest is listed here.
"""

from __future__ import annotations

from collections.abc import Iterator

from pycuda_tile import spec
from pycuda_tile.spec.element_types import CXX_TYPES

INTEGERS = [name for name, e in CXX_TYPES.items() if e.is_integral]
FLOATS = [name for name, e in CXX_TYPES.items() if e.is_basic]
# Those whose headers the oldest NVRTC has, too.
RESTRICTED = [name for name, e in CXX_TYPES.items() if e.header == "cuda_fp8.h" and e.since == "13.3"]
ELEMENTS = [*INTEGERS, *FLOATS, *RESTRICTED]
TF32 = "__nv_tf32"  # only the newest NVRTC has its header

ROUNDING = ["round_ties_to_even", "round_toward_zero", "round_toward_negative", "round_toward_positive"]
# the modes of a family: rounding modes for all types and for float only, flushing for float
ROUNDING_FAMILIES = {
    "precise rounding": (ROUNDING, [], True),
    "division rounding": (ROUNDING, ["round_approximate", "round_full"], True),
    "square root rounding": (ROUNDING, ["round_approximate"], True),
    "approximate rounding": (["round_full"], ["round_approximate"], False),
}
FLUSH = "ct::round_subnormals_to_zero_t{}"
# element type of the factors and of the accumulator [2.5]
PRODUCTS = [
    ("signed char", "int"), ("unsigned char", "int"), ("float", "float"), ("double", "double"),
    ("__half", "__half"), ("__half", "float"), ("__nv_bfloat16", "float"),
    ("__nv_fp8_e4m3", "__half"), ("__nv_fp8_e4m3", "float"), ("__nv_fp8_e5m2", "float"),
    (TF32, "float"),
]  # fmt: skip

# Written so that NVRTC 12.0 accepts it, which does not deduce alias templates: ct::shape<4>{}.
HEAD = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using namespace ct::literals;

template <typename E, auto... Lengths>
using tile = ct::tile<E, ct::shape<Lengths...>>;

template <typename E>
__tile__ auto get(E const* p) { return ct::load(p + ct::iota<tile<int, 4, 64>>()); }

// Elements of any result, so that nothing of it is left out.
template <typename T>
__tile__ void put(void* out, T const& result) {
  auto offsets = ct::iota<ct::tile<int, ct::tile_shape_t<T>>>();
  ct::store(static_cast<ct::tile_element_t<T>*>(out) + offsets, result);
}
"""


def source(element: str) -> str:
    """All operations on tiles of one element type."""
    return _source([(element, expression) for expression in expressions(element)])


def source_of_a_sample(number: int) -> str:
    """Each function and operator once; its element type, dimension and modes change with `number`."""
    uses: dict[str, list[tuple[str, str]]] = {}
    for element in ELEMENTS:
        for expression in expressions(element):
            uses.setdefault(expression.partition("(")[0], []).append((element, expression))
    return _source([choice[(number + 7 * i) % len(choice)] for i, choice in enumerate(uses.values())])


def _source(kernels: list[tuple[str, str]]) -> str:
    """A kernel for each (element type, expression)."""
    text = ["#include <cuda_tf32.h>\n" * any(element == TF32 for element, _ in kernels), HEAD]
    for number, (element, expression) in enumerate(kernels):
        text.append(
            f"__tile_global__ void k{number}({element} const* p, void* out) {{\n"
            f"  auto x = get(p);\n  auto y = get(p + 256);\n  put(out, {expression});\n}}\n"
        )
    return "".join(text)


def expressions(element: str) -> Iterator[str]:
    """Expressions of the tiles x and y, whose value is a tile."""
    yield from _conversions(element)
    yield from _shapes(element)
    yield from _products(element)
    if element in (*RESTRICTED, TF32):
        return
    yield from _elementwise(element)
    yield from _reductions(element)
    yield from _atomics(element)
    if element in FLOATS:
        yield from _fused(element)
        yield from _math(element)


def _conversions(element: str) -> Iterator[str]:
    yield from (f"ct::element_cast<{other}>(x)" for other in ELEMENTS)


def _shapes(element: str) -> Iterator[str]:
    yield "ct::transpose(x)"
    yield "ct::permute(ct::reshape(x, ct::shape<2, 4, 32>{}), ct::dimension_map<2, 0, 1>{})"
    yield "ct::broadcast(ct::reshape(x, ct::shape<256, 1>{}), ct::shape<256, 2>{})"
    yield "ct::cat(x, y, 0_ic)"
    yield "ct::extract(x, ct::shape<2, 16>{}, 1, 3)"
    yield "ct::select(ct::element_cast<bool>(x), x, y)"


def _products(element: str) -> Iterator[str]:
    for factor, sum_type in PRODUCTS:
        if factor == element:
            yield f"ct::mma(x, ct::transpose(y), ct::zeros<tile<{sum_type}, 4, 4>>())"


def _takes(row, element: str) -> bool:
    return {"arithmetic": True, "integral": element in INTEGERS, "bool": True}[row.elements]


def _modes(row, element: str) -> Iterator[str]:
    """The arguments that select the modes of a row; one empty entry if it has none."""
    single = element == "float"
    if not row.modes:
        yield ""
    elif element not in FLOATS:
        return
    elif row.modes == "subnormals":
        yield from ["", f", {FLUSH}"] if single else [""]
    elif row.modes == "nan propagation":
        for mode in ("suppress_nan", "propagate_nan"):
            yield from [f", ct::{mode}_t{{}}"] + [f", ct::{mode}_t{{}}, {FLUSH}"] * single
    else:
        precise, imprecise, flush = ROUNDING_FAMILIES[row.modes]
        for mode in [*precise, *(imprecise if single else [])]:
            yield from [f", ct::{mode}_t{{}}"] + [f", ct::{mode}_t{{}}, {FLUSH}"] * (single and flush)


def _elementwise(element: str) -> Iterator[str]:
    for row in spec.elementwise():
        if not _takes(row, element):
            continue
        for modes in _modes(row, element):
            operands = ["x", "y"][: int(row.operands)]
            if row.name:
                yield f"ct::{row.name}({', '.join(operands)}{modes})"
            else:
                yield f" {row.operator} ".join(operands) if len(operands) == 2 else f"{row.operator}x"


def _fused(element: str) -> Iterator[str]:
    for modes in ["", *(f", ct::{mode}_t{{}}" for mode in ROUNDING)]:
        yield f"ct::fma(x, y, x{modes})"


def _math(element: str) -> Iterator[str]:
    for row in spec.load("math"):
        for modes in dict.fromkeys(["", *_modes(row, element)]):
            yield f"ct::{row.name}({', '.join(['x', 'y'][: int(row.operands)])}{modes})"


def _reductions(element: str) -> Iterator[str]:
    for row in spec.load("reductions"):
        if _takes(row, element):
            for modes in _modes(row, element):
                yield from (f"ct::{row.name}(x, {d}_ic{modes})" for d in (0, 1))


def _atomics(element: str) -> Iterator[str]:
    words = ["int", "long", "long long", "unsigned int", "unsigned long", "unsigned long long"]
    types = {
        "integral": words,
        "integral float double": [*words, "float", "double"],
        "integral float double half": [*words, "float", "double", "__half", "__nv_bfloat16"],
    }
    pointers = f"static_cast<{element}*>(out) + ct::iota<tile<int, 4, 64>>()"
    order = "ct::memory_order_acq_rel_t{}, ct::thread_scope_device_t{}"
    for row in spec.load("atomics"):
        if element in types[row.elements]:
            mask = ", x != y" if row.masked == "yes" else ""
            yield f"ct::{row.name}({pointers}, x{mask}, {order})"
