"""`pycuda-tile coverage` finds what is missing in small made-up headers, sources and pages."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import pycuda_tile as pct
from pycuda_tile.cli import main
from pycuda_tile.development import coverage
from pycuda_tile.development.coverage.declarations import Headers
from pycuda_tile.development.coverage.sources import Sources, record
from pycuda_tile.development.coverage.uses import Source

KERNEL = "ct::tile<int, ct::shape<4>> x;"


def row(kind: str, name: str, form: str = "", id: str = "2.2.1/x", **columns: str) -> SimpleNamespace:
    defaults = {"section": "2.2.1", "header": "api.h", "constant": "no", "exposition": "no", "since": "13.3"}
    return SimpleNamespace(id=id, kind=kind, name=name, form=form or name, **{**defaults, **columns})


def is_declared(tmp_path, header: str, *rows: SimpleNamespace) -> bool:
    (tmp_path / "cuda_tile.h").write_text('#include "parts.h"\n')
    (tmp_path / "parts.h").write_text('#include "api.h"\n')
    (tmp_path / "api.h").write_text(header)
    return not Headers(tmp_path).missing(rows)


BASE = """namespace detail {
template <typename E>
struct base { using index_type = E; int stride(int i) const; };
}
"""
DECLARED = [
    (row("concept", "tile_like"), "template <typename T> concept tile_like = true;"),
    (row("alias", "tile_load_t"), "template <typename T> using tile_load_t = T;"),
    (row("variable", "rank_v"), "template <typename T> inline constexpr size_t rank_v = T::rank();"),
    (row("type", "tile"), "template <typename T> struct tile final { };"),
    (row("enum", "memory_order"), "enum class memory_order : int { relaxed };"),
    (row("enum", "(unnamed)"), "enum : size_t { dynamic_extent };"),
    (
        row("enumerator", "memory_order::acquire"),
        "enum class memory_order : int { relaxed = 0, acquire = 1 };",
    ),
    (row("enumerator", "dynamic_extent"), "enum : size_t { dynamic_extent = 1 };"),
    (row("keyword", "__tile__"), "#define __tile__ __device__"),
    (row("function", "add"), "template <typename T>\nCUDA_TILE_API T\nadd(T x, T y) noexcept { return x; }"),
    (row("operator", "operator<"), "inline bool operator<(a x, b y);"),
    (row("operator", 'literals::operator""_ic'), 'constexpr auto operator""_ic() noexcept;'),
    (
        row("operator", "operator<="),
        "#define MAKE(op) \\\n  bool operator op(a x, b y);\nMAKE(<)\nMAKE(<=)\n",
    ),
    (row("member", "span::extent"), "struct span { constexpr int extent(int i) const; };"),
    (row("member", "constant::value"), "struct constant { static constexpr int value = 1; };"),
    (row("member", "span::stride"), BASE + "struct span : detail::base<int> { };"),
    (
        row("alias", "span::index_type"),
        BASE + "template <typename E>\nstruct span : private detail::base<E> { };",
    ),
    (row("operator", "tile::operator O"), "struct tile { explicit operator O() const; };"),
    (row("constructor", "tile::tile"), "struct tile { tile() = default; };"),
    (row("deduction", "tile"), "struct tile { };\ntemplate <typename T> tile(T) -> tile<T>;"),
]
NOT_DECLARED = [
    (row("concept", "tile_like"), "template <typename T> concept tile_like_too = true;"),
    (row("alias", "tile_load_t"), "// using tile_load_t = T;"),
    (row("type", "tile"), "template <typename T> struct tile;"),
    (
        row("enumerator", "memory_order::acquire"),
        "enum class memory_order { relaxed };\nenum class other { acquire };",
    ),
    (row("function", "add"), "inline int sum(int x) { return add(x, 1); }"),
    (row("function", "add"), "namespace detail {\ninline int add(int x, int y);\n}"),
    (row("operator", "operator<"), "inline bool operator<=(a x, b y);"),
    (row("operator", "operator<="), "#define MAKE(op) bool operator op(a x, b y);\nMAKE(<)\n"),
    (row("member", "span::extent"), "struct span { };\nstruct other { int extent(int i) const; };"),
    (row("member", "span::stride"), BASE + "struct span { };"),
    (row("constructor", "tile::tile"), "struct tile { };\ntile(int) -> tile<int>;"),
    (row("deduction", "tile"), "struct tile { tile(int); };"),
    (row("function", "add", header="other.h"), "int add(int x, int y);"),
]


@pytest.mark.parametrize(("entity", "header"), DECLARED, ids=lambda case: getattr(case, "name", ""))
def test_declaration_is_found(tmp_path, entity, header):
    assert is_declared(tmp_path, header, entity)


@pytest.mark.parametrize(("entity", "header"), NOT_DECLARED, ids=lambda case: getattr(case, "name", ""))
def test_missing_declaration_is_noticed(tmp_path, entity, header):
    assert not is_declared(tmp_path, header, entity)


def test_overloads_are_counted(tmp_path):
    overloads = row("function", "add", "add(x, y)"), row("function", "add", "add(x, y, mode)", id="2.2.1/y")
    assert not is_declared(tmp_path, "int add(int x, int y);", *overloads)
    assert is_declared(tmp_path, "int add(int x, int y);\nint add(int x, int y, int mode);", *overloads)


def test_what_is_wider_than_the_manual_may_share_a_declaration(tmp_path):
    wider = row("function", "tanh", "tanh(x, rounding)", id="2.2.1/y", since="13.4")
    assert is_declared(tmp_path, "int tanh(int x, int mode = 0);", row("function", "tanh", "tanh(x)"), wider)
    assert not is_declared(tmp_path, "int tan(int x);", wider)


def test_header_that_is_not_included_does_not_count(tmp_path):
    (tmp_path / "cuda_tile.h").write_text("")
    (tmp_path / "api.h").write_text("int add(int x, int y);")
    assert Headers(tmp_path).missing([row("function", "add")]) == {"2.2.1/x"}


USED = [
    (
        row("function", "add", "add(x, y)"),
        "auto z = ct::add(x, ct::full<ct::tile<int, ct::shape<4, 8>>>(1));",
    ),
    (row("function", "add", "add(x, y, rounding, subnormals = {})"), "cuda::tiles::add(x, y, ct::up_t{})"),
    (row("function", "add", "add(x, y)"), "concept adds = requires(T... x) { ct::add(x...); };"),
    (row("function", "iota", "iota<T>()"), "ct::iota<ct::tile<int, ct::shape<4>>>()"),
    (row("concept", "tile_like"), "static_assert(ct::tile_like<int>);"),
    (row("enumerator", "memory_order::acquire"), "ct::memory_order::acquire"),
    (row("alias", "layout_left::mapping"), "ct::layout_left::template mapping<E>"),
    (row("member", "span::extent", "extent(dimension)"), "ct::span s{p, e}; s.extent(1);"),
    (row("member", "view::load_masked", "load_masked(indices...)"), "ct::view v{s}; v.load_masked(1, 2);"),
    (row("member", "view::load", "load(order, indices...)"), "ct::view v{s}; v.load(ct::relaxed_t{}, 1);"),
    (row("constructor", "irange::irange", "irange(lower, upper, step = 1)"), "ct::irange<int> r(0, n);"),
    (
        row("constructor", "irange::irange", "irange(lower, upper)"),
        "using range = ct::irange<int>; range(0, n);",
    ),
    (
        row("constructor", "irange::irange", "irange(lower, upper)"),
        "constructible<ct::irange<int>, int, int>",
    ),
    (row("deduction", "irange", "irange(lower, upper)"), "for (auto i : ct::irange(0, n)) {}"),
    (row("keyword", "__tile__"), "__tile__ void f();"),
    (row("hint", "latency"), "[[cutile::hint(0, latency = 2)]] y = ct::load(p);"),
    (row("hint", "cutile::hint"), "[[cutile::hint(0, latency = 2)]] y = ct::load(p);"),
    (row("operator", 'literals::operator""_ic'), "auto c = 4_ic;"),
    (row("operator", "operator+", "x + y"), "auto z = x + y; // [2.2.1]"),
    (row("operator", "operator+", "x + y"), "// [2.2.0] to [2.2.2]\nauto z = x + y;"),
    (row("operator", "operator+", "x + y"), "// 2.2.1/x on float\nauto z = x + y;"),
    (row("operator", "operator-", "-x"), "auto z = f(-x); // [2.2.1]"),
    (row("operator", "iterator::operator++", "x++"), "ct::iterator i; i++;"),
]
NOT_USED = [
    (row("function", "add", "add(x, y)"), "auto z = ct::add(x, y, ct::up_t{});"),
    (row("function", "add", "add(x, y, rounding)"), "auto z = ct::add(x, f<int, 4>(y));"),
    (row("function", "add", "add(x, y)"), '// ct::add(x, y)\nauto s = "ct::add(x, y)";'),
    (row("function", "add", "add(x, y)"), "auto z = ct::add_all(x, y); other::add(x, y);"),
    (row("concept", "tile_like"), "template <other::tile_like T> void f();"),
    (row("enumerator", "memory_order::acquire"), "ct::memory_order::relaxed; other::acquire;"),
    (row("member", "span::extent", "extent(dimension)"), "other s; s.extent(1);"),
    (row("member", "view::load", "load(order, indices...)"), "ct::view v{s}; v.load(1, 2);"),
    (row("member", "view::load", "load(indices...)"), "ct::view v{s}; v.load(ct::relaxed_t{}, 1);"),
    (row("constructor", "irange::irange", "irange(lower, upper)"), "ct::irange<int> r(0, n, 2);"),
    (row("deduction", "irange", "irange(lower, upper)"), "ct::irange<int> r(0, n);"),
    (row("hint", "latency"), "[[cutile::hint(0, occupancy = 2)]] int latency = 2;"),
    (row("operator", "operator+", "x + y"), "auto z = x + y;"),
    (row("operator", "operator+", "x + y"), "auto z = x - y; // [2.2.1]"),
    (row("operator", "operator+", "x + y"), "auto z = f(+x); // [2.2.1]"),
    (row("operator", "operator-", "-x"), "auto z = y - x; // [2.2.1]"),
    (row("operator", "iterator::operator++", "x++"), "ct::iterator i; ++i;"),
]


@pytest.mark.parametrize(("entity", "source"), USED)
def test_use_is_found(entity, source):
    assert Source(source).uses(entity)


@pytest.mark.parametrize(("entity", "source"), NOT_USED)
def test_missing_use_is_noticed(entity, source):
    assert not Source(source).uses(entity)


def test_static_assertions_do_not_test_what_runs(tmp_path, monkeypatch):
    programs = tmp_path / "tests/programs/positive"
    programs.mkdir(parents=True)
    (programs / "static.cu").write_text(
        "static_assert(ct::is_ok<int>);\nstatic_assert(noexcept(ct::add(x, y))); // #name\n"
    )
    concept = row("concept", "is_ok", constant="yes")
    function = row("function", "add", "add(x, y)")
    sources = Sources(tmp_path, tmp_path / "built")
    assert sources.test(concept, "cpu") and sources.test(concept, "tile")
    assert not sources.test(function, "cpu")
    assert not sources.test(function, "tile")  # #name marks what NVIDIA's compiler refuses
    monkeypatch.setenv("PYCUDA_TILE_BUILD_LOG", str(tmp_path / "built"))
    record("cpu", "ct::add(x, y)")
    record("cpu", "ct::add(x, y)")
    sources = Sources(tmp_path, tmp_path / "built")
    assert sources.count("cpu") == 1
    assert sources.test(function, "cpu") and not sources.test(function, "emulated")


def test_a_compiler_of_an_older_api_is_not_asked_about_newer_entities(tmp_path):
    (tmp_path / "cuda_tile.h").write_text("")
    old, new = row("function", "add"), row("function", "powi", id="2.4/powi", since="13.5")
    sources = Sources(tmp_path, tmp_path / "built")
    found = coverage.statuses([old, new], tmp_path, None, sources, {"tile": "13.4"})
    assert [status.tested["tile"] for status in found] == [False, None]
    assert [status.tested["cpu"] for status in found] == [False, False]
    found = coverage.statuses([old, new], tmp_path, None, sources, {"tile": "13.6"})
    assert [status.tested["tile"] for status in found] == [False, False]


def test_only_sources_of_which_a_kernel_was_built_are_recorded(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_TILE_BUILD_LOG", str(tmp_path))
    head = '#include "cuda_tile.h"\n'
    with pytest.raises(pct.CompileError):
        pct.build(head + "__tile_global__ void k(int* p) { nonsense; }\n", target="cpu")
    template = pct.build(head + "template <typename T>\n__tile_global__ void k(T* p) {}\n", target="cpu")
    assert not (tmp_path / "cpu").exists()
    template.kernel("k<int>")
    [path] = (tmp_path / "cpu").iterdir()
    assert path.suffix == ".cu" and "void k(T* p)" in path.read_text()


def test_report_names_what_is_missing(tmp_path):
    (tmp_path / "cuda_tile.h").write_text('#include "api.h"\n')
    (tmp_path / "api.h").write_text("int add(int x, int y);\n")
    rows = [row("function", "add", "add(x, y)"), row("function", "sub", "sub(x, y)", id="2.2.1/y")]
    reference = "| `add(x, y)` | Sum. | api.h |\n"
    added, subtracted = coverage.statuses(rows, tmp_path, reference, Sources(tmp_path, tmp_path))
    assert added.missing() == "not tested on cpu, simt, tile, emulated" and not added.is_complete()
    assert subtracted.missing() == (
        "not declared in api.h; not in docs/reference/cpp; not tested on cpu, simt, tile, emulated"
    )
    installed = coverage.statuses(rows, tmp_path, None, None)
    assert [status.is_complete() for status in installed] == [True, False]
    assert [status.missing() for status in installed] == ["", "not declared in api.h"]


@pytest.mark.wide
def test_command(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PYCUDA_TILE_BUILD_LOG", str(tmp_path))
    assert main(["coverage", "--missing"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert (
        line == f"tested: unknown, because no test has left a source in {tmp_path}: run `python3 run.py test`"
    )
    record("cpu", "auto c = ct::sub(a, b);")
    assert main(["coverage", "--missing"]) == 1
    assert "2.2.1/add/2: not tested on cpu, simt, emulated\n" in capsys.readouterr().out
    assert main(["coverage", "--missing", "--part"]) == 0
    cpu, emulated = capsys.readouterr().out.splitlines()
    assert cpu.startswith("cpu: ") and "are tested only by `python3 run.py test --all`: " in cpu
    assert "2.2.1/add/2" in cpu and emulated.startswith("emulated: ")
    monkeypatch.setattr(coverage, "checkout", lambda: None)  # like in an installed package
    assert main(["coverage"]) == 0
    printed = capsys.readouterr().out
    assert "unknown (run this in a checkout)" in printed and "2.2 Arithmetic" in printed
