"""rounding: operations on half and bfloat16 that are computed in float and rounded.

Their strips stay floats, rounded, from one such operation to the next (cuda_tile/loops/rounding.h).
"""

from __future__ import annotations

from ..ir import Operation
from ..reading import attribute, operands_of, value_element

_COMPUTED = frozenset(
    {
        *("addf", "subf", "mulf", "divf", "negf", "sqrt", "rsqrt"),
        *("exp", "exp2", "log", "log2", "tanh", "sin", "cos"),
    }
)


def is_rounded(op: Operation) -> bool:
    """Whether a result is that of floats, to nearest; conversions of floats are such, too."""
    converts = op.name == "ftof" and value_element(operands_of(op)[0]) == "f32"
    return (
        (op.name in _COMPUTED or converts)
        and value_element(op.results[0]) in ("f16", "bf16")
        and attribute(op, "rounding_mode", "nearest_even") in ("nearest_even", "full")
        and not attribute(op, "flush_to_zero", False)
    )
