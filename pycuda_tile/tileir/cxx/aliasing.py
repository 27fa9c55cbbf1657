"""Which memory each instruction accesses, and with which others it may share an element.

Memory is divided into regions: one of each parameter that is `__restrict__`, and one of each type that the
other parameters point to, since elements of different types are different objects. What is computed from a
pointer points where that one does. A pointer that is no `__restrict__` may still point to what one of the
same type does that is; one to bytes, or one that was loaded or made of a number, points anywhere.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

from ..ir import Pointer, Scalar
from .calls import Calls
from .llvm import Expression, Global, Instruction, Local, Operand, Variable
from .names import number_of, recorded_call

Region = str
#: Objects of a type that no parameter points to; constants, which nothing writes; what is printed.
OTHER, CONSTANT, OUTPUT = "*", "=", "."
NONE: frozenset[Region] = frozenset()
#: Types that hold others: structures of the C++ types on the right, which may be accessed as these.
_HELD = {"f16": "i16", "bf16": "i16", "tf32": "f32"}


class Effect(NamedTuple):
    """What an instruction reads, and what it writes or reads in its place among other reads."""

    reads: frozenset[Region]
    writes: frozenset[Region]

    @property
    def regions(self) -> frozenset[Region]:
        return self.reads | self.writes

    def within(self, kept: frozenset[Region]) -> Effect:
        return Effect(self.reads & kept, self.writes & kept)


class Aliasing(Calls):
    """Calls that know the effects of the function's instructions."""

    def find_effects(self) -> None:
        """Sets `effects`, those of each block in their order. Regions that order nothing are left out."""
        self._find_memory()
        self._find_regions()
        found = {i: effect for i in self._all() if (effect := self._effect(i))}
        given = [Effect(NONE, frozenset([f"%{name}"])) for name in self.function_text.by_value]
        kept = _needed([*found.values(), *given])
        self._effects = {i: effect.within(kept) for i, effect in found.items()}
        self.effects = {
            name: [self._effects[i] for i in block if i in self._effects]
            for name, block in self.function_text.blocks.items()
        }

    @abstractmethod
    def variable(self, name: str) -> Variable | None: ...

    def effect_of(self, i: Instruction) -> Effect:
        return self._effects[i]

    def _all(self) -> Iterator[Instruction]:
        return (i for block in self.function_text.blocks.values() for i in block)

    # --- where pointers point to ---

    def _find_memory(self) -> None:
        """Sets the regions of parameters, and of a pointer of which nothing is known."""
        self._regions: dict[str, frozenset[Region]] = {}
        by_value = self.function_text.by_value
        self._regions |= {name: frozenset([f"%{name}"]) for name in by_value}
        pointers = [a for a in self.function_text.arguments if a.type == "ptr" and a.name not in by_value]
        kinds = {a.name: self._kind(a) for a in pointers}
        alone = {f"%{a.name}": kinds[a.name] for a in pointers if a.name in self.function_text.noalias}
        self._anywhere = frozenset([OTHER, *kinds.values(), *alone])
        for name, kind in kinds.items():
            if f"%{name}" in alone:
                self._regions[name] = frozenset([f"%{name}"])
            elif kind == OTHER:
                self._regions[name] = self._anywhere
            else:
                self._regions[name] = frozenset(
                    [kind, *(r for r, of in alone.items() if of in (kind, OTHER))]
                )

    def _kind(self, parameter: Local) -> str:
        """The type of the objects that a parameter points to, OTHER where that may be any."""
        type_ = self.type_of(parameter)
        element = type_.element if type_ else None
        if not isinstance(element, Pointer):
            return OTHER
        if isinstance(element.pointee, Scalar):
            name = element.pointee.name
            return OTHER if name in ("i1", "i8") or name.startswith("f8") else _HELD.get(name, name)
        return "ptr"

    def _find_regions(self) -> None:
        """Until nothing changes: what goes around in loops takes another round."""
        changed = True
        while changed:
            found = {name: self._regions_from(i) for name, i in self.definitions.items()}
            changed = any(self._regions.get(name) != regions for name, regions in found.items())
            self._regions |= found
        # Local memory whose address is stored may be reached by any pointer that is loaded.
        stored = [operand for i in self._all() for operand in _stored(i)]
        escaped = NONE.union(*map(self.regions, stored)) - self._anywhere
        for name, regions in self._regions.items():
            if regions & escaped:
                self._regions[name] = regions - escaped | self._anywhere

    def _regions_from(self, i: Instruction) -> frozenset[Region]:
        call = recorded_call(i.detail) if i.op == "call" else None
        if i.op == "alloca":
            return frozenset([f"%{i.name}"])
        if i.op == "inttoptr":
            return self._anywhere | self.regions(i.operands[0])
        if i.op == "load" or (call and not call.is_pure):
            type_ = self.type_of(Local(i.name, i.type))
            is_pointer = type_ is not None and isinstance(type_.element, Pointer)
            return self._anywhere if is_pointer else NONE
        if i.op == "getelementptr":
            return self.regions(i.operands[0])
        return NONE.union(*map(self.regions, i.operands))

    def regions(self, operand: Operand) -> frozenset[Region]:
        """The memory that a pointer, or a tile of them, may point into."""
        while isinstance(operand, Expression) and operand.instruction.operands:
            operand = operand.instruction.operands[0]
        if isinstance(operand, Global):
            variable = self.variable(operand.name)
            return frozenset([CONSTANT]) if variable is not None and variable.constant else self._anywhere
        return self._regions.get(operand.name, NONE) if isinstance(operand, Local) else NONE

    # --- what instructions do ---

    def _effect(self, i: Instruction) -> Effect | None:
        if i.op == "load":
            return Effect(self._behind(i.operands[0]), NONE)
        if i.op == "store":
            return Effect(NONE, self._behind(i.operands[1]))
        if i.op == "call" and i.detail.startswith("llvm.memset"):
            return Effect(NONE, self._behind(i.operands[0]))
        if i.op == "call" and i.detail.startswith(("llvm.memcpy", "llvm.memmove")):
            return Effect(self._behind(i.operands[1]), self._behind(i.operands[0]))
        if i.op == "call" and i.detail in ("printf", "vprintf"):
            return Effect(NONE, frozenset([OUTPUT]))
        call = recorded_call(i.detail) if i.op == "call" else None
        if call is None or call.is_pure or call.operation in ("asserted", "hints"):
            return None
        if call.operation in ("print", "formatted"):
            return Effect(NONE, frozenset([OUTPUT]))
        order = number_of(call.arguments[-2])
        if order > 0:  # acquire or release: other blocks see, or have done, what comes before
            return Effect(NONE, self._anywhere | self.regions(i.operands[0]))
        if order < 0 and call.operation in ("load_view", "load_pointers"):
            return Effect(self._behind(i.operands[0]), NONE)
        return Effect(NONE, self._behind(i.operands[0]))  # atomic reads do not overtake each other, either

    def _behind(self, pointer: Operand) -> frozenset[Region]:
        return self.regions(pointer) or self._anywhere


def _stored(i: Instruction) -> tuple[Operand, ...]:
    """What an instruction writes to memory."""
    if i.op == "store":
        return i.operands[:1]
    call = recorded_call(i.detail) if i.op == "call" else None
    return i.operands[1:] if call and not call.is_pure else ()


def _needed(effects: list[Effect]) -> frozenset[Region]:
    """The regions that order all that must be ordered: they are written, and no other region has all of their
    accesses. A copy is two of them."""
    accesses: dict[Region, set[tuple[int, bool]]] = {}
    for number, effect in enumerate(effects):
        for writes, regions in enumerate(effect):
            for region in regions:
                accesses.setdefault(region, set()).add((number, bool(writes)))
    written = sorted(NONE.union(*(effect.writes for effect in effects)))
    needed: set[Region] = set()
    for region in sorted(written, key=lambda region: -len(accesses[region])):
        if not any(accesses[region] <= accesses[other] for other in needed):
            needed.add(region)
    return frozenset(needed)
