"""Comparisons and tests, and selection by their results."""

from __future__ import annotations

import operator

import numpy as np

from . import bits, floats
from .instructions import Step, apply
from .program import Instruction, PtxError
from .types import NUMPY

_COMPARE = {
    "eq": operator.eq,
    "ne": lambda a, b: (a < b) | (a > b) if a.dtype.kind not in "uib" else a != b,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "lo": operator.lt,
    "ls": operator.le,
    "hi": operator.gt,
    "hs": operator.ge,
}
_ORDERED = {"equ": "eq", "neu": "ne", "ltu": "lt", "leu": "le", "gtu": "gt", "geu": "ge"}


def _comparison(word: str):
    if word in _COMPARE:
        return _COMPARE[word]
    if word == "num":
        return lambda a, b: ~(np.isnan(a) | np.isnan(b))
    if word == "nan":
        return lambda a, b: np.isnan(a) | np.isnan(b)
    ordered = _COMPARE[_ORDERED[word]]
    return lambda a, b: ordered(a, b) | np.isnan(a) | np.isnan(b)


def _compare(instruction: Instruction, kinds: list[str]):
    """The comparison of an instruction, and how its result is combined with a predicate, if at all."""
    words = instruction.name.split(".")
    compare = _comparison(next(word for word in words[1:] if word in (*_COMPARE, *_ORDERED, "num", "nan")))
    if "ftz" in words and kinds[-1] == "f32":
        plain = compare
        compare = lambda a, b: plain(floats.flush(a), floats.flush(b))  # noqa: E731
    return compare, bits.BITWISE.get(words[2])


def _setp(machine, instruction: Instruction, kinds: list[str]) -> Step:
    compare, join = _compare(instruction, kinds)
    places, *sources = instruction.operands
    writes = [machine.operands.write(place, "pred") for place in places.split("|")]
    a, b = (machine.operands.read(text, kinds[-1]) for text in sources[:2])
    other = _predicate(machine, sources[2]) if join else None

    def step(mask):
        result = compare(a(), b())
        for write, value in zip(writes, (result, ~result), strict=False):
            write(join(value, other()) if join else value, mask)

    return step


def _predicate(machine, text: str):
    read = machine.operands.read(text.lstrip("!"), "pred")
    return (lambda: ~read()) if text.startswith("!") else read


def _set(machine, instruction: Instruction, kinds: list[str]) -> Step:
    compare, _ = _compare(instruction, kinds)
    dtype = NUMPY[kinds[0]]
    yes = 1 if dtype.kind == "f" else -1

    def compute(a, b):
        return np.where(compare(a, b), np.array(yes).astype(dtype), np.array(0, dtype))

    return apply(machine, instruction, compute, kinds[0], [kinds[-1]] * 2)


def _selp(machine, instruction: Instruction, kinds: list[str]) -> Step:
    def choose(a, b, predicate):
        return np.where(predicate, a, b)

    return apply(machine, instruction, choose, kinds[-1], [kinds[-1], kinds[-1], "pred"])


def _testp(machine, instruction: Instruction, kinds: list[str]) -> Step:
    tiny = np.finfo(NUMPY[kinds[-1]]).tiny
    tests = {
        "finite": np.isfinite,
        "infinite": np.isinf,
        "number": lambda x: ~np.isnan(x),
        "notanumber": np.isnan,
        "normal": lambda x: np.isfinite(x) & (np.abs(x) >= tiny),
        "subnormal": lambda x: np.abs(x) < tiny,
    }
    return apply(machine, instruction, tests[instruction.name.split(".")[1]], "pred", [kinds[-1]])


def _slct(machine, instruction: Instruction, kinds: list[str]) -> Step:
    if len(kinds) != 2:
        raise PtxError(f"unknown instruction {instruction}")
    return apply(
        machine,
        instruction,
        lambda a, b, c: np.where(c >= 0, a, b),
        kinds[0],
        [kinds[0], kinds[0], kinds[1]],
    )


SPECIAL = {"setp": _setp, "set": _set, "selp": _selp, "slct": _slct, "testp": _testp}
