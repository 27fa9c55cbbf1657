"""Operations of Tile IR, built for the cpu and emulated targets, match the interpreter bit for bit."""

from __future__ import annotations

import functools
import itertools
import tracemalloc

import numpy as np
import pytest
from tileir_modules import Builder, elementwise, tile

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.elements import DTYPES, doubles, nearest
from pycuda_tile.tileir.lower.translate import translate

COUNT = 64
INTEGERS = ["i1", "i8", "i16", "i32", "i64"]
FLOATS = ["f16", "bf16", "f32", "f64"]
RELATIONS = ["equal", "not_equal", "less_than", "less_than_or_equal", "greater_than", "greater_than_or_equal"]
DIRECTIONS = ["nearest_even", "zero", "negative_inf", "positive_inf"]
NUMBERS = [0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 3.0]


def values(kind: str, part: int) -> np.ndarray:
    """8 x 8 elements for each of two operands (part 0 and 1), chosen so that all pairs are interesting."""
    dtype = DTYPES[kind]
    if kind == "i1":
        some = np.array([False, True] * 4)
    elif dtype.kind == "i":
        info = np.iinfo(dtype)
        some = np.array([0, 1, -1, 2, -7, 100, info.min, info.max], dtype)
    else:
        tiny = {"f16": 6e-8, "bf16": 1e-40, "f32": 1e-45, "f64": 5e-324}[kind]
        some = np.array([*NUMBERS[:-1], tiny], dtype)
    return np.repeat(some, 8) if part == 0 else np.tile(some, 8)


def cases():
    """name, operation, attributes, kinds of the operands, kind of the result."""
    for kind in INTEGERS:
        for name in ("addi", "subi", "muli", "mulhii", "andi", "ori", "xori"):
            yield name, {}, [kind, kind], kind
        for name, sign in itertools.product(("maxi", "mini"), ("signed", "unsigned")):
            yield name, {"signedness": sign}, [kind, kind], kind
        for relation, sign in itertools.product(RELATIONS, ("signed", "unsigned")):
            yield "cmpi", {"comparison_predicate": relation, "signedness": sign}, [kind, kind], "i1"
        for name in ("negi", "absi"):
            yield name, {}, [kind], kind
        for to in INTEGERS:
            if INTEGERS.index(to) > INTEGERS.index(kind):
                yield from (("exti", {"signedness": s}, [kind], to) for s in ("signed", "unsigned"))
            elif to != kind:
                yield "trunci", {}, [kind], to
        for to, sign in itertools.product(FLOATS, ("signed", "unsigned")):
            yield "itof", {"signedness": sign}, [kind], to
    for kind in FLOATS:
        for name, rounding in itertools.product(("addf", "subf", "mulf", "divf"), DIRECTIONS):
            yield name, {"rounding_mode": rounding}, [kind, kind], kind
        for name, nan in itertools.product(("maxf", "minf"), (False, True)):
            yield name, {"propagate_nan": nan}, [kind, kind], kind
        for relation, ordering in itertools.product(RELATIONS, ("ordered", "unordered")):
            yield (
                "cmpf",
                {"comparison_predicate": relation, "comparison_ordering": ordering},
                [kind] * 2,
                "i1",
            )
        for name in ("absf", "negf", "ceil", "floor"):
            yield name, {}, [kind], kind
        for rounding in DIRECTIONS:
            yield "sqrt", {"rounding_mode": rounding}, [kind], kind
        yield "remf", {}, [kind, kind], kind
        yield "fma", {"rounding_mode": "nearest_even"}, [kind, kind, kind], kind
        for to in FLOATS:
            if to != kind:
                yield "ftof", {}, [kind], to
        for sign in ("signed", "unsigned"):
            yield "ftoi", {"signedness": sign}, [kind], "i1"
    for name in ("addf", "subf", "mulf", "divf", "maxf", "minf"):
        yield name, {"flush_to_zero": True}, ["f32", "f32"], "f32"
    for kind, to in (("i32", "f32"), ("f64", "i64"), ("i16", "bf16"), ("f16", "i16")):
        yield "bitcast", {}, [kind], to


def divisions_and_shifts():
    for kind, sign in itertools.product(INTEGERS[1:], ("signed", "unsigned")):
        for rounding in ("zero", "positive_inf"):
            yield "divi", {"signedness": sign, "rounding": rounding}, [kind, kind], kind
        for name in ("remi", "shri"):
            yield name, {"signedness": sign}, [kind, kind], kind
    for kind in INTEGERS[1:]:
        yield "shli", {}, [kind, kind], kind


def floats_to_integers():
    for source, to, sign in itertools.product(FLOATS, INTEGERS[1:], ("signed", "unsigned")):
        yield "ftoi", {"signedness": sign}, [source], to


def label(name: str, attributes: dict, kinds: list[str], to: str) -> str:
    said = [str(v) for v in attributes.values() if v is not True] + [
        k for k, v in attributes.items() if v is True
    ]
    return "_".join([name, *said, *kinds, to])


OPERANDS = {
    **{name: ["from"] for name in ("exti", "trunci", "itof", "ftof", "ftoi")},
    "mulhii": ["x", "y"],
}
CASES = {label(*case): case for case in cases()}
#: Operations whose result is unique only for defined inputs.
GUARDED = {label(*case): case for case in divisions_and_shifts()}
SATURATING = {label(*case): case for case in floats_to_integers()}
ALL = {**CASES, **GUARDED, **SATURATING}


def entry(name: str):
    operation, attributes, kinds, to = ALL[name]

    def function(builder, loaded):
        usual = ["source"] if len(kinds) == 1 else ["lhs", "rhs", "acc"][: len(kinds)]
        names = dict(zip(OPERANDS.get(operation, usual), loaded, strict=True))
        return builder.op(operation, tile(to, COUNT), attributes=attributes, **names)

    return elementwise(name, function, kinds, to, COUNT)


@functools.cache
def built(target: str):
    module = tileir.Module([entry(name) for name in ALL])
    return module, tileir.build(module, target=target, options=("-O1",))


def same(got: np.ndarray, expected: np.ndarray) -> bool:
    """The same bits, or both NaN."""
    if got.dtype.kind in "biu":
        return np.array_equal(got, expected)
    nan = np.isnan(expected.astype(np.float64))
    unsigned = f"u{got.dtype.itemsize}"
    equal = got.view(unsigned) == expected.view(unsigned)
    return bool(np.where(nan, np.isnan(got.astype(np.float64)), equal).all())


def check(name: str, arrays: list[np.ndarray]) -> None:
    """Checks that the cpu target gives the same results as the interpreter."""
    module, compiled = built("cpu")
    to = DTYPES[ALL[name][3]]
    expected, got = np.zeros(COUNT, to), np.ones(COUNT, to)
    tileir.interpret(module, name, 1, *arrays, expected)
    compiled.kernel(name)[1](*arrays, got)
    assert same(got, expected), [
        (i, [a[i] for a in arrays], got[i], expected[i])
        for i in range(COUNT)
        if not same(got[i : i + 1], expected[i : i + 1])
    ]


@pytest.mark.parametrize("name", CASES)
def test_as_interpreted(name: str) -> None:
    check(name, [values(kind, i % 2) for i, kind in enumerate(CASES[name][2])])


@pytest.mark.parametrize("name", GUARDED)
def test_divisions_and_shifts(name: str) -> None:
    operation, _, [kind, _], _ = GUARDED[name]
    a, b = values(kind, 0), values(kind, 1)
    if operation in ("divi", "remi"):
        defined = (b != 0) & ~((b == -1) & (a == np.iinfo(a.dtype).min))
    else:
        defined = (b >= 0) & (b < 8 * a.itemsize)
    check(name, [a, np.where(defined, b, np.ones_like(b))])


@pytest.mark.parametrize("name", SATURATING)
def test_float_to_integer_saturates(name: str) -> None:
    _, _, [source], _ = SATURATING[name]
    numbers = [
        0,
        -0.9,
        1.9,
        -1.9,
        127.5,
        128,
        -128.9,
        -129,
        255.5,
        256,
        32767.9,
        40000,
        -40000,
        65504,
        np.nan,
    ]
    large = [2.0**31, -(2.0**31), 2.0**32, 2.0**63, -(2.0**63), 2.0**64, 1e30] if source != "f16" else []
    check(name, [np.resize(np.array([*numbers, *large]).astype(DTYPES[source]), COUNT)])


@pytest.mark.parametrize(
    "kind, scale, block",
    [
        ("f8E4M3FN", "f8E8M0FNU", 32),
        ("f8E5M2", "f8E8M0FNU", 32),
        ("f4E2M1FN", "f8E8M0FNU", 16),
        ("f4E2M1FN", "f8E4M3FN", 16),
        ("f4E2M1FN", "fnv8E5M3FNU", 32),
    ],
)
def test_scaled_product(kind: str, scale: str, block: int) -> None:
    """Small integers and powers of two: all sums are exact."""
    rng = np.random.default_rng(0)
    shapes = {
        "lhs": (2, 4, 2 * block),
        "rhs": (2, 2 * block, 4),
        "acc": (2, 4, 4),
        "lhs_scale": (2, 4, 2),
        "rhs_scale": (2, 2, 4),
    }
    kinds = {"lhs": kind, "rhs": kind, "acc": "f32", "lhs_scale": scale, "rhs_scale": scale}
    numbers = {
        name: 2.0 ** rng.integers(-2, 3, shape) if "scale" in name else 1.0 * rng.integers(-3, 4, shape)
        for name, shape in shapes.items()
    }
    arrays = {name: nearest(array, kinds[name]) for name, array in numbers.items()}
    builder = Builder(tile("ptr<f32>"))
    operands = {
        name: builder.op("constant", tile(kinds[name], *array.shape), attributes={"value": array})
        for name, array in arrays.items()
    }
    product = builder.op("mmaf_scaled", tile("f32", 2, 4, 4), **operands)
    flat = builder.op("reshape", tile("f32", 32), source=product)
    builder.store(builder.pointers(builder.arguments[0], 32), flat)
    wide = {name: doubles(array) for name, array in arrays.items()}
    lhs = wide["lhs"] * np.repeat(wide["lhs_scale"], block, axis=2)
    rhs = wide["rhs"] * np.repeat(wide["rhs_scale"], block, axis=1)
    module = builder.module()
    for run in (
        lambda out: tileir.interpret(module, "kernel", 1, out),
        lambda out: tileir.build(module, options=("-O1",)).kernel("kernel")[1](out),
    ):
        out = np.zeros((2, 4, 4), np.float32)
        run(out)
        assert np.array_equal(out, lhs @ rhs + wide["acc"])
    if scale == "f8E4M3FN":
        arrays["lhs_scale"][1, 2, 0] *= -1
        with pytest.raises(pct.UndefinedBehaviorError, match="a scale is negative") as caught:
            tileir.interpret(module, "kernel", 1, out)
        assert caught.value.kind == "conversion-range"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "kind, target",
    [
        *((kind, "cpu") for kind in ("i1", "i16", "i32", "i64", "f16", "f32", "tf32", "f64", "f4E2M1FN")),
        ("i1", "emulated"),
        ("f16", "emulated"),
    ],
)
def test_bytes_as_elements_and_back(kind: str, target: str) -> None:
    """All 256 bytes are unpacked; reversing the elements and packing them again shows what they were."""
    builder = Builder(tile("ptr<i8>"), tile("ptr<i8>"))
    read, write = (builder.pointers(argument, 256) for argument in builder.arguments)
    source, _ = builder.load(read)
    count = 256 * 8 // _width(kind)
    elements = builder.op("unpack", tile(kind, count), source=source)
    halves = [
        builder.op(
            "extract", tile(kind, count // 2), source=elements, indices=[builder.constant("i32", half)]
        )
        for half in (1, 0)
    ]
    swapped = builder.op("cat", tile(kind, count), attributes={"dim": 0}, lhs=halves[0], rhs=halves[1])
    column = builder.op("reshape", tile(kind, count // 2, 2), source=swapped)
    turned = builder.op(
        "permute", tile(kind, 2, count // 2), attributes={"permutation": (1, 0)}, source=column
    )
    flat = builder.op("reshape", tile(kind, count), source=turned)
    builder.store(write, builder.op("pack", tile("i8", 256), source=flat))
    module, array = builder.module(), np.random.default_rng(0).permutation(256).astype(np.uint8)
    expected, got = np.zeros(256, np.uint8), np.zeros(256, np.uint8)
    tileir.interpret(module, "kernel", 1, array.view(np.int8), expected.view(np.int8))
    tileir.build(module, target=target, options=("-O1",)).kernel("kernel")[1](array, got)
    np.testing.assert_array_equal(got, expected)
    bits = np.unpackbits(array, bitorder="little").reshape(count, -1)
    if kind == "tf32":  # has no more
        bits[:, :13] = 0
    by_hand = (
        np.concatenate([bits[count // 2 :], bits[: count // 2]]).reshape(count // 2, 2, -1).swapaxes(0, 1)
    )
    np.testing.assert_array_equal(np.packbits(by_hand.reshape(-1), bitorder="little"), expected)


def _width(kind: str) -> int:
    return {"i1": 1, "f4E2M1FN": 4}.get(kind) or 8 * DTYPES[kind].itemsize


def test_a_constant_of_one_element_takes_no_memory() -> None:
    """2^24 equal elements, as the text and the bytecode give them, are examined as one."""
    text = """entry @kernel() {
      %c = constant <f64: 0.5> : tile<4096x4096xf64>
      %d = constant <i64: [3, 3, 3, 3]> : tile<4xi64>
      return
    }"""
    module = tileir.parse(text)
    for found in (module, tileir.read_bytecode(tileir.write_bytecode(module))):
        tracemalloc.start()
        source, _ = translate(found, "cpu")
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert "ct::full<ct::tile<double, ct::shape<4096, 4096>>>(0x1.0000000000000p-1)" in source
        assert "ct::full<ct::tile<long long, ct::shape<4>>>(3LL)" in source
        assert peak < 4_000_000


def test_entries_may_have_the_names_of_other_things_in_cxx():
    names = ["std", "int", "uint8_t", "float4", "printf", "dim3", "assert", "main", "plain"]
    text = "\n".join(
        f"""entry @{name}(%p: tile<ptr<i32>>) {{
          %x = constant <i32: {number}> : tile<i32>
          %t = make_token : token
          %1 = store_ptr_tko weak %p, %x token = %t : tile<ptr<i32>>, tile<i32> -> token
        }}"""
        for number, name in enumerate(names)
    )
    module = tileir.build(tileir.parse(text))
    assert [kernel.name for kernel in module.kernels] == names == list(module)
    for number, name in enumerate(names):
        assert name in module and module[name].name == name
        out = np.full(1, -1, np.int32)
        module[name][1](out)
        assert out[0] == number
