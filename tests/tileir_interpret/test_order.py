"""Which memory operations tokens order; prints and assertions."""

from __future__ import annotations

import numpy as np
import pytest
from tileir_modules import INT, POINTER, TOKEN, Builder, compare, tile

import pycuda_tile as pct
from pycuda_tile import tileir


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
