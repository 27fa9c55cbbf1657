"""A rule for each recorded call (include/cuda_tile/platform/record_calls.h)."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from ..elements import DTYPES
from ..ir import Block, Bounded, Constant, DivBy, Pointer, SameElements, Scalar, Tile, Value
from .builder import Unsupported, is_float, is_integer, width
from .instructions import ROUNDED
from .llvm import Instruction, Local, Operand
from .names import Name, name_of, number_of, recorded_call
from .packing import Packing
from .types import Parts

I32 = Scalar("i32")
#: The rounding modes of constants.h, in its order.
_MODES = ("nearest_even", "zero", "negative_inf", "positive_inf", "approx", "full")
_CASTS = {**dict(enumerate(_MODES[:4])), 6: "nearest_away"}
_MATH: dict[str, dict[str, object]] = {
    **{
        "ceil": {},
        "floor": {},
        "log": {},
        "log2": {},
        "sin": {},
        "cos": {},
        "tan": {},
        "sinh": {},
        "cosh": {},
    },
    **{"exp": {"rounding_mode": "full"}, "exp2": {"flush_to_zero": False}, "rsqrt": {"flush_to_zero": False}},
    **{"tanh": {"rounding_mode": "full"}, "sqrt": ROUNDED},
}
_APPROXIMATE = {
    **{"approximate_div": ("divf", "approx"), "full_div": ("divf", "full")},
    **{"approximate_sqrt": ("sqrt", "approx")},
    **{"approximate_exp": ("exp", "approx"), "approximate_tanh": ("tanh", "approx")},
}
_C_FUNCTIONS = {"fmod": "remainder", "fabs": "abs", "fmax": "max", "fmin": "min"}

#: Calls whose first operand is a tile.
_OF_HANDLES = {"element", "only_element", "reshape", "broadcast", "permute", "cat", "extract"}
_OF_HANDLES |= {"reduce", "scan", "mma", "insert", "repack", "scaled_mma"}


class Calls(Packing):
    """Calls of LLVM's functions, of recorded ones and of those of the C library that have an operation."""

    of_regions: set[str]  # what depends on the arguments of a reduction's body

    @abstractmethod
    def readable(self, symbol: str) -> str: ...

    @abstractmethod
    def printf(self, i: Instruction) -> Value: ...

    def _call(self, i: Instruction) -> Value | Parts | None:
        call = recorded_call(i.detail)
        if call is not None:
            if call.operation in _OF_HANDLES:
                self._check_is_handle(i.operands[0])
            return getattr(self, f"call_{call.operation}")(i, *call.arguments)
        if i.detail.startswith("llvm."):
            return self.intrinsic(i)
        if i.detail == "printf":
            return self.printf(i)
        name = i.detail.removesuffix("f") if i.detail not in ("erf",) else i.detail
        name = _C_FUNCTIONS.get(name, name)
        if name in (*_MATH, "pow", "atan2", "fma", "remainder", "abs", "max", "min") and i.type != "void":
            return self.function(name, [self.number(operand) for operand in i.operands])
        name = self.readable(i.detail)
        raise Unsupported(
            f"a call of {name}, which neither this source defines nor an operation of Tile IR is"
        )

    def _check_is_handle(self, operand: Operand) -> None:
        """The handle of a tile is what a call yields, or comes from a local array."""
        made = self.definitions.get(operand.name) if isinstance(operand, Local) else None
        if made is None or made.op != "load" or self.arrays.slot(made, self.type_of):
            return
        raise Unsupported("a tile in memory that is not a local array")

    # --- between tiles and elements ---

    def call_element(self, i: Instruction, type_: Name) -> Value:
        return self.of_type(i.operands[0], type_.tile)

    def call_tile_of_element(self, i: Instruction, type_: Name) -> Value:
        return self.of_type(i.operands[0], type_.tile)

    def call_only_element(self, i: Instruction, type_: Name) -> Value:
        return self.reshape(self.of_type(i.operands[0], type_.tile), ())

    # --- shapes ---

    def call_iota(self, i: Instruction, type_: Name) -> Value:
        element, shape = type_.tile.element, type_.tile.shape
        return self.reshape(self.pure("iota", {}, Tile(element, (math.prod(shape),))), shape)

    def call_listed(self, i: Instruction, type_: Name) -> Value:
        """A constant, in which each element that is none replaces a zero."""
        element, shape = Tile(type_.tile.element, ()), type_.tile.shape
        assert isinstance(element.element, Scalar)
        values = [self.of_type(operand, element) for operand in i.operands]
        known = [self.known_value(value) for value in values]
        zero = np.zeros((), DTYPES[element.element.name])
        numbers = np.array([zero if number is None else number for number in known])
        found = self.pure("constant", {}, type_.tile, {"value": numbers.reshape(shape)}, hoist=True)
        if all(number is not None for number in known):
            return found
        order = self.reshape(self.pure("iota", {}, Tile(I32, (len(values),))), shape)
        for at, (value, number) in enumerate(zip(values, known, strict=True)):
            if number is None:
                found = self.select(self.equals(order, at), value, found)
        return found

    def call_reshape(self, i: Instruction, type_: Name) -> Value:
        return self.reshape(self.value(i.operands[0]), type_.tile.shape)

    def call_broadcast(self, i: Instruction, type_: Name) -> Value:
        return self.broadcast(self.value(i.operands[0]), type_.tile.shape)

    def call_permute(self, i: Instruction, type_: Name, *permutation: int) -> Value:
        source = {"source": self.value(i.operands[0])}
        return self.pure("permute", source, type_.tile, {"permutation": permutation})

    def call_cat(self, i: Instruction, type_: Name, dimension: int) -> Value:
        lhs, rhs = map(self.value, i.operands)
        return self.pure("cat", {"lhs": lhs, "rhs": rhs}, type_.tile, {"dim": dimension})

    def call_extract(self, i: Instruction, type_: Name) -> Value:
        source, *indices = i.operands
        operands = {"source": self.value(source), "indices": [self.number(index) for index in indices]}
        return self.pure("extract", operands, type_.tile)

    def call_insert(self, i: Instruction, type_: Name) -> Value:
        whole, part, *indices = i.operands
        at = [self.number(index) for index in indices]
        operands = {"source": self.value(part), "destination": self.value(whole), "indices": at}
        return self.pure("insert", operands, type_.tile)

    # --- products ---

    def call_mma(self, i: Instruction, type_: Name, lhs_signed: int, rhs_signed: int) -> Value:
        lhs, rhs, acc = map(self.value, i.operands)
        batches = type_.tile.shape[:-2]
        lhs, rhs = (self.broadcast(v, (*batches, *v.type.shape[-2:])) for v in (lhs, rhs))
        operands = {"lhs": lhs, "rhs": rhs, "acc": self.of_type(acc, type_.tile)}
        if is_float(type_.tile.element):
            return self.pure("mmaf", operands, type_.tile, {"fast_acc": False})
        signs = {"signedness_lhs": _sign(lhs_signed), "signedness_rhs": _sign(rhs_signed)}
        return self.pure("mmai", operands, type_.tile, signs)

    def call_scaled_mma(self, i: Instruction, type_: Name, lhs: Name, rhs: Name) -> Value:
        batches = type_.tile.shape[:-2]
        values = []
        for operand, name in zip(i.operands, (lhs, rhs, type_, None, None), strict=True):
            value = self.value(operand)
            value = self.broadcast(value, (*batches, *value.type.shape[-2:]))
            packed = name_of(name.arguments[0]).packed if name else None
            values.append(self.halves(value, packed) if packed else value)
        names = ("lhs", "rhs", "acc", "lhs_scale", "rhs_scale")
        return self.pure("mmaf_scaled", dict(zip(names, values, strict=True)), type_.tile)

    # --- reductions and scans ---

    def call_argument(self, i: Instruction, type_: Name, number: int) -> Value:
        raise Unsupported("an argument of a reduction's function outside of that function")

    def call_reduce(self, i: Instruction, type_: Name, dimension: int) -> Value:
        shape = type_.tile.shape
        result = Tile(type_.tile.element, shape[:dimension] + shape[dimension + 1 :])
        return self.reshape(self._fold("reduce", i, result, {"dim": dimension}), shape)

    def call_scan(self, i: Instruction, type_: Name, dimension: int) -> Value:
        return self._fold("scan", i, type_.tile, {"dim": dimension, "reverse": False})

    def _fold(self, name: str, i: Instruction, type_: Tile, attributes: dict) -> Value:
        source, body, identity = i.operands
        value = self.value(source)
        element = value.type.element
        arguments = [Value(Tile(element, ())), Value(Tile(element, ()))]
        known = dict(self.values)
        self.open(arguments)
        result = self.of_type(self._body(body, arguments), Tile(element, ()))
        self.emit("yield", {"operands": [result]})
        block = Block(arguments, self.close().ops)
        self.values = known
        bits = Constant(element, self._bits(identity, element))
        attributes = {**attributes, "identities": [bits]}
        return self.emit(name, {"operands": [value]}, [type_], attributes, [block]).results[0]

    def _body(self, operand: Operand, arguments: list[Value]) -> Operand:
        """Translates what depends on the arguments, here, as it stands among the code around."""
        if isinstance(operand, Local) and operand.name in self.of_regions:
            definition = self.definitions[operand.name]
            call = recorded_call(definition.detail) if definition.op == "call" else None
            if call and call.operation == "argument":
                self.values[operand.name] = arguments[number_of(call.arguments[1])]
            else:
                for inner in definition.operands:
                    self._body(inner, arguments)
                result = self.instruction(definition) if operand.name not in self.values else None
                if result is not None:
                    self.values[operand.name] = result
        return operand

    def _bits(self, operand: Operand, element: Scalar) -> int:
        """The bits of a constant."""
        known = self.known_value(self.of_type(operand, Tile(element, ())))
        if known is None:
            raise Unsupported("an identity that is not a constant")
        return int.from_bytes(np.asarray(known).tobytes(), "little") & ((1 << width(element)) - 1)

    # --- elementwise functions ---

    def call_convert(self, i: Instruction, to: Name, source: Name, *mode: int) -> Value:
        operand, element = i.operands[0], source.element
        shape = (self.type_of(operand) or Tile(element, ())).shape
        value = self.of_type(operand, Tile(element, shape))
        if mode:
            attributes = {"rounding_mode": _CASTS[mode[0]]}
            return self.pure("ftof", {"from": value}, Tile(to.element, shape), attributes)
        if not source.packed and not to.packed:
            return self.convert(value, to.element, source.is_signed, to.is_signed)
        return self.convert_half_bytes(value, to, source)

    def call_saturated(self, i: Instruction, to: Name, source: Name) -> Value:
        operand = i.operands[0]
        shape = (self.type_of(operand) or Tile(source.element, ())).shape
        value = self.of_type(operand, Tile(source.element, shape))
        sign = {"signedness": _sign(to.is_signed), "rounding_mode": "nearest_int_to_zero", "saturating": True}
        return self.pure("ftoi", {"from": value}, Tile(to.element, shape), sign)

    def call_powi(self, i: Instruction, type_: Name) -> Value:
        base, exponent = i.operands
        shape = (self.type_of(base) or type_.tile).shape
        source, power = self.of_type(base, Tile(type_.element, shape)), self.number(exponent)
        return self.binary("fpowi", source, power, None, ("source", "exponent"))

    def call_elementwise(self, i: Instruction, function: Name, type_: Name, *modes: int) -> Value:
        element = type_.element
        values = []
        for operand in i.operands:
            shape = (self.type_of(operand) or Tile(element, ())).shape
            values.append(self.of_type(operand, Tile(element, shape)))
        return self.function(function.name, values, modes, type_.is_signed)

    def function(
        self, name: str, values: list[Value], modes: tuple[int, ...] = (), signed: bool = True
    ) -> Value:
        """An elementwise function of values; modes: of rounding or NaN, and if subnormals are flushed."""
        element = values[0].type.element
        flush = bool(modes[1]) if len(modes) > 1 else False
        if is_integer(element):
            return self._integer_function(name, values, signed)
        lhs, rhs = values[0], values[-1]  # the same one, of a function of one value
        rounded: dict[str, object] = {
            "flush_to_zero": flush,
            "rounding_mode": _MODES[modes[0] if modes else 0],
        }
        if name in ("add", "sub", "mul", "div"):
            return self.binary(f"{name}f", lhs, rhs, rounded)
        if name == "fma":
            lhs, rhs, acc = self.in_one_shape(*values)
            return self.pure("fma", {"lhs": lhs, "rhs": rhs, "acc": acc}, lhs.type, rounded)
        if name in ("max", "min"):
            propagate = bool(modes and modes[0])
            return self.binary(f"{name}f", lhs, rhs, {"propagate_nan": propagate, "flush_to_zero": flush})
        if name in ("abs", "negate"):
            return self.unary({"abs": "absf", "negate": "negf"}[name], values[0])
        if name == "remainder":
            return self.binary("remf", lhs, rhs)
        if name == "pow":
            return self.binary("fpowf", lhs, rhs, None, ("source", "exponent"))
        if name == "atan2":
            return self.binary("atan2", lhs, rhs, None, ("x", "y"))
        if name in _APPROXIMATE:
            op, mode = _APPROXIMATE[name]
            attributes: dict[str, object] = {"rounding_mode": mode}
            attributes |= {} if op in ("exp", "tanh") else {"flush_to_zero": False}
            return (
                self.binary(op, lhs, rhs, attributes)
                if op == "divf"
                else self.unary(op, values[0], attributes)
            )
        attributes = dict(_MATH[name])
        if "flush_to_zero" in attributes:
            attributes["flush_to_zero"] = flush
        if name == "sqrt":
            attributes = rounded
        return self.unary(name, values[0], attributes)

    def _integer_function(self, name: str, values: list[Value], signed: bool) -> Value:
        sign = {"signedness": _sign(signed)}
        lhs, rhs = values[0], values[-1]
        if name in ("div", "ceildiv", "floordiv"):
            mode = {
                "div": "zero",
                "ceildiv": "positive_inf",
                "floordiv": "negative_inf" if signed else "zero",
            }
            return self.binary("divi", lhs, rhs, {**sign, "rounding": mode[name]})
        if name == "remainder":
            return self.binary("remi", lhs, rhs, sign)
        if name == "mulhi":
            return self.binary("mulhii", lhs, rhs, None, ("x", "y"))
        if name in ("max", "min"):
            return self.binary(f"{name}i", lhs, rhs, sign)
        if name == "abs":
            return self.unary("absi", values[0])
        raise Unsupported(f"{name} of integers")

    # --- ranges, the grid, assumptions ---

    def call_next_index(self, i: Instruction, type_: Name) -> Value:
        index, step = map(self.number, i.operands)
        overflow = "no_signed_wrap" if type_.is_signed else "no_unsigned_wrap"
        return self.binary("addi", index, step, {"overflow": overflow})

    def call_block_index(self, i: Instruction, axis: int) -> Value:
        return self.pure_op("get_tile_block_id", {}, [Tile(I32, ())] * 3, hoist=True).results[axis]

    def call_block_count(self, i: Instruction, axis: int) -> Value:
        return self.pure_op("get_num_tile_blocks", {}, [Tile(I32, ())] * 3, hoist=True).results[axis]

    def call_assume_divisible(
        self, i: Instruction, type_: Name, divisor: int, every: int, along: int
    ) -> Value:
        runs = (every, along) if every else (None, None)
        return self._assume(i, type_, DivBy(divisor, *runs))

    def call_assume_bounded(self, i: Instruction, type_: Name, lower: int, upper: int) -> Value:
        bits = width(type_.tile.element)
        least, greatest = -(1 << bits - 1), (1 << bits - 1) - 1
        bounds = Bounded(lower if lower > least else None, upper if upper < greatest else None)
        return self._assume(i, type_, bounds)

    def call_assume_blocked(self, i: Instruction, type_: Name, *groups: int) -> Value:
        return self._assume(i, type_, SameElements(groups))

    def _assume(self, i: Instruction, type_: Name, predicate: object) -> Value:
        shape = (self.type_of(i.operands[0]) or type_.tile).shape
        element = (
            self.value(i.operands[0]).type.element if isinstance(i.operands[0], Local) else type_.tile.element
        )
        if not isinstance(element, Pointer):
            element = type_.tile.element
        value = self.of_type(i.operands[0], Tile(element, shape))
        return self.pure("assume", {"value": value}, value.type, {"predicate": predicate})


def _sign(signed: object) -> str:
    return "signed" if signed else "unsigned"
