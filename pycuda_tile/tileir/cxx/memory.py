"""Accesses to memory and the tokens that order them.

Accesses of one block happen in program order where they may touch the same element. Each pointer belongs to
what it was made from: to a parameter that is `__restrict__`, which nothing else points into, or to all other
memory. What a kernel never writes needs no order.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..ir import Pointer, Scalar, TensorView, Tile, TileView, Token, Value
from .builder import I1, I8, is_float
from .calls import Calls
from .llvm import Expression, Global, Instruction, Local, Number, Operand, Variable
from .names import Name, number_of, recorded_call
from .types import integer

_ORDERS = {-1: "weak", 0: "relaxed", 1: "acquire", 2: "release", 3: "acq_rel"}
_SCOPES = ("sys", "device", "tl_blk")
_PADDINGS = ("zero", "neg_zero", "pos_inf", "neg_inf", "nan")
#: Memory that no __restrict__ parameter points to, and what is printed.
OTHER, OUTPUT = "", "."
Region = str


class Effect(NamedTuple):
    """What an instruction does: to which memory; ordered: acquire or release, which concerns all of it."""

    regions: frozenset[Region]
    writes: bool
    ordered: bool = False


class Order(NamedTuple):
    """Tokens of one part of memory: the last write, and all accesses since and with it. None: none yet."""

    write: Value | None = None
    all: Value | None = None


class Memory(Calls):
    """Loads, stores and atomic operations."""

    @abstractmethod
    def variable(self, name: str) -> Variable | None: ...

    def prepare_memory(self) -> None:
        """Finds out which memory is written at all, and what each block does."""
        self.order: dict[Region, Order] = {}
        self._regions = {a.name: self._of_parameter(a) for a in self.function_text.arguments}
        changed = True
        while changed:  # what goes around in loops takes another round
            found = {name: self._find_regions(i) for name, i in self.definitions.items()}
            changed = any(self._regions.get(name) != regions for name, regions in found.items())
            self._regions |= found
        self._merge_escaped()
        self.effects = {
            name: [e for i in block if (e := self._effect(i))]
            for name, block in self.function_text.blocks.items()
        }
        effects = [e for block in self.effects.values() for e in block]
        self._written = {region for e in effects if e.writes for region in e.regions}
        self._everything = frozenset(r for e in effects for r in e.regions)
        if any(e.ordered for e in effects):  # other blocks may write what this one waits for
            self._written |= self._everything

    # --- what may alias ---

    def regions(self, operand: Operand) -> frozenset[Region]:
        """The memory that a pointer, or a tile of them, may point into."""
        while isinstance(operand, Expression) and operand.instruction.operands:
            operand = operand.instruction.operands[0]
        if isinstance(operand, Global):
            variable = self.variable(operand.name)
            return frozenset() if variable is not None and variable.constant else frozenset([OTHER])
        if not isinstance(operand, Local):
            return frozenset()
        return self._regions.get(operand.name, frozenset())

    def _merge_escaped(self) -> None:
        """Local memory whose address is stored may be reached by any pointer that is loaded."""
        stored = [i.operands[0] for i in self._all() if i.op == "store" and i.operands[0].type == "ptr"]
        escaped = frozenset().union(*map(self.regions, stored))
        for name, regions in self._regions.items():
            if regions & escaped:
                self._regions[name] = regions - escaped | {OTHER}

    def _all(self) -> Iterator[Instruction]:
        return (i for block in self.function_text.blocks.values() for i in block)

    def _of_parameter(self, parameter: Local) -> frozenset[Region]:
        if parameter.type != "ptr":
            return frozenset()
        if parameter.name in self.function_text.by_value:
            return frozenset([f"%{parameter.name}"])
        return frozenset([parameter.name if parameter.name in self.function_text.noalias else OTHER])

    def _find_regions(self, i: Instruction) -> frozenset[Region]:
        call = recorded_call(i.detail) if i.op == "call" else None
        if i.op == "alloca":
            return frozenset([f"%{i.name}"])
        if i.op in ("load", "inttoptr") or (call and not call.is_pure):
            type_ = self.type_of(Local(i.name, i.type))
            pointers = type_ is not None and isinstance(type_.element, Pointer)
            return frozenset([OTHER]) if pointers else frozenset()
        if i.op == "getelementptr":
            return self.regions(i.operands[0])
        return frozenset().union(*map(self.regions, i.operands))

    def _effect(self, i: Instruction) -> Effect | None:
        if i.op == "load":
            return Effect(self.regions(i.operands[0]), False)
        if i.op == "store":
            return Effect(self.regions(i.operands[1]), True)
        if i.op == "call" and i.detail.startswith(("llvm.memcpy", "llvm.memmove", "llvm.memset")):
            return Effect(self.regions(i.operands[0]) | self.regions(i.operands[1]), True)
        call = recorded_call(i.detail) if i.op == "call" else None
        if i.op == "call" and i.detail == "printf":
            return Effect(frozenset([OUTPUT]), True)
        if call is None or call.is_pure or call.operation == "asserted":
            return None
        if call.operation in ("print", "formatted"):
            return Effect(frozenset([OUTPUT]), True)
        order = number_of(call.arguments[-2])
        writes = call.operation not in ("load_view", "load_pointers") or order >= 0
        return Effect(self.regions(i.operands[0]) or frozenset([OTHER]), writes, order > 0)

    # --- tokens ---

    def access(
        self,
        i: Instruction,
        name: str,
        operands: dict[str, Any],
        type_: Tile | None,
        attributes: dict[str, Any],
    ) -> Value:
        """A memory operation, after those that it must not overtake; yields what was loaded, or a token."""
        effect = self._effect(i)
        assert effect is not None, i
        regions = sorted((self._everything if effect.ordered else effect.regions) & self._written)
        orders = [self.order.get(region, Order()) for region in regions]
        known = [o.all if effect.writes else o.write for o in orders]
        tokens = list(dict.fromkeys(token for token in known if token is not None))
        if tokens:
            operands["token"] = self.joined(tokens)
        op = self.emit(name, operands, ([type_] if type_ else []) + [Token()], attributes)
        token = op.results[-1]
        for region, order in zip(regions, orders, strict=True):
            if effect.writes:
                self.order[region] = Order(token, token)
            elif order.all is None or order.all is order.write:
                self.order[region] = Order(order.write, token)
            else:
                self.order[region] = Order(order.write, self.joined([order.all, token]))
        return op.results[0]

    def variable_of(self, name: str, value: Value) -> Value:
        """The address of a variable of this block that starts with this value."""
        type_ = value.type
        attributes = {"num_elem": 1, "alignment": 8, "global": False}
        address = self.emit("alloca", {}, [Tile(Pointer(type_.element), ())], attributes).results[0]
        operands = {"destination": address, "value": value}
        token = self.emit("store_ptr_tko", operands, [Token()], {"memory_ordering_semantics": "weak"})
        self.order[f"%{name}"] = Order(token.results[0], token.results[0])
        return address

    def joined(self, tokens: list[Value]) -> Value:
        return tokens[0] if len(tokens) == 1 else self.pure("join_tokens", {"tokens": tokens}, Token())

    def ordered_in(self, blocks: set[str]) -> dict[Region, bool]:
        """The memory that these blocks access and whose accesses have an order; whether they write it."""
        found: dict[Region, bool] = {}
        for block in blocks:
            for effect in self.effects.get(block, ()):
                for region in (self._everything if effect.ordered else effect.regions) & self._written:
                    found[region] = found.get(region, False) or effect.writes
        return found

    # --- through pointers ---

    def call_load_pointers(self, i: Instruction, type_: Name, order: int, scope: int) -> Value:
        tile = type_.tile
        stored = _in_memory(tile)
        pointers, *more = i.operands
        operands = {"source": self._pointers(pointers, stored)}
        if more and not self._is_true(mask := self.value(more[0])):
            operands["mask"] = mask
            if not isinstance(more[1], Number):
                operands["paddingValue"] = self._to_memory(self.value(more[1]), stored)
        value = self.access(i, "load_ptr_tko", operands, stored, _ordering(order, scope))
        return self._from_memory(value, tile)

    def call_store_pointers(self, i: Instruction, type_: Name, order: int, scope: int) -> None:
        stored = _in_memory(type_.tile)
        pointers, value, where = i.operands
        operands = {"destination": self._pointers(pointers, stored)}
        operands["value"] = self._to_memory(self.of_type(value, type_.tile), stored)
        if not self._is_true(mask := self.value(where)):
            operands["mask"] = mask
        self.access(i, "store_ptr_tko", operands, None, _ordering(order, scope))

    def call_update_pointers(
        self, i: Instruction, type_: Name, function: Name, order: int, scope: int
    ) -> Value:
        tile = type_.tile
        pointers, given, where = i.operands
        value, mode = self.of_type(given, tile), function.name
        if mode == "sub":
            value, mode = self._negated(value), "add"
        operands = {"pointers": self._pointers(pointers, tile), "arg": value}
        if not self._is_true(mask := self.value(where)):
            operands["mask"] = mask
        names = {"bit_and": "and", "bit_or": "or", "bit_xor": "xor", "exchange": "xchg"}
        if mode == "add" and is_float(tile.element):
            mode = "addf"
        if mode in ("max", "min") and not type_.is_signed:
            mode = f"u{mode}"
        attributes = {**_ordering(order, scope), "mode": names.get(mode, mode)}
        return self.access(i, "atomic_rmw_tko", operands, tile, attributes)

    def call_exchange_pointers(self, i: Instruction, type_: Name, order: int, scope: int) -> Value:
        tile = type_.tile
        pointers, comparand, value, where = i.operands
        operands = {"pointers": self._pointers(pointers, tile)}
        operands |= {"cmp": self.of_type(comparand, tile), "val": self.of_type(value, tile)}
        if not self._is_true(mask := self.value(where)):
            operands["mask"] = mask
        return self.access(i, "atomic_cas_tko", operands, tile, _ordering(order, scope))

    def _negated(self, value: Value) -> Value:
        if is_float(value.type.element):
            return self.unary("negf", value)
        return self.unary("negi", value, {"overflow": "none"})

    def _pointers(self, operand: Operand, type_: Tile) -> Value:
        return self.of_type(operand, Tile(Pointer(type_.element), type_.shape))

    def _is_true(self, mask: Value) -> bool:
        known = self.known_value(mask)
        return known is not None and bool(np.all(known))

    def _from_memory(self, value: Value, type_: Tile) -> Value:
        """A bool is a byte in memory."""
        if value.type.element == type_.element:
            return value
        zero = self.constant(Tile(I8, ()), 0)
        return self.compare("cmpi", "not_equal", value, zero, {"signedness": "signed"})

    def _to_memory(self, value: Value, type_: Tile) -> Value:
        if value.type.element == I1:
            return self.convert(value, I8, signed_from=False)
        return self.as_element(value, type_.element)

    # --- through views ---

    def call_load_view(self, i: Instruction, type_: Name, padding: int, order: int, scope: int) -> Value:
        stored = _in_memory(type_.tile)
        if not stored.shape:  # which no view has: its only element, which is always there
            operands = {"source": self._pointers(i.operands[0], stored)}
            value = self.access(i, "load_ptr_tko", operands, stored, _ordering(order, scope))
            return self._from_memory(value, type_.tile)
        view, indices = self._view(i, stored, _PADDINGS[padding] if padding >= 0 else None)
        attributes = {**_ordering(order, scope), "inbounds": [padding < 0] * len(indices)}
        value = self.access(i, "load_view_tko", {"view": view, "index": indices}, stored, attributes)
        return self._from_memory(value, type_.tile)

    def call_store_view(self, i: Instruction, type_: Name, padding: int, order: int, scope: int) -> None:
        stored = _in_memory(type_.tile)
        tile = self._to_memory(self.of_type(i.operands[-1], type_.tile), stored)
        if not stored.shape:
            operands = {"destination": self._pointers(i.operands[0], stored), "value": tile}
            self.access(i, "store_ptr_tko", operands, None, _ordering(order, scope))
            return
        view, indices = self._view(i, stored, "zero" if padding >= 0 else None)
        attributes = {**_ordering(order, scope), "inbounds": [padding < 0] * len(indices)}
        self.access(i, "store_view_tko", {"tile": tile, "view": view, "index": indices}, None, attributes)

    def _view(self, i: Instruction, type_: Tile, padding: str | None) -> tuple[Value, list[Value]]:
        """The partition view, and the indices. Constant extents and strides are part of
        the type; views of what a loop does not change stand before it."""
        rank = len(type_.shape)
        base, *rest = i.operands
        indices, extents, strides = rest[:rank], rest[rank : 2 * rank], rest[2 * rank : 3 * rank]
        known = [_static(extent) for extent in extents], [_static(stride) for stride in strides]
        tensor = TensorView(type_.element, tuple(known[0]), tuple(known[1]))
        operands: dict[str, Value | list[Value]] = {
            "base": self.of_type(base, Tile(Pointer(type_.element), ()))
        }
        for name, given, fixed in (("Shape", extents, known[0]), ("Strides", strides, known[1])):
            pairs = zip(given, fixed, strict=True)
            operands[f"dynamic{name}"] = [
                self.number(number) for number, is_known in pairs if is_known is None
            ]
        tensor_view = self.pure("make_tensor_view", operands, tensor, hoist=True)
        view_type = TileView(
            "partition_view", type_.shape, tensor, tuple(range(rank)), padding, steps=type_.shape
        )
        view = self.pure("make_partition_view", {"tensor_view": tensor_view}, view_type, hoist=True)
        return view, [self.number(index) for index in indices]


def _static(operand: Operand) -> int | None:
    return integer(operand) if isinstance(operand, Number) and operand.value > 0 else None


def _in_memory(type_: Tile) -> Tile:
    return Tile(Scalar("i8"), type_.shape) if type_.element == I1 else type_


def _ordering(order: int, scope: int) -> dict[str, str]:
    scoped = {} if order < 0 else {"memory_scope": _SCOPES[scope]}
    return {"memory_ordering_semantics": _ORDERS[order], **scoped}
