"""Reading the operations table: its parts, formats and kinds."""

from __future__ import annotations

import pytest

from pycuda_tile.tileir.grammar import ELEMENTS, ENUMS, OPERATIONS, Item, Kind, OperationRow, find_operation
from pycuda_tile.tileir.grammar.parts import Part, Values, parse_parts
from pycuda_tile.tileir.ir import Pointer, Scalar, Tile, Token
from pycuda_tile.tileir.print_formats import count_expressions, unfinished


def test_parts_of_a_payload() -> None:
    parts = parse_parts(
        "results* a b?; flags>=13.4 0=fast(unit) 1=mask(operand); attr dim:int >=13.2 else 0; "
        "operands# x rest...; operand? mask if 1; regions"
    )
    assert parts == (
        Part("results*", ("a", "b"), (Values("a"), Values("b", 0, 1))),
        Part("flags", ("fast", "mask"), bits=((0, "unit"), (1, "operand")), since=(13, 4)),
        Part("attr", ("dim",), kind="int", since=(13, 2), default="0"),
        Part("operands#", ("x", "rest"), (Values("x"), Values("rest", 0, None))),
        Part("operand?", ("mask",), (Values("mask", 0, 1),), bit=1),
        Part("regions"),
    )


def names(items: tuple[Item, ...]) -> set[str]:
    """The operands, results and attributes that a format names."""
    found: set[str] = set()
    for item in items:
        if item.kind not in ("literal", "form", "group"):
            found.update(item.name.split("="))
        found |= names(item.items)
    return found


@pytest.mark.parametrize("row", OPERATIONS.values(), ids=OPERATIONS)
def test_columns_of_a_row_agree(row: OperationRow) -> None:
    values = {*row.operands, *row.results}
    assert names(row.items) <= {*values, *row.attributes}
    assert set(row.kinds) <= values
    assert {kind.name for kind in row.kinds.values()} <= set(ELEMENTS)
    enums = {found.kind[5:] for found in row.attributes.values() if found.kind.startswith("enum:")}
    assert enums <= set(ENUMS)


def test_names_of_older_texts() -> None:
    assert find_operation("and") is OPERATIONS["andi"] is find_operation("andi")
    assert find_operation("nothing") is None


def test_kinds() -> None:
    number, pointer = Tile(Scalar("i32"), ()), Tile(Pointer(Scalar("f32")), (8,))
    assert Kind("int", 0).fits(number) and not Kind("int", 1).fits(number) and not Kind("float").fits(number)
    assert Kind("ptr").fits(pointer) and Kind("tile").fits(pointer) and not Kind("number").fits(pointer)
    assert Kind("token").fits(Token()) and not Kind("tile").fits(Token()) and Kind("any").fits(Token())
    assert str(Kind("int", 0)) == "a tile of integers with 0 axes"


def test_expressions_of_print_formats() -> None:
    assert count_expressions("100%% of %5.2f and %*d %") == 3
    assert unfinished("%d and %5%%") == "%5" and not unfinished("%d%%") and not unfinished("%% of %5 S")
