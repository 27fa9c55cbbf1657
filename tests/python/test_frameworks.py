"""Arrays of other libraries as arguments without copies: PyTorch, JAX, and any that support a protocol."""

import ctypes
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.launching import dlpack

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DTYPES = [
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
    "int8",
    "uint8",
    "int32",
]
DTYPES += ["int64", "bool"]
CXX_TYPES = {
    **{"float32": "float", "float64": "double", "float16": "__half", "bfloat16": "__nv_bfloat16"},
    **{"float8_e4m3fn": "__nv_fp8_e4m3", "float8_e5m2": "__nv_fp8_e5m2", "bool": "bool"},
    **{"int8": "signed char", "uint8": "unsigned char", "int32": "int", "int64": "long long"},
}
CODES = {"int8": 0, "uint8": 1, "float32": 2, "bfloat16": 4, "float8_e4m3fn": 10, "float8_e5m2": 12}


@pytest.fixture(scope="session")
def copies() -> pct.Module:
    return build_copies()


def build_copies() -> pct.Module:
    """`copy_<dtype>(const T* from, T* to, int bytes)` copies bytes, for each element type."""
    kernels = [
        f"""__tile_global__ void copy_{dtype}(const {type_}* from, {type_}* to, int bytes) {{
          for (int i = 0; i < bytes; ++i)
            reinterpret_cast<unsigned char*>(to)[i] = reinterpret_cast<const unsigned char*>(from)[i];
        }}"""
        for dtype, type_ in CXX_TYPES.items()
    ]
    small = "struct __half; struct __nv_bfloat16; struct __nv_fp8_e4m3; struct __nv_fp8_e5m2;\n"
    return pct.build('#include "cuda_tile.h"\n' + small + "\n".join(kernels), target="cpu")


# --- PyTorch ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def torch():
    return pytest.importorskip(
        "torch", reason="torch is not installed (its wheels bring gigabytes of CUDA libraries)"
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors(copies, torch, dtype: str):
    a = torch.arange(1, 5).to(getattr(torch, dtype))
    for _ in range(2):  # the second launch takes the fast path
        out = torch.zeros_like(a)
        copies[f"copy_{dtype}"][1](a, out, a.nbytes)
        assert out.view(torch.uint8).tolist() == a.view(torch.uint8).tolist()


def test_tensors_that_do_not_fit(copies, torch):
    launch = copies["copy_float32"][1]
    good = torch.zeros(4)
    launch(good, good, 0)  # enables the fast path
    for wrong, words in [
        (torch.zeros(4, 4).t()[1:], "C-contiguous"),
        (torch.zeros(4, dtype=torch.float64), "float64"),
        (torch.zeros(4, device="meta"), "on meta"),
        (torch.zeros(4).to_sparse(), "to_dense"),
        (torch.zeros(4, dtype=torch.complex64).conj().imag, "resolve_neg"),
    ]:
        with pytest.raises(pct.LaunchError, match=f"argument 2 'to' .*{words}"):
            launch(good, wrong, 0)
    launch(torch.zeros(0), pct.strided(torch.zeros(4, 4).t()), 0)
    launch(torch.nn.Parameter(good), good, 4)


@pytest.fixture(scope="session")
def operators(torch):
    pytest.importorskip("sympy", reason="torch lacks sympy, which it depends on")


@pytest.fixture(scope="session")
def add_op(torch, operators, vector_add):
    return pct.torch_op(
        "pycuda_tile_tests::add",
        vector_add,
        lambda a, b: -(-a.numel() // 1024),
        outputs={"out": torch.empty_like},
        derived={"n": lambda a: a.numel()},
    )


def test_torch_operator(torch, add_op):
    a, b = torch.arange(3000.0), torch.ones(3000)
    assert torch.equal(add_op(a, b), a + 1)
    assert torch.equal(
        torch.ops.pycuda_tile_tests.add(a.view(2, 1500).t(), b.view(1500, 2)), a.view(2, 1500).t() + 1
    )
    assert add_op(a[:0], b[:0]).shape == (0,)
    checks = torch.library.opcheck(add_op, (a, b))
    assert set(checks.values()) == {"SUCCESS"}, checks


def test_torch_compile(torch, add_op):
    compiled = torch.compile(lambda a, b: add_op(a * 2, b) + 1, fullgraph=True, backend="aot_eager")
    a, b = torch.arange(3000.0), torch.ones(3000)
    assert torch.equal(compiled(a, b), 2 * a + 2)


def test_torch_operator_that_changes_its_argument(torch, operators):
    source = """#include "cuda_tile.h"
    __tile_global__ void scale(float* in, float by, bool twice, int n) {
      for (int i = 0; i < n; ++i) in[i] = in[i] * by * (twice ? by : 1);
    }"""
    kernel = pct.build(source, target="cpu").kernel("scale")
    scale = pct.torch_op("pycuda_tile_tests::scale", kernel, 1)
    x = torch.ones(4)
    scale(x, 3.0, True, 2)
    assert x.tolist() == [9, 9, 1, 1]
    assert "Tensor(a!) in_, float by, bool twice, SymInt n" in str(
        torch.ops.pycuda_tile_tests.scale.default._schema
    )


def test_torch_operator_refuses(torch, vector_add):
    with pytest.raises(ValueError, match="no parameter 'no'; it has a, b, out, n"):
        pct.torch_op("pycuda_tile_tests::bad", vector_add, 1, outputs={"no": torch.empty_like})
    with pytest.raises(ValueError, match=r"'a' .* cannot be an output"):
        pct.torch_op("pycuda_tile_tests::bad", vector_add, 1, outputs={"a": torch.empty_like})
    with pytest.raises(TypeError, match="expects a kernel"):
        pct.torch_op("pycuda_tile_tests::bad", vector_add[1], 1)
    for what, wrong in (("outputs", ["out"]), ("outputs", {"out": 3}), ("derived", {"n": 7})):
        with pytest.raises(TypeError, match=f"{what} must be a dict from parameter names to functions, got"):
            pct.torch_op("pycuda_tile_tests::bad", vector_add, 1, **{what: wrong})


def test_an_output_of_a_torch_operator_is_a_tensor(torch, vector_add):
    wrong = pct.torch_op(
        "pycuda_tile_tests::no_tensor",
        vector_add,
        1,
        outputs={"out": lambda a: 3},
        derived={"n": lambda a: 1},
    )
    with pytest.raises(TypeError, match=r"torch_op: outputs\['out'\] must return a tensor, got int"):
        wrong(torch.ones(3), torch.ones(3))


def test_functions_of_a_torch_operator_get_arguments_by_position(torch, vector_add):
    """One that calls its first parameter b would get a."""
    message = (
        "names its parameter 1 'b', which is argument 2 of the operator: arguments come by position, so "
        "write lambda a, b: ..."
    )
    right = {"outputs": {"out": torch.empty_like}, "derived": {"n": lambda a: a.numel()}}
    for wrong in ({"outputs": {"out": lambda b: b}}, {"derived": {"n": lambda b: b.numel()}}):
        with pytest.raises(pct.Error, match=re.escape(message)):
            pct.torch_op("pycuda_tile_tests::bad", vector_add, 1, **right | wrong)
    with pytest.raises(pct.Error, match="grid names its parameter 1 'b'"):
        pct.torch_op("pycuda_tile_tests::bad", vector_add, lambda b: 1, **right)


@pytest.mark.parametrize("name", ["add", "a b::add", "a::b::add", "", 3])
def test_torch_operator_of_no_name(torch, vector_add, name):
    with pytest.raises(pct.Error, match="the form 'namespace::name'"):
        pct.torch_op(name, vector_add, 1)


def test_torch_operator_whose_parameter_is_given_twice(torch, vector_add):
    with pytest.raises(pct.Error, match="out cannot be both an output and derived"):
        pct.torch_op(
            "pycuda_tile_tests::bad",
            vector_add,
            1,
            outputs={"out": torch.empty_like},
            derived={"out": lambda a: a},
        )


def test_torch_operator_without_torch(monkeypatch, vector_add):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(pct.TargetUnavailable, match="pip install torch"):
        pct.torch_op("pycuda_tile_tests::bad", vector_add, 1)


# --- JAX ----------------------------------------------------------------------------------------------------


JAX = """
import sys
sys.path.insert(0, sys.argv[1])
import jax.numpy as jnp, numpy as np, pycuda_tile as pct
from test_frameworks import build_copies
copies = build_copies()
for dtype in ("float32", "float16", "bfloat16", "float8_e4m3fn", "int32", "bool"):
    a = jnp.arange(1, 5).astype(dtype)
    out = np.zeros(4, a.dtype)
    copies[f"copy_{dtype}"][1](a, out, out.nbytes)
    assert out.tolist() == np.asarray(a).tolist(), dtype
    try:
        copies[f"copy_{dtype}"][1](a, a, 0)
    except pct.LaunchError as error:
        assert "argument 2 'to'" in str(error) and "read-only" in str(error)
    else:
        raise AssertionError(dtype)
"""


def test_jax_arrays_are_inputs_only(copies):
    """In a process of its own: JAX starts threads, and other tests fork."""
    if not importlib.util.find_spec("jax"):
        pytest.skip("jax is not installed")
    command = [sys.executable, "-c", JAX, str(Path(__file__).parent)]
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# --- protocols ----------------------------------------------------------------------------------------------


class Exporter:
    """An array that supports only DLPack, with any element type and device."""

    def __init__(self, array: np.ndarray, device: int = 1, readonly: bool = False, versioned: bool = True):
        self.array, self.device, self.versioned = array, device, versioned
        tensor = dlpack._Tensor(array.ctypes.data, device, 0, array.ndim)
        tensor.code, tensor.bits, tensor.lanes = CODES[array.dtype.name], 8 * array.itemsize, 1
        self.shape = (ctypes.c_int64 * array.ndim)(*array.shape)
        self.strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
        tensor.shape = ctypes.cast(self.shape, ctypes.POINTER(ctypes.c_int64))
        tensor.strides = ctypes.cast(self.strides, ctypes.POINTER(ctypes.c_int64))
        self.managed = dlpack._Versioned(1, 0, None, None, int(readonly), tensor) if versioned else tensor

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self, **arguments):
        if arguments and not self.versioned:
            raise TypeError("unexpected keyword argument")
        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        self.name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return new(ctypes.addressof(self.managed), self.name, None)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("dtype", list(CODES))
def test_dlpack(copies, dtype: str, versioned: bool):
    a = np.arange(1, 5).astype(getattr(ml_dtypes, dtype, dtype))
    out = np.zeros_like(a)
    copies[f"copy_{dtype}"][1](Exporter(a, versioned=versioned), Exporter(out, versioned=versioned), a.nbytes)
    assert out.tobytes() == a.tobytes()


def test_dlpack_that_does_not_fit(copies):
    launch = copies["copy_float32"][1]
    good = np.zeros((4, 4), np.float32)
    for wrong, words in [
        (Exporter(good.T), "C-contiguous"),
        (Exporter(good, readonly=True), "read-only"),
        (Exporter(good, device=2), "host memory, got one on a GPU"),
        (Exporter(good, device=7), "neither on the CPU nor"),
        (Exporter(good.astype(np.int32).view(np.uint8)), "float32, got one of uint8"),
    ]:
        with pytest.raises(pct.LaunchError, match=f"argument 2 'to' .*{words}"):
            launch(good, wrong, 0)


def test_dlpack_of_a_gpu():
    """The address alone is read, so no GPU is needed."""
    from pycuda_tile.launching.arrays import address_converter
    from pycuda_tile.launching.parameters import Parameter, kind_of
    from pycuda_tile.spec.element_types import CXX_TYPES

    parameter = Parameter("k", 1, "x", kind_of(CXX_TYPES["__nv_bfloat16"]), pointer=True, const=False, size=2)
    a = np.zeros((2, 4), ml_dtypes.bfloat16)
    convert = address_converter(parameter, on_device=True)
    assert convert(Exporter(a, device=2)) == a.ctypes.data
    assert convert(pct.ptr(Exporter(a, device=2), offset=3)) == a.ctypes.data + 6
    with pytest.raises(pct.LaunchError, match="on the GPU, got one in host memory"):
        convert(Exporter(a))


def test_no_framework_is_imported():
    program = f"""
import sys, numpy as np, pathlib, pycuda_tile as pct
a = np.ones(4, np.float32)
pct.build(pathlib.Path({str(EXAMPLES / "vector_add.cu")!r}), target="cpu").kernel("vector_add")[1](a, a, a, 4)
assert a[0] == 2
print([name for name in ("torch", "jax", "cupy", "numba", "cuda", "clang") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "[]\n", done.stderr
