"""What benchmarks/on_gpu times, without a GPU: the work and its exact results, how failures are survived, how
times are judged. A driver that records its calls shows how NVIDIA's code is launched."""

from __future__ import annotations

import json
import sys
import time
import types
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile.errors import TargetUnavailable

ROOT = Path(__file__).parents[2]
KERNELS = ROOT / "benchmarks" / "kernels"

pytest.importorskip("cuda.bindings.driver", reason="needs cuda-python")


# --- the work -----------------------------------------------------------------------------------------------


def _small(on_gpu):
    return on_gpu("work").works(small=True)


@pytest.mark.wide
def test_the_work_names_kernels_that_exist_with_their_arguments(on_gpu):
    works = [*_small(on_gpu), *on_gpu("work").works()]
    assert len({work.title for work in works}) == len(works) / 2
    known = {}
    for path in {work.path for work in works}:
        known[path] = {kernel.name: kernel for kernel in pct.build(path, target="cpu").kernels}
    for work in works:
        for launch in (launch for launches in work.candidates.values() for launch in launches):
            name, _, values = launch.kernel.rstrip(">").partition("<")
            kernel = known[work.path][name]
            assert len(values.split(", ")) == len(kernel.template_params), launch
            assert len(launch.arguments(work.arguments)) == len(kernel.params), launch


@pytest.mark.parametrize(
    "title", ["copy", "softmax", "transpose", "column sums", "gather", "histogram", "matmul bf16"]
)
def test_results_are_checked(on_gpu, title):
    """Right ones pass, and wrong ones do not: one element, a row that is missing, none written."""
    work_module, elements = on_gpu("work"), on_gpu("elements")
    (work,) = (work for work in _small(on_gpu) if work.title == title)
    drawn, rows = work.draw(np.random.default_rng(0)), work.sample(np.random.default_rng(1))
    exact = work.exact(work_module.Given(work.arguments, drawn), rows)
    assert len(rows) == work.result.rows
    stored = exact.ravel().astype(np.float32)
    if work.result.kind == "__nv_bfloat16":
        stored = (stored.view(np.uint32) >> 16).astype(np.uint16)  # truncated
    stored = stored.astype(elements.STORED[work.result.kind])
    assert work.error(stored, rows, exact) <= work.tolerance
    wrong = stored.copy()
    wrong[-1] = 0x4F80 if work.result.kind == "__nv_bfloat16" else wrong[-1] + 1  # 2**32
    assert work.error(wrong, rows, exact) > work.tolerance
    if not work.adds:
        missing = stored.copy()
        missing.view(np.uint8)[: work.result.width * missing.itemsize] = work.begin
        assert work.error(missing, rows, exact) == np.inf


def test_large_results_are_checked_at_both_ends_and_between(on_gpu):
    (work,) = (work for work in on_gpu("work").works() if work.title == "matmul f16")
    rows = work.sample(np.random.default_rng(1))
    assert rows[0] == 0 and rows[-1] == 4095 and 64 <= len(rows) < 4096
    assert np.array_equal(rows, np.unique(rows))


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
def fake_run(on_gpu, tmp_path):
    """A function that makes a Timed whose processes run WORKER; `said` of its session is what it says."""
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    said: list[str] = []
    session = types.SimpleNamespace(
        command=lambda program, **options: [sys.executable, str(worker), json.dumps(options)],
        patience=lambda seconds: seconds,
        environment=None, is_dry=False, only="", block="one", said=said, say=said.append, save=lambda: None,
    )  # fmt: skip
    return lambda seconds: on_gpu("timed").Timed(session, time.time() + seconds, [])


@pytest.mark.wide
def test_what_breaks_a_process_is_passed_over(on_gpu, fake_run, monkeypatch):
    monkeypatch.setattr(on_gpu("timed"), "OF_OTHERS", 6)
    report = fake_run(120).run()
    found = {result["title"]: set(result["seconds"]) for result in report["results"]}
    everyone = {"ours", "nvidia", "triton"}
    assert found == {"first": everyone, "second": everyone - {"nvidia"}, "third": everyone - {"triton"}}
    notes = {(note["title"], note["who"]): note["text"] for note in report["notes"]}
    assert "an illegal memory access" in notes["second", "nvidia"]
    assert "no word for 6 s" in notes["third", "triton"]
    assert report["device"] == "Fake GPU"


@pytest.mark.wide
def test_a_peer_that_breaks_too_much_is_left_out(on_gpu, fake_run, monkeypatch):
    monkeypatch.setattr(on_gpu("timed"), "PATIENCE", 1)
    monkeypatch.setattr(on_gpu("timed"), "OF_OTHERS", 6)
    report = fake_run(120).run()
    found = {result["title"]: set(result["seconds"]) for result in report["results"]}
    assert found == {"first": {"ours", "nvidia", "triton"}, "second": {"ours", "triton"}, "third": {"ours"}}
    assert {note["who"] for note in report["notes"] if "left out" in note["text"]} == {"nvidia", "triton"}


def test_the_time_is_kept(fake_run):
    begin = time.monotonic()
    report = fake_run(4).run()  # the third work sleeps for minutes
    assert time.monotonic() - begin < 100
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
def test_work_like_a_copy_is_compared_with_both(on_gpu, seconds, copy, said):
    assert on_gpu("table").reached(_result(seconds=seconds), copy) == said


def test_products_are_compared_with_the_peer(on_gpu):
    table = on_gpu("table")
    product = _result(flops=5, like_a_copy=False, wanted=0.6, seconds={"ours": 2.0, "nvidia": 1.3})
    assert table.ratios(product, 1e3) == {"nvidia": 0.65}
    assert table.reached(product, 1e3) == "yes"
    assert table.reached({**product, "seconds": {"ours": 2.0}}, 1e3) == "not known"
    assert table.reached({**product, "wanted": None}, 1e3) == ""
    assert "| 0.65 | - | 0.6 | yes | - |" in table.row(product, 1e3)
    seconds = {"ours": 2.0, "nvidia": 1.3, "open": 1.0}
    assert table.row({**product, "seconds": seconds}, 1e3).endswith("| 1.30 |")


# --- the peer's cubins --------------------------------------------------------------------------------------


def _peer(on_gpu):
    try:
        module = pct.build(KERNELS / "elementwise.cu", target="tile", arch="sm_90", kernels=("copy<1024>",))
        return on_gpu("make").peer_of(module.kernel("copy<1024>"))
    except TargetUnavailable as missing:  # NVIDIA's assembler is an extra: the message says which
        pytest.skip(str(missing))


@pytest.mark.parametrize("block, threads", [("one", 1), ("all", 128)])
def test_nvidias_code_is_launched(on_gpu, tmp_path, block, threads):
    make, bundle = on_gpu("make"), on_gpu("bundle")
    cubin, symbol, required = _peer(on_gpu)
    assert (symbol, required) == ("_Z4copyILi1024EEvPKfPfi", 128)
    contents = make.Contents(tmp_path)
    kernel = bundle.Kernel("nvidia", "copy<1024>", "", "", symbol, required, 0)
    contents.add_kernel(make.Compiled(kernel, cubin))
    contents.finish({})
    _, calls = _fake_driver(tmp_path).run(
        tmp_path,
        f"""
from pathlib import Path
from bundle import Bundle
import device, times, work
device.open_device()
(copy,) = (one for one in work.works(small=True) if one.title == "copy")
options = {{"small": True, "block": {block!r}, "skip": [], "without": []}}
worker = times.Worker(Bundle(Path({str(tmp_path)!r})), options)
launches = copy.candidates["1024"]
assert worker.variants("nvidia", launches) == [""]
worker.call("nvidia", "", launches, times.Sets(copy, 1))(0)
""",
    )
    (launch,) = (call for call in calls if call.startswith("cuLaunchKernel"))
    assert f"grid 10 1 1 block {threads} 1 1 shared 0 stream 0 first" in launch


def _fake_driver(folder: Path):
    sys.path.insert(0, str(Path(__file__).parent))
    try:
        import fake_driver
    finally:
        sys.path.pop(0)
    fake_driver.build(folder)
    return fake_driver
