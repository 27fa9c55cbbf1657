"""extrema: maxima and minima of floats and one number that is known, of which one comparison makes all
(cuda_tile/loops/extrema.h)."""

from __future__ import annotations

import math

import numpy as np

from ..ir import Operation
from ..reading import attribute

EXTREMA = frozenset({"maxf", "minf"})


def keeps_no_payload(op: Operation) -> bool:
    """Whether a result that is NaN is always the same one."""
    modes = (attribute(op, mode, False) for mode in ("propagate_nan", "flush_to_zero"))
    return op.name in EXTREMA and not any(modes)


def with_number(op: Operation, x: str, number: np.generic, kind: str) -> str:
    """The extremum of a strip of floats or doubles and a number, in C++; "" if it takes more than that."""
    value, is_max = float(number), op.name == "maxf"
    is_other_zero = value == 0 and (math.copysign(1, value) < 0) == is_max
    if not math.isfinite(value) or is_other_zero or attribute(op, "flush_to_zero", False):
        return ""
    modes = [is_max, bool(attribute(op, "propagate_nan", False))]
    given = ", ".join(str(mode).lower() for mode in modes)
    return f"loops::extremum<{given}>({x}, static_cast<{kind}>({value.hex()}))"
