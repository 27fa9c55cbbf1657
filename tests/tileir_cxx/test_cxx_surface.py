"""from_cpp(): names, views and tokens, lines of the source, errors."""

from __future__ import annotations

import numpy as np
import pytest
from open_front_end import module

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.errors import KernelNotFound, NotAvailableYet
from pycuda_tile.tileir.cxx.names import recorded_call
from pycuda_tile.tileir.cxx.translate import Translator
from pycuda_tile.tileir.ir import Pointer, Scalar, Tile, walk
from pycuda_tile.tileir.locations import source_line

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;

__tile_global__ void copy(float const* __restrict__ x, float* __restrict__ y, int n) {
  ct::partition_view in{ct::tensor_span{x, ct::extents{n}}, ct::shape<8>{}};
  ct::partition_view out{ct::tensor_span{y, ct::extents{n}}, ct::shape<8>{}};
  for (int i = 0; i < n / 8; ++i)
    out.store(in.load(i), i);
}
__tile_global__ void may_alias(float* x, float* y) {
  y[0] = x[0];
  y[1] = x[1];
}
extern "C" __tile_global__ void plain(int* y) { y[0] = 1; }
template <typename T> __tile_global__ void set(T* y) { y[0] = 2; }
namespace ns {
using number = short;
__tile_global__ void overloaded(number* y) { y[0] = 3; }
__tile_global__ void overloaded(float* y) { y[0] = 4; }
} // namespace ns
"""
NO_OPERATION = SOURCE + "__tile_global__ void gamma_function(float* y) {\n  y[0] = tgammaf(y[1]);\n}\n"


def operations(made: tileir.Module, name: str):
    return [op for op in walk(made.entries[0].body) if op.name == name]


def test_entries_have_the_names_that_symbols_have():
    made = module(SOURCE)
    overloads = ["_ZN2ns10overloadedEPs", "_ZN2ns10overloadedEPf"]
    assert [entry.name for entry in made.entries] == [
        "_Z4copyPKfPfi",
        "_Z9may_aliasPfS_",
        "plain",
        *overloads,
    ]
    assert [entry.expression for entry in made.entries[3:]] == [
        "ns::overloaded(number*)",
        "ns::overloaded(float*)",
    ]
    some = module(SOURCE, "set<int>", "ns::overloaded(number*)").entries
    assert [entry.name for entry in some] == ["_Z3setIiEvPT_", overloads[0]]
    same = module(SOURCE, "set<unsigned>", "set<unsigned int>").entries
    assert [entry.name for entry in same] == ["_Z3setIjEvPT_"]


NAMED = """
#include "cuda_tile.h"
namespace ns { template <typename T = int, int N = 1> __tile_global__ void set(T* y) { y[0] = N; } }
"""


@pytest.mark.parametrize("built", [False, True])
def test_kernels_are_found_by_their_name_expressions(built: bool):
    try:
        made = tileir.from_cpp(NAMED, kernels=("ns::set", "::ns::set<int, 2>"))
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    kernels = tileir.build(made, options=("-O1",)) if built else None
    found = []
    for name in ("ns::set", "ns::set<>", " ::ns::set< int,2 >", made.entries[1].name):
        y = np.zeros(1, np.int32)
        if kernels is not None:
            kernels[name][1](y)
        else:
            tileir.interpret(made, name, 1, y)
        found.append(int(y[0]))
    assert found == [1, 1, 2, 2]
    with pytest.raises(KernelNotFound):
        kernels["ns::set<int, 3>"] if built else tileir.interpret(made, "ns::set<int, 3>", 1, y)


INLINE = """
#include "cuda_tile.h"
namespace ns { inline namespace v1 {
__tile_global__ void three(int* y) { y[0] = 3; }
template <int N> __tile_global__ void set(int* y) { y[0] = N; }
} namespace v2 { __tile_global__ void three(int* y) { y[0] = 4; } } }
namespace nested::inline v3::deep { __tile_global__ void five(int* y) { y[0] = 5; } }
"""
IN_INLINE_NAMESPACES = {
    **{"ns::three": 3, "ns::v1::three": 3, "ns::v2::three": 4, "nested::deep::five": 5},
    **{"ns::set<6>": 6, "ns::v1::set<6>": 6, "ns::v1::set<7>": 7, "ns::set<7>": 7},
}


@pytest.mark.parametrize("built", [False, True])
def test_names_may_leave_out_inline_namespaces(built: bool):
    instances = module(INLINE, "ns::set<6>", "::ns::v1::set<6>", "ns::v1::set<7>")
    plain = module(INLINE)
    kernels = [tileir.build(made, options=("-O0",)) if built else None for made in (instances, plain)]
    found = {}
    for name in IN_INLINE_NAMESPACES:
        y = np.zeros(1, np.int32)
        if built:
            kernels["set" not in name][name][1](y)
        else:
            tileir.interpret(instances if "set" in name else plain, name, 1, y)
        found[name] = y[0]
    assert found == IN_INLINE_NAMESPACES
    with pytest.raises(KernelNotFound):
        tileir.interpret(plain, "nested::five", 1, np.zeros(1, np.int32))


def test_views_stand_before_the_loop_and_need_no_tokens():
    made = module(SOURCE, "copy")
    names = [op.name for op in made.entries[0].body.ops]
    assert names.index("make_partition_view") < names.index("for")
    assert "token" not in operations(made, "load_view_tko")[0].operands


def test_accesses_that_may_alias_are_in_program_order():
    made = module(SOURCE, "may_alias")
    first, second = operations(made, "load_ptr_tko")
    assert "token" not in first.operands and "token" in second.operands
    assert all("token" in store.operands for store in operations(made, "store_ptr_tko"))


def test_operations_say_the_users_lines():
    made = module(SOURCE, "copy")
    lines = SOURCE.splitlines()
    assert "in.load" in lines[source_line(operations(made, "load_view_tko")[0].location) - 1]
    assert "for (int i" in lines[source_line(operations(made, "for")[0].location) - 1]


def test_what_has_no_translation_says_where():
    with pytest.raises(NotAvailableYet, match=r"<source>:\d+: gamma_function: .*tgammaf"):
        module(NO_OPERATION, "gamma_function")


def test_the_kernels_that_have_a_translation_are_named():
    source = NO_OPERATION + "__tile_global__ void other(double* y) { *y = tgamma(*y); }\n"
    with pytest.raises(NotAvailableYet) as caught:
        module(source)
    first, second, others = str(caught.value).splitlines()
    assert "gamma_function: " in first and "other: " in second
    assert others.endswith(
        ': kernels=("copy", "may_alias", "plain", "ns::overloaded(number*)", "ns::overloaded(float*)")'
    )
    assert len(module(source, "copy", "may_alias", "plain").entries) == 3


def test_enumerations_are_numbers():
    source = "enum class kind : short { a, b };\n__tile_global__ void k(kind x, kind* y) { *y = x; }\n"
    y = np.zeros(1, np.int16)
    tileir.interpret(module(SOURCE + source, "k"), "k", 1, -3, y)
    assert y[0] == -3


@pytest.mark.parametrize(
    "body, words",
    [
        ("tile t = ct::iota<tile>() + 1; *y = reinterpret_cast<int&>(t);", "bytes are read"),
        ("ct::store(y + ct::iota<tile>(), *reinterpret_cast<tile*>(y));", "in memory"),
        ("tile t = ct::iota<tile>(); *reinterpret_cast<tile*>(y) = t;", "in memory"),
        ("*y = ct::sum<0>(*reinterpret_cast<tile*>(y));", "in memory"),
    ],
)
def test_the_memory_of_a_tile_is_not_that_of_numbers(body: str, words: str):
    head = SOURCE + "using tile = ct::tile<long long, ct::shape<4>>;\n"
    with pytest.raises(NotAvailableYet, match=f"of a tile.*{words}"):
        module(f"{head}__tile_global__ void k(long long* y) {{ {body} }}\n", "k")


def test_a_fault_of_the_translator_says_where(monkeypatch):
    monkeypatch.setattr(Translator, "call_store_view", lambda *arguments: {}["missing"])
    with pytest.raises(
        NotAvailableYet, match=r"<source>:\d+: copy: .*fault in the translator \(KeyError: 'missing'\)"
    ):
        module(SOURCE, "copy")


def test_a_wrong_program_is_a_compile_error():
    wrong = SOURCE.replace("y[1] = x[1];", "y[1] = nothing;")
    with pytest.raises(pct.CompileError) as caught:
        module(wrong)
    assert [d.line for d in caught.value.diagnostics if d.severity == "error"] == [
        wrong[: wrong.find("nothing")].count("\n") + 1
    ]


def test_kernels_that_are_not_there():
    with pytest.raises(KernelNotFound, match="'missing'"):
        module(SOURCE, "missing")
    with pytest.raises(KernelNotFound, match="only kernels that are templates"):
        module("template <typename T> __tile_global__ void k(T*) {}")


_NEWER = (
    '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
    "__tile_global__ void k(unsigned* p) { *p = ct::strides{3}.stride(0); }"
)


def test_versions_of_the_api():
    with pytest.raises(pct.Error, match="13"):
        module(SOURCE, api="12.0")
    with pytest.raises(pct.CompileError, match="strides"):
        module(_NEWER, api="13.3")
    assert module(_NEWER, api="13.4").entries


def test_bits_of_tf32():
    """Until 13.4 they are 32; Tile IR has no bitcast of them."""
    source = """#include <cuda_tf32.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void k(float* p, unsigned* q) {
  auto i = ct::reshape<ct::shape<2, 2>>(ct::iota<ct::tile<int, ct::shape<4>>>());
  auto x = ct::element_bitcast<__nv_tf32>(ct::load(p + i));
  ct::store(q + i, ct::element_bitcast<unsigned>(x));
  ct::store(p + i, ct::element_cast<float>(x) + 1.0f);
}"""
    made = module(source, api="13.4")
    x, bits = np.array([1, -0.5, 0, 2.5], np.float32), np.zeros(4, np.uint32)
    tileir.interpret(made, made.entries[0].name, 1, y := x.copy(), bits)
    assert y.tolist() == (x + 1).tolist() and (bits == x.view(np.uint32)).all()


def test_names_of_calls():
    """Substitutions, packs and negative numbers of mangled names."""
    call = recorded_call(
        "_ZN9cuda_tile6record6effectINS0_9load_viewINS0_4tileIfJLj1ELj1024EEEES3_Li3ELin1ELi0EEEPNS0_5valueEJPKfjEEET0_DpT1_"
    )
    assert (call.is_pure, call.operation, call.arguments[2:]) == (False, "load_view", (3, -1, 0))
    assert call.arguments[0].tile == Tile(Scalar("f32"), (1, 1024))
    pointers = recorded_call(
        "_ZN9cuda_tile6record4pureINS0_7elementINS0_4tileIPK6__halfJLj4EEEEEES6_JEEET0_DpT1_"
    )
    assert pointers.arguments[0].tile == Tile(Pointer(Scalar("f16")), (4,))
    assert recorded_call("_Z3foov") is None


def test_a_source_that_ends_too_early_shows_nothing_of_ours():
    for source in ("garbage", "namespace a {", "__tile_global__ void k(int* p) {}\nint"):
        with pytest.raises(pct.CompileError) as caught:
            tileir.from_cpp(source)
        assert {found.file for found in caught.value.diagnostics} == {"<source>"}
