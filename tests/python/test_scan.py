"""The scanner, which finds a source's kernels from its tokens alone."""

import json
from pathlib import Path

import pytest

from pycuda_tile.frontend.kernel_info import KernelInfo, Param, TemplateParam
from pycuda_tile.frontend.scan import scan


def only(text: str, **arguments) -> KernelInfo:
    (kernel,) = scan(text, "k.cu", **arguments)
    return kernel


def names(text: str, **arguments) -> list[str]:
    return [kernel.name for kernel in scan(text, "k.cu", **arguments)]


def test_name_parameters_and_place():
    kernel = only(
        "\n// comment\n"
        "__tile_global__ void add(const float* __restrict__ a, float *out, int n = f(1, 2)) {\n}\n"
    )
    assert (kernel.name, kernel.file, kernel.line) == ("add", "k.cu", 3)
    assert kernel.params == (
        Param("a", "const float* __restrict__"),
        Param("out", "float*"),
        Param("n", "int"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unsigned int", Param("", "unsigned int")),
        ("const tile", Param("", "const tile")),
        ("std::uint32_t", Param("", "std::uint32_t")),
        ("float x[4]", Param("x", "float [4]")),
        ("void (*f)(int)", Param("f", "void (*)(int)")),
        ("ct::tile<float, ct::shape<1, 2>> t", Param("t", "ct::tile<float, ct::shape<1, 2>>")),
        ("[[maybe_unused]] int z", Param("z", "int")),
        ("T* __restrict__", Param("", "T* __restrict__")),
    ],
)
def test_parameter(text: str, expected: Param):
    assert only(f"__tile_global__ void k({text}) {{}}").params == (expected,)


def test_no_parameters():
    assert only("__tile_global__ void k(void) {}").params == ()
    assert only("__tile_global__ void k() {}").params == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("class T", TemplateParam("type", "T")),
        ("typename T = float", TemplateParam("type", "T", "float")),
        ("int N = (3 > 2)", TemplateParam("value", "N", "(3 > 2)", "int")),
        ("auto... Vs", TemplateParam("value", "Vs", None, "auto", True)),
        ("float F = 1e-06f", TemplateParam("value", "F", "1e-06f", "float")),
        ("ct::arithmetic_tile T", TemplateParam("type", "T", None, "ct::arithmetic_tile")),
        ("template <class> class X = Y", TemplateParam("template", "X", "Y", "template <class> class")),
        ("typename", TemplateParam("type", "")),
    ],
)
def test_template_parameter(text: str, expected: TemplateParam):
    assert only(f"template <{text}> __tile_global__ void k() {{}}").template_params == (expected,)


def test_concept_of_the_source_constrains_a_type():
    text = "template <class T> concept small = sizeof(T) < 4;\n"
    text += "template <small T, color C> __tile_global__ void k(T) {}"
    assert [param.kind for param in only(text).template_params] == ["type", "value"]


def test_scopes():
    text = """
    namespace a::b { inline namespace v1 { namespace { __tile_global__ void k() { if (1) { } } } } }
    extern "C" { __tile_global__ void c() {} }
    extern "C" __tile_global__ void d() {}
    struct S { void f() { } };
    auto lambda = [](int x) { return x; };
    __tile_global__ void last() {}
    """
    assert names(text) == ["a::b::v1::k", "c", "d", "last"]


def test_names_without_inline_namespaces():
    text = """
    namespace a::b { inline namespace v1 { namespace { __tile_global__ void k() {} } } }
    namespace a::inline v2::c { __tile_global__ void k() {}
    namespace inlined { __tile_global__ void l() {} } }
    """
    found = {kernel.name: kernel.short for kernel in scan(text, "k.cu")}
    assert found == {
        "a::b::v1::k": "a::b::k",
        "a::v2::c::k": "a::c::k",
        "a::v2::c::inlined::l": "a::c::inlined::l",
    }


def test_text_that_only_looks_like_a_kernel():
    text = """
    // __tile_global__ void c1() {}
    /* __tile_global__ void c2() {} */
    // continued \\
    __tile_global__ void c3() {}
    const char* s = "__tile_global__ void c4() {}";
    auto r = R"x(__tile_global__ void c5() {} )" )x"; char quote = '"'; int big = 1'000'000;
    #define KERNEL(x) \\
      __tile_global__ void x() {}
    __tile_global__ void real() { const char* t = "}"; }
    """
    assert names(text) == ["real"]


def test_declaration_without_definition_is_no_kernel_but_gives_hints():
    text = """
    [[cutile::hint(0, latency=1)]] __tile_global__ void k(int n);
    __tile_global__ void missing(int n);
    [[ cutile::hint(900, num_cta_in_cga = (1 + 1)) ]] __tile_global__ void k(int n) {}
    """
    assert only(text).hints == ("0, latency=1", "900, num_cta_in_cga = (1 + 1)")


def test_requires_clause_and_launch_bounds():
    text = """
    template <class T> requires requires(T t) { t + t; } && (sizeof(T) > 2)
    __tile_global__ static void __launch_bounds__(128) k(T t) noexcept {}
    """
    assert (only(text).name, only(text).params) == ("k", (Param("t", "T"),))


def test_overloads_are_two_kernels():
    text = "__tile_global__ void k(int) {}\n__tile_global__ void k(float) {}"
    assert [kernel.params[0].type for kernel in scan(text, "k.cu")] == ["int", "float"]


def test_conditions():
    text = """
    #if 0
    __tile_global__ void a() {}
    #elif defined(FOO) && BAR >= 0x10L
    __tile_global__ void b() {}
    #else
    __tile_global__ void c() {}
    #endif
    #ifndef FOO
    __tile_global__ void d() {}
    #endif
    """
    assert names(text, macros={"FOO": "", "BAR": "16"}) == ["b"]
    assert names(text) == ["c", "d"]


def test_headers_of_the_user(tmp_path: Path):
    (tmp_path / "beside.cuh").write_text("#pragma once\n__tile_global__ void in_header() {}\n")
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "found.h").write_text(
        '#include "../beside.cuh"\n__tile_global__ void in_folder() {}\n'
    )
    text = '#include "beside.cuh"\n#include <found.h>\n#include <cuda_tile.h>\n__tile_global__ void k() {}\n'
    kernels = scan(text, "k.cu", path=tmp_path / "k.cu", include_dirs=[tmp_path / "inc"])
    assert [kernel.name for kernel in kernels] == ["in_header", "in_folder", "k"]
    assert kernels[0].file == str(tmp_path / "beside.cuh")


@pytest.mark.parametrize(
    "text", ["", "__tile_global__", "__tile_global__ void k(", "template <", "}}}", '"', "#if", "/*", 'R"(']
)
def test_broken_text_does_no_harm(text: str):
    assert scan(text, "k.cu") == []


@pytest.mark.parametrize(
    "text",
    [
        "template <= 4> __tile_global__ void k() {}",
        "template <<4> = 5> __tile_global__ void k() {}",
        "__tile_global__ void k(int x], int y) {}",
    ],
)
def test_parameters_that_are_none(text: str):
    """The compiler reports errors in them."""
    assert [kernel.name for kernel in scan(text, "k.cu")] == ["k"]


@pytest.mark.parametrize("condition", ["9" * 60 + " & X", " + ".join(20 * ["1234567"]) + " ** 2", "((" * 99])
def test_conditions_beyond_us_hold(condition: str):
    """They also take no time that doubles with each digit."""
    assert [kernel.name for kernel in scan(f"#if {condition}\n__tile_global__ void k() {{}}", "k")] == ["k"]


def test_json_round_trip():
    kernel = only("template <int N = 4> [[cutile::hint(0, occupancy=2)]] __tile_global__ void k(float* a) {}")
    assert KernelInfo.from_json(json.loads(json.dumps(kernel))) == kernel
    assert str(kernel) == "k<int N = 4>(float* a)"
