"""Arrays as kernel arguments: any object that holds an array becomes a checked address, without a copy.

NumPy arrays (including ml_dtypes) and PyTorch's plain tensors take a fast path. For all others, a description
is made first: PyTorch tensors, `__cuda_array_interface__`, `__array_interface__`, DLPack, the buffer
protocol. No framework is imported here: a program that passes a framework's array has imported it.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
from collections.abc import Callable, Mapping
from ctypes import addressof, c_char
from typing import Any, NamedTuple

import numpy as np
from numpy import ndarray

try:
    from numpy.lib.array_utils import byte_bounds
except ImportError:  # NumPy 1
    from numpy import byte_bounds  # type: ignore[attr-defined, no-redef]

from ..errors import ArgumentTypeError, ArgumentValueError
from .parameters import OTHER, VOID, Parameter

from_buffer = c_char.from_buffer
_torch_tensor: type | None = None  # torch.Tensor, once a tensor has been passed


class strided:
    """Passes an array that need not be C-contiguous to a kernel that handles its strides itself.

    array:  any array that a launch takes, of any strides; the kernel gets the address of its first element

    The kernel must get the strides, `array.strides` divided by `array.itemsize`, from other arguments.
    """

    def __init__(self, array: object):
        self.array = array


class ptr:
    """Passes the address of an array's element `offset` without checks of element type or bounds.

    array:   any array that a launch takes
    offset:  a number of elements, not of bytes, that is added to the array's address; may be negative

    In checked builds accesses are still bounded by the array. ArgumentTypeError if offset is not an integer.
    """

    def __init__(self, array: object, offset: int = 0):
        self.array = array
        try:
            self.offset = operator.index(offset)
        except TypeError:
            raise ArgumentTypeError(
                f"ptr: the offset must be an integer, counted in elements, got {offset!r}"
            ) from None


class table:
    """Passes a table of 64-bit words: rows of an array's address and integers.

    The arrays stay alive with it, and checked builds allow accesses to them.
    """

    def __init__(self, rows: list[list[Any]]):
        self.rows = rows
        self.arrays: list[ndarray] = [word for row in rows for word in row if isinstance(word, ndarray)]
        words = [[w.ctypes.data if isinstance(w, ndarray) else w for w in row] for row in rows]
        self.words = np.array(words, np.int64)


class _Array(NamedTuple):
    """What a launch needs to know about an array."""

    address: int
    dtype: str  # its NumPy or ml_dtypes name
    itemsize: int
    contiguous: bool
    readonly: bool
    on_device: bool


def address_converter(parameter: Parameter, on_device: bool) -> Callable[[object], int]:
    """A function that converts an argument for a pointer parameter to an address, or raises an error."""
    right_dtype = None  # one that fitted before: NumPy nearly always uses the same dtype object
    right_torch_dtype: object = None
    misaligned = _misaligned(parameter)
    is_here = operator.attrgetter("is_cuda" if on_device else "is_cpu")

    def convert(value: Any) -> int:
        nonlocal right_dtype, right_torch_dtype
        kind = type(value)
        if kind is ndarray and not on_device:
            dtype = value.dtype
            if dtype is right_dtype or _fits(dtype, parameter):
                right_dtype = dtype
                try:
                    # The fastest way to an address that also rejects read-only and non-contiguous arrays.
                    address = addressof(from_buffer(value))
                except (TypeError, ValueError):
                    pass
                else:
                    if not address & misaligned:
                        return address
        elif kind is _torch_tensor and value.dtype is right_torch_dtype:
            try:
                if is_here(value) and value.is_contiguous() and not value.is_neg():
                    address = value.data_ptr()
                    if address and not address & misaligned:
                        return address
            except RuntimeError:  # a sparse tensor
                pass
        if value is None:
            return 0
        address = _convert_any(value, parameter, on_device)
        if kind is _torch_tensor and not value.dtype.is_complex:  # complex tensors may be lazily conjugated
            right_torch_dtype = value.dtype
        return address

    return convert


def _misaligned(parameter: Parameter) -> int:
    """The bits that must be 0 in an address for this parameter."""
    return parameter.size - 1 if parameter.size in (2, 4, 8) else 0


class Extent(NamedTuple):
    """The memory of an array that was passed."""

    address: int  # its lowest
    nbytes: int
    itemsize: int
    readonly: bool


def extent_of(value: Any, parameter: Parameter) -> Extent:
    """The memory that a kernel may access through an argument; for a pct.ptr or a pct.strided, that of the
    array inside."""
    described = _describe(value, parameter)
    if isinstance(value, (ptr, strided)):
        value = value.array
    readonly = described.readonly
    if (torch := sys.modules.get("torch")) is not None and isinstance(value, torch.Tensor):
        storage = value.untyped_storage()
        return Extent(storage.data_ptr(), storage.nbytes(), value.element_size(), readonly)
    if described.on_device:
        array = _outline(value)
    elif isinstance(value, ndarray) or hasattr(value, "__array_interface__"):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__"):
        array = np.from_dlpack(value)
    else:
        array = np.asarray(memoryview(value))
    low, high = byte_bounds(array)
    return Extent(low, high - low if array.size else 0, array.itemsize, readonly)


def _outline(value: object) -> ndarray:
    """An array at the same addresses as one on a GPU; it must not be read."""
    if (interface := getattr(value, "__cuda_array_interface__", None)) is None:
        from . import dlpack

        tensor = dlpack.read(value)
        strides = tensor.strides and tuple(stride * tensor.itemsize for stride in tensor.strides)
        typestr = f"|V{tensor.itemsize}"
        interface = {"shape": tensor.shape, "typestr": typestr, "data": (tensor.address, False)}
        interface["strides"] = strides
    host = {name: interface.get(name) for name in ("shape", "typestr", "data", "strides")}
    return np.asarray(types.SimpleNamespace(__array_interface__={**host, "version": 3}))


def _fits(dtype: np.dtype, parameter: Parameter) -> bool:
    if dtype.hasobject:
        return False
    if parameter.kind == VOID:
        return True
    if parameter.kind == OTHER:
        return dtype.itemsize == parameter.size
    return dtype.name == parameter.dtype and dtype.isnative


def _convert_any(value: Any, parameter: Parameter, on_device: bool) -> int:
    if isinstance(value, table):
        return value.words.ctypes.data
    array = _describe(value, parameter)
    _check_place(array, parameter, on_device)
    if isinstance(value, ptr):
        return array.address + value.offset * array.itemsize
    if not _dtype_fits(array, parameter):
        raise ArgumentTypeError(
            f"{parameter} expects an array of {_wanted(parameter)}, got one of {array.dtype}"
        )
    if not (array.contiguous or isinstance(value, strided)):
        raise ArgumentValueError(
            f"{parameter} expects a C-contiguous array, got one that is not: pass "
            "numpy.ascontiguousarray(x), "
            "or pycuda_tile.strided(x) if the kernel handles the strides"
        )
    if array.readonly and not parameter.const:
        raise ArgumentValueError(
            f"{parameter} expects an array that the kernel may write, got a read-only one"
        )
    if parameter.size in (2, 4, 8) and array.address % parameter.size:
        raise ArgumentValueError(
            f"{parameter} expects an array aligned to {parameter.size} bytes, "
            f"got one at address {array.address:#x}"
        )
    return array.address


def _dtype_fits(array: _Array, parameter: Parameter) -> bool:
    if parameter.kind == OTHER:
        return array.itemsize == parameter.size
    return parameter.kind == VOID or array.dtype == parameter.dtype


def _wanted(parameter: Parameter) -> str:
    if parameter.kind == VOID:
        return "any type"
    return parameter.dtype or f"items of {parameter.size} bytes"


def _check_place(array: _Array, parameter: Parameter, on_device: bool) -> None:
    if array.on_device and not on_device:
        raise ArgumentValueError(f"{parameter} expects an array in host memory, got one on a GPU")
    if on_device and not array.on_device:
        raise ArgumentValueError(
            f"{parameter} expects an array on the GPU, got one in host memory: "
            "copy it there with CuPy or PyTorch first"
        )


# --- describing an object that holds an array ---------------------------------------------------------------


def _describe(argument: Any, parameter: Parameter) -> _Array:
    """Describes an array, or that in a pct.ptr or a pct.strided."""
    is_inside = isinstance(argument, (ptr, strided))
    value: object = argument.array if is_inside else argument
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _from_torch(value, parameter, torch)
    wanted = "an array" if isinstance(argument, ptr) else f"an array of {_wanted(parameter)}"
    wanted += f" in pycuda_tile.{type(argument).__name__}" if is_inside else ""
    try:
        array = _from_other(value)
    except Exception as error:  # an object's own attributes may raise anything
        raise ArgumentTypeError(
            f"{parameter} expects {wanted}, got {_what(value)}, "
            f"which cannot be used as one: {type(error).__name__}: {error}"
        ) from error
    if array is None:
        or_none = "" if is_inside else " or None"
        raise ArgumentTypeError(f"{parameter} expects {wanted}{or_none}, got {_what(value)}")
    return array


def _what(value: object) -> str:
    if value is None:
        return "None: for a null pointer, pass None by itself"
    kind = type(value).__name__
    if isinstance(value, (list, tuple)):
        return f"a {kind}: pass numpy.asarray(x, dtype)"
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return f"{kind} {value}: a number is not an address"
    return f"an object of type {kind}"


def _from_other(value: object) -> _Array | None:
    """Describes an object that is not a PyTorch tensor; None if it holds no array."""
    if (interface := getattr(value, "__cuda_array_interface__", None)) is not None:
        return _from_interface(interface, value)
    if isinstance(value, (np.generic, int, float, complex, str, list, tuple)):
        return None
    return _from_host(value)


def _from_numpy(array: ndarray) -> _Array:
    if array.dtype.hasobject:
        raise TypeError("its elements are Python objects")
    interface = array.__array_interface__
    address, readonly = interface["data"]
    dtype = array.dtype.name if array.dtype.isnative else f"{array.dtype.name} in non-native byte order"
    return _Array(address, dtype, array.itemsize, array.flags.c_contiguous, readonly, False)


def _from_interface(interface: Mapping[str, Any], owner: object) -> _Array:
    """Describes an array from its CUDA array interface."""
    if interface.get("mask") is not None:
        raise ValueError("it has a mask")
    own = getattr(owner, "dtype", None)  # ml_dtypes have no typestr, or one that NumPy rejects
    dtype = own if isinstance(own, np.dtype) else _dtype_of(interface["typestr"])
    own = dtype if own is None else own
    name = _spelled(own) if isinstance(own, np.dtype) else str(own)
    address, readonly = interface["data"]
    contiguous = _is_contiguous(interface["shape"], interface.get("strides"), dtype.itemsize)
    if not address and 0 not in interface["shape"]:
        raise ValueError("it has elements but no memory")
    return _Array(operator.index(address or 0), name, dtype.itemsize, contiguous, readonly, True)


_dtype_of = functools.lru_cache(maxsize=64)(np.dtype)  # from an array interface's typestr
_spelled = functools.lru_cache(maxsize=64)(str)  # NumPy takes ten microseconds to format a dtype


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...] | None, itemsize: int) -> bool:
    if strides is None or 0 in shape:
        return True
    expected = itemsize
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True


def _from_torch(tensor: Any, parameter: Parameter, torch: Any) -> _Array:
    global _torch_tensor
    _torch_tensor = torch.Tensor
    if tensor.device.type not in ("cpu", "cuda"):
        raise ArgumentValueError(
            f"{parameter} expects a tensor on the CPU or a CUDA GPU, got one on {tensor.device}"
        )
    if tensor.layout != torch.strided or tensor.is_neg() or tensor.is_conj():
        raise ArgumentValueError(
            f"{parameter} expects a tensor whose memory holds its values, got a sparse one or a view that "
            "negates or conjugates: pass x.to_dense() or x.resolve_neg()"
        )
    try:
        address = tensor.data_ptr()
        known = address or not tensor.numel()
    except RuntimeError:
        known = False
    if not known:  # a placeholder during tracing, or its storage was freed
        raise ArgumentTypeError(
            f"{parameter} expects a tensor with memory, got a {type(tensor).__name__} without: "
            "under torch.compile, launch from an operator made with pycuda_tile.torch_op"
        )
    dtype = str(tensor.dtype).removeprefix("torch.")
    on_device = tensor.device.type == "cuda"
    return _Array(address, dtype, tensor.element_size(), tensor.is_contiguous(), False, on_device)


def _from_host(value: Any) -> _Array | None:
    """An array that offers its memory without CUDA's interface; None if the object holds no array."""
    if isinstance(value, ndarray):
        return _from_numpy(value)
    if hasattr(value, "__array_interface__"):
        return _from_numpy(np.asarray(value))
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value)
    try:
        return _from_numpy(np.asarray(memoryview(value)))
    except (TypeError, ValueError):
        return None


def _from_dlpack(value: object) -> _Array:
    from . import dlpack

    tensor = dlpack.read(value)
    if tensor.device not in (*dlpack.HOST, *dlpack.CUDA):
        raise ValueError("it is neither on the CPU nor on a CUDA GPU")
    if not tensor.address and 0 not in tensor.shape:
        raise ValueError("it has elements but no memory")
    strides = tensor.strides and tuple(stride * tensor.itemsize for stride in tensor.strides)
    contiguous = _is_contiguous(tensor.shape, strides, tensor.itemsize)
    on_device = tensor.device in dlpack.CUDA
    return _Array(tensor.address, tensor.dtype, tensor.itemsize, contiguous, tensor.readonly, on_device)
