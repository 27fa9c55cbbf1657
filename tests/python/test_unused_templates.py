"""Templates that are never instantiated may use undefined names, as NVIDIA's front end allows."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.frontend.unused import blanked, template_bodies

UNUSED = """
template <typename T>
__tile__ auto never_used(T x) {
  not_a_type<T> y = no_such_function(1);
  return y + no_such_namespace::value;
}
template <typename T>
struct helper {
  __tile__ T right(T x) const { return x; }
  __tile__ T wrong() const {
    return undefined_value;
  }
};
"""
KERNEL = """
__tile_global__ void k(int* y) { y[0] = helper<int>{}.right(7); }
template <typename T>
__tile_global__ void kernel_template(T* y) {
  y[0] = one_more_unknown;
}
"""
SOURCE = '#include "cuda_tile.h"\n' + UNUSED + KERNEL


def clang() -> str:
    found = next((name for name in ("clang++", "clang++-19", "clang++-20") if shutil.which(name)), None)
    return found or pytest.skip("clang++ is not installed")


@pytest.fixture(params=["gcc", "clang"], autouse=True)
def compiler(request, monkeypatch):
    if request.param == "clang":
        monkeypatch.setenv("PYCUDA_TILE_CXX", clang())
    elif not shutil.which("g++"):
        pytest.skip("g++ is not installed")


def result(module: pct.Module) -> int:
    y = np.zeros(1, np.int32)
    module.kernel("k")[1](y)
    return y[0]


def test_source_with_them_builds_and_runs():
    assert result(pct.build(SOURCE, target="cpu")) == 7


def test_others_share_loops_beside_them():
    """clang reads a template late unless its return type is deduced."""
    source = SOURCE.replace("__tile__ auto never_used", "__tile__ T never_used")
    assert result(pct.build(source, target="cpu", optimize=True)) == 7


def test_headers_with_them_build(tmp_path):
    """In a header beside the source, and in one in a folder that the user names."""
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "beside.h").write_text(UNUSED)
    (tmp_path / "elsewhere").mkdir()
    source = tmp_path / "source.cu"
    includes = '#include "cuda_tile.h"\n#include "parts/beside.h"\n#include <named.h>\n'
    source.write_text(includes + KERNEL)
    renamed = UNUSED.replace("helper", "other_helper").replace("never_used", "not_used")
    (tmp_path / "elsewhere" / "named.h").write_text(renamed)
    module = pct.build(source, target="cpu", include_dirs=[tmp_path / "elsewhere"])
    assert result(module) == 7
    # The header counts as a dependency although a copy without those templates was compiled.
    (tmp_path / "parts" / "beside.h").write_text(UNUSED.replace("return x;", "return x + 1;"))
    assert result(pct.build(source, target="cpu", include_dirs=[tmp_path / "elsewhere"])) == 8


def test_real_errors_are_reported_where_they_are():
    line = "__tile_global__ void broken(int* y) { y[0] = really_wrong; }"
    wrong = f"{SOURCE}\n{line}\n"
    with pytest.raises(pct.CompileError, match="really_wrong") as error:
        pct.build(wrong, target="cpu")
    place = next(d for d in error.value.diagnostics if "really_wrong" in d.message)
    assert place.line == wrong.splitlines().index(line) + 1


def test_used_templates_must_be_right():
    with pytest.raises(pct.CompileError, match="one_more_unknown"):
        pct.build(SOURCE, target="cpu", kernels=("kernel_template<int>",))
    used = SOURCE + "\n__tile_global__ void user(int* y) { y[0] = never_used(1); }\n"
    with pytest.raises(pct.CompileError, match="not_a_type"):
        pct.build(used, target="cpu")


def test_bodies_are_found():
    text = """
namespace n { template <typename T> int a(T x) { return x; } }
template <int N> struct s { int b() { return N; } alignas(8) int c = 0; };
template <typename T> requires requires(T x) { x + 1; } int d(T x) noexcept(true) { return 1; }
template <typename T, template <typename> class U> struct e;
template <typename T> constexpr int f{3};
template <typename T> [[cutile::hint(0, occupancy = 2)]] __tile_global__ void g(T* x)
{
  if (x) { *x = 1; }
}
int plain(int x) { return x; }
template <class T> concept h = requires(T x) { x.y(); };
template <typename T> void i(T x = T{}) { auto f = [](auto y) { return y; }; }
"""
    bodies = template_bodies(text)
    assert [body.name for body in bodies] == ["a", "b", "d", "g", "i"]
    assert [(body.first_line, body.last_line) for body in bodies] == [
        (2, 2),
        (3, 3),
        (4, 4),
        (8, 10),
        (13, 13),
    ]
    without = blanked(text, bodies)
    assert without.count("\n") == text.count("\n")
    assert without.splitlines()[1] == "namespace n { template <typename T> int a(T x) ; }"
    assert without.splitlines()[10] == "int plain(int x) { return x; }"


def test_a_helper_that_is_used_and_wrong_keeps_its_message(tmp_path):
    """Only a kernel template uses it, which shows once its body is removed and gives no better message."""
    (tmp_path / "helpers.h").write_text(
        "template <typename T>\n__tile__ T next(T x) {\n  return x + undeclared(T());\n}\n"
    )
    source = """#include "cuda_tile.h"
#include "helpers.h"
template <typename T>
__tile_global__ void kernel(T* x) {
  x[0] = next(x[0]);
}
"""
    module = pct.build(source, target="cpu", include_dirs=[tmp_path])
    with pytest.raises(pct.CompileError, match="undeclared") as error:
        module.kernel("kernel<int>")
    assert error.value.diagnostics[0].file == str(tmp_path / "helpers.h")
