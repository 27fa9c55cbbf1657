"""Optimization hints: how their text is read, which ones apply, and what they do on simt."""

import re

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc
from pycuda_tile.frontend import hints
from pycuda_tile.frontend.hint_errors import hint_errors
from pycuda_tile.frontend.tokens import constant
from pycuda_tile.launching import gpu
from pycuda_tile.targets.simt import compiling as simt

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
%s
__tile_global__ void k(float* x) { x[0] = 1; }
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("4", 4), ("(4, 3)", 3), ("0x1Fu", 31), ("0b101", 5), ("010", 8), ("1'000", 1000), ("-1", -1)),
        *(
            ("true", 1),
            ("1 << 3", 8),
            ("7 / 2 * 2", 6),
            ("N", None),
            ("f(3)", None),
            ("1 / 0", None),
            ("", None),
        ),
    ],
)
def test_constants(text: str, value: int | None):
    assert constant(text) == value


def test_pairs():
    assert hints.parse("900, occupancy = (4, 3), latency=N") == [
        hints.Hint("900", "occupancy", "(4, 3)"),
        hints.Hint("900", "latency", "N"),
    ]


@pytest.mark.parametrize(
    "text",
    ["0, latency=4, 3", "0", "", "latency=4", '0, "latency"=4', "0, latency=1.5", "0, latency==4", "0,"],
)
def test_malformed(text: str):
    with pytest.raises(hints.MalformedHint, match=re.escape(f"hint({text})")):
        hints.parse(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0, num_cta_per_cga=2", "did you mean num_cta_in_cga?"),
        ("90, occupancy=2", "900 for sm_90"),
        ("0, occupancy=33", "expected 1 to 32"),
        ("0, num_cta_in_cga=3", "1, 2, 4, 8 or 16"),
        ("0, num_worker_warps_per_cta=3", "1, 2, 4, 8, 16 or 32"),
        ("0, num_worker_warps_per_cta=32", ""),
        ("800, num_cta_in_cga=2", "sm_80 has no clusters"),
        ("0, allow_tma=2", "true or false"),
        ("0, occupancy=32", ""),
        ("800, num_cta_in_cga=1", ""),
        ("0, allow_tma=true", ""),
        ("A, occupancy=N", ""),
    ],
)
def test_why_ignored(text: str, words: str):
    (hint,) = hints.parse(text)
    reason = hints.why_ignored(hint)
    assert words in reason and bool(words) == bool(reason)


# --- what they do -------------------------------------------------------------------------------------------


OCCUPANCY = [  # hints of a kernel, architecture, requested blocks per multiprocessor
    ("[[cutile::hint(0, occupancy=3)]]", "sm_90", 3),
    ("[[cutile::hint(0, occupancy=3)]]", "sm_75", 3),
    ("[[cutile::hint(900, occupancy=3)]]", "sm_75", None),
    ("[[cutile::hint(900, occupancy=4)]] [[cutile::hint(0, occupancy=3)]]", "sm_90", 4),
    ("[[using cutile : hint(0, occupancy=3, occupancy=5), hint(1000, occupancy=6)]]", "sm_90", 5),
    ("[[cutile::hint(0, occupancy=5)]] [[cutile::hint(0, occupancy=33)]]", "sm_90", 5),
    ("[[cutile::hint(0, occupancy=(4, 3))]]", "sm_90", 3),
    ("[[cutile::hint(0, occupancy=32)]]", "sm_90", 16),  # no more blocks of 128 threads fit
    ("[[cutile::hint(0, occupancy=32)]]", "sm_75", 8),
    ("[[cutile::hint(0, latency=3, allow_tma=false)]]", "sm_90", None),
]
CLUSTERS = [
    ("[[cutile::hint(0, num_cta_in_cga=2)]]", "sm_90", 2),
    ("[[cutile::hint(0, num_cta_in_cga=2)]]", "sm_75", None),
    ("[[using cutile : hint(900, num_cta_in_cga=4), hint(1000, num_cta_in_cga=8)]]", "sm_90", 4),
    ("[[using cutile : hint(1000, num_cta_in_cga=4), hint(0, num_cta_in_cga=2)]]", "sm_90", 2),
    ("[[cutile::hint(0, num_cta_in_cga=16)]]", "sm_90", 8),  # more are not portable
    ("[[cutile::hint(0, num_cta_in_cga=3)]]", "sm_90", 1),
]


def asked(make_target, hints_of_kernels: list[str], arch: str, pattern: str) -> list[int | None]:
    """The number that the pattern finds in each kernel's PTX; all kernels are compiled together."""
    kernels = [
        f"{hint} __tile_global__ void k{index}(float*);"
        f"__tile_global__ void k{index}(float* x) {{ x[0] = 1; }}"
        for index, hint in enumerate(hints_of_kernels)
    ]
    module = make_target("simt", arch=arch).build('#include "cuda_tile.h"\n' + "\n".join(kernels))
    found = []
    for index in range(len(kernels)):
        entry = re.search(rf"\.entry _Z2k{index}Pf\(.*?\{{", module.ptx, re.DOTALL)
        number = re.search(pattern, entry[0])
        found.append(number and int(number[1]))
    return found


@pytest.mark.parametrize("arch", ["sm_90", "sm_75"])
@pytest.mark.parametrize(
    ("rows", "pattern"),
    [(OCCUPANCY, r"\.minnctapersm (\d+)"), (CLUSTERS, r"\.reqnctapercluster (\d+), 1, 1")],
    ids=["occupancy-is-launch-bounds", "clusters-where-the-device-has-them"],
)
def test_kernels_ask_for(make_target, rows: list[tuple], pattern: str, arch: str):
    rows = [row for row in rows if row[1] == arch]
    assert asked(make_target, [row[0] for row in rows], arch, pattern) == [row[2] for row in rows]


def test_values_of_template_parameters(make_target):
    text = """
    #include "cuda_tile.h"
    template <int A, int O, int C>
    [[cutile::hint(A, occupancy = O, num_cta_in_cga = C * 2)]]
    __tile_global__ void k(float* x) { x[0] = O; }
    """
    module = make_target("simt", arch="sm_90").build(text)
    found = {}
    for name in ("k<0, 2, 4>", "k<900, 5, 1>", "k<800, 5, 1>", "k<0, 0, 3>"):
        kernel = module.kernel(name)
        bounds = re.search(r"\.minnctapersm (\d+)", kernel.ptx)
        found[name] = (bounds and int(bounds[1]), kernel.attributes.get("cluster"))
    assert found == {
        "k<0, 2, 4>": (2, 8),
        "k<900, 5, 1>": (5, 2),
        "k<800, 5, 1>": (None, None),
        "k<0, 0, 3>": (None, None),
    }


def test_values_of_macros(make_target):
    hint = "#define HINT 900, occupancy = BLOCKS\n[[cutile::hint(HINT)]]"
    module = make_target("simt", arch="sm_90").build(SOURCE % hint, defines={"BLOCKS": 3})
    assert ".minnctapersm 3" in module.ptx


def test_errors_keep_their_columns(make_target):
    text = SOURCE % "[[cutile::hint(0, occupancy=3)]] __tile_global__ void broken() { nonsense; }"
    with pytest.raises(pct.CompileError) as caught:
        make_target("simt", arch="sm_90").build(text)
    (diagnostic,) = (d for d in caught.value.diagnostics if d.severity == "error")
    line = text.splitlines()[diagnostic.line - 1]
    assert line[diagnostic.column - 1 :].startswith("nonsense")
    assert "__tile_hint" not in str(caught.value)


def test_hosts_accept_all_hints(host_target):
    """Two hints per attribute, on templates, declarations and statements, with template parameters."""
    text = """
    #include "cuda_tile.h"
    namespace ct = cuda::tiles;
    template <int N> [[using cutile : hint(0, occupancy = N), hint(900, num_cta_in_cga = 2)]]
    __tile_global__ void k(float* x) {
      auto p = x + ct::iota<ct::tile<int, ct::shape<4>>>();
      ct::tile<float, ct::shape<4>> t;
      [[using cutile : hint(0, latency = N), hint(900, allow_tma = false)]] t = ct::load(p);
      [[cutile::hint(0, latency = 7)]] ct::store(p, t + 1.0f);
    }
    """
    import numpy as np

    x = np.zeros(4, np.float32)
    host_target.build(text).kernel("k<3>")[1](x)
    assert x.tolist() == [1] * 4


BEFORE_A_STATEMENT = """
#include "cuda_tile.h"
__tile__ constexpr int four() { return 4; }
template <int N> __tile_global__ void k(int* p, int n) {
  const int c = 4;
  constexpr int x = 5;
  int m = 4;
  for (int i = 0; i < 1; ++i) {
    [[cutile::hint(%s)]] p[i] = m + c + x;
  }
}
"""
BEFORE_A_KERNEL = """
#include "cuda_tile.h"
constexpr int c = 4;
__tile__ constexpr int four() { return c; }
template <int N> [[cutile::hint(%s)]] __tile_global__ void k(int* p, int n) { p[0] = n; }
"""
RIGHT = ["(1, 4)", "sizeof(int)", "'a'", "true", "N", "c", "-4", "99", "c + 1 > N ? 1 : 2", "four()", "0x4u"]
WRONG = ["4, 3", '"4"', "4.0", "4.5f", ".5", "1e1", "nullptr", "n", "", "=4", "int", "4; latency=4", "n + 1"]


def refused(target, source: str) -> str:
    """The error reported for line 5 or 9, or "" if the source is accepted."""
    try:
        target.build(source, kernels=["k<4>"])
    except pct.CompileError as error:
        assert {d.line for d in error.diagnostics if d.severity == "error"} <= {5, 9}, error
        return str(error)
    return ""


@pytest.mark.parametrize("source", [BEFORE_A_STATEMENT, BEFORE_A_KERNEL], ids=["statement", "kernel"])
def test_what_is_refused(source):
    """Like NVRTC 13.5, which test_nvrtc_refuses_the_same checks."""
    kind = "latency" if source is BEFORE_A_STATEMENT else "occupancy"
    for value in RIGHT:
        assert errors_of(source, f"0, {kind}={value}") == []
        assert errors_of(source, f"{value}, {kind}=4") == [] or "," in value
    for value in WRONG:
        assert len(errors_of(source, f"0, {kind}={value}")) == 1, value
    for arch in ["n", "1.0", '"0"', "int", "", f"{kind}=4", "0 900"[:1] + f" {kind}=4"]:
        assert len(errors_of(source, f"{arch}, {kind}=4")) == 1, arch
    for hint in ["", "0", "0,", f"{kind}=4", f'0, "{kind}"=4', f"0, {kind}", f"0 {kind}=4"]:
        assert len(errors_of(source, hint)) == 1, hint


def errors_of(source: str, hint: str) -> list:
    return hint_errors(source % hint, "a.cu", {})


@pytest.mark.wide
@pytest.mark.parametrize("target", ["simt", "tile"])
def test_nvrtc_refuses_the_same(make_target, monkeypatch, target: str):
    monkeypatch.setattr(simt, "check_hints", lambda request, macros: None)
    if nvrtc.version(gpu.EXTRA) < (13, 5):
        pytest.skip("older versions of NVRTC pass hints over: 13.5 is needed")
    for source, kind in ((BEFORE_A_STATEMENT, "latency"), (BEFORE_A_KERNEL, "occupancy")):
        for value in RIGHT + WRONG:
            text = refused(make_target(target, arch="sm_90"), source % f"0, {kind}={value}")
            assert bool(text) == (value in WRONG), (kind, value, text)


def test_names_that_nothing_declares_are_no_constants():
    """Host compilers do not read hints. A header of the user's may declare what the source does not."""
    source = '#include "%s"\nvoid f() { [[cutile::hint(%s)]] g(); }'
    (error,) = hint_errors(source % ("cuda_tile.h", "sm_90, latency=3"), "a.cu", {})
    assert error.line == 2 and error.message.endswith("but sm_90 is not declared: write 900 for sm_90")
    (error,) = hint_errors(source % ("cuda_fp16.h", "0, latency=lat"), "a.cu", {})
    assert error.message == "hint(0, latency=lat): a hint takes integral constants, but lat is not declared"
    assert hint_errors(source % ("mine.h", "0, latency=lat"), "a.cu", {}) == []
    assert hint_errors("int const lat = 3;\n" + source % ("mine.h", "0, latency=lat"), "a.cu", {}) == []
    assert hint_errors(source % ("cuda_tile.h", "0, latency=lat"), "a.cu", {"lat": "3"}) == []


def test_variables_are_no_constants():
    for value in ("m", "i", "n", "x * m"):
        (error,) = errors_of(BEFORE_A_STATEMENT, f"0, latency={value}")
        assert error.line == 9 and f"but {value[-1]} is a variable" in error.message
    inner = "int q = 1; } void g() { const int q = 2; [[cutile::hint(0, latency=q)]] f();"
    assert hint_errors(f"void f() {{ {inner} }}", "a.cu", {}) == []
    shadowed = "void f(int n) { { constexpr int n = 2; [[cutile::hint(0, latency=n)]] g(); } }"
    assert hint_errors(shadowed, "a.cu", {}) == []
    macro = "#define LATENCY 4\nvoid f(int LATENCY_OF) { [[cutile::hint(0, latency=LATENCY)]] g(); }"
    assert hint_errors(macro, "a.cu", {}) == []


@pytest.mark.sampled(4)
@pytest.mark.parametrize("value", ["4, 3", '"4"', "n", ""])
def test_builds_refuse_malformed_hints(any_target, value):
    source = BEFORE_A_STATEMENT % f"0, latency={value}"
    assert refused(any_target, source)
    if any_target.name != "tile":
        assert "hint(0, latency=" in refused(any_target, source)
