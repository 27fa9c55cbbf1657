"""Loads, stores, views and atomics: interpreted, in shuffled order, and built for the cpu."""

from __future__ import annotations

import numpy as np
import pytest
from tileir_modules import INT, POINTER, TOKEN, Builder, tile

from pycuda_tile import tileir
from pycuda_tile.errors import LaunchError
from pycuda_tile.tileir.ir import Global


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


def test_padding_in_any_order(run) -> None:
    """A padding tile that is a broadcast, and one that is a transpose: neither is in C order."""
    builder = Builder(POINTER, POINTER)
    column = builder.constant("i32", [[-1], [-2], [-3], [-4]], 4, 1)
    row = builder.op("reshape", tile("i32", 2, 4), source=builder.op("iota", tile("i32", 8)))
    paddings = [
        builder.op("broadcast", tile("i32", 4, 2), source=column),
        builder.op("permute", tile("i32", 4, 2), attributes={"permutation": (1, 0)}, source=row),
    ]
    source, target = (builder.pointers(argument, 16) for argument in builder.arguments)
    flat = builder.iota(16)
    odd = builder.op("trunci", tile("i1", 16), **{"from": flat})
    halves = []
    for part, padding in enumerate(paddings):
        at = [builder.constant("i32", part)]
        square = [
            builder.op(
                "reshape", tile(kind, 4, 2), source=builder.op("extract", tile(kind, 8), source=x, indices=at)
            )
            for x, kind in ((source, "ptr<i32>"), (odd, "i1"))
        ]
        loaded, _ = builder.load(square[0], mask=square[1], paddingValue=padding)
        halves.append(builder.op("reshape", tile("i32", 8), source=loaded))
    whole = builder.op("cat", tile("i32", 16), attributes={"dim": 0}, lhs=halves[0], rhs=halves[1])
    builder.store(target, whole)
    array, got = np.arange(100, 116, dtype=np.int32), np.zeros(16, np.int32)
    run(builder.module(), 1, array, got)
    assert got[1::2].tolist() == array[1::2].tolist()
    assert got[0::2].tolist() == [-1, -2, -3, -4, 0, 1, 2, 3]


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
    """dim_map gives the tensor's axis for each of the tile's axes: a transposed read."""
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
    assert array.tolist()[2:] == [7, 2]  # a NaN equals itself
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


def test_memory_that_there_is_not() -> None:
    count = 1 << 60
    module = tileir.parse(f"entry @k() {{ %a = alloca num_elem = {count}, alignment = 8 : tile<ptr<f64>> }}")
    with pytest.raises(LaunchError, match="line 1: alloca: there is no memory for 9223372036854775808 bytes"):
        tileir.interpret(module, "k", 1)
