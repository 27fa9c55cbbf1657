"""The host half of a source is removed before NVRTC reads it, and where the host's compiler rejects it:
tested on tokens alone, and in builds."""

from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.frontend.host_code import HOST_HEADERS, blanked

MAIN = "\nint main() { return 0; }\n"
KERNEL = "__tile_global__ void k(int* p) { *p = used(1); }"
DECLARATION = "__device__ int used(int);"


def left(text: str, needed: tuple[str, ...] = ()) -> str:
    """The remaining text without white space; the text keeps its length and lines."""
    out = blanked({"a.cu": text}, needed)[0]["a.cu"]
    assert len(out) == len(text)
    assert [len(line) for line in out.splitlines()] == [len(line) for line in text.splitlines()]
    return " ".join(out.split())


@pytest.mark.parametrize(
    "text",
    [
        "int f(int n) { return n; }",
        "int f(int n);",
        "static inline auto f(int n) -> std::vector<int> { return {n}; }",
        "template <typename T> requires (sizeof(T) == 4) void f(T x) { g<T><<<1, 1>>>(x); }",
        "template <typename T> requires requires(T x) { x.f(); } void f(T x) { if (x) { x.f(); } }",
        "template <> void f<float>(float x) {}",
        'void f() { puts("}{"); puts(R"x()" })x"); /* } */ char c = \'}\'; }',
        "void f() { try { throw 1; } catch (...) {} }",
        "__host__ int used(int n) { return n; }",
        "std::ostream& operator<<(std::ostream& o, int x) { return o; }",
        'std::map<std::string, int> registry{{"a", 1}};',
        "auto now = [](int x) { return x; };",
        "using buffer = std::vector<float>;",
        "struct A { std::string s; }; using B = A; typedef B* C; void f(C c);",
        "using namespace std::string_literals;",
        "struct Buffer { std::vector<int> v; float* p; Buffer(int n) : v{n}, p(nullptr) {} ~Buffer() {} };",
        "class Timer { cudaEvent_t e; public: Timer() { cudaEventCreate(&e); } } timer;",
        "struct Options { int n; bool parse(int c, char** v) { return c > 1; } };",
    ],
)
def test_left_out(text):
    assert left(f"{text}{MAIN}{KERNEL}") == KERNEL


@pytest.mark.parametrize(
    "text",
    [
        "int used(int n) { return n; }",
        "int deeper(int n) { return n; } int used(int n) { return deeper(n); }",
        "int deeper(int n) { return n; }\n#define DEEPER(n) deeper(n)\nint used(int n) { return DEEPER(n); }",
        "int some_used(int n) { return n; }\n#define used(n) some_##used(n)",
        "#define BOTH __host__ __device__\nBOTH int both(int n) { return n; }",
        "#define MAKE(n) __tile_global__ void n() {}\nMAKE(one) MAKE(two)",
        "constexpr int twice(int n) { return 2 * n; }",
        "__host__ __device__ int both(int n) { return n; }",
        "template <typename T> __device__ T own(T x) { return x; }",
        "alignas(64) short used[3] = {1, 2, 3};",
        "namespace a::b { __device__ int x; using c = int; } namespace d = a::b; using namespace d;",
        "struct View { float* p; __device__ float at(int i) const { return p[i]; } };",
        "struct Used { int n; int next() const { return n + 1; } }; __device__ int used(Used u);",
        "enum class mode { one, two }; static_assert(sizeof(int) == 4); struct Later;",
        "template <typename T> concept small = requires(T x) { x + 1; } && sizeof(T) < 8;",
        "int a = 1, b = used(a);\n#if 0\nint c = b;\n#endif",
        "__constant__ int table[2] = {1, 2};",
    ],
)
def test_left_in(text):
    assert left(f"{text}{MAIN}{KERNEL}") == " ".join(f"{text} {KERNEL}".split())


def test_members_of_a_class_that_kernels_use():
    text = """struct Matrix {
  float* p; int n = {2};
  Matrix(int m) : p{nullptr}, n(m) { cudaMalloc(&p, m); }
  Matrix& operator=(std::vector<int> const& v) { n = v.size(); return *this; }
  __host__ __device__ int size() const { return n; }
public:
  std::vector<float> copy() const { return {p, p + n}; }
};
"""
    kept = (
        "struct Matrix { float* p; int n = {2}; __host__ __device__ int size() const { return n; } public: };"
    )
    assert left(f"{text}{MAIN}{KERNEL}") == f"{kept} {KERNEL}"


def test_declarations_of_templates_ahead_declare_no_keyword():
    text = "template <typename T> void f(T); template <> void f<int>(int x) { h(x); }"
    kernel = f"template <int N> {KERNEL}"
    assert left(f"{text}{MAIN}{kernel}") == kernel


def test_what_is_asked_for_is_needed():
    text = f"struct Policy {{ int f() {{ return 1; }} }};{MAIN}template <class P> {KERNEL}"
    assert "Policy" not in left(text)
    assert "Policy { int f() { return 1; } }" in left(text, ("k<Policy>",))


def test_conditionals_stay():
    text = f"int f() {{\n#if A\n return 1;\n#else\n return 2;\n#endif\n}}{MAIN}{KERNEL}"
    assert left(text) == f"#if A #else #endif {KERNEL}"


def test_what_an_if_hides_is_used_by_the_declaration_around_it():
    text = "int f() { return 1; }\nint g() {\n#if 0\n return f();\n#endif\n return 2; }"
    assert left(f"{text}{MAIN}{KERNEL}") == f"#if 0 #endif {KERNEL}"
    kernel = KERNEL.replace("used(1)", "g()")
    assert left(f"{text}{MAIN}{kernel}") == " ".join(f"{text} {kernel}".split())


def test_without_a_host_half_nothing_changes():
    text = f"int unused(int n) {{ return n; }} {KERNEL}"
    assert left(text) == text


@pytest.mark.parametrize(
    "text", ["void f( {", "}}}", "struct", "int f() { (", "template <", "#if", "operator(", ""]
)
def test_text_that_is_no_source(text):
    text = text or "struct a {" * 5000
    left(text + MAIN)
    left(MAIN + text)


# --- builds -------------------------------------------------------------------------------------------------

HOST_NAMES = "chrono fstream iostream map memory random stdexcept string vector".split()  # noqa: SIM905
INCLUDES = {
    "cpu": "".join(f"#include <{name}>\n" for name in HOST_NAMES),  # which every compiler has
    "simt": "".join(f"#include <{name}>\n" for name in sorted(HOST_HEADERS) if not name.endswith(".h")),
}
PROGRAM = """#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include "cuda_tile.h"
#include "shared.h"
namespace ct = cuda::tiles;

#define CHECK(call) if ((call) != cudaSuccess) throw std::runtime_error(#call)

constexpr int tile_size = 64;
template <int N> __tile_global__ void scale(float* x, float by) {
  auto i = ct::iota<ct::tile<int, ct::shape<N>>>();
  ct::store(x + i, ct::load(x + i) * by);
}
struct Buffer {
  explicit Buffer(std::vector<float> const& values) : size(values.size()) { CHECK(cudaMalloc(&p, 4 * size)); }
  ~Buffer() { cudaFree(p); }
  float* p = nullptr;
  size_t size;
};
static std::map<std::string, std::function<void(int)>> commands;
std::vector<float> reference(std::vector<float> x, float by) {
  std::transform(x.begin(), x.end(), x.begin(), [by](float v) { return v * by; });
  return x;
}
int main(int argc, char** argv) {
  std::mt19937 random(0);
  auto start = std::chrono::steady_clock::now();
  Buffer buffer(reference(std::vector<float>(tile_size, 1.0f), 2.0f));
  scale<tile_size><<<blocks_of(64), 1>>>(buffer.p, 2.0f);
  std::ofstream("out") << std::make_unique<int>(3) << (std::chrono::steady_clock::now() - start).count();
}
__tile_global__ void last(float* x) { x[0] = in_shared(1) + %s; }
"""
SHARED = """#pragma once
#include <string>
inline std::string name_of(int n) { return std::to_string(n); }
inline int blocks_of(int n) { return name_of(n).size(); }
__host__ __device__ __tile__ constexpr int in_shared(int n) { return n + 1; }
"""


@pytest.fixture
def build(tmp_path: Path, make_target):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "shared.h").write_text(SHARED)

    def build(target: str, value: str) -> pct.Module:
        path = tmp_path / "program.cu"
        path.write_text(INCLUDES.get(target, INCLUDES["simt"]) + PROGRAM % value)
        return make_target(target).build(path, include_dirs=[path.parent / "include"], kernels=["scale<8>"])

    return build


TARGETS = ["cpu", "simt", "tile"]


@pytest.mark.parametrize("target", TARGETS)
def test_a_whole_program(build, target):
    module = build(target, "1")
    assert [kernel.name for kernel in module.kernels] == ["scale", "last"]


@pytest.mark.parametrize("target", TARGETS)
def test_errors_keep_their_lines(build, target, tmp_path):
    with pytest.raises(pct.CompileError) as caught:
        build(target, "nosuch")
    errors = [d for d in caught.value.diagnostics if d.severity == "error"]
    lines = (tmp_path / "program.cu").read_text().splitlines()
    line = 1 + next(at for at, text in enumerate(lines) if "nosuch" in text)
    assert [(e.line, "nosuch" in e.message) for e in errors] == [(line, True)]


def test_headers_that_headers_include(tmp_path):
    """No kernel needs the inner one's class, which the outer one finds beside itself."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "inner.h").write_text("#include <vector>\nstruct Host { std::vector<int> v; };\n")
    outer = '#include "inner.h"\n#include "../constant.h"\nvoid f(Host const& host);\n'
    (tmp_path / "parts" / "outer.h").write_text(outer)
    (tmp_path / "constant.h").write_text("#pragma once\nconstexpr int five = 5;\n")
    includes = '#include "cuda_tile.h"\n#include "parts/outer.h"\n#include "constant.h"\n'
    source = tmp_path / "program.cu"
    source.write_text(includes + "__tile_global__ void k(int* p) { p[0] = five; }\n")
    found = np.zeros(1, np.int32)
    pct.build(source, target="cpu", optimize=True)["k"][1](found)
    assert found == 5


def test_what_tokens_misjudge_is_compiled_as_it_is(make_target):
    """A kernel's helper function that looks like a host function."""
    source = """#include "cuda_tile.h"
int cudaHelper(int n) { return n + 1; }
__tile_global__ void k(int* p) { p[0] = cudaHelper(1); }
"""
    assert "k" in make_target("simt").build(source)
