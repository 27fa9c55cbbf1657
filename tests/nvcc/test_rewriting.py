"""The text of both halves: launches, kernels and variables, and what is refused. Nothing is compiled."""

from __future__ import annotations

import re

import pytest

from pycuda_tile.errors import CompileError
from pycuda_tile.programs.rewriting import device_half, host_half

_KEYWORDS = re.compile(r"\b__(host|device|global|shared|constant|managed|tile|tile_global)__\b")


def preprocessed(text: str) -> str:
    return '# 1 "k.cu"\n' + _KEYWORDS.sub(r"__cuda_tile_\1__", text)


def rewritten(text: str, half=host_half) -> str:
    return half(preprocessed(text), lambda file: file == "k.cu").removeprefix('# 1 "k.cu"\n')


def launch(configuration: str, kernel: str, arguments: str) -> str:
    return f"(::cuda_tile::program::configure({configuration}) ? (void)0 : {kernel}({arguments}))"


@pytest.mark.parametrize(
    "before, kernel, configuration, arguments",
    [
        ("", "k", "grid", "a"),
        ("", "k", "dim3(1, 2), 1, 0, stream", ""),
        ("", "k<int, (a > b)>", "1, 1", "x"),
        ("", "n::k<float>", "f<int>(2), 1", "p, q"),
        ("", "::k", "1", "p"),
        ("return ", "::k", "1", "p"),
        ("if (x) ", "k", "1", "p"),
        ("if (x) ", "(*f)", "1", "p"),
        ("else ", "k", "1", "p"),
        ("", "this->table[i + 1]", "1, 1", "p"),
        ("", "pick(a, b)", "1, 1", "p"),
        ("", "(a ? b : c)", "1, 1", "p"),
        ("", "object.template get<int>()", "1", "p"),
        ("x = y, ", "k", "n >> 2, 1 << 3", "a < b"),
        ("[&] { ", "k", "1", "[](int i) { return i; }"),
    ],
)
def test_launch(before, kernel, configuration, arguments):
    text = f"{before}{kernel}<<<{configuration}>>>({arguments})"
    assert rewritten(text) == before + launch(configuration, kernel, arguments)


def test_launch_over_lines_keeps_them():
    text = "k\n<<<g,\n b>>>(\n x);\nint line_5;"
    out = rewritten(text)
    assert "".join(out.split()) == "".join(f"{launch('g, b', 'k', 'x')};int line_5;".split())
    assert out.split("\n")[4] == "int line_5;"


def test_launch_in_arguments_of_a_launch():
    out = rewritten("a<<<1, 1>>>([&] { b<<<2>>>(); return 1; }());")
    assert out == launch("1, 1", "a", f"[&] {{ {launch('2', 'b', '')}; return 1; }}()") + ";"


@pytest.mark.parametrize(
    "text", ["a << b << c;", "x >>= 2;", "ostream& operator<<<int>(ostream&, int);", "v<w<u<int>>> x;"]
)
def test_no_launch(text):
    assert rewritten(text) == text


@pytest.mark.parametrize(
    "text, message",
    [
        ("\n\nk<<<1, 1;", "k.cu:3: error: the >>> of this launch"),
        ("k<<<>>>(a);", "k.cu:1: error: a launch needs the number of blocks"),
        ("= <<<1>>>(a);", "k.cu:1: error: before <<< the name of a kernel"),
    ],
)
def test_wrong_launch(text, message):
    with pytest.raises(CompileError, match=re.escape(message)):
        rewritten(text)


def plain(name: str) -> str:
    return f"::cuda_tile::program::plain<decltype({name})>"


@pytest.mark.parametrize(
    "head, instance, names",
    [
        ("__global__ void k(int a, const float* __restrict__ b)", "k", "a b"),
        ("static __global__ void k(void)", "k", ""),
        ("template <typename T, int N = 4> __global__ void k(T x = T(1, 2))", "k<T, N>", "x"),
        ("template <typename... Ts> __tile_global__ void k(Ts... xs)", "k<Ts...>", "xs..."),
        ("template <> __global__ void k<int>(int* p)", "k<int>", "p"),
        ("template <template <class> class C> __global__ void n::k(C<int> c)", "n::k<C>", "c"),
        (
            "template <int (*F)(int), typename T> requires (sizeof(T) > 1) __global__ void k(T v)",
            "k<F, T>",
            "v",
        ),
        ("__global__ void __cuda_tile_launch_bounds__(2, 3) k(float (*f)(int), int a[3])", "k", "f a"),
        ('extern "C" __attribute__((noinline)) __global__ void k(auto* x)', "k", "x"),
        ("template <typename T> requires requires(T t) { t + 1; } __global__ void k(T x)", "k<T>", "x"),
        ("template <int N> __global__ void k(int x) requires (N > 0)", "k<N>", "x"),
    ],
)
def test_kernel(head, instance, names):
    names = names.split()
    types = ", ".join(plain(name.removesuffix("...")) + "..." * name.endswith("...") for name in names)
    typed = re.findall(r"typename(?:\.\.\.)? (\w+)", head)
    template = "".join(f", {one}..." if one == "Ts" else f", {one}" for one in typed)
    stub = f"::cuda_tile::program::stub<void({types}), &{instance}{template}>::launch({', '.join(names)});"
    out = rewritten(f"{head} {{\n  body;\n}}\nint next;")
    assert f"{{ {stub} \n\n}}\nint next;" in out
    kind = "tile_kernel<" if "__tile_global__" in head else "simt_kernel<0, "
    if "launch_bounds" in head:
        kind = "simt_kernel<(unsigned)(2), "
    entry = f"::cuda_tile::program::{kind}void({types}), &{instance}{template}>::is_registered()"
    assert f"{{ static_assert({entry});\n  body;\n}}" in rewritten(f"{head} {{\n  body;\n}}", device_half)


@pytest.mark.parametrize(
    "before, scope", [("", "::"), ("namespace a::inline b { namespace [[x]] c { ", "::a::b::c::")]
)
def test_a_parameter_with_the_name_of_its_kernel(before, scope):
    text = f"{before}namespace {{ template <typename T> __global__ void k(T* k) {{ *k = 1; }}"
    for half in (host_half, device_half):
        assert f", &{scope}k<T>, T>::" in rewritten(text, half)


def test_parameters_without_names_get_them():
    out = rewritten("template <typename, int = 3> __global__ void k(int*, float[4], void (*)(int) = f) {}")
    assert "template <typename cuda_tile_template_parameter_0, int cuda_tile_template_parameter_1 = 3>" in out
    assert "int* cuda_tile_parameter_0, float cuda_tile_parameter_1[4]" in out
    assert "void (* cuda_tile_parameter_2)(int) = f" in out


def test_declarations_of_kernels_lose_only_the_keyword():
    assert rewritten("__global__ void k(int);\ntemplate __global__ void t<int>(int);").split() == (
        ["void", "k(int);", "template", "void", "t<int>(int);"]
    )


def test_launch_bounds_of_a_declaration():
    """They hold for the definition, but not for another kernel of the same name."""
    mark = "__cuda_tile_launch_bounds__"
    text = f"__global__ void {mark}(64, 2) k(int*, float);\n__global__ void k(int* p, float f = 1) {{}}\n"
    text += "__global__ void k(int* p) {}"
    bounds = re.findall(r"simt_kernel<(.*?), void", rewritten(text, device_half))
    assert bounds == ["(unsigned)(64)", "0"]


def test_device_functions_have_no_body_on_the_host():
    text = "__device__ int f(int x) { return x; }\n__device__ auto g() { return 1; }\n"
    text += "__host__ __device__ int h() { return 2; }"
    f, g, h = rewritten(text).split("\n")
    assert f.split() == ["int", "f(int", "x)", "{", "__builtin_trap();", "}"]
    assert "return 1;" in g and "return 2;" in h
    assert "return x;" in rewritten(text, device_half)


@pytest.mark.parametrize(
    "declaration, names",
    [
        ("__device__ int x;", ["x"]),
        ("__constant__ float a[2] = {1, 2}, *b, c{3};", ["a", "b", "c"]),
        ("static __device__ std::array<int, 3> s = {f(1, 2), 3};", ["s"]),
        ("__device__ float (*f)(float) = g;", ["f"]),
        ("__device__ int S::n = 1;", ["S::n"]),
        ("__constant__ struct P final : B<1> { int n = 1; float s; } p, q[2];", ["p", "q"]),
        ("__device__ struct { int n; } u = {1};", ["u"]),
        ("__constant__ struct P p{1};", ["p"]),
        ("__device__ enum class E : char { a, b } e = E::a;", ["e"]),
        ("extern __device__ int e;", []),
        ("__device__ int f(int);", []),
        ("struct S { static __device__ int n; };", []),
        ("template <typename T> __device__ T v = 1;", []),
    ],
)
def test_variables_are_registered(declaration, names):
    out = rewritten(declaration)
    assert re.findall(r"\(const void\*\)&([\w:]+), \"\1 k.cu:1\"", out) == names
    device = rewritten(declaration, device_half)
    assert re.findall(r"\(void\*\)&([\w:]+), sizeof\(\1\)", device) == names


def test_shared_memory():
    text = "__global__ void k() { __shared__ float a[4]; __shared__ alignas(16) int b; "
    text += "extern __shared__ int c[]; }"
    out = rewritten(text, device_half)
    assert "static thread_local float a[4];" in out
    assert "alignas(16) static thread_local int b;" in out
    assert "int (&c)[ ] = *reinterpret_cast<int (*)[ ]>(::cuda_tile_dynamic_shared());" in out


def test_shared_memory_outside_functions():
    out = rewritten(
        "extern __shared__ float s[];\n__global__ void k() { s[0] = 1; }\n__global__ void n() {}", device_half
    )
    declarations, using, other = out.split("\n")
    assert declarations.strip() == ""
    assert "float (&s)[ ] = " in using and "float (&s)" not in other


@pytest.mark.parametrize(
    "function, declared",
    [
        ("__device__ float f(volatile float* s, int i) { return s[i]; }", False),
        ("__global__ void k() { __shared__ float s[4]; s[0] = 1; }", False),
        ("__global__ void k(float* p) { float* s = p; s[0] = 1; }", False),
        ("__global__ void k(float a) { if (a > 0) { float s = a; use(s); } s[0] = f(a * s[1]); }", True),
        ("__device__ float f(float a) { return a * s[0]; }", True),
    ],
)
def test_shared_memory_outside_functions_may_be_hidden(function, declared):
    assert ("float (&s)" in rewritten(f"extern __shared__ float s[];\n{function}", device_half)) == declared


@pytest.mark.parametrize(
    "function, loops",
    [
        ("__global__ void k(volatile int* p) { while (*p == 0); do f(); while (*p, *p); }", 2),
        ("__device__ int f(int* p) { while (*(volatile int*)p) {} return 1; }", 1),
        ("__global__ void k(volatile int* p) { while (int x = *p) f(x); while (T<int>* x = g(p)) f(x); }", 0),
        ("__global__ void k(volatile int* p) { while (*p != x || (y = *p) == 0); for (;;) f(*p); }", 1),
        ("__global__ void k(int* p) { while (*p == 0); }", 0),
        ("__tile__ void f(volatile int* p) { while (*p == 0); }", 0),
        ("void f(volatile int* p) { while (*p == 0); }", 0),
    ],
)
def test_loops_that_may_wait_for_other_threads(function, loops):
    assert rewritten(function, device_half).count("while (::cuda_tile::runtime::count_atomic(), *") == loops
    assert "count_atomic" not in rewritten(function)


def test_launch_in_a_kernel_is_refused():
    with pytest.raises(CompileError, match=r"k\.cu:3: error: .* dynamic parallelism is not supported"):
        rewritten("__global__ void k() {\n  if (x)\n    n<<<1, 1>>>();\n}", device_half)


def test_a_kernel_that_cannot_be_read_is_an_error():
    with pytest.raises(CompileError, match=r"k\.cu:1: error: the name and the parameters of this kernel"):
        rewritten("__global__ void = 3 {}")


def test_other_files_are_left_alone():
    text = '# 1 "k.cu"\nint a;\n# 1 "/usr/include/x.h" 1 3\na<<<1>>>(b);\n# 2 "k.cu" 2\nk<<<1>>>();\n'
    out = host_half(text, lambda file: file == "k.cu")
    assert "a<<<1>>>(b);" in out and launch("1", "k", "") in out


def test_clusters_are_refused():
    one, two = (
        f"\n__global__ void __cuda_tile_cluster_dims__({dims}) k() {{}}\n" for dims in ("1, 1, 1", "2, 1, 1")
    )
    assert "cluster" not in rewritten(one) + rewritten(one, device_half)
    with pytest.raises(CompileError, match=r"k\.cu:2: error: clusters of blocks do not exist on the CPU"):
        rewritten(two)


@pytest.mark.parametrize(
    "half, text, message",
    [
        (
            device_half,
            "__global__ void k(int*) {} __device__ void f(int* p) {\nk(p); }",
            "k is a kernel, which",
        ),
        (
            host_half,
            "template <int N> __global__ void k() {} int main() {\n::k<3>(); }",
            "k is a kernel, which",
        ),
        (device_half, "int h(int); __global__ void k(int* p) {\n*p = h(1); }", "h is a host function, which"),
        (device_half, "int h(int); __tile__ int t() {\nreturn h(1); }", "mark it as __host__ __tile__"),
        (device_half, "__device__ int d(); __tile__ int t() {\nreturn d(); }", "d is a __device__ function"),
        (device_half, "__tile__ int t(); __device__ int d() {\nreturn t(); }", "t is a __tile__ function"),
        (
            host_half,
            "__device__ int d(); int main() {\nreturn 2 * d(); }",
            "d is a __device__ function, which",
        ),
        (host_half, "__tile__ int t(); int main() {\nt(); }", "t is a __tile__ function, which host code"),
        (
            device_half,
            "namespace a { static int v[2] = {1, 2}; __global__ void k(int* p) {\n*p = 2 * v[0]; } }",
            "v is a host variable, which code for the device cannot use: pass its value",
        ),
        (
            device_half,
            "__tile_global__ void k(int* p) {\n*p = threadIdx.x; }",
            "hint: tile code has no threads",
        ),
        (device_half, "__tile__ void k() {\n__syncthreads(); }", "__syncthreads is unsupported in tile code"),
        (device_half, "__global__ void k() {\n__shared__ int s = 3; }", "cannot have an initialiser"),
        (
            device_half,
            "__global__ void k() {\n__shared__ alignas(8) A<int, 2> s[2]{}; }",
            "cannot have an init",
        ),
    ],
)
def test_other_spaces_are_refused(half, text, message):
    """nvcc refuses each of them."""
    with pytest.raises(CompileError) as error:
        rewritten(text, half)
    assert str(error.value).startswith("k.cu:2: error: ") and message in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "int f(int); __device__ int f(float); __global__ void k() { f(1); }",
        "__host__ __device__ int f(); __global__ void k() { f(); } int main() { f(); }",
        "constexpr int f() { return 1; } __global__ void k() { f(); }",
        "__device__ int f(); int main() { auto f = [] { return 1; }; f(); s.f(); n::f(); }",
        "__device__ int f(); int main() { apply<<<1, 1>>>([] __device__ (int x) { return f(); }); }",
        "__device__ int f(); struct S { int f() { return 1; } int g() { return f(); } };",
        "__device__ int f(); struct S { F f; public: enum E : int; int g() { return f(1); } };",
        "__device__ int f(); struct S { __device__ int g(); }; int S::g() { return f(); }",
        "__device__ int f(); using std::f; int main() { f(); }",
        "__global__ void k() {} int main() { k<<<1, 1>>>(); use(k); void k(); }",
        "typedef struct { int n; } v, *w; __global__ void k() { f(v{1}, v()); }",
        "texture<float, 1> v; __global__ void k(float* p) { *p = tex1Dfetch(v, 0); }",
        "int v; const int c = 2; __constant__ int d; __global__ void k(int v) { v = c + d; }",
        "int v; __global__ void k(float* p) { float u = 1, v = 2; p[0] = v; }",
        "int v; __global__ void k(A<int>& a) { auto [u, v] = a; g(v, a.v, n::v, sizeof(v)); }",
        "int v; __host__ __device__ int f() { return v; } int main() { return v; }",
        "int v; namespace n { __device__ int v; __global__ void k() { v = 1; } }",
        "int v; struct S { int v; __device__ int f() { return v; } };",
        "__device__ __tile__ int t(); __tile_global__ void k(S threadIdx) { t(); threadIdx.x = a.gridDim; }",
        "__global__ void k() { __shared__ struct { int a = 1; } s; __shared__ A<1 == 1> a[N = 2]; }",
    ],
)
def test_what_may_be_meant_otherwise_is_left_to_the_compiler(text):
    rewritten(text)
    rewritten(text, device_half)


def test_functions_that_headers_declare_as_well_are_left_to_the_compiler():
    text = preprocessed("__device__ int max(int, int); int main() { max(1, 2); }")
    with pytest.raises(CompileError, match="max is a __device__ function"):
        host_half(text, lambda file: file == "k.cu")
    header = '# 1 "/usr/include/x.h"\ntemplate <typename T> T max(T, T);\n'
    host_half(header + text, lambda file: file == "k.cu")
