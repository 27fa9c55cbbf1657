"""A rule for each instruction of LLVM IR: scalar instructions act on tiles of any shape.

Where a generic element stands for a tile, its operands are tiles, and scalars among them are broadcast.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

import ml_dtypes

from ..elements import DTYPES
from ..ir import Pointer, Scalar, Tile, Value
from ..reading import operands_of
from .builder import I64, Unsupported, is_float, width
from .llvm import Expression, Global, Instruction, Local, Number, Operand, Struct, Undefined
from .types import Parts, Types, odd_width

ROUNDED = {"flush_to_zero": False, "rounding_mode": "nearest_even"}
_INTEGER = {"add": "addi", "sub": "subi", "mul": "muli", "shl": "shli"}
_BITS = {"and": "andi", "or": "ori", "xor": "xori"}
_DIVISION = {"udiv": "divi", "sdiv": "divi", "urem": "remi", "srem": "remi", "lshr": "shri", "ashr": "shri"}
_OF_ODD_WIDTHS = {
    *("add", "sub", "mul", "shl", "lshr", "udiv", "urem", "and", "or", "xor", "zext", "trunc"),
    *("icmp", "select", "freeze", "phi"),
}
_OF_NUMBERS = {*_INTEGER, *_BITS, *_DIVISION, "trunc", "zext", "sext", "sitofp", "uitofp"}
_FLOAT = {"fadd": "addf", "fsub": "subf", "fmul": "mulf", "fdiv": "divf"}
_PREDICATES = {
    **{"eq": "equal", "ne": "not_equal", "lt": "less_than", "le": "less_than_or_equal"},
    **{"gt": "greater_than", "ge": "greater_than_or_equal"},
}
_OVERFLOW = {
    (False, False): "none",
    (True, False): "no_signed_wrap",
    (False, True): "no_unsigned_wrap",
    (True, True): "no_wrap",
}


class Instructions(Types):
    """Instructions without control flow. `values` has what LLVM's names stand for."""

    certainly_used: set[str]  # the instructions whose promises Tile IR can make, see poison.py

    @abstractmethod
    def address_of_global(self, name: str) -> Value: ...

    def instruction(self, i: Instruction) -> Value | Parts | None:
        """What an instruction yields."""
        if i.op in _OF_NUMBERS and any(map(self.is_part_of_handle, i.operands)):
            raise Unsupported("a tile whose bytes are read as a number")
        odd = max((odd_width(type_) for type_ in (i.type, *(o.type for o in i.operands))), default=0)
        if not odd:
            return self._translated(i)
        if i.op not in _OF_ODD_WIDTHS or (i.op == "icmp" and i.detail[0] == "s"):
            raise Unsupported(f"the LLVM instruction {i.op} of integers of {odd} bits")
        value = self._translated(replace(i, flags=frozenset()))
        if not odd_width(i.type) or i.op in ("phi", "select", "freeze") or not isinstance(value, Value):
            return value
        mask = self.constant(Tile(value.type.element, ()), (1 << odd_width(i.type)) - 1)
        return self.binary("andi", value, mask)

    def _translated(self, i: Instruction) -> Value | Parts | None:
        """What an instruction yields."""
        rule = getattr(self, f"_{i.op}", None)
        if rule is not None:
            return rule(i)
        if i.op in _FLOAT:
            return self._float_binary(_FLOAT[i.op], i)
        if i.op in _INTEGER or i.op in _BITS or i.op in _DIVISION:
            return self._integer_binary(i)
        if i.op in ("zext", "sext", "trunc", "fpext", "fptrunc", "sitofp", "uitofp", "fptosi", "fptoui"):
            return self._conversion(i)
        raise Unsupported(f"the LLVM instruction {i.op}")

    # --- operands ---

    def value(self, operand: Operand) -> Value:
        """An operand as a value; of constants by their LLVM type."""
        if isinstance(operand, Local):
            return self.named(operand.name)
        if isinstance(operand, Number):
            odd = odd_width(operand.type)
            number = operand.value % (1 << odd) if odd else operand.value
            return self.constant(Tile(self.element_of(operand.type), ()), number)
        if isinstance(operand, Undefined):
            return self.constant(Tile(self.element_of(operand.type), ()), 0)
        if isinstance(operand, Global):
            return self.address_of_global(operand.name)
        if isinstance(operand, Expression):
            value = self.instruction(operand.instruction)
            if isinstance(value, Value):
                return value
        raise Unsupported("a constant array or structure")

    def named(self, name: str) -> Value:
        """What an argument or an instruction yields."""
        value = self.values.get(name)
        if not isinstance(value, Value):
            raise Unsupported(f"the value %{name}, which is not defined here")
        return value

    def number(self, operand: Operand) -> Value:
        """An operand with elements as its LLVM type says: small floats as their bits."""
        value = self.value(operand)
        if isinstance(value.type, Tile) and operand.type not in ("ptr",) and isinstance(operand.type, str):
            return self.as_element(value, self.element_of(operand.type))
        return value

    def of_type(self, operand: Operand | Value, type_: Tile) -> Value:
        """An operand as a tile of a type: constants become what is wanted."""
        if isinstance(operand, Value):
            value = operand
        elif isinstance(operand, Undefined):
            return self.constant_of_bits(type_, 0)
        elif isinstance(operand, Number):
            if operand.type == "ptr" and not isinstance(type_.element, Pointer):
                return self.constant_of_bits(type_, 0)  # of an optional without a tile
            if is_float(type_.element) and isinstance(operand.value, int):
                return self.constant_of_bits(type_, operand.value)
            value = self.value(operand)
            if value.type.element == type_.element:
                return self.broadcast(value, type_.shape)
        else:
            value = self.value(operand)
        if value.type == type_:
            return value
        if isinstance(value.type.element, Pointer) and not isinstance(type_.element, Pointer):
            raise Unsupported("a tile in memory that is not a local array")  # its handle is not an address
        return self.broadcast(self.as_element(value, type_.element), type_.shape)

    # --- arithmetic ---

    def _integer_binary(self, i: Instruction) -> Value:
        if i.op == "sub" and i.operands[0] == Number(0, i.type):
            return self.unary("negi", self.number(i.operands[1]), self._overflow(i))
        lhs, rhs = map(self.number, i.operands)
        if i.op in _BITS:
            return self.binary(_BITS[i.op], lhs, rhs)
        if i.op == "shl" and (factor := self._power_of_two(rhs)):
            return self.binary("muli", lhs, factor, self._overflow(i))
        if i.op in ("shl", "lshr", "ashr") and i.name not in self.certainly_used:
            rhs = self._below_width(rhs)
        if i.op in _INTEGER:
            return self.binary(_INTEGER[i.op], lhs, rhs, self._overflow(i))
        attributes = {"signedness": "unsigned" if i.op[0] in "ul" else "signed"}
        if _DIVISION[i.op] == "divi":
            attributes["rounding"] = "zero"
        return self.binary(_DIVISION[i.op], lhs, rhs, attributes)

    def _power_of_two(self, count: Value) -> Value | None:
        """What a left shift multiplies by, which the source has: LLVM makes shifts of products."""
        known = self.known_value(count)
        element = count.type.element
        if known is None or known.ndim or not 0 <= known < width(element) - 1:
            return None
        return self.constant(Tile(element, ()), 1 << int(known))

    def _overflow(self, i: Instruction) -> dict[str, str]:
        flags = i.flags if i.name in self.certainly_used else frozenset()
        signed, unsigned = "nsw" in flags, "nuw" in flags
        if i.op == "sub" and i.operands[0] == Number(0, i.type):
            unsigned = False  # only 0 keeps that promise
        return {"overflow": _OVERFLOW[signed, unsigned]}

    def _below_width(self, count: Value) -> Value:
        """The count of a shift, which may be too great where its result is not used."""
        greatest = width(count.type.element) - 1
        masked = self.made_by(count, "andi")
        for value in operands_of(masked) if masked else [count]:
            known = self.known_value(value)
            if known is not None and ((known >= 0) & (known <= greatest)).all():
                return count
        return self.binary("andi", count, self.constant(Tile(count.type.element, ()), greatest))

    def _float_binary(self, name: str, i: Instruction) -> Value:
        lhs, rhs = map(self.number, i.operands)
        return self.binary(name, lhs, rhs, ROUNDED)

    def _frem(self, i: Instruction) -> Value:
        return self.binary("remf", self.number(i.operands[0]), self.number(i.operands[1]))

    def _fneg(self, i: Instruction) -> Value:
        return self.unary("negf", self.number(i.operands[0]))

    def _icmp(self, i: Instruction) -> Value:
        predicate = i.detail
        lhs, rhs = map(self.number, i.operands)
        if isinstance(lhs.type.element, Pointer) or isinstance(rhs.type.element, Pointer):
            lhs, rhs = self.as_element(lhs, I64), self.as_element(rhs, I64)
        sign = "signed" if predicate[0] == "s" or len(predicate) == 2 else "unsigned"
        return self.compare("cmpi", _PREDICATES[predicate[-2:]], lhs, rhs, {"signedness": sign})

    def _fcmp(self, i: Instruction) -> Value:
        predicate, operands = i.detail, i.operands
        if predicate in ("ord", "uno"):
            return self._is_nan(operands, predicate == "uno")
        lhs, rhs = map(self.number, operands)
        ordering = "ordered" if predicate[0] == "o" else "unordered"
        return self.compare("cmpf", _PREDICATES[predicate[1:]], lhs, rhs, {"comparison_ordering": ordering})

    def _is_nan(self, operands: tuple[Operand, ...], is_nan: bool) -> Value:
        """Whether one is, or whether none is."""
        predicate = "not_equal" if is_nan else "equal"
        attributes = {"comparison_ordering": "unordered" if is_nan else "ordered"}
        values = dict.fromkeys(self.number(o) for o in operands if not isinstance(o, Number))
        tests = [self.compare("cmpf", predicate, v, v, attributes) for v in values]
        if len(tests) == 1:
            return tests[0]
        lhs, rhs = tests
        return self.binary("ori" if is_nan else "andi", lhs, rhs)

    def _conversion(self, i: Instruction) -> Value:
        value = self.number(i.operands[0])
        if i.op in ("fptosi", "fptoui") and i.name not in self.certainly_used:
            value = self._finite(value)
        signed_from, signed_to = i.op in ("sext", "sitofp"), i.op != "fptoui"
        return self.convert(value, self.element_of(i.type), signed_from, signed_to)

    def _finite(self, value: Value) -> Value:
        """Infinities, for which Tile IR has no integer, as numbers that are beyond all integers."""
        if value.type.element == Scalar("f16"):
            value = self.convert(value, Scalar("f32"))
        greatest = float(ml_dtypes.finfo(DTYPES[value.type.element.name]).max)
        for name, limit in (("maxf", -greatest), ("minf", greatest)):
            modes = {"propagate_nan": True, "flush_to_zero": False}
            value = self.binary(name, value, self.constant(Tile(value.type.element, ()), limit), modes)
        return value

    def _freeze(self, i: Instruction) -> Value:
        return self.value(i.operands[0])

    def _bitcast(self, i: Instruction) -> Value:
        return self.as_element(self.value(i.operands[0]), self.element_of(i.type))

    def _select(self, i: Instruction) -> Value:
        condition, yes, no = i.operands
        type_ = self.type_of(Local(i.name, i.type))
        if type_ is None:
            type_ = Tile(self.element_of(i.type), ())
        return self.select(self.number(condition), self._scalar_or(type_, yes), self._scalar_or(type_, no))

    def _scalar_or(self, type_: Tile, operand: Operand) -> Value:
        """A constant stays a scalar, which select() broadcasts."""
        shape = () if not isinstance(operand, Local) else self.value(operand).type.shape
        return self.of_type(operand, Tile(type_.element, shape))

    # --- structures ---

    def _insertvalue(self, i: Instruction) -> Parts:
        whole, value = i.operands
        if len(i.detail) != 1 or not isinstance(i.type, Struct):
            raise Unsupported("a structure within a structure")
        old = self.values.get(whole.name) if isinstance(whole, Local) else None
        parts: list[Value | None] = list(old) if isinstance(old, tuple) else [None] * len(i.type.elements)
        parts[i.detail[0]] = self.value(value)
        return tuple(parts)

    def _extractvalue(self, i: Instruction) -> Value:
        whole = i.operands[0]
        parts = self.values.get(whole.name) if isinstance(whole, Local) else None
        if not isinstance(parts, tuple):
            raise Unsupported("an element of a structure whose elements are not known")
        part = parts[i.detail[0]]
        return part if part is not None else self.value(Undefined(i.type))
