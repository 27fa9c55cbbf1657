"""benchmarks/on_gpu without a GPU: launches that tests make are recorded into a bundle, made again by a
driver whose kernels run on the PTX machine, and judged; what goes wrong on a GPU is told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from run_ptx import PtxKernel

import pycuda_tile as pct

ROOT = Path(__file__).parents[2]
GPU = ROOT / "benchmarks" / "gpu.py"

pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")

SOURCE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;

__tile_global__ void add(const int* a, const int* b, int* out) {
  using tile = ct::shape<8>;
  ct::partition_view left{ct::tensor_span{a, tile{}}, tile{}}, right{ct::tensor_span{b, tile{}}, tile{}};
  ct::partition_view to{ct::tensor_span{out, tile{}}, tile{}};
  to.store(left.load(0) + right.load(0), 0);
}
__tile_global__ void triple(float* x, int n, float by) { x[n] = 3 * x[n] + by; }
"""


@pytest.fixture
def recorder(on_gpu, monkeypatch, tmp_path):
    """Where launches on the PTX machine are recorded in this test."""
    monkeypatch.setattr(
        PtxKernel, "execute", on_gpu("recording").recorded(PtxKernel.execute, tmp_path / "rec")
    )
    return tmp_path / "rec"


def ptx_kernel(name: str) -> PtxKernel:
    return PtxKernel(pct.build(SOURCE, target="simt", arch="sm_90a").kernel(name))


def bundle_of(on_gpu, recorded: Path, folder: Path):
    folder.mkdir()
    contents = on_gpu("make").Contents(folder)
    contents.add_launches("mechanisms", on_gpu("recording").read_records(recorded), recorded, {})
    contents.finish({})
    return on_gpu("bundle").Bundle(folder)


def dry_run(bundle: Path, output: Path, *options: str) -> tuple[dict, str]:
    """The results of a session, and what it said."""
    command = [sys.executable, str(GPU), "--dry-run", "--bundle", str(bundle), "--output", str(output)]
    done = subprocess.run(
        [*command, *options], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads((output / "results.json").read_text()), done.stdout


def said(results: dict) -> list[str]:
    return [result["said"] for result in results.values() if isinstance(result, dict)]


def test_a_launch_gives_the_same_in_other_memory(on_gpu, recorder, tmp_path):
    """Also from arrays that lie side by side, behind the start of an array, and at any address."""
    both = np.arange(17, dtype=np.int32)
    kernel = ptx_kernel("add")
    out = np.zeros(8, np.int32)
    kernel[1](both[:8], both[8:16], out)
    kernel[1](both[1:9], both[1:9], out)
    x = np.ones(5, np.float32)
    ptx_kernel("triple")[1](pct.ptr(x, 2), 1, 0.5)
    assert x.tolist() == [1, 1, 1, 3.5, 1]
    bundle = bundle_of(on_gpu, recorder, tmp_path / "bundle")
    pointers = {tuple(pointer[2:]) for launch in bundle.launches for pointer in launch.pointers}
    assert {(0, 8), (2, 0)} <= pointers
    (first,) = (launch for launch in bundle.launches if len(launch.buffers) == 3)
    assert {buffer.misaligned % 4 for buffer in first.buffers} == {0}
    results, text = dry_run(bundle.folder, tmp_path / "out", "--parts", "mechanisms", "rest")
    assert said(results["mechanisms"]) + said(results["rest"]) == ["same"] * 3, text


def test_what_differs_is_judged_by_the_test(on_gpu, recorder, tmp_path, monkeypatch):
    kernel = ptx_kernel("triple")
    kernel[1](np.ones(5, np.float32), 1, 0.5)
    bundle = bundle_of(on_gpu, recorder, tmp_path / "bundle")
    (launch,) = bundle.launches
    expected = launch._replace(buffers=(launch.buffers[0]._replace(after=launch.buffers[0].before),))
    on_gpu("bundle").write_manifest(bundle.folder, bundle.about, [expected], [])
    results, text = dry_run(bundle.folder, tmp_path / "out", "--parts", "mechanisms")
    (result,) = (result for result in results["mechanisms"].values() if isinstance(result, dict))
    assert result["said"] == "differs" and result["bytes"] > 0
    assert "differs: triple in tests/simt/test_gpu_session.py::" in text
    # What the GPU gave replaces the launch in the test.
    given = tmp_path / "given"
    given.mkdir()
    subprocess.run(
        [sys.executable, "-m", "zipfile", "-e", tmp_path / "out" / "differences.zip", given], check=True
    )
    (changed,) = given.glob("differences/*")
    changed.write_bytes(np.full(5, 7, np.float32).tobytes())
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks" / "on_gpu"))
    recording = on_gpu("recording")
    execute, waiting = PtxKernel.execute, recording.differences(given)
    monkeypatch.setattr(PtxKernel, "execute", recording.replayed(execute, given, bundle, waiting))
    x, y = np.ones(5, np.float32), np.ones(5, np.float32)
    kernel[1](x, 1, 0.5)
    kernel[1](y, 1, 0.25)
    assert x.tolist() == [7] * 5 and y.tolist() == [1, 3.25, 1, 1, 1]
    assert not waiting
    # A launch of other arguments, or with other memory, is not that of the GPU.
    for other in ((np.ones(5, np.float32), 2, 0.5), (np.zeros(5, np.float32), 1, 0.5)):
        waiting = recording.differences(given)
        monkeypatch.setattr(PtxKernel, "execute", recording.replayed(execute, given, bundle, waiting))
        with pytest.raises(pytest.fail.Exception, match="is not the launch that the GPU made"):
            kernel[1](*other)


def test_what_breaks_is_told_and_passed_over(on_gpu, recorder, tmp_path):
    """An access outside of the memory; one that is beside an array."""
    x = np.ones(64, np.float32)
    for n in (1, 2, 3):
        ptx_kernel("triple")[1](x, n, 1.0)
    bundle = bundle_of(on_gpu, recorder, tmp_path / "bundle")
    words = {2: (1 << 20).to_bytes(4, "little").hex(), 3: (64).to_bytes(4, "little").hex()}
    launches = []
    for launch in bundle.launches:
        n = int.from_bytes(bytes.fromhex(launch.arguments[1]), "little")
        arguments = (launch.arguments[0], words.get(n, launch.arguments[1]), launch.arguments[2])
        launches.append(launch._replace(arguments=arguments, stage="models"))
    on_gpu("bundle").write_manifest(bundle.folder, bundle.about, launches, [])
    results, text = dry_run(bundle.folder, tmp_path / "out", "--parts", "models")
    assert sorted(said(results["models"])) == ["broke", "same", "wrote around"], text
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in text
    assert "launches, models: 1 same" in text or "1 wrote around" in text


def test_a_run_goes_to_its_end(on_gpu, recorder, tmp_path):
    """Every part, with a kernel to time."""
    ptx_kernel("triple")[1](np.ones(5, np.float32), 1, 0.5)
    folder = tmp_path / "bundle"
    folder.mkdir()
    make = on_gpu("make")
    contents = make.Contents(folder)
    contents.add_launches("mechanisms", on_gpu("recording").read_records(recorder), recorder, {})
    for threads in (128, 256):
        for compiled in make.compile_ours(
            ROOT / "benchmarks" / "kernels" / "rows.cu", "softmax<1024>", threads
        ):
            contents.add_kernel(compiled)
    contents.finish({})
    results, text = dry_run(folder, tmp_path / "out", "--only", "softmax")
    assert set(results) == {"bundle", "device", *on_gpu("session").PARTS}
    assert results["device"]["device"] == "Fake GPU"
    assert said(results["load"]) == ["loaded"] * 2
    assert said(results["mechanisms"]) == ["same"]
    assert {tool: results["sanitizer"][tool]["said"] for tool in on_gpu("sanitizer").TOOLS} == dict.fromkeys(
        on_gpu("sanitizer").TOOLS, "clean"
    )
    (result,) = results["times"]["results"]
    assert set(result["candidates"]["ours"]) == {"1024, T = 128", "1024, T = 256"}
    assert "| softmax |" in text
    assert text == (tmp_path / "out" / "log.txt").read_text()


def test_without_a_bundle_it_says_how_to_make_one(tmp_path):
    done = subprocess.run(
        [sys.executable, str(GPU), "--bundle", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "--make-bundle makes one" in done.stderr and "Traceback" not in done.stderr


def test_pieces_that_are_not_carried_are_not_needed(on_gpu, recorder, tmp_path):
    """The programs in a bundle import each other, NumPy and cuda.bindings alone, but the peers' modules."""
    ptx_kernel("triple")[1](np.ones(5, np.float32), 1, 0.5)
    bundle = bundle_of(on_gpu, recorder, tmp_path / "bundle")
    names = sorted(path.stem for path in bundle.folder.glob("*.py") if "peers" not in path.name)
    code = f"""
import importlib, sys
for name in {names}:
    importlib.import_module(name)
print(*(name for name in ("pycuda_tile", "torch", "ml_dtypes", "pytest") if name in sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=bundle.folder, capture_output=True, text=True)
    assert done.stdout.split() == [] and done.returncode == 0, done.stderr


def test_a_process_that_takes_too_long_ends_with_its_children(on_gpu):
    code = "import subprocess, time; print('begun', flush=True); subprocess.run(['sleep', '60'])"
    begin = time.monotonic()
    done = on_gpu("watching").run([sys.executable, "-c", code], time.time() + 2)
    assert done.status is None and "begun" in done.output
    assert time.monotonic() - begin < 30


# --- Nsight Compute -----------------------------------------------------------------------------------------

NCU = """==PROF== Connected to process 7
"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Description"
"0","copy(float)","GPU Speed Of Light","Duration","us","12.5","",""
"0","copy(float)","Memory","","","","Bank","There are ""2"" conflicts"
"1","softmax","GPU Speed Of Light","Duration","us","1,000","",""
"""


def test_what_ncu_says_is_read(on_gpu):
    advice = {"advice: Bank": 'There are "2" conflicts'}
    assert on_gpu("profiled").read(NCU) == [
        {"kernel": "copy(float)", "Duration": "12.5 us", **advice},
        {"kernel": "softmax", "Duration": "1,000 us"},
    ]
    assert on_gpu("profiled").read("==ERROR== no permission\n") == []


def test_the_fastest_is_profiled(on_gpu):
    times = {"ours": "1024, T = 256", "nvidia": "1024", "torch": "softmax"}
    results = [
        {"title": "softmax", "configurations": times},
        {"title": "copy", "configurations": {"ours": "1"}},
    ]
    calls = on_gpu("profiled").chosen(results, False, "softmax")
    assert calls == [["softmax", "ours", "1024, T = 256"], ["softmax", "nvidia", "1024"]]
    assert on_gpu("profiled").chosen([], False, "softmax") == [["softmax", "ours", ""]]


# --- elements -----------------------------------------------------------------------------------------------

TYPES = {"__nv_bfloat16": ml_dtypes.bfloat16, "__nv_fp8_e4m3": ml_dtypes.float8_e4m3fn, "__half": np.float16}


@pytest.mark.parametrize("kind", TYPES)
def test_elements_are_read_as_they_are_stored(on_gpu, kind):
    elements = on_gpu("elements")
    stored = np.arange(256 if kind == "__nv_fp8_e4m3" else 65536).astype(
        elements.STORED[kind].str.replace("f", "u")
    )
    with np.errstate(invalid="ignore"):  # signalling NaN
        expected = stored.view(TYPES[kind]).astype(np.float64)
        found = elements.values(stored.view(elements.STORED[kind]), kind)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["float", "double", "signed char", "int", *TYPES])
def test_drawn_elements_are_finite_and_of_both_signs(on_gpu, kind):
    elements = on_gpu("elements")
    found = elements.values(elements.normal((64, 32), kind, np.random.default_rng(0)), kind)
    assert found.shape == (64, 32) and np.isfinite(found).all()
    assert (found > 0).any() and (found < 0).any() and len(np.unique(found)) > 40


# --- compute-sanitizer --------------------------------------------------------------------------------------

CLEAN = "========= COMPUTE-SANITIZER\nall right\n========= ERROR SUMMARY: 0 errors\n"
INVALID = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at copy+0x120
========= ERROR SUMMARY: 2 errors
"""
HAZARD = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access and Read access
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
NO_DEVICE = "========= COMPUTE-SANITIZER\n========= Device not supported\n========= ERROR SUMMARY: 0 errors\n"


@pytest.mark.parametrize(
    "status, output, word, named",
    [
        (0, CLEAN, "clean", ""),
        (86, INVALID, "2 found", "Invalid __global__ write"),
        (86, HAZARD, "1 found", "Race reported"),
        (1, NO_DEVICE, "failed (1)", "Device not supported"),
        (127, "sh: not found\n", "failed (127)", "not found"),
        (0, "nothing was watched\n", "failed (0)", "nothing was watched"),
        (None, "begun\n", "no time was left", "begun"),
        (None, INVALID, "2 found", "Invalid __global__ write"),
    ],
)
def test_the_sanitizers_output_is_read(on_gpu, status, output, word, named):
    found, details = on_gpu("sanitizer").judge(status, output)
    assert found == word and named in details


def test_findings_belong_to_launches(on_gpu):
    output = '{"event": "start", "name": "a"}\n{"event": "start", "name": "b"}\n' + INVALID
    assert on_gpu("checking").at_findings(output) == "b"
