"""An executable reference for the manual: one NumPy function for each tile function.

Tiles are NumPy arrays, scalars are NumPy scalars, and Python numbers adapt to the other operand. Functions
have the same names as in C++; operators have the names of the tables (`add`, `less`, `bit_and`). Modes are
given by name: `add(a, b, rounding="round_toward_negative")`. Two operands broadcast to one shape as in NumPy;
a reduction leaves length 1 in its dimension, and a scan keeps the shape. Memory is accessed through
`pointer(array)` and views such as `PartitionView(array, shape)`. Calls that the API rejects raise TypeError
or ValueError; what the manual leaves undefined raises UndefinedBehaviorError. All targets are tested against
these functions.

Each family of operations has a module with the same name as its header in `cuda_tile/ops/`.
"""

from .arithmetic import abs, add, ceildiv, div, floordiv, fma, max, min, mul, mulhi, negate, remainder, sub
from .assume import (
    assume_aligned,
    assume_aligned_strided,
    assume_blocked,
    assume_bounded,
    assume_bounded_above,
    assume_bounded_below,
    assume_divisible,
    assume_divisible_strided,
)
from .atomics import (
    atomic_add,
    atomic_add_masked,
    atomic_and,
    atomic_and_masked,
    atomic_compare_exchange,
    atomic_compare_exchange_masked,
    atomic_max,
    atomic_max_masked,
    atomic_min,
    atomic_min_masked,
    atomic_or,
    atomic_or_masked,
    atomic_sub,
    atomic_sub_masked,
    atomic_xchg,
    atomic_xchg_masked,
    atomic_xor,
    atomic_xor_masked,
)
from .bitwise import (
    bit_and,
    bit_not,
    bit_or,
    bit_xor,
    logical_and,
    logical_not,
    logical_or,
    shift_left,
    shift_right,
)
from .comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    not_equal,
)
from .convert import element_bitcast, element_cast, isinf, isnan
from .create import full, iota, ones, zeros
from .manipulate import broadcast, cat, extract, insert, permute, reshape, select, transpose
from .math import (
    atan2,
    ceil,
    cos,
    cosh,
    exp,
    exp2,
    floor,
    log,
    log2,
    pow,
    powi,
    rsqrt,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)
from .memory import (
    atomic_load,
    atomic_load_masked,
    atomic_store,
    atomic_store_masked,
    load,
    load_masked,
    store,
    store_masked,
)
from .mma import matmul, mma, scaled_mma
from .pointers import (
    Pointers,
    pointer,
)
from .reductions import (
    all_of,
    any_of,
    max_element,
    min_element,
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
from .repack import repack
from .scalars import arithmetic_common_type
from .thread import bid, num_blocks
from .views import GatherScatterView, PartitionView, StridedView

__all__ = [
    "GatherScatterView", "PartitionView", "Pointers", "StridedView", "abs", "add", "all_of", "any_of",
    "arithmetic_common_type", "assume_aligned", "assume_aligned_strided", "assume_blocked",
    "assume_bounded", "assume_bounded_above", "assume_bounded_below", "assume_divisible",
    "assume_divisible_strided", "atan2", "atomic_add", "atomic_add_masked", "atomic_and",
    "atomic_and_masked", "atomic_compare_exchange", "atomic_compare_exchange_masked", "atomic_load",
    "atomic_load_masked", "atomic_max", "atomic_max_masked", "atomic_min", "atomic_min_masked", "atomic_or",
    "atomic_or_masked", "atomic_store", "atomic_store_masked", "atomic_sub", "atomic_sub_masked",
    "atomic_xchg", "atomic_xchg_masked", "atomic_xor", "atomic_xor_masked", "bid", "bit_and", "bit_not",
    "bit_or", "bit_xor", "broadcast", "cat", "ceil", "ceildiv", "cos", "cosh", "div", "element_bitcast",
    "element_cast", "equal", "exp", "exp2", "extract", "floor", "floordiv", "fma", "full", "greater",
    "greater_equal", "insert", "iota", "isinf", "isnan", "less", "less_equal", "load", "load_masked", "log",
    "log2", "logical_and", "logical_not", "logical_or", "matmul", "max", "max_element", "min",
    "min_element", "mma", "mul", "mulhi", "negate", "not_equal", "num_blocks", "ones", "partial_prod",
    "partial_sum", "permute", "pointer", "pow", "powi", "prod", "reduce_bitand", "reduce_bitor",
    "reduce_bitxor", "reduce_max", "reduce_min", "remainder", "repack", "reshape", "rsqrt", "scaled_mma",
    "select", "shift_left", "shift_right", "sin", "sinh", "sqrt", "store", "store_masked", "sub", "sum",
    "tan", "tanh", "transpose", "zeros",
]  # fmt: skip
