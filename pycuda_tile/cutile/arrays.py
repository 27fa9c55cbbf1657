"""NumPy views of the arrays that a launch takes: NumPy's own, PyTorch's on the CPU, DLPack's."""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

import ml_dtypes  # noqa: F401  (NumPy finds the small floats by name once it is imported)
import numpy as np

from ..errors import ArgumentTypeError, ArgumentValueError
from ..launching import dlpack


def is_array(value: object) -> bool:
    return isinstance(value, np.ndarray) or hasattr(value, "__dlpack__")


def numpy_view(value: Any, where: str) -> np.ndarray:
    """The array's memory as a NumPy array. `where` names the argument in errors."""
    if isinstance(value, np.ndarray):
        return value
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _of_torch(value, where, torch)
    return _of_dlpack(value, where)


def _of_dlpack(value: Any, where: str) -> np.ndarray:
    try:
        tensor = dlpack.read(value)
    except Exception as error:  # an object's own methods may raise anything
        raise ArgumentTypeError(f"Invalid {where}: expected an array in host memory: {error}") from error
    if tensor.device not in dlpack.HOST:
        raise ArgumentTypeError(f"Invalid {where}: expected an array in host memory")
    try:
        dtype = np.dtype(tensor.dtype)
    except TypeError:
        raise ArgumentTypeError(f"Invalid {where}: cuda.tile has no arrays of {tensor.dtype}") from None
    interface = {
        "version": 3,
        "shape": tensor.shape,
        "strides": tensor.strides and tuple(step * tensor.itemsize for step in tensor.strides),
        "typestr": f"|V{tensor.itemsize}",
        "data": (tensor.address, tensor.readonly),
    }
    owner = types.SimpleNamespace(__array_interface__=interface, value=value)
    return np.asarray(owner).view(dtype)


def _of_torch(tensor: Any, where: str, torch: Any) -> np.ndarray:
    if tensor.device.type != "cpu":
        raise ArgumentValueError(
            f"Invalid {where}: kernels run on the CPU here, got a tensor on {tensor.device}: "
            "pass tensor.cpu()"
        )
    if tensor.layout != torch.strided or tensor.is_neg() or tensor.is_conj():
        raise ArgumentValueError(
            f"Invalid {where}: expected a tensor whose memory holds its values, got a sparse one or a view "
            "that negates or conjugates: pass x.to_dense() or x.resolve_neg()"
        )
    if not tensor.data_ptr() and tensor.numel():
        raise ArgumentValueError(
            f"Invalid {where}: expected a tensor with memory, got one whose memory was freed"
        )
    try:
        known = _numpy_type(tensor.dtype, torch)
    except TypeError:
        raise ArgumentTypeError(f"Invalid {where}: cuda.tile has no arrays of {tensor.dtype}") from None
    if known is None:
        return tensor.detach().numpy()
    bits, dtype = known
    return tensor.detach().view(bits).numpy().view(dtype)


@functools.cache
def _numpy_type(dtype: Any, torch: Any) -> tuple[Any, np.dtype] | None:
    """For a type that NumPy itself does not have: PyTorch's integers of that size, and NumPy's name for it.
    TypeError if there is none."""
    try:
        torch.empty(0, dtype=dtype).numpy()
    except TypeError:
        return getattr(torch, f"uint{8 * dtype.itemsize}"), np.dtype(str(dtype).removeprefix("torch."))
    return None
