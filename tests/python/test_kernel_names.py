"""The names under which kernels are requested, and the errors for names that no kernel has."""

import re
import sys

import numpy as np
import pytest
from template_source import HEAD, TEMPLATE, run

import pycuda_tile as pct
from pycuda_tile.frontend.kernel_names import normalized
from pycuda_tile.targets.target import Target


def test_templates_are_instantiated_by_name(host_target):
    module = host_target.build(TEMPLATE)
    fours = module.kernel("ns::fill<float>")
    assert run(fours, np.float32, 5, 2.5).tolist() == [2.5] * 4 + [0]
    eights = module.kernel("ns::fill< int,8 >")
    assert run(eights, np.int32, 9, 3).tolist() == [3] * 8 + [0]
    assert module.kernel("ns::fill<int, 8>") is eights
    assert module.binary == eights.binary


def test_kernels_to_instantiate_at_once(host_target, monkeypatch):
    module = host_target.build(TEMPLATE, kernels=("ns::fill<float, 8>", "ns::fill<int>"))
    monkeypatch.setattr(Target, "compile", None)
    assert run(module["ns::fill<int>"], np.int32, 4, 1).tolist() == [1] * 4


def test_kernel_that_does_not_exist(any_target):
    module = any_target.build(TEMPLATE)
    for name in ("nosuch", "ns::nosuch<float>", "fill_", "nosuch<3>"):
        with pytest.raises(KeyError, match="ns::fill, plain") as caught:
            module.kernel(name)
        assert isinstance(caught.value, pct.Error)
    with pytest.raises(pct.Error, match="typename T, int N"):
        module["ns::fill"]


def test_kernels_to_instantiate_that_do_not_exist(any_target):
    """Just as if they were requested later."""
    for name, words in (("nosuch", "nosuch.*ns::fill, plain"), ("ns::fill", "typename T, int N")):
        with pytest.raises(KeyError, match=words) as caught:
            any_target.build(TEMPLATE, kernels=["plain", name])
        assert isinstance(caught.value, pct.Error)
    assert any_target.build(TEMPLATE, kernels=["ns::fill<float,\n  8>"])["ns::fill<float, 8>"].binary


@pytest.mark.parametrize("name", ["", " \n", "k\0", "\ud800"])
def test_what_can_be_no_name(host_target, name: str):
    module = host_target.build(TEMPLATE)
    with pytest.raises(KeyError, match="not the name of a kernel"):
        module[name]
    with pytest.raises(pct.Error):
        host_target.build(TEMPLATE, kernels=[name])
    with pytest.raises(pct.Error, match="the name of a kernel must be a str, got list"):
        module[[name]]


NAMES = ["k", "::a::k", "größe", "k$1", "A<int>::k<3>", "k(int*)", "k<int>(A<int>*, int (*)(int))"]
ARGUMENTS = ["','", "'>'", "'\"'", r"'\''", "1'000", "1'000,1'000", '"x("', "sizeof(int)", "(1>2)", "1<<3"]
ARGUMENTS += ["[]()->int{return 3;}()", "A<B<int>>", "a<=b", "5>=3", "-1", "int&&", "int[3]", "struct S"]
NO_NAMES = ["a::", "::", "<>", "k<>>", "k<int", "k<1>2>", "k<3>x", "k<3>;k<4>", "k;", "k)", "(k", "(k)"]
NO_NAMES += ["k/*", "k//", "&k", "*k", "1k", "a:k", "k{}", "k()()", "#k", '";}', "k'", 'k<">', "k int"]


@pytest.mark.parametrize("name", [*NAMES, *(f"k<{argument}>" for argument in ARGUMENTS)])
def test_names_as_they_may_be(name: str):
    assert normalized(f" {name}\n") == normalized(name)


@pytest.mark.parametrize("name", NO_NAMES)
def test_names_as_none_is(name: str):
    """Without a compiler, whose errors would be about our own files."""
    with pytest.raises(KeyError, match="is not the name of a kernel: expected a name such as"):
        normalized(name)


@pytest.mark.parametrize(
    "name", ["ns::fill<>", "ns::fill<3>", "ns::fill<int,>", "ns::fill<nosuch>", "plain(double*)", "ns"]
)
def test_names_that_fit_no_kernel(any_target, name: str):
    with pytest.raises(pct.CompileError) as caught:
        any_target.build(TEMPLATE)[name]
    (diagnostic,) = caught.value.diagnostics
    assert f"in the kernel name: {name}" in str(caught.value) and diagnostic.file == "<source>"
    assert not re.search("describe|signature|entry|cuda_tile", str(caught.value))


def test_kernel_made_by_a_macro(host_target, monkeypatch):
    """Without libclang it is not listed, but it is found by its name."""
    monkeypatch.setitem(sys.modules, "clang", None)
    monkeypatch.setattr("pycuda_tile.frontend.clang.load", lambda: None)
    source = (
        HEAD + "#define KERNEL(name) __tile_global__ void name(int* out) { out[0] = 3; }\nKERNEL(hidden)\n"
    )
    module = host_target.build(source)
    assert module.kernels == [] and run(module["hidden"])[0] == 3


@pytest.mark.parametrize("header", ["", "#include <cmath>\n"])
def test_kernels_called_as_functions_of_c(any_target, header: str):
    """Names that CUDA declares in every source, and the host's headers in some."""
    if header and any_target.name in ("simt", "tile"):
        pytest.skip("NVRTC has no headers of C++ by itself")
    names = ["exp", "abs", "printf", "malloc", "fma"]
    kernels = [f"__tile_global__ void {name}(int* out) {{ out[0] = {i}; }}\n" for i, name in enumerate(names)]
    module = any_target.build(header + HEAD + "".join(kernels))
    for i, name in enumerate(names):
        assert module[name].binary and len(module[name].parameters) == 1
        if any_target.name == "cpu":
            assert run(module[name])[0] == i


def test_overloads_are_told_apart_from_unknown_names(host_target):
    source = HEAD + "__tile_global__ void k(int* x) {}\n__tile_global__ void k(float* x) {}\n"
    with pytest.raises(pct.Error, match="overloaded"):
        host_target.build(source)["k"]


def test_a_template_and_a_function_of_one_name(any_target):
    source = (
        HEAD
        + """
    template <typename T> __tile_global__ void k(int* x, T) { x[0] = 1; }
    template <typename T = float> __tile_global__ void k(int* x) { x[0] = 2; }
    __tile_global__ void k(int* x) { x[0] = 3; }
    """
    )
    module = any_target.build(source)
    with pytest.raises(KeyError, match=r"overloaded.*: k\(int\*\)$"):
        module["k"]
    names = ["k<int>(int*, int)", "k<int>(int*)", "k(int*)"]
    kernels = [module[name] for name in names]
    assert [len(kernel.parameters) for kernel in kernels] == [2, 1, 1]
    if any_target.name == "cpu":
        assert [
            run(kernel, np.int32, 1, *more)[0] for kernel, more in zip(kernels, ([0], [], []), strict=True)
        ] == [1, 2, 3]


def test_template_arguments_that_all_have_defaults(any_target):
    source = HEAD + "template <int N = 3> __tile_global__ void k(int* x) { x[0] = N; }\n"
    for module in (any_target.build(source), any_target.build(source, kernels=["k"])):
        assert all(module[name].binary for name in ("k", "k<>", "::k"))
        assert any_target.name != "cpu" or run(module["k"])[0] == 3


def test_template_arguments_for_what_is_no_template(any_target):
    module = any_target.build(HEAD + "namespace ns { __tile_global__ void k(int* x) {} }\n")
    with pytest.raises(KeyError, match=r"ns::k is not a template.* ns::k<float,4>"):
        module.kernel("ns::k<float, 4>")


def test_parameters_of_type_auto_make_a_template(any_target):
    source = HEAD + "template <int N> __tile_global__ void k(auto* x, const auto y) { x[0] = N + y; }\n"
    module = any_target.build(source + "__tile_global__ void plain(int* x) { x[0] = 7; }\n")
    with pytest.raises(KeyError, match=r"name must include the template's arguments: k<int N, auto, auto>"):
        module["k"]
    kernel = module["k<3, float, int>"]
    assert [p.cxx_type for p in kernel.parameters] == ["float*", "int"] and kernel.parameters[1].name == "y"
    if any_target.name == "cpu":
        assert run(kernel, np.float32, 1, 2)[0] == 5


def test_inline_namespaces_may_be_left_out(any_target):
    source = "namespace a { inline namespace v1 { __tile_global__ void k(int* x) { x[0] = 1; } } }"
    module = any_target.build(HEAD + source)
    for name in ("a::k", "a::v1::k"):
        assert name in module and module[name].parameters[0].name == "x"
    assert "v1::k" not in module


def test_overloads_are_named_by_their_parameters(any_target):
    source = (
        HEAD
        + """
    namespace a {
    __tile_global__ void k(int* x) { x[0] = 1; }
    __tile_global__ void k(float* x, const int* n) { x[0] = n[0]; }
    template <int N> __tile_global__ void k(short* x) { x[0] = N; }
    }
    """
    )
    module = any_target.build(source)
    names = ["a::k(int*)", "a::k( float *, const int * )", "::a::k<3>(short*)"]
    kernels = [module.kernel(name) for name in names]
    assert [[p.cxx_type for p in kernel.parameters] for kernel in kernels] == [
        ["int*"],
        ["float*", "const int*"],
        ["short*"],
    ]
    assert [p.name for p in kernels[1].parameters] == ["x", "n"] and kernels[0].binary
    with pytest.raises(KeyError, match=re.escape("a::k(int*), a::k(float*, const int*)")):
        module.kernel("a::k")
    with pytest.raises(pct.Error):
        module.kernel("a::k(double*)")
    if any_target.name == "cpu":
        x = np.zeros(1, np.float32)
        kernels[1][1](x, np.array([7], np.int32))
        assert x[0] == 7
