"""Every example of the manual, by its number in the inventory of examples (ex-001 to ex-189).

manual/*.cu             the examples; kernels `ex_NNN` are run and checked, other examples only compile
manual/undefined.cu     examples of undefined behaviour, which only compile
manual/ill_formed.toml  examples that must not compile; test_programs.py checks them
manual_runs.py          arguments and results of the kernels
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from ahead import begins, result
from compilers import FOLDER
from manual_runs import RUNS, Array
from targets import ALL, OnArrays

import pycuda_tile as pct

RUN_ON = {name: target for name, target in ALL.items() if name != "open"}
RUN_ON |= {"checked": {"target": "cpu", "checked": True}}  # none of them has undefined behaviour
UNITS = sorted(FOLDER.glob("manual/*.cu"))
RUNNABLE = [path for path in UNITS if path.stem != "undefined"]
NO_CODE = {
    "ex-003": "a command line",
    "ex-005": "types of C++23, which C++20 compilers do not have",
}
NOT_YET: dict[str, str] = {}  # example: what it waits for


def build(path: Path, target: str, **arguments) -> pct.Module:
    try:
        return pct.build(path, target=target, include_dirs=[FOLDER], **arguments)
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))


def build_to_run(path: Path, target: str) -> pct.Module:
    # Without vectorisation, kernels for the host compile in half the time, but by operation.
    level = {"cpu": "-O2", "simt": "", "ptx": ""}.get(target, "-O1")
    return build(path, **RUN_ON[target], options=(level,) if level else ())


def build_for_gpu(path: Path, target: str) -> pct.Module:
    return build(path, target, arch="sm_90")


def build_undefined(target: str) -> pct.Module:
    return build(FOLDER / "manual" / "undefined.cu", target, options=("-O1", "-w"))


def kernels(path: Path) -> list[str]:
    return re.findall(r"^__tile_global__ void (ex_\d{3})\(", path.read_text(), re.M)


def matches(found: np.ndarray, expected: np.ndarray | list[np.ndarray]) -> bool:
    choices = expected if isinstance(expected, list) else [expected]
    kind = {"equal_nan": True} if found.dtype.kind == "f" else {}
    return any(np.array_equal(found, choice, **kind) for choice in choices)


@begins(build_to_run)
@pytest.mark.parametrize(
    "target", [pytest.param(x, marks=[pytest.mark.wide] * (x == "by operation")) for x in RUN_ON]
)
@pytest.mark.parametrize("path", RUNNABLE, ids=lambda path: path.stem)
def test_results(path: Path, target: str):
    module = OnArrays(result(build_to_run, path=path, target=target))
    wrong = []
    for kernel in kernels(path):
        run = RUNS[kernel.replace("_", "-")]
        arguments = [x.before.copy() if isinstance(x, Array) else x for x in run.arguments]
        module[kernel][run.grid](*arguments)
        for number, (argument, found) in enumerate(zip(run.arguments, arguments, strict=True)):
            if isinstance(argument, Array):
                expected = argument.before if argument.after is None else argument.after
                if not matches(found, expected):
                    wrong.append(f"{kernel}, argument {number}: got {found.tolist()}, expected {expected}")
    assert not wrong, "\n".join(wrong)


@begins(build_for_gpu)
@pytest.mark.parametrize("target", ["simt", "tile"])
@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_compiles_for_gpus(path: Path, target: str):
    names = {kernel.name for kernel in result(build_for_gpu, path=path, target=target).kernels}
    assert names == set(kernels(path))


@begins(build_undefined)
@pytest.mark.parametrize("target", ["cpu", "emulated"])
def test_undefined_behaviour_compiles(target: str):
    assert result(build_undefined, target=target).kernels


def test_every_example_is_here():
    text = "".join(path.read_text() for path in [*UNITS, FOLDER / "manual" / "ill_formed.toml"])
    found = {f"ex-{number}" for number in re.findall(r"ex[-_](\d{3})", text)}
    assert found.isdisjoint({*NO_CODE, *NOT_YET})
    assert sorted({*found, *NO_CODE, *NOT_YET}) == [f"ex-{number:03}" for number in range(1, 190)]
    run = {kernel.replace("_", "-") for path in RUNNABLE for kernel in kernels(path)}
    assert run == set(RUNS)
