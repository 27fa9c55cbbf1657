"""The work of work.py in PyTorch: cuBLAS, cuDNN and its own kernels. `calls(title)` has the ways to the
result, as functions of the tensors and numbers that our kernels get."""

from __future__ import annotations

import functools
from collections.abc import Callable

import torch

Call = Callable[[tuple], object]
_SHOWN = {torch.bfloat16: "<i2", torch.float8_e4m3fn: "|i1"}
_TYPES = {
    "float": torch.float32,
    "double": torch.float64,
    "__half": torch.float16,
    "__nv_bfloat16": torch.bfloat16,
    "__nv_fp8_e4m3": torch.float8_e4m3fn,
    "signed char": torch.int8,
    "int": torch.int32,
}
_TYPESTR = {"float": "<f4", "double": "<f8", "__half": "<f2", "signed char": "|i1", "int": "<i4"}


class _Shown:
    def __init__(self, address: int, shape: tuple[int, ...], typestr: str):
        self.__cuda_array_interface__ = {
            "data": (address, False), "shape": shape, "typestr": typestr, "version": 3
        }  # fmt: skip


def tensor(address: int, kind: str, shape: tuple[int, ...]) -> torch.Tensor:
    """Memory of the GPU as a tensor."""
    dtype = _TYPES[kind]
    typestr = _SHOWN.get(dtype) or _TYPESTR[kind]
    return torch.as_tensor(_Shown(address, shape, typestr), device="cuda").view(dtype)


def put(returned: torch.Tensor, out: torch.Tensor) -> None:
    """Copies what a call returned to where our kernels write, unless it is there."""
    if returned.data_ptr() != out.data_ptr():
        out.copy_(returned.reshape(out.shape))


def calls(title: str) -> dict[str, Call]:
    """By name; {} for work that is not written here."""
    if title.startswith("attention"):
        return {"flash": attention, "cuDNN": attention_by_cudnn}
    if title in ("matmul fp8", "matmul tf32", "matmul int8"):
        return {"cuBLAS": {"fp8": scaled, "tf32": with_tf32, "int8": of_int8}[title.split()[1]]}
    if title.startswith("matmul"):
        return {"cuBLAS": lambda a: torch.matmul(a[0], a[1], out=a[2])}
    return _CALLS.get(title, {})


def layer_norm(a: tuple) -> torch.Tensor:
    return torch.nn.functional.layer_norm(a[0], a[1].shape, a[1], a[2], 1e-5)


_CALLS: dict[str, dict[str, Call]] = {
    "copy": {"copy_": lambda a: a[1].copy_(a[0])},
    "vector add": {"add": lambda a: torch.add(a[0], a[1], out=a[2])},
    "softmax": {"softmax": lambda a: torch.softmax(a[0], 1, out=a[1])},
    "layer norm": {"layer_norm": layer_norm},
    "transpose": {"copy_": lambda a: a[1].copy_(a[0].T)},
    "sum": {"sum": lambda a: a[0].sum()},
    "row sums": {"sum": lambda a: torch.sum(a[0], 1, out=a[1])},
    "column sums": {"sum": lambda a: torch.sum(a[0], 0, out=a[2])},
    "partial sums of rows": {"cumsum": lambda a: torch.cumsum(a[0], 1, out=a[1])},
    "gather": {"index_select": lambda a: torch.index_select(a[0], 0, a[1], out=a[2])},
    "histogram": {
        "bincount": lambda a: torch.bincount(a[0], minlength=a[3]),
        "histc": lambda a: torch.histc(a[0], a[3], 0, a[3]),
    },
}


# --- products -----------------------------------------------------------------------------------------------


def with_tf32(a: tuple) -> torch.Tensor:
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        return torch.matmul(a[0], a[1].T, out=a[2])
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False


def of_int8(a: tuple) -> torch.Tensor:
    return torch._int_mm(a[0], a[1].T)


@functools.cache
def _one() -> torch.Tensor:
    return torch.ones((), device="cuda")


def scaled(a: tuple) -> torch.Tensor:
    one = _one()
    return torch._scaled_mm(a[0], a[1].T, one, one, out_dtype=torch.bfloat16)


def attention(a: tuple) -> torch.Tensor:
    q, k, v = (x[None] for x in a[:3])
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, scale=a[6])[0]


def attention_by_cudnn(a: tuple) -> torch.Tensor:
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        return attention(a)
