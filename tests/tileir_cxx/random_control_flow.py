"""Random kernels of nested control flow, as C++; control_flow_state.py runs them in Python.

A statement is a tuple: its kind, and what it is made of. Numbers are unsigned and wrap; counters of loops are
of any integer type. What could go on for ever takes from a number of rounds that all such loops share.
"""

from __future__ import annotations

import random

import numpy as np
from control_flow_state import NUMBERS, TILES, TYPES, VARIABLES, Left, State, Statement

HEAD = """#include "cuda_tile.h"
namespace ct = cuda::tiles;
using tile = ct::tile<unsigned, ct::shape<4>>;
struct pair { tile t; unsigned u; };
"""
PARAMETERS = "unsigned* y, unsigned p, unsigned q, int n, int m"


class Program:
    """A kernel `program_SEED`; arrays: whether some of its variables are elements of arrays."""

    def __init__(self, seed: int, arrays: bool = True, depth: int = 4):
        self.name, self._random = f"program_{seed}", random.Random(seed)
        self._arrays, self._counters = arrays, 0
        self._in: list[str] = []  # what is around: loop or switch
        self._visible: list[tuple[str, str]] = []  # counters and their types
        self.body = self._block(depth)

    # --- made ---

    def _block(self, depth: int) -> list[Statement]:
        known = len(self._visible)
        made = [self._statement(depth) for _ in range(self._random.randint(1, 4))]
        del self._visible[known:]
        return made

    def _statement(self, depth: int) -> Statement:
        choice = self._random.random()
        if depth > 0 and choice < 0.6:
            kinds = (self._if, self._for, self._for, self._range, self._while, self._do, self._switch)
            return self._random.choice(kinds)(depth - 1)
        if choice < 0.68 and self._in:
            return self._leave()
        if choice < 0.70:
            return ("if", self._condition(), [("return",)], [])
        if choice < 0.82:
            return ("tile", self._tile(), self._tile(), self._number())
        if choice < 0.9:
            return ("memory", self._random.randrange(8), self._number())
        return ("set", self._place(), self._number())

    def _leave(self) -> Statement:
        can = ["break"]
        if "loop" in self._in and self._in[-1] == "loop":
            can.append("continue")
        return ("if", self._condition(), [(self._random.choice(can),)], [])

    def _if(self, depth: int) -> Statement:
        otherwise = self._block(depth) if self._random.random() < 0.5 else []
        return ("if", self._condition(), self._block(depth), otherwise)

    def _for(self, depth: int) -> Statement:
        r = self._random
        type_, name = r.choice([*TYPES, "int", "int", "unsigned"]), f"i{self._counters}"
        self._counters += 1
        step = r.choice([1, 1, 1, 2, 3, 4])
        bits, signed = TYPES[type_]
        up = r.random() < 0.6
        ends = [("constant", r.randint(-3 if signed else 0, 4)), ("parameter", r.choice("nm"))]
        if not signed or r.random() < 0.5:
            ends.append(("constant", r.choice([0, 1, 3, 250 if bits > 8 else 100])))
        low, high = r.choice(ends), r.choice([*ends, ("variable", r.choice(VARIABLES))])
        if up:
            test = (r.choice(["<", "<", "<=", "!="]), high)
        else:
            low, high = high, low
            test = (r.choice([">", ">", ">=", "!="]), high)
        # Not all of these end; and some change their counter.
        changes = [("bump", name, type_)] if r.random() < 0.15 else []
        endless = test[0] != "<" or step > 1 or bits < 32 or changes or high[0] == "variable"
        endless = endless or high[1] in (100, 250) or (not signed and "parameter" in (low[0], high[0]))
        body = self._inside("loop", depth, (name, type_))
        return ("for", type_, name, low, test, step if up else -step, body + changes, bool(endless))

    def _range(self, depth: int) -> Statement:
        r = self._random
        type_, name = r.choice([*TYPES, "int", "unsigned"]), f"i{self._counters}"
        self._counters += 1
        step = r.choice([1, 1, 2, 3])
        low, high = r.choice([("constant", r.randint(0, 2)), ("masked", "n")]), ("masked", r.choice("nm"))
        return ("range", type_, name, low, high, step, self._inside("loop", depth, (name, type_)))

    def _while(self, depth: int) -> Statement:
        conditions = [self._condition() for _ in range(self._random.randint(1, 2))]
        return ("while", conditions, self._inside("loop", depth))

    def _do(self, depth: int) -> Statement:
        return ("do", self._inside("loop", depth), self._condition())

    def _switch(self, depth: int) -> Statement:
        cases = []
        for label in self._random.sample(range(6), self._random.randint(1, 4)):
            cases.append((label, self._inside("switch", depth - 1), self._random.random() < 0.6))
        default = self._inside("switch", depth - 1) if self._random.random() < 0.6 else None
        return ("switch", self._number(), self._random.choice([3, 7]), cases, default)

    def _inside(self, kind: str, depth: int, *counters: tuple[str, str]) -> list[Statement]:
        self._in.append(kind)
        self._visible += counters
        made = self._block(max(depth, 0))
        del self._visible[len(self._visible) - len(counters) :]
        self._in.pop()
        return made

    def _condition(self) -> tuple:
        comparison = self._random.choice(["<", "<=", "==", "!=", ">"])
        return (comparison, self._number(), self._number(), self._random.random() < 0.5)

    def _number(self) -> tuple:
        r = self._random
        choice = r.random()
        if choice < 0.2:
            return ("constant", r.choice([0, 1, 2, 3, 5, 7]))
        if choice < 0.3:
            return ("memory", r.randrange(8))
        if choice < 0.4:
            return ("element", self._tile())
        if choice < 0.5:
            return ("parameter", r.choice("pqnm"))
        if choice < 0.7 and self._visible:
            return ("counter", *r.choice(self._visible))
        value = ("read", self._place())
        if choice < 0.9:
            return ("mix", value, r.choice([1, 3, 5]), r.randint(0, 7), r.choice([3, 7, 15]))
        return value

    def _place(self) -> tuple[str, str | None]:
        """A number's place: an array, with the variable that says which of its elements, or a variable."""
        if self._arrays and self._random.random() < 0.3:
            return self._random.choice(["few", "pairs.u"]), self._random.choice(VARIABLES)
        return self._random.choice(VARIABLES), None

    def _tile(self) -> tuple[str, str | None]:
        if self._arrays and self._random.random() < 0.5:
            return self._random.choice(["parts", "pairs.t"]), self._random.choice(VARIABLES)
        return self._random.choice(["t0", "t1"]), None

    # --- as C++ ---

    def __str__(self) -> str:
        lines = [f"__tile_global__ void {self.name}({PARAMETERS}) {{"]
        lines.append("  unsigned v0 = p, v1 = q, v2 = 1, rounds = 40;")
        lines.append("  tile t0 = ct::full<tile>(p), t1 = ct::iota<tile>();")
        if self._arrays:
            lines.append("  unsigned few[4] = {p, q, 3, 4};")
            lines.append("  tile parts[3] = {t0, t1, t0 + t1};")
            lines.append("  pair pairs[2] = {{t1, 5}, {t0, q}};")
        for statement in self.body:
            lines += ["  " + line for line in _cxx(statement)]
        for i, name in enumerate(VARIABLES):
            lines.append(f"  y[{8 + i}] = {name};")
        used = NUMBERS if self._arrays else VARIABLES
        lines += [f"  y[{8 + i}] = {name};" for i, name in enumerate(used)]
        tiles = TILES if self._arrays else TILES[:2]
        lines += [f"  ct::store(y + {20 + 4 * i} + ct::iota<tile>(), {t});" for i, t in enumerate(tiles)]
        return "\n".join([*lines, "}", ""])

    # --- in Python ---

    def run(self, y: np.ndarray, p: int, q: int, n: int, m: int) -> None:
        """What the kernel leaves in y."""
        state = State(y, {"p": p, "q": q, "n": n, "m": m})
        try:
            state.block(self.body)
        except Left:
            return
        state.dump(self._arrays)


def _at(place: tuple[str, str | None]) -> str:
    name, index = place
    if index is None:
        return name
    array, _, member = name.partition(".")
    count = {"few": 4, "parts": 3, "pairs": 2}[array]
    return f"{array}[{index} % {count}]" + (f".{member}" if member else "")


def _number(e: tuple) -> str:
    kind, *rest = e
    if kind == "constant":
        return f"{rest[0]}u"
    if kind == "memory":
        return f"y[{rest[0]}]"
    if kind == "element":
        return f"static_cast<unsigned>(ct::extract({_at(rest[0])}, ct::shape<1>{{}}, 2))"
    if kind in ("parameter", "counter"):
        return f"static_cast<unsigned>({rest[0]})"
    if kind == "read":
        return _at(rest[0])
    value, factor, more, mask = rest
    return f"(({_number(value)} * {factor}u + {more}u) & {mask}u)"


def _condition(e: tuple) -> str:
    comparison, lhs, rhs, signed = e
    lhs, rhs = _number(lhs), _number(rhs)
    if signed:
        lhs, rhs = f"static_cast<int>({lhs})", f"static_cast<int>({rhs})"
    return f"{lhs} {comparison} {rhs}"


def _end(e: tuple) -> str:
    kind, what = e
    return f"static_cast<int>({what} & 3)" if kind in ("variable", "masked") else str(what)


def _indented(statements: list[Statement]) -> list[str]:
    return ["  " + line for statement in statements for line in _cxx(statement)]


def _cxx(s: Statement) -> list[str]:
    kind, *rest = s
    if kind in ("break", "continue", "return"):
        return [f"{kind};"]
    if kind == "set":
        return [f"{_at(rest[0])} = {_number(rest[1])};"]
    if kind == "memory":
        return [f"y[{rest[0]}] = y[{rest[0]}] * 3u + {_number(rest[1])};"]
    if kind == "tile":
        return [f"{_at(rest[0])} = {_at(rest[1])} * 5u + {_number(rest[2])};"]
    if kind == "bump":
        return [f"++{rest[0]};"]
    if kind == "if":
        lines = [f"if ({_condition(rest[0])}) {{", *_indented(rest[1])]
        return [*lines, *(["} else {", *_indented(rest[2])] if rest[2] else []), "}"]
    if kind == "for":
        type_, name, low, (comparison, high), step, body, endless = rest
        end = f"static_cast<{type_}>({_end(high)})"
        change = f"{name} += {step}" if step > 0 else f"{name} -= {-step}"
        start = f"{type_} {name} = static_cast<{type_}>({_end(low)})"
        head = f"for ({start}; {name} {comparison} {end}; {change}) {{"
        stop = ["  if (rounds == 0) return;", "  --rounds;"] if endless else []
        return [head, *stop, *_indented(body), "}"]
    if kind == "range":
        type_, name, low, high, step, body = rest
        bounds = ", ".join(f"static_cast<{type_}>({_end(e)})" for e in (low, high))
        return [f"for ({type_} {name} : ct::irange<{type_}>({bounds}, {step})) {{", *_indented(body), "}"]
    if kind == "while":
        test = " && ".join(["rounds != 0 && rounds-- != 0", *map(_condition, rest[0])])
        return [f"while ({test}) {{", *_indented(rest[1]), "}"]
    if kind == "do":
        test = f"rounds != 0 && rounds-- != 0 && {_condition(rest[1])}"
        return ["do {", *_indented(rest[0]), f"}} while ({test});"]
    value, mask, cases, default = rest
    lines = [f"switch ({_number(value)} & {mask}u) {{"]
    for label, body, ends in cases:
        lines += [f"case {label}: {{", *_indented(body), "}", *(["  break;"] if ends else [])]
    lines += ["default: {", *_indented(default), "}"] if default is not None else []
    return [*lines, "}"]
