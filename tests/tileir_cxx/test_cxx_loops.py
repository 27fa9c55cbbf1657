"""Loops of C++ that count become `for`, whatever form LLVM gives them, and are right at the limits of types.

Each loop is translated twice: with the options that keep LLVM from rotating loops, and without them.
"""

from __future__ import annotations

import numpy as np
import pytest
from control_flow_state import TYPES, wrapped
from open_front_end import module

from pycuda_tile import tileir
from pycuda_tile.tileir.cxx import compiler
from pycuda_tile.tileir.ir import walk

HEAD = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
#: Type, first index, test, step, values of n, and what it is.
LOOPS = [
    ("int", "0", "i < n", 1, (-1, 0, 1, 5), "for"),
    ("int", "0", "i <= n", 1, (-1, 0, 5), "for"),
    ("int", "2", "i != n", 1, (2, 3, 7), "for"),
    ("int", "n", "i < 2 * n", 1, (-3, 0, 4), None),
    ("int", "0", "i < n", 3, (0, 3, 7), "for"),
    ("int", "2147483640", "i < n", 4, (2147483641, 2147483644, 0), None),
    ("int", "n - 1", "i >= 0", -1, (-2, 0, 1, 5), "for"),
    ("int", "n", "i > 0", -1, (-2, 0, 1, 5), "for"),
    ("int", "n", "i != 0", -1, (0, 1, 5), "for"),
    ("int", "n", "i > -5", -3, (-7, -5, 0, 6), "for"),
    ("unsigned", "0", "i < n", 1, (0, 1, 5), "for"),
    ("unsigned", "0", "i < n", 4, (0, 4, 9), "for"),
    ("unsigned", "4294967290u", "i < n", 2, (4294967293, 4294967294, 0), "for"),
    ("unsigned", "0", "i != n", 2, (0, 2, 8), "for"),
    ("unsigned", "5", "i != n", 1, (5, 9), "for"),
    ("unsigned", "n", "i > 3", -2, (0, 3, 4, 9), "for"),
    ("unsigned", "n", "i >= 3", -3, (0, 3, 11), "for"),
    ("unsigned", "n", "i-- != 0", 0, (0, 1, 4), None),
    ("signed char", "-3", "i < n", 1, (-4, -3, 4, 127), None),
    ("unsigned char", "0", "i < n", 1, (0, 5, 255), None),
    ("unsigned char", "250", "i != n", 1, (250, 253, 3), None),
    ("unsigned char", "0", "i < n", 7, (0, 8, 253), None),  # it wraps, and ends all the same
    ("short", "0", "i < n", 1, (-1, 0, 6), None),
    ("unsigned short", "65530", "i < n", 2, (65531, 65534, 9), None),
    ("long long", "0", "i < n", 3, (-1, 0, 8), "for"),
    ("unsigned long long", "n", "i > 1", -1, (0, 2, 6), "for"),
    ("int", "0", "i < 10", 3, (0,), "for"),
    ("int", "9", "i >= 0", -2, (0,), "for"),
]
RANGES = [
    ("signed char", "-100, n, 50", (-101, 0, 78)),
    ("unsigned char", "1, n, 3", (0, 1, 253)),
    ("short", "0, n, n", (1, 5)),
    ("unsigned", "2u, n, 5u", (0, 2, 13)),
    ("long long", "n, 7, 2", (-3, 7)),
]
OTHERS = {
    "changed_bound": ("for (int i = 0; i < n; ++i) { if (y[i] == 3) n -= 1; y[i] = n; }", "loop"),
    "changed_index": ("for (int i = 0; i < n; ++i) { if (y[i] == 3) ++i; y[i] = n; }", "loop"),
    "used_behind": ("int i = 1; for (; i < n; i += 2) y[i] = i; y[0] = i;", "for"),
    "both_behind": ("int i = 9, s = 0; for (; i > n; --i) s += i; y[0] = i; y[1] = s;", None),
    "nested": ("for (int i = 0; i < n; ++i) for (int j = i; j < n; ++j) y[j] += i;", "for for"),
    "inner_break": (
        "for (int i = 0; i < n; ++i) for (int j = 0; j < 9; ++j) { if (j > i) break; y[j] += i; }",
        "for",
    ),
    "inner_return": (
        "for (int i = 0; i < n; ++i) { for (int j = 0; j < 4; ++j) if (y[j] == 7 * i + 7) return;"
        " y[i] = 7; }",
        "loop",
    ),
    "switch_inside": (
        "for (int i = 0; i < n; ++i) switch (y[i] & 3) {"
        " case 0: y[i] = 5; break; case 2: y[0] += 1; case 3: y[1] += 2; }",
        "for",
    ),
    "do_while": ("int i = 0; do { y[i] = i + n; i += 1; } while (i < n);", "loop"),
    "guarded": ("if (n > 3) { for (int i = 0; i < n; ++i) y[i] = i; } else y[0] = 77;", "if for"),
    "twice": ("for (int i = 0; i < n; ++i) y[i] = i; for (int i = 0; i < n; ++i) y[i] += y[0];", "for for"),
    "computed_bound": ("for (int i = 0; i < ct::ceildiv(n, 3); ++i) y[i] = n;", "for"),
    "by_pointer": ("for (int* p = y; p != y + 4; ++p) *p = n;", None),
}  # fmt: skip


def source() -> str:
    lines = [HEAD]
    for k, (type_, first, test, step, _, _) in enumerate(LOOPS):
        change = f"i += {step}" if step >= 0 else f"i -= {-step}"
        body = "y[k & 127] = static_cast<int>(i); ++k;"
        start = f"{type_} i = static_cast<{type_}>({first})"
        text = f"int k = 0; for ({start}; {test}; {change}) {{ {body} }} y[128] = k;"
        lines.append(f"__tile_global__ void loop_{k}(int* y, {type_} n) {{ {text} }}")
    for k, (type_, bounds, _) in enumerate(RANGES):
        body = f"for ({type_} i : ct::irange<{type_}>({bounds})) {{ y[k] = static_cast<int>(i); ++k; }}"
        lines.append(f"__tile_global__ void range_{k}(int* y, {type_} n) {{ int k = 0; {body} y[128] = k; }}")
    for name, (text, _) in OTHERS.items():
        lines.append(f"__tile_global__ void {name}(int* y, int n) {{ {text} }}")
    return "\n".join(lines)


@pytest.fixture(scope="module", params=["plain", "without options"])
def made(request: pytest.FixtureRequest) -> tileir.Module:
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "plain":
            patch.setattr(compiler, "_LOOP_FLAGS", [])
        return module(source() + f"\n// {request.param}\n")


def of(made: tileir.Module, name: str) -> tileir.Entry:
    (entry,) = [e for e in made.entries if f"{len(name)}{name}P" in e.name]
    return entry


def shape(entry: tileir.Entry) -> str:
    return " ".join(op.name for op in walk(entry.body) if op.name in ("if", "for", "loop"))


def indices(type_: str, first: str, test: str, step: int, n: int) -> list[int]:
    """What C++ says of a loop."""
    found, i = [], wrapped(eval(first.removesuffix("u"), {"n": n}), type_)
    while True:
        if test == "i-- != 0":
            goes_on, i = i != 0, wrapped(i - 1, type_)
        else:
            goes_on = eval(test, {"i": i, "n": n})
        if not goes_on:
            return found
        found.append(i)
        i = wrapped(i + step, type_)


def check(made: tileir.Module, name: str, type_: str, n: int, expected: list[int]) -> None:
    y = np.full(129, -1, np.int32)
    tileir.interpret(made, of(made, name).name, 1, y, n)
    wanted = np.full(129, -1, np.int64)
    for k, i in enumerate(expected):
        wanted[k & 127] = wrapped(i, "int")
    wanted[128] = len(expected)
    assert list(y) == list(wanted), (name, n)


@pytest.mark.parametrize("k", range(len(LOOPS)), ids=lambda k: " ".join(map(str, LOOPS[k][:4])))
def test_loops_that_count(made: tileir.Module, k: int):
    type_, first, test, step, values, expected = LOOPS[k]
    for n in values:
        check(made, f"loop_{k}", type_, n, indices(type_, first, test, step, n))
    assert expected is None or shape(of(made, f"loop_{k}")) == expected


@pytest.mark.parametrize("k", range(len(RANGES)), ids=lambda k: " ".join(RANGES[k][:2]))
def test_ranges_of_all_integers(made: tileir.Module, k: int):
    type_, bounds, values = RANGES[k]
    for n in values:
        arguments = eval(bounds.replace("u", ""), {"n": n})
        check(made, f"range_{k}", type_, n, list(range(*arguments)))
    assert shape(of(made, f"range_{k}")) == "for" and TYPES[type_]


def test_other_loops_have_the_same_form(made: tileir.Module):
    for name, (_, expected) in OTHERS.items():
        if expected is not None:
            assert shape(of(made, name)).startswith(expected), name


@pytest.mark.parametrize("n", [0, 1, 4, 9])
def test_other_loops(made: tileir.Module, n: int):
    for name, function in EXPECTED.items():
        start = np.arange(16, dtype=np.int32)
        y, wanted = start.copy(), start.copy()
        function(wanted, n)
        tileir.interpret(made, of(made, name).name, 1, y, n)
        assert list(y) == list(wanted), name


def changed_bound(y: np.ndarray, n: int) -> None:
    i = 0
    while i < n:
        n -= y[i] == 3
        y[i] = n
        i += 1


def changed_index(y: np.ndarray, n: int) -> None:
    i = 0
    while i < n:
        i += y[i] == 3
        y[i] = n
        i += 1


def used_behind(y: np.ndarray, n: int) -> None:
    i = 1
    while i < n:
        y[i] = i
        i += 2
    y[0] = i


def both_behind(y: np.ndarray, n: int) -> None:
    y[:2] = min(n, 9), sum(range(n + 1, 10))


def nested(y: np.ndarray, n: int) -> None:
    for i in range(n):
        y[i:n] += i


def inner_break(y: np.ndarray, n: int) -> None:
    for i in range(n):
        y[: min(i + 1, 9)] += i


def inner_return(y: np.ndarray, n: int) -> None:
    for i in range(n):
        if 7 * i + 7 in y[:4]:
            return
        y[i] = 7


def switch_inside(y: np.ndarray, n: int) -> None:
    for i in range(n):
        case = y[i] & 3
        y[i] = 5 if case == 0 else y[i]
        y[0] += case == 2
        y[1] += 2 * (case >= 2)


def do_while(y: np.ndarray, n: int) -> None:
    for i in range(max(n, 1)):
        y[i] = i + n


def guarded(y: np.ndarray, n: int) -> None:
    if n > 3:
        y[:n] = range(n)
    else:
        y[0] = 77


def twice(y: np.ndarray, n: int) -> None:
    y[:n] = range(n)
    for i in range(n):
        y[i] += y[0]


def computed_bound(y: np.ndarray, n: int) -> None:
    y[: -(-n // 3)] = n


def by_pointer(y: np.ndarray, n: int) -> None:
    y[:4] = n


EXPECTED = {name: globals()[name] for name in OTHERS}
