"""Runs the statements of random kernels (random_control_flow.py) in Python: what they are to compute."""

from __future__ import annotations

from typing import Any

import numpy as np

MASK = 0xFFFFFFFF
TYPES = {
    **{"int": (32, True), "unsigned": (32, False), "signed char": (8, True), "unsigned char": (8, False)},
    **{"short": (16, True), "unsigned short": (16, False), "long long": (64, True)},
    "unsigned long long": (64, False),
}
VARIABLES = ("v0", "v1", "v2")
TILES = ("t0", "t1", "parts[0]", "parts[1]", "parts[2]", "pairs[0].t", "pairs[1].t")
NUMBERS = ("v0", "v1", "v2", "few[0]", "few[1]", "few[2]", "few[3]", "pairs[0].u", "pairs[1].u")
Statement = tuple


class Left(Exception):
    """break, continue or return."""


def wrapped(value: int, type_: str) -> int:
    bits, signed = TYPES[type_]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


class State:
    """What the variables of a kernel of random_control_flow.py hold while it runs."""

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
