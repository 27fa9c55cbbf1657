"""What tile code must not have: refused with its line, and only where a kernel has it."""

from __future__ import annotations

import re

import pytest
from open_front_end import module

import pycuda_tile as pct
from pycuda_tile.frontend.refused import marked, tile_words

HEAD = """#include "cuda_tile.h"
namespace ct = cuda::tiles;
"""
# A comment `//! words` says what the error of its line says. These compile, and the kernels are refused.
TRANSLATED = """
__tile_global__ void k_goto(int* y) { if (y[0]) goto end; y[1] = 2; end: y[2] = 3; }  //! goto is unsupported
#define FAIL goto failed
__tile_global__ void k_goto_of_macro(int* y) {
  if (y[0])
    FAIL;  //! goto is unsupported
  else
    y[1] = 2;
failed:
  y[2] = 3;
}
template <typename T> __tile__ int looped(T n) {
again:
  if (n-- > 10) goto again;  //! goto is unsupported
  return n;
}
__tile_global__ void k_goto_in_template(int* y) { y[0] = looped(y[1]); }
__tile_global__ void k_continue(int* y, int n) {
  for (int i = 0; i < n; ++i) {
    switch (y[i]) {
      case 1: if (n > 4) { continue; } break;  //! continue in a switch
      case 3: [[likely]] continue;  //! continue in a switch
      case 2: for (auto j : ct::irange(0, n)) { if (j == 3) continue; y[j] = 1; }
      default: y[i] += 1;
    }
    if (y[i] == 7) continue;
    y[i] += 2;
  }
}
__tile_global__ void k_case(int* y, int n) {
  switch (n) {
    case 0: { y[0] = 1; case 1: y[1] = 1; }
    case 2: if (y[5]) { y[2] = 2; case 3: y[3] = 3; }  //! a case label in an if or a loop
  }
}
struct point { int x, y; };
__tile_global__ void k_object(int* y, point p) { y[0] = p.x; }  //! argument 2 'p' (a type of 8 bytes)
__tile__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
__tile_global__ void k_recursion(int* y) { y[0] = f(y[1]); }  //! recursion is unsupported in tile code: f(in
__tile__ int down(int n, int sum) { return n ? down(n - 1, sum + n) : sum; }
__tile_global__ void k_tail(int* y) { y[0] = down(y[1], 0); }  //! recursion is unsupported
struct base { __tile__ virtual int value() const { return 1; } };
struct derived : base { __tile__ int value() const override { return 2; } };  //! a virtual function
__tile_global__ void k_virtual(int* y) { derived d; base const& b = d; y[0] = b.value(); }
__tile__ int one(int n) { return n + 1; }
__tile__ int two(int n) { return n + 2; }
__tile_global__ void k_pointer(int* y) { int (*g)(int) = y[0] ? one : two; y[1] = g(3); }  //! a pointer
__tile_global__ void k_asm(int* y) { asm volatile("bar.sync 0;"); y[0] = 1; }  //! asm is unsupported
__tile__ int last(int n, ...) { return n; }  //! a variable argument list
__tile_global__ void k_variadic(int* y) { y[0] = last(3, 4); }
__tile_global__ void k_new(int* y) { int* p = new int(3); y[0] = *p; }  //! memory from the heap
__tile_global__ void k_length(int* y, int n) {
  int* p = (int*)__builtin_alloca(4 * n);  //! an array whose length
  for (int i = 0; i < n; ++i) p[i] = i;
  y[0] = p[n - 1];
}
__tile__ int undefined(int);
__tile_global__ void k_undefined(int* y) { y[0] = undefined(3); }  //! undefined(int) is declared
__device__ int of_threads(int n) { return n + 1; }
__tile_global__ void k_device(int* y) { y[0] = of_threads(3); }  //! tile code cannot call a function
__tile_global__ void k_static(int* y) { static int n = y[0]; y[1] = n; }  //! initialized by constants only
__tile__ int at_start() { return 3; }
__device__ int later = at_start() + undefined(2);
__tile_global__ void k_at_start(int* y) { y[0] = later; }  //! later is initialized when the program starts
__tile_global__ void k_wide(long* y) { y[2] = (__int128)y[0] * y[1] >> 64; }  //! 128-bit integers are uns
int of_host = 3;
static int of_file[2]{1, 2}, marked_not = 4;
struct counter { inline static int n = 5; };
__tile__ int sum_of_host() { return of_host + 1; }  //! of_host is a variable of the host
__tile_global__ void k_host(int* y) { y[0] = sum_of_host(); }
__tile_global__ void k_static_host(int* y) { y[0] = of_file[y[1]]; }  //! of_file is a variable of the host
__tile_global__ void k_list(int* y) { y[0] = marked_not; }  //! marked_not is a variable of the host
__tile_global__ void k_member(int* y) { y[0] = counter::n; }  //! counter::n is a variable of the host
__tile_global__ void k_barrier(int* y) { y[0] = 1; __syncthreads(); }  //! no threads to synchronize
"""
# These do not compile.
COMPILED = """
__tile_global__ void k(int* y, int n) {
  y[0] = threadIdx.x;  //! threadIdx: tile code has no threads
  y[1] = blockDim.x * gridDim.y;  //! blockDim: tile code has no threads
  y[2] = warpSize;  //! warpSize: tile code has no threads
  y[3] = __shfl_sync(~0u, n, 0);  //! __shfl_sync: tile code has no threads
  __shared__ int s[4];  //! tile code has no __shared__ variables
  s[0] = n;  //! tile code has no __shared__ variables
  thread_local int t = 3;  //! thread-local storage is unsupported in tile code
  if (n) throw 1;  //! throw is unsupported in tile code
  try { y[4] = 1; } catch (...) { }  //! try is unsupported in tile code
  int run_time[n];  //! variable length arrays are unsupported in tile code
}
struct base { __tile__ virtual int value() const; };
struct derived : base { };
__tile_global__ void casts(int* y, base* b) { y[0] = dynamic_cast<derived*>(b) == b; }  //! dynamic_cast is
__host__ int of_host(int n) { return n; }
__tile_global__ void calls(int* y) { y[0] = of_host(3); }  //! cannot use 'of_host', which is
static_assert(sizeof(int) == 8, "ints are short");  //! ints are short
"""
# Each is as above, but nothing that a kernel reaches.
RIGHT = """
#include <cooperative_groups.h>
#include <thrust/device_vector.h>
template <typename T> __tile__ int discarded(T n) {
  if constexpr (sizeof(T) == 8) { if (n) goto end; n = 2; end:; }
  return n;
}
template <typename T> __tile__ int unused(T n) { again: if (n--) goto again; throw n; }
#define NEVER goto nowhere
void of_host(int n) { if (n) goto end; n = 2; end:; }
__device__ alignas(16) int table[2]{1, 2};
template <typename T> __global__ void typed(T* y) { y[threadIdx.x] = 1; }
template __global__ void typed<float>(float*);
namespace cg = cooperative_groups;
void sorted() { thrust::device_vector<int> v(3); thrust::sort(v.begin(), v.end()); }
__global__ void threads(int* y) { __shared__ int s[4]; s[threadIdx.x] = 1; __syncthreads(); y[0] = s[0]; }
__device__ int counted(int n) {
  again: if (n--) goto again;
  asm volatile("bar.sync 0;");
  return __shfl_sync(~0u, n, 0);
}
template <int N> __tile__ int known(int n) {
  if constexpr (N == 0) return n; else return known<N - 1>(n + 1);
}
__tile__ constexpr int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__tile__ constexpr int odd(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) { switch (i % 2) { case 0: continue; default: sum += i; } sum += 1; }
  return sum;
}
template <typename... T> __tile__ int sum(T... n) { return (n + ... + 0); }
struct pair { int a, b; __tile__ pair(int x) : a{x}, b{x} {} __tile__ int sum() const { return a + b; } };
__device__ __tile__ __host__ int anywhere(int n) { return n + 1; }
#define HELPER __tile__ __forceinline__
HELPER __device__ int helper(int n) { return n + 2; }
#define OF_DEVICE __device__
OF_DEVICE int in_macro = 3;
__constant__ int first[2]{1, 2}, second = 4;
namespace ours { __managed__ int shared = 1; struct s { static __device__ int member; }; }
__device__ int ours::s::member = 3;
int of_host_only = 3;
void changes_it() { of_host_only = sizeof in_macro; }
__tile_global__ void k(int* y, int n) {
  const char* text = "goto end; // continue";
  y[0] = text[n] + discarded(3) + known<3>(n) + sum(1, n, 3) + pair(n).sum() + anywhere(n);
  constexpr int value = odd(6) + factorial(4);
  y[1] = value + helper(n);
  for (int i = 0; i < n; ++i) {
    if (y[i] == 4) continue;
    switch (y[i]) { case 1: y[i] = 2; break; case 3: for (int j = 0; j < 3; ++j) {
      if (j == y[j]) continue;
      y[j] = 1;
    } }
  }
  alignas(8) char place[8];
  int* p = new (place) int(3);
  y[2] = *p + in_macro + second + ours::shared + ours::s::member + sizeof of_host_only;
  static int in_kernel = 3;
  y[3] = in_kernel++;
}
int main() { threads<<<1, 4>>>(nullptr); }
"""


def expected(source: str) -> list[tuple[int, str]]:
    lines = enumerate(source.splitlines(), 1)
    return [(number, found[1]) for number, line in lines if (found := re.search(r"//! (.*)", line))]


@pytest.mark.parametrize("source", [HEAD + TRANSLATED, HEAD + COMPILED], ids=["translated", "compiled"])
def test_what_tile_code_must_not_have(source: str):
    with pytest.raises(pct.CompileError) as caught:
        module(source)
    found = [(d.line, d.message) for d in caught.value.diagnostics if d.severity == "error"]
    for line, words in expected(source):
        assert any(line == where and words in said for where, said in found), (line, words, found)
    lines = {line for line, _ in expected(source)}
    assert [error for error in found if error[0] not in lines] == []
    assert {d.file for d in caught.value.diagnostics} == {"<source>"}


def test_kernels_that_return_something(tmp_path):
    kernel = "namespace a { inline namespace b {\n__tile_global__ int k(int* y) { return *y; }\n} }\n"
    with pytest.raises(pct.CompileError, match=r"^<source>:4: error: a kernel is .* returns void\n.*int k"):
        module(HEAD + kernel)
    (tmp_path / "k.h").write_text("\n" + kernel)
    with pytest.raises(pct.CompileError, match=r"k\.h:3: error: a kernel is a function that"):
        module(HEAD + '#include "k.h"\n', "a::k", include_dirs=[tmp_path])


def test_what_no_kernel_reaches_is_right():
    (entry,) = module(HEAD + RIGHT).entries
    assert entry.name == "_Z1kPii"


def test_a_macro_may_mark_the_variable_that_it_makes():
    source = "#define MAKE(name) __device__ int made_##name = 4\nMAKE(here);\n"
    module(HEAD + source + "__tile_global__ void k(int* y) { y[0] = made_here; }\n")


def test_in_headers(tmp_path):
    (tmp_path / "helpers.h").write_text(
        "__tile__ inline int jump(int n) {\n  if (n) goto end;\n  n = 2;\nend:\n  return n;\n}\n"
    )
    source = tmp_path / "kernel.cu"
    source.write_text(f'{HEAD}#include "helpers.h"\n__tile_global__ void k(int* y) {{ y[0] = jump(3); }}\n')
    with pytest.raises(pct.CompileError, match=r"helpers\.h:2:.*goto is unsupported"):
        module(source)


def test_marks_keep_what_a_statement_is():
    """A mark makes no new `else`, and leaves other texts and lines alone."""
    source = "void f(int n) {\n  if (n)\n    goto end;\n  else\n    n = 2;\nend:;\n}\n"
    text = marked(source)
    assert text.splitlines()[2] == "    switch (::cuda_tile::record::refuse<0>(); 0) default: goto end;"
    assert text.splitlines()[:2] + text.splitlines()[3:] == source.splitlines()[:2] + source.splitlines()[3:]
    for same in ('const char* s = "goto x;"; // goto y', "int gotos = 3;", 'x = R"(goto z;)";'):
        assert marked(same) == same
    between = "switch (n) {\n#if A\n  case 1: if (n) {\n#else\n  {\n#endif\n  continue; } }"
    assert marked(between) == between


def test_words_that_mark_tile_functions():
    text = "#define A __tile__ inline\n#define B(x) A x\n#define C __device__\n"
    assert tile_words([text]) == {"__tile__", "__tile_global__", "A", "B"}


UNUSED = (
    HEAD
    + """
template <typename T> __tile__ int never(T n) {
  return later::value + nothing(n);
}
"""
)
USED = """
namespace later { constexpr int value = 3; }
__tile_global__ void k(int* y) {
  y[0] = never(y[1]);
}
"""


def test_templates_that_are_wrong_and_never_used():
    assert module(UNUSED + USED.replace("never(y[1])", "later::value")).entries
    with pytest.raises(pct.CompileError, match="'later'"):
        module(UNUSED + USED)
    only_alias = UNUSED.replace("nothing(n)", "n")
    with pytest.raises(pct.CompileError, match=r":5:.*'later'"):
        module(only_alias + USED)
