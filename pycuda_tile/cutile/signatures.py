"""The arguments of a launch as cuda.tile describes them to its compiler, and as the kernel takes them.

Each argument becomes a key, a tuple that says all that its kernel is compiled for, and the values that are
passed: none for a constant, address, shape and strides for an array, the items of a tuple one after the
other, an array of such words and its length for a list of arrays.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import cuda.tile as ct
import numpy as np
from cuda.tile import compilation

from ..errors import ArgumentRangeError, ArgumentTypeError, ArgumentValueError
from ..launching.arrays import ptr, strided, table
from .annotations import Annotation, ArrayNote, Parameter, parameters_of
from .arrays import is_array, numpy_view

_CONVENTION = compilation.CallingConvention.cutile_python_v2()
_ALIGNMENT = 16
_INFINITE_AS_FLOAT32 = (2 - 2**-24) * 2.0**127
_DTYPE_NAMES = {"bool": "bool_"}  # those that cuda.tile calls otherwise
_INDEX_LIMITS = {"int32": 2**31 - 1, "int64": 2**63 - 1}


class ReadOnly(ptr):
    """A read-only array, for a kernel that only loads. `where` names the argument in errors."""

    def __init__(self, array: np.ndarray, where: str):
        super().__init__(array)
        self.where = where


class Passed(NamedTuple):
    """The arguments of one launch.

    keys:    what the kernel is compiled for, one for each parameter
    values:  what is passed to the compiled kernel
    """

    keys: tuple[tuple, ...]
    values: list[object]


def read(parameters: Sequence[Parameter], arguments: Sequence[object]) -> Passed:
    """Checks and describes the arguments. Raises ArgumentTypeError and ArgumentValueError."""
    if len(arguments) != len(parameters):
        wanted, given = len(parameters), len(arguments)
        raise ArgumentTypeError(
            f"Kernel expects {wanted} argument{'s' * (wanted != 1)} but {given} "
            f"{'was' if given == 1 else 'were'} given"
        )
    values: list[object] = []
    keys = [
        _read(value, each.annotation, each.where, values)
        for value, each in zip(arguments, parameters, strict=True)
    ]
    return Passed(tuple(keys), values)


def signature_of(
    kernel: Any, kernel_args: Sequence[object], calling_convention: Any = _CONVENTION, *, symbol: Any = None
) -> Any:
    """The cuda.tile.compilation.KernelSignature of a launch with these arguments."""
    keys = read(parameters_of(kernel), kernel_args).keys
    constraints = [
        _constraint(key, calling_convention, value) for key, value in zip(keys, kernel_args, strict=True)
    ]
    made = compilation.KernelSignature(constraints, calling_convention, symbol=symbol)
    return made if symbol else made.with_mangled_symbol(kernel._pyfunc.__name__)


def signature(keys: Sequence[tuple], symbol: str) -> Any:
    """What a launch is compiled for: it assumes less than signature_of(), to be compiled less often."""
    constraints = [_constraint(key, _CONVENTION, None) for key in keys]
    return compilation.KernelSignature(constraints, _CONVENTION, symbol=symbol)


# --- one argument -------------------------------------------------------------------------------------------


def _read(value: Any, note: Annotation, where: str, values: list[object]) -> tuple:
    if isinstance(value, tuple) and type(value) is not tuple:
        raise ArgumentTypeError(
            f"Invalid {where}: {type(value).__name__!r} is a subclass of 'tuple'. "
            "Only plain tuples are accepted."
        )
    if note.constant:
        return _constant(value, where)
    if is_array(value):
        array = numpy_view(value, where)
        key, sizes = _array(array, note, where)
        values.append(_address(array, where))
        values += sizes
        return key
    if type(value) is tuple:
        notes = note.of_items(len(value), where)
        items = enumerate(zip(value, notes, strict=True))
        return ("tuple", *(_read(*item, f"item #{i} of {where}", values) for i, item in items))
    if isinstance(value, (bool, np.bool_)):
        return _scalar(bool(value), "bool_", values)
    if isinstance(value, (int, np.integer)):
        return _integer(operator.index(value), note, where, values)
    if isinstance(value, (float, np.floating)):
        return _scalar(_rounded(float(value)), note.scalar or "float32", values)
    if isinstance(value, list):
        return _list(value, note, where, values)
    raise ArgumentTypeError(
        f"Invalid {where}: Objects of type {type(value).__name__!r} are not supported: expected an array, a "
        "number, a tuple, or a list of arrays"
    )


def _constant(value: Any, where: str) -> tuple:
    if isinstance(value, tuple):
        return ("tuple", *(_constant(item, f"item #{i} of {where}") for i, item in enumerate(value)))
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (bool, int, float)):
        raise ArgumentTypeError(
            f"Invalid {where}: Could not interpret object of type {type(value).__name__!r} as a constant. "
            "Expected a bool, an int, a float, or a tuple of them"
        )
    # 1, 1.0 and True are equal, and so are both zeros.
    return ("constant", type(value).__name__, value.hex() if isinstance(value, float) else value)


def _scalar(value: object, dtype: str, values: list[object]) -> tuple:
    values.append(value)
    return ("scalar", dtype)


def _rounded(value: float) -> float:
    """What is beyond the range of float32 becomes infinite, as on a GPU."""
    return math.copysign(math.inf, value) if abs(value) >= _INFINITE_AS_FLOAT32 else value


def _integer(value: int, note: Annotation, where: str, values: list[object]) -> tuple:
    dtype = note.scalar or "int32"
    limit = _INDEX_LIMITS.get(dtype, 2**63 - 1)
    if not -limit - 1 <= value <= limit:
        raise ArgumentRangeError(
            f"Invalid {where}: {value} does not fit {dtype}; annotate the parameter with ct.ScalarInt64 for "
            "integers of 64 bits"
        )
    return _scalar(value, dtype, values)


def _list(items: list[Any], note: Annotation, where: str, values: list[object]) -> tuple:
    if not items or not all(map(is_array, items)):
        raise ArgumentTypeError(f"Invalid {where}: expected a list of one or more arrays")
    arrays = [numpy_view(item, where) for item in items]
    described = [_array(array, note, where) for array in arrays]
    first, *others = [key for key, _ in described]
    for other in others:
        if other[:4] != first[:4]:
            raise ArgumentTypeError(f"Invalid {where}: the arrays of a list must have one type and rank")
        _check_equal(where, "shape", first[5], other[5])
        if note.array.static_stride_dims:
            _check_equal(where, "stride", first[4], other[4])
    ones = tuple(
        stride if all(each[4][axis] == stride for each in others) else None
        for axis, stride in enumerate(first[4])
    )
    rows = [[array, *sizes] for array, (_, sizes) in zip(arrays, described, strict=True)]
    values += [table(rows), len(rows)]
    return ("list", (*first[:4], ones, first[5]))


def _check_equal(where: str, what: str, first: tuple, other: tuple) -> None:
    for axis, (x, y) in enumerate(zip(first, other, strict=True)):
        if x != y:
            raise ArgumentValueError(
                f"Invalid {where}: the arrays of the list vary in static {what} at axis {axis}: {x} and {y}"
            )


def _array(array: np.ndarray, note: Annotation, where: str) -> tuple[tuple, tuple[int, ...]]:
    return _described(array.dtype, array.shape, array.strides, note.array, where)


@functools.lru_cache(maxsize=4096)
def _described(
    dtype: np.dtype, shape: tuple[int, ...], steps: tuple[int, ...], note: ArrayNote, where: str
) -> tuple[tuple, tuple[int, ...]]:
    """The key of an array, and its extents and strides in elements.

    Key: ("array", element type, rank, index type, strides that are constants, extents that are)
    """
    strides = tuple(step // dtype.itemsize for step in steps)
    _check_type(dtype, steps, where)
    limit = _INDEX_LIMITS[note.index_dtype]
    if any(not -limit - 1 <= n <= limit for n in (*shape, *strides)):
        raise ArgumentRangeError(
            f"Invalid {where}: the shape {shape} or the strides {strides} do not fit "
            f"{note.index_dtype}; annotate the parameter with ct.IndexedWithInt64"
        )
    if any(stride < 0 for stride in strides):
        raise ArgumentValueError(
            f"Invalid {where}: the strides {strides} are negative, which cuda.tile does not take: pass "
            "numpy.ascontiguousarray(x)"
        )
    constant_strides = _constants(strides, note.static_stride_dims, where, "static_stride_dims")
    extents = _constants(shape, note.static_shape_dims, where, "static_shape_dims")
    return ("array", dtype.name, len(shape), note.index_dtype, constant_strides, extents), (*shape, *strides)


def _check_type(dtype: np.dtype, steps: tuple[int, ...], where: str) -> None:
    known = isinstance(getattr(ct, _DTYPE_NAMES.get(dtype.name, dtype.name), None), ct.DType)
    if not known or dtype.name == "float4_e2m1fn":  # cuda.tile unpacks these from bytes
        raise ArgumentTypeError(f"Invalid {where}: cuda.tile has no arrays of {dtype.name}")
    if not dtype.isnative:
        raise ArgumentTypeError(
            f"Invalid {where}: got {dtype.name} in non-native byte order: pass "
            "x.astype(x.dtype.newbyteorder('='))"
        )
    if any(step % dtype.itemsize for step in steps):
        raise ArgumentValueError(
            f"Invalid {where}: strides of {steps} bytes are no multiples of {dtype.name}: pass "
            "numpy.ascontiguousarray(x)"
        )


def _constants(
    sizes: tuple[int, ...], axes: tuple[int, ...], where: str, field: str
) -> tuple[int | None, ...]:
    """Those of the sizes that are constants: the chosen ones, or if none is chosen all that are 1."""
    rank = len(sizes)
    if not axes:
        return tuple(1 if size == 1 else None for size in sizes)
    for axis in axes:
        if not -rank <= axis < rank:
            raise ArgumentValueError(
                f"Invalid {where}: {field} contains axis {axis}, which an array of rank {rank} does not have"
            )
    chosen = {axis % rank for axis in axes}
    if len(chosen) < len(axes):
        raise ArgumentValueError(f"Invalid {where}: {field} contains a duplicate axis: {axes}")
    return tuple(size if axis in chosen else None for axis, size in enumerate(sizes))


def _address(array: np.ndarray, where: str) -> object:
    flags = array.flags
    if not flags.writeable:
        return ReadOnly(array, where)
    return array if flags.c_contiguous else strided(array)


# --- as cuda.tile's constraints -----------------------------------------------------------------------------


def _constraint(key: tuple, convention: Any, value: Any) -> Any:
    """The constraint for a key. Of a `value` that is not None, it also says what divides it."""
    return _CONSTRAINTS[key[0]](key, convention, value)


def _array_constraint(key: tuple, convention: Any, value: Any) -> Any:
    return _of_arrays(key, convention, None if value is None else [value])


def _of_arrays(key: tuple, convention: Any, values: list[Any] | None) -> Any:
    _, dtype, rank, index, strides, extents = key
    return compilation.ArrayConstraint(
        _dtype(dtype),
        rank,
        index_dtype=_dtype(index),
        stride_lower_bound_incl=0,
        stride_constant=list(strides),
        shape_constant=list(extents) if convention.version > 1 else None,
        alias_groups=(),  # as on a GPU: the caller answers for it
        may_alias_internally=False,
        **({} if values is None else _divisors([numpy_view(each, "argument") for each in values])),
    )


def _divisors(arrays: list[np.ndarray]) -> dict[str, Any]:
    """What cuda.tile assumes of arrays on a GPU: whether 16 bytes or elements divide them."""
    first = arrays[0]

    def in_all(holds: Callable[[np.ndarray], bool], divisor: int) -> int:
        return divisor if all(map(holds, arrays)) else 1

    elements = max(1, _ALIGNMENT // first.itemsize)
    return {
        "base_addr_divisible_by": in_all(lambda a: a.ctypes.data % _ALIGNMENT == 0, _ALIGNMENT),
        "stride_divisible_by": [
            in_all(lambda a, axis=axis: a.strides[axis] % _ALIGNMENT == 0, elements)
            for axis in range(first.ndim)
        ],
        "shape_divisible_by": [
            in_all(lambda a, axis=axis: a.shape[axis] % _ALIGNMENT == 0, _ALIGNMENT)
            for axis in range(first.ndim)
        ],
    }


def _list_constraint(key: tuple, convention: Any, value: Any) -> Any:
    element = _of_arrays(key[1], convention, value)
    return compilation.ListConstraint(element, alias_groups=(), elements_may_alias=True)


def _tuple_constraint(key: tuple, convention: Any, value: Any) -> Any:
    values = [None] * (len(key) - 1) if value is None else value
    return compilation.TupleConstraint(
        [_constraint(item, convention, each) for item, each in zip(key[1:], values, strict=True)]
    )


def _scalar_constraint(key: tuple, convention: Any, value: Any) -> Any:
    return compilation.ScalarConstraint(_dtype(key[1]))


def _constant_constraint(key: tuple, convention: Any, value: Any) -> Any:
    _, kind, constant = key
    return compilation.ConstantConstraint(float.fromhex(constant) if kind == "float" else constant)


def _dtype(name: str) -> Any:
    return getattr(ct, _DTYPE_NAMES.get(name, name))


_CONSTRAINTS: dict[str, Callable[[tuple, Any, Any], Any]] = {
    "array": _array_constraint,
    "list": _list_constraint,
    "constant": _constant_constraint,
    "scalar": _scalar_constraint,
    "tuple": _tuple_constraint,
}
