"""CompileError: the message shows the user's file, line and code, and the requirement, in at most 15
lines."""

import os
import pickle
import re
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers.toolchain import Compiler, find_compiler
from pycuda_tile.diagnostics.compiler_log import compile_error, parse
from pycuda_tile.diagnostics.places import Places

HEAD = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
LIBRARY = "/lib/include"


def failing(target, source, **arguments) -> pct.CompileError:
    with pytest.raises(pct.CompileError) as caught:
        target.build(source, **arguments)
    assert len(str(caught.value).splitlines()) <= 15
    return caught.value


def failing_statement(target, statement: str) -> pct.CompileError:
    """The error of a statement in a kernel with a tile i and an array x of int."""
    body = f"  auto i = ct::iota<ct::tile<int, ct::shape<8>>>();\n  {statement};\n"
    return failing(target, HEAD + f"__tile_global__ void k(int* x) {{\n{body}}}\n")


def skip_if_terse(target) -> None:
    """NVRTC 12 gives no columns (12.0) and does not say which concept failed."""
    from pycuda_tile.compilers import nvrtc

    if target.name == "simt":
        try:
            version = nvrtc.version("")
        except pct.TargetUnavailable as error:
            pytest.skip(str(error))
        if version < (13, 0):
            pytest.skip("NVRTC 12 says less")


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("ct::atomic_add(x + i, i)", "'Order'"),
        ("ct::store(x + i, ct::select(i < 3, i, 0))", "deduced conflicting types"),
        ("ct::sum(i)", "'D'"),
        ("ct::sum(i, 0)", "integral_constant"),
    ],
)
def test_why_an_argument_list_does_not_match(host_target, call: str, reason: str):
    error = failing_statement(host_target, call)
    assert reason in str(error)


def test_kernel_that_returns_something(any_target):
    source = HEAD + "namespace a {\n__tile_global__ int k(int* x) { return 1; }\n}\n"
    for kernels in ((), ("a::k",)):
        error = failing(any_target, source, kernels=kernels)
        first = str(error).splitlines()[0]
        assert first.startswith("<source>:4:") and re.search("returns void|void return type", first)
        assert [d.line for d in error.diagnostics if d.severity == "error"] == [4]


@pytest.mark.parametrize("place", ["argument", "source"])
@pytest.mark.parametrize("name", ["cpu", "simt"])
def test_macro_that_breaks_the_headers(make_target, name: str, place: str):
    source, defines = HEAD + "__tile_global__ void k(int* x) { x[0] = N; }\n", {"N": 8}
    if place == "source":
        source, defines = "#define N 8\n" + source, {}
    error = failing(make_target(name), source, kernels=["k"], defines=defines)
    assert "a macro whose name is one capital letter" in str(error).splitlines()[0]
    assert str(error).count("error: ") == 1  # and nothing of what follows from it


def test_macro_below_the_headers(any_target):
    source = HEAD + "#define N 8\n__tile_global__ void k(int* x) { x[0] = N; }\n"
    any_target.build(source, kernels=["k"])


def test_all_capital_letters_that_the_headers_use_are_refused_as_macros():
    include = Path(__file__).resolve().parents[2] / "include"
    names, used = (include / "cuda_tile.h").read_text(), set()
    for header in include.rglob("*"):
        if header.is_file():
            code = re.sub(r'//.*|"[^"\n]*"', "", header.read_text(encoding="utf-8"))
            used |= set(re.findall(r"(?<![\w'])[A-Z](?!\w)", code))
    assert used == set(re.findall(r"defined\(([A-Z])\)", names))


def test_syntax_error(any_target):
    error = failing(any_target, HEAD + "__tile_global__ void k(float* x) {\n  x[0] = 1.0f +;\n}\n")
    assert "<source>:4" in str(error)
    assert "    4 |   x[0] = 1.0f +;" in str(error)
    diagnostic = error.diagnostics[0]
    assert (diagnostic.file, diagnostic.line, diagnostic.severity) == ("<source>", 4, "error")
    assert diagnostic.message in error.log


def test_column_and_caret(any_target):
    skip_if_terse(any_target)
    error = failing(any_target, HEAD + "__tile_global__ void k(float* x) {\n\tx[0] = nosuch;\n}\n")
    assert error.diagnostics[0].column == 9
    assert "      | \t       ^" in str(error).splitlines()


def test_path_of_the_users_file(any_target, tmp_path: Path):
    path = tmp_path / "my kernel.cu"
    path.write_text(HEAD + "__tile_global__ void k(float* x) {\n  nosuch();\n}\n")
    error = failing(any_target, path)
    assert (error.diagnostics[0].file, error.diagnostics[0].line) == (str(path), 4)
    assert "my kernel.cu:4" in str(error)


def test_error_inside_the_library_is_shown_where_the_user_caused_it(any_target):
    skip_if_terse(any_target)
    body = "template <class T> __tile__ auto twice(T t) { return ct::exp(t); }\n"
    body += "__tile_global__ void k(int* x) {\n"
    body += "  auto a = ct::iota<ct::tile<int, ct::shape<8>>>();\n  auto b = twice(a);\n}\n"
    error = failing(any_target, HEAD + body)
    assert error.diagnostics[0].line == 3
    assert "floating_point_tile" in str(error)
    assert "<source>:3" in str(error)


def test_requirement_of_the_nearest_overload(any_target):
    skip_if_terse(any_target)
    body = "__tile_global__ void k(int* x) {\n  auto a = ct::iota<ct::tile<int, ct::shape<8>>>();\n"
    body += "  auto b = ct::iota<ct::tile<int, ct::shape<16>>>();\n  auto c = a + b;\n}\n"
    message = str(failing(any_target, HEAD + body))
    assert "<source>:6" in message and "auto c = a + b;" in message
    is_clang = any_target.name in ("cpu", "emulated") and find_compiler().kind != "gcc"
    # clang++ before 23 does not check the requirements of the return type.
    assert "broadcast" in message or (is_clang and "template 'arithmetic_tile_conversion_t'" in message)
    assert "shape<8>" in message and "shape<16>" in message


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("element", "header", "use"),
    [
        ("__half", "cuda_fp16.h", "ct::store(out + i, ct::element_cast<float>(ct::load(x + i)))"),
        ("__nv_bfloat16", "cuda_bf16.h", "ct::store(out, ct::element_cast<float>(ct::load(x)))"),
        ("__nv_fp8_e4m3", "cuda_fp8.h", "ct::sum<0>(ct::element_cast<float>(view.load(0)))"),
    ],
)
def test_small_float_without_its_header(any_target, element: str, header: str, use: str):
    """Reported once, next to errors of other lines."""
    body = "auto i = ct::iota<ct::tile<int, ct::shape<8>>>();\n"
    body += "ct::partition_view view{ct::tensor_span{x, ct::extents{n}}, ct::shape<8>{}};\n"
    source = (
        HEAD + f"__tile_global__ void k({element}* x, float* out, int n) {{\n{body}{use};\nnosuch();\n}}\n"
    )
    error = failing(any_target, source, kernels=["k"])
    said = [d.message for d in error.diagnostics if d.severity == "error"]
    assert f"a header is missing: {element} needs #include <{header}>" in said
    assert len(said) == 2 and "nosuch" in "".join(said)
    any_target.build(f"#include <{header}>\n" + source.replace("nosuch();", ""), kernels=["k"])


@pytest.mark.parametrize(
    ("use", "meaning"),
    [
        ("ct::exp(i)", "floating_point_tile: Tiles of floating point scalars. [2.1.2.6]"),
        ("ct::store(x, ct::zeros<ct::tile<int, ct::shape<7>>>())", "lengths are powers of two"),
    ],
)
def test_what_is_required_is_explained(host_target, use: str, meaning: str):
    error = failing_statement(host_target, use)
    assert meaning in str(error)


@pytest.mark.parametrize("alias", ["namespace ct = cuda::tiles;", "using namespace cuda::tiles;", ""])
def test_api_without_cuda_tile_h(any_target, alias: str):
    """Reported once, without the errors that follow from it; the keyword is known without the header."""
    scope = {"namespace": "ct::", "using": ""}.get(alias.partition(" ")[0], "cuda::tiles::")
    source = f"{alias}\n__tile_global__ void k(int* x) {{ x[0] = {scope}bid().x; }}\n"
    error = failing(any_target, source, kernels=["k"])
    errors = [(d.line, d.message) for d in error.diagnostics if d.severity == "error"]
    assert errors == [(1 if alias else 2, 'a header is missing: cuda::tiles needs #include "cuda_tile.h"')]


def test_missing_header(any_target):
    error = failing(any_target, '#include "nosuch.h"\n')
    assert error.diagnostics[0].line == 1 and "nosuch.h" in error.diagnostics[0].message


def test_many_errors_are_cut_but_not_lost(any_target):
    body = "".join(f"  nosuch{i}();\n" for i in range(18))
    error = failing(any_target, HEAD + f"__tile_global__ void k() {{\n{body}}}\n")
    assert "more error" in str(error)
    assert len(error.diagnostics) == 18


def test_wrong_template_arguments_name_the_kernel(any_target):
    source = (
        HEAD
        + 'template <int N> __tile_global__ void k(float* x) { static_assert(N < 8, "N is too large"); }\n'
    )
    module = any_target.build(source, cache=False)
    with pytest.raises(pct.CompileError) as caught:
        module.kernel("k<9>")
    assert "N is too large" in str(caught.value) and "<source>:3" in str(caught.value)
    with pytest.raises(pct.CompileError) as caught:
        module.kernel("k<float>")
    assert "k<float>" in str(caught.value)


def test_compile_error_survives_pickling():
    error = compile_error("k.cu(3): error: bad\n", Places("k.cu", "k.cu", "a\nb\nc\n"))
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.diagnostics, copy.log) == (str(error), error.diagnostics, error.log)


def test_builtin_bases():
    from pycuda_tile import errors

    for name in dir(errors):
        value = getattr(errors, name)
        if isinstance(value, type) and issubclass(value, Exception):
            assert issubclass(value, pct.Error), name


# --- logs of compilers that are not on every machine --------------------------------------------------------

NVRTC_12_0 = """\
/lib/include/x.h(12): error: static assertion failed with "mma: the element type must be float"
          detected during:
            instantiation of "auto ct::inner(T) [with T=double]"
(13): here
            instantiation of "auto ct::outer(T) [with T=double]"
k.cu(3): here
            instantiation of "void k(T *) [with T=double]"

k.cu(5): error: no instance of function template "ct::exp" matches the argument list
            argument types are: (int)

2 errors detected in the compilation of "k.cu".
"""
NVRTC_12_9 = """\
/lib/include/x.h(12): error: static assertion failed with "mma: the element type must be float"
  template <class T> auto inner(T x) { static_assert(sizeof(T) == 4, "..."); }
                                       ^
          detected during:
            instantiation of "auto ct::inner(T) [with T=double]" at line 13
            instantiation of "auto ct::outer(T) [with T=double]" at line 3 of k.cu
            instantiation of "void k(T *) [with T=double]"

k.cu(5): error: no instance of function template "ct::exp" matches the argument list
            argument types are: (int)
    x = ct::exp(3);
        ^
"""
GCC = """\
In file included from k.cu:1,
                 from kernels.cpp:1:
/lib/include/x.h: In instantiation of 'auto ct::inner(T) [with T = double]':
/lib/include/x.h:13:62:   required from 'auto ct::outer(T) [with T = double]'
k.cu:3:12:   required from 'void k(T*) [with T = double]'
kernels.cpp:3:11:   required from here
/lib/include/x.h:12:73: error: static assertion failed: mma: the element type must be float
   12 | static_assert
      |               ~~~~~~~~~~^~~~
k.cu:5:8: error: no matching function for call to 'exp(int)'
"""
CLANG = """\
In file included from kernels.cpp:1:
/lib/include/x.h:12:63: error: static assertion failed: mma: the element type must be float
   12 | static_assert
/lib/include/x.h:13:57: note: in instantiation of function template specialization 'inner' requested here
k.cu:3:12: note: in instantiation of function template specialization 'ct::outer<double>' requested here
kernels.cpp:3:11: note: in instantiation of function template specialization 'k<double>' requested here
k.cu:5:8: error: no matching function for call to 'exp'
2 errors generated.
"""
TEXT = "1\n2\n  ct::outer(*x);\n4\n  x = ct::exp(3);\n"


@pytest.mark.parametrize(
    "log", [NVRTC_12_0, NVRTC_12_9, GCC, CLANG], ids=["nvrtc-12.0", "nvrtc-12.9", "gcc", "clang"]
)
def test_known_logs(log: str):
    diagnostics = parse(log, Places("k.cu", "k.cu", TEXT, (LIBRARY,), {"kernels.cpp": ""}))
    assert [(d.file, d.line, d.severity) for d in diagnostics] == [("k.cu", 3, "error"), ("k.cu", 5, "error")]
    assert "mma: the element type must be float" in diagnostics[0].message
    assert "exp" in diagnostics[1].message


@pytest.mark.parametrize(
    "text", ["namespace a {", "__tile_global__ void k(int* x) {\n  if (*x) {", 'extern "C" {', "int x = 3 +"]
)
def test_source_that_ends_too_early(any_target, text: str):
    """Errors that follow from it are not reported, since they would be about our own files."""
    with pytest.raises(pct.CompileError, match="end") as caught:
        any_target.build(f'#include "cuda_tile.h"\n{text}\n')
    assert {diagnostic.file for diagnostic in caught.value.diagnostics} == {"<source>"}
    assert any_target.name != "cpu" or len(caught.value.diagnostics) == 1
    assert ".h" not in str(caught.value) and ".cpp" not in str(caught.value)


def test_unknown_log_is_shown_as_it_is():
    error = compile_error("something\nnobody expected\n", Places("k.cu", "k.cu", ""))
    assert "nobody expected" in str(error) and error.diagnostics == []
    assert "printed nothing" in str(compile_error("", Places("k.cu", "k.cu", "")))


@pytest.mark.parametrize(
    "line", ["/usr/bin/ld: cannot find -lx", "collect2: error: ld returned 1 exit status"]
)
def test_linker_errors_are_not_lost(line: str):
    error = compile_error(line + "\n", Places("k.cu", "k.cu", ""))
    assert line.split(":")[-1].strip() in str(error)


def test_short_path_is_relative_only_where_shorter(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = str(tmp_path / "k.cu")
    assert str(compile_error(f"{path}:1:1: error: x\n", Places(path, path, "a"))).startswith("k.cu:1:1")
    assert os.path.isabs(
        compile_error(f"{path}:1:1: error: x\n", Places(path, path, "a")).diagnostics[0].file
    )


def test_gcc_is_asked_for_messages_that_are_not_nested():
    flag = "-fno-diagnostics-show-nesting"  # older versions do not know this flag
    newer, older = (Compiler(("g++",), "gcc", version, "") for version in ("16.1.0", "15.2.0"))
    assert flag in newer.flags and flag not in older.flags


def test_lines_may_be_those_of_a_file_that_does_not_exist(tmp_path):
    source, other = tmp_path / "made.cu", tmp_path / "other.cu"
    kernel = "__tile_global__ void k(int* out) { *out = undeclared; }"
    source.write_text(f'#include "cuda_tile.h"\n#line 10 "{other}"\n{kernel}\n')
    with pytest.raises(pct.CompileError, match=r"other\.cu:10:.*undeclared"):
        pct.build(source, target="cpu")
