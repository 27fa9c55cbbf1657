"""Modules that break rules of Tile IR in ways that text cannot: each changes a valid one."""

from __future__ import annotations

import copy

import numpy as np
from broken_programs import module

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Block, Global, Operation, Scalar, Tile, Token, Value

INT = Tile(Scalar("i32"), ())


def changed_module(change) -> tileir.Module:
    """A valid module, then changed."""
    found = module("%r = addi %i, %i : tile<8xi32>\nif %c {\n}")
    change(found, found.entries[0].body)
    return found


def changed(change) -> None:
    tileir.verify(changed_module(change))


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


def attribute_of_another_operation(m, body):
    named(body, "addi").attributes["memory_scope"] = "sys"


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


def entry_without_a_name(m, body):
    m.entries[0].name = ""


def global_without_a_name(m, body):
    m.globals[0].name = ""


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
    """The results of `for` are its carried values."""
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
    (attribute_of_another_operation, "attribute_known", "an attribute memory_scope"),
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
    (entry_without_a_name, "symbol_named", "entry: it must have a name"),
    (global_without_a_name, "symbol_named", "global: it must have a name"),
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
