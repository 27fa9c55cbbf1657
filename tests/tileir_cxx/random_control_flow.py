"""Random kernels of nested control flow, as C++ and run in Python.

A statement is a tuple: its kind, and what it is made of. Numbers are unsigned and wrap; counters of loops are
of any integer type. What could go on for ever takes from a number of rounds that all such loops share.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

MASK = 0xFFFFFFFF
TYPES = {
    **{"int": (32, True), "unsigned": (32, False), "signed char": (8, True), "unsigned char": (8, False)},
    **{"short": (16, True), "unsigned short": (16, False), "long long": (64, True)},
    "unsigned long long": (64, False),
}
HEAD = """#include "cuda_tile.h"
namespace ct = cuda::tiles;
using tile = ct::tile<unsigned, ct::shape<4>>;
struct pair { tile t; unsigned u; };
"""
PARAMETERS = "unsigned* y, unsigned p, unsigned q, int n, int m"
VARIABLES = ("v0", "v1", "v2")
TILES = ("t0", "t1", "parts[0]", "parts[1]", "parts[2]", "pairs[0].t", "pairs[1].t")
NUMBERS = ("v0", "v1", "v2", "few[0]", "few[1]", "few[2]", "few[3]", "pairs[0].u", "pairs[1].u")
Statement = tuple


class Left(Exception):
    """break, continue or return."""


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
        state = _State(y, {"p": p, "q": q, "n": n, "m": m})
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


def wrapped(value: int, type_: str) -> int:
    bits, signed = TYPES[type_]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


class _State:
    def __init__(self, y: np.ndarray, parameters: dict[str, int]):
        p, q = parameters["p"], parameters["q"]
        self.y, self.parameters, self.rounds = y, parameters, 40
        full, counted = (p,) * 4, (0, 1, 2, 3)
        both = tuple(a + b & MASK for a, b in zip(full, counted, strict=True))
        self.values: dict[str, Any] = {"v0": p, "v1": q, "v2": 1, "t0": full, "t1": counted}
        self.values |= {f"few[{i}]": v for i, v in enumerate((p, q, 3, 4))}
        self.values |= {f"parts[{i}]": v for i, v in enumerate((full, counted, both))}
        self.values |= {"pairs[0].t": counted, "pairs[0].u": 5, "pairs[1].t": full, "pairs[1].u": q}
        self.counters: dict[str, int] = {}

    def dump(self, arrays: bool) -> None:
        for i, name in enumerate(NUMBERS if arrays else VARIABLES):
            self.y[8 + i] = self.values[name]
        for i, name in enumerate(TILES if arrays else TILES[:2]):
            self.y[20 + 4 * i : 24 + 4 * i] = self.values[name]

    def name(self, place: tuple[str, str | None]) -> str:
        if place[1] is None:
            return place[0]
        array, _, member = place[0].partition(".")
        index = self.values[place[1]] % {"few": 4, "parts": 3, "pairs": 2}[array]
        return f"{array}[{index}]" + (f".{member}" if member else "")

    def number(self, e: tuple) -> int:
        kind, *rest = e
        if kind == "constant":
            return rest[0]
        if kind == "memory":
            return int(self.y[rest[0]])
        if kind == "element":
            return self.values[self.name(rest[0])][2]
        if kind == "parameter":
            return self.parameters[rest[0]] & MASK
        if kind == "counter":
            return self.counters[rest[0]] & MASK
        if kind == "read":
            return self.values[self.name(rest[0])]
        value, factor, more, mask = rest
        return (self.number(value) * factor + more) & mask

    def holds(self, e: tuple) -> bool:
        comparison, lhs, rhs, signed = e
        lhs, rhs = self.number(lhs), self.number(rhs)
        if signed:
            lhs, rhs = wrapped(lhs, "int"), wrapped(rhs, "int")
        return _compared(lhs, comparison, rhs)

    def end(self, e: tuple, type_: str) -> int:
        kind, what = e
        if kind == "constant":
            return wrapped(what, type_)
        value = self.values[what] if kind == "variable" else self.parameters[what]
        return wrapped(value if kind == "parameter" else value & 3, type_)

    def block(self, statements: list[Statement]) -> None:
        for statement in statements:
            self.statement(statement)

    def takes_round(self) -> bool:
        self.rounds -= 1
        return self.rounds >= 0

    def body(self, statements: list[Statement]) -> bool:
        """Whether the loop goes on."""
        try:
            self.block(statements)
        except Left as left:
            if left.args[0] == "return":
                raise
            return left.args[0] == "continue"
        return True

    def statement(self, s: Statement) -> None:
        kind, *rest = s
        if kind in ("break", "continue", "return"):
            raise Left(kind)
        if kind == "set":
            self.values[self.name(rest[0])] = self.number(rest[1])
        elif kind == "memory":
            self.y[rest[0]] = (int(self.y[rest[0]]) * 3 + self.number(rest[1])) & MASK
        elif kind == "tile":
            more, target = self.number(rest[2]), self.name(rest[0])
            self.values[target] = tuple((x * 5 + more) & MASK for x in self.values[self.name(rest[1])])
        elif kind == "bump":
            self.counters[rest[0]] = wrapped(self.counters[rest[0]] + 1, rest[1])
        elif kind == "if":
            self.block(rest[1] if self.holds(rest[0]) else rest[2])
        elif kind == "for":
            self._for(*rest)
        elif kind == "range":
            type_, name, low, high, step, body = rest
            for i in range(self.end(low, type_), self.end(high, type_), step):
                self.counters[name] = i
                if not self.body(body):
                    break
        elif kind == "while":
            while self.takes_round() and all(map(self.holds, rest[0])):
                if not self.body(rest[1]):
                    break
        elif kind == "do":
            while self.body(rest[0]) and self.takes_round() and self.holds(rest[1]):
                pass
        else:
            self._switch(*rest)

    def _for(self, type_, name, low, test, step, body, endless) -> None:
        self.counters[name] = self.end(low, type_)
        while _compared(self.counters[name], test[0], self.end(test[1], type_)):
            if endless and not self.takes_round():
                raise Left("return")
            if not self.body(body):
                break
            self.counters[name] = wrapped(self.counters[name] + step, type_)

    def _switch(self, value, mask, cases, default) -> None:
        chosen = self.number(value) & mask
        bodies = [(body, ends) for _, body, ends in cases] + [(default or [], False)]
        labels = [label for label, _, _ in cases]
        first = labels.index(chosen) if chosen in labels else len(cases)
        try:
            for body, ends in bodies[first:]:
                self.block(body)
                if ends:
                    return
        except Left as left:
            if left.args[0] != "break":
                raise


def _compared(lhs: int, comparison: str, rhs: int) -> bool:
    return {
        **{"<": lhs < rhs, "<=": lhs <= rhs, "==": lhs == rhs},
        **{"!=": lhs != rhs, ">": lhs > rhs, ">=": lhs >= rhs},
    }[comparison]
