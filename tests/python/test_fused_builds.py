"""build(optimize=...): which way kernels are compiled, what their attributes say, and what is an error."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import BuildValueError, NotAvailableYet, tileir
from pycuda_tile.compilers import toolchain
from pycuda_tile.targets.host import compiling, loops

pytestmark = pytest.mark.fused

SOURCE = """#include "cuda_tile.h"
namespace ct = cuda::tiles;
template <int Size>
__tile_global__ void scale(const float* in, float* out, float factor, bool twice, int n) {
  ct::partition_view from{ct::tensor_span{in, ct::extents{n}}, ct::shape<Size>{}};
  ct::partition_view to{ct::tensor_span{out, ct::extents{n}}, ct::shape<Size>{}};
  auto i = ct::bid().x;
  auto x = from.load_masked(i) * factor;
  to.store_masked(twice ? x * 2.0f : x, i);
}
__device__ int calls = 0;
__tile_global__ void count(int* total) { *total = ++calls; }
"""


@pytest.fixture(autouse=True)
def needs_clang():
    try:
        toolchain.find_clang()
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))


def build(source: str | Path = SOURCE, optimize: bool | str = "auto", **arguments) -> pct.Module:
    return pct.build(source, target="cpu", optimize=optimize, **arguments)


def path_of(module: pct.Module, kernel: str) -> tuple[object, object]:
    attributes = module.kernel(kernel).attributes
    return attributes["path"], attributes.get("reason")


def test_the_reason_is_the_whole_message_of_the_front_end():
    """Messages of several lines, as compilers wrap them, are one sentence."""
    errors = [
        pct.Diagnostic("a.cu", 1, 1, "warning", "unused"),
        pct.Diagnostic("a.cu", 5, 3, "error", "'auto' deduced as\n    'int' and 'float'", ("a note",)),
    ]
    assert loops.brief(pct.CompileError("a.cu:5:3: error: 'auto' deduced as\n", errors)) == (
        "a.cu:5:3: error: 'auto' deduced as 'int' and 'float'"
    )


def test_fused():
    module = build()
    kernel = module.kernel("scale<64>")
    assert path_of(module, "scale<64>") == ("fused", None)
    assert [p.cxx_type for p in kernel.parameters] == ["const float*", "float*", "float", "bool", "int"]
    x, out = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    x.flags.writeable = False  # which a parameter `const float*` takes
    for twice in (False, True):
        kernel[2](x, out, 0.5, twice, 100)
        np.testing.assert_array_equal(out, x * (1 + twice) / 2)


def test_the_kernels_of_a_source_go_their_own_ways():
    module = build(kernels=("scale<64>",))
    assert path_of(module, "scale<64>")[0] == "fused"
    path, reason = path_of(module, "count")
    assert path == "by operation" and str(reason) == "<source>:12: it uses a variable that kernels may change"
    total = np.zeros(1, np.int32)
    for _ in range(3):
        module.kernel("count")[1](total)
    assert total[0] == 3
    assert {kernel.name for kernel in module.kernels} == {"scale", "count"}


def test_one_kernel_may_have_two_names():
    source = """#include "cuda_tile.h"
    namespace ct = cuda::tiles;
    template <typename T> __tile_global__ void twice(T* x, int n) {
      ct::partition_view v{ct::tensor_span{x, ct::extents{n}}, ct::shape<64>{}};
      v.store_masked(v.load_masked(ct::bid().x) * T(2), ct::bid().x);
    }"""
    names = ("twice<unsigned>", "twice<unsigned int>")
    module = build(source, kernels=names)
    x = np.arange(100, dtype=np.uint32)
    for name in names:
        assert path_of(module, name) == ("fused", None)
        module.kernel(name)[2](x, 100)
    np.testing.assert_array_equal(x, 4 * np.arange(100))


@pytest.mark.parametrize(
    "arguments, reason",
    [
        ({"optimize": False}, "optimize=False"),
        ({"checked": True}, "checked builds"),
        ({"options": ("-O1",)}, "the option -O1"),
        ({"target": "emulated"}, "the target emulated"),
    ],
)
def test_what_runs_operation_by_operation(arguments: dict, reason: str):
    module = pct.build(SOURCE, **{"target": "cpu", "optimize": "auto", **arguments})
    path, said = path_of(module, "scale<64>")
    assert path == "by operation" and reason in str(said)
    if "optimize" not in arguments:
        with pytest.raises(BuildValueError, match=reason):
            pct.build(SOURCE, **{"target": "cpu", "optimize": True, **arguments})


def test_debuggers_see_kernels_operation_by_operation(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYCUDA_TILE_DEBUG", "1")
    assert "PYCUDA_TILE_DEBUG" in str(path_of(build(), "scale<64>")[1])


def test_the_environment_decides_what_auto_means(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYCUDA_TILE_OPTIMIZE", "0")
    assert path_of(build(), "scale<64>") == ("by operation", "PYCUDA_TILE_OPTIMIZE=0")
    only_scale = SOURCE[: SOURCE.index("__device__ int calls")]
    assert path_of(build(only_scale, True), "scale<64>")[0] == "fused"


# Of the host's standard library and, for the open front end, of ours.
SAME_LAYOUT = """#include <array>
#include <span>
static_assert(sizeof(std::span<int>) == 16 && sizeof(std::span<int, 4>) == 8);
#ifndef _LIBCPP_VERSION
static_assert(alignof(std::array<int, 0>) == 1);
#endif
constexpr float more = FACTOR;
"""


def test_options_and_macros_reach_the_front_end(tmp_path: Path):
    (tmp_path / "factor.h").write_text(SAME_LAYOUT)
    source = SOURCE.replace("* factor", "* (factor * more)")
    options = ("-O2", "-D", "FACTOR=HALF", "-include", "factor.h", "-I", str(tmp_path))
    module = build(source, options=options, defines={"HALF": "0.5f"}, arch="native")
    assert path_of(module, "scale<64>")[0] == "fused"
    out = np.zeros(4, np.float32)
    module.kernel("scale<64>")[1](np.ones(4, np.float32), out, 4, False, 4)
    assert out.tolist() == [2] * 4


HOST_ONLY = """
#include <vector>
struct pair { char tag; REAL value; };
__tile_global__ void second(pair* p, float* out) { *out = static_cast<float>(p[1].value); }
"""


def test_layouts_are_the_host_compilers(tmp_path: Path):
    (tmp_path / "real.h").write_text("typedef long double REAL;")
    options = ("-I", str(tmp_path), "-include", "real.h")
    path, reason = path_of(build(SOURCE + HOST_ONLY, options=options), "second")
    assert path == "by operation" and str(tmp_path / "real.h") in str(reason)


@pytest.mark.parametrize(
    "old, new, kernel, reason",
    [
        ("* factor", "* (factor * __GNUC__)", "scale<64>", "<source>:8: __GNUC__ may"),
        ("total) {", 'total) { asm volatile("");', "count", "<source>:12: asm is unsupported"),
        ("total) {", "total) { if (!total) throw 1;", "count", "<source>:12:.* throw is unsupported"),
    ],
    ids=["compiler", "assembler", "throws"],
)
def test_what_only_the_host_compiler_knows(old: str, new: str, kernel: str, reason: str):
    source = SOURCE.replace(old, new)
    path, said = path_of(build(source), kernel)
    assert path == "by operation" and re.search(reason, str(said))
    with pytest.raises(NotAvailableYet, match=reason):
        build(source, True, kernels=(kernel,))


def test_macros_of_the_build_are_read_like_the_source():
    source = SOURCE + "using real = REAL;"
    path, reason = path_of(build(source, defines={"REAL": "long double"}), "count")
    assert path == "by operation" and "<source>:13: long double" in str(reason)


BROKEN_CLANG = """#!/bin/sh
if [ "$1" = --version ]; then echo "clang version 20.1.0"; exit 0; fi
"""


@pytest.mark.parametrize(
    "does, reason",
    [
        ("echo 'error: of its own' >&2; exit 1", "error: of its own"),
        ("exit 0", "no LLVM IR"),
        ("sleep 60", "takes"),
    ],
    ids=["fails", "writes nothing", "hangs"],
)
def test_no_fault_of_the_clang_fails_a_build(
    does: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    clang = tmp_path / "clang++"
    clang.write_text(BROKEN_CLANG + does)
    clang.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("pycuda_tile.compilers.toolchain.LONGEST", 0.3)
    path, said = path_of(build(), "count")
    assert path == "by operation" and reason in str(said)


def test_errors_are_those_of_the_host_compiler():
    wrong = SOURCE.replace("ct::bid().x", "ct::bidd().x")
    messages = []
    for optimize in (False, "auto", True):
        with pytest.raises(pct.CompileError) as caught:
            build(wrong, optimize, kernels=("scale<64>",))
        messages.append(str(caught.value))
        assert caught.value.__context__ is None, "the front end's attempt would be shown first"
    assert messages[0] == messages[1] == messages[2]
    with pytest.raises(KeyError, match="its kernels are: scale"):
        build().kernel("scales")


def test_insisting():
    only_scale = SOURCE[: SOURCE.index("__device__ int calls")].replace("twice ? x * 2.0f : x", "x")
    module = build(only_scale, True)
    assert path_of(module, "scale<64>") == ("fused", None)
    memory = np.arange(200, dtype=np.float32)
    with pytest.raises(pct.LaunchError, match=r"<source>:9: with these arguments .* arrays overlap"):
        module.kernel("scale<64>")[1](memory[:100], memory[1:101], 1, False, 64)
    module.kernel("scale<64>")[2](memory[:100], memory[:100], 0.5, False, 100)  # in place
    np.testing.assert_array_equal(memory, np.arange(200) * np.where(np.arange(200) < 100, 0.5, 1))
    with pytest.raises(NotAvailableYet, match="<source>:12: it uses a variable"):
        build(SOURCE, True)


def test_arrays_that_overlap():
    results = []
    for optimize in (False, "auto"):
        memory = np.arange(200, dtype=np.float32)
        build(optimize=optimize).kernel("scale<64>")[2](memory[:100], memory[1:101], 0.5, False, 100)
        results.append(memory.tolist())
    assert results[0] == results[1]


def test_a_cached_build_starts_no_process(monkeypatch: pytest.MonkeyPatch, cache_folder: Path):
    def build_all() -> list[object]:
        return [path_of(build(kernels=("scale<64>",)), name) for name in ("scale<64>", "count")]

    def start(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    first = build_all()
    monkeypatch.setattr("subprocess.Popen", start)
    assert build_all() == first


def test_a_clang_that_prints_bytes_for_a_version_is_none(tmp_path: Path):
    clang = tmp_path / "clang++"
    clang.write_text("#!/bin/sh\nprintf '\\377\\376\\200'\n")
    clang.chmod(0o700)
    with pytest.raises(LookupError, match="\ufffd"):
        toolchain._ask_version((str(clang),))


def test_a_clang_takes_effect_when_it_is_installed(monkeypatch: pytest.MonkeyPatch, cache_folder: Path):
    found = toolchain.find_clang

    def missing() -> None:
        raise pct.TargetUnavailable("no clang: install one")

    only_scale = SOURCE[: SOURCE.index("__device__ int calls")]
    monkeypatch.setattr(toolchain, "find_clang", missing)
    assert path_of(build(only_scale), "scale<64>") == ("by operation", "no clang: install one")
    with pytest.raises(pct.TargetUnavailable, match="no clang: install one"):
        build(only_scale, True)
    monkeypatch.setattr(toolchain, "find_clang", found)
    assert path_of(build(only_scale), "scale<64>")[0] == "fused"


def test_no_fault_of_a_pass_fails_a_build(monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("pycuda_tile.tileir.loops.translate.split", fail)
    path, reason = path_of(build(cache=False), "scale<64>")
    assert path == "by operation" and "ZeroDivisionError: a fault" in str(reason)
    monkeypatch.undo()
    monkeypatch.setattr("pycuda_tile.tileir.cxx.kernels.record", fail)
    path, reason = path_of(build(cache=False), "scale<64>")
    assert path == "by operation" and "ZeroDivisionError: a fault" in str(reason)


def test_what_is_missing_only_now_is_no_reason_for_later(monkeypatch: pytest.MonkeyPatch, cache_folder: Path):
    only_scale = SOURCE[: SOURCE.index("__device__ int calls")]
    with monkeypatch.context() as now:
        now.setitem(sys.modules, "pycuda_tile.tileir.loops", None)
        path, reason = path_of(build(only_scale), "scale<64>")
    assert path == "by operation" and "ModuleNotFoundError" in str(reason)
    assert path_of(build(only_scale), "scale<64>")[0] == "fused"


def test_loops_that_do_not_compile(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pycuda_tile.tileir.loops.fuse", wrong_text)
    path, reason = path_of(build(cache=False), "scale<64>")
    assert path == "by operation" and "does not compile its loops" in str(reason)


def test_loops_of_tile_ir_that_do_not_compile(monkeypatch: pytest.MonkeyPatch):
    module = tileir.from_cpp(SOURCE, kernels=("scale<64>",))
    monkeypatch.setattr("pycuda_tile.tileir.lower.build.fuse", wrong_text)
    kernel = tileir.build(module).kernel("scale<64>")
    assert "does not compile its loops" in str(kernel.attributes["reason"])
    with pytest.raises(NotAvailableYet, match="does not compile its loops"):
        tileir.build(module, optimize=True)


def wrong_text(module: object, **_: object) -> tuple[str, list, dict]:
    return "this is no C++", [], {"scale": {"path": "fused"}}


def test_optimize_is_checked():
    for wrong in ("fast", None, 1):
        with pytest.raises(BuildValueError, match='optimize must be True, False or "auto"'):
            build(optimize=wrong)
    with pytest.raises(BuildValueError, match="the target emulated"):
        pct.build(SOURCE, target="emulated", optimize=True)


FAULT = """
import sys
from pathlib import Path
import numpy as np, pycuda_tile as pct
path = Path(sys.argv[1])
for source in (path, path.read_text()):
    kernel = pct.build(source, target="cpu", optimize="auto").kernel("scale<64>")
    assert kernel.attributes["path"] == "fused"
    out = np.zeros(4, np.float32)
    try:
        kernel[1](pct.ptr(out, 1 << 45), out, 1, False, 4)
    except pct.LaunchError as error:
        print(error)
"""


def test_a_fault_names_the_line(tmp_path: Path):
    path = tmp_path / "scale.cu"
    path.write_text(SOURCE)
    done = subprocess.run(
        [sys.executable, "-c", FAULT, str(path)], capture_output=True, text=True, check=True
    )
    for name in (str(path), "<source>"):
        assert f"\n  {name}:8\n    8 | auto x = from.load_masked(i) * factor;\n" in done.stdout


def test_a_full_cache_is_no_reason(monkeypatch: pytest.MonkeyPatch, cache_folder: Path):
    compile_loops, calls = compiling.build_library, []

    def build_library(*arguments: object) -> object:
        calls.append(arguments)
        if len(calls) == 1:
            raise pct.CompileError("no", log="ld: final link failed: No space left on device")
        return compile_loops(*arguments)

    monkeypatch.setattr(compiling, "build_library", build_library)
    assert path_of(build(SOURCE[: SOURCE.index("__device__ int calls")]), "scale<64>")[0] == "fused"
