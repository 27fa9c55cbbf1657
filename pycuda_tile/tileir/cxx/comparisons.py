"""Comparisons of integers: swapped, negated, and whether one that holds implies another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from .graph import Graph
from .llvm import Instruction, Local, Number, Operand, Type

SWAPPED = {"sgt": "slt", "ugt": "ult", "sge": "sle", "uge": "ule", "slt": "sgt", "ult": "ugt"}
SWAPPED |= {"sle": "sge", "ule": "uge", "eq": "eq", "ne": "ne"}
NEGATED = {"sgt": "sle", "sle": "sgt", "slt": "sge", "sge": "slt", "eq": "ne"}
NEGATED |= {"ugt": "ule", "ule": "ugt", "ult": "uge", "uge": "ult", "ne": "eq"}
_WEAKER: dict[str, tuple[str, ...]] = {
    "slt": ("sle", "ne"),
    "sgt": ("sge", "ne"),
    "ult": ("ule", "ne"),
    "ugt": ("uge", "ne"),
}
_WEAKER |= {"eq": ("sle", "sge", "ule", "uge")}
Definitions = Mapping[str, Instruction]


class Comparison(NamedTuple):
    """`lhs predicate rhs`, which holds. same_sign: both are negative or none is."""

    predicate: str
    lhs: Operand
    rhs: Operand
    same_sign: bool = False

    def swapped(self) -> Comparison:
        return Comparison(SWAPPED[self.predicate], self.rhs, self.lhs, self.same_sign)

    def negated(self) -> Comparison:
        return self._replace(predicate=NEGATED[self.predicate])

    def of_both_signs(self) -> list[Comparison]:
        """This, and the same of signed or unsigned numbers if they have one sign."""
        if not self.same_sign or self.predicate in ("eq", "ne"):
            return [self]
        other = {"s": "u", "u": "s"}[self.predicate[0]] + self.predicate[1:]
        return [self, self._replace(predicate=other)]


def bits(operand: Operand) -> int:
    """How many bits an integer has, 0 where it is none."""
    type_ = operand.type
    return int(type_[1:]) if isinstance(type_, str) and type_[:1] == "i" and type_[1:].isdigit() else 0


def affine(operand: Operand, definitions: Definitions) -> tuple[Local | None, int]:
    """An integer as another one and a constant that is added to it."""
    constant = 0
    while isinstance(operand, Local):
        made = definitions.get(operand.name)
        if made is None or made.op != "add" or not isinstance(made.operands[1], Number):
            return operand, constant
        constant += int(made.operands[1].value)
        operand = made.operands[0]
    return None, constant + (int(operand.value) if isinstance(operand, Number) else 0)


def implies(known: Comparison, wanted: Comparison, definitions: Definitions) -> bool:
    """Whether a comparison that holds makes another one hold."""
    wanted_forms = list(_narrowed(wanted, definitions))
    return any(
        _implies(fact, form, definitions)
        for signed_or_not in known.of_both_signs()
        for fact in _narrowed(signed_or_not, definitions)
        for form in wanted_forms
    )


def _implies(known: Comparison, wanted: Comparison, definitions: Definitions) -> bool:
    for one in (known, known.swapped()):
        implied = (one.predicate, *_WEAKER.get(one.predicate, ()))
        if (one.lhs, one.rhs) == (wanted.lhs, wanted.rhs) and wanted.predicate in implied:
            return True
    here, there = _values(known, definitions), _values(wanted, definitions)
    if not here or not there or here[0] != there[0]:
        return False
    return _is_within(here[1:], there[1:], 1 << bits(here[0]))


def holds(wanted: Comparison, definitions: Definitions) -> bool:
    """Whether a comparison of constants, or of an integer with itself, always holds."""
    (base, left), (other, right) = affine(wanted.lhs, definitions), affine(wanted.rhs, definitions)
    if base != other or (base is not None and left != right):
        return False
    width = bits(wanted.lhs)
    left, right = left % (1 << width), right % (1 << width)
    start, count = _interval(wanted.predicate, right, width)
    return (left - start) % (1 << width) < count


def facts(graph: Graph, definitions: Definitions, block: str) -> Iterator[Comparison]:
    """What branches on the only way to a block say."""
    above = graph.dominator(block)
    while above is not None:
        end = graph.blocks[above][-1]
        if end.op == "br" and len(set(end.labels)) == 2:
            for label, is_true in zip(end.labels, (True, False), strict=True):
                if graph.forward[label] == 1 and graph.dominates(label, block):
                    yield from said_by(end.operands[0], is_true, definitions)
        above = graph.dominator(above)


def said_by(condition: Operand, is_true: bool, definitions: Definitions) -> Iterator[Comparison]:
    """The comparisons that a condition consists of, if it is true or false."""
    made = definitions.get(condition.name) if isinstance(condition, Local) else None
    if made is None:
        return
    if made.op == "icmp":
        lhs, rhs = made.operands
        found = Comparison(made.detail, lhs, rhs, "samesign" in made.flags)
        yield found if is_true else found.negated()
    elif (made.op == "and" and is_true) or (made.op == "or" and not is_true):
        for operand in made.operands:
            yield from said_by(operand, is_true, definitions)
    elif made.op == "select" and made.operands[1 + is_true] == Number(int(not is_true), "i1"):
        for operand in (made.operands[0], made.operands[2 - is_true]):
            yield from said_by(operand, is_true, definitions)


def _narrowed(found: Comparison, definitions: Definitions) -> Iterator[Comparison]:
    """A comparison, and the same of the integers that its sides were before they were extended."""
    yield found
    sides = [definitions.get(o.name) if isinstance(o, Local) else None for o in (found.lhs, found.rhs)]
    extended = [side for side in sides if side is not None and side.op in ("zext", "sext")]
    types = {side.operands[0].type for side in extended}
    if len(types) != 1:
        return
    (type_,) = types
    for sign, fits in (("u", _is_zero_extended), ("s", _is_sign_extended)):
        if not all(map(fits, extended)):
            continue
        if found.predicate[0] not in ("e", "n", sign) and not all(map(_is_zero_extended, extended)):
            continue  # extended numbers are in another order
        lhs, rhs = (
            side.operands[0] if side is not None and side in extended else _as_narrow(operand, type_, sign)
            for side, operand in zip(sides, (found.lhs, found.rhs), strict=True)
        )
        if lhs is not None and rhs is not None:
            equality = found.predicate in ("eq", "ne")
            predicate = found.predicate if equality else sign + found.predicate[1:]
            yield from _narrowed(Comparison(predicate, lhs, rhs, found.same_sign), definitions)


def _is_zero_extended(i: Instruction) -> bool:
    return i.op == "zext"


def _is_sign_extended(i: Instruction) -> bool:
    return i.op == "sext" or "nneg" in i.flags


def _as_narrow(operand: Operand, type_: Type, sign: str) -> Number | None:
    """A constant that has the same value in a narrower type."""
    width = bits(Local("", type_))
    least = -(1 << width - 1) if sign == "s" else 0
    if isinstance(operand, Number) and least <= operand.value < least + (1 << width):
        return Number(operand.value, type_)
    return None


def _values(found: Comparison, definitions: Definitions) -> tuple[Local, int, int] | None:
    """The integer that is compared with a constant; the first of the values that it may have, going up and
    around, and how many there are."""
    (base, left), (other, right) = affine(found.lhs, definitions), affine(found.rhs, definitions)
    width = bits(found.lhs)
    if other is not None:
        found, base, other, left, right = found.swapped(), other, base, right, left
    if base is None or other is not None or not width:
        return None
    start, count = _interval(found.predicate, right % (1 << width), width)
    return base, (start - left) % (1 << width), count


def _interval(predicate: str, limit: int, width: int) -> tuple[int, int]:
    """For which numbers `number predicate limit` holds: the first and how many."""
    all_, least = 1 << width, (1 << width - 1 if predicate[0] == "s" else 0)
    below = (limit - least) % all_
    return {
        "lt": (least, below),
        "le": (least, below + 1),
        "gt": (limit + 1, all_ - below - 1),
        "ge": (limit, all_ - below),
        "eq": (limit, 1),
        "ne": (limit + 1, all_ - 1),
    }[predicate[-2:]]


def _is_within(inner: tuple[int, int], outer: tuple[int, int], all_: int) -> bool:
    return not inner[1] or outer[1] == all_ or (inner[0] - outer[0]) % all_ + inner[1] <= outer[1]
