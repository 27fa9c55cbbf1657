"""Reads the binary form of modules, versions 13.1 to 13.5.

What each operation has is said by tables/operations.tsv, whose `payload` column is in the order of the bytes:
results, flags, attributes, operands, regions. Numbers are LEB128 ("varint").
"""

from __future__ import annotations

from typing import Any

from pycuda_tile.errors import Error

from . import payload
from .ir import Block, Entry, Function, Global, Module, Operation, Value
from .sections import Cursor, Tables, sections

_NEWEST = (13, 5)
_DEPTH = 200


class BytecodeError(Error, ValueError):
    """Bytes are no module; `offset` says where in the file that showed."""

    def __init__(self, message: str, offset: int):
        super().__init__(f"byte {offset}: {message}")
        self.message, self.offset = message, offset


def read_bytecode(data: bytes) -> Module:
    """The module that the binary form holds. Raises BytecodeError where it is none."""
    data = bytes(data)
    cursor = Cursor(data, 0, len(data), BytecodeError)
    if data[:8] != b"\x7fTileIR\0":
        raise BytecodeError("this is no Tile IR: it does not begin with 7F 'TileIR' 00", 0)
    cursor.take(8)
    version = (cursor.byte(), cursor.byte())
    if not (13, 1) <= version <= _NEWEST:
        raise BytecodeError(
            f"version {version[0]}.{version[1]}: expected 13.1 to {_NEWEST[0]}.{_NEWEST[1]}", 8
        )
    if cursor.byte() | cursor.byte() << 8:
        raise BytecodeError("preview content", 10)
    found = sections(cursor)
    tables = Tables(found, version, BytecodeError)
    module = Module(version=version)
    if (producer := found.get("producer")) is not None:
        module.producer = tables.string(producer)
    module.globals = _globals(found.get("globals"), tables)
    module.entries = _entries(found.get("functions"), tables)
    return module


def _globals(cursor: Cursor | None, tables: Tables) -> list[Global]:
    result = []
    for _ in range(cursor.count() if cursor is not None else 0):
        name, type_ = tables.string(cursor), tables.type(cursor)
        value, alignment = tables.dense(cursor, type_), cursor.varint()
        private = constant = False
        if tables.version >= (13, 3):
            private, constant = bool(cursor.varint()), bool(cursor.varint())
        result.append(Global(name, type_, value, alignment, private, constant))
    return result


def _entries(cursor: Cursor | None, tables: Tables) -> list[Entry]:
    if cursor is None:
        raise BytecodeError("a module without functions", 0)
    result = []
    for _ in range(cursor.count()):
        name, signature, flags, hints = tables.string(cursor), tables.type(cursor), cursor.byte(), {}
        if not isinstance(signature, Function):
            cursor.fail(f"function {name} has type {signature}")
        cursor.varint()  # its location
        if tables.version >= _NEWEST:
            hints = payload.tagged(cursor, tables) if flags & 2 else {}
            payload.tagged(cursor, tables)  # attributes of arguments, of which there are none
        elif flags & 6 == 6:
            hints = payload.tagged(cursor, tables)
        length = cursor.varint()
        arguments = [Value(type_, f"arg{i}") for i, type_ in enumerate(signature.inputs)]
        body = cursor.part(length)
        reader = _Body(body, tables, list(arguments))
        ops = []
        while not body.done():
            ops.append(reader.operation(0))
        result.append(Entry(name, Block(arguments, ops), hints))
    return result


class _Body:
    """Operations of one function; `values` are those that can be seen, by number."""

    def __init__(self, cursor: Cursor, tables: Tables, values: list[Value]):
        self.cursor, self.tables, self.values = cursor, tables, values

    def operation(self, depth: int) -> Operation:
        cursor = self.cursor
        start = cursor.at
        row = payload.ROWS.get(cursor.varint())
        if row is None or row.since > self.tables.version:
            raise BytecodeError("an operation that this version does not have", start)
        op, flags = Operation(row.name), 0
        for part in row.parts:
            kind, words = part[0], part[1:]
            if kind.startswith("results"):
                op.results = self._results(kind, words)
            elif kind.startswith("flags"):
                flags = payload.flags(cursor, self.tables, kind, words, op.attributes)
            elif kind == "attr":
                payload.attribute(cursor, self.tables, words, flags, op)
            elif kind.startswith("operand"):
                self._operands(kind, words, flags, op)
            elif kind == "regions":
                op.regions = [self._region(depth) for _ in range(cursor.count())]
        self.values.extend(op.results)
        return op

    def _results(self, kind: str, names: list[str]) -> list[Value]:
        names = [name.strip(".()") for name in names]
        count = self.cursor.count() if kind == "results*" else len(names)
        wishes = names if len(names) == count else [""] * count
        return [Value(self.tables.type(self.cursor), wish) for wish in wishes]

    def _value(self) -> Value:
        number = self.cursor.varint()
        if number >= len(self.values):
            self.cursor.fail(f"value {number} of {len(self.values)}")
        return self.values[number]

    def _operands(self, kind: str, words: list[str], flags: int, op: Operation) -> None:
        if kind == "operand?":
            if flags >> int(words[2]) & 1:
                op.operands[words[0]] = [self._value()]
        elif kind == "operands*":
            op.operands[words[0].rstrip(".")] = [self._value() for _ in range(self.cursor.count())]
        elif kind == "operands#":
            *single, last = words
            found = [self._value() for _ in range(self.cursor.count())]
            if len(found) < len(single):
                self.cursor.fail(f"{op.name} has {len(found)} operands, expected at least {len(single)}")
            for name, value in zip(single, found, strict=False):
                op.operands[name] = [value]
            op.operands[last.rstrip(".?")] = found[len(single) :]
        else:
            for name in words:
                op.operands[name] = [self._value()]

    def _region(self, depth: int) -> Block | None:
        if depth > _DEPTH:
            self.cursor.fail(f"regions nested more than {_DEPTH} deep")
        blocks: list[Any] = [self._block(depth) for _ in range(self.cursor.count())]
        if len(blocks) > 1:
            self.cursor.fail(f"a region of {len(blocks)} blocks")
        return blocks[0] if blocks else None

    def _block(self, depth: int) -> Block:
        visible = len(self.values)
        block = Block([Value(self.tables.type(self.cursor), "") for _ in range(self.cursor.count())])
        self.values.extend(block.arguments)
        block.ops = [self.operation(depth + 1) for _ in range(self.cursor.count())]
        del self.values[visible:]
        return block
