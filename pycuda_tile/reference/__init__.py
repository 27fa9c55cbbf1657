"""The plain executable meaning of the manual: one NumPy function for each tile function.

Tiles are NumPy arrays, scalars are NumPy scalars, and Python numbers adapt to the other operand. The
functions are named as in C++; operators have their named form (`add`) or NumPy's name (`less`). Modes are
given by name: `add(a, b, rounding="round_toward_negative")`. What the API refuses raises TypeError or
ValueError; what the manual leaves undefined raises UndefinedBehaviorError. All targets are tested against
these functions.
"""

from .arithmetic import abs, add, ceildiv, div, floordiv, fma, max, min, mul, mulhi, negate, remainder, sub
from .comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
)
from .convert import element_bitcast, element_cast
from .create import full, iota, ones, zeros
from .manipulate import broadcast, cat, extract, permute, reshape, select, transpose
from .math_ops import (
    atan2,
    ceil,
    cos,
    cosh,
    exp,
    exp2,
    floor,
    isinf,
    isnan,
    log,
    log2,
    pow,
    rsqrt,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from .mma import matmul, mma
from .reduce import (
    all_of,
    any_of,
    partial_prod,
    partial_sum,
    prod,
    reduce_bitand,
    reduce_bitor,
    reduce_bitxor,
    reduce_max,
    reduce_min,
    sum,
)
from .scalars import arithmetic_common_type

__all__ = [
    "abs", "add", "all_of", "any_of", "arithmetic_common_type", "atan2", "broadcast", "cat", "ceil",
    "ceildiv", "cos", "cosh", "div", "element_bitcast", "element_cast", "equal", "exp", "exp2", "extract",
    "floor", "floordiv", "fma", "full", "greater", "greater_equal", "iota", "isinf", "isnan", "less",
    "less_equal", "log", "log2", "logical_and", "logical_not", "logical_or", "matmul", "max", "min", "mma",
    "mul", "mulhi", "negate", "not_equal", "ones", "partial_prod", "partial_sum", "permute", "pow", "prod",
    "reduce_bitand", "reduce_bitor", "reduce_bitxor", "reduce_max", "reduce_min",
    "remainder", "reshape", "rsqrt", "select", "sin", "sinh", "sqrt", "sub", "sum", "tan", "tanh",
    "transpose", "zeros",
]  # fmt: skip
