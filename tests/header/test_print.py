"""cuda_tile::print: a tile's text against NumPy's text of an array, and the arguments that printf refuses."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest
from targets import TARGETS

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.spec.element_types import CXX_TYPES, HEADERS, NUMPY_TYPES

INCLUDES = "".join(f"#include <{header}>\n" for header in sorted(set(HEADERS.values())))
HEAD = (
    INCLUDES
    + """
#include <cstdio>
#include "cuda_tile.h"
#include "cuda_tile/print.h"
namespace ct = cuda::tiles;
template <typename E, size_t... Lengths>
__tile__ void show(char const* label, E const* p) {
  using shape = ct::shape<Lengths...>;
  auto const i = ct::reshape(ct::iota<ct::tile<int, ct::shape<(Lengths * ... * 1)>>>(), shape{});
  cuda_tile::print(label, ct::load(p + i));
}
"""
)
INTEGERS = {e.cxx: e.dtype for e in NUMPY_TYPES.values() if e.is_integral and e.cxx}
INTEGERS["unsigned"] = INTEGERS.pop("unsigned int")  # as people write it
#: Arrays of ue5m3 are bytes to NumPy.
FLOATS = {name: e.dtype for name, e in CXX_TYPES.items() if not e.is_integral and e.numpy != "uint8"}
SHAPES = [(), (1,), (8,), (512,), (1024,), (4, 2), (2, 512), (32, 32), (2, 2, 4), (16, 8, 16), (1, 2, 1, 2)]
SHAPES += [(2, 1, 4, 2, 2), (2, 4, 8, 2, 16)]


def expected(label: str, kind: str, array: np.ndarray) -> str:
    """The text that a tile with the elements of `array` prints in the first block."""
    texts = np.array([_text(kind, value) for value in array.ravel().tolist()], object).reshape(array.shape)
    seen: list[int] = []  # the lengths of the texts that NumPy chooses
    _array_text(texts, lambda text: seen.append(len(text)) or text)
    body = _array_text(texts, lambda text: text.rjust(max(seen)))
    lengths = ", ".join(map(str, array.shape))
    return f"{label}: tile<{kind}, shape<{lengths}>> in block (0, 0, 0)\n{body}\n"


def _array_text(array: np.ndarray, formatter) -> str:
    return np.array2string(
        array, formatter={"all": formatter}, threshold=1000, edgeitems=3, max_line_width=100, legacy=False
    )


def _text(kind: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return f"{value:.{ {'double': 8, 'float': 7}.get(kind, 5) }g}"


def printed(launch) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as text:
        launch()
    return text.getvalue()


def type_case(kind: str, dtype: type) -> np.ndarray:
    """16 values of a type, including its extremes."""
    if dtype == np.bool_:
        return np.arange(16) % 3 == 0
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        return np.array([info.min, info.max, info.max // 10, *range(13)], dtype)
    values = [0.1, 1 / 3, 2.5, 1e30, 1e-30, 12345.678, 123456789, 1e22, 0.5, 99999.9996, 1e-4, 9e-5, 3.0]
    with np.errstate(over="ignore"):
        made = np.array([*values, np.inf, -np.inf, np.nan], np.float64).astype(dtype)
    if kind == "double":
        made[:3] = 5e-324, -0.0, 1.7976931348623157e308
    if kind == "float":
        made[:3] = 1e-45, 16777216, 3.4028235e38
    if kind == "__nv_tf32":
        made = (made.view(np.uint32) & 0xFFFFE000).view(np.float32)
    return made


def type_cases() -> dict[str, tuple[str, np.ndarray]]:
    """label: element type, values"""
    kinds = enumerate([*INTEGERS.items(), *FLOATS.items()])
    return {f"t{i}": (kind, type_case(kind, dtype)) for i, (kind, dtype) in kinds}


def shape_cases() -> dict[str, tuple[str, np.ndarray]]:
    made = {}
    for i, shape in enumerate(SHAPES):
        numbers = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
        made[f"s{i}"] = ("float", np.sin(numbers, dtype=np.float32)) if i % 2 else ("int", numbers)
    return made


def check(module: pct.Module, cases: dict[str, tuple[str, np.ndarray]]) -> None:
    for label, (kind, x) in cases.items():
        text = printed(lambda label=label, x=x: module[label][1](x.reshape(-1)))
        assert text == expected(label, kind, x), (kind, x.shape)


def source(cases: dict[str, tuple[str, np.ndarray]]) -> str:
    kernels = []
    for label, (kind, x) in cases.items():
        arguments = ", ".join([kind, *map(str, x.shape)])
        kernels.append(
            f'__tile_global__ void {label}({kind} const* p) {{ show<{arguments}>("{label}", p); }}'
        )
    return HEAD + "\n".join(kernels)


def test_types():
    cases = type_cases()
    check(pct.build(source(cases), target="cpu", options=["-O1"]), cases)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "checked"), [("cpu", True), ("emulated-4", False), ("emulated-32", True)])
def test_shapes(name: str, checked: bool):
    cases = shape_cases()
    check(pct.build(source(cases), **TARGETS[name], checked=checked, options=["-O0"]), cases)


def test_interpreted():
    """Through Tile IR the text is the same."""
    cases = type_cases() | shape_cases()
    module = tileir.from_cpp(source(cases))
    for label, (kind, x) in cases.items():
        data = x.reshape(-1)
        text = printed(lambda label=label, data=data: tileir.interpret(module, label, 1, data))
        assert text == expected(label, kind, x), (kind, x.shape)


FUSED = """
__tile_global__ void k(float* p, int n) {
  auto t = ct::load(p + ct::iota<ct::tile<int, ct::shape<1024>>>()) * 1.5f + 1.0f;
  cuda_tile::print("100%", ct::reshape(t, ct::shape<2, 512>{}));
  cuda_tile::print(ct::element_cast<__half>(ct::extract(t, ct::shape<8>{}, n)) / __half(3));
  cuda_tile::print("less", ct::extract(t, ct::shape<32>{}, 0) < 5.0f);
  cuda_tile::print("n", n > 0);
  cuda_tile::print(ct::element_cast<unsigned char>(ct::extract(t, ct::shape<4>{}, n)));
  cuda_tile::print("p", static_cast<unsigned const*>(nullptr));
  cuda_tile::print("most", ct::reduce_max(t * t, ct::integral_constant<0>{}));
}
"""


def test_fused():
    x = np.arange(1024, dtype=np.float32)
    fused, by_operation = (pct.build(HEAD + FUSED, optimize=value) for value in (True, False))
    assert fused["k"].attributes["path"] == "fused"
    text = printed(lambda: by_operation["k"][1](x, 3))
    assert text.startswith("100%: tile<float, shape<2, 512>> in block (0, 0, 0)\n[[     1 ")
    assert printed(lambda: fused["k"][1](x, 3)) == text


SMALL = (
    HEAD
    + """
__tile_global__ void scalars(float* p) {
  cuda_tile::print("n", 7);
  cuda_tile::print(1.5f);
  cuda_tile::print("p", p);
  cuda_tile::print("c", static_cast<float const*>(nullptr));
  cuda_tile::print("v", ct::full<ct::tile<void*, ct::shape<2>>>(nullptr));
}
__tile_global__ void blocks() {
  auto const i = ct::reshape(ct::iota<ct::tile<int, ct::shape<8>>>(), ct::shape<2, 4>{});
  cuda_tile::print(i + static_cast<int>(10 * ct::bid().x));
  cuda_tile::print("x", ct::element_cast<float>(i) / 4.0f);
}
__tile_global__ void without_values(int* p) {
  ct::tile<int, ct::shape<4>> t;
  cuda_tile::print("t", t);
}
"""
)
BLOCKS = """tile<int, shape<2, 4>> in block ({0}, 0, 0)
[[{0}0 {0}1 {0}2 {0}3]
 [{0}4 {0}5 {0}6 {0}7]]
x: tile<float, shape<2, 4>> in block ({0}, 0, 0)
[[   0 0.25  0.5 0.75]
 [   1 1.25  1.5 1.75]]
"""
FIRST = BLOCKS.format("").replace("(,", "(0,")


@pytest.mark.parametrize("name", ["cpu", "emulated-4"])
def test_once_a_block(name: str):
    """Each tile is printed as a whole, whatever other blocks print."""
    module = pct.build(SMALL, **TARGETS[name], options=["-O1"])
    tiles = _tiles(printed(lambda: module["blocks"][2]()))
    assert tiles == _tiles(FIRST + BLOCKS.format("1"))


def _tiles(text: str) -> list[str]:
    return sorted(text.replace("tile<int", "\0tile<int").replace("x: ", "\0x: ").split("\0")[1:])


@pytest.mark.wide
@pytest.mark.skipif("ptx" not in TARGETS, reason="needs cuda-python and NVRTC, and no GPU")
def test_once_a_block_of_gpu_threads():
    from run_ptx import PtxKernel

    kernel = '__tile_global__ void k() { cuda_tile::print("i", ct::iota<ct::tile<int, ct::shape<4>>>()); }'
    output: list[bytes] = []
    PtxKernel(pct.build(HEAD + kernel, **TARGETS["ptx"])["k"], output=output)[1]()
    assert b"".join(output) == b"i: tile<int, shape<4>> in block (0, 0, 0)\n[0 1 2 3]\n"


def test_scalars_and_pointers():
    x = np.zeros(1, np.float32)
    module = pct.build(SMALL, **TARGETS["cpu"], options=["-O1"])
    text = printed(lambda: module["scalars"][1](x))
    block = " in block (0, 0, 0)"
    assert text == (
        f"n: int{block}\n7\nfloat{block}\n1.5\np: float*{block}\n{x.ctypes.data:#x}\n"
        f"c: const float*{block}\n0x0\nv: tile<void*, shape<2>>{block}\n[0x0 0x0]\n"
    )


def test_elements_without_a_value():
    module = pct.build(SMALL, target="cpu", checked=True, options=["-O0"])
    text = printed(lambda: module["without_values"][1](np.zeros(1, np.int32)))
    assert text == "t: tile<int, shape<4>> in block (0, 0, 0)\n[? ? ? ?]\n"


# --- what is refused ----------------------------------------------------------------------------------------

REFUSED = {
    'printf("%d", i)': "printf takes no tile",
    'printf("%d %d", 1, i)': "printf takes no tile",
    'std::printf("%d", n, n, i)': "printf takes no tile",
    'printf("%p", span)': "printf takes no tile",
    'printf("%p", ct::partition_view{span, ct::shape<8>{}})': "printf takes no tile",
    'printf("%d", ct::integral_constant<8>{})': "printf takes no tile",
    'std::printf("%f", __half(1.0f))': "a small float as static_cast<float>(x)",
    'printf("%f", __nv_bfloat16(1.0f))': "a small float as static_cast<float>(x)",
    '::printf("%d %d %d %d %d", n, n, n, i, n)': "printf takes no tile",
    '::printf("%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d", n, n, n, n, n, n, n, n, n, n, n, n, n, n, n, i)': (
        "printf takes no tile"
    ),
    "cuda_tile::print(span)": "cuda_tile::print takes a tile or a scalar",
    'cuda_tile::print("text")': "cuda_tile::print takes a tile or a scalar",
}


@pytest.mark.parametrize("name", ["cpu", "simt"])
def test_what_is_refused(make_target, name: str):
    lines = [f"  {statement};" for statement in REFUSED]
    head = HEAD + "__tile_global__ void k(float* p, int n) {\n"
    head += "  auto i = ct::iota<ct::tile<int, ct::shape<8>>>();\n"
    head += "  ct::tensor_span span{p, ct::extents{8}};\n"
    with pytest.raises(pct.CompileError) as refused:
        make_target(name, arch="sm_80" if name == "simt" else None).build(head + "\n".join(lines) + "\n}\n")
    found = {error.line - head.count("\n"): error.message for error in refused.value.diagnostics}
    for i, message in enumerate(REFUSED.values(), 1):
        assert message in found[i], lines[i - 1]


def test_what_prints_to_files_and_texts_refuses_the_same():
    statements = (
        'fprintf(stderr, "%d", i)',
        'std::snprintf(text, 9, "%d %d", n, i)',
        '::sprintf(text, "%f", h)',
    )
    lines = [f"  {statement};" for statement in statements]
    head = HEAD + "__tile_global__ void k(char* text, __half h, int n) {\n"
    head += "  auto i = ct::iota<ct::tile<int, ct::shape<8>>>();\n"
    right = '  fprintf(stderr, "%d", n);\n  std::snprintf(text, 9, "%d %s", n, text);\n}\n'
    with pytest.raises(pct.CompileError) as refused:
        pct.build(head + "\n".join(lines) + "\n" + right, target="cpu")
    errors = {error.line - head.count("\n"): error.message for error in refused.value.diagnostics}
    assert sorted(errors) == [1, 2, 3]
    assert all("printf takes no tile" in message for message in errors.values())
    pct.build(head + right, target="cpu", options=["-O0"])


@pytest.mark.parametrize("name", ["cpu", "simt"])
def test_numbers_and_pointers_are_printed(make_target, name: str):
    """Even without <cstdio>."""
    kernel = """__tile_global__ void k(float* p, int n) {
      printf("%d %f %p %s %%\\n", n, 1.5, p, "text");
      std::printf("none\\n");
      unsigned char c = 200;
      ::printf("%d\\n", c);
    }"""
    head = HEAD.replace("#include <cstdio>", "")
    make_target(name, arch="sm_80" if name == "simt" else None).build(head + kernel)


def test_tile_compilers_print_in_their_own_way(make_target):
    with pytest.raises(pct.CompileError, match=r"takes tiles in printf itself, as in printf\(\"%f\\n\", t\)"):
        make_target("tile", arch="sm_90").build(HEAD + "__tile_global__ void k() { cuda_tile::print(1); }")
