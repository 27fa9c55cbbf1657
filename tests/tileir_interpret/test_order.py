"""The order that tokens impose on memory operations; prints and assertions."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from tileir_modules import INT, POINTER, TOKEN, Builder, compare, tile

import pycuda_tile as pct
from pycuda_tile import tileir


def store_then_load(with_token: bool):
    """Stores 1, then loads it and stores the loaded value elsewhere."""
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


def test_print_by_type(run, capfd) -> None:
    """Integers in full width, read with the signedness of the conversion; every floating-point format; and a
    conversion that C lacks prints its operand."""
    builder = Builder()

    def print_(text: str, *values) -> None:
        builder.op("print_tko", TOKEN, attributes={"str": text}, args=list(values))

    for value, kind in ((200, "i8"), (60000, "i16"), (4 * 10**9, "i32"), (2**64 - 6, "i64")):
        number = builder.constant(kind, value - (1 << int(kind[1:])))
        print_("%u %d %x %#o|%-6hhi|%c|%08.3X %p\n", *[number] * 8)
        tile_of_one = builder.op("reshape", tile(kind, 1), source=number)
        print_("%u %d\n", tile_of_one, tile_of_one)
    for kind, pair in {
        "f8E4M3FN": (448, -0.0),
        "f8E5M2": (np.inf, 2**-16),
        "bf16": (1e38, 1),
        "tf32": (1.5, -2),
        "f16": (np.nan, -65504),
        "f64": (1e300, -np.nan),
    }.items():
        print_("%g %a\n", *(builder.constant(kind, value) for value in pair))
    half, flag = builder.constant("f32", 0.5), builder.constant("i1", True)
    print_('%, %f|%s|%n|%*d %\u20ac x\\"\n', flag, half, half, flag, flag, flag)
    print_("%u %d\n", flag, flag)
    run(builder.module(), 1)
    expected = [
        "200 -56 c8 0310|-56   |\ufffd|     0C8 0xc8",
        "[200] [-56]",
        "60000 -5536 ea60 0165140|-5536 |`|    EA60 0xea60",
        "[60000] [-5536]",
        "4000000000 -294967296 ee6b2800 035632624000|-294967296|\0|EE6B2800 0xee6b2800",
        "[4000000000] [-294967296]",
        "18446744073709551610 -6 fffffffffffffffa 01777777777777777777772|-6    |\ufffd|FFFFFFFFFFFFFFFA "
        "0xfffffffffffffffa",
        "[18446744073709551610] [-6]",
        "448 -0x0p+0",
        "inf 0x1p-16",
        "9.96921e+37 0x1p+0",
        "1.5 -0x1p+1",
        "nan -0x1.ffcp+15",
        "1e+300 nan",
        '1, 0.500000|0.500000|1|1 1\u20ac x\\"',
        "1 1",
    ]
    assert sorted(capfd.readouterr().out.splitlines()) == sorted(expected)  # shuffled, they come in any order


def test_assertion(run) -> None:
    """The first failing element of the first failing block is reported, however the module is run."""
    builder = Builder(tile("ptr<i1>"), POINTER)
    block, _, _ = builder.op("get_tile_block_id", [INT] * 3)
    first = builder.op("muli", INT, lhs=block, rhs=builder.constant("i32", 8))
    start = builder.op("offset", tile("ptr<i1>"), ptr=builder.arguments[0], offset=first)
    holds, _ = builder.load(builder.pointers(start, 8))
    holds = builder.op("reshape", tile("i1", 2, 4), source=holds)
    message = 'all "must" hold, 100%d\n'
    builder.op("assert", line=12, attributes={"message": message}, condition=holds)
    one = builder.op("offset", POINTER, ptr=builder.arguments[1], offset=block)
    builder.store(one, builder.constant("i32", 1))
    builder.op("assert", attributes={"message": "no"}, condition=builder.constant("i1", True))
    module = builder.module()
    conditions, done = np.ones(64, bool), np.zeros(8, np.int32)
    run(module, 8, conditions, done)
    assert done.all()
    conditions[[45, 46, 63]], done[:] = False, 0
    with pytest.raises(tileir.AssertionFailed) as error:
        run(module, 8, conditions, done)
    assert isinstance(error.value, pct.Error)
    if run.__name__ != "run_shuffled":
        assert str(error.value) == (
            f"line 12: assert: block (5, 0, 0): assertion failed at element [1, 1]: {message}"
        )
        assert (error.value.block, error.value.index) == ((5, 0, 0), (1, 1))
    assert not done[5]


@pytest.mark.parametrize("arguments", [{"target": "emulated"}, {"checked": True}])
def test_assertion_of_a_scalar(arguments: dict) -> None:
    """Each launch raises its own error, and the next one runs; LaunchError is for other exceptions."""
    builder = Builder(INT)
    zero = builder.constant("i32", 0)
    builder.op(
        "assert",
        attributes={"message": "not 0"},
        condition=compare(builder, "not_equal", builder.arguments[0], zero),
    )
    kernel = tileir.build(builder.module(), options=("-O1",), **arguments).kernel("kernel")
    for launch in (kernel[1], functools.partial(kernel.launch, 1)):
        launch(1)
        with pytest.raises(
            tileir.AssertionFailed, match=r"^assert: block \(0, 0, 0\): assertion failed: not 0$"
        ):
            launch(0)
