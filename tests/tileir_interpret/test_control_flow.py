"""Loops, branches, reductions and scans: interpreted, in shuffled order, and built for the cpu."""

from __future__ import annotations

import numpy as np
import pytest
from tileir_modules import INT, POINTER, Builder, compare, constant, tile

from pycuda_tile import tileir


def counted_loop(builder: Builder, bounds, step, *carried, unsigned=False):
    """A `for` operation whose body is still to be added."""
    lower, upper = bounds
    return builder.op(
        "for",
        [value.type for value in carried],
        attributes={"unsignedCmp": unsigned},
        lowerBound=lower,
        upperBound=upper,
        step=step,
        initValues=list(carried),
    )


@pytest.mark.parametrize(
    "lower, upper, step",
    [(0, 10, 1), (0, 10, 3), (5, 5, 1), (7, 3, 1), (-3, 4, 2), (2**31 - 3, 2**31 - 1, 2)],
)
def test_for_carries_values(run, lower: int, upper: int, step: int) -> None:
    builder = Builder(POINTER, INT, INT, INT)
    out, *bounds, by = builder.arguments
    zero = builder.constant("i32", 0)
    results = counted_loop(builder, bounds, by, zero, zero)
    loop = builder.block.ops[-1]
    with builder.region(loop, INT, INT, INT) as (index, total, count):
        total = builder.op("addi", INT, lhs=total, rhs=index)
        count = builder.op("addi", INT, lhs=count, rhs=builder.constant("i32", 1))
        builder.op("continue", operands=[total, count])
    pointers = builder.pointers(out, 2)
    both = builder.op(
        "cat",
        tile("i32", 2),
        attributes={"dim": 0},
        lhs=builder.op("reshape", tile("i32", 1), source=results[0]),
        rhs=builder.op("reshape", tile("i32", 1), source=results[1]),
    )
    builder.store(pointers, both)
    array = np.zeros(2, np.int32)
    run(builder.module(), 1, array, lower, upper, step)
    expected = list(range(lower, upper, step))
    assert array.tolist() == [(sum(expected) + 2**31) % 2**32 - 2**31, len(expected)]


def test_for_with_unsigned_bounds(run) -> None:
    builder = Builder(POINTER)
    lower, upper = builder.constant("i32", 2**31 - 2), builder.constant("i32", -(2**31) + 2)
    (count,) = counted_loop(
        builder, (lower, upper), builder.constant("i32", 1), builder.constant("i32", 0), unsigned=True
    )
    with builder.region(builder.block.ops[-1], INT, INT) as (_, total):
        builder.op("continue", operands=[builder.op("addi", INT, lhs=total, rhs=builder.constant("i32", 1))])
    builder.store(builder.arguments[0], count)
    array = np.zeros(1, np.int32)
    run(builder.module(), 1, array)
    assert array[0] == 4


def test_values_that_swap(run) -> None:
    """Carried values are updated all at once."""
    builder = Builder(POINTER)
    one, two = builder.constant("i32", 1), builder.constant("i32", 2)
    bounds = builder.constant("i32", 0), builder.constant("i32", 3)
    first, second = counted_loop(builder, bounds, one, one, two)
    with builder.region(builder.block.ops[-1], INT, INT, INT) as (_, a, b):
        builder.op("continue", operands=[b, a])
    ten = builder.constant("i32", 10)
    total = builder.op("addi", INT, lhs=builder.op("muli", INT, lhs=first, rhs=ten), rhs=second)
    builder.store(builder.arguments[0], total)
    array = np.zeros(1, np.int32)
    run(builder.module(), 1, array)
    assert array[0] == 21


def test_loop_with_early_continue_and_break(run) -> None:
    """Sums odd numbers until the sum exceeds a limit; results and carried values have different types."""
    builder = Builder(POINTER, INT)
    out, limit = builder.arguments
    zero, one = builder.constant("i32", 0), builder.constant("i32", 1)
    (result,) = builder.op("loop", [INT], initValues=[zero, zero])
    with builder.region(builder.block.ops[-1], INT, INT) as (index, total):
        following = builder.op("addi", INT, lhs=index, rhs=one)
        odd = builder.op("andi", INT, lhs=index, rhs=one)
        branch = builder.op("if", condition=compare(builder, "equal", odd, zero))
        with builder.region(branch):
            builder.op("continue", operands=[following, total])
        total = builder.op("addi", INT, lhs=total, rhs=index)
        branch = builder.op("if", condition=compare(builder, "greater_than", total, limit))
        with builder.region(branch):
            builder.op("break", operands=[total])
        with builder.region(branch):
            builder.op("yield", operands=[])
        builder.op("continue", operands=[following, total])
    builder.store(out, result)
    array = np.zeros(1, np.int32)
    run(builder.module(), 1, array, 20)
    assert array[0] == 1 + 3 + 5 + 7 + 9


def test_if_yields_and_returns(run) -> None:
    builder = Builder(POINTER)
    block, _, _ = builder.op("get_tile_block_id", [INT, INT, INT])
    zero = builder.constant("i32", 0)
    (value,) = builder.op("if", [INT], condition=compare(builder, "equal", block, zero))
    branch = builder.block.ops[-1]
    with builder.region(branch):
        builder.op("yield", operands=[builder.constant("i32", 10)])
    with builder.region(branch):
        builder.op("yield", operands=[builder.constant("i32", 20)])
    branch = builder.op("if", condition=compare(builder, "equal", block, builder.constant("i32", 2)))
    with builder.region(branch):
        builder.op("return", operands=[])
    place = builder.op("offset", POINTER, ptr=builder.arguments[0], offset=block)
    builder.store(place, value)
    array = np.zeros(3, np.int32)
    run(builder.module(), 3, array)
    assert array.tolist() == [10, 20, 0]


@pytest.mark.parametrize("dim", [0, 1])
def test_reduce_of_two_tiles_finds_the_greatest_and_its_place(run, dim: int) -> None:
    builder = Builder(POINTER, POINTER)
    values, _ = builder.load(builder.pointers(builder.arguments[0], 32))
    values = builder.op("reshape", tile("i32", 4, 8), source=values)
    places = builder.op("reshape", tile("i32", 4, 8), source=builder.iota(32))
    length = (8, 4)[dim]
    identities = [constant("i32", 2**31), constant("i32", 0)]
    _, place = builder.op(
        "reduce",
        [tile("i32", length), tile("i32", length)],
        attributes={"dim": dim, "identities": identities},
        operands=[values, places],
    )
    with builder.region(builder.block.ops[-1], INT, INT, INT, INT) as (value, best, at, best_at):
        better = compare(builder, "greater_than", value, best)
        arms = {"cond": better, "val_if_true": value, "val_if_false": best}
        chosen = builder.op("select", INT, **arms)
        arms = {"cond": better, "val_if_true": at, "val_if_false": best_at}
        builder.op("yield", operands=[chosen, builder.op("select", INT, **arms)])
    builder.store(builder.pointers(builder.arguments[1], length), place)
    array = np.random.default_rng(1).permutation(32).astype(np.int32)
    got = np.zeros(length, np.int32)
    run(builder.module(), 1, array, got)
    table = array.reshape(4, 8)
    expected = table.argmax(0) * 8 + np.arange(8) if dim == 0 else table.argmax(1) + 8 * np.arange(4)
    assert got.tolist() == expected.tolist()


def test_reduce_does_not_need_its_identity(run) -> None:
    """NVIDIA's front end gives the minimum of signed integers the identity -1."""
    builder = Builder(POINTER, POINTER)
    values, _ = builder.load(builder.pointers(builder.arguments[0], 8))
    attributes = {"dim": 0, "identities": [constant("i32", 2**32 - 1)]}
    (least,) = builder.op("reduce", [INT], attributes=attributes, operands=[values])
    with builder.region(builder.block.ops[-1], INT, INT) as (element, accumulator):
        smaller = compare(builder, "less_than", element, accumulator)
        arms = {"cond": smaller, "val_if_true": element, "val_if_false": accumulator}
        builder.op("yield", operands=[builder.op("select", INT, **arms)])
    shape = tile("i32", 1)
    builder.store(builder.pointers(builder.arguments[1], 1), builder.op("reshape", shape, source=least))
    got = np.zeros(1, np.int32)
    run(builder.module(), 1, np.array([9, 4, 8, 3, 7, 5, 6, 8], np.int32), got)
    assert got[0] == 3


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dim", [0, 1])
def test_scan(run, dim: int, reverse: bool) -> None:
    builder = Builder(POINTER, POINTER)
    values, _ = builder.load(builder.pointers(builder.arguments[0], 32))
    values = builder.op("reshape", tile("i32", 4, 8), source=values)
    attributes = {"dim": dim, "reverse": reverse, "identities": [constant("i32", 0)]}
    (sums,) = builder.op("scan", [tile("i32", 4, 8)], attributes=attributes, operands=[values])
    with builder.region(builder.block.ops[-1], INT, INT) as (element, total):
        builder.op("yield", operands=[builder.op("addi", INT, lhs=total, rhs=element)])
    flat = builder.op("reshape", tile("i32", 32), source=sums)
    builder.store(builder.pointers(builder.arguments[1], 32), flat)
    array, got = np.arange(32, dtype=np.int32) ** 2, np.zeros(32, np.int32)
    run(builder.module(), 1, array, got)
    table = array.reshape(4, 8)
    expected = np.flip(np.flip(table, dim).cumsum(dim), dim) if reverse else table.cumsum(dim)
    assert got.reshape(4, 8).tolist() == expected.tolist()


def test_body_with_a_branch_is_run_element_by_element() -> None:
    builder = Builder(POINTER, POINTER)
    values, _ = builder.load(builder.pointers(builder.arguments[0], 8))
    attributes = {"dim": 0, "identities": [constant("i32", 0)]}
    (total,) = builder.op("reduce", [INT], attributes=attributes, operands=[values])
    with builder.region(builder.block.ops[-1], INT, INT) as (so_far, element):
        positive = compare(builder, "greater_than", element, builder.constant("i32", 0))
        (result,) = builder.op("if", [INT], condition=positive)
        branch = builder.block.ops[-1]
        with builder.region(branch):
            builder.op("yield", operands=[builder.op("addi", INT, lhs=so_far, rhs=element)])
        with builder.region(branch):
            builder.op("yield", operands=[so_far])
        builder.op("yield", operands=[result])
    builder.store(builder.arguments[1], total)
    got = np.zeros(1, np.int32)
    tileir.interpret(builder.module(), "kernel", 1, np.array([1, -2, 3, -4, 5, -6, 7, -8], np.int32), got)
    assert got[0] == 16
