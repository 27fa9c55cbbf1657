"""Arrays as kernel arguments: whatever holds one becomes a checked address, without a copy.

NumPy arrays (ml_dtypes included) take the short way. All others are described first: PyTorch tensors,
`__cuda_array_interface__`, `__array_interface__`, DLPack, the buffer protocol.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from ctypes import addressof, c_char
from typing import NamedTuple

import numpy as np
from numpy import ndarray

from .errors import ArgumentTypeError, ArgumentValueError
from .parameters import OTHER, VOID, Parameter

from_buffer = c_char.from_buffer


class strided:
    """Passes an array that need not be C-contiguous, to a kernel that handles its strides itself."""

    def __init__(self, array: object):
        self.array = array


class ptr:
    """Passes the address of an array, `offset` elements in, without checks of element type or bounds."""

    def __init__(self, array: object, offset: int = 0):
        self.array = array
        self.offset = operator.index(offset)


class _Array(NamedTuple):
    """What a launch needs to know of an array."""

    address: int
    dtype: str  # its NumPy or ml_dtypes name
    itemsize: int
    contiguous: bool
    readonly: bool
    on_device: bool


def address_converter(parameter: Parameter, on_device: bool) -> Callable[[object], int]:
    """A function from an argument for a pointer parameter to an address; it raises what is wrong with it."""
    right_dtype = None  # found to fit before: NumPy's dtypes are the same object nearly always
    misaligned = parameter.size - 1 if parameter.size in (2, 4, 8) else 0

    def convert(value: object) -> int:
        nonlocal right_dtype
        if type(value) is ndarray and not on_device:
            dtype = value.dtype
            if dtype is right_dtype or _fits(dtype, parameter):
                right_dtype = dtype
                try:
                    # The quickest way to an address that also refuses what is read-only or not C-contiguous.
                    address = addressof(from_buffer(value))
                except (TypeError, ValueError):
                    pass
                else:
                    if not address & misaligned:
                        return address
        if value is None:
            return 0
        return _convert_any(value, parameter, on_device)

    return convert


def _fits(dtype: np.dtype, parameter: Parameter) -> bool:
    if parameter.kind == VOID:
        return True
    if parameter.kind == OTHER:
        return dtype.itemsize == parameter.size
    return dtype.name == parameter.dtype and dtype.isnative


def _convert_any(value: object, parameter: Parameter, on_device: bool) -> int:
    if isinstance(value, ptr):
        array = _describe(value.array, parameter)
        _check_place(array, parameter, on_device)
        return array.address + value.offset * array.itemsize
    any_strides = isinstance(value, strided)
    array = _describe(value.array if any_strides else value, parameter)
    _check_place(array, parameter, on_device)
    if not _dtype_fits(array, parameter):
        raise ArgumentTypeError(
            f"{parameter} wants an array of {_wanted(parameter)}, got one of {array.dtype}"
        )
    if not (array.contiguous or any_strides):
        raise ArgumentValueError(
            f"{parameter} wants a C-contiguous array, got one that is not: pass numpy.ascontiguousarray(x), "
            "or pycuda_tile.strided(x) if the kernel handles the strides"
        )
    if array.readonly and not parameter.const:
        raise ArgumentValueError(f"{parameter} wants an array that the kernel may write, got a read-only one")
    if parameter.size in (2, 4, 8) and array.address % parameter.size:
        raise ArgumentValueError(
            f"{parameter} wants an array aligned to {parameter.size} bytes, "
            f"got one at address {array.address:#x}"
        )
    return array.address


def _dtype_fits(array: _Array, parameter: Parameter) -> bool:
    if parameter.kind == OTHER:
        return array.itemsize == parameter.size
    return parameter.kind == VOID or array.dtype == parameter.dtype


def _wanted(parameter: Parameter) -> str:
    return parameter.dtype or f"items of {parameter.size} bytes"


def _check_place(array: _Array, parameter: Parameter, on_device: bool) -> None:
    if array.on_device and not on_device:
        raise ArgumentValueError(f"{parameter} wants an array in host memory, got one on a GPU")
    if on_device and not array.on_device:
        raise ArgumentValueError(
            f"{parameter} wants an array on the GPU, got one in host memory: "
            "copy it there with CuPy or PyTorch first"
        )


# --- describing what holds an array -------------------------------------------------------------------------


def _describe(value: object, parameter: Parameter) -> _Array:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _from_torch(value, parameter)
    if (interface := getattr(value, "__cuda_array_interface__", None)) is not None:
        return _from_interface(interface, value, on_device=True)
    holds_none = isinstance(value, (np.generic, int, float, complex, str, list, tuple))
    if not holds_none and (array := _as_numpy(value, parameter)) is not None:
        return _from_numpy(array)
    raise ArgumentTypeError(f"{parameter} wants an array of {_wanted(parameter)} or None, got {_what(value)}")


def _what(value: object) -> str:
    kind = type(value).__name__
    if isinstance(value, (list, tuple)):
        return f"a {kind}: pass numpy.asarray(x, dtype)"
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return f"{kind} {value}: a number stands for no address"
    return f"an object of type {kind}"


def _from_numpy(array: ndarray) -> _Array:
    interface = array.__array_interface__
    address, readonly = interface["data"]
    dtype = array.dtype.name if array.dtype.isnative else f"{array.dtype.name} in foreign byte order"
    return _Array(address, dtype, array.itemsize, array.flags.c_contiguous, readonly, False)


def _from_interface(interface: dict, owner: object, on_device: bool) -> _Array:
    dtype = np.dtype(interface["typestr"])
    name = str(getattr(owner, "dtype", dtype))  # ml_dtypes have no typestr of their own
    address, readonly = interface["data"]
    contiguous = _is_contiguous(interface["shape"], interface.get("strides"), dtype.itemsize)
    return _Array(address or 0, name, dtype.itemsize, contiguous, readonly, on_device)


def _is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...] | None, itemsize: int) -> bool:
    if strides is None or 0 in shape:
        return True
    expected = itemsize
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        if length != 1 and stride != expected:
            return False
        expected *= length
    return True


def _from_torch(tensor, parameter: Parameter) -> _Array:
    if tensor.device.type not in ("cpu", "cuda"):
        raise ArgumentValueError(
            f"{parameter} wants a tensor on the CPU or a CUDA GPU, got one on {tensor.device}"
        )
    dtype = str(tensor.dtype).removeprefix("torch.")
    address, size = tensor.data_ptr(), tensor.element_size()
    return _Array(address, dtype, size, tensor.is_contiguous(), False, tensor.device.type == "cuda")


def _as_numpy(value: object, parameter: Parameter) -> ndarray | None:
    """A NumPy view of what is in host memory; None if the object holds no array."""
    if isinstance(value, ndarray):
        return value
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        device = getattr(value, "__dlpack_device__", lambda: (1, 0))()[0]
        if device not in (1, 3):  # kDLCPU, kDLCUDAHost
            return None
        try:
            return np.from_dlpack(value)
        except (TypeError, ValueError, RuntimeError, BufferError) as error:
            raise ArgumentTypeError(f"{parameter}: cannot take the array through DLPack: {error}") from error
    try:
        return np.asarray(memoryview(value))
    except (TypeError, ValueError):
        return None
