"""PyTorch's CUDA tensors without a GPU, at made-up addresses. They may be described but never read."""

from __future__ import annotations

import ctypes

from pycuda_tile.launching import direct, dlpack

_NAME = b"dltensor"
_kept = []


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("tensor", dlpack._Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


def make(address: int, shape: tuple[int, ...], code: int = 2, bits: int = 32, device: int = 0):
    """A tensor with DLPack's type code and bits. RuntimeError if this PyTorch is built without CUDA."""
    import torch

    torch.cuda._lazy_init = lambda: None  # would look for a GPU
    lengths = (ctypes.c_int64 * len(shape))(*shape)
    tensor = dlpack._Tensor(address, 2, device, len(shape), code, bits, 1, lengths, None, 0)
    managed = _Managed(tensor)
    _kept.append((lengths, managed))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return torch.from_dlpack(new(ctypes.addressof(managed), _NAME, None))


def give_streams(current_stream: int | None = None) -> None:
    """Makes PyTorch take its current streams from the C function (as in DLPack's exchange) at an address.
    None stands for the one in fake_driver.cpp, which returns 0x70 + device."""
    import torch

    if current_stream is None:
        driver = ctypes.CDLL("libcuda.so.1")
        current_stream = ctypes.cast(driver.fake_current_stream, ctypes.c_void_p).value
    direct._meet_torch()
    api = dlpack._ExchangeApi.from_buffer_copy(dlpack._ExchangeApi.from_address(direct._objects.torch))
    api.current_stream = current_stream
    _kept.append(api)
    direct._objects.torch = ctypes.addressof(api)
    direct._publish()
    call = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)(current_stream)

    def raw_stream(device: int) -> int:
        stream = ctypes.c_void_p()
        call(2, device, ctypes.addressof(stream))
        return stream.value

    torch._C._cuda_getCurrentRawStream = raw_stream  # Python code asks here
