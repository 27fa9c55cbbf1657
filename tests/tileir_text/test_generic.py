"""Modules that break rules are printed, too: in the generic form, which can be read if it is complete."""

from __future__ import annotations

import numpy as np
import pytest
from tileir_modules import Builder, tile

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Block, Constant, Operation, Scalar, Value
from pycuda_tile.tileir.module import Module


def lines(m: Module, unreadable: str = "") -> list[str]:
    """The lines of a module that breaks rules; `unreadable` is the reason if its text cannot be read."""
    with pytest.raises(tileir.VerifyError):
        tileir.verify(m)
    if unreadable:
        with pytest.raises(tileir.ParseError, match=unreadable):
            tileir.parse(str(m))
    else:
        same(m)
    return [line.strip() for line in str(m).splitlines()]


def same(m: Module) -> Module:
    """Checks that the text of a module is complete."""
    again = tileir.parse(str(m))
    assert tileir.equal(again, m) and str(again) == str(m), str(m)
    return again


def test_result_of_another_kind():
    builder = Builder(tile("ptr<f32>"))
    builder.op("make_tensor_view", tile("f32"), base=builder.arguments[0], dynamicShape=[])
    assert '%0 = "make_tensor_view"(base: %p0) {} : (tile<ptr<f32>>) -> (tile<f32>)' in lines(
        builder.module()
    )


def test_operand_and_attribute_left_out():
    builder = Builder(tile("i32"))
    builder.op("addi", tile("i32"), lhs=builder.arguments[0])
    builder.op("constant", tile("i32"))
    found = lines(builder.module(), "addi takes one operand rhs, got 0")
    assert '%0 = "addi"(lhs: %p0) {} : (tile<i32>) -> (tile<i32>)' in found
    assert '%1 = "constant"() {} : () -> (tile<i32>)' in found


def test_unknown_operation_with_results_and_regions():
    builder = Builder()
    inner = Block(
        [], [Operation("constant", attributes={"value": np.int32(3)}, results=[Value(tile("i32"))])]
    )
    builder.block.ops.append(
        Operation(
            "twice", attributes={"by": 2}, results=[Value(tile("i32")), Value(tile("f32"))], regions=[inner]
        )
    )
    found = lines(builder.module(), "expected an operation, found '\"twice\"'")
    assert '%0:2 = "twice"() ({' in found
    assert "%1 = constant <i32: 3> : tile<i32>" in found
    assert "}) {by = 2} : () -> (tile<i32>, tile<f32>)" in found


def test_loop_without_a_body():
    builder = Builder()
    builder.block.ops.append(Operation("loop", regions=[None]))
    assert '"loop"() ({}) {} : () -> ()' in lines(builder.module())


def test_types_and_attributes_that_no_form_tells():
    builder = Builder(tile("i32"), tile("f32"))
    x, y = builder.arguments
    builder.op("addi", tile("i64"), lhs=x, rhs=y, attributes={"overflow": "none"})
    builder.op("absf", (tile("f32"), tile("f32")), source=y)
    builder.op(
        "cat",
        tile("i32"),
        lhs=x,
        rhs=x,
        attributes={"dim": "first", "more": [Constant(Scalar("i8"), 255), {"a b": True}]},
    )
    found = lines(builder.module(), "absf has 1 results, not 2")
    assert (
        '%0 = "addi"(lhs: %p0, rhs: %p1) {overflow = "none"} : (tile<i32>, tile<f32>) -> (tile<i64>)' in found
    )
    assert '%2 = "cat"(lhs: %p0, rhs: %p0) {dim = "first", more = [-1 : i8, {"a b" = true}]} : ' in "\n".join(
        found
    )


def test_regions_with_arguments_and_without_operations():
    text = """entry @k(%c: tile<i1>) {
  %r = "if"(%c) ({
  ^bb0(%x: tile<i1>):
    yield %x : tile<i1>
  }, {}) {} : (tile<i1>) -> (tile<f32>)
  "loop"() ({ break }) : () -> ()
  return
}"""
    found = same(tileir.parse(text)).entries[0].body.ops
    assert [len(block.arguments) for block in found[0].regions if block] == [1]
    assert "loop {" in str(tileir.parse(text))  # its custom form is complete


def test_as_mlir_prints():
    """Without names of operands, but with types of attributes, arrays and properties."""
    text = """entry @k(%a: tile<4x8xi32>, %p: tile<4xptr<i32>>, %m: tile<4xi1>) {
  %0 = "cuda_tile.permute"(%a) <{permutation = array<i32: 1, 0>}> : (tile<4x8xi32>) -> tile<8x4xi32>
  %1 = "cuda_tile.cmpi"(%a, %a) {comparison_predicate = #cuda_tile.comparison_predicate<less_than>,
    signedness = #cuda_tile.signedness<signed>} : (tile<4x8xi32>, tile<4x8xi32>) -> tile<4x8xi1>
  %2 = "cuda_tile.constant"() {value = dense<[1, 2]> : tile<2xi32>} : () -> tile<2xi32>
  %3:2 = "cuda_tile.load_ptr_tko"(%p, %m) {
    memory_ordering_semantics = #cuda_tile.memory_ordering_semantics<weak>,
    operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tile<4xptr<i32>>, tile<4xi1>) -> (tile<4xi32>, token)
  %4 = "cat"(%2, %2) {dim = 0 : i64} : (tile<2xi32>, tile<2xi32>) -> tile<4xi32>
  "return"() : () -> ()
}"""
    plain = """entry @k(%a: tile<4x8xi32>, %p: tile<4xptr<i32>>, %m: tile<4xi1>) {
  %0 = permute %a [1, 0] : tile<4x8xi32> -> tile<8x4xi32>
  %1 = cmpi less_than %a, %a, signed : tile<4x8xi32> -> tile<4x8xi1>
  %2 = constant <i32: [1, 2]> : tile<2xi32>
  %3:2 = load_ptr_tko weak %p, %m : tile<4xptr<i32>>, tile<4xi1> -> tile<4xi32>, token
  %4 = cat %2, %2 dim = 0 : tile<2xi32>, tile<2xi32> -> tile<4xi32>
}"""
    assert str(tileir.parse(text)) == str(tileir.parse(plain))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"addi"(%a) {} : (tile<i32>) -> (tile<i32>)', "addi takes one operand rhs, got 0"),
        ('"addi"(%a, %a, %a) {} : (tile<i32>) -> (tile<i32>)', "addi takes one operand rhs, got 2"),
        ('"addi"(left: %a) {} : (tile<i32>) -> (tile<i32>)', "expected an operand: lhs, rhs, found 'left'"),
        ('"addi"(%a, %a) {} : (tile<i32>, tile<f32>) -> (tile<i32>)', "not the types of the operands"),
        ('"addi"(%a, %a) {} : (tile<i32>, tile<i32>) -> ()', "addi has 1 results, not 0"),
        (
            '"addi"(%a, %a) {overflow = "much"} : (tile<i32>, tile<i32>) -> (tile<i32>)',
            "overflow is not of the kind enum",
        ),
        ('"addi"(%a, %a) {sign = 1} : (tile<i32>, tile<i32>) -> (tile<i32>)', "addi has no attribute sign"),
        ('"loop"() ({ ^bb0: }) {} : () -> ()', "expected one of break, continue, return, yield"),
        ('"loop"() ({ break break', "expected '}' behind break"),
    ],
)
def test_what_the_generic_form_needs(text: str, message: str):
    with pytest.raises(tileir.ParseError) as caught:
        tileir.parse(f"entry @k(%a: tile<i32>) {{ {text} }}")
    assert message in str(caught.value)
