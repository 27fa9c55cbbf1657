"""Reads what an object's __dlpack__ exports: address, type and strides of an array on the host or a GPU.

NumPy reads DLPack too, but supports neither bfloat16 and 8-bit floats nor GPU memory.
"""

from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from ..spec.element_types import NUMPY_TYPES

HOST = (1, 3)  # kDLCPU, kDLCUDAHost
CUDA = (2, 13)  # kDLCUDA, kDLCUDAManaged
_KINDS = {  # DLDataTypeCode; those that are not element types are for messages
    **{0: "int{}", 1: "uint{}", 2: "float{}", 5: "complex{}", 6: "bool"},
    **{7: "float8_e3m4", 8: "float8_e4m3", 9: "float8_e4m3b11fnuz", 11: "float8_e4m3fnuz"},
    **{13: "float8_e5m2fnuz"},
    **{e.dlpack: name for name, e in NUMPY_TYPES.items() if e.has_own_code and e.dlpack is not None},
}
_READ_ONLY = 1  # flag
_EXCHANGE = b"dlpack_exchange_api"


class Tensor(NamedTuple):
    """strides count elements; None if the array is C-contiguous."""

    address: int
    dtype: str
    itemsize: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    readonly: bool
    device: int


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Versioned(ctypes.Structure):
    """The part of DLManagedTensorVersioned that is read here."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


class _ExchangeApi(ctypes.Structure):
    """DLPackExchangeAPI."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        *((name, ctypes.c_void_p) for name in ("previous", "allocate", "give", "take")),
        ("describe", ctypes.c_void_p),
        ("current_stream", ctypes.c_void_p),
    ]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]


def read(value: Any) -> Tensor:
    """The array that `value` exports; `value` keeps the memory. Raises BufferError if it cannot export."""
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except TypeError:  # an exporter from before DLPack 1.0
        capsule = value.__dlpack__()
    # JAX arrays are immutable, but old versions of DLPack cannot say so.
    immutable = type(value).__module__.partition(".")[0] in ("jax", "jaxlib")
    name = _name(capsule)
    if name not in (b"dltensor", b"dltensor_versioned"):
        raise BufferError(f"the capsule of __dlpack__ is called {name!r}")
    address = _pointer(capsule, name)  # not consumed: the capsule's destructor frees it
    if name == b"dltensor_versioned":
        managed = _Versioned.from_address(address)
        if managed.major > 1:
            raise BufferError(f"DLPack {managed.major}.{managed.minor} is not supported")
        return _describe(managed.tensor, bool(managed.flags & _READ_ONLY) or immutable)
    return _describe(_Tensor.from_address(address), readonly=immutable)


def exchange_api(kind: type) -> int | None:
    """The address of the C functions that export arrays of a type (DLPack 1.3; PyTorch since 2.10); callers
    must hold the GIL. None if the type has none of a known version."""
    capsule = getattr(kind, "__dlpack_c_exchange_api__", None)
    if capsule is None or _name(capsule) != _EXCHANGE:
        return None
    address = _pointer(capsule, _EXCHANGE)
    api = _ExchangeApi.from_address(address)
    return address if api.major == 1 and api.describe and api.current_stream else None


def _describe(tensor: _Tensor, readonly: bool) -> Tensor:
    dtype = _KINDS.get(tensor.code, f"type {tensor.code} of {{}} bits").format(tensor.bits)
    if tensor.lanes != 1:
        dtype += f" x {tensor.lanes}"
    shape = tuple(tensor.shape[: tensor.ndim]) if tensor.ndim else ()
    strides = tuple(tensor.strides[: tensor.ndim]) if tensor.ndim and tensor.strides else None
    address = (tensor.data or 0) + tensor.byte_offset
    itemsize = tensor.bits * tensor.lanes // 8
    return Tensor(address, dtype, itemsize, shape, strides, readonly, tensor.device_type)
