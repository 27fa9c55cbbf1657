"""Every example on every target that runs here, at sizes that are not multiples of its tiles, against NumPy.

The kernels are also compiled for GPUs, with our header by NVRTC and by NVIDIA's own front end, if these are
installed.
"""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from run_ptx import PtxModule

import pycuda_tile as pct

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SIZES = {
    "vector_add": [(1,), (7,), (1000,), (1024,), (2500,)],
    "softmax": [(1, 1), (7, 3), (3, 1000), (5, 1024)],
    "layer_norm": [(1, 1), (7, 3), (3, 1000), (5, 1024)],
    "matmul": [(1, 1, 1), (7, 5, 3), (70, 65, 100), (64, 64, 64)],
    "transpose": [(1, 1), (7, 3), (65, 130), (64, 64)],
    "histogram": [(1, 1), (7, 3), (1000, 10), (5000, 256)],
    "convolution": [(1, 1, 1), (17, 70, 3)],
    "experts": [(1, 1, 1, 1), (40, 33, 40, 3)],
    "block_scaled_matmul": [(3, 5, 64)],
    "gather": [(1, 1, 1), (7, 3, 2), (33, 100, 50), (16, 64, 8)],
}
SOURCES = [*SIZES, "blur", "digits"]  # test_template_kernels.py has the others
CASES = [(name, size) for name, sizes in SIZES.items() for size in sizes]


@pytest.fixture(autouse=True)
def examples_importable(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.fixture(scope="module", params=["cpu", "checked", "checked-32", "emulated-4", "emulated-32", "ptx"])
def build(request):
    """A function that builds an example's source for one of the targets that run on the host."""
    if request.param == "ptx":
        pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")
        return lambda name: PtxModule(pct.build(EXAMPLES / f"{name}.cu", target="simt", arch="sm_80"))
    target, _, threads = request.param.partition("-")
    options = {"target": target, "num_threads": int(threads) if threads else None}
    if target == "checked":
        options |= {"target": "emulated" if threads else "cpu", "checked": True}
    if request.param != "cpu":  # which is for speed
        options["options"] = ("-O1",)
    return lambda name: pct.build(EXAMPLES / f"{name}.cu", **options)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name, size", CASES, ids=[f"{n}-{'x'.join(map(str, s))}" for n, s in CASES])
def test_result_agrees_with_numpy(build, name, size):
    common = importlib.import_module("_common")
    problem = importlib.import_module(name).problem(*size)
    task = common.Run(build(name), problem)
    task.launch()
    assert task.error() <= problem.tolerance


@pytest.mark.sampled(4)
def test_blur_agrees_with_numpy(build):
    blur = importlib.import_module("blur")
    for shape in ((1, 1, 1), (3, 7, 5), (1, 20, 200)):
        planes = np.random.default_rng(0).uniform(0, 255, shape).astype(np.float32)
        task = blur.TileBlur(build("blur"), planes)
        task.run()
        np.testing.assert_allclose(task.output, blur.blur_numpy(planes.astype(np.float64)), atol=1e-3)


@pytest.mark.sampled(4)
def test_digits_network_agrees_with_numpy(build):
    digits = importlib.import_module("digits")
    images, _ = digits.load_digits()
    rng = np.random.default_rng(0)
    network = [
        (rng.standard_normal((n, m), np.float32) / 8, rng.standard_normal(m, np.float32))
        for n, m in pairwise(digits.LAYERS)
    ]
    labels, confidence = digits.TileNetwork(build("digits"), network, 45).classify(images[:45])
    expected = digits.probabilities(digits.relu_layers(images[:45], network)[-1])
    np.testing.assert_array_equal(labels, expected.argmax(axis=1))
    np.testing.assert_allclose(confidence, expected.max(axis=1), rtol=1e-5)


@pytest.mark.parametrize(
    "name, options",
    [
        ("vector_add", ["--n", "1500"]),
        ("softmax", ["--rows", "5", "--columns", "10"]),
        ("layer_norm", ["--rows", "5", "--columns", "10"]),
        ("matmul", ["--m", "50", "--n", "60", "--k", "70"]),
        ("transpose", ["--rows", "5", "--columns", "10"]),
        ("histogram", ["--n", "1500"]),
        ("gather", ["--rows", "5", "--columns", "10", "--table-rows", "4"]),
        ("table", ["--small"]),
        ("digits", []),
    ],
)
def test_script_runs(name, options, capsys):
    assert importlib.import_module(name).main([*options, "--target", "cpu"]) == 0
    assert "cpu" in capsys.readouterr().out


def test_script_runs_as_a_program(tmp_path):
    command = [sys.executable, EXAMPLES / "vector_add.py", "--target", "cpu"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "agrees with NumPy" in done.stdout


def test_a_wrong_result_is_reported(monkeypatch, capsys):
    vector_add = importlib.import_module("vector_add")
    problem = vector_add.problem(10)
    problem.numpy = np.subtract
    common = importlib.import_module("_common")
    assert common.run(common.build("vector_add", "cpu"), problem) == 1
    assert "DIFFERS FROM NUMPY" in capsys.readouterr().out


def test_size_that_does_not_fit_is_refused(capsys):
    with pytest.raises(SystemExit):
        importlib.import_module("softmax").main(["--columns", "2000"])
    assert "2000 is not from 1 to 1024" in capsys.readouterr().err


def test_blur_script_writes_a_picture(tmp_path, capsys):
    picture = importlib.import_module("_picture")
    out = tmp_path / "out.png"
    assert importlib.import_module("blur").main([str(EXAMPLES / "data" / "picture.png"), str(out)]) == 0
    before = picture.read_plain_picture(EXAMPLES / "data" / "picture.png")
    after = picture.read_plain_picture(out)
    assert after.shape == before.shape
    assert (
        np.abs(np.diff(after.astype(int), axis=1)).mean() < np.abs(np.diff(before.astype(int), axis=1)).mean()
    )
    assert [path.name for path in tmp_path.iterdir()] == ["out.png"]


def test_blur_script_says_what_is_wrong(tmp_path, capsys):
    blur = importlib.import_module("blur")
    assert blur.main([str(tmp_path / "missing.png")]) == 1
    assert "No such file" in capsys.readouterr().err
    (tmp_path / "text.png").write_text("no picture")
    assert blur.main([str(tmp_path / "text.png")]) == 1
    assert "text.png" in capsys.readouterr().err
    assert blur.main([str(EXAMPLES / "data" / "picture.png"), str(tmp_path / "none" / "out.png")]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_shipped_picture_is_what_its_script_makes():
    picture = importlib.import_module("_picture")
    make_picture = importlib.import_module("data.make_picture")
    shipped = picture.read_plain_picture(EXAMPLES / "data" / "picture.png")
    np.testing.assert_array_equal(shipped, make_picture.picture())


@pytest.mark.parametrize("mode", ["L", "LA", "RGB", "RGBA"])
def test_own_png_reader_agrees_with_pillow(tmp_path, mode):
    image = pytest.importorskip("PIL.Image", reason="needs Pillow to compare with")
    picture = importlib.import_module("_picture")
    noise = np.random.default_rng(0).integers(0, 40, (30, 50, 3)) + np.arange(50)[:, None]
    original = image.fromarray(noise.astype(np.uint8)).convert(mode)
    original.save(tmp_path / "in.png")
    flat = np.asarray(original.convert("L" if mode in ("L", "LA") else "RGB"))
    pixels = picture.read_plain_picture(tmp_path / "in.png")
    np.testing.assert_array_equal(pixels, flat.reshape(pixels.shape))
    picture.write_png(tmp_path / "out.png", pixels)
    np.testing.assert_array_equal(np.asarray(image.open(tmp_path / "out.png")).reshape(pixels.shape), pixels)


@pytest.mark.parametrize(
    "content", [b"P6\n3 2\n255\n" + bytes(range(18)), b"P5 # grey\n3\n2\n255\n" + bytes(6)]
)
def test_own_pnm_reader(tmp_path, content):
    picture = importlib.import_module("_picture")
    (tmp_path / "in.ppm").write_bytes(content)
    channels = 3 if content[1:2] == b"6" else 1
    expected = np.frombuffer(content[-6 * channels :], np.uint8).reshape(2, 3, channels)
    np.testing.assert_array_equal(picture.read_plain_picture(tmp_path / "in.ppm"), expected)
    (tmp_path / "in.ppm").write_bytes(content[:-1])
    with pytest.raises(picture.PictureError, match="damaged"):
        picture.read_plain_picture(tmp_path / "in.ppm")


def build_or_skip(name: str, target: str, arch: str) -> pct.Module:
    """The example built for a GPU; skips the test with a reason if that target is not installed."""
    try:
        return pct.build(EXAMPLES / f"{name}.cu", target=target, arch=arch)
    except pct.TargetUnavailable as error:
        pytest.skip(f"target {target}: {error}")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
@pytest.mark.parametrize("name", SOURCES)
def test_compiles_for_simt(name, arch):
    module = build_or_skip(name, "simt", arch)
    for info in module.kernels:
        kernel = module.kernel(info.name)
        assert f".target {arch}" in kernel.ptx and kernel.binary


@pytest.mark.parametrize("name", SOURCES)
def test_compiles_with_nvidias_front_end(name):
    module = build_or_skip(name, "tile", "sm_90")
    assert all(module.kernel(info.name).tileir for info in module.kernels)
