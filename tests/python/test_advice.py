"""Mistakes that everybody makes once, and what each compiler's error then says to do."""

from __future__ import annotations

import shlex

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import toolchain

HEAD = """#include "cuda_tile.h"
namespace ct = cuda::tiles;
using T = ct::tile<float, ct::shape<16>>;
using I = ct::tile<int, ct::shape<16>>;
using S = ct::tensor_span<float, ct::extents<unsigned, ct::dynamic_extent>>;
"""
# A statement with a tile t, a span s and a pointer p, and the end of the error's message.
MISTAKES = {
    "auto u = ct::iota<I>() + ct::bid().x": "hint: bid() has unsigned members: write int(ct::bid().x)",
    "auto u = t * 2.0": "hint: 2.0 is a double: write 2.0f for a tile of float",
    "auto u = t + 1.": "hint: 1. is a double: write 1.0f for a tile of float",
    "auto u = ct::sum(t)": "hint: sum takes the dimension: ct::sum(t, 0_ic), after `using namespace "
    "ct::literals`",
    "ct::atomic_add(p, 1.0f)": "hint: atomic_add takes a memory order: after the values, write "
    "ct::memory_order_relaxed_t{}",
    "auto u = ct::sum(t, 0_ic)": "hint: literals such as 1_ic need `using namespace cuda::tiles::literals;`",
    "auto u = ct::full<ct::tile<float, ct::shape<100>>>(1.0f)": "hint: each length of a tile is a power of "
    "two, and 100 is not one: take 128, and masks or a partition_view, which leave out what is too much",
    "auto u = ct::full<ct::tile<float, ct::shape<33554432>>>(1.0f)": "hint: a tile has at most 2^24 = "
    "16777216 elements: share the work among more blocks",
    "ct::partition_view v{s, ct::shape<16>{}}; auto u = v.load_masked(0, 1)": "hint: load_masked of this "
    "view takes 1 index, after any padding",
    "auto u = ct::select(t > 0.0f, t, 0.0f)": "hint: both values of select are tiles of one type: write "
    "ct::full<decltype(t)>(x) for a scalar x",
}
ON_THE_HOST = {
    "int i = threadIdx.x": "hint: tile code has no threads: ct::iota numbers the elements of a tile",
    "int i = blockIdx.x": "hint: tile code asks ct::bid() for its block",
    "int i = gridDim.x": "hint: tile code asks ct::num_blocks() for the number of blocks",
}


@pytest.fixture(params=["g++", "clang++", "NVRTC"])
def errors(request, monkeypatch):
    """errors(mistakes) -> the lines of notes of each, from one build of all."""
    target = "cpu"
    if request.param == "clang++":
        if (zig := toolchain.of_ziglang()) is None:
            pytest.skip("needs the package ziglang")
        monkeypatch.setenv("PYCUDA_TILE_CXX", shlex.join(zig.command))
    elif request.param == "NVRTC":
        target = "simt"

    def build(mistakes) -> list[list[str]]:
        lines = [f"__tile__ void f{i}(T t, S s, float* p) {{ {m}; }}" for i, m in enumerate(mistakes)]
        source = HEAD + "\n".join(lines) + "\n__tile_global__ void k(float* p) {}\n"
        try:
            with pytest.raises(pct.CompileError) as caught:
                pct.build(source, target=target)
        except pct.TargetUnavailable as error:
            pytest.skip(str(error))
        first = len(HEAD.splitlines()) + 1
        return [
            [note for found in caught.value.diagnostics if found.line == first + i for note in found.notes]
            for i in range(len(lines))
        ]

    build.target = target
    return build


def test_each_mistake_has_its_advice(errors) -> None:
    mistakes = MISTAKES | (ON_THE_HOST if errors.target == "cpu" else {})  # NVRTC's code may mix both kinds
    found = dict(zip(mistakes, errors(mistakes), strict=True))
    hints = {mistake: [n for n in notes if n.startswith("hint: ")] for mistake, notes in found.items()}
    if errors.target == "simt":  # NVRTC does not spell out the view's type
        vague, exact = "a view takes an index for each dimension", "this view takes 1 index"
        hints = {mistake: [n.replace(vague, exact) for n in notes] for mistake, notes in hints.items()}
    assert hints == {mistake: [advice] for mistake, advice in mistakes.items()}


def test_other_mistakes_get_no_advice(errors) -> None:
    """A name that is not declared beside a right number; a stride of 0 beside a span of any length."""
    strided = "ct::strided_view v{s, ct::shape<16>{}, ct::strides<unsigned, 0>{}}"
    for notes in errors(["double d = 2.0 * undeclared", strided]):
        assert not [note for note in notes if note.startswith("hint: ")]


def test_names_are_whole_and_the_compilers_suggestion_stays(host_target) -> None:
    source = HEAD + "__tile_global__ void k(S s) { ct::partition_view v{s, ct::shape<8>{}}; v.load_mask(0); }"
    with pytest.raises(pct.CompileError) as caught:
        host_target.build(source)
    message = str(caught.value)
    assert "did you mean 'load_masked'" in message.replace("\n    ", " ")
    assert "..." not in message.splitlines()[0] and len(message.splitlines()) <= 15


def test_a_kernel_name_with_other_arguments_shows_the_template(host_target) -> None:
    module = host_target.build(HEAD + "template <typename E, int N> __tile_global__ void k(E* p) {}")
    with pytest.raises(pct.CompileError, match=r"fits this name\n.*\n  it is declared as k<typename E, "):
        module.kernel("k<float>")


def test_notebooks_show_the_message_alone() -> None:
    error = pct.CompileError("<source>:1:2: error: no")
    assert error._render_traceback_() == ["CompileError: <source>:1:2: error: no"]
