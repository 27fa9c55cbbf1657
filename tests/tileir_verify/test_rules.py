"""Each rule of Tile IR, and a program that breaks it."""

from __future__ import annotations

import pytest
from broken_modules import CHANGES, changed, named
from broken_programs import BROKEN, FIRST_LINE, module
from bytecode_operations import OPERATIONS
from bytecode_operations import module as operation_module
from verdicts import WRONG

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.tileir.grammar import MEANINGS
from pycuda_tile.tileir.grammar import OPERATIONS as ROWS


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


@pytest.mark.parametrize("change, rule, part", CHANGES, ids=[change.__name__ for change, *_ in CHANGES])
def test_changed(change, rule: str, part: str) -> None:
    with pytest.raises(tileir.VerifyError) as error:
        changed(change)
    assert error.value.rule == rule, error.value
    assert part in str(error.value)


def test_changes_above_change_a_module_in_order() -> None:
    changed(lambda m, body: None)


def test_every_rule_is_broken_by_a_test() -> None:
    tested = {rule for _, rule, _ in [*BROKEN, *CHANGES, *WRONG]}
    assert tested == set(MEANINGS)
    assert {rule for row in ROWS.values() for rule, *_ in row.rules} <= tested


def test_error_is_a_value_error_and_says_where_without_text() -> None:
    found = module("%r = addi %i, %i : tile<8xi32>")
    for op in found.entries[0].body.ops:
        op.line = 0
    named(found.entries[0].body, "addi").operands["rhs"] = [found.entries[0].params[2]]
    with pytest.raises(
        ValueError, match=r"entry kernel, operation 17: addi: lhs, rhs, result must have the same type"
    ) as error:
        tileir.verify(found)
    assert isinstance(error.value, pct.Error)
    assert (error.value.op, error.value.line) == ("addi", "entry kernel, operation 17")


@pytest.mark.parametrize("reduction", ["add", "min", "max", "and", "or", "xor", "umin", "umax"])
@pytest.mark.parametrize("element", ["i32", "i64", "f16", "bf16", "f32", "f64"])
def test_what_multimem_operations_reduce(element: str, reduction: str) -> None:
    """As NVIDIA's assembler accepts them."""
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
    """Valid modules, one for each operation, which NVIDIA's assembler accepts, too."""
    tileir.verify(operation_module(name))
