"""Sources that the host compiler reads otherwise than the open front end: they run operation by operation."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import toolchain
from pycuda_tile.targets.host.layouts import assertions, find_different, read_layouts
from pycuda_tile.targets.host.preprocessed import Preprocessed, find_macro, read_preprocessed
from pycuda_tile.targets.host.unlike import Unlike, find_word

pytestmark = pytest.mark.fused

KERNEL = """#include "cuda_tile.h"
#include <climits>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>
namespace ct = cuda::tiles;
%s
__tile_global__ void kernel(int* out, float* a) {
  %s;
  ct::partition_view view{ct::tensor_span{a, ct::extents{1024}}, ct::shape<1024>{}};
  view.store(ct::exp(view.load(0)) * 2.0f + 1.0f, 0);
}
"""
BASE = "struct base { base() = default; int x; char c; };"


def kernel_with(declarations: str, statements: str, **arguments) -> pct.Kernel:
    try:
        toolchain.find_clang()
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    source = KERNEL % (declarations, statements)
    return pct.build(source, target="cpu", **arguments).kernel("kernel")


def build(declarations: str, statements: str, **arguments) -> dict[str, int | str]:
    return kernel_with(declarations, statements, **arguments).attributes


@pytest.mark.parametrize(
    "declarations, statements, reason",
    [
        (BASE + "struct s : base { char d; };", "*out = sizeof(s)", "s may have another layout"),
        (BASE + "struct s : base { char d, e[7]; };", "*out = (*(s*)a).d", "s may have another layout"),
        ("", BASE + "struct s : base { char d; }; *out = sizeof(s)", "may have another layout"),
        (
            BASE + "struct s : base { char d; ct::tile<float, ct::shape<4>>* p; cuda::tiles::shape<3>& r; };",
            "*out = sizeof(s)",
            "s may have another layout",
        ),
        ("#define L() long", "*out = sizeof(L() double)", "<source>:10: long double may mean"),
        ("#define ONE __GNUC__\n#define TWO ONE", "*out = TWO", "<source>:11: __GNUC__ may mean"),
        (
            "#ifndef PATH_MAX\n#define PATH_MAX 1\n#endif",
            "*out = PATH_MAX",
            "<source>:12: PATH_MAX may mean",
        ),
        (
            "#define AS(x) __attribute__((x))\nstruct AS(packed) s { char c; int i; };",
            "auto get = [](s x) { return x.i; }; *out = get({})",
            "may have another layout",
        ),
    ],
    ids=["size", "offset", "local class", "pointer", "type", "compiler", "library", "packed"],
)
def test_what_differs_is_not_fused(declarations: str, statements: str, reason: str):
    attributes = build(declarations, statements)
    assert attributes["path"] == "by operation"
    # Where both compilers are the same one, they have the same layouts.
    assert reason in str(attributes["reason"])


def test_what_does_not_differ_is_fused():
    declarations = """
    #include <array>
    struct empty {};
    struct s : empty { int a : 3; wchar_t w; std::pair<int, char> pair; };
    struct tiles { ct::tile<float, ct::shape<4>> t; int n; };
    using namespace ct::literals;
    using tile = ct::tile<float, ct::shape<4>>;
    struct arrays { tile rows[2][3]; const tile last; int n; std::array<tiles, 3> more; };
    namespace { struct hidden { short n; }; }
    template <class T, int N> struct vector { T v[N]; };
    #define unused __GNUC__
    """
    statements = """
    struct local { int n; } one{1};
    hidden two{2};
    vector<hidden, 3> three{};
    auto sum = [&](int n) { return one.n + two.n + three.v[2].n + n; };
    tiles four{ct::full<ct::tile<float, ct::shape<4>>>(1.0f), 4};
    int packed = 3; // a name, not the attribute
    *out = ct::isnan(a[0]) + packed;
    arrays five{{{four.t}}, four.t, 5, {tiles{four.t, 1}, four, four}};
    *out += int(ct::sum(five.more[1].t * five.rows[0][0] + five.last, 0_ic)) + five.n;
    *out += sum(sizeof(s)) + four.n + INT_MIN + (UINT_MAX > 3u) + (INFINITY > 1) + __INT_MAX__
    """
    assert build(declarations, statements).get("reason") is None


def test_the_host_compiler_decides_what_is_an_error():
    with pytest.raises(pct.CompileError, match=r"<source>:10:.*narrowing"):
        build("", "char c{300}; *out = c")


def test_the_standard_library_has_the_values_and_types_of_the_hosts():
    declarations = """
    #include <array>
    #include <cstdint>
    #include <limits>
    int width(long) { return 1; }
    int width(long long) { return 2; }
    template <typename T>
    constexpr int properties = std::is_trivially_copyable_v<T> + 2 * std::is_aggregate_v<T>
                               + 4 * __is_trivially_constructible(T) + 8 * std::is_copy_constructible_v<T>
                               + 16 * std::is_convertible_v<T, std::pair<double, long>>;
    struct explicit_one { int i; explicit explicit_one(int i) : i(i) {} };
    """
    statements = """
    out[0] = __builtin_bit_cast(int, NAN);
    out[1] = __builtin_bit_cast(long long, std::numeric_limits<double>::quiet_NaN()) >> 32;
    out[2] = width(INT64_MAX) + 10 * width(INT64_C(3));
    out[3] = std::is_same_v<decltype(UINT64_MAX), std::uint64_t>;
    out[3] += 2 * std::is_same_v<decltype(NULL), std::nullptr_t>;
    float power = std::pow(0.1f + out[4], 2) * 3.3f;
    out[4] = __builtin_bit_cast(int, power);
    out[5] = sizeof(std::pow(2.0f, 2)) + 10 * sizeof(std::sqrt(3)) + 100 * sizeof(std::fmax(1.0f, 2.0));
    out[6] = std::sqrt(17) * 1000 + std::pow(3, 4) + std::fmod(17, 5u);
    using pair = std::pair<int, float>;
    out[7] = properties<pair> + 100 * properties<std::pair<pair, explicit_one>> + 10000 * sizeof(pair);
    pair p{3, 2.5f}, none;
    std::pair<double, explicit_one> q{3.5f, 4};
    none = p = {out[0], none.second};
    int i = 3;
    std::array<int, 3> x{1, 2, 3}, y{1, 2, 4};
    std::optional<int> o{3};
    out[9] = noexcept(std::swap(i, i)) + 2 * noexcept(x[1]) + 4 * noexcept(std::exchange(i, 2));
    out[9] += 8 * noexcept(*o);
    out[9] += 16 * noexcept(x == y) + 32 * (x == y) + 64 * std::is_standard_layout_v<decltype(x)>;
    out[8] = (p < pair{out[0], 1}) + 2 * (p == none) + 4 * (pair(2, 1.0f) >= p) + 8 * q.second.i + q.first
    """
    results = []
    for optimize in ("auto", False):
        kernel = kernel_with(declarations, statements, optimize=optimize)
        assert kernel.attributes["path"] == ("fused" if optimize else "by operation")
        out = np.zeros(10, np.int32)
        kernel[1](out, np.zeros(1024, np.float32))
        results.append([hex(word) for word in out])
    assert results[0] == results[1]


# --- layouts ---

PRINTED = """
*** Dumping AST Record Layout
         0 | struct base
         0 |   int x
         4 |   char c
           | [sizeof=8, dsize=8, align=4,
           |  nvsize=8, nvalign=4]

*** Dumping AST Record Layout
         0 | struct (anonymous namespace)::s<struct base, 3>
         0 |   struct base (base)
         0 |     int x
         4 |     char c
         8 |   struct base[2] b
         8 |     int x
     24:0-2 |   int bits
        28 |   float *& 
           | [sizeof=32, dsize=32, align=8,
           |  nvsize=32, nvalign=8]

*** Dumping AST Record Layout
         0 | class cuda::tiles::tile<float, struct cuda::tiles::shape<4> >
         0 |   float first
           | [sizeof=16, dsize=16, align=4,
           |  nvsize=16, nvalign=4]

*** Dumping AST Record Layout
         0 | struct holder
         0 |   const class cuda::tiles::tile<float, struct cuda::tiles::shape<4> > t
         0 |     float first
           | [sizeof=16, dsize=16, align=4,
           |  nvsize=16, nvalign=4]

*** Dumping AST Record Layout
         0 | struct rows
         0 |   class cuda::tiles::tile<float, struct cuda::tiles::shape<4> >[2][3] t
        96 |   int n
           | [sizeof=100, dsize=100, align=4,
           |  nvsize=100, nvalign=4]

*** Dumping AST Record Layout
         0 | struct std::array<struct rows, 2>
         0 |   struct rows[2] elements
           | [sizeof=200, dsize=200, align=4,
           |  nvsize=200, nvalign=4]

*** Dumping AST Record Layout
         0 | struct derived
         0 |   struct base (base)
         0 |     int x
         4 |   class cuda::tiles::tile<float, struct cuda::tiles::shape<4> > * p
        12 |   class cuda::tiles::tile<float, struct cuda::tiles::shape<4> > t
        12 |     float first
           | [sizeof=28, dsize=28, align=4,
           |  nvsize=28, nvalign=4]

*** Dumping AST Record Layout
         0 | class (lambda at a.cu:1:2) (empty)
           | [sizeof=1, dsize=1, align=1,
           |  nvsize=1, nvalign=1]
"""  # noqa: W291


def test_layouts_as_clang_prints_them():
    base, derived, tiles, function = read_layouts(PRINTED)
    assert base == ("base", 8, 4, {"x": 0, "c": 4}, True, False)
    assert derived == ("s<base, 3>", 32, 8, {"x": 0, "c": 4, "b": 8}, False, True)
    assert tiles == ("derived", 28, 4, {"x": 0, "p": 4, "t": 12}, False, True)
    first, *lines = assertions([base, derived, function])
    assert first == '#line 1 "layouts_of_classes"'
    assert "= s<base, 3>;" in lines[1] and "(cuda_tile_layout_1, b) == 8)" in lines[1]
    # An error alone: clang would go on with another class.
    assert "lambda" not in lines[2] and "static_assert" not in lines[2]


def test_layouts_that_differ():
    base, derived, tiles, function = layouts = read_layouts(PRINTED)
    assert find_different([base, function], "", may_differ=False) is None
    assert find_different([base, tiles], "", may_differ=False) == tiles
    assert find_different(layouts, "", may_differ=False) == derived, "its bits have no offsets"
    log = "layouts_of_classes:{}:7: error: {}\n"
    unnamed = log.format(3, "expected a name")
    assert find_different([base, base, function], unnamed, may_differ=False) is None
    assert find_different([base, base, function], unnamed, may_differ=True) == function
    failed = log.format(1, "static assertion failed due to requirement 'sizeof(x) == 8'")
    assert find_different([base], failed, may_differ=False) == base


# --- words and macros ---


@pytest.mark.parametrize(
    "word",
    [
        *("long double", "double long", "long const double", "long typedef double", "long\ndouble"),
        *("long [[maybe_unused]] double", "1.L", "1e5L", "0x1p3L", "std::tuple", "std::make_tuple"),
        *("max_align_t", "__float128", "_Float32", "__builtin_infl", "__PRETTY_FUNCTION__"),
        *("vector_size(16)", "__vector_size__ (16)", "std::bit_width(3u)", "#pragma STDC FP_CONTRACT ON"),
        *("#pragma GCC optimize", "[[gnu::optimize(3)]]"),
        *("__attribute__((optimize", "unsigned long g : 33", "__builtin_signbit"),
    ],
)
def test_words_that_mean_something_else(word: str):
    lines = [("a.cu", 7, "int before;"), ("a.h", 1, "int x;")]
    lines += [("a.cu", 20 + at, line) for at, line in enumerate(f"int x;{word}(y)".splitlines())]
    found = find_word(lines)
    assert found and found[:2] == ("a.cu", 20) and found.word in " ".join(word.split())


def test_words_that_mean_the_same():
    code = "int optimize(long); struct s { long g : 32; };"
    code += "int vector_size = 8, bit_width = 4; "
    code += 'long long x; double y = 0x1EL + 10L; f("long double"); tuple_size<int> z; long f(double);'
    assert find_word([("a.cu", 1, code)]) is None


FRONT = """# 1 "<built-in>" 1
#define __GNUC__ 4
#define __FLT_MAX__ 3.40282347e+38F
#define __INT_MAX__ 2147483647
# 1 "/ours/limits.h" 1
#define INT_MAX 2147483647
# 1 "/c.h" 1
#define MINE(x) x + __GNUC__
#define LIMIT INT_MAX
#define SHORT __GNUC__
#undef SHORT
#define LINE __LINE__
#define JOINED a ## b
#define F(x, y) x + y
#define TEXT(x) #x
"""
HOST = """#define __GNUC__ 12
#define __FLT_MAX__ 3.40282346638528859811704183484516925e+38F
#define __INT_MAX__ 0x7fffffff
#define INT_MAX __INT_MAX__
#define MINE(x) x + __GNUC__
#define LIMIT INT_MAX
#define SHORT __GNUC__
#undef SHORT
#define LINE __LINE__
#define JOINED a##b
#define F(x, y) x + y
#define TEXT(x) #x
#define minor(x) x
# 9 "/usr/math.h" 1 3
#define isnan(x) x
# 9 "/usr/cmath" 1 3
#undef isnan
"""


#: What the two print for the second line and those behind it, where that matters.
EXPANDED = {
    "LINE": ("2", "2"),
    "F(LINE,\n1)": ("2 + 1", "3 + 1"),
    "F(1,\n__GNUC__); int x;": ("1 + 4\n; int x;", "1 + 12\n; int x;"),
    "F(1,\n2); int x = __FILE__;": ('1 + 2\n; int x = "/a.cu";', '1 +  2;\nint x = "/a.cu";'),
    "sizeof(__FILE__)": ('sizeof("/a.cu")', 'sizeof ("/a.cu")'),
    "__BASE_FILE__": ('"/a.cu"', '"/a.cu"'),
    "TEXT(__INT_MAX__)": ('"2147483647"', '"0x7fffffff"'),
    "TEXT(LIMIT)": ('"2147483647"', '"0x7fffffff"'),
    "LIMIT + INT_MAX + __INT_MAX__ + __FLT_MAX__ + __LINE__": (
        "2147483647 + 2147483647 + 2147483647 + 3.40282347e+38F + 2",
        "0x7fffffff + 0x7fffffff + 0x7fffffff + 3.40282346638528859811704183484516925e+38F + 2",
    ),
    "TEXT(int)": ('"int"', '"int"'),
}


@pytest.mark.parametrize(
    "code, unlike",
    [
        ("x = __GNUC__;", "__GNUC__"),
        ("MINE(1)", "__GNUC__"),
        ("SHORT", "__GNUC__"),
        ("LINE", ""),
        ("F(LINE,\n1)", "__LINE__"),
        ("F(1,\n__GNUC__); int x;", "__GNUC__"),
        ("F(1,\n2); int x = __FILE__;", ""),
        ("minor(2)", "minor"),
        ("sizeof(__FILE__)", ""),
        ("__BASE_FILE__", "__BASE_FILE__"),
        ("TEXT(__INT_MAX__)", "TEXT"),
        ("TEXT(LIMIT)", "TEXT"),
        ("TEXT(int)", ""),
        ("LIMIT + INT_MAX + __INT_MAX__ + __FLT_MAX__ + __LINE__", ""),
        ('#include "__GNUC__.h"\n#define other __GNUC__', ""),
        ("int minor = x.__GNUC__; // __AVX2__", ""),
        ("isnan(x)", ""),
        ("JOINED", ""),
        ("x = __has_builtin(x);", "__has_builtin"),
        ("#if 0\n__GNUC__\n#endif", ""),
    ],
)
def test_macros_that_two_compilers_define(code: str, unlike: str):
    front, host = (
        read_preprocessed(f'{text}# 2 "/a.cu"\n{EXPANDED.get(code, ("", ""))[i]}')
        for i, text in enumerate((FRONT, HOST))
    )
    found = find_macro([("b.h", ""), ("/a.cu", f"\n{code}\n")], front, host, "/ours/")
    number = next((2 + i for i, line in enumerate(code.splitlines()) if unlike in line), 2)
    assert found == (Unlike("/a.cu", number, unlike) if unlike else None)


BRANCHES = """#if defined(A) // one
int a;
#  if B
#    define b
#  endif
#elif C
#undef c
#else
int d;
#endif
int e;
"""


@pytest.mark.parametrize(
    "front, host, unlike",
    [
        ({2, 4, 11}, {2, 4, 11}, None),
        ({2, 4, 11}, {2, 11}, None),  # as it only defines
        ({2, 11}, {9, 11}, (1, "#if defined(A)")),
        ({7, 11}, {9, 11}, (6, "#elif C")),
        ({9, 11}, {11}, (8, "#else")),
    ],
)
def test_conditions_that_two_compilers_decide(
    front: set[int], host: set[int], unlike: tuple[int, str] | None
):
    def read(numbers: set[int]) -> Preprocessed:
        lines = BRANCHES.splitlines()
        kept = [f'# {number} "/a.cu"\n{re.sub("# +", "#", lines[number - 1])}' for number in numbers]
        return read_preprocessed("\n".join(kept))

    found = find_macro([("/a.cu", BRANCHES)], read(front), read(host), "/ours/")
    assert found == (Unlike("/a.cu", *unlike) if unlike else None)


def test_headers_that_one_compiler_reads(tmp_path: Path):
    (tmp_path / "fast.h").write_text("inline int f(int x) { return x + 1; }")
    declared = "inline int f(long x) { return x; }\n#ifdef __x86_64__\n#include <fast.h>\n#endif"
    reason = build(declared, "*out = f(3)", include_dirs=[tmp_path])["reason"]
    assert "<source>:9: #ifdef __x86_64__ may" in str(reason)


def test_headers_and_pragmas_are_lines_as_well():
    printed = (
        '# 1 "/k \\303\\274.cu"\n# 1 "/b.inc" 1\n+ 1\n# 3 "/k \\303\\274.cu" 2\n#pragma pop_macro("M")\n'
    )
    assert read_preprocessed(printed).taken == {"/k ü.cu": {2, 3}, "/b.inc": {1}}


def test_headers_are_read_like_the_source(tmp_path: Path):
    (tmp_path / "real.h").write_text("\ntypedef long double REAL;")
    for options in (
        ("-I", str(tmp_path), "-include", "real.h"),
        ("-I", os.path.relpath(tmp_path), "-include", "real.h"),
    ):
        assert f"{tmp_path / 'real.h'}:2: long double" in str(build("", "", options=options)["reason"])


# --- options in PYCUDA_TILE_CXX ---


@pytest.mark.parametrize(
    "options, reason",
    [
        ("-Wall -DSCALE=3 -include climits", None),
        ("-funsigned-char", "with the option -funsigned-char in PYCUDA_TILE_CXX"),
        ("-DSCALE=3 -O1", "with the option -O1 in PYCUDA_TILE_CXX"),
    ],
)
def test_options_of_the_compiler(options: str, reason: str | None, monkeypatch: pytest.MonkeyPatch):
    compiler = next(toolchain.on_path("gcc"), None)
    if compiler is None:
        pytest.skip("options beside those of the front end's clang need a g++ on PATH")
    monkeypatch.setenv("PYCUDA_TILE_CXX", f"{compiler.command[0]} {options}")
    declared = "#ifndef SCALE\n#define SCALE 1\n#endif"
    attributes = build(declared, "*out = SCALE + CHAR_MAX")
    assert attributes["path"] == ("by operation" if reason else "fused")
    assert (reason or "") in str(attributes.get("reason", ""))


def test_headers_beside_the_source_are_found(tmp_path: Path):
    (tmp_path / "math").mkdir()
    (tmp_path / "main.h").write_text(
        '#include "math/one.h"\n#include <cstdio>\nint main() { std::puts(""); }'
    )
    (tmp_path / "math" / "one.h").write_text('#include "two.h"\nstruct one { int x = two; };')
    (tmp_path / "math" / "two.h").write_text("constexpr int two = 2;")
    (tmp_path / "math.h").write_text("#error not the user's")
    source = tmp_path / "a 'b.cu"
    source.write_text(KERNEL % ('#include "main.h"', "*out = one{}.x"))
    assert pct.build(source, target="cpu").kernel("kernel").attributes.get("reason") is None
