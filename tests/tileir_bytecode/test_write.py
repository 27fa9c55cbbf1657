"""What write_bytecode writes is read back as the same module, in every version that can hold it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from bytecode_files import varint
from bytecode_operations import OPERATIONS, module
from tileir_modules import Builder, tile

from pycuda_tile import tileir
from pycuda_tile.spec.element_types import TILEIR_TYPES
from pycuda_tile.tileir.dense import splat
from pycuda_tile.tileir.elements import DTYPES
from pycuda_tile.tileir.ir import (
    Block,
    Bounded,
    Constant,
    DivBy,
    Entry,
    Global,
    Operation,
    SameElements,
    Scalar,
    Value,
    walk,
)
from pycuda_tile.tileir.module import Module
from pycuda_tile.tileir.rows import rows
from pycuda_tile.tileir.versions import VERSIONS

#: entry @k() { return }, assembled by hand from the description of the format.
_HEAD, _TYPES = "7f54696c65495200 0d%02x0000", "850b04cb 01cbcbcb 00000000 100000"
_STRINGS = "810904cbcb 01cbcbcb 00000000 6b"
SMALLEST = {
    "13.1": f"{_HEAD % 1} 821008cb 01 00 00 02 00 03 5c0000 cbcbcbcbcbcbcb {_TYPES} {_STRINGS} 00",
    "13.5": f"{_HEAD % 5} 821008cb 01 00 00 02 00 0b00 0600 03 5c0000 cbcbcb {_TYPES} {_STRINGS} 00",
}


def dotted(version: tuple[int, int]) -> str:
    return f"{version[0]}.{version[1]}"


def again(m: Module, version: str | None = None) -> Module:
    return tileir.read_bytecode(tileir.write_bytecode(m, version))


def values_of(m: Module) -> list:
    """The attribute `value` of the operations of the first entry."""
    return [op.attributes["value"] for op in m.entries[0].body.ops if op.name == "constant"]


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation(name: str) -> None:
    """Every version from the first that has the operation can hold it; for older ones, the error says which
    version it needs."""
    written = module(name)
    needed = OPERATIONS[name][1]
    assert dotted(tuple(tileir.write_bytecode(written)[8:10])) == needed
    for version in VERSIONS:
        if dotted(version) < needed:
            operation = f"line [0-9]+: [a-z0-9_]+: bytecode {dotted(version)} cannot hold .*"
            with pytest.raises(tileir.BytecodeError, match=operation) as caught:
                tileir.write_bytecode(written, version)
            assert caught.value.offset is None and "it needs version 13." in str(caught.value)
        else:
            data = tileir.write_bytecode(written, version)
            read = tileir.read_bytecode(data)
            assert read.version == version and tileir.equal(read, written)
            assert tileir.write_bytecode(read, dotted(version)) == data


def test_every_operation_is_here() -> None:
    found = {op.name for name in OPERATIONS for entry in module(name).entries for op in walk(entry.body)}
    assert found == {row["op"] for row in rows("operations.tsv")} - {"entry", "global", "module"}


@pytest.mark.parametrize("version", SMALLEST)
def test_bytes_of_the_smallest_module(version: str) -> None:
    smallest = Module([Entry("k", Block([], [Operation("return", {"operands": []})]))])
    assert tileir.write_bytecode(smallest, version).hex() == SMALLEST[version].replace(" ", "")


def test_fillers_of_other_writers_are_read() -> None:
    """Functions that are not padded, sections in another order, more alignment than needed."""
    data = bytes.fromhex(
        "7f54696c65495200 0d010000"
        "820908cb 01 00 00 02 00 03 5c0000"
        "850b04 01cbcbcb 00000000 100000"
        "810904cbcb 01cbcbcb 00000000 6b 00"
    )
    assert [entry.name for entry in tileir.read_bytecode(data).entries] == ["k"]
    turned = bytes.fromhex(
        "7f54696c65495200 0d010000"
        "810910cb 01cbcbcb 00000000 6b"
        "850b10cbcbcbcb 01cbcbcb 00000000 100000"
        "0209 01 00 00 02 00 03 5c0000 00"
    )
    assert str(tileir.read_bytecode(turned)) == str(tileir.read_bytecode(data))


def test_bytes_of_operations() -> None:
    """Results, flags, attributes, operands, in the order of the format's description."""
    builder = Builder(tile("f32"), tile("i64"))
    x, n = builder.arguments
    builder.op("addf", tile("f32"), attributes={"rounding_mode": "zero", "flush_to_zero": True}, lhs=x, rhs=x)
    builder.op("trunci", tile("i32"), attributes={"overflow": "none"}, **{"from": n})
    builder.op("assume", tile("i64"), attributes={"predicate": Bounded(-3, None)}, value=n)
    data = tileir.write_bytecode(builder.module())
    # Types: 0 f32, 1 its tile, 2 i64, 3 its tile, 4 the function, 5 i32, 6 its tile.
    assert bytes.fromhex("02 01 01 01 00 00  6b 06 00 01  06 03 0c 01 05 01  5c 00 00") in data


@pytest.mark.parametrize("element", [name for name in DTYPES if name != "i4"])
def test_constants(element: str) -> None:
    """All bits survive: random ones, a splat, one element, various numbers of elements."""
    rng, dtype = np.random.default_rng(3), DTYPES[element]
    builder, written = Builder(), []
    for shape in ((), (1,), (2,), (4,), (8,), (16,), (2, 32)):
        raw = rng.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
        if element == "tf32":
            raw = (raw.reshape(-1).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.uint8)
        if TILEIR_TYPES[element].bits < 8:
            raw &= (1 << TILEIR_TYPES[element].bits) - 1
        array = raw.reshape(-1).view(dtype).reshape(shape)
        for value in (array, np.broadcast_to(array.reshape(-1)[:1], (max(array.size, 1),)).reshape(shape)):
            written.append(value)
            builder.op("constant", tile(element, *shape), attributes={"value": value})
    m = builder.module()
    read = values_of(again(m))
    assert len(read) == len(written)
    for got, value in zip(read, written, strict=True):
        assert got.dtype == dtype and got.shape == value.shape and got.tobytes() == value.tobytes()
    assert dotted(again(m).version) == TILEIR_TYPES[element].tileir_since


def test_large_constants_of_one_value_are_small() -> None:
    builder = Builder()
    builder.op("constant", tile("f32", 4096, 4096), attributes={"value": np.float32(2.5)})
    builder.op("constant", tile("i1", 4096, 4096), attributes={"value": np.bool_(True)})
    data = tileir.write_bytecode(builder.module())
    assert len(data) < 400
    for value, expected in zip(values_of(tileir.read_bytecode(data)), (2.5, True), strict=True):
        assert value.shape == (4096, 4096) and value.strides == (0, 0) and value[5, 7] == expected


@pytest.mark.parametrize(
    "predicate",
    [
        DivBy(16),
        DivBy(2**63, 4, 0),
        Bounded(),
        Bounded(-(2**63), 2**63 - 1),
        Bounded(None, -1),
        SameElements((4, 1)),
    ],
)
def test_predicates(predicate: object) -> None:
    builder = Builder(tile("i64"))
    builder.op("assume", tile("i64"), attributes={"predicate": predicate}, value=builder.arguments[0])
    assert again(builder.module()).entries[0].body.ops[0].attributes["predicate"] == predicate


@pytest.mark.parametrize(
    ("element", "bits"),
    [
        ("i1", 1),
        ("i8", 0xFF),
        ("i32", 0xFFFFFFFF),
        ("i64", 2**64 - 1),
        ("f16", 0x8000),
        ("f32", 0xFF800000),
        ("tf32", 0x7FFFF),
        ("f64", 0xBFF0000000000000),
        ("f64", 0x7FF8000000000001),
        ("f8E5M2", 0xFF),
    ],
)
def test_identities(element: str, bits: int) -> None:
    builder = Builder(tile(element, 4))
    attributes = {"dim": 0, "identities": [Constant(Scalar(element), bits)]}
    fold = builder.op("reduce", (tile(element),), attributes=attributes, operands=list(builder.arguments))
    op = builder.block.ops[-1]
    assert len(fold) == 1
    with builder.region(op, tile(element), tile(element)) as (element_, _):
        builder.op("yield", operands=[element_])
    assert again(builder.module()).entries[0].body.ops[0].attributes["identities"] == attributes["identities"]


def identity(element: str, bits: int) -> tileir.Module:
    builder = Builder(tile(element, 4))
    attributes = {"dim": 0, "identities": [Constant(Scalar(element), bits)]}
    builder.op("reduce", (tile(element),), attributes=attributes, operands=list(builder.arguments))
    with builder.region(builder.block.ops[-1], tile(element), tile(element)) as (element_, _):
        builder.op("yield", operands=[element_])
    return builder.module()


@pytest.mark.parametrize(
    "element, bits", [("i8", 256), ("i32", 2**64 - 1), ("f16", 0x1FFFF), ("f4E2M1FN", 16)]
)
def test_numbers_that_do_not_fit_are_not_written(element: str, bits: int) -> None:
    with pytest.raises(tileir.BytecodeError, match=f"{bits:#x} is not a number of type {element}"):
        tileir.write_bytecode(identity(element, bits))


def test_numbers_that_do_not_fit_are_not_read() -> None:
    data = tileir.write_bytecode(identity("i8", 0xAB))
    assert data.count(b"\xab\x01") == 1  # 0xab as bytes of seven bits
    with pytest.raises(tileir.BytecodeError, match="0x12b is not a number of type i8"):
        tileir.read_bytecode(data.replace(b"\xab\x01", b"\xab\x02"))


#: -inf as cuda-tile 1.7 writes it: the zigzag code of 0xfff << 52, which has 65 bits.
NEGATIVE_F64 = b"\x80\x80\x80\x80\x80\x80\x80\xf0\xff\x03"


def test_negative_f64_of_cuda_tile() -> None:
    data = tileir.write_bytecode(identity("f64", 0x4008FFFFFFFFFFFF))
    number = varint(0x4008FFFFFFFFFFFF << 1)
    assert len(number) == len(NEGATIVE_F64) and data.count(number) == 1
    (op, *_) = tileir.read_bytecode(data.replace(number, NEGATIVE_F64)).entries[0].body.ops
    assert op.attributes["identities"] == [Constant(Scalar("f64"), 0xFFF0000000000000)]
    for damaged, message in [
        (b"\x81" + NEGATIVE_F64[1:], "a number of more than 64 bits"),  # a negative one
        (NEGATIVE_F64[:-1] + b"\x04", "a number of more than 65 bits"),
        (NEGATIVE_F64[:-1] + b"\x83", "a number of more than 65 bits"),
    ]:
        with pytest.raises(tileir.BytecodeError, match=message):
            tileir.read_bytecode(data.replace(number, damaged))


def test_integers_of_65_bits_are_not_read() -> None:
    data = tileir.write_bytecode(identity("i64", 2**63))
    assert data.count(varint(2**63)) == 1
    with pytest.raises(tileir.BytecodeError, match="a number of more than 64 bits"):
        tileir.read_bytecode(data.replace(varint(2**63), NEGATIVE_F64))


def test_globals_hints_and_producer() -> None:
    i32 = Scalar("i32")
    m = Builder(tile("ptr<f32>")).module()
    m.producer = "someone"
    m.entries[0].hints = {"sm_100": {"occupancy": Constant(i32, 2), "num_cta_in_cga": Constant(i32, 1)}}
    m.globals = [
        Global("plain", tile("f32", 2), np.array([1, 2], np.float32), alignment=64),
        Global("hidden", tile("i8", 1), np.array([-1], np.int8), private=True, constant=True),
    ]
    for version in ("13.3", "13.4", "13.5"):
        read = again(m, version)
        assert tileir.equal(read, m) and read.producer == "someone"
        assert read.entries[0].hints == m.entries[0].hints
        assert (read.globals[1].private, read.globals[1].constant) == (True, True)
    with pytest.raises(tileir.BytecodeError, match=r"global 'hidden': bytecode 13\.2 cannot hold"):
        tileir.write_bytecode(m, "13.2")
    assert again(m).version == (13, 3)
    del m.globals[1]
    assert again(m).version == (13, 1) and tileir.equal(again(m), m)


def test_entries() -> None:
    read = again(module("absf", "addi"))
    assert [entry.name for entry in read.entries] == ["absf", "addi"]
    types = ["tile<ptr<f32>>", "tile<ptr<i32>>", "tile<i32>", "tile<i64>"]
    assert [str(value.type) for value in read.entries[0].params] == types


def test_the_module_is_left_as_it_is() -> None:
    m = module("print_tko", "for", "load_view_all")
    before = str(m)
    tileir.write_bytecode(m, "13.1")
    assert str(m) == before


def _module(*ops: Operation) -> Module:
    return Module(
        [Entry("k", Block([Value(tile("f32"), "x")], [*ops, Operation("return", {"operands": []})]))]
    )


def _negf(**changed: object) -> Operation:
    """An operation `negf` with some parts replaced."""
    value = Value(tile("f32"))
    given = {"operands": {}, "attributes": {}, "results": [value], **changed}
    return Operation("negf", given["operands"], given["attributes"], given["results"])


@pytest.mark.parametrize(
    ("ops", "message"),
    [
        ([Operation("frobnicate")], "there is no operation 'frobnicate'"),
        ([Operation("entry")], "cannot be in the body of an entry"),
        ([_negf()], "negf: operand source: expected one value"),
        ([_negf(operands={"source": [Value(tile("f32"))]})], "a value that is not defined here"),
        ([Operation("return", {"operands": [], "more": [Value(tile("f32"))]})], "no operand 'more'"),
        ([Operation("get_tile_block_id", results=[Value(tile("i32"))])], "has 1 results, expected 3"),
        ([Operation("iota", results=[Value("i32")])], "str 'i32' is not a type"),
        ([Operation("iota", results=[Value(tile("i32", 3, 0))])], r"a tile of shape \(3, 0\)"),
        ([Operation("iota", attributes={"dim": 1}, results=[Value(tile("i32", 8))])], "no attribute 'dim'"),
        (
            [Operation("get_global", attributes={"name": 7}, results=[Value(tile("i32"))])],
            "expected a name or text, got int",
        ),
        ([Operation("make_token", results=[])], "has 0 results, expected 1"),
        (
            [
                Operation(
                    "constant", attributes={"value": np.zeros(3, np.float32)}, results=[Value(tile("f32", 4))]
                )
            ],
            r"an array of float32 \(3,\) is not a constant of type tile<4xf32>",
        ),
        (
            [
                Operation(
                    "constant", attributes={"value": np.zeros(4, np.int32)}, results=[Value(tile("f32", 4))]
                )
            ],
            "an array of int32",
        ),
        ([Operation("constant", results=[Value(tile("f32", 4))])], "value is missing"),
    ],
)
def test_what_is_no_module(ops: list[Operation], message: str) -> None:
    with pytest.raises(tileir.BytecodeError, match=message) as caught:
        tileir.write_bytecode(_module(*ops))
    assert caught.value.offset is None


@pytest.mark.parametrize("version", ["13.0", "13.6", "14.1", "new", "", 13, (13, 1, 0), (13,)])
def test_unknown_versions(version: object) -> None:
    with pytest.raises(tileir.BytecodeError, match=r"expected one of 13\.1, 13\.2, .*, 13\.5"):
        tileir.write_bytecode(_module(), version)


def test_values_are_seen_only_where_they_are() -> None:
    """A value defined in a region is not visible after it."""
    builder = Builder(tile("i1"), tile("f32"))
    op = builder.op("if", condition=builder.arguments[0])
    with builder.region(op):
        inner = builder.op("negf", tile("f32"), source=builder.arguments[1])
        builder.op("yield", operands=[])
    builder.op("negf", tile("f32"), source=inner)
    with pytest.raises(tileir.BytecodeError, match="negf: an operand is a value that is not defined here"):
        tileir.write_bytecode(builder.module())


def test_constants_of_one_value_take_no_memory() -> None:
    """Each has 2^24 elements; parsed, printed, written, read and compared they are one."""
    values = [
        ("f32", "1.5"),
        ("i1", "true"),
        ("i1", "false"),
        ("tf32", "1.0"),
        ("i64", "-3"),
        ("f4E2M1FN", "1.0"),
    ]
    lines = [
        f"%{i} = constant <{kind}: {text}> : tile<4096x4096x{kind}>" for i, (kind, text) in enumerate(values)
    ]
    text = "entry @k() {\n" + "\n".join(lines) + "\n}\nglobal @g <f64: 0.5> : tile<16777216xf64>"
    tileir.write_bytecode(tileir.parse(str(tileir.parse("entry @k() {}"))))  # so that imports are not counted
    tracemalloc.start()
    try:
        module = tileir.parse(text)
        read = tileir.read_bytecode(tileir.write_bytecode(module))
        assert tileir.equal(read, module) and str(tileir.parse(str(read))) == str(read)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 << 20
    found = [op.attributes["value"] for op in read.entries[0].body.ops[:-1]] + [read.globals[0].value]
    assert all(splat(array) is not None for array in found)
    assert [splat(array).item() for array in found] == [1.5, True, False, 1.0, -3, 1.0, 0.5]


@pytest.mark.parametrize(
    ("array", "one"),
    [
        (np.broadcast_to(np.float32(2), (4, 8)), True),
        (np.broadcast_to(np.arange(4), (8, 4)), False),
        (np.ones((4,)), False),  # it holds four
        (np.ones((1, 1)), False),
        (np.ones((1, 4))[:, :1].repeat(1, 0), False),
        (np.broadcast_to(np.ones((1, 1, 1)), (1, 4, 1)), True),
    ],
)
def test_what_is_a_view_of_one_element(array: np.ndarray, one: bool) -> None:
    assert (splat(array) is not None) == one


def test_nesting_has_a_limit() -> None:
    def nested(depth: int) -> Module:
        builder = Builder(tile("i1"))
        inner = [Operation("yield", {"operands": []})]
        for _ in range(depth):
            op = Operation("if", {"condition": [builder.arguments[0]]}, {}, [], [Block([], inner), None])
            inner = [op, Operation("yield", {"operands": []})]
        builder.block.ops = inner[:1]
        return builder.module()

    data = tileir.write_bytecode(nested(199))  # in the body of the entry
    assert tileir.write_bytecode(tileir.read_bytecode(data)) == data
    with pytest.raises(tileir.BytecodeError, match="if: regions nested more than 200 deep"):
        tileir.write_bytecode(nested(200))
