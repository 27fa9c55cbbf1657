"""Mistakes that everybody makes once, and what each compiler's error then says to do."""

from __future__ import annotations

import re
import shlex

import pytest

import pycuda_tile as pct
from pycuda_tile import spec
from pycuda_tile.compilers import toolchain
from pycuda_tile.diagnostics.spelling import WORDS

HEAD = """#include "cuda_tile.h"
namespace ct = cuda::tiles;
using T = ct::tile<float, ct::shape<16>>;
using I = ct::tile<int, ct::shape<16>>;
using S = ct::tensor_span<float, ct::extents<unsigned, ct::dynamic_extent>>;
"""
RELAXED = "after the values, write ct::memory_order_relaxed_t{}"
FOR_EACH_POINTER = (
    "takes a value for each pointer: ct::full<ct::tile<E, S>>(x) makes a scalar x a tile, and "
    "ct::reshape(x, ct::shape<>{}) a tile of one element a scalar"
)
ORDER = f"needs a memory order, though the manual writes = {{}}: {RELAXED}"
# A statement with a tile t, a span s and a pointer p, and the end of the error's message.
MISTAKES = {
    "auto u = ct::iota<I>() + ct::bid().x": "hint: bid() has unsigned members: write int(ct::bid().x)",
    "auto u = t * 2.0": "hint: 2.0 is a double: write 2.0f for a tile of float",
    "auto u = ct::element_cast<float>(ct::iota<I>()) * 2.0": "hint: 2.0 is a double: write 2.0f for "
    "a tile of float",
    "auto u = t + 1.": "hint: 1. is a double: write 1.0f for a tile of float",
    "auto u = 3 + ct::bid()": "hint: bid() has unsigned members: write int(ct::bid().x)",
    "auto u = ct::iota<ct::tile<int, ct::shape<4>>>() * 1.5": "hint: a tile of integers computes in "
    "integers: ct::element_cast<float>(t) converts it",
    "auto u = ct::iota<ct::tile<int, ct::shape<4>>>() + 1.5": "hint: a tile of integers computes in "
    "integers: ct::element_cast<float>(t) converts it",
    "auto u = ct::iota<ct::tile<int, ct::shape<8, 2>>>() + ct::iota<ct::tile<int, ct::shape<32>>>()": "hint: "
    "the shapes 8 x 2 and 32 do not broadcast: counted from the last dimension, two lengths are "
    "equal or one of them is 1",
    "auto m = ct::full<ct::tile<float, ct::shape<16, 32>>>(0.0f); auto u = ct::mma(m, m, m)": "hint: a "
    "product of M x K by K x N is added to M x N: 16 x 32, 16 x 32 and 16 x 32 do not fit",
    "auto u = ct::sum(t, 0)": "hint: the dimension is a constant: ct::sum(t, 0_ic), after `using namespace "
    "ct::literals`",
    "int n = 4; auto u = ct::iota<ct::tile<int, ct::shape<n>>>()": "hint: the lengths of a tile are "
    "constants: a number, a constexpr variable, or a parameter of the template, template <int N>",
    "auto u = ct::sum(t)": "hint: sum takes the dimension: ct::sum(t, 0_ic), after `using namespace "
    "ct::literals`",
    "auto u = ct::full<ct::tile<float, ct::shape<0>>>(1.0f)": "hint: each length of a tile is a power of "
    "two, and 0 is not one: take 1, and masks or a partition_view, which leave out what is too much",
    "ct::atomic_add(p, 1.0f)": f"hint: atomic_add {ORDER}",
    "ct::atomic_add(p, 1.0f, {})": f"hint: atomic_add {ORDER}",
    "auto u = ct::sum(t, 0_ic)": "hint: literals such as 1_ic need `using namespace cuda::tiles::literals;`",
    "auto u = ct::full<ct::tile<float, ct::shape<100>>>(1.0f)": "hint: each length of a tile is a power of "
    "two, and 100 is not one: take 128, and masks or a partition_view, which leave out what is too much",
    "auto u = ct::full<ct::tile<float, ct::shape<33554432>>>(1.0f)": "hint: a tile has at most 2^24 = "
    "16777216 elements: share the work among more blocks",
    "ct::partition_view v{s, ct::shape<16>{}}; auto u = v.load_masked(0, 1)": "hint: load_masked of this "
    "view takes 1 index, after any padding",
    "ct::partition_view v{s, ct::shape<16>{}}; auto u = v.load_masked(0, ct::view_padding_nan_t{})": "hint: "
    "load_masked of this view takes 1 index, after any padding",
    "ct::partition_view v{s, ct::shape<16>{}}; auto u = v.load_masked(ct::bid().x, ct::bid().y)": "hint: "
    "load_masked of this view takes 1 index, after any padding",
    "ct::partition_view v{s, ct::shape<16>{}}; v.store_masked(0, t)": "hint: store_masked of this "
    "view takes 1 index, after the value",
    "ct::partition_view v{ct::tensor_span{(int*)p, ct::extents{16}}, ct::shape<16>{}}; v.atomic_add_masked("
    "ct::iota<I>(), ct::memory_order_release_t{}, ct::thread_scope_device_t{}, int(ct::bid().x))": "hint: "
    "atomic_add_masked of a view is relaxed, within a block or the device: write "
    "ct::memory_order_relaxed_t{} and ct::thread_scope_device_t{}",
    "auto u = ct::load_masked(ct::iota<I>() < 3, p + ct::iota<I>())": "hint: the pointers come first: "
    "ct::load_masked(pointers, mask, padding)",
    "ct::store(t, p + ct::iota<I>())": "hint: the pointers come first: ct::store(pointers, values)",
    "ct::store(p + ct::iota<I>(), 3.0f)": f"hint: store {FOR_EACH_POINTER}",
    "ct::atomic_add(p + ct::iota<I>(), 3.0f, ct::memory_order_relaxed_t{})": f"hint: atomic_add "
    f"{FOR_EACH_POINTER}",
    "ct::store(p, ct::sum(t, ct::integral_constant<0>{}))": f"hint: store {FOR_EACH_POINTER}",
    "ct::store_masked(p + ct::iota<I>(), ct::iota<I>() < 3, t)": "hint: the mask comes last: "
    "ct::store_masked(pointers, values, mask)",
    "auto u = ct::load_masked(p, ct::iota<I>() < 3)": "hint: the mask has more elements than there are "
    "pointers: make a tile of pointers, p + ct::iota<ct::tile<int, S>>()",
    "auto u = ct::max(t, ct::integral_constant<0>{})": "hint: max compares two tiles element by element: "
    "ct::reduce_max(t, 0_ic) is the maximum along a dimension",
    "if (t > 0.0f) *p = 1.0f": "hint: a condition is one value for a whole tile: ct::select(mask, a, b) "
    "chooses element by element, and & and | combine masks",
    "auto u = ct::exp<T>(t)": "hint: since 13.4 a rounding mode is the first template argument of exp: write "
    'ct::exp(x), or build with api="13.3"',
    "auto u = ct::select(t > 0.0f, t, 0.0f)": "hint: both values of select are tiles of one type: write "
    "ct::full<decltype(t)>(x) for a scalar x",
    "auto u = ct::argmax(t, ct::integral_constant<0>{})": "hint: for argmax, write ct::max_element(t, 0_ic)",
    "auto u = ct::where(t > 0.0f, t, t)": "hint: for where, write ct::select(t > 0.0f, a, b)",
    "auto u = ct::zeros_like(t)": "hint: for zeros_like, write ct::zeros<decltype(t)>()",
    "auto u = ct::program_id(0)": "hint: for program_id, write ct::bid()",
    "auto u = t.astype(1)": "hint: for astype, write ct::element_cast<float>(t)",
}
FOR_SMALL_FLOATS = {
    "auto u = ct::element_cast<__half>(t) * 2.0f": "2.0f is a float: write __half(2.0f) for a tile of __half",
    "auto u = ct::element_cast<__half>(t) - 2.0f": "2.0f is a float: write __half(2.0f) for a tile of __half",
    "auto u = ct::element_cast<__half>(t) * 2.0": "2.0 is a double: write __half(2.0f) for a tile of __half",
    "auto u = ct::max(.5, ct::element_cast<__nv_bfloat16>(t))": ".5 is a double: write __nv_bfloat16(.5f) "
    "for a tile of __nv_bfloat16",
    "auto u = ct::element_cast<__nv_bfloat16>(t) + 3.": "3. is a double: write __nv_bfloat16(3.0f) "
    "for a tile of __nv_bfloat16",
}
NOT_WITH_NVIDIAS = {  # there a constant
    "constexpr ct::tile<int, ct::shape<2>> u{{1, 2}}": "hint: a tile is not a constant expression: "
    "write const instead of constexpr",
}
ON_THE_HOST = {
    "auto f = &printf": "hint: printf has overloads, which refuse tiles: call it, or name the pointer's type",
    "int i = threadIdx.x": "hint: tile code has no threads: ct::iota numbers the elements of a tile",
    "int i = blockIdx.x": "hint: tile code asks ct::bid() for its block",
    "__syncthreads()": "hint: tile code has no threads that could wait for each other: leave it out",
    "int i = gridDim.x": "hint: tile code asks ct::num_blocks() for the number of blocks",
}


@pytest.fixture(params=["g++", "clang++", "NVRTC", "NVIDIA's tile compiler", "open front end"])
def errors(request, monkeypatch):
    """errors(mistakes) -> the notes of each; errors(mistakes, "message") its messages. One build of all."""
    target, unlimited = "cpu", ["-fmax-errors=0"] if request.param == "g++" else []
    front_end = None
    if request.param == "clang++":
        if (zig := toolchain.of_ziglang()) is None:
            pytest.skip("needs the package ziglang")
        monkeypatch.setenv("PYCUDA_TILE_CXX", shlex.join(zig.command))
        unlimited = ["-ferror-limit=0"]
    elif request.param == "NVRTC":
        target = "simt"
    elif request.param != "g++":
        target, front_end = "tile", "open" if request.param == "open front end" else "nvidia"
        unlimited = ["-ferror-limit=0"] if front_end == "open" else []

    def build(mistakes, what="notes", head=HEAD) -> list[list[str]]:
        lines = [f"__tile__ void f{i}(T t, S s, float* p) {{ {m}; }}" for i, m in enumerate(mistakes)]
        source = head + "\n".join(lines) + "\n__tile_global__ void k(float* p) {}\n"
        try:
            with pytest.raises(pct.CompileError) as caught:
                pct.build(source, target=target, front_end=front_end, options=unlimited)
        except pct.TargetUnavailable as error:
            pytest.skip(str(error))
        first = len(head.splitlines()) + 1
        at = [
            [found for found in caught.value.diagnostics if found.line == first + i]
            for i in range(len(lines))
        ]
        if what == "message":
            return [[one.message for one in found] for found in at]
        return [[note for one in found for note in one.notes] for found in at]

    build.target, build.front_end = target, front_end
    return build


def test_each_mistake_has_its_advice(errors) -> None:
    mistakes = MISTAKES | ({} if errors.front_end == "nvidia" else NOT_WITH_NVIDIAS)
    mistakes |= ON_THE_HOST if errors.target == "cpu" else {}  # NVRTC's code may mix both kinds
    found = dict(zip(mistakes, errors(mistakes), strict=True))
    hints = {mistake: [n for n in notes if n.startswith("hint: ")] for mistake, notes in found.items()}
    if errors.target == "simt":  # NVRTC does not spell out the view's type
        vague, exact = "a view takes an index for each dimension", "this view takes 1 index"
        hints = {mistake: [n.replace(vague, exact) for n in notes] for mistake, notes in hints.items()}
    assert hints == {mistake: [advice] for mistake, advice in mistakes.items()}


def test_numbers_for_tiles_of_small_floats(errors) -> None:
    found = errors(FOR_SMALL_FLOATS, head="#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + HEAD)
    hints = [[note for note in notes if note.startswith("hint: ")] for notes in found]
    assert hints == [[f"hint: {advice}"] for advice in FOR_SMALL_FLOATS.values()]


HEADERS = {  # one for each way to need one
    "__half h = 1.0f": "__half needs #include <cuda_fp16.h>",
    "auto u = ct::full<ct::tile<__nv_bfloat16, ct::shape<16>>>(1.0f)": "__nv_bfloat16 needs #include "
    "<cuda_bf16.h>",
    "auto u = ct::element_cast<__nv_fp8_e4m3>(t)": "__nv_fp8_e4m3 needs #include <cuda_fp8.h>",
    "__nv_fp8_e5m2* q = nullptr; auto u = ct::load(q) + 1": "__nv_fp8_e5m2 needs #include <cuda_fp8.h>",
    "__nv_tf32 z{}": "__nv_tf32 needs #include <cuda_tf32.h>",
}


def test_a_missing_header_is_named(errors) -> None:
    found = errors(HEADERS, "message")
    assert found == [[f"a header is missing: {message}"] for message in HEADERS.values()]


def test_shared_variables_are_no_tile_code(host_target) -> None:
    """On GPUs, tile code may have them: docs/mixing.md."""
    source = (
        HEAD
        + """
    #define SHARED __shared__ float of_a_macro
    __global__ void ordinary() { __shared__ int right; }
    struct s { __device__ void f() { if (true) { __shared__ int right; } } };
    __tile__ void f() { for (;;) { __shared__ int wrong; } }
    __tile_global__ void k(float* p) { __shared__ float wrong[16]; p[0] = wrong[0]; }
    """
    )
    with pytest.raises(pct.CompileError) as caught:
        host_target.build(source)
    found = caught.value.diagnostics
    first = len(HEAD.splitlines())
    assert [(d.line - first, d.severity) for d in found] == [(5, "error"), (6, "error")]
    assert str(caught.value).startswith(f"<source>:{first + 5}: error: tile code has no __shared__ variables")
    assert "hint: all threads of a block share its tiles already" in str(caught.value)


def test_other_mistakes_get_no_advice(errors) -> None:
    """A name that is not declared beside a right number; a stride of 0 beside a span of any length, and
    beside the right index of a block."""
    strided = "ct::strided_view v{s, ct::shape<16>{}, ct::strides<unsigned, 0>{}}; int i = int(ct::bid().x)"
    for notes in errors(["double d = 2.0 * undeclared", strided]):
        assert not [note for note in notes if note.startswith("hint: ")]


def test_names_are_whole_and_the_compilers_suggestion_stays(host_target) -> None:
    source = HEAD + "__tile_global__ void k(S s) { ct::partition_view v{s, ct::shape<8>{}}; v.load_mask(0); }"
    with pytest.raises(pct.CompileError) as caught:
        host_target.build(source)
    message = str(caught.value)
    assert "did you mean 'load_masked'" in message.replace("\n    ", " ")
    assert "..." not in message.splitlines()[0] and len(message.splitlines()) <= 15


def test_hints_are_shown_as_they_are_to_be_written() -> None:
    with pytest.raises(pct.CompileError) as caught:
        pct.build(HEAD + "__tile_global__ void k(int* p) { *p = 0_ic; }", target="cpu")
    assert str(caught.value).endswith("need `using namespace cuda::tiles::literals;`")


def test_words_of_other_libraries_lead_to_code_that_builds() -> None:
    """Each row's code, without what is said behind it."""
    assert not set(WORDS) & {row.name for row in spec.load("api")}
    code = {re.sub(r", (?:or|and|times) .*", "", written) for written in WORDS.values()}
    functions = (f"  {{ auto f = [&] {{ return {written}; }}; (void)f; }}" for written in sorted(code))
    statements = "\n".join(functions)
    statements = statements.replace("return ct::mma(a, b, sums)", "return ct::mma(square, square, square)")
    pct.build(
        f"""#include "cuda_tile/print.h"
{HEAD}using namespace ct::literals;
__tile_global__ void k(float* p, int n) {{
  auto indices = ct::iota<I>();
  auto t = ct::load(p + indices), a = t + 1.0f, b = t + 2.0f;
  auto square = ct::full<ct::tile<float, ct::shape<16, 16>>>(1.0f);
{statements}
}}""",
        target="cpu",
        options=["-O0"],
    )


MISSPELT = {
    "auto u = ct::reduce_mx(t, ct::integral_constant<0>{})": "reduce_max",
    "ct::partition_view v{s, ct::shape<16>{}}; auto u = v.load_mask(0)": "load_masked",
    "auto u = ct::nothing_like_it(t)": "",
    "auto u = s.extent(0).nothing": "",
}


def test_a_name_that_is_near_is_suggested(errors) -> None:
    """By the compiler, or by us."""
    messages, notes = errors(MISSPELT, "message"), errors(MISSPELT)
    for message, note, name in zip(messages, notes, MISSPELT.values(), strict=True):
        text = " ".join([*message, *note])
        suggested = re.findall(r"did you mean '?(\w+)", text)
        assert suggested == ([name] if name else []), text


def test_a_kernel_name_with_other_arguments_shows_the_template(any_target) -> None:
    module = any_target.build(HEAD + "template <typename E, int N> __tile_global__ void k(E* p) {}")
    with pytest.raises(pct.CompileError, match=r"fits this name\n.*\n  it is declared as k<typename E, "):
        module.kernel("k<float>")


def test_notebooks_show_the_message_alone() -> None:
    error = pct.CompileError("<source>:1:2: error: no")
    assert error._render_traceback_() == ["CompileError: <source>:1:2: error: no"]
