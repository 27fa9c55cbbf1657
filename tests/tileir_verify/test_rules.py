"""Each rule of Tile IR, and a program that breaks it."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from bytecode_operations import OPERATIONS
from bytecode_operations import module as operation_module

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Block, Global, Operation, Scalar, Tile, Token, Value
from pycuda_tile.tileir.verifier.table import meanings, rows

#: Values that the programs below use.
HEAD = """
global @numbers <i32: [1, 2]> : tile<2xi32>
entry @kernel(%p: tile<ptr<f32>>, %q: tile<ptr<i32>>, %n: tile<i32>) {
  %c = constant <i1: 1> : tile<i1>
  %i = iota : tile<8xi32>
  %s = constant <i16: 1> : tile<8xi16>
  %l = constant <i64: 1> : tile<i64>
  %f = constant <f32: 1.0> : tile<8xf32>
  %h = constant <f16: 1.0> : tile<8xf16>
  %d = constant <f64: 1.0> : tile<8xf64>
  %m = constant <f32: 1.0> : tile<4x8xf32>
  %mh = constant <f16: 1.0> : tile<4x8xf16>
  %b = constant <i8: 1> : tile<8xi8>
  %i1 = constant <i1: 1> : tile<8xi1>
  %p1 = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %pp = broadcast %p1 : tile<1xptr<f32>> -> tile<8xptr<f32>>
  %t = make_token : token
  %tv = make_tensor_view %p, shape = [32, 16], strides = [16, 1] : tensor_view<32x16xf32, strides=[16,1]>
  %v = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<32x16xf32, strides=[16,1]>>
"""
VIEW = "partition_view<tile=(4x8), tensor_view<32x16xf32, strides=[16,1]>>"
TENSOR = "tensor_view<32x16xf32, strides=[16,1]>"
FIRST_LINE = HEAD.count("\n") + 1


def module(body: str) -> tileir.Module:
    return tileir.parse(HEAD + body + "\n  return\n}\n")


def fold(types: str, ends: str = "yield %a : tile<f32>", rest: str = "%a: tile<f32>, %e: tile<f32>") -> str:
    return f"%r = reduce %f dim=0 identities=[0.0 : f32] : {types}\n({rest}) {{\n{ends}\n}}"


MULTICAST = "%a = int_to_ptr %l : tile<i64> -> tile<ptr<f32, <multicast>>>\n"
FEW = "tensor_view<16xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>"
MANY = f"partition_view<tile=(8), {FEW}>"
MULTICAST_VIEW = (
    MULTICAST + f"%tvm = make_tensor_view %a, shape = [16], strides = [1] : {FEW}\n"
    f"%vm = make_partition_view %tvm : {MANY}\n"
)

BROKEN = [
    # operands and results that agree
    ("%r = select %c, %f, %f : tile<i1>, tile<8xf32>", "same_shape", "tile<i1>, tile<8xf32>"),
    ("%r = reshape %f : tile<8xf32> -> tile<8xi32>", "same_element", "tile<8xi32>"),
    ("%r = broadcast %p : tile<ptr<f32>> -> tile<8xptr<f32>>", "same_rank", "tile<ptr<f32>>"),
    ("%r = absi %f : tile<8xf32>", "kind", "a tile of integers"),
    ("%r = absf %i : tile<8xi32>", "kind", "tile<8xi32>"),
    ("%r = mmai %i, %i, %i signed signed : tile<8xi32>, tile<8xi32>, tile<8xi32>", "kind", "i8"),
    ("%r = iota : tile<2x4xi32>", "kind", "1 axes"),
    ("%r = addf %c, %c : tile<i1>", "kind", "f16, bf16, f32 or f64"),
    # modes
    ("%r = addf %f, %f rounding<approx> : tile<8xf32>", "rounding_mode", "approx"),
    ("%r = divi %i, %i signed rounding<nearest_even> : tile<8xi32>", "rounding", "nearest_even"),
    ("%r = divi %i, %i unsigned rounding<negative_inf> : tile<8xi32>", "floor_is_signed", "unsigned"),
    ("%r = negi %i overflow<no_unsigned_wrap> : tile<8xi32>", "overflow", "no_unsigned_wrap"),
    ("%r = addf %h, %h flush_to_zero : tile<8xf16>", "f32_only", "flush_to_zero with f16"),
    ("%r = sqrt %d rounding<approx> : tile<8xf64>", "f32_only", "approx with f64"),
    # conversions
    ("%r = bitcast %f : tile<8xf32> -> tile<8xi64>", "equal_width", "f32 to i64"),
    ("%r = exti %i signed : tile<8xi32> -> tile<8xi16>", "wider", "i32 to i16"),
    ("%r = exti %i signed : tile<8xi32> -> tile<8xi32>", "wider", "i32 to i32"),
    ("%r = trunci %s : tile<8xi16> -> tile<8xi32>", "narrower", "i16 to i32"),
    ("%r = ftof %f : tile<8xf32> -> tile<8xf32>", "other_element", "f32 to f32"),
    ("%r = ftof %f rounding<negative_inf> : tile<8xf32> -> tile<8xf16>", "ftof_rounding", "f32 to f16"),
    ("%r = ftof %f rounding<zero> : tile<8xf32> -> tile<8xf8E5M2>", "ftof_rounding", "zero"),
    # shapes
    ("%r = broadcast %f : tile<8xf32> -> tile<16xf32>", "broadcast_extents", "tile<16xf32>"),
    ("%r = cat %f, %f dim = 1 : tile<8xf32>, tile<8xf32> -> tile<16xf32>", "axis", "dim 1"),
    ("%r = cat %f, %f dim = 0 : tile<8xf32>, tile<8xf32> -> tile<32xf32>", "cat_extents", "tile<32xf32>"),
    ("%r = extract %f[%n] : tile<8xf32> -> tile<16xf32>", "slices_divide", "tile<16xf32> in tile<8xf32>"),
    ("%r = extract %m[%n] : tile<4x8xf32> -> tile<2x8xf32>", "index_per_axis", "1 indices"),
    ("%r = permute %m [0, 0] : tile<4x8xf32> -> tile<4x4xf32>", "permutation", "[0, 0]"),
    ("%r = permute %m [1, 0] : tile<4x8xf32> -> tile<4x8xf32>", "permutation", "[1, 0]"),
    ("%r = reshape %f : tile<8xf32> -> tile<4xf32>", "equal_count", "tile<4xf32>"),
    ("%r = pack %h : tile<8xf16> -> tile<8xi8>", "packed_length", "tile<8xi8>"),
    ("%r = pack %b : tile<8xi8> -> tile<8xi8>", "packed_length", "tile<8xi8>, tile<8xi8>"),
    ("%r = iota : tile<512xi8>", "iota_fits", "tile<512xi8>"),
    ("%r = iota : tile<12xi32>", "type_legal", "tile<12xi32>"),
    # products
    ("%r = mmaf %m, %m, %m : tile<4x8xf32>, tile<4x8xf32>, tile<4x8xf32>", "mma_shapes", "tile<4x8xf32>"),
    (
        "%k = constant <f32: 0.0> : tile<8x4xf32>\n%a = constant <f64: 0.0> : tile<4x4xf64>\n"
        "%r = mmaf %m, %k, %a : tile<4x8xf32>, tile<8x4xf32>, tile<4x4xf64>",
        "mma_types",
        "f32 summed to f64",
    ),
    # memory
    (
        "%r, %u = load_ptr_tko weak %pp : tile<8xptr<f32>> -> tile<8xi32>, token",
        "points_to",
        "tile<8xi32>",
    ),
    ("%r, %u = load_ptr_tko release device %p : tile<ptr<f32>> -> tile<f32>, token", "ordering", "release"),
    ("%r, %u = load_ptr_tko weak device %p : tile<ptr<f32>> -> tile<f32>, token", "scope", "weak with scope"),
    ("%r, %u = load_ptr_tko relaxed %p : tile<ptr<f32>> -> tile<f32>, token", "scope", "without scope"),
    ("%u = store_ptr_tko acquire device %pp, %f : tile<8xptr<f32>>, tile<8xf32> -> token", "ordering", "acq"),
    (
        "%r, %u = atomic_rmw_tko relaxed device %pp, add, %f : tile<8xptr<f32>>, tile<8xf32> "
        "-> tile<8xf32>, token",
        "rmw_types",
        "add of f32",
    ),
    ("%r = get_global @letters : tile<ptr<i32>>", "global_exists", "@numbers"),
    ("%r = get_global @numbers : tile<ptr<f32>>", "global_exists", "tile<2xi32>"),
    ("%r = join_tokens %t : token", "two_tokens", "1"),
    ("%r = alloca num_elem = 4, alignment = 3 : tile<ptr<f32>>", "alloca_numbers", "4 and 3"),
    (
        MULTICAST + "%r, %u = load_ptr_tko weak %a : tile<ptr<f32, <multicast>>> -> tile<f32>, token",
        "no_multicast",
        "source is not of multicast memory; found tile<ptr<f32, <multicast>>>",
    ),
    (
        MULTICAST + "%r = make_tensor_view %a, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>",
        "points_to_tensor",
        "<multicast>",
    ),
    (
        MULTICAST_VIEW + f"%u = store_view_tko weak %f, %vm[%n] : tile<8xf32>, {MANY}, tile<i32> -> token",
        "no_multicast",
        "view is not of multicast memory",
    ),
    (
        MULTICAST_VIEW + "%u = multimem_reduce_view_tko relaxed sys %vm, %f[%n] "
        "attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} "
        f": {MANY}, tile<8xf32>, tile<i32> -> token",
        "multimem_types",
        "max of f32",
    ),
    (
        "%tvm = make_tensor_view %p, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>\n"
        "%vm = make_partition_view %tvm : partition_view<tile=(8), tensor_view<16xf32, strides=[1]>>\n"
        "%r, %u = multimem_load_reduce_view_tko weak %vm[%n] : partition_view<tile=(8), "
        "tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<8xf32>, token",
        "multicast",
        "tensor_view<16xf32, strides=[1]>",
    ),
    # views
    ("%r = get_tensor_shape %tv : " + TENSOR + " -> tile<i32>", "result_per_axis", "1 results"),
    (f"%r, %u = load_view_tko weak %v[%n] : {VIEW}, tile<i32> -> tile<4x8xf32>, token",
     "view_index", "1 ind"),
    (f"%r, %u = load_view_tko weak %v[%n, %n] : {VIEW}, tile<i32> -> tile<8x4xf32>, token",
     "view_tile", "8x4"),
    (
        f"%r, %u = load_view_tko weak %v[%n, %n] inbounds = [true] : {VIEW}, tile<i32> "
        "-> tile<4x8xf32>, token",
        "inbounds_length",
        "1 entries",
    ),
    (
        "%r = make_partition_view %tv : partition_view<tile=(4x8), tensor_view<8x8xf32, strides=[8,1]>>",
        "view_of_tensor",
        "tensor_view<8x8xf32",
    ),
    (
        "%r = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>",
        "points_to_tensor",
        "tile<ptr<f32>>",
    ),
    (
        "%w = make_tensor_view %q, shape = [4], strides = [1] : tensor_view<4xi32, strides=[1]>\n"
        "%r = make_partition_view %w : partition_view<tile=(4), padding_value = nan, "
        "tensor_view<4xi32, strides=[1]>>",
        "partition",
        "nan",
    ),
    # assumptions and prints
    ("%r = assume bounded<3, 2>, %i : tile<8xi32>", "predicate_fits", "tile<8xi32>"),
    ("%r = assume bounded<0, 128>, %b : tile<8xi8>", "predicate_fits", "tile<8xi8>"),
    ("%r = assume bounded<0, 1>, %f : tile<8xf32>", "predicate_fits", "tile<8xf32>"),
    ("%r = assume div_by<3>, %i : tile<8xi32>", "predicate_fits", "3"),
    ("%r = assume div_by<4, every 2 along 1>, %i : tile<8xi32>", "predicate_fits", "along"),
    ("%r = assume same_elements<[2, 2]>, %i : tile<8xi32>", "predicate_fits", "(2, 2)"),
    ('%r = print_tko "%d %d", %n : tile<i32> -> token', "format_count", "2 expressions for 1"),
    # control flow
    ("if %c {\nbreak\n}", "in_loop", "the entry"),
    ("for %k in (%n to %n, step %n) : tile<i32> {\nif %c {\nbreak\n}\n}", "in_loop", "for"),
    ("if %c {\ncontinue\n}", "in_loop_or_for", "the entry"),
    ("for %k in (%n to %n, step %n) : tile<i32> {\nif %c {\nreturn\n}\n}", "in_entry", "for"),
    ("%r = loop : tile<i32> {\nbreak %f : tile<8xf32>\n}", "break_types", "tile<8xf32>"),
    (
        "%r = for %k in (%n to %n, step %n) : tile<i32> iter_values(%a = %n) -> (tile<i32>) "
        "{\ncontinue %f : tile<8xf32>\n}",
        "continue_types",
        "tile<8xf32>",
    ),
    (
        "%r = if %c -> (tile<i32>) {\nyield %n : tile<i32>\n} else {\nyield %f : tile<8xf32>\n}",
        "yield_types",
        "tile<8xf32>",
    ),
    ("%r = if %c -> (tile<i32>) {\nyield %n : tile<i32>\n}", "if_regions", "no region for else"),
    (f"%r = if %c -> ({TENSOR}) {{\nyield %tv : {TENSOR}\n}} else {{\nyield %tv : {TENSOR}\n}}",
     "results_no_view", TENSOR),
    (f"loop iter_values(%a = %tv) : {TENSOR} {{\nbreak\n}}", "carried_no_view", TENSOR),
    ("if %i1 {\n}", "kind", "0 axes"),
    # reductions and scans
    (fold("tile<8xf32> -> tile<8xf32>"), "fold_results", "tile<f32> is wanted"),
    (fold("tile<8xf32> -> tile<f32>").replace("dim=0", "dim=1"), "axis", "dim 1"),
    (fold("tile<8xf32> -> tile<f32>").replace("0.0 : f32", "0 : i32"), "fold_identities", "i32"),
    (fold("tile<8xf32> -> tile<f32>").replace("[0.0 : f32]", "[]"), "fold_identities", "none for f32"),
    (
        fold("tile<8xf32> -> tile<f32>", rest="%a: tile<f32>, %e: tile<8xf32>"),
        "fold_body",
        "tile<f32>, tile<8xf32>",
    ),
    (fold("tile<8xf32> -> tile<f32>", "yield %n : tile<i32>"), "yield_types", "tile<i32>"),
    (fold("tile<8xf32> -> tile<f32>", "return"), "fold_body", "return"),
    (fold("tile<8xf32> -> tile<8xf32>").replace("reduce", "scan").replace(" ident", " reverse=false ident")
     .replace("-> tile<8xf32>", "-> tile<f32>"), "scan_results", "tile<8xf32> is wanted"),
]  # fmt: skip


@pytest.mark.parametrize("body, rule, part", BROKEN, ids=[f"{i}-{b[1]}" for i, b in enumerate(BROKEN)])
def test_broken(body: str, rule: str, part: str) -> None:
    broken = module(body)
    with pytest.raises(tileir.VerifyError) as error:
        tileir.verify(broken)
    message = str(error.value)
    assert error.value.rule == rule, message
    assert part in message.partition("found ")[2] or part in message
    assert isinstance(error.value.line, int) and error.value.line >= FIRST_LINE
    assert message.startswith(f"line {error.value.line}: {error.value.op}: ")
    assert rule in message
    with pytest.raises(tileir.VerifyError):
        tileir.interpret(broken, "kernel", 1, None, None, 0)
    with pytest.raises(tileir.VerifyError):
        tileir.build(broken)


def test_programs_above_are_in_order_but_for_one_operation() -> None:
    tileir.verify(module(""))


# --- what the text cannot say ---

INT = Tile(Scalar("i32"), ())


def changed(change) -> None:
    """A module in order, then changed."""
    found = module("%r = addi %i, %i : tile<8xi32>\nif %c {\n}")
    change(found, found.entries[0].body)
    tileir.verify(found)


def unknown_operation(m, body):
    body.ops[0].name = "frobnicate"


def operand_missing(m, body):
    del named(body, "addi").operands["rhs"]


def operand_twice(m, body):
    named(body, "addi").operands["rhs"] *= 2


def operand_of_another_name(m, body):
    named(body, "addi").operands["acc"] = named(body, "addi").operands["rhs"]


def operands_of_two_types(m, body):
    named(body, "addi").operands["rhs"] = [body.arguments[2]]


def yields_from_the_entry(m, body):
    body.ops.insert(0, Operation("yield"))


def goes_on_after_return(m, body):
    body.ops.insert(0, Operation("return"))


def too_large(m, body):
    body.ops.insert(0, Operation("iota", results=[Value(Tile(Scalar("i32"), (1 << 25,)))]))


def counter_of_another_type(m, body):
    bounds = {name: [body.arguments[2]] for name in ("lowerBound", "upperBound", "step")}
    region = Block([Value(Tile(Scalar("i64"), ()))], [Operation("continue")])
    body.ops.insert(-1, Operation("for", {**bounds, "initValues": []}, {}, [], [region]))


def result_missing(m, body):
    named(body, "iota").results = []


def attribute_missing(m, body):
    del named(body, "constant").attributes["value"]


def attribute_of_another_kind(m, body):
    named(body, "addi").attributes["overflow"] = "sometimes"


def value_of_another_shape(m, body):
    named(body, "constant").attributes["value"] = np.zeros(3, bool)


def used_before(m, body):
    body.ops.insert(0, body.ops.pop(body.ops.index(named(body, "addi"))))


def used_out_of_its_block(m, body):
    inner = Block([], [Operation("iota", results=[Value(Tile(Scalar("i32"), (8,)))]), Operation("yield")])
    branch = named(body, "if")
    branch.regions = [inner]
    named(body, "addi").operands["rhs"] = [inner.ops[0].results[0]]
    body.ops.remove(branch)
    body.ops.insert(body.ops.index(named(body, "addi")), branch)


def of_another_entry(m, body):
    m.entries.append(copy.copy(m.entries[0]))
    m.entries[-1].name, m.entries[-1].body = "other", Block([], [named(body, "addi"), Operation("return")])


def defined_twice(m, body):
    body.ops.insert(-1, named(body, "iota"))


def no_end(m, body):
    named(body, "if").regions[0].ops.clear()


def no_return(m, body):
    body.ops[-1] = Operation("yield")


def deep(m, body):
    outer = named(body, "if")
    for _ in range(220):
        inner = Operation("if", dict(outer.operands), {}, [], [Block([], [Operation("yield")])])
        outer.regions[0].ops.insert(0, inner)
        outer = inner


def results_of_return(m, body):
    body.ops[-1].operands["operands"] = [body.arguments[2]]


def too_new(m, body):
    m.version = (13, 2)
    body.ops.insert(0, Operation("make_token", results=[Value(Tile(Scalar("f4E2M1FN"), ()))]))
    body.ops[0].name = "insert"


def type_too_new(m, body):
    m.version = (13, 2)
    one = np.zeros((), np.int8)
    body.ops.insert(0, Operation("constant", {}, {"value": one}, [Value(Tile(Scalar("f4E2M1FN"), ()))]))


def version_of_the_future(m, body):
    m.version = (14, 0)


def parameter_with_axes(m, body):
    body.arguments[2].type = Tile(Scalar("i32"), (4,))


def hints_without_an_architecture(m, body):
    m.entries[0].hints = {"occupancy": 2}


def hints_that_are_no_names(m, body):
    value, types = body.arguments[0], (Tile(Scalar("f32"), ()), Token())
    hints = {"sm_100": {"late ncy": True}}
    attributes = {"memory_ordering_semantics": "weak", "optimization_hints": hints}
    results = [Value(type_) for type_ in types]
    body.ops.insert(0, Operation("load_ptr_tko", {"source": [value]}, attributes, results))


def entry_twice(m, body):
    m.entries.append(m.entries[0])


def entry_named_as_a_global(m, body):
    m.entries[0].name = "numbers"


def global_of_two_axes(m, body):
    m.globals[0].type = Tile(Scalar("i32"), (1, 2))


def global_of_another_shape(m, body):
    m.globals.append(Global("letters", Tile(Scalar("i8"), (4,)), np.zeros(3, np.int8)))


def global_aligned_oddly(m, body):
    m.globals[0].alignment = 3


def loop_results(m, body):
    """`for` yields what it carries."""
    bounds = {name: [body.arguments[2]] for name in ("lowerBound", "upperBound", "step")}
    region = Block([Value(INT)], [Operation("continue")])
    body.ops.insert(-1, Operation("for", {**bounds, "initValues": []}, {}, [Value(INT)], [region]))


def loop_arguments(m, body):
    body.ops.insert(-1, Operation("loop", {}, {}, [], [Block([Value(INT)], [Operation("break")])]))


def folds_nothing(m, body):
    body.ops.insert(-1, Operation("reduce", {"operands": []}, {"dim": 0, "identities": []}, [], [Block()]))


def extents_of_two_types(m, body):
    view = copy.copy(named(body, "make_tensor_view"))
    kind = copy.copy(view.results[0].type)
    object.__setattr__(kind, "shape", (None, None))
    view.results = [Value(kind)]
    long = named(body, "constant", Tile(Scalar("i64"), ())).results[0]
    view.operands = {**view.operands, "dynamicShape": [body.arguments[2], long]}
    body.ops.insert(-1, view)


def extent_missing(m, body):
    view = copy.copy(named(body, "make_tensor_view"))
    view.operands, view.results = (
        {**view.operands, "dynamicShape": [body.arguments[2]]},
        [Value(view.results[0].type)],
    )
    body.ops.insert(-1, view)


def scales_of_another_shape(m, body):
    def constant(element, *shape):
        value = np.zeros((), np.uint8 if element.startswith("f8") else np.float32)
        body.ops.insert(
            -1, Operation("constant", {}, {"value": value}, [Value(Tile(Scalar(element), shape))])
        )
        return [body.ops[-2].results[0]]

    operands = {
        "lhs": constant("f8E5M2", 4, 8),
        "rhs": constant("f8E5M2", 8, 4),
        "acc": constant("f32", 4, 4),
    }
    operands |= {"lhs_scale": constant("f8E8M0FNU", 2, 1), "rhs_scale": constant("f8E8M0FNU", 1, 4)}
    body.ops.insert(-1, Operation("mmaf_scaled", operands, {}, [Value(Tile(Scalar("f32"), (4, 4)))]))


def named(body, name: str, type_=None) -> Operation:
    return next(op for op in body.ops if op.name == name and (type_ is None or op.results[0].type == type_))


CHANGES = [
    (unknown_operation, "operation", "frobnicate"),
    (operand_missing, "operand_count", "0 for rhs"),
    (operand_twice, "operand_count", "2 for rhs"),
    (operand_of_another_name, "operand_count", "acc"),
    (operands_of_two_types, "same_type", "tile<8xi32>, tile<i32>, tile<8xi32>"),
    (yields_from_the_entry, "in_if_or_fold", "the entry"),
    (goes_on_after_return, "terminator", "return at the end"),
    (too_large, "type_legal", "33554432"),
    (counter_of_another_type, "for_body", "tile<i64>"),
    (result_missing, "result_count", "0"),
    (attribute_missing, "attribute_given", "no value"),
    (attribute_of_another_kind, "attribute_value", "sometimes"),
    (value_of_another_shape, "value_fits", "(3,)"),
    (used_before, "visible", "lhs"),
    (used_out_of_its_block, "visible", "rhs"),
    (of_another_entry, "visible", "lhs"),
    (defined_twice, "defined_once", "tile<8xi32>"),
    (no_end, "block_ends", "nothing"),
    (no_return, "entry_ends", "yield"),
    (deep, "depth", "201"),
    (results_of_return, "no_operands", "tile<i32>"),
    (too_new, "since", "13.4"),
    (type_too_new, "type_legal", "f4E2M1FN"),
    (version_of_the_future, "version", "14.0"),
    (hints_without_an_architecture, "attribute_value", "'occupancy': 2"),
    (hints_that_are_no_names, "attribute_value", "late ncy"),
    (parameter_with_axes, "entry_params", "tile<4xi32>"),
    (entry_twice, "symbol_unique", "@kernel"),
    (entry_named_as_a_global, "symbol_unique", "@numbers"),
    (global_of_two_axes, "global_1d", "tile<1x2xi32>"),
    (global_of_another_shape, "value_fits", "(3,)"),
    (global_aligned_oddly, "alignment_power", "3"),
    (loop_results, "carried_types", "tile<i32> for none"),
    (loop_arguments, "loop_body", "arguments tile<i32>"),
    (folds_nothing, "fold_operands", "none"),
    (extents_of_two_types, "one_type", "tile<i64>"),
    (extent_missing, "dynamic_count", "1 extents"),
    (scales_of_another_shape, "scale_shapes", "tile<2x1xf8E8M0FNU>"),
]


@pytest.mark.parametrize("change, rule, part", CHANGES, ids=[change.__name__ for change, *_ in CHANGES])
def test_changed(change, rule: str, part: str) -> None:
    with pytest.raises(tileir.VerifyError) as error:
        changed(change)
    assert error.value.rule == rule, error.value
    assert part in str(error.value)


def test_changes_above_change_a_module_in_order() -> None:
    changed(lambda m, body: None)


def test_every_rule_is_broken_by_a_test() -> None:
    tested = {rule for _, rule, _ in BROKEN} | {rule for _, rule, _ in CHANGES}
    assert tested == set(meanings())
    assert {rule for row in rows().values() for rule, *_ in row.rules} <= tested


def test_error_is_a_value_error_and_says_where_without_text() -> None:
    found = module("%r = addi %i, %i : tile<8xi32>")
    for op in found.entries[0].body.ops:
        op.line = 0
    named(found.entries[0].body, "addi").operands["rhs"] = [found.entries[0].params[2]]
    with pytest.raises(
        ValueError, match=r"entry kernel, operation 17: addi: lhs, rhs, result have one type"
    ) as error:
        tileir.verify(found)
    assert isinstance(error.value, pct.Error)
    assert (error.value.op, error.value.line) == ("addi", "entry kernel, operation 17")


@pytest.mark.parametrize("reduction", ["add", "min", "max", "and", "or", "xor", "umin", "umax"])
@pytest.mark.parametrize("element", ["i32", "i64", "f16", "bf16", "f32", "f64"])
def test_what_multimem_operations_reduce(element: str, reduction: str) -> None:
    """As NVIDIA's assembler takes it."""
    whole, halves = element[0] == "i", element.endswith("f16")
    tensor = f"tensor_view<16x{element}, strides=[1], #cuda_tile.ptr_attr<multicast>>"
    view = f"partition_view<tile=(8), {tensor}>"
    kind = f"attributes {{reduction = #cuda_tile.multimem_reduction_kind<{reduction}>}}"
    start = (
        f"%a = int_to_ptr %l : tile<i64> -> tile<ptr<{element}, <multicast>>>\n"
        f"%w = make_tensor_view %a, shape = [16], strides = [1] : {tensor}\n"
        f"%y = make_partition_view %w : {view}\n"
        f"%x = constant <{element}: {0 if whole else 0.0}> : tile<8x{element}>\n"
    )
    load = f"%r, %u = multimem_load_reduce_view_tko weak %y[%n] {kind} : {view} -> tile<8x{element}>, token"
    store = (
        f"%u = multimem_reduce_view_tko relaxed sys %y, %x[%n] {kind} : {view}, tile<8x{element}> -> token"
    )
    for operation, allowed in (
        (load, whole or reduction == "add" or (halves and reduction in ("min", "max"))),
        (store, whole or reduction == "add"),
    ):
        found = module(start + operation.replace(" -> ", ", tile<i32> -> "))
        if allowed:
            tileir.verify(found)
        else:
            with pytest.raises(tileir.VerifyError, match=f"{reduction} of {element}"):
                tileir.verify(found)


@pytest.mark.parametrize("name", OPERATIONS)
def test_modules_in_order(name: str) -> None:
    """One for each operation, which NVIDIA's assembler takes, too."""
    tileir.verify(operation_module(name))
