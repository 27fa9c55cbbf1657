"""The results of the kernels of positive/kernels_*.cu on each target that runs here. Without a GPU, those for
GPUs run on the PTX machine or are only compiled. Each kernel is requested by its name expression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from kernel_runs import ALL, empty, i
from targets import OnArrays

import pycuda_tile as pct

FOLDER = Path(__file__).parent
TARGETS = {
    "cpu": {"target": "cpu"},
    "checked": {"target": "cpu", "checked": True},
    "emulated-4": {"target": "emulated", "num_threads": 4},
    "emulated-32": {"target": "emulated", "num_threads": 32},
    "simt": {"target": "simt", "arch": "sm_90"},
    "tile": {"target": "tile", "arch": "sm_90"},
}


def build(name: str, target: str, kernels: dict) -> pct.Module:
    options = ("-O1",) if target in ("cpu", "emulated-4", "emulated-32") else ()
    try:
        return pct.build(
            FOLDER / "positive" / f"{name}.cu",
            kernels=tuple(kernels),
            include_dirs=[FOLDER],
            options=options,
            **TARGETS[target],
        )
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["cpu", "emulated-4", "emulated-32", "simt"])
@pytest.mark.parametrize("name", ALL)
def test_results(name, target):
    module = OnArrays(build(name, target, ALL[name]))
    for expression, (arguments, grid, expected) in ALL[name].items():
        copies = [x.copy() if isinstance(x, np.ndarray) else x for x in arguments]
        module[expression][grid](*copies)
        arrays = [x for x in copies if isinstance(x, np.ndarray)]
        for position, (array, wanted) in enumerate(zip(arrays, expected, strict=True)):
            if wanted is not None:
                np.testing.assert_array_equal(array, wanted, f"{expression}, array {position}")


@pytest.mark.parametrize("name", ALL)
def test_compiles_with_nvidias_compiler(name):
    """It accepts only parameters of arithmetic and pointer types, and no packs."""
    kernels = {expression: run for expression, run in ALL[name].items() if "packs" not in expression}
    module = build(name, "tile", kernels)
    assert all(module.kernel(expression).tileir for expression in kernels)


def test_overloads_are_told_apart():
    """The name expression of an overload needs a cast, which is written like this."""
    casts = {"(void (*)(float*))overloaded": (empty(1), 1), "(void (*)(int*))overloaded": (empty(1, i), 2)}
    module = build("kernels_templates", "cpu", casts)
    for name, (array, wanted) in casts.items():
        module.kernel(name)[1](array)
        assert array == wanted


@pytest.mark.wide
def test_modules_with_helpers_of_one_name_stay_apart():
    """Two libraries in one process, each with its own `helper` and its own static variable."""
    source = """
        #include "cuda_tile.h"
        __tile__ inline int helper() { return VALUE; }
        template <typename T> __tile__ inline T shared = VALUE;
        __tile_global__ void k(int* y) { y[0] = helper(); y[1] = shared<int>; }
    """
    results = [empty(2, i), empty(2, i)]
    modules = [pct.build(source, target="cpu", defines={"VALUE": str(value)}) for value in (1, 2)]
    for module, result in zip(modules, results, strict=True):
        module.kernel("k")[1](result)
    assert [list(result) for result in results] == [[1, 1], [2, 2]]
