"""Modules that break rules are printed, too: in a general form, so that what is wrong can be seen."""

from __future__ import annotations

import numpy as np
import pytest
from tileir_modules import Builder, tile

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Block, Module, Operation, Value


def lines(m: Module) -> list[str]:
    with pytest.raises(tileir.VerifyError):
        tileir.verify(m)
    with pytest.raises(tileir.ParseError):
        tileir.parse(str(m))
    return [line.strip() for line in str(m).splitlines()]


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
    found = lines(builder.module())
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
    found = lines(builder.module())
    assert '%0:2 = "twice"() {by = 2} {' in found
    assert "%1 = constant <i32: 3> : tile<i32>" in found
    assert "} : () -> (tile<i32>, tile<f32>)" in found


def test_loop_without_a_body():
    builder = Builder()
    builder.block.ops.append(Operation("loop", regions=[None]))
    assert '"loop"() {} {} : () -> ()' in lines(builder.module())
