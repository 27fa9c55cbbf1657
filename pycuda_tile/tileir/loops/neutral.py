"""Neutral elements of reductions: combined with one, every other element keeps its bits."""

from __future__ import annotations

import numpy as np

from ..elements import DTYPES, bits_of
from ..ir import Operation
from ..lower.types import literal
from ..reading import attribute, operands_of, region, source_element


def neutral(op: Operation) -> str:
    """The C++ expression of the neutral element of a reduction; "" if none is known."""
    body, kind = region(op, 0), source_element(op)
    step, *rest = body.ops
    if (
        kind == "i1"
        or len(rest) != 1
        or {id(v) for v in operands_of(step)} != {id(v) for v in body.arguments}
    ):
        return ""
    if attribute(step, "flush_to_zero", False) or attribute(step, "propagate_nan", False):
        return ""
    if attribute(step, "rounding_mode", "nearest_even") != "nearest_even":
        return ""
    value = _value(step, kind)
    return "" if value is None else literal(DTYPES[kind].type(value), kind)


def _value(step: Operation, kind: str) -> float | None:
    bits = bits_of(kind)
    signed = attribute(step, "signedness", "signed") == "signed"
    greatest, least = ((1 << (bits - 1)) - 1, -(1 << (bits - 1))) if signed else (-1, 0)
    return {
        "addf": -0.0,
        "mulf": 1.0,
        "maxf": np.nan,  # which counts only if both are
        "minf": np.nan,
        "addi": 0,
        "muli": 1,
        "ori": 0,
        "xori": 0,
        "andi": -1,
        "maxi": least,
        "mini": greatest,
    }.get(step.name)
