"""printf, assert and cuda_tile::print by the open front end; variables of the source."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest
from open_front_end import module

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.errors import NotAvailableYet
from pycuda_tile.targets.tile.assembling import assemble
from pycuda_tile.tileir.ir import walk

SOURCE = """
#include <cassert>
#include <cstdio>
#include <cuda_fp16.h>
#include "cuda_tile.h"
#include "cuda_tile/print.h"
namespace ct = cuda::tiles;
using i4 = ct::tile<int, ct::shape<4>>;

extern "C" __tile_global__ void numbers(int n, unsigned u, long long l, double d, unsigned char c, bool b) {
  printf("line\\n");
  printf("x");
  printf("%d %u|%5.2f|%-4d|%lld %% ", n, u, d, n, l);
  printf("%c%s%5s%*d %d %d %x\\n", 'a', "bc", "de", 4, n, c, b, u);
  for (int i = 0; i < 2; ++i)
    std::printf("%d,", i);
  if (n > 0)
    printf("%e|%4s|\\n", d, n == 5 ? "five" : "other");
}
extern "C" __tile_global__ void tiles(__half h, float* p) {
  auto t = ct::iota<i4>();
  printf("%d %.1f %g\\n", t, ct::element_cast<float>(t) / 2.0f, h);
  cuda_tile::print("t%", ct::reshape(t, ct::shape<2, 2>{}));
  cuda_tile::print(ct::element_cast<__half>(t) / __half(3));
  cuda_tile::print("m", t > 1);
  cuda_tile::print(2.5);
  cuda_tile::print("u", ct::full<ct::tile<unsigned, ct::shape<1>>>(4000000000u));
}
extern "C" __tile_global__ void asserts(int* y, int n) {
  y[0] = 1;
  assert(n > 3);
  assert((n > 4 && "text, with a comma"));
  y[1] = 1;
}
"""
OUTPUT = "line\nx5 4000000000| 2.50|5   |-7 % abc   de   5 200 1 ee6b2800\n0,1,2.500000e+00|five|\n"
TILES = """[0, 1, 2, 3] [0.0, 0.5, 1.0, 1.5] 1.5
t%: tile<int, shape<2, 2>> in block (0, 0, 0)
[[0 1]
 [2 3]]
tile<__half, shape<4>> in block (0, 0, 0)
[      0 0.33325  0.6665       1]
m: tile<bool, shape<4>> in block (0, 0, 0)
[false false  true  true]
double in block (0, 0, 0)
2.5
u: tile<unsigned, shape<1>> in block (0, 0, 0)
[4000000000]
"""


def printed(made: tileir.Module, name: str, *arguments) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as text:
        tileir.interpret(made, name, 1, *arguments, seed=3)
    return text.getvalue()


def test_printf_and_print():
    """In the order of the program, whatever else is reordered."""
    made = module(SOURCE)
    assert printed(made, "numbers", 5, 4000000000, -7, 2.5, 200, True) == OUTPUT
    assert printed(made, "tiles", np.float16(1.5), np.zeros(1, np.float32)) == TILES


def test_a_failed_assertion_ends_the_run():
    made = module(SOURCE, "asserts")
    y = np.zeros(2, np.int32)
    line = SOURCE[: SOURCE.index("assert(n > 3)")].count("\n") + 1
    with pytest.raises(tileir.AssertionFailed, match=rf"<source>:{line}: n > 3 failed"):
        tileir.interpret(made, "asserts", 1, y, 3)
    with pytest.raises(tileir.AssertionFailed, match="text, with a comma"):
        tileir.interpret(made, "asserts", 1, y, 4)
    assert list(y) == [1, 0]
    tileir.interpret(made, "asserts", 1, y, 5)
    assert list(y) == [1, 1]
    for other in (
        module(SOURCE, "asserts", defines=["NDEBUG"]),
        module("#define NDEBUG\n" + SOURCE, "asserts"),
    ):
        assert not [op for op in walk(other.entries[0].body) if op.name == "assert"]


@pytest.mark.parametrize(
    "statement, error, words",
    [
        ('printf("%d %d", n);', pct.CompileError, "more '%' conversions than data arguments"),
        ('printf(n ? "%d" : "%i", n);', NotAvailableYet, r":3: k: .* the format of printf, .* a literal"),
        ('printf("%*d", n, n);', NotAvailableYet, r":3: k: .*a width"),
    ],
)
def test_what_printf_does_not_take(statement: str, error: type, words: str):
    with pytest.raises(error, match=words):
        module(f"#include <cstdio>\n__tile_global__ void k(int n) {{\n  {statement}\n}}\n")


VARIABLES = """
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "cuda_tile.h"
namespace ct = cuda::tiles;
struct Mixed { char c; double d; short s[3]; bool b; };
__device__ int counter = 5;
__device__ float zeros[100];
__constant__ float table[5] = {1, 2, 3, 4, 5};
constexpr unsigned long long squares[4] = {0, 1, 4, 1ull << 63};
__tile__ Mixed mixed[2] = {{'a', 1.5, {1, -2, 3}, true}, {'b', -2.5, {4, 5, 6}, false}};
__device__ float matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
struct Constants { static constexpr double values[3] = {1.5, 2.5, 3.5}; };
__device__ alignas(64) short aligned[3] = {1, -2, 3};
__device__ bool flags[3] = {true, false, true};
__device__ __half halves[2] = {__half(0.5f), __half(-2.0f)};
__device__ __nv_fp8_e5m2 eighths[2] = {__nv_fp8_e5m2(1.0f), __nv_fp8_e5m2(-4.0f)};
namespace inner { static __device__ int hidden = 7; }

extern "C" __tile_global__ void reads(double* x, int n) {
  x[0] = counter; x[1] = zeros[n]; x[2] = table[n]; x[3] = squares[n + 1]; x[4] = matrix[n / 2][n];
  x[5] = mixed[n / 2].c; x[6] = mixed[n / 2].d; x[7] = mixed[n / 2].s[n]; x[8] = mixed[n / 2].b;
  x[9] = Constants::values[n]; x[10] = aligned[n]; x[11] = flags[n]; x[12] = (float)halves[n / 2];
  x[13] = (float)eighths[n / 2]; x[14] = inner::hidden; x[15] = "text"[n];
}
extern "C" __tile_global__ void counts(int* x) {
  counter += 1;
  mixed[1].s[2] += 1;
  x[0] = counter + mixed[1].s[2];
}
extern "C" __tile_global__ void again(int* x) { x[0] = counter; inner::hidden += 1; }
"""


def test_variables_have_their_bytes():
    made = module(VARIABLES)
    x = np.zeros(16)
    tileir.interpret(made, "reads", 1, x, 2)
    assert list(x) == [5, 0, 3, 2.0**63, 6, 98, -2.5, 6, 0, 3.5, 3, 1, -2, -4, 7, ord("x")]
    found = {item.name: item for item in made.globals}
    assert found["aligned"].alignment == 64 and not found["table"].private
    assert str(found["zeros"].type) == "tile<128xf32>" and found["_ZL7squares"].constant


def test_kernels_share_variables():
    made = module(VARIABLES)
    x = np.zeros(1, np.int32)
    tileir.interpret(made, "counts", 1, x)
    assert x[0] == 6 + 7
    built = tileir.build(made)
    for expected in (6 + 7, 7 + 8):
        built.kernel("counts")[1](x)
        assert x[0] == expected
    built.kernel("again")[1](x)
    assert x[0] == 7


def test_tileiras_takes_the_modules():
    """Names, formats and messages become those of PTX."""
    for source, kernels in ((SOURCE, ()), (VARIABLES, ("reads", "counts"))):
        made = module(source, *kernels)
        try:
            assert assemble(tileir.write_bytecode(made), "sm_90").startswith(b"\x7fELF")
        except pct.TargetUnavailable as error:
            pytest.skip(str(error))


def test_a_variable_without_a_constant_value_is_refused():
    source = "int f(); __device__ int now = f();\n__tile_global__ void k(int* x) {\n  x[0] = now;\n}\n"
    with pytest.raises(pct.CompileError, match=r":3:.*now is initialized when the program starts"):
        module(source)
