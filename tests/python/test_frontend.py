"""The front end on libclang: kernels defined by macros, lints, and the output of `pycuda-tile check`."""

import re
from pathlib import Path

import pytest

from pycuda_tile.cli import main
from pycuda_tile.errors import Diagnostic
from pycuda_tile.frontend import clang
from pycuda_tile.frontend.check import check_hints
from pycuda_tile.frontend.kernel_info import KernelInfo, Param
from pycuda_tile.frontend.kernels import find
from pycuda_tile.frontend.lints import lint
from pycuda_tile.system.install import advice

HEAD = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'


@pytest.fixture
def libclang() -> None:
    if clang.load() is None:
        pytest.skip(f"libclang is not installed: {advice(clang.EXTRA)}")


@pytest.fixture
def no_libclang(monkeypatch) -> None:
    monkeypatch.setattr(clang, "load", lambda: None)


# --- kernels ------------------------------------------------------------------------------------------------

MACROS = (
    HEAD
    + """
#define KERNEL(name, T) __tile_global__ void name(T* x, int n)
#define DEFINE(name) template <typename T, int N = 4> __tile_global__ void name##_of(T const* p) {}
namespace a { KERNEL(add, float) { x[0] = n; } }
DEFINE(many)
__tile_global__ void plain(const float* __restrict__ x, unsigned k) { no_such_name(x); }
"""
)


def test_kernels_of_macros(libclang):
    plain, *others = find(MACROS, "k.cu")
    pointer = "const float* __restrict__"
    assert plain == KernelInfo("plain", (), (Param("x", pointer), Param("k", "unsigned")), (), "k.cu", 8)
    assert [(kernel.name, kernel.line) for kernel in others] == [("a::add", 6), ("many_of", 7)]
    assert others[0].params == (Param("x", "float*"), Param("n", "int"))
    assert [(param.kind, param.name) for param in others[1].template_params] == [
        ("type", "T"),
        ("value", "N"),
    ]


def test_kernels_of_macros_are_built_and_named(libclang, make_target):
    module = make_target("cpu").build(MACROS.replace("no_such_name(x);", ""))
    assert {kernel.name for kernel in module.kernels} == {"plain", "a::add", "many_of"}
    assert "int n" in repr(module.kernel("a::add"))


def test_concepts_are_told_from_types(libclang):
    text = HEAD + "template <int I> concept odd_word = I > 0;\ntemplate <ct::arithmetic_tile T, size_t N>\n"
    text += "__tile_global__ void k(T*) {}"
    (kernel,) = find(text, "k.cu", thorough=True)
    assert [(param.kind, param.type) for param in kernel.template_params] == [
        ("type", "ct::arithmetic_tile"),
        ("value", "size_t"),
    ]


def test_headers_that_are_not_there_and_text_that_it_does_not_parse(libclang):
    text = "#include <stddef.h>\n#include <nowhere/to/be/found.h>\n" + HEAD
    text += "nonsense here;\n__tile_global__ void k(size_t n) { auto s = ct::shape{4_ic, 2}; }"
    (kernel,) = find(text, "k.cu", thorough=True)
    assert kernel.params == (Param("n", "size_t"),)


def test_reduced_service_without_libclang(no_libclang, capsys, tmp_path: Path):
    assert [kernel.name for kernel in find(MACROS, "k.cu")] == ["plain"]
    path = tmp_path / "k.cu"
    path.write_text(HEAD + "__tile_global__ void k(int* x) { x[0] += 1; }\n")
    assert main(["kernels", str(path)]) == 0
    assert advice(clang.EXTRA) in capsys.readouterr().err
    assert main(["check", str(path)]) == 0
    captured = capsys.readouterr()
    assert "0 warnings" in captured.out and "the source is not linted" in captured.err


# --- lints --------------------------------------------------------------------------------------------------


def lints(body: str, parameters: str = "float* x, int n", head: str = "") -> list[Diagnostic]:
    text = f"{HEAD}{head}\n__tile_global__ void k({parameters}) {{\n{body}\n}}\n"
    return lint(clang.parse(text, "k.cu"))


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "body",
    [
        *("x[0] += 1;", "*x *= 2;", "x[n]++;", "--*x;", "x[1] = 2 * x[1];", "x[n] = (x[n]);"),
        *("auto& r = x[3]; r -= 4;", "(*(x + n))--;", "if (n) { x[0] += 1; }", "counter += 1;"),
        *("at.v += 1;", "there->v++;", "auto f = [&] { x[0] += 1; }; f();"),
    ],
)
def test_read_modify_write(libclang, body: str):
    head = "struct S { float v; }; __device__ int counter; __device__ S at;"
    (found,) = lints(body, "float* x, int n, S* there", head)
    assert "read-modify-write" in found.message and (found.file, found.line) == ("k.cu", 5)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "body",
    [
        *(
            "x[0] = 1;",
            "x[0] = x[1];",
            "float y = x[0]; y += 1;",
            "float a[4] = {}; a[0] += x[0];",
            "n += 1;",
        ),
        *("ct::tile<float, ct::shape<4>> t; t += 1.0f; t = t + t;", "x += 4; ++x;", "float y; y = y + x[0];"),
        *("if (threadIdx.x == 0) x[0] += 1;", "ct::store(x, ct::load(x) + 1.0f);", "x = x + n;"),
    ],
)
def test_no_read_modify_write(libclang, body: str):
    assert lints(body, head="struct { unsigned x; } threadIdx;") == []


def test_template_parameters_hide_nothing(libclang):
    text = HEAD + "template <typename T> __tile_global__ void k(T* x, int n) {\nx[n] += T(1);\nx[n]++;\n}"
    assert [found.line for found in lint(clang.parse(text, "k.cu"))] == [4, 5]


def test_printf(libclang):
    head = "int printf(const char*, ...); namespace std { using ::printf; } struct { unsigned x; } threadIdx;"
    body = 'printf("%d", n);\nstd::printf("x");\nif (threadIdx.x == 0) printf("y");'
    found = lints(body, head=head)
    assert [(d.line, "each thread" in d.message) for d in found] == [(5, True), (6, True)]


def test_local_arrays(libclang):
    body = """float a[4] = {};
    float b[n];
    a[n & 3] = 1;
    for (int i = 0; i < 4; ++i) a[i] = 2;
    for (int i = 0; i < n; ++i) a[i] = 3;
    constexpr int two = 2; a[two] = a[1];"""
    found = lints(body)
    assert [(d.line, d.message[:11]) for d in found] == [
        (6, "array of ru"),
        (7, "local array"),
        (9, "local array"),
    ]


def test_recursion(libclang):
    head = """__tile__ int down(int n) { return n ? down(n - 1) : 0; }
    __tile__ int odd(int n);
    __tile__ int even(int n) { return n ? odd(n - 1) : 1; }
    __tile__ int odd(int n) { return n ? even(n - 1) : 0; }
    template <int N> __tile__ int unrolled() { if constexpr (N > 0) return unrolled<N - 1>(); return 0; }
    int on_the_host(int n) { return n ? on_the_host(n - 1) : 0; }"""
    found = lints("down(n);", head=head)
    assert [d.message.partition(":")[0] for d in found] == [
        "recursion (down calls down)",
        "recursion (even calls odd calls even)",
        "recursion (odd calls even calls odd)",
    ]


# --- check --------------------------------------------------------------------------------------------------


def fate(line: str) -> str:
    """The effect of the hint in one line of a kernel with a pointer p, tiles t and u, and a view v."""
    text = f"__tile_global__ void k(float* x) {{\n{line}\n}}"
    (found,) = check_hints(text, "k.cu")
    assert found.line == 2
    return f"{found.severity}: {found.message}"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[[cutile::hint(0, latency=4)]] t = ct::load(p);", "note: .*applies everywhere"),
        ("[[cutile::hint(900, latency=4)]] t = ct::load(p) + ct::load(q);", "note: .*applies on sm_90"),
        ("[[cutile::hint(0, latency=N)]] ct::store_masked(p, t, m);", "note: .*if its value is valid"),
        ("[[cutile::hint(0, allow_tma=false)]] v.store(t, 0, 0);", "note: "),
        ("[[cutile::hint(0, allow_tma=false)]] t = v.template load_masked<pad>(0);", "note: "),
        ("[[cutile::hint(0, latency=4)]] auto y = ct::load(p);", "warning: .*only expression statements"),
        (
            "[[cutile::hint(0, latency=4)]] ct::tile<int, S> y = ct::load(p);",
            "warning: .*declare the variable",
        ),
        ("[[cutile::hint(0, latency=4)]] S y{ct::load(p)};", "warning: .*declare the variable"),
        ("[[cutile::hint(0, latency=4)]] return ct::load(p);", "warning: .*'return' .*only expression"),
        ("[[cutile::hint(0, latency=4)]] if (ct::load(p)) x = 1;", "warning: .*'if' .*only expression"),
        ("[[cutile::hint(0, latency=4)]] t = t + u;", "warning: .*itself calls no load or store"),
        ("[[cutile::hint(0, allow_tma=true)]] ct::store(p, t);", "warning: .*of a partition_view"),
        ("[[cutile::hint(0, occupancy=4)]] ct::store(p, t);", "warning: .*is for kernels"),
        ("[[cutile::hint(0, latency=11)]] ct::store(p, t);", "warning: .*1 to 10"),
        ("[[cutile::hint(0, latency=4, 3)]] ct::store(p, t);", "error: .*not of the form kind = value"),
        ("[[cutile::hint(0, latency=4 allow_tma=1)]] ct::store(p, t);", "error: .*a comma between two hints"),
    ],
)
def test_fate_of_a_hint(line: str, words: str):
    assert re.match(words, fate(line))


def test_hints_of_kernels():
    text = """[[using cutile : hint(0, occupancy=15), hint(900, occupancy=22)]] __tile_global__ void k(int*);
    [[cutile::hint(0, occupancy=16), maybe_unused]]
    __tile_global__ void k(int*) {}
    [[cutile::hint(0, latency=2)]] __tile_global__ void other() {}
    [[cutile::hint(0, occupancy=2)]] __tile__ void helper() {}
    // [[cutile::hint(0)]]
    [[other::hint(0)]] int x;
    """
    found = [(d.line, d.severity, d.message.partition(": ")[2][:14]) for d in check_hints(text, "k.cu")]
    assert found == [
        (1, "warning", "the later one,"),
        (1, "note", "launch bounds "),
        (2, "note", "launch bounds "),
        (4, "warning", "latency is for"),
        (5, "warning", "hints belong o"),
    ]


def test_macros_in_hints():
    text = "#define BLOCKS 40\n#define ALL 0, occupancy = BLOCKS\n"
    (found,) = check_hints(text + "[[cutile::hint(ALL)]] __tile_global__ void k() {}", "k.cu")
    assert "occupancy = 40 is out of range" in found.message


def test_check_command(capsys, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)  # far from the file, so that its full path is shown
    path = tmp_path / "k.cu"
    path.write_text(HEAD + "[[cutile::hint(0, occupancy=40)]] __tile_global__ void k(float* x) {}\n")
    assert main(["check", str(path), "--target", "cpu"]) == 0
    out = capsys.readouterr().out
    assert f"{path}:3: warning: hint(0, occupancy = 40) of kernel 'k' is ignored" in out
    assert f"{path}: compiles for cpu (native), 0 errors, 1 warning\n" in out
    path.write_text(HEAD + "[[cutile::hint(0)]] __tile_global__ void k(float* x) { nonsense; }\n")
    assert main(["check", str(path), "--target", "cpu"]) == 1
    out = capsys.readouterr().out
    assert f"{path}:3: error: hint(0): it gives no hint" in out
    assert "nonsense" in out and "does not compile, 2 errors" in out
