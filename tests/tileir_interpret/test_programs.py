"""Programs of Tile IR: control flow, memory, order, prints, assertions and undefined behaviour.

Programs that are defined run through the interpreter and through tileir.build for the cpu.
"""

from __future__ import annotations

import numpy as np
import pytest
from tileir_modules import TOKEN, Builder, tile

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Bounded, Constant, DivBy, Global, SameElements, Scalar

INT = tile("i32")
POINTER = tile("ptr<i32>")


def run_interpreter(module, grid, *arguments) -> None:
    tileir.interpret(module, "kernel", grid, *arguments)


def run_shuffled(module, grid, *arguments) -> None:
    tileir.interpret(module, "kernel", grid, *arguments, seed=7)


def run_built(module, grid, *arguments) -> None:
    tileir.build(module, options=("-O1",)).kernel("kernel")[grid](*arguments)


@pytest.fixture(params=[run_interpreter, run_shuffled, run_built], ids=["interpret", "shuffled", "cpu"])
def run(request):
    return request.param


def compare(builder: Builder, predicate: str, lhs, rhs):
    attributes = {"comparison_predicate": predicate, "signedness": "signed"}
    return builder.op("cmpi", tile("i1"), attributes=attributes, lhs=lhs, rhs=rhs)


def counted_loop(builder: Builder, bounds, step, *carried, unsigned=False):
    """A `for` operation without body yet."""
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


# --- control flow ---


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
    """Carried values are handed on all at once."""
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
    """Sums odd numbers until the sum exceeds a limit; results have other types than what is carried."""
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


def constant(element: str, bits: int) -> Constant:
    return Constant(Scalar(element), bits)


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
    with builder.region(builder.block.ops[-1], INT, INT) as (element, so_far):
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
    run_interpreter(builder.module(), 1, np.array([1, -2, 3, -4, 5, -6, 7, -8], np.int32), got)
    assert got[0] == 16


# --- memory ---


def test_masked_load_has_padding_and_store_leaves_the_rest(run) -> None:
    builder = Builder(POINTER, POINTER)
    source, target = (builder.pointers(argument, 8) for argument in builder.arguments)
    below = {"comparison_predicate": "less_than", "signedness": "signed"}
    limit = builder.constant("i32", 5, 8)
    mask = builder.op("cmpi", tile("i1", 8), attributes=below, lhs=builder.iota(8), rhs=limit)
    loaded, _ = builder.load(source, mask=mask, paddingValue=builder.constant("i32", -1, 8))
    builder.store(target, loaded)
    builder.store(source, builder.constant("i32", 9, 8), token=_, mask=mask)
    five, got = np.arange(5, dtype=np.int32), np.zeros(8, np.int32)
    run(builder.module(), 1, five, got)  # the mask keeps the other three out of an array of five
    assert got.tolist() == [0, 1, 2, 3, 4, -1, -1, -1]
    assert five.tolist() == [9] * 5


@pytest.mark.parametrize(
    "padding, value", [("zero", 0), ("neg_zero", -0.0), ("nan", np.nan), ("neg_inf", -np.inf)]
)
def test_partition_view_pads_and_cuts(run, padding: str, value: float) -> None:
    builder = Builder(tile("ptr<f32>"), tile("ptr<f32>"), INT, INT)
    source, target, rows, columns = builder.arguments
    strides = (None, 1)
    view = builder.view(
        source, (None, None), strides, (4, 8), padding=padding, dynamic=[rows, columns, columns]
    )
    out = builder.view(target, (8, 16), (16, 1), (4, 8))
    x, y, _ = builder.op("get_tile_block_id", [INT] * 3)
    weak = {"memory_ordering_semantics": "weak"}
    loaded, _ = builder.op(
        "load_view_tko", [tile("f32", 4, 8), TOKEN], attributes=weak, view=view, index=[x, y]
    )
    builder.op("store_view_tko", TOKEN, attributes=weak, tile=loaded, view=out, index=[x, y])
    array, got = np.arange(6 * 11, dtype=np.float32).reshape(6, 11), np.ones((8, 16), np.float32)
    run(builder.module(), (2, 2), array, got, 6, 11)
    expected = np.full((8, 16), value, np.float32)
    expected[:6, :11] = array
    assert got.view(np.uint32).tolist() == expected.view(np.uint32).tolist()


def test_view_with_other_order_of_axes(run) -> None:
    """dim_map says the tensor's axis for each of the tile's: a transposed read."""
    builder = Builder(POINTER, POINTER)
    view = builder.view(builder.arguments[0], (8, 4), (4, 1), (4, 8), dim_map=(1, 0))
    out = builder.view(builder.arguments[1], (4, 8), (8, 1), (4, 8))
    zero = builder.constant("i32", 0)
    weak = {"memory_ordering_semantics": "weak"}
    index = [zero, zero]
    loaded, _ = builder.op(
        "load_view_tko", [tile("i32", 4, 8), TOKEN], attributes=weak, view=view, index=index
    )
    builder.op("store_view_tko", TOKEN, attributes=weak, tile=loaded, view=out, index=index)
    array, got = np.arange(32, dtype=np.int32).reshape(8, 4), np.zeros((4, 8), np.int32)
    run(builder.module(), 1, array, got)
    assert got.tolist() == array.T.tolist()


def test_shapes_of_views(run) -> None:
    builder = Builder(POINTER, INT)
    base, rows = builder.arguments
    view = builder.view(base, (None, 10), (10, 1), (4, 8), dynamic=[rows])
    tensor = builder.block.ops[-1].operands["tensor_view"][0]
    shape = builder.op("get_tensor_shape", [INT, INT], src=tensor)
    tiles = builder.op("get_index_space_shape", [INT, INT], src=view)
    for i, value in enumerate([*shape, *tiles]):
        place = builder.op("offset", POINTER, ptr=base, offset=builder.constant("i32", i))
        builder.store(place, value)
    got = np.zeros(4, np.int32)
    run(builder.module(), 1, got, 9)
    assert got.tolist() == [9, 10, 3, 2]


RELAXED = {"memory_ordering_semantics": "relaxed", "memory_scope": "device"}
INT_UPDATES = {
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "add": np.add,
    "max": np.maximum, "min": np.minimum, "xchg": lambda old, arg: arg,
}  # fmt: skip


@pytest.mark.parametrize("mode", [*INT_UPDATES, "umax", "umin"])
def test_atomic_update_of_integers(run, mode: str) -> None:
    builder = Builder(POINTER, POINTER, POINTER)
    memory, given, old = (builder.pointers(argument, 8) for argument in builder.arguments)
    arg, _ = builder.load(given)
    attributes = {**RELAXED, "mode": mode}
    before, _ = builder.op(
        "atomic_rmw_tko", [tile("i32", 8), TOKEN], attributes=attributes, pointers=memory, arg=arg
    )
    builder.store(old, before)
    start = np.array([0, 1, -1, 2**31 - 1, -(2**31), 6, -6, 100], np.int32)
    args = np.array([5, -1, 1, 1, -1, 3, 3, -100], np.int32)
    array, got = start.copy(), np.zeros(8, np.int32)
    run(builder.module(), 1, array, args, got)
    if mode in ("umax", "umin"):
        function = np.maximum if mode == "umax" else np.minimum
        expected = function(start.view(np.uint32), args.view(np.uint32)).view(np.int32)
    else:
        expected = INT_UPDATES[mode](start, args)
    assert got.tolist() == start.tolist()
    assert array.tolist() == expected.tolist()


def test_atomics_of_one_tile_and_many_blocks_meet_at_one_address(run) -> None:
    builder = Builder(POINTER)
    one = builder.op("reshape", tile("ptr<i32>", 1), source=builder.arguments[0])
    many = builder.op("broadcast", tile("ptr<i32>", 8), source=one)
    attributes = {**RELAXED, "mode": "add"}
    ones = builder.constant("i32", 1, 8)
    builder.op("atomic_rmw_tko", [tile("i32", 8), TOKEN], attributes=attributes, pointers=many, arg=ones)
    counter = np.zeros(1, np.int32)
    run(builder.module(), (3, 2, 2), counter)
    assert counter[0] == 8 * 12


def test_compare_exchange_compares_bits(run) -> None:
    builder = Builder(tile("ptr<f32>"), tile("ptr<f32>"), tile("ptr<f32>"))
    memory, compared, old = (builder.pointers(argument, 4) for argument in builder.arguments)
    cmp, _ = builder.load(compared)
    before, _ = builder.op(
        "atomic_cas_tko",
        [tile("f32", 4), TOKEN],
        attributes=RELAXED,
        pointers=memory,
        cmp=cmp,
        val=builder.constant("f32", 7, 4),
    )
    builder.store(old, before)
    array = np.array([0.0, 1.0, np.nan, 2.0], np.float32)
    start, got = array.copy(), np.zeros(4, np.float32)
    run(builder.module(), 1, array, np.array([-0.0, 1.0, np.nan, 3.0], np.float32), got)
    assert array.tolist()[:2] == [0, 7]  # -0 is not +0
    assert array.tolist()[2:] == [7, 2]  # a NaN is itself
    assert got.tobytes() == start.tobytes()


def test_globals_and_pointer_casts(run) -> None:
    builder = Builder(POINTER)
    address = builder.op("get_global", tile("ptr<f32>"), attributes={"name": "table"})
    number = builder.op("ptr_to_int", tile("i64"), source=address)
    back = builder.op("int_to_ptr", tile("ptr<f32>"), source=number)
    bits = builder.op("ptr_to_ptr", POINTER, source=back)
    loaded, _ = builder.load(builder.pointers(bits, 2))
    builder.store(builder.pointers(builder.arguments[0], 2), loaded)
    module = builder.module()
    module.globals.append(Global("table", tile("f32", 2), np.array([1.0, -2.0], np.float32)))
    got = np.zeros(2, np.int32)
    run(module, 1, got)
    assert got.view(np.float32).tolist() == [1, -2]


# --- order ---


def store_then_load(with_token: bool):
    """Stores 1, then loads and stores what it finds in another place."""
    builder = Builder(POINTER, POINTER)
    token = builder.store(builder.arguments[0], builder.constant("i32", 1))
    value, _ = builder.load(builder.arguments[0], token=token if with_token else None)
    builder.store(builder.arguments[1], value)
    return builder.module()


@pytest.mark.parametrize("with_token", [True, False])
def test_shuffling_shows_a_missing_token(with_token: bool) -> None:
    seen = set()
    for seed in range(30):
        memory, got = np.zeros(1, np.int32), np.zeros(1, np.int32)
        tileir.interpret(store_then_load(with_token), "kernel", 1, memory, got, seed=seed)
        seen.add(int(got[0]))
        assert memory[0] == 1
    assert seen == ({1} if with_token else {0, 1})


def test_order_without_seed_is_that_of_the_text() -> None:
    memory, got = np.zeros(1, np.int32), np.zeros(1, np.int32)
    tileir.interpret(store_then_load(False), "kernel", 1, memory, got)
    assert got[0] == 1


def test_joined_tokens_come_after_both() -> None:
    for seed in range(20):
        builder = Builder(POINTER, POINTER)
        first, second = (
            builder.op("offset", POINTER, ptr=builder.arguments[0], offset=builder.constant("i32", i))
            for i in (0, 1)
        )
        tokens = [builder.store(place, builder.constant("i32", 5)) for place in (first, second)]
        both = builder.op("join_tokens", TOKEN, tokens=tokens)
        values, _ = builder.load(builder.pointers(builder.arguments[0], 2), token=both)
        builder.store(builder.pointers(builder.arguments[1], 2), values)
        got = np.zeros(2, np.int32)
        tileir.interpret(builder.module(), "kernel", 1, np.zeros(2, np.int32), got, seed=seed)
        assert got.tolist() == [5, 5]


@pytest.mark.parametrize("seed", [None, 0, 1, 2])
def test_block_that_waits_for_a_later_one(seed: int | None) -> None:
    """Block 0 spins until block 1 has stored; all blocks make progress."""
    builder = Builder(POINTER)
    flag = builder.arguments[0]
    block, _, _ = builder.op("get_tile_block_id", [INT] * 3)
    zero = builder.constant("i32", 0)
    branch = builder.op("if", condition=compare(builder, "equal", block, zero))
    acquire = {"memory_ordering_semantics": "acquire", "memory_scope": "device"}
    with builder.region(branch):
        builder.op("loop")
        with builder.region(builder.block.ops[-1]):
            value, _ = builder.op("load_ptr_tko", [INT, TOKEN], attributes=acquire, source=flag)
            leave = builder.op("if", condition=compare(builder, "not_equal", value, zero))
            with builder.region(leave):
                builder.op("break", operands=[])
            builder.op("continue", operands=[])
        builder.op("yield", operands=[])
    with builder.region(branch):
        builder.store(flag, builder.constant("i32", 1))
        builder.op("yield", operands=[])
    array = np.zeros(1, np.int32)
    tileir.interpret(builder.module(), "kernel", 2, array, seed=seed)
    assert array[0] == 1


def test_attribute_of_a_pointer_changes_nothing(run) -> None:
    text = """entry @kernel(%p: tile<ptr<i32, <none>>>) {
  %t = make_tensor_view %p, shape = [4], strides = [1]
    : tensor_view<4xi32, strides=[1], #cuda_tile.ptr_attr<none>>
  %v = make_partition_view %t
    : partition_view<tile=(4), tensor_view<4xi32, strides=[1], #cuda_tile.ptr_attr<none>>>
  %zero = constant <i32: 0> : tile<i32>
  %some = iota : tile<4xi32>
  %stored = store_view_tko weak %some, %v[%zero]
    : tile<4xi32>, partition_view<tile=(4), tensor_view<4xi32, strides=[1], #cuda_tile.ptr_attr<none>>>,
    tile<i32> -> token
  return
}"""
    array = np.full(4, 7, np.int32)
    run(tileir.parse(text), 1, array)
    assert array.tolist() == [0, 1, 2, 3]


# --- prints and assertions ---


def test_print(run, capfd) -> None:
    builder = Builder()
    numbers = builder.constant("i32", [[1, -2], [3, 4]], 2, 2)
    half, flag = builder.constant("f32", 0.5), builder.constant("i1", True)
    text = {"str": "%d and %5.2f, 100%% %i\n"}
    builder.op("print_tko", TOKEN, attributes=text, args=[numbers, half, flag])
    run(builder.module(), 1)
    assert capfd.readouterr().out == "[[1, -2], [3, 4]] and  0.50, 100% 1\n"


def test_assertion() -> None:
    builder = Builder(tile("ptr<i1>"))
    holds, _ = builder.load(builder.pointers(builder.arguments[0], 4))
    builder.op("assert", line=12, attributes={"message": "all must hold"}, condition=holds)
    module = builder.module()
    tileir.interpret(module, "kernel", 1, np.ones(4, bool))
    with pytest.raises(
        tileir.AssertionFailed, match=r"line 12: assert.*element \[2\]: all must hold"
    ) as error:
        tileir.interpret(module, "kernel", 1, np.array([True, True, False, True]))
    assert isinstance(error.value, pct.Error)
    assert (error.value.block, error.value.index) == ((0, 0, 0), (2,))


# --- undefined behaviour ---


def undefined(build) -> tuple[str, int]:
    """The kind and the line that a program is reported with; without reports it comes to an end."""
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
    ],
)
def test_undefined_behaviour_is_named(build, kind: str, line: int) -> None:
    assert undefined(build) == (kind, line)


def test_assumptions_that_hold_are_silent() -> None:
    builder = Builder(POINTER)
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


# --- arguments ---


def test_arguments_are_checked() -> None:
    builder = Builder(POINTER, tile("i8"), tile("f32"))
    module = builder.module()
    array = np.zeros(4, np.int32)

    def failing(*arguments, entry="kernel", grid=1, **more) -> str:
        with pytest.raises(pct.Error) as error:
            tileir.interpret(module, entry, grid, *arguments, **more)
        return str(error.value)

    assert "takes 3 arguments" in failing(array)
    assert "argument 1 'p0' (tile<ptr<i32>>) wants an array of int32" in failing(
        array.astype(np.float32), 1, 1.0
    )
    assert "argument 1 'p0'" in failing(5, 1, 1.0)
    assert "C-contiguous" in failing(np.zeros(8, np.int32)[::2], 1, 1.0)
    assert "argument 2 'p1' (tile<i8>) wants an integer of 8 bits, got 256" in failing(array, 256, 1.0)
    assert "wants an integer, got float" in failing(array, 1.5, 1.0)
    assert "argument 3 'p2'" in failing(array, 1, "x")
    assert "no entry 'other'; it has: kernel" in failing(array, 1, 1.0, entry="other")
    assert "grid" in failing(array, 1, 1.0, grid=0)
    assert "grid" in failing(array, 1, 1.0, grid=(1, 1, 1, 1))
    assert "on_ub" in failing(array, 1, 1.0, on_ub="ignore")
    for unsigned in (array.view(np.uint32), None, pct.ptr(array, 2), pct.strided(np.zeros(8, np.int32)[::2])):
        tileir.interpret(module, "kernel", 1, unsigned, 255, 1)


def test_pointers_into_arrays_and_strides() -> None:
    builder = Builder(POINTER)
    builder.store(builder.pointers(builder.arguments[0], 2), builder.constant("i32", 7, 2))
    module = builder.module()
    array = np.zeros(4, np.int32)
    tileir.interpret(module, "kernel", 1, pct.ptr(array, 2))
    assert array.tolist() == [0, 0, 7, 7]
    with pytest.raises(pct.UndefinedBehaviorError):
        tileir.interpret(module, "kernel", 1, pct.ptr(array, 3))
    backwards = np.zeros(4, np.int32)
    with pytest.raises(pct.UndefinedBehaviorError):  # its first element is the last in memory
        tileir.interpret(module, "kernel", 1, pct.strided(backwards[::-1]))
    tileir.interpret(module, "kernel", 1, pct.strided(backwards[::2]))
    assert backwards.tolist() == [7, 7, 0, 0]
