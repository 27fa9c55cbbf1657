"""The package itself: its public names, and the cost of importing it."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import pycuda_tile as pct
from pycuda_tile import errors

ROOT = Path(__file__).resolve().parents[2]


def test_public_names():
    for name in pct.__all__:
        assert getattr(pct, name) is not None
        assert name in dir(pct)
    assert pct.NotAvailableYet is errors.NotAvailableYet
    assert "sys" not in dir(pct)  # completion offers nothing that the module only imports
    assert callable(pct.build) and callable(pct.nvrtc_build)


def test_no_module_has_the_name_of_a_public_function():
    """Importing such a module would replace the function."""
    modules = {module.name for module in pkgutil.iter_modules(pct.__path__)}
    assert modules & set(pct.__all__) == {"pictures", "reference", "tileir"}


def test_unknown_name():
    try:
        pct.nosuch  # noqa: B018
    except AttributeError as error:
        assert "nosuch" in str(error)
    else:
        raise AssertionError


def test_import_takes_in_nothing_heavy():
    code = "import sys, pycuda_tile; print(sorted(sys.modules))"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    ).stdout
    for module in ("numpy", "cuda.bindings", "jinja2", "clang", "subprocess"):
        assert f"'{module}'" not in loaded


def test_a_cpu_build_needs_no_cuda_package():
    code = """
import sys, pathlib, pycuda_tile as pct
pct.build(pathlib.Path("examples/vector_add.cu"), target="cpu")["vector_add"]
assert not any(name.startswith(("cuda.bindings", "cuda.core")) for name in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
