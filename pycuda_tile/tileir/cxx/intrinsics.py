"""A rule for each of LLVM's own functions (intrinsics) that occurs in kernels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from ..ir import Scalar, Tile, Value
from .addresses import Addresses
from .builder import Unsupported, width
from .llvm import Instruction, Local
from .types import Parts, integer


class Intrinsics(Addresses):
    """Calls of functions whose names begin with `llvm.`."""

    @abstractmethod
    def function(
        self, name: str, values: list[Value], modes: tuple[int, ...] = (), signed: bool = True
    ) -> Value: ...

    def intrinsic(self, i: Instruction) -> Value | Parts | None:
        name = i.detail.removeprefix("llvm.")
        for known, rule in _INTRINSICS:
            if name == known or name.startswith(known + "."):
                return rule(self, i, known)
        raise Unsupported(f"the function {i.detail}")

    def _extremum(self, i: Instruction, name: str) -> Value:
        sign = {"signedness": "signed" if name[0] == "s" else "unsigned"}
        lhs, rhs = map(self.number, i.operands)
        return self.binary(f"{name[1:]}i", lhs, rhs, sign)

    def _float_extremum(self, i: Instruction, name: str) -> Value:
        modes = {"propagate_nan": name.endswith("imum"), "flush_to_zero": False}
        lhs, rhs = map(self.number, i.operands)
        return self.binary(f"{name[:3]}f", lhs, rhs, modes)

    def _absolute(self, i: Instruction, name: str) -> Value:
        return self.unary("absi" if name == "abs" else "absf", self.number(i.operands[0]))

    def _float_function(self, i: Instruction, name: str) -> Value:
        name = "fma" if name == "fmuladd" else name
        return self.function(name, [self.number(operand) for operand in i.operands])

    def _nothing(self, i: Instruction, name: str) -> None:
        return None

    def _copysign(self, i: Instruction, name: str) -> Value:
        size, sign = map(self.number, i.operands)
        bits = Scalar(f"i{width(size.type.element)}")
        top = self.constant(Tile(bits, ()), 1 << (width(bits) - 1))
        rest = self.constant(Tile(bits, ()), (1 << (width(bits) - 1)) - 1)
        size = self.binary("andi", self.as_element(size, bits), rest)
        result = self.binary("ori", size, self.binary("andi", self.as_element(sign, bits), top))
        return self.as_element(result, self.element_of(i.type))

    def _funnel_shift(self, i: Instruction, name: str) -> Value:
        """The upper, or lower, half of two numbers side by side that are shifted."""
        high, low, count = map(self.number, i.operands)
        element = high.type.element
        wrap = lambda v: self.binary("andi", v, self.constant(Tile(element, ()), width(element) - 1))  # noqa: E731
        zero = self.constant(Tile(element, ()), 0)
        count = wrap(count)
        rest = wrap(self.binary("subi", zero, count, {"overflow": "none"}))
        up, down = (count, rest) if name == "fshl" else (rest, count)
        left = self.binary("shli", high, up, {"overflow": "none"})
        right = self.binary("shri", low, down, {"signedness": "unsigned"})
        both = self.binary("ori", left, right)
        if i.operands[0] == i.operands[1]:
            return both
        none = self.compare("cmpi", "equal", count, zero, {"signedness": "signed"})
        return self.select(none, high if name == "fshl" else low, both)

    def _saturating(self, i: Instruction, name: str) -> Value:
        """The sum or difference, or the limit that it is beyond."""
        result, wrapped = self._wrapping(name[:4], *map(self.number, i.operands))
        element = result.type.element
        limit = self.constant(Tile(element, ()), 0 if name[:4] == "usub" else -1)
        if name[0] == "s":  # a wrapped result has the wrong sign
            highest = self.constant(Tile(element, ()), (1 << width(element) - 1) - 1)
            limit = self.binary("xori", self._signs(self.number(i.operands[0])), highest)
        return self.select(wrapped, limit, result)

    def _comparison_number(self, i: Instruction, name: str) -> Value:
        """-1, 0 or 1."""
        lhs, rhs = map(self.number, i.operands)
        sign = {"signedness": "signed" if name == "scmp" else "unsigned"}
        element = self.element_of(i.type)
        greater, less = (
            self.convert(self.compare("cmpi", predicate, lhs, rhs, sign), element, False)
            for predicate in ("greater_than", "less_than")
        )
        return self.binary("subi", greater, less, {"overflow": "none"})

    def _population(self, i: Instruction, name: str) -> Value:
        """The number of bits that are set, by halves."""
        value = self.number(i.operands[0])
        element = value.type.element
        for shift in (1, 2, 4, 8, 16, 32):
            if shift >= width(element):
                break
            mask = self.constant(Tile(element, ()), sum(1 << b for b in range(64) if b // shift % 2 == 0))
            count = self.constant(Tile(element, ()), shift)
            upper = self.binary("shri", value, count, {"signedness": "unsigned"})
            lower, upper = self.binary("andi", value, mask), self.binary("andi", upper, mask)
            value = self.binary("addi", lower, upper, {"overflow": "none"})
        return value

    def _swapped_bytes(self, i: Instruction, name: str) -> Value:
        value = self.number(i.operands[0])
        element = value.type.element
        result = self.constant(Tile(element, ()), 0)
        count = width(element) // 8
        for byte in range(count):
            part = value
            shift = 8 * (count - 1 - 2 * byte)
            if shift:
                amount = self.constant(Tile(element, ()), abs(shift))
                op = ("shli", {"overflow": "none"}) if shift > 0 else ("shri", {"signedness": "unsigned"})
                part = self.binary(op[0], value, amount, op[1])
            mask = self.constant(Tile(element, ()), 0xFF << 8 * (count - 1 - byte))
            part = self.binary("andi", part, mask)
            result = self.binary("ori", result, part) if byte else part
        return result

    def _reversed_bits(self, i: Instruction, name: str) -> Value:
        """Neighbours swapped, then pairs of bits, and so on."""
        value = self.number(i.operands[0])
        element = value.type.element
        shift = 1
        while shift < width(element):
            mask = self.constant(Tile(element, ()), sum(1 << b for b in range(64) if b // shift % 2 == 0))
            count = self.constant(Tile(element, ()), shift)
            lower = self.binary("shli", self.binary("andi", value, mask), count, {"overflow": "none"})
            upper = self.binary("shri", value, count, {"signedness": "unsigned"})
            value = self.binary("ori", lower, self.binary("andi", upper, mask))
            shift *= 2
        return value

    def _with_overflow(self, i: Instruction, name: str) -> tuple[Value, Value]:
        return self._wrapping(name[:4], *map(self.number, i.operands))

    def _wrapping(self, name: str, lhs: Value, rhs: Value) -> tuple[Value, Value]:
        """The sum, difference or product, and whether it wrapped."""
        wraps: dict[str, Any] = {"overflow": "none"}
        result = self.binary(f"{name[1:]}i", lhs, rhs, wraps)
        zero = self.constant(Tile(result.type.element, ()), 0)
        unsigned, signed = {"signedness": "unsigned"}, {"signedness": "signed"}
        if name in ("uadd", "usub"):
            pair = (result, lhs) if name == "uadd" else (lhs, rhs)
            return result, self.compare("cmpi", "less_than", *pair, unsigned)
        if name.endswith("mul"):
            upper = self.binary("mulhii", lhs, rhs, None, ("x", "y"))
            if name == "umul":
                return result, self.compare("cmpi", "not_equal", upper, zero, unsigned)
            for one, other in ((lhs, rhs), (rhs, lhs)):  # the upper half of signed numbers
                correction = self.binary("andi", self._signs(one), other)
                upper = self.binary("subi", upper, correction, wraps)
            return result, self.compare("cmpi", "not_equal", upper, self._signs(result), signed)
        # Only a sum of equal signs, or a difference of unequal ones, can have another sign than lhs.
        other = result if name == "sadd" else lhs
        differ = self.binary("xori", rhs, other), self.binary("xori", lhs, result)
        return result, self.compare("cmpi", "less_than", self.binary("andi", *differ), zero, signed)

    def _signs(self, value: Value) -> Value:
        """-1 for negative numbers, 0 for others."""
        count = self.constant(Tile(value.type.element, ()), width(value.type.element) - 1)
        return self.binary("shri", value, count, {"signedness": "signed"})

    def _float_class(self, i: Instruction, name: str) -> Value:
        """Of which of ten kinds a number is: those that kernels ask for are NaN, infinity, zero, finite."""
        value, mask = self.number(i.operands[0]), integer(i.operands[1])
        bits = Scalar(f"i{width(value.type.element)}")
        mantissa = {16: 10, 32: 23, 64: 52}[width(bits)]
        infinity = ((1 << width(bits) - 1) - 1) >> mantissa << mantissa
        magnitude = self.as_element(self.unary("absf", value), bits)
        tests = {3: ("greater_than", infinity), 516: ("equal", infinity), 519: (">=", infinity)}
        tests |= {96: ("equal", 0), 504: ("less_than", infinity), 1020: ("less_than_or_equal", infinity)}
        tests[519] = ("greater_than_or_equal", infinity)
        if mask not in tests:
            raise Unsupported(f"the test of floats llvm.is.fpclass {mask}")
        predicate, limit = tests[mask]
        return self.compare(
            "cmpi", predicate, magnitude, self.constant(Tile(bits, ()), limit), {"signedness": "signed"}
        )

    def _zeros_in_front(self, i: Instruction, name: str) -> Value:
        """By the position of the highest bit that is set, or of the lowest."""
        value = self.number(i.operands[0])
        element = value.type.element
        if name == "cttz":  # bits below the lowest one that is set
            one = self.constant(Tile(element, ()), 1)
            minus = self.binary("subi", value, one, {"overflow": "none"})
            full = self.constant(Tile(element, ()), -1)
            below = self.binary("andi", self.binary("xori", value, full), minus)
            return self._population_of(below)
        for shift in (1, 2, 4, 8, 16, 32):
            if shift < width(element):
                count = self.constant(Tile(element, ()), shift)
                moved = self.binary("shri", value, count, {"signedness": "unsigned"})
                value = self.binary("ori", value, moved)
        full = self.constant(Tile(element, ()), -1)
        return self._population_of(self.binary("xori", value, full))

    def _population_of(self, value: Value) -> Value:
        self.values["."] = value
        found = self._population(Instruction("call", "", operands=(Local(".", value.type.element.name),)), "")
        del self.values["."]
        return found


_WRAPPING = ("uadd", "usub", "umul", "sadd", "ssub", "smul")
_INTRINSICS: list[tuple[str, Callable[[Intrinsics, Instruction, str], Value | Parts | None]]] = [
    *((name, Intrinsics._extremum) for name in ("smax", "smin", "umax", "umin")),
    *((name, Intrinsics._float_extremum) for name in ("maxnum", "minnum", "maximumnum", "minimumnum")),
    *((name, Intrinsics._float_extremum) for name in ("maximum", "minimum")),
    *((name, Intrinsics._absolute) for name in ("abs", "fabs")),
    *((name, Intrinsics._float_function) for name in ("floor", "ceil", "sqrt", "exp", "exp2", "log", "log2")),
    *((name, Intrinsics._float_function) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")),
    *((name, Intrinsics._float_function) for name in ("pow", "atan2", "fma", "fmuladd")),
    *((name, Intrinsics._funnel_shift) for name in ("fshl", "fshr")),
    *((name, Intrinsics._comparison_number) for name in ("scmp", "ucmp")),
    *((name, Intrinsics._zeros_in_front) for name in ("ctlz", "cttz")),
    *((f"{name}.with.overflow", Intrinsics._with_overflow) for name in _WRAPPING),
    *((f"{name}.sat", Intrinsics._saturating) for name in _WRAPPING if "mul" not in name),
    *((name, Intrinsics._nothing) for name in ("lifetime", "assume", "dbg", "experimental.noalias")),
    *((name, Intrinsics._copy) for name in ("memcpy", "memmove", "memset")),
    ("copysign", Intrinsics._copysign),
    ("ctpop", Intrinsics._population),
    ("bitreverse", Intrinsics._reversed_bits),
    ("bswap", Intrinsics._swapped_bytes),
    ("is.fpclass", Intrinsics._float_class),
]
