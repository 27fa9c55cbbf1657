"""A rule for each instruction of LLVM IR: scalar instructions act on tiles of any shape.

Where a generic element stands for a tile, its operands are tiles, and scalars among them are broadcast.
"""

from __future__ import annotations

from ..ir import Pointer, Scalar, Tile, Value
from .builder import BYTES, I1, I8, I64, Unsupported, is_float, width
from .llvm import (
    Array,
    Expression,
    Global,
    Instruction,
    Local,
    Number,
    Operand,
    Struct,
    Undefined,
    offset_of,
    size_of,
)
from .types import Types

ROUNDED = {"flush_to_zero": False, "rounding_mode": "nearest_even"}
_INTEGER = {"add": "addi", "sub": "subi", "mul": "muli", "shl": "shli"}
_BITS = {"and": "andi", "or": "ori", "xor": "xori"}
_DIVISION = {"udiv": "divi", "sdiv": "divi", "urem": "remi", "srem": "remi", "lshr": "shri", "ashr": "shri"}
_FLOAT = {"fadd": "addf", "fsub": "subf", "fmul": "mulf", "fdiv": "divf"}
_PREDICATES = {
    **{"eq": "equal", "ne": "not_equal", "lt": "less_than", "le": "less_than_or_equal"},
    **{"gt": "greater_than", "ge": "greater_than_or_equal"},
}
_WEAK = {"memory_ordering_semantics": "weak"}
_OVERFLOW = {
    (False, False): "none",
    (True, False): "no_signed_wrap",
    (False, True): "no_unsigned_wrap",
    (True, True): "no_wrap",
}


class Instructions(Types):
    """Instructions without control flow. `values` has what LLVM's names stand for."""

    def instruction(self, i: Instruction) -> Value | tuple | None:
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
            if operand.name not in self.values:
                raise Unsupported(f"a value that is not known here: %{operand.name}")
            return self.values[operand.name]
        if isinstance(operand, Number):
            return self.constant(Tile(self.element_of(operand.type), ()), operand.value)
        if isinstance(operand, Undefined):
            return self.constant(Tile(self.element_of(operand.type), ()), 0)
        if isinstance(operand, Global):
            return self.address_of_global(operand.name)
        if isinstance(operand, Expression):
            return self.instruction(operand.instruction)
        raise Unsupported("a constant array or structure")

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
            if is_float(type_.element) and isinstance(operand.value, int):
                return self.constant_of_bits(type_, operand.value)
            value = self.value(operand)
            if value.type.element == type_.element:
                return self.broadcast(value, type_.shape)
        else:
            value = self.value(operand)
        if value.type == type_:
            return value
        return self.broadcast(self.as_element(value, type_.element), type_.shape)

    # --- arithmetic ---

    def _integer_binary(self, i: Instruction) -> Value:
        lhs, rhs = map(self.number, i.operands)
        if i.op in _BITS:
            return self.binary(_BITS[i.op], lhs, rhs)
        if i.op in _INTEGER:
            return self.binary(_INTEGER[i.op], lhs, rhs, _overflow(i))
        attributes = {"signedness": "unsigned" if i.op[0] in "ul" else "signed"}
        if _DIVISION[i.op] == "divi":
            attributes["rounding"] = "zero"
        return self.binary(_DIVISION[i.op], lhs, rhs, attributes)

    def _or(self, i: Instruction) -> Value:
        lhs, rhs = map(self.number, i.operands)
        return self.binary("ori", lhs, rhs)

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
        return tests[0] if len(tests) == 1 else self.binary("ori" if is_nan else "andi", *tests)

    def _conversion(self, i: Instruction) -> Value:
        value = self.number(i.operands[0])
        signed_from, signed_to = i.op in ("sext", "sitofp"), i.op != "fptoui"
        return self.convert(value, self.element_of(i.type), signed_from, signed_to)

    def _freeze(self, i: Instruction) -> Value:
        return self.value(i.operands[0])

    def _bitcast(self, i: Instruction) -> Value:
        return self.as_element(self.value(i.operands[0]), self.element_of(i.type))

    def _select(self, i: Instruction) -> Value:
        condition, yes, no = i.operands
        type_ = self.type_of(Local(i.name, i.type))
        if type_ is None:
            type_ = Tile(self.element_of(i.type), ())
        condition = self.number(condition)
        yes, no = (self._scalar_or(type_, operand) for operand in (yes, no))
        return self.select(condition, yes, no)

    def _scalar_or(self, type_: Tile, operand: Operand) -> Value:
        """A constant stays a scalar, which select() broadcasts."""
        shape = () if not isinstance(operand, Local) else self.value(operand).type.shape
        return self.of_type(operand, Tile(type_.element, shape))

    # --- addresses ---

    def _ptrtoint(self, i: Instruction) -> Value:
        return self.convert(self.as_element(self.value(i.operands[0]), I64), self.element_of(i.type), False)

    def _inttoptr(self, i: Instruction) -> Value:
        value = self.value(i.operands[0])
        return value if isinstance(value.type.element, Pointer) else self.as_element(value, BYTES)

    def _getelementptr(self, i: Instruction) -> Value:
        """Indices are counted in elements of what the pointer points to, where they come out even."""
        pointer = self.value(i.operands[0])
        if not isinstance(pointer.type, Tile) or not isinstance(pointer.type.element, Pointer):
            raise Unsupported("an address within a tile")
        known, parts = 0, []
        type_: object = Array(0, i.detail)
        for index in i.operands[1:]:
            if isinstance(type_, Struct):
                known += offset_of(type_, index.value)
                type_ = type_.elements[index.value]
                continue
            if not isinstance(type_, Array):
                raise Unsupported("an address within a number")
            type_ = type_.element
            if isinstance(index, Number):
                known += index.value * size_of(type_)
            else:
                parts.append((self.number(index), size_of(type_)))
        return self._advance(pointer, known, parts)

    def _advance(self, pointer: Value, known: int, parts: list[tuple[Value, int]]) -> Value:
        element = pointer.type.element
        size = max(width(element.pointee) // 8, 1)
        if known % size or any(step % size for _, step in parts):
            moved = self._advance(self.as_element(pointer, BYTES), known, parts)
            return self.as_element(moved, element)
        for index, step in parts:
            pointer = self._offset(pointer, self._scaled(index, step // size))
        if known:
            pointer = self._offset(pointer, self.constant(Tile(I64, ()), known // size))
        return pointer

    def _scaled(self, index: Value, factor: int) -> Value:
        if factor == 1:
            return index
        index = self.convert(index, I64)
        return self.binary("muli", index, self.constant(Tile(I64, ()), factor), {"overflow": "none"})

    def _offset(self, pointer: Value, offset: Value) -> Value:
        pointer, offset = self.in_one_shape(pointer, offset)
        return self.pure("offset", {"ptr": pointer, "offset": offset}, pointer.type)

    # --- structures ---

    def _insertvalue(self, i: Instruction) -> tuple:
        whole, value = i.operands
        if len(i.detail) != 1:
            raise Unsupported("a structure within a structure")
        old = self.values.get(whole.name) if isinstance(whole, Local) else None
        parts = list(old) if old is not None else [None] * len(i.type.elements)
        parts[i.detail[0]] = self.value(value)
        return tuple(parts)

    def _extractvalue(self, i: Instruction) -> Value:
        part = self.values[i.operands[0].name][i.detail[0]]
        return part if part is not None else self.value(Undefined(i.type))

    # --- single elements in memory ---

    def _load(self, i: Instruction) -> Value:
        pointer = self._pointer_to(i.operands[0], i.type)
        type_ = Tile(pointer.type.element.pointee, pointer.type.shape)
        value = self.access(i, "load_ptr_tko", {"source": pointer}, type_, dict(_WEAK))
        if i.type == "i1":
            return self.convert(value, I1)
        return value

    def _store(self, i: Instruction) -> None:
        value, pointer = i.operands
        pointer = self._pointer_to(pointer, value.type)
        type_ = Tile(pointer.type.element.pointee, pointer.type.shape)
        if isinstance(value, Local) and self._is_tile(value):
            raise Unsupported("a tile in an array whose index is not known when the kernel is compiled")
        operands = {"destination": pointer, "value": self.of_type(value, type_)}
        self.access(i, "store_ptr_tko", operands, None, dict(_WEAK))

    def _is_tile(self, operand: Local) -> bool:
        value = self.value(operand)
        return operand.type == "ptr" and (
            value.type.shape != () or not isinstance(value.type.element, Pointer)
        )

    def _pointer_to(self, operand: Operand, type_: object) -> Value:
        """A pointer to elements that travel in LLVM IR as this type."""
        pointer = self.value(operand)
        if not isinstance(pointer.type.element, Pointer):
            raise Unsupported("a tile that is read as memory")
        if not isinstance(type_, str):
            raise Unsupported("an array or structure that is loaded or stored as a whole")
        pointee = pointer.type.element.pointee
        wanted = BYTES if type_ == "ptr" else I8 if type_ == "i1" else self.element_of(type_)
        if isinstance(pointee, Pointer) == (type_ == "ptr") and width(pointee) == width(wanted):
            return pointer
        return self.as_element(pointer, Pointer(wanted))

    def _alloca(self, i: Instruction) -> Value:
        type_, count = i.detail, 1
        while isinstance(type_, Array):
            type_, count = type_.element, count * type_.count
        if isinstance(type_, Struct):
            count, type_ = count * size_of(type_), "i8"
        element = BYTES if type_ == "ptr" else self.element_of(type_)
        attributes = {"num_elem": count, "alignment": max(width(element) // 8, 8), "global": False}
        return self.emit("alloca", {}, [Tile(Pointer(element), ())], attributes).results[0]

    def _copy(self, i: Instruction, name: str) -> None:
        """Elements one after another, or the same byte everywhere."""
        to, source, count = i.operands[:3]
        if not isinstance(count, Number):
            raise Unsupported("a copy of memory whose size is not known when the kernel is compiled")
        pointer = self.value(to)
        size = max(width(pointer.type.element.pointee) // 8, 1)
        if count.value % size:
            pointer, size = self.as_element(pointer, BYTES), 1
        type_ = Tile(pointer.type.element.pointee, ())
        for index in range(count.value // size):
            if name == "memset":
                byte = source.value & 255 if isinstance(source, Number) else None
                if byte is None:
                    raise Unsupported("memory that is filled with a number that is not known")
                value = self.constant_of_bits(type_, int.from_bytes(bytes([byte]) * size, "little"))
            else:
                from_ = self.as_element(self.value(source), pointer.type.element)
                from_ = self._advance(from_, index * size, [])
                value = self.access(i, "load_ptr_tko", {"source": from_}, type_, dict(_WEAK))
            place = self._advance(pointer, index * size, [])
            self.access(i, "store_ptr_tko", {"destination": place, "value": value}, None, dict(_WEAK))

    # --- LLVM's own functions ---

    def intrinsic(self, i: Instruction) -> Value | tuple | None:
        name = i.detail.removeprefix("llvm.")
        for known, rule in _INTRINSICS:
            if name == known or name.startswith(known + "."):
                return rule(self, i, known)
        raise Unsupported(f"the function {i.detail}")

    def _extremum(self, i: Instruction, name: str) -> Value:
        sign = {"signedness": "signed" if name[0] == "s" else "unsigned"}
        return self.binary(f"{name[1:]}i", *map(self.number, i.operands), sign)

    def _float_extremum(self, i: Instruction, name: str) -> Value:
        modes = {"propagate_nan": name.endswith("imum"), "flush_to_zero": False}
        return self.binary(f"{name[:3]}f", *map(self.number, i.operands), modes)

    def _absolute(self, i: Instruction, name: str) -> Value:
        return self.unary("absi" if name == "abs" else "absf", self.number(i.operands[0]))

    def _float_unary(self, i: Instruction, name: str) -> Value:
        return self.function(name, [self.number(i.operands[0])])

    def _fma(self, i: Instruction, name: str) -> Value:
        return self.function("fma", [self.number(o) for o in i.operands])

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

    def _saturating_subtraction(self, i: Instruction, name: str) -> Value:
        lhs, rhs = map(self.number, i.operands)
        greater = self.binary("maxi", lhs, rhs, {"signedness": "unsigned"})
        return self.binary("subi", greater, rhs, {"overflow": "none"})

    def _comparison_number(self, i: Instruction, name: str) -> Value:
        """-1, 0 or 1."""
        lhs, rhs = map(self.number, i.operands)
        sign = {"signedness": "signed" if name == "scmp" else "unsigned"}
        element = self.element_of(i.type)
        parts = [
            self.convert(self.compare("cmpi", predicate, lhs, rhs, sign), element, False)
            for predicate in ("greater_than", "less_than")
        ]
        return self.binary("subi", *parts, {"overflow": "none"})

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
        element, result = value.type.element, None
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
            result = part if result is None else self.binary("ori", result, part)
        return result

    def _with_overflow(self, i: Instruction, name: str) -> tuple[Value, Value]:
        """Unsigned: the sum, difference or product, and whether it wrapped."""
        lhs, rhs = map(self.number, i.operands)
        sign = {"signedness": "unsigned"}
        if name.startswith("uadd"):
            result = self.binary("addi", lhs, rhs, {"overflow": "none"})
            return result, self.compare("cmpi", "less_than", result, lhs, sign)
        if name.startswith("usub"):
            return self.binary("subi", lhs, rhs, {"overflow": "none"}), self.compare(
                "cmpi", "less_than", lhs, rhs, sign
            )
        upper = self.binary("mulhii", lhs, rhs, None, ("x", "y"))
        zero = self.constant(Tile(upper.type.element, ()), 0)
        wrapped = self.compare("cmpi", "not_equal", upper, zero, sign)
        return self.binary("muli", lhs, rhs, {"overflow": "none"}), wrapped

    def _float_class(self, i: Instruction, name: str) -> Value:
        """Of which of ten kinds a number is: those that kernels ask for are NaN, infinity, zero, finite."""
        value, mask = self.number(i.operands[0]), i.operands[1].value
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


def _overflow(i: Instruction) -> dict[str, str]:
    return {"overflow": _OVERFLOW["nsw" in i.flags, "nuw" in i.flags]}


_INTRINSICS = [
    *((name, Instructions._extremum) for name in ("smax", "smin", "umax", "umin")),
    *((name, Instructions._float_extremum) for name in ("maxnum", "minnum", "maximumnum", "minimumnum")),
    *((name, Instructions._float_extremum) for name in ("maximum", "minimum")),
    *((name, Instructions._absolute) for name in ("abs", "fabs")),
    *((name, Instructions._float_unary) for name in ("floor", "ceil", "sqrt", "exp", "exp2", "log", "log2")),
    *((name, Instructions._float_unary) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")),
    *((name, Instructions._fma) for name in ("fma", "fmuladd")),
    *((name, Instructions._funnel_shift) for name in ("fshl", "fshr")),
    *((name, Instructions._comparison_number) for name in ("scmp", "ucmp")),
    *((name, Instructions._zeros_in_front) for name in ("ctlz", "cttz")),
    *((f"{name}.with.overflow", Instructions._with_overflow) for name in ("uadd", "usub", "umul")),
    *((name, Instructions._nothing) for name in ("lifetime", "assume", "dbg", "experimental.noalias")),
    *((name, Instructions._copy) for name in ("memcpy", "memmove", "memset")),
    ("copysign", Instructions._copysign),
    ("usub.sat", Instructions._saturating_subtraction),
    ("ctpop", Instructions._population),
    ("bswap", Instructions._swapped_bytes),
    ("is.fpclass", Instructions._float_class),
]
