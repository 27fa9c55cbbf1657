"""The operations of a body in the binary form: one walk that reads or writes them.

Values are numbered: first the function's arguments, then the results of each operation once it is complete.
The arguments of a block and the values defined in it are numbered too, and forgotten at its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .grammar import OPERATIONS, OPERATIONS_BY_CODE, Encoding, Part
from .ir import MAX_NESTING, TERMINATORS, Block, Function, Operation, Token, Value
from .locations import AnyLocation, source_line
from .payload import Io, Record
from .versions import Version

_NOTHING = Operation("")
_NEVER_STORED = ("entry", "global", "module")


class Body:
    """The operations of one function with these `arguments`. `locations` are those of the operations in the
    order of the payload: those to read, or those written so far."""

    def __init__(self, io: Io, arguments: list[Value], locations: Iterator[AnyLocation | None] | None = None):
        self.io, self._given = io, locations or iter(())
        self.locations: list[AnyLocation | None] = []
        self.values: list[Value] = []
        self.numbers: dict[int, int] = {}
        self.newer: dict[int, Version] = {}  # values that exist only in newer versions
        self._define(arguments)

    def operation(self, op: Operation | None = None, depth: int = 0) -> Operation:
        """Reads an operation, or writes `op`."""
        io = self.io
        row = self._row(op)
        io.where = str(op or row.name)
        location = next(self._given, None) if op is None else op.location
        self.locations.append(location)
        made = Operation(row.name, line=source_line(location), location=location)
        given = op or _NOTHING
        parts = iter(row.parts)
        stored: list[Value] = []
        if row.parts[0].what.startswith("results"):
            made.results, stored = self._results(next(parts), given)
        type_ = made.results[0].type if made.results else None
        record = Record(io, {**given.operands, **given.attributes}, type_=type_)
        for part in parts:
            if part.what.startswith("operand"):
                if record.there(part):
                    self._operands(part, given.operands, made.operands)
            elif part.what == "regions":
                made.regions = self._regions(given.regions, depth)
            else:
                record.part(part)
        made.attributes = record.found
        self._define(stored)
        self._check(row, op, made)
        return made

    def _row(self, op: Operation | None) -> Encoding:
        io = self.io
        io.where = "" if op is None else str(op)
        if op is not None and op.name not in OPERATIONS:
            io.fail(f"there is no operation {op.name!r}")
        if op is not None and op.name in _NEVER_STORED:
            io.fail("cannot be in the body of an entry")
        code = io.varint(None if op is None else OPERATIONS[op.name].code)
        row = OPERATIONS_BY_CODE.get(code)
        if row is None or row.name in _NEVER_STORED:
            io.fail(f"there is no operation {code:x} (hexadecimal)")
        io.needs(row.since, f"the operation {row.name}")
        return row

    def _check(self, row: Encoding, op: Operation | None, made: Operation) -> None:
        """Checks that all of `op` was written, and that its lists have the required lengths."""
        inbounds = made.attributes.get("inbounds")
        if inbounds and len(inbounds) != len(made.operands["index"]):
            self.io.fail(f"inbounds has {len(inbounds)} entries for {len(made.operands['index'])} indices")
        if op is None:
            return
        for name, values in op.operands.items():
            if values and name not in made.operands:
                self.io.fail(f"{row.name} has no operand {name!r}")
        known = {name for part in row.parts if part.what in ("attr", "flags") for name in part.names}
        if unknown := [name for name in op.attributes if name not in known]:
            self.io.fail(f"{row.name} has no attribute {unknown[0]!r}")
        if op.regions and not any(part.what == "regions" for part in row.parts):
            self.io.fail(f"{row.name} has no regions")

    # --- values ---

    def _define(self, values: list[Value]) -> None:
        for value in values:
            self.numbers[id(value)] = len(self.values)
            self.values.append(value)

    def _forget(self, mark: int) -> None:
        for value in self.values[mark:]:
            self.numbers.pop(id(value), None)
        del self.values[mark:]

    def _use(self, value: Value | None) -> Value:
        if value is not None and id(value) not in self.numbers:
            if id(value) in self.newer:
                self.io.needs(self.newer[id(value)], "a result that this operation uses")
            self.io.fail("an operand is a value that is not defined here")
        number = self.io.varint(None if value is None else self.numbers[id(value)])
        if number >= len(self.values):
            self.io.fail(f"value {number} of {len(self.values)}")
        return self.values[number]

    def _value(self, value: Value | None, name: str = "") -> Value:
        """A value defined here: a result or an argument of a block."""
        type_ = self.io.tables.type(self.io, None if value is None else value.type)
        if isinstance(type_, Function):
            self.io.fail("a value cannot be a function")
        return Value(type_, name) if value is None else value

    # --- parts ---

    def _results(self, part: Part, given: Operation) -> tuple[list[Value], list[Value]]:
        """The results, and those among them that are stored."""
        io, names = self.io, part.names
        if part.since is not None and part.since > io.version:
            return self._no_results(part, given)
        any_number = any(found.most is None for found in part.values)
        given_results: list = given.results if not io.reading else [None] * len(names)
        if not io.reading and not any_number and len(given_results) != len(names):
            io.fail(f"has {len(given_results)} results, expected {len(names)}")
        if part.what == "results":
            found = [self._value(v, n) for v, n in zip(given_results, names, strict=True)]
            return found, found
        count = io.count(len(given_results))
        if not any_number and count != len(names):
            io.fail(f"has {count} results, expected {len(names)}")
        wishes = names if not any_number else [""] * count
        values = [None] * count if io.reading else given_results
        found = [self._value(v, n) for v, n in zip(values, wishes, strict=True)]
        return found, found

    def _no_results(self, part: Part, given: Operation) -> tuple[list[Value], list[Value]]:
        """A token that older versions lack: the module may have it if nothing uses it."""
        if self.io.count(0):
            self.io.fail("has results, expected none")
        if part.since is not None:
            self.newer.update((id(value), part.since) for value in given.results)
        return given.results or [Value(Token(), part.names[0])], []

    def _operands(self, part: Part, given: dict[str, list[Value]], made: dict[str, list[Value]]) -> None:
        io, names = self.io, part.names

        def one(name: str) -> Value:
            values = given.get(name, [])
            if not io.reading and len(values) != 1:
                io.fail(f"operand {name}: expected one value")
            return self._use(values[0] if values else None)

        if part.what == "operands*":
            made[names[0]] = io.sequence(given.get(names[0], ()), self._use)
        elif part.what == "operands#":
            made.update(self._all_operands(part, given))
        else:
            for name in names:
                made[name] = [one(name)]

    def _all_operands(self, part: Part, given: dict) -> dict[str, list[Value]]:
        """Operands preceded by their total number: one for each name; the rest belong to the last name."""
        *single, last = part.names
        values: list[Any] = [value for name in part.names for value in given.get(name, ())]
        if not self.io.reading and any(len(given.get(name, ())) != 1 for name in single):
            self.io.fail(f"expected one value each for {', '.join(single)}")
        found = self.io.sequence(values, self._use)
        rest = len(found) - len(single)
        if rest < 0 or (part.values[-1].most == 1 and rest > 1):
            self.io.fail(f"has {len(found)} operands, which is too {'few' if rest < 0 else 'many'}")
        made = {name: [value] for name, value in zip(single, found, strict=False)}
        return {**made, last: found[len(single) :]}

    # --- regions ---

    def _regions(self, given: list[Block | None], depth: int) -> list[Block | None]:
        if depth + 2 > MAX_NESTING:  # with the body of the entry and this one
            self.io.fail(f"regions nested more than {MAX_NESTING} deep")
        where = self.io.where
        found = []
        for i in range(self.io.count(len(given))):
            block = None if self.io.reading else given[i]
            self.io.where = where
            count = self.io.count(0 if block is None else 1)
            if count > 1:
                self.io.fail(f"a region has {count} blocks, expected one")
            found.append(self._block(block, depth) if count else None)
        self.io.where = where
        return found

    def _block(self, block: Block | None, depth: int) -> Block:
        io, mark = self.io, len(self.values)
        made = Block(io.sequence(block.arguments if block else (), self._value))
        self._define(made.arguments)
        ops: list[Any] = block.ops if block else []
        for i in range(io.count(len(ops))):
            made.ops.append(self.operation(None if io.reading else ops[i], depth + 1))
        check_end(io, made.ops)
        self._forget(mark)
        return made


def check_end(io: Io, ops: list[Operation]) -> None:
    """Checks that the last operation of a block, and no other, is a terminator."""
    for i, op in enumerate(ops, 1):
        if (op.name in TERMINATORS) != (i == len(ops)):
            io.fail(
                f"operation {i} of {len(ops)} of a block is {op.name}; the last operation, and no other, "
                "must be one of "
                f"{', '.join(TERMINATORS)}"
            )
    if not ops:
        io.fail("a block has no operations")
