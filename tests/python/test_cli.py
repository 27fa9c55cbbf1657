"""The command pycuda-tile: what it prints, writes and returns."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.cli import main
from pycuda_tile.system import install

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
VECTOR_ADD = str(EXAMPLES / "vector_add.cu")
SOFTMAX = str(EXAMPLES / "softmax.cu")  # NVRTC 12.0 compiles it, too


def test_kernels(capsys, tmp_path: Path):
    path = tmp_path / "k.cu"
    path.write_text("template <int N> [[cutile::hint(0, occupancy=2)]] __tile_global__ void k(float* x) {}\n")
    assert main(["kernels", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}:1: k<int N>(float* x)\n    hint(0, occupancy=2)\n"
    path.write_text("int x;\n")
    assert main(["kernels", str(path)]) == 0
    assert "no kernels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "start"),
    [
        (["--target", "cpu"], b"\x7fELF"),
        (["--emit", "cubin", "--arch", "sm_90"], b"\x7fELF"),
        (["--emit", "ptx"], b"//"),
        (["--emit", "tileir"], b"\x7fTileIR"),
        (["--emit", "tileir", "--front-end", "nvidia"], b"\x7fTileIR"),
        (["--emit", "cubin", "--front-end", "open", "--arch", "sm_90"], b"\x7fELF"),
    ],
)
def test_compile(capsys, tmp_path: Path, options: list[str], start: bytes):
    output = tmp_path / "out"
    code = main(["compile", SOFTMAX, "-o", str(output), *options])
    captured = capsys.readouterr()
    if "pip install" in captured.err:
        pytest.skip(captured.err)
    assert code == 0 and output.read_bytes().startswith(start)
    assert list(tmp_path.iterdir()) == [output]


def test_tile_ir_is_printed(capsys, tmp_path: Path):
    """Without -o, and to files that are named as text."""
    source, output = tmp_path / "k.cu", tmp_path / "k.mlir"
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "type.h").write_text("using type = TYPE;\n")
    source.write_text(
        '#include "cuda_tile.h"\n#include <type.h>\n'
        "template <typename T> __tile_global__ void k(T* x) { x[0] = type(1); }\n"
    )
    words = ["compile", str(source), "-I", str(tmp_path / "include"), "-D", "TYPE=short"]
    words += ["--emit", "tileir", "--kernel", "k<int>", "--kernel", "k<float>"]
    code = main(words)
    printed = capsys.readouterr()
    if "pip install" in printed.err:
        pytest.skip(printed.err)
    assert code == 0
    entries = tileir.parse(printed.out).entries
    assert [entry.name for entry in entries] == ["_Z1kIiEvPT_", "_Z1kIfEvPT_"]
    assert main([*words, "-o", str(output)]) == 0
    assert output.read_text() == printed.out
    assert main(["compile", str(source), "--emit", "tileir"]) == 1  # TYPE is not defined
    assert "type.h" in capsys.readouterr().err
    for wrong in (["--emit", "ptx"], [], ["-o", str(output), "--front-end", "open", "--emit", "ptx"]):
        assert main(["compile", str(source), *wrong]) == 2
    assert capsys.readouterr().err.splitlines() == [
        *["pycuda-tile: -o OUT is missing: only --emit tileir and --emit loops print without it"] * 2,
        "pycuda-tile: --emit ptx needs the target simt, not tile",
    ]


OVERLOADS = """
#include "cuda_tile.h"
__tile_global__ void set(int* x) { x[0] = 1; }
__tile_global__ void set(int* x, int y) { x[0] = y; }
__tile_global__ void other(int* x) { x[0] = 2; }
template <typename T> __tile_global__ void chosen(T* x) { x[0] = 3; }
"""


@pytest.mark.parametrize("options", [["--target", "cpu"], ["--emit", "ptx"], ["--emit", "tileir"]])
def test_compile_takes_all_kernels_but_templates(capsys, tmp_path: Path, options: list[str]):
    source, output = tmp_path / "k.cu", tmp_path / "out"
    source.write_text(OVERLOADS)
    code = main(["compile", str(source), "-o", str(output), *options])
    captured = capsys.readouterr()
    if "pip install" in captured.err:
        pytest.skip(captured.err)
    assert code == 0 and captured.out.endswith(": other, set(int*), set(int*,int)\n")
    assert "templates are left out: chosen<typename T>(T* x): name instances with --kernel" in captured.err
    for name in (b"other", b"set"):
        assert name in output.read_bytes()


@pytest.mark.parametrize(
    "options", [["--target", "cpu"], ["--target", "emulated"], ["--emit", "ptx"], ["--emit", "tileir"]]
)
def test_compile_of_nothing_is_an_error(capsys, tmp_path: Path, options: list[str]):
    source, output = tmp_path / "k.cu", tmp_path / "out"
    source.write_text('#include "cuda_tile.h"\n' + OVERLOADS.splitlines()[-1] + "\n")
    code = main(["compile", str(source), "-o", str(output), *options])
    error = capsys.readouterr().err
    if "pip install" in error:
        pytest.skip(error)
    assert code == 1 and not output.exists()
    assert (
        "k.cu has only kernels that are templates: chosen<typename T>(T* x): name instances with --kernel"
        in error
    )
    assert main(["compile", str(source), "-o", str(output), *options, "--kernel", "chosen<int>"]) == 0
    assert output.exists() and capsys.readouterr().out.endswith(": chosen<int>\n")
    source.write_text("int x;\n")
    assert main(["compile", str(source), "-o", str(output), "--target", "cpu"]) == 1
    assert "has no kernels (functions declared __tile_global__)" in capsys.readouterr().err
    assert main(["check", str(source), "--target", "cpu"]) == 0
    assert "no kernels (functions declared __tile_global__); the rest compiles" in capsys.readouterr().out


def test_a_folder_that_is_named_as_a_program_is(capfd, tmp_path: Path):
    folder = tmp_path / "program.cu"
    folder.mkdir()
    for command in ("run", "nvcc"):
        assert main([command, str(folder)]) == 1
        assert capfd.readouterr().err == f"nvcc: {folder} is a folder: expected a file\n"


def test_options_of_run_may_stand_before_a_program(tmp_path: Path):
    program = tmp_path / "program.cu"
    program.write_text("int main() { return 3; }\n")
    assert main(["run", "--sanitize", str(program)]) == 3


def test_compile_failures(capsys, tmp_path: Path):
    output = tmp_path / "out"
    assert main(["compile", str(tmp_path / "nosuch.cu"), "-o", str(output)]) == 1
    assert "nosuch.cu" in capsys.readouterr().err
    bad = tmp_path / "bad.cu"
    bad.write_text("nonsense;\n")
    assert main(["compile", str(bad), "-o", str(output), "--target", "cpu"]) == 1
    assert "bad.cu:1" in capsys.readouterr().err
    assert main(["compile", VECTOR_ADD, "-o", str(output), "--target", "cpu", "--emit", "ptx"]) == 2
    assert main(["compile", VECTOR_ADD, "-o", str(tmp_path / "no" / "folder"), "--target", "cpu"]) == 1
    assert "cannot write" in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize("output", ["", ".", "..", "/", "folder", "file/below"])
def test_compile_to_what_can_be_no_file(capsys, tmp_path: Path, monkeypatch, output: str):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("file").write_bytes(b"")
    assert main(["compile", VECTOR_ADD, "-o", output, "--target", "cpu"]) == 1
    assert "cannot write" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]


def test_compile_to_what_is_there(capsys, tmp_path: Path):
    """A link stays a link, and a pipe stays a pipe."""
    link, file, pipe = tmp_path / "link", tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(b"old")
    link.symlink_to(file)
    os.mkfifo(pipe)
    with open(os.open(pipe, os.O_RDONLY | os.O_NONBLOCK), "rb") as reader:
        for output in (link, pipe):
            assert main(["compile", VECTOR_ADD, "-o", str(output), "--target", "cpu"]) == 0
        assert file.read_bytes() == reader.read()
    assert link.is_symlink() and pipe.is_fifo() and file.read_bytes().startswith(b"\x7fELF")


def test_check_in_a_locale_without_the_letters_of_a_name(tmp_path):
    source = tmp_path / "größe.cu"
    source.write_text('#include "cuda_tile.h"\n__tile_global__ void k(int* x) { *x = 3; }')
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-m", "pycuda_tile", "check", str(source), "--target", "cpu"]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.fused
def test_check_says_which_kernels_are_fused(capsys, tmp_path):
    from pycuda_tile.compilers import toolchain

    try:
        toolchain.find_clang()
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    assert main(["check", str(EXAMPLES / "vector_add.cu"), "--target", "cpu"]) == 0
    assert "vector_add: fused\n" in capsys.readouterr().out
    source = tmp_path / "count.cu"
    source.write_text(
        '#include "cuda_tile.h"\n__device__ int calls;\n'
        "__tile_global__ void count(int* total) {\n  *total = ++calls;\n}\n"
    )
    assert main(["check", str(source), "--target", "cpu"]) == 0
    assert f"count: by operation: {source}:4: it uses a variable" in capsys.readouterr().out


def test_doctor_says_what_fuses(capsys, monkeypatch):
    from pycuda_tile.compilers import toolchain

    def missing():
        raise pct.TargetUnavailable("no clang: install one")

    monkeypatch.setattr(toolchain, "find_clang", missing)
    main(["doctor"])
    assert "\n          no fused code: no clang: install one\n" in capsys.readouterr().out


def test_doctor(capsys, monkeypatch):
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for target in ("cpu", "emulated", "simt", "tile"):
        assert f"\n{target}" in out
    assert "cpu       runs here" in out


def test_run_without_a_gpu(capsys, monkeypatch):
    from pycuda_tile.launching import gpu

    monkeypatch.setattr(gpu, "compute_capability", lambda: None)
    assert main(["run", "softmax", "--target", "simt"]) == 1
    error = capsys.readouterr().err
    if "NVRTC" in error:
        pytest.skip(error)
    assert "the example is built for simt, but this machine has no CUDA GPU, or no driver for one" in error


def test_doctor_where_nothing_runs(capsys, monkeypatch):
    from pycuda_tile.compilers import nvrtc, toolchain
    from pycuda_tile.frontend import clang
    from pycuda_tile.launching import gpu

    def missing(*_):
        raise pct.TargetUnavailable('nothing here: pip install "something"')

    monkeypatch.setattr(toolchain, "find_compiler", missing)
    monkeypatch.setattr(toolchain, "find_clang", missing)
    monkeypatch.setattr(nvrtc, "version", missing)
    monkeypatch.setattr(gpu, "driver_version", lambda: None)
    monkeypatch.setattr(clang, "load", lambda: None)
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    for target in ("cpu", "emulated", "simt", "tile"):
        assert f"\n{target:9} not available\n" in out
    assert out.count('missing: nothing here: pip install "something"') == 5
    assert install.advice("frontend") in out and "no driver for CUDA GPUs" in out


def test_doctor_says_which_clang_makes_tile_ir(capsys, monkeypatch):
    from pycuda_tile.compilers import toolchain

    main(["doctor"])
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("Tile IR "))
    try:
        assert line.endswith(f"a kernel in C++ was translated, by {toolchain.find_clang()}")
    except pct.TargetUnavailable as error:
        assert line == f"Tile IR   missing: {error}"
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(toolchain, "of_ziglang", lambda: None)
    with pytest.raises(pct.TargetUnavailable, match="no clang 19 or newer, which makes Tile IR") as caught:
        toolchain.find_clang()
    assert install.advice("compiler") in str(caught.value)


def test_doctor_without_nvrtc(capsys, monkeypatch):
    from pycuda_tile.compilers import nvrtc, toolchain

    try:
        toolchain.find_clang()
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))

    def missing(*_):
        raise pct.TargetUnavailable("no NVRTC")

    monkeypatch.setattr(nvrtc, "version", missing)
    main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("tile      compiles, but cannot run here")
    assert lines[start + 1 : start + 3] == [
        "          missing: no NVRTC",
        '          front_end="open" does without these',
    ]


def test_doctor_where_a_gpu_is(capsys, monkeypatch):
    from pycuda_tile.launching import gpu

    monkeypatch.setattr(gpu, "driver_version", lambda: "13.1")
    monkeypatch.setattr(gpu, "compute_capability", lambda: (9, 0))
    monkeypatch.setattr(gpu, "device_name", lambda: "A GPU of the test")
    monkeypatch.setattr(gpu, "has_cuda_python", lambda: False)
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "driver: supports CUDA up to 13.1" in out
    assert "A GPU of the test, compute capability 9.0" in out
    assert "missing: launching needs cuda-python" in out and "simt      runs here" not in out


def test_doctor_tries_what_it_finds(capsys, monkeypatch, tmp_path: Path, cache_folder: Path):
    """A program that claims to be a compiler but creates nothing that can be loaded."""
    fake = tmp_path / "g++"
    fake.write_text(
        '#!/bin/sh\n[ "$1" = --version ] || exit 1\necho "g++ 12.2.0, by the Free Software Foundation"\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PYCUDA_TILE_CXX", str(fake))
    main(["doctor"])
    out = capsys.readouterr().out
    assert "cpu       compiles, but cannot run here" in out and "failed: " in out


def test_cache(capsys, cache_folder: Path):
    assert main(["cache", "info"]) == 0
    assert f"{cache_folder}: 0 entries" in capsys.readouterr().out
    pct.build(Path(VECTOR_ADD), target="cpu")
    assert main(["cache", "clear"]) == 0
    assert "removed" in capsys.readouterr().out
    assert list((cache_folder).rglob("*.so")) == []


def test_run_names_the_examples(capsys):
    assert main(["run", "nosuch"]) == 2
    assert "vector_add" in capsys.readouterr().err
    assert main(["run", "--help"]) == 0
    assert "vector_add" in capsys.readouterr().out


def test_examples_say_by_what_they_are_called(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["/usr/bin/pycuda-tile", "run", "vector_add", "--nosuch"])
    with pytest.raises(SystemExit):
        main()
    assert capsys.readouterr().err.startswith("usage: pycuda-tile run vector_add [-h]")


@pytest.mark.parametrize("words", [[], ["nosuch"], ["compile"], ["compile", "x.cu", "--front-end", "both"]])
def test_wrong_usage(words: list[str]):
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2


def test_python_dash_m():
    done = subprocess.run(
        [sys.executable, "-m", "pycuda_tile", "--version"],
        capture_output=True,
        text=True,
        cwd=EXAMPLES.parent,
    )
    assert done.stdout.startswith("pycuda-tile ")


def test_names_that_the_output_cannot_show(tmp_path: Path):
    path = tmp_path / "k\u00e9.cu"
    path.write_text("__tile_global__ void k() {}\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pycuda_tile", "kernels", path],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONPATH": str(EXAMPLES.parent)},
        capture_output=True,
    )
    assert done.stdout.endswith(rb"k\xe9.cu:1: k()" + b"\n") and done.returncode == 0


def test_regenerate_says_what_it_lacks(capsys, monkeypatch, tmp_path: Path):
    monkeypatch.setattr(
        "pycuda_tile.development.codegen.include_dir", lambda: tmp_path / "include"
    )  # as installed
    assert main(["regenerate"]) == 1
    assert "checkout" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main(["regenerate", "--check"]) == 1
    assert "pip install" in capsys.readouterr().err
