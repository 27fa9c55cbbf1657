"""The interpreter names the undefined behaviour that it encounters, with its line."""

from __future__ import annotations

import numpy as np
import pytest
from tileir_modules import INT, POINTER, TOKEN, Builder, tile

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Bounded, DivBy, SameElements, Scalar, TensorView, TileView


def undefined(build) -> tuple[str, int]:
    """The kind and the line reported for a program, which also runs to its end without reports."""
    builder = Builder(POINTER)
    build(builder)
    module = builder.module()
    tileir.interpret(module, "kernel", 1, np.zeros(8, np.int32), on_ub="continue")
    with pytest.raises(pct.UndefinedBehaviorError) as error:
        tileir.interpret(module, "kernel", 1, np.zeros(8, np.int32))
    assert error.value.block == (0, 0, 0)
    return error.value.kind, error.value.line


def overflowing(builder: Builder) -> None:
    most = builder.constant("i32", 2**31 - 1)
    attributes = {"overflow": "no_signed_wrap"}
    builder.op("addi", INT, line=3, attributes=attributes, lhs=most, rhs=most)


def dividing(builder: Builder) -> None:
    zero = builder.constant("i32", 0)
    builder.op("divi", INT, line=4, attributes={"signedness": "signed"}, lhs=zero, rhs=zero)


def shifting(builder: Builder) -> None:
    wide = builder.constant("i32", 32)
    builder.op("shli", INT, line=5, lhs=wide, rhs=wide)


def converting(builder: Builder) -> None:
    infinite = builder.constant("f32", np.inf)
    builder.op("ftoi", INT, line=6, attributes={"signedness": "signed"}, **{"from": infinite})


def reading_behind(builder: Builder) -> None:
    builder.load(builder.op("offset", POINTER, ptr=builder.arguments[0], offset=builder.constant("i32", 8)))


def reading_before(builder: Builder) -> None:
    builder.load(builder.op("offset", POINTER, ptr=builder.arguments[0], offset=builder.constant("i32", -1)))


def reading_nowhere(builder: Builder) -> None:
    builder.load(builder.op("int_to_ptr", POINTER, source=builder.constant("i64", 0)))


def reading_anywhere(builder: Builder) -> None:
    builder.load(builder.op("int_to_ptr", POINTER, source=builder.constant("i64", -8)))


def reading_between(builder: Builder) -> None:
    bytes_ = builder.op("ptr_to_ptr", tile("ptr<i8>"), source=builder.arguments[0])
    moved = builder.op("offset", tile("ptr<i8>"), ptr=bytes_, offset=builder.constant("i32", 2))
    builder.load(builder.op("ptr_to_ptr", POINTER, source=moved))


def extracting(builder: Builder) -> None:
    two = builder.constant("i32", 2)
    builder.op("extract", tile("i32", 4), line=9, source=builder.iota(8), indices=[two])


def gathering(builder: Builder, rows: list[int], column: int) -> None:
    """Gathers two elements from `column` on, of two rows of a 2 x 4 tensor, promised to be in bounds."""
    tensor = TensorView(Scalar("i32"), (2, 4), (4, 1))
    view = TileView("gather_scatter_view", (2, 2), tensor, (0, 1), None, (2, 2), 0)
    nothing = {"dynamicShape": [], "dynamicStrides": []}
    made = builder.op("make_tensor_view", tensor, base=builder.arguments[0], **nothing)
    builder.op(
        "load_view_tko",
        (tile("i32", 2, 2), TOKEN),
        line=14,
        attributes={"memory_ordering_semantics": "weak", "inbounds": [True, True]},
        view=builder.op("make_gather_scatter_view", view, tensor_view=made),
        index=[builder.constant("i32", rows, 2), builder.constant("i32", column)],
    )


def gathering_beyond_a_row(builder: Builder) -> None:
    gathering(builder, [0, 1], 3)


def gathering_no_row(builder: Builder) -> None:
    gathering(builder, [2, 0], 2)


def assuming_bounds(builder: Builder) -> None:
    bounds = {"predicate": Bounded(0, 6)}
    builder.op("assume", tile("i32", 8), line=10, attributes=bounds, value=builder.iota(8))


def assuming_multiples(builder: Builder) -> None:
    builder.op("assume", tile("i32", 8), line=11, attributes={"predicate": DivBy(4)}, value=builder.iota(8))


def assuming_runs(builder: Builder) -> None:
    runs = {"predicate": DivBy(8, 4, 0)}
    builder.op("assume", tile("i32", 8), line=12, attributes=runs, value=builder.iota(8))


def assuming_blocks(builder: Builder) -> None:
    blocks = {"predicate": SameElements((2,))}
    builder.op("assume", tile("i32", 8), line=13, attributes=blocks, value=builder.iota(8))


@pytest.mark.parametrize(
    "build, kind, line",
    [
        (overflowing, "integer-overflow", 3),
        (dividing, "division-by-zero", 4),
        (shifting, "shift-range", 5),
        (converting, "conversion-range", 6),
        (reading_behind, "memory-bounds", 0),
        (reading_before, "memory-bounds", 0),
        (reading_nowhere, "memory-bounds", 0),
        (reading_anywhere, "memory-bounds", 0),
        (reading_between, "misaligned-access", 0),
        (extracting, "extract-bounds", 9),
        (assuming_bounds, "assumption", 10),
        (assuming_multiples, "assumption", 11),
        (assuming_runs, "assumption", 12),
        (assuming_blocks, "assumption", 13),
        (gathering_beyond_a_row, "unmasked-partition", 14),
        (gathering_no_row, "unmasked-partition", 14),
    ],
)
def test_undefined_behaviour_is_named(build, kind: str, line: int) -> None:
    assert undefined(build) == (kind, line)


def test_assumptions_that_hold_are_silent() -> None:
    builder = Builder(POINTER)
    gathering(builder, [1, 1], 2)
    for predicate in (Bounded(0, 7), Bounded(None, None), DivBy(4, 4, 0), DivBy(1), SameElements((1,))):
        builder.op("assume", tile("i32", 8), attributes={"predicate": predicate}, value=builder.iota(8))
    pointers = builder.pointers(builder.arguments[0], 8)
    aligned = {"predicate": DivBy(16, 4, 0)}
    builder.op("assume", pointers.type, attributes=aligned, value=pointers)
    tileir.interpret(builder.module(), "kernel", 1, np.zeros(8, np.int32))


def test_a_store_to_what_is_read_only() -> None:
    builder = Builder(POINTER)
    builder.store(builder.arguments[0], builder.constant("i32", 1))
    array = np.zeros(1, np.int32)
    array.flags.writeable = False
    module = builder.module()
    with pytest.raises(pct.UndefinedBehaviorError) as error:
        tileir.interpret(module, "kernel", 1, array)
    assert error.value.kind == "read-only-write"
    tileir.interpret(module, "kernel", 1, array, on_ub="continue")
    assert array[0] == 0
