"""Random kernels that access one array through several pointers: each order that the tokens allow gives what
the cpu target computes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from open_front_end import module

import pycuda_tile as pct
from pycuda_tile import tileir

KERNELS = 4  # of one source
HEAD = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
using four = ct::tile<unsigned, ct::shape<4>>;
using order = ct::memory_order_relaxed_t;
__device__ unsigned numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
"""
#: Parameters: three that point into one array, where each begins, and one that nothing else points to.
PARAMETERS = (
    "unsigned* a, unsigned* b, const unsigned* c, unsigned* __restrict__ r, unsigned char* bytes, int n"
)
STARTS = {"a": 0, "b": 2, "c": 5, "bytes": 1}
LENGTH, ROUNDS = 40, 3
VIEWS = "".join(
    f"  ct::partition_view {p}_{size}{{ct::tensor_span{{{p}, ct::extents{{16}}}}, ct::shape<{size}>{{}}}};\n"
    for p in "abcr"
    for size in (4, 8)
)


class Kernel:
    """Statements, within loops and ifs up to a depth."""

    def __init__(self, chance: random.Random, name: str):
        self._chance, self._loops, self._names = chance, [], 0
        body = "".join(self._statement(1) for _ in range(6))
        self.text = f"__tile_global__ void {name}({PARAMETERS}) {{\n{VIEWS}{body}}}\n"

    def _statement(self, depth: int) -> str:
        kinds = [self._elements, self._tiles, self._views, self._bytes, self._atomic, self._global]
        nested = [self._loop, self._endless, self._branch]
        make = self._chance.choice(kinds if depth == 3 else kinds + nested)
        return "  " * depth + make(depth)

    def _place(self) -> str:
        here = str(self._chance.randrange(8))
        return (
            f"{here} + {self._chance.choice(self._loops)}"
            if self._loops and self._chance.random() < 0.6
            else here
        )

    def _one(self, pointers: str) -> str:
        return f"{self._chance.choice(pointers)}[{self._place()}]"

    def _elements(self, depth: int) -> str:
        return f"{self._one('abr')} = {self._one('abcr')} * 3 + {self._one('abcr')};\n"

    def _tiles(self, depth: int) -> str:
        to, given = self._chance.choice("abr"), self._chance.choice("abcr")
        loaded = f"ct::load({given} + ({self._place()}) + ct::iota<four>())"
        return f"ct::store({to} + ({self._place()}) + ct::iota<four>(), {loaded} * 5u + ct::iota<four>());\n"

    def _views(self, depth: int) -> str:
        to, given, size = self._chance.choice("abr"), self._chance.choice("abcr"), self._chance.choice("48")
        here, there = self._chance.choices(["0", "1", *(f"{i} % 2" for i in self._loops)], k=2)
        return f"{to}_{size}.store({given}_{size}.load({here}) + 1u, {there});\n"

    def _bytes(self, depth: int) -> str:
        return f"bytes[{self._place()}] = bytes[{self._place()}] + 1;\n"

    def _atomic(self, depth: int) -> str:
        old = f"ct::atomic_add(&{self._one('abr')}, {self._chance.randrange(9)}u, order{{}})"
        return f"{self._one('abr')} = {old};\n"

    def _global(self, depth: int) -> str:
        return f"numbers[{self._chance.randrange(8)}] += {self._one('ar')}; {self._one('br')} = numbers[3];\n"

    def _block(self, depth: int) -> str:
        return (
            "".join(self._statement(depth + 1) for _ in range(self._chance.randrange(1, 4)))
            + "  " * depth
            + "}"
        )

    def _loop(self, depth: int) -> str:
        index = f"i{self._names}"
        self._names += 1
        self._loops.append(index)
        text = f"for (int {index} = 0; {index} < n; ++{index}) {{\n{self._block(depth)}\n"
        self._loops.pop()
        return text

    def _endless(self, depth: int) -> str:
        index = f"i{self._names}"
        self._names += 1
        self._loops.append(index)
        stop = f"if ({self._one('abcr')} % 4 == 1 || {index}++ > n) break;\n"
        text = f"for (int {index} = 0;;) {{ {stop}{self._block(depth)}\n"
        self._loops.pop()
        return text

    def _branch(self, depth: int) -> str:
        text = f"if ({self._one('abcr')} % 2 == {self._chance.randrange(2)}) {{\n{self._block(depth)}"
        if self._chance.random() < 0.5:
            text += f" else {{\n{self._block(depth)}"
        return text + "\n"


def given() -> tuple[np.ndarray, np.ndarray, list]:
    x = np.arange(LENGTH, dtype=np.uint32)
    alone = np.arange(100, 100 + LENGTH, dtype=np.uint32)
    starts = {name: x[at:] for name, at in STARTS.items()}
    return x, alone, [starts["a"], starts["b"], starts["c"], alone, starts["bytes"].view(np.uint8), ROUNDS]


@pytest.mark.parametrize("seed", [3, *(pytest.param(s, marks=pytest.mark.wide) for s in range(40) if s != 3)])
def test_random_accesses(seed: int):
    chance = random.Random(seed)
    kernels = {name: Kernel(chance, name).text for name in (f"kernel_{i}" for i in range(KERNELS))}
    source = HEAD + "".join(kernels.values())
    made = module(source, *kernels)
    built = pct.build(source, target="cpu", options=("-O1",))
    for name, entry in zip(kernels, made.entries, strict=True):
        x, alone, arguments = given()
        tileir.interpret(made, entry.name, 1, *arguments)
        expected = [x.tolist(), alone.tolist()]
        for order in range(6):
            x, alone, arguments = given()
            tileir.interpret(made, entry.name, 1, *arguments, seed=order)
            assert [x.tolist(), alone.tolist()] == expected, f"{name} in order {order}:\n{source}"
        if "numbers" not in kernels[name]:  # which keep what the kernel before has left there
            x, alone, arguments = given()
            built.kernel(name)[1](*arguments)
            assert [x.tolist(), alone.tolist()] == expected, f"{name}:\n{source}"
