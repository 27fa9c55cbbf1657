"""benchmarks/gpu.py without a GPU: it says so, still works at small sizes, survives failures, and judges
correctly. A driver that records its calls shows how it launches."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.errors import TargetUnavailable
from pycuda_tile.launching import gpu

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "benchmarks" / "kernels"
HAS_TORCH = importlib.util.find_spec("torch") is not None


@pytest.fixture
def module(monkeypatch):
    """A function that imports a module of benchmarks/."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module


@pytest.fixture
def benchmark(module):
    return module("gpu")


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    script = str(ROOT / "benchmarks" / "gpu.py")
    return subprocess.run(
        [sys.executable, script, *arguments], env=variables, capture_output=True, text=True, timeout=300
    )


def test_without_a_gpu_it_says_what_is_missing():
    if gpu.compute_capability() is not None:
        pytest.skip("this machine has a GPU")
    done = _run()
    assert done.returncode == 1
    assert done.stderr.startswith("gpu.py cannot run here: there is no CUDA GPU")
    assert "Traceback" not in done.stderr


def test_it_explains_itself():
    done = _run("--help")
    assert done.returncode == 0 and "--make-peers" in done.stdout


@pytest.mark.skipif(not HAS_TORCH, reason="the work is described with PyTorch")
def test_a_dry_run_checks_results_and_writes_them(tmp_path):
    output = tmp_path / "results.json"
    done = _run("--dry-run", "--only", "column sums", "--output", str(output))
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(output.read_text())["results"]
    assert result["title"] == "column sums" and result["seconds"]["ours"] > 0
    assert set(result["candidates"]["ours"]) == {"16 x 128", "16 x 256", "32 x 64"}, done.stdout
    assert "| column sums |" in done.stdout


@pytest.mark.skipif(not HAS_TORCH, reason="the work is described with PyTorch")
@pytest.mark.wide
def test_the_work_names_kernels_that_exist_with_their_arguments(module):
    works = module("gpu_work").works("cpu", small=True)
    assert len({work.title for work in works}) == len(works)
    known = {}
    for path in {work.path for work in works}:
        known[path] = {kernel.name: kernel for kernel in pct.build(path, target="cpu").kernels}
    for work in works:
        arguments = work.make()
        for launch in (launch for launches in work.candidates.values() for launch in launches):
            name, _, values = launch.kernel.rstrip(">").partition("<")
            kernel = known[work.path][name]
            assert len(values.split(", ")) == len(kernel.template_params), launch
            assert len(launch.arguments(arguments)) == len(kernel.params), launch


# --- what breaks --------------------------------------------------------------------------------------------

WORKER = """
import json, os, sys, time
options = json.loads(sys.argv[1])
def emit(event, **fields): print(json.dumps({"event": event, **fields}), flush=True)
emit("about", device="Fake GPU", copy=1e12)
for title in ("first", "second", "third"):
    if title in options["done"]:
        continue
    seconds = {}
    for who in ("ours", "nvidia", "triton"):
        name = f"{title} / {who} / x"
        if name in options["skip"] or who in options["without"]:
            continue
        emit("start", name=name)
        if (title, who) == ("second", "nvidia"):
            print("an illegal memory access", file=sys.stderr, flush=True)
            os.abort()
        if (title, who) == ("third", "triton"):
            time.sleep(300)
        seconds[who] = 1e-3
    emit("result", title=title, seconds=seconds, bytes=900_000_000, flops=0, wanted=0.95, like_a_copy=True)
emit("end")
"""


@pytest.fixture
def fake_run(benchmark, tmp_path, monkeypatch):
    (tmp_path / "gpu_worker.py").write_text(WORKER)
    monkeypatch.setattr(benchmark, "HERE", tmp_path)
    return lambda seconds: benchmark.Run("cuda", None, "", tmp_path / "out.json", time.time() + seconds)


@pytest.mark.wide
def test_what_breaks_a_process_is_passed_over(benchmark, fake_run, monkeypatch, tmp_path):
    monkeypatch.setattr(benchmark, "SILENCE", 6)
    run = fake_run(120)
    run.go()
    report = json.loads((tmp_path / "out.json").read_text())
    found = {result["title"]: set(result["seconds"]) for result in report["results"]}
    everyone = {"ours", "nvidia", "triton"}
    assert found == {"first": everyone, "second": everyone - {"nvidia"}, "third": everyone - {"triton"}}
    notes = {(note["title"], note["who"]): note["text"] for note in report["notes"]}
    assert "an illegal memory access" in notes["second", "nvidia"]
    assert "no word for 6 s" in notes["third", "triton"]
    assert report["device"] == "Fake GPU"


@pytest.mark.wide
def test_a_peer_that_breaks_too_much_is_left_out(benchmark, fake_run, monkeypatch, tmp_path):
    monkeypatch.setattr(benchmark, "PATIENCE", 1)
    monkeypatch.setattr(benchmark, "SILENCE", 6)
    run = fake_run(120)
    run.go()
    report = json.loads((tmp_path / "out.json").read_text())
    found = {result["title"]: set(result["seconds"]) for result in report["results"]}
    assert found == {"first": {"ours", "nvidia", "triton"}, "second": {"ours", "triton"}, "third": {"ours"}}
    assert {note["who"] for note in report["notes"] if "left out" in note["text"]} == {"nvidia", "triton"}


def test_the_time_is_kept(fake_run, tmp_path):
    begin = time.monotonic()
    run = fake_run(4)  # the third work sleeps for minutes
    run.go()
    assert time.monotonic() - begin < 100
    report = json.loads((tmp_path / "out.json").read_text())
    assert [result["title"] for result in report["results"]] == ["first", "second"]
    assert "the time was over at: third / triton / x" in report["notes"][-1]["text"]


# --- judgement ----------------------------------------------------------------------------------------------


def _result(**fields) -> dict:
    plain = {"title": "x", "bytes": 1000, "flops": 0, "wanted": 0.95, "like_a_copy": True, "seconds": {}}
    return {**plain, **fields}


@pytest.mark.parametrize(
    "seconds, copy, said",
    [
        ({"ours": 1.0, "nvidia": 0.96}, 1100.0, "yes"),
        ({"ours": 1.0, "nvidia": 0.94}, 1100.0, "no"),  # of the peer
        ({"ours": 1.0, "nvidia": 2.0}, 1200.0, "no"),  # 0.83 of a copy, wanted are 0.855
        ({"ours": 1.0}, 1100.0, "of a copy"),
        ({"ours": 1.0}, 1200.0, "no"),
        ({"nvidia": 1.0}, 1100.0, "not known"),
    ],
)
def test_work_like_a_copy_is_compared_with_both(benchmark, seconds, copy, said):
    assert benchmark.reached(_result(seconds=seconds), copy) == said


def test_products_are_compared_with_the_peer(benchmark):
    product = _result(flops=5, like_a_copy=False, wanted=0.6, seconds={"ours": 2.0, "nvidia": 1.3})
    assert benchmark.ratios(product, 1e3) == {"nvidia": 0.65}
    assert benchmark.reached(product, 1e3) == "yes"
    assert benchmark.reached({**product, "seconds": {"ours": 2.0}}, 1e3) == "not known"
    assert benchmark.reached({**product, "wanted": None}, 1e3) == ""
    assert "| 0.65 | - | 0.6 | yes |" in benchmark.row(product, 1e3)


# --- the peer's cubins --------------------------------------------------------------------------------------


def _cubin() -> bytes:
    try:
        module = pct.build(KERNELS / "elementwise.cu", target="tile", arch="sm_90", kernels=("copy<1024>",))
        return module.kernel("copy<1024>").binary
    except TargetUnavailable as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("block, threads", [("one", 1), ("all", 128)])
def test_cubins_are_launched_with_cuda_core(module, tmp_path, block, threads):
    pytest.importorskip("cuda.core", reason="needs cuda-core")
    cubin = _cubin()
    symbol, compiled_for = module("gpu_peers").read_cubin(cubin)
    assert (symbol, compiled_for) == ("_Z4copyILi1024EEvPKfPfi", 128)
    (tmp_path / "x.cubin").write_bytes(cubin)
    entry = {"kernel": "copy<1024>", "variant": "", "file": "x.cubin", "symbol": symbol, "threads": 128}
    (tmp_path / "peers.json").write_text(json.dumps({"made with": {}, "kernels": [entry]}))
    fake_driver = _fake_driver(tmp_path)
    _, calls = fake_driver.run(
        tmp_path,
        f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT / "benchmarks")!r})
import gpu_peers
gpu_peers.CurrentStream.__cuda_stream__ = lambda self: (0, 7)
class Tensor:
    def data_ptr(self):
        return 0x1000
peers = gpu_peers.Peers(Path({str(tmp_path)!r}), {block!r})
assert peers.variants(["copy<1024>"]) == [""]
peers.launcher("copy<1024>", "", (98, 1, 1))((Tensor(), Tensor(), 100000))
""",
    )
    (launch,) = (call for call in calls if call.startswith("cuLaunchKernel"))
    assert f"grid 98 1 1 block {threads} 1 1 shared 0 stream 7 first 1000" in launch


def _fake_driver(folder: Path):
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        import fake_driver
    finally:
        sys.path.pop(0)
    fake_driver.build(folder)
    return fake_driver
