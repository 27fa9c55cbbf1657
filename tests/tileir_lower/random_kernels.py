"""A hypothesis strategy for small tile kernels in C++: well typed, defined for every input, exact.

Each takes arrays of SIZE ints, floats, doubles and halves, a number n, and writes COUNT tiles of each of two
arrays, of long long and of double.
"""

from __future__ import annotations

from hypothesis import strategies as st

SHAPE = (8, 16)
SIZE = SHAPE[0] * SHAPE[1]
COUNT = 3
HEAD = """#include <cuda_fp16.h>

#include "cuda_tile.h"

namespace ct = cuda::tiles;
using namespace ct::literals;
using shape = ct::shape<8, 16>;
"""
PARAMETERS = (
    "const int* __restrict__ a, const float* __restrict__ b, const double* __restrict__ c, "
    "const __half* __restrict__ d, long long* __restrict__ whole, double* __restrict__ real, int n"
)
BODY = """  ct::partition_view av{ct::tensor_span{a, ct::extents{8, n + 9}}, shape{}};
  ct::partition_view bv{ct::tensor_span{b, ct::extents{8, 16}}, shape{}};
  auto place = ct::iota<ct::tile<int, ct::shape<128>>>();
  auto at = ct::reshape(place, shape{});
  auto v0 = av.load_masked(0, 0);
  auto v1 = bv.load(0, 0);
  auto v2 = ct::load(c + at);
  auto v3 = ct::load_masked(d + at, at < n * 9, ct::full<ct::tile<__half, shape>>(__half{0.5f}));
  auto v4 = ct::element_cast<unsigned>(v0);
  auto v5 = v4 > 1000u;
"""
FIRST = ["int", "float", "double", "__half", "unsigned", "bool"]

SIGNED = ["signed char", "short", "int", "long long"]
UNSIGNED = ["unsigned char", "unsigned short", "unsigned", "unsigned long long"]
FLOATS = ["__half", "float", "double"]
WIDE = ["unsigned", "unsigned long long"]  # no promotion to int, no undefined overflow
RELATIONS = ["==", "!=", "<", "<=", ">", ">="]


class Draft:
    """A kernel under construction: its lines, and the element type of each tile."""

    def __init__(self, draw):
        self.draw, self.kinds, self.lines = draw, list(FIRST), []

    def one_of(self, choices):
        return self.draw(st.sampled_from(choices))

    def tile(self, kinds) -> tuple[str, str]:
        """One of the latest tiles of these element types, made by a cast if there is none."""
        found = [i for i, kind in enumerate(self.kinds) if kind in kinds]
        if found:
            i = self.one_of(found[-3:])
            return f"v{i}", self.kinds[i]
        kind = self.one_of(kinds)
        return self.let(kind, self.cast(*self.tile(["int", "unsigned"]), kind)), kind

    def let(self, kind: str, expression: str) -> str:
        self.lines.append(f"  auto v{len(self.kinds)} = {expression};")
        self.kinds.append(kind)
        return f"v{len(self.kinds) - 1}"

    def number(self, kind: str) -> str:
        if kind in FLOATS:
            return f"{kind}{{{self.one_of(['0.5f', '-3.0f', '1.25f', '7.0f'])}}}"
        value = self.one_of([1, 2, 3, 7, 100])
        return f"static_cast<{kind}>({value})"

    def cast(self, name: str, kind: str, to: str) -> str:
        if kind in FLOATS and to not in FLOATS:  # within the range of every integer
            least, most = (0, 100) if to in UNSIGNED else (-100, 100)
            name = f"ct::min(ct::max({name}, {kind}{{{least}.0f}}), {kind}{{{most}.0f}})"
        return f"ct::element_cast<{to}>({name})"

    # --- statements ---

    def arithmetic(self) -> None:
        kinds = self.one_of([WIDE, FLOATS])
        x, kind = self.tile(kinds)
        y = self.one_of([self.tile([kind])[0], self.number(kind)])
        operator = self.one_of(["+", "-", "*", "/"] if kind in FLOATS else ["+", "-", "*", "&", "|", "^"])
        self.let(kind, f"{x} {operator} {y}")

    def division(self) -> None:
        x, kind = self.tile(["int", "long long", *WIDE])
        self.let(kind, f"{x} {self.one_of(['/', '%'])} static_cast<{kind}>({self.one_of([2, 3, 7, 1000])})")

    def shift(self) -> None:
        x, kind = self.tile(["int", *WIDE])
        operator = ">>" if kind == "int" else self.one_of(["<<", ">>"])
        self.let(kind, f"{x} {operator} static_cast<{kind}>({self.one_of([0, 1, 5, 31])})")

    def extremum(self) -> None:
        x, kind = self.tile([*SIGNED, *UNSIGNED, *FLOATS])
        y, _ = self.tile([kind])
        if kind in FLOATS:  # which zero is greater is unspecified, so there are no negative zeros
            x, y = f"{x} + {kind}{{0.0f}}", f"{y} + {kind}{{0.0f}}"
        self.let(kind, f"ct::{self.one_of(['min', 'max'])}({x}, {y})")

    def compare(self) -> None:
        x, kind = self.tile([*SIGNED, *UNSIGNED, *FLOATS])
        y = self.one_of([self.tile([kind])[0], self.number(kind)])
        self.let("bool", f"{x} {self.one_of(RELATIONS)} {y}")

    def choose(self) -> None:
        condition, _ = self.tile(["bool"])
        x, kind = self.tile([*SIGNED, *UNSIGNED, *FLOATS])
        self.let(kind, f"ct::select({condition}, {x}, {self.tile([kind])[0]})")

    def convert(self) -> None:
        x, kind = self.tile([*SIGNED, *UNSIGNED, *FLOATS, "bool"])
        to = self.one_of([k for k in [*SIGNED, *UNSIGNED, *FLOATS] if k != kind])
        self.let(to, self.cast(x, kind, to))

    def unary(self) -> None:
        x, kind = self.tile(["float", "double"])
        self.let(kind, f"ct::{self.one_of(['abs', 'sqrt', 'floor', 'ceil'])}({x})")

    def move(self) -> None:
        x, kind = self.tile([*SIGNED, *UNSIGNED, *FLOATS])
        self.let(kind, f"ct::transpose(ct::reshape({x}, ct::shape<16, 8>{{}}))")

    def reduce(self) -> None:
        x, kind = self.tile(["int", "long long", *WIDE, "float", "double"])
        functions = ["sum", "reduce_min", "reduce_max"] if kind in WIDE else ["reduce_min", "reduce_max"]
        zero = f" + {kind}{{0.0f}}" if kind in FLOATS else ""
        reduced = f"ct::{self.one_of(functions)}({x}{zero}, {self.one_of([0, 1])}_ic)"
        self.let(kind, f"ct::broadcast({reduced}, shape{{}})")

    def loop(self) -> None:
        x, kind = self.tile([*WIDE, "float", "double"])
        y, _ = self.tile([kind])
        name = self.let(kind, x)
        head = self.one_of(["for (int k : ct::irange(0, n % 4))", "for (int k = n; k > 0; k -= 3)"])
        skip = self.one_of(["", "    if (k == 1)\n      continue;\n"])
        step = f"{name} {self.one_of(['+', '*'])} {y}"
        self.lines.append(f"  {head} {{\n{skip}    {name} = {step} - static_cast<{kind}>(k);\n  }}")

    def branch(self) -> None:
        x, kind = self.tile([*WIDE, "float", "double"])
        y, _ = self.tile([kind])
        name = self.let(kind, x)
        self.lines.append(
            f"  if (n > {self.one_of([0, 5, 9])})\n    {name} = {y};\n  else\n    {name} = {name} + {y};"
        )

    def text(self, name: str) -> str:
        last = range(len(self.kinds))[-COUNT:]
        stores = "".join(
            f"  ct::store({'real' if self.kinds[i] in FLOATS else 'whole'} + {place * SIZE} + at, "
            f"ct::element_cast<{'double' if self.kinds[i] in FLOATS else 'long long'}>(v{i}));\n"
            for place, i in enumerate(last)
        )
        lines = "\n".join(self.lines)
        return f'extern "C" __tile_global__ void {name}({PARAMETERS}) {{\n{BODY}{lines}\n{stores}}}\n'


STATEMENTS = [
    Draft.arithmetic,
    Draft.arithmetic,
    Draft.division,
    Draft.shift,
    Draft.extremum,
    Draft.compare,
    Draft.choose,
    Draft.convert,
    Draft.convert,
    Draft.unary,
    Draft.move,
    Draft.reduce,
    Draft.loop,
    Draft.branch,
]


@st.composite
def sources(draw, kernels: int = 8) -> str:
    """A translation unit of that many kernels, called k0, k1, ..."""
    texts = []
    for i in range(kernels):
        draft = Draft(draw)
        for statement in draw(st.lists(st.sampled_from(STATEMENTS), min_size=3, max_size=12)):
            statement(draft)
        texts.append(draft.text(f"k{i}"))
    return HEAD + "".join(texts)
