"""Deeply nested regions and operations with many operands work, or an error states the limit."""

from __future__ import annotations

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Block, Entry, Operation, Scalar, Tile, Value, walk

INT = Tile(Scalar("i32"), ())


def nested(levels: int) -> tileir.Module:
    """Nested `if` operations."""
    condition = Value(Tile(Scalar("i1"), ()))
    inner: list[Operation] = []
    for _ in range(levels):
        body = Block([], [*inner, Operation("yield", {"operands": []})])
        inner = [Operation("if", {"condition": [condition]}, {}, [], [body, None])]
    constant = Operation("constant", {}, {"value": np.ones((), bool)}, [condition])
    return tileir.Module([Entry("k", Block([], [constant, *inner, Operation("return", {"operands": []})]))])


def test_as_deep_as_verify_takes() -> None:
    """The entry counts as a level, too."""
    m = nested(199)
    tileir.verify(m)
    assert tileir.equal(tileir.parse(str(m)), m)
    tileir.interpret(m, "k", 1)


def test_deeper_is_an_error() -> None:
    m = nested(200)
    with pytest.raises(tileir.VerifyError, match="nested more than 200 deep; found 201 levels"):
        tileir.verify(m)
    with pytest.raises(tileir.ParseError, match="regions nested more than 200 deep"):
        tileir.parse(str(m))


def test_bytecode_is_200_deep_at_most() -> None:
    m = nested(199)
    assert tileir.equal(tileir.read_bytecode(tileir.write_bytecode(m)), m)
    with pytest.raises(tileir.BytecodeError, match="regions nested more than 200 deep"):
        tileir.write_bytecode(nested(200))


def test_deeper_than_calls() -> None:
    m, other = nested(5000), nested(4999)
    assert tileir.equal(m, m)
    assert not tileir.equal(m, other) and not tileir.equal(other, m)
    assert sum(op.name == "if" for op in walk(m.entries[0].body)) == 5000
    with pytest.raises(tileir.VerifyError, match="must not be nested more than 200 deep"):
        tileir.verify(m)
    with pytest.raises(pct.Error, match="regions nest too deep for Python's recursion limit"):
        str(m)


def test_called_from_deep_calls() -> None:
    """When Python's stack has no room left for 200 levels."""
    m = nested(199)

    def call(levels: int) -> None:
        if levels:
            call(levels - 1)
        else:
            tileir.verify(m)

    with pytest.raises(
        tileir.VerifyError,
        match=r"200 deep; found [0-9]+ levels, which is too deep for Python's stack",
    ):
        call(700)


def test_many_values() -> None:
    """A check that compared all pairs would take a minute."""
    count = 60_000
    arguments = [Value(INT) for _ in range(count + 1)]
    body = Block(arguments, [Operation("continue", {"operands": arguments[1:]})])
    start = Value(INT)
    ops = [
        Operation("constant", {}, {"value": np.zeros((), np.int32)}, [start]),
        Operation(
            "for",
            {"lowerBound": [start], "upperBound": [start], "step": [start], "initValues": [start] * count},
            {},
            [Value(INT) for _ in range(count)],
            [body],
        ),
        Operation("return", {"operands": []}),
    ]
    m = tileir.Module([Entry("k", Block([Value(INT) for _ in range(count)], ops))])
    tileir.verify(m)
    assert tileir.equal(m, m)
    body.arguments[-1] = body.arguments[-2]
    with pytest.raises(tileir.VerifyError) as error:
        tileir.verify(m)
    assert error.value.rule == "defined_once"
