"""`pycuda-tile nvcc` on whole programs: what they print, what is refused, files, and build systems."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import toolchain
from pycuda_tile.programs import driver
from pycuda_tile.programs import options as command_line
from pycuda_tile.programs.fused import fuse
from pycuda_tile.programs.steps import Steps
from pycuda_tile.system import resources

HERE = Path(__file__).parent / "sources"
PROGRAMS = sorted((resources.examples_dir() / "programs").glob("*.cu"))


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=120)


def build(folder: Path, *sources: str | Path, options: tuple[str, ...] = (), checked: bool = False) -> Path:
    first, *others = [HERE / source for source in sources]
    return pct.compile_program(
        first, folder / "program", options=[*options, *map(str, others)], checked=checked
    )


def test_every_form(tmp_path):
    done = run(build(tmp_path, "forms.cu", options=("-O1",)))
    assert (done.stdout, done.returncode) == ("0 failures\n", 0)


def test_managed_variables_and_initialisers(tmp_path):
    assert run(build(tmp_path, "managed.cu")).stdout == "once 13 6 3 7 42\n"


@pytest.mark.wide
def test_fused_kernels(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("PYCUDA_TILE_OPTIMIZE", "1")
    program = build(tmp_path, "fused.cu", options=("-v",))
    notes = [line for line in capfd.readouterr().err.splitlines() if line.startswith("# ")]
    assert sum(line.endswith(": fused") for line in notes) == 5
    assert any("of_variables: by operation" in line and "kernels may change" in line for line in notes)
    monkeypatch.setenv("PYCUDA_TILE_VERBOSE", "1")
    fused = run(program)
    paths = [line.removeprefix("pycuda_tile: ") for line in fused.stderr.splitlines()]
    by_operation = [line for line in paths if line.endswith(": by operation")]
    assert len(paths) == 7 and len(by_operation) == 2
    assert by_operation[0].startswith("of_variables:") and by_operation[1].startswith("apply<")
    monkeypatch.setenv("PYCUDA_TILE_OPTIMIZE", "0")
    plain = run(program)
    assert plain.stderr.count(": by operation") == 7
    assert plain.stdout == fused.stdout and "variables c6d5b6f3 17.7333336" in fused.stdout
    assert fused.returncode == 0


@pytest.mark.parametrize(
    "words, reason",
    [
        (["--no-fuse"], "with the option --no-fuse, kernels run"),
        (["-g"], "with the option -g, kernels run"),
        (["-G"], "with the option -G, kernels run"),
        (["-O0"], "with the option -O0, kernels run"),
        (["--checked"], "checked builds run operation by operation"),
        (["-Xcompiler", "-fPIC,-fsanitize=address"], "with the option -fsanitize=address, kernels run"),
        (["-O2", "-Xcompiler", "-Wall,-fPIC,-march=native"], "no clang here"),
    ],
)
def test_reasons_not_to_fuse(monkeypatch, capsys, words, reason):
    def find_clang():
        raise pct.TargetUnavailable("no clang here")

    monkeypatch.setenv("PYCUDA_TILE_OPTIMIZE", "1")
    monkeypatch.setattr(toolchain, "find_clang", find_clang)
    asked = command_line.read(["-v", *words, str(HERE / "fused.cu")])
    steps = Steps(toolchain.find_compiler(), asked.verbose)
    assert fuse(asked, steps, asked.inputs[0], {}, pytest.fail, Path("none.o")) is None
    assert reason in capsys.readouterr().err


def test_device_code_of_several_files(tmp_path):
    assert (
        run(build(tmp_path, "shared_a.cu", "shared_b.cu", options=("-rdc=true",))).stdout
        == "14 6 101 4 201\n"
    )


def test_device_code_of_several_files_needs_an_option(tmp_path):
    with pytest.raises(
        pct.CompileError, match=r"twice\(int\).*not defined in this file: compile with -rdc=true"
    ):
        build(tmp_path, "shared_a.cu", "shared_b.cu")


@pytest.mark.parametrize("options", [(), ("-rdc=true",)])
def test_tile_functions_of_other_files_are_refused(tmp_path, options):
    """As by nvcc: "cannot call a function without a body in tile code"."""
    source = tmp_path / "tile.cu"
    source.write_text(
        '#include "cuda_tile.h"\n__tile__ int here(int), unused(int);\n__tile__ int elsewhere(int);\n'
        "__tile_global__ void k(int* p) { *p = CALLED(*p); }\n__tile__ int here(int x) { return x + 1; }\n"
    )
    command = [*options, "-c", str(source), "-o", str(tmp_path / "tile.o")]
    assert driver.main([*command, "-DCALLED=here"]) == 0
    with pytest.raises(pct.CompileError, match=r"elsewhere\(int\): declared as __tile__, but not defined"):
        pct.compile_program(source, tmp_path / "out", options=[*options, "-DCALLED=elsewhere"])


@pytest.fixture(scope="module")
def wrong(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("wrong"), "wrong.cu", checked=True)


@pytest.mark.parametrize(
    "kernel, kind, place",
    [
        (
            "unmasked<64>",
            "unmasked-partition: a store to a partition",
            "wrong.cu:8, kernel {}, block (1, 0, 0)",
        ),
        (
            "race",
            "data-race: store: write of 4 bytes at element 0 of an array that has 3",
            "wrong.cu:11, kernel {}",
        ),
        (
            "beyond",
            "memory-bounds: store: write of 4 bytes at element 3 of an array",
            "wrong.cu:15, kernel {}, block",
        ),
    ],
)
def test_reports_of_checked_programs(wrong, kernel, kind, place):
    done = run(wrong, kernel)
    assert done.returncode == 1
    assert done.stderr.startswith(kind)
    assert place.format(kernel) in done.stderr


def test_reports_of_freed_memory(wrong):
    done = run(wrong, "freed")
    assert done.returncode == 1
    assert re.search(r"^memory-bounds: store: .* in the 12 bytes at 0x\w+ that have been freed", done.stderr)


def test_faults_of_threads_have_a_line(wrong):
    done = run(wrong, "thread")
    assert done.returncode == 700 % 256  # cudaErrorIllegalAddress
    found = r"'by_thread', .*: wrote at address .*\n  at \S*wrong.cu:17\n    17 \| .*\n  which is \d+ bytes"
    assert re.search(found, done.stderr), done.stderr


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "statement, message",
    [
        ('asm volatile("bar.sync 0;");', ":3:.* inline PTX cannot run on the CPU"),
        ("other<<<1, 1>>>();", ":3: error: .* dynamic parallelism is not supported"),
        ("tex2D<float>(0, 1.f, 2.f);", ":3:.* textures and surfaces do not exist on the CPU"),
        ("cudaArray_t a; cudaMallocArray(&a, nullptr, 4, 4);", ":3:.* textures and surfaces do not exist"),
        ("cudaStreamGetCaptureInfo(0);", ":3:.* this function is not part of the run time for the CPU"),
        ("\n#include <mma.h>\n", "fragments of <mma.h> do not exist on the CPU"),
        ("cudaTextureObject_t texture = 0;", ":3:.* textures and surfaces do not exist on the CPU"),
        ("undeclared = 1;", r":3:3: error: .*undeclared.* 3 \| undeclared = 1; \| \^"),
    ],
)
def test_refused_in_kernels(tmp_path, statement, message):
    source = tmp_path / "refused.cu"
    source.write_text(
        f"__global__ void other() {{}}\n__global__ void k() {{\n  {statement}\n}}\n"
        "int main() { k<<<1, 1>>>(); }\n"
    )
    with pytest.raises(pct.CompileError) as error:
        pct.compile_program(source, tmp_path / "out")
    place = "" if "mma" in statement else "refused.cu"
    assert re.search(f"{place}{message}", " ".join(str(error.value).split()))
    assert not (tmp_path / "out").exists()
    if "undeclared" in statement:
        assert error.value.diagnostics[0].line == 3


def test_programs_before_cxx20_may_have_a_lerp(tmp_path):
    source = tmp_path / "lerp.cu"
    source.write_text(
        "#include <cmath>\n#include <math.h>\n"
        "inline __device__ __host__ float lerp(float a, float b, float t) { return a + t * (b - a); }\n"
        "__global__ void k(float* p) { *p = lerp(p[0], p[1], .5f); }\n"
    )
    assert driver.main(["-std=c++17", "-c", str(source), "-o", str(tmp_path / "lerp.o")]) == 0


def test_shared_variables_are_no_tile_code(tmp_path):
    source = tmp_path / "shared.cu"
    source.write_text(
        '#include "cuda_tile.h"\n__global__ void right() { __shared__ int x; x = 1; }\n'
        "__tile_global__ void wrong() {\n  __shared__ int x; }\nint main() { wrong<<<1, 1>>>(); }\n"
    )
    with pytest.raises(pct.CompileError, match=r"shared.cu:4: error: tile code has no __shared__ variables"):
        pct.compile_program(source, tmp_path / "out")


def test_errors_say_what_to_write(tmp_path, capsys):
    """As those of build() do. A column is left out where the compiler read another line, as of a macro."""
    source = tmp_path / "wrong.cu"
    source.write_text(
        '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n#define ONE 1.0f\n__tile_global__ void k() {\n'
        "  ct::full<ct::tile<float, ct::shape<6>>>(1.0f);\n  ONE + undeclared;\n}\n"
        "int main() { k<<<1>>>(); }\n"
    )
    assert driver.main([str(source), "-o", str(tmp_path / "x")]) == 1
    shown = capsys.readouterr().err
    assert "wrong.cu:5:" in shown and "hint: each length of a tile is a power of two" in shown
    assert "wrong.cu:6: error: " in shown and ".diagnostics" not in shown
    assert "    6 |   ONE + undeclared;\n" in shown


def test_options_that_print(capsys):
    assert (
        driver.main(["--version"]) == 0 and "Cuda compilation tools, release 13.5" in capsys.readouterr().out
    )
    assert driver.main(["--toolchain-file"]) == 0 and Path(capsys.readouterr().out.strip()).is_file()
    assert driver.main(["none.cu"]) == 1 and "none.cu: there is no such file" in capsys.readouterr().err
    assert driver.main(["-wrong"]) == 1 and "unknown option '-wrong'" in capsys.readouterr().err


def test_options_in_the_environment(tmp_path, monkeypatch, capsys):
    source = tmp_path / "x.cu"
    source.write_text("int main() {}")
    monkeypatch.setenv("NVCC_PREPEND_FLAGS", "-DFIRST --dryrun")
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-DLAST")
    assert driver.main([str(source)]) == 0
    step = capsys.readouterr().err.splitlines()[0]
    assert step.index("-DFIRST") < step.index("-DLAST")


def test_dry_run_prints_steps_and_writes_nothing(tmp_path, capsys):
    source = tmp_path / "x.cu"
    source.write_text("int main() {}")
    assert driver.main(["--dryrun", str(source), "-c", "-o", str(tmp_path / "x.o")]) == 0
    steps = [line for line in capsys.readouterr().err.splitlines() if line.startswith("#$ ")]
    assert len(steps) == 6 and any("-D__CUDA_ARCH__=900" in step for step in steps)
    assert os.listdir(tmp_path) == ["x.cu"]


def test_objects_dependencies_and_archives(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("k.cuh").write_text("__global__ void k(int* p) { *p = VALUE; }")
    Path("a.cu").write_text('#include "k.cuh"\nvoid go(int* p) { k<<<1, 1>>>(p); }')
    Path("m.cpp").write_text(
        "#include <cuda_runtime.h>\nvoid go(int*);\n"
        "int main() { int* p; cudaMallocManaged((void**)&p, 4); go(p); cudaDeviceSynchronize(); return *p; }"
    )
    assert driver.main(["-c", "a.cu", "-DVALUE=41", "-MD", "-MT", "target", "-MF", "deps.d"]) == 0
    assert Path("deps.d").read_text().startswith("target:") and "k.cuh" in Path("deps.d").read_text()
    assert driver.main(["-lib", "a.o", "-o", "liba.a"]) == 0
    assert driver.main(["m.cpp", "-L.", "-la", "-o", "m"]) == 0
    assert run(tmp_path / "m").returncode == 41


def test_from_the_command_line(tmp_path):
    source = tmp_path / "args.cu"
    source.write_text("#include <cstdio>\nint main(int n, char** w) { std::puts(w[1]); return n + 5; }")
    command = [sys.executable, "-m", "pycuda_tile", "run", source, "-O1", "--", "word"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.returncode) == ("word\n", 7)


@pytest.mark.parametrize(
    "arguments", [{"path": "none.cu"}, {"path": 3}, {"options": "-O2"}, {"options": [3]}]
)
def test_arguments_of_compile_program(tmp_path, arguments):
    (tmp_path / "x.cu").touch()
    with pytest.raises((pct.Error, TypeError)):
        pct.compile_program(**{"path": tmp_path / "x.cu", "output": tmp_path / "x", **arguments})


# ---- what takes long ---------------------------------------------------------------------------------------


@pytest.mark.wide
@pytest.mark.parametrize("program", [program.stem for program in PROGRAMS])
@pytest.mark.parametrize("checked", ["plain", "checked"])
def test_example(tmp_path, monkeypatch, program, checked):
    monkeypatch.setenv("PYCUDA_TILE_OPTIMIZE", "1")
    path = resources.examples_dir() / "programs" / f"{program}.cu"
    options = ["--enable-tile", "-std=c++20", "-arch=sm_90", "-O2"]
    built = pct.compile_program(path, tmp_path / program, checked=checked == "checked", options=options)
    done = run(built)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.wide
@pytest.mark.parametrize("sanitizer", ["address", "undefined", "thread"])
def test_sanitizers(tmp_path, sanitizer):
    done = run(build(tmp_path, "forms.cu", options=("-g", "-Xcompiler", f"-fsanitize={sanitizer}")))
    assert "0 failures" in done.stdout and "runtime error" not in done.stderr, done.stderr


@pytest.mark.wide
@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_cmake(tmp_path, generator):
    cmake = shutil.which("cmake")
    if not cmake or not shutil.which("ninja" if generator == "Ninja" else "make"):
        pytest.skip(f"CMake and {generator} are needed")
    source = resources.examples_dir() / "cuda_project"
    nvcc = Path(sys.executable).with_name("pycuda-tile-nvcc")
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={resources.cmake_toolchain()}"
    for command in (
        [cmake, "-S", source, "-B", tmp_path, "-G", generator, toolchain, f"-DCMAKE_CUDA_COMPILER={nvcc}"],
        [cmake, "--build", tmp_path],
        [shutil.which("ctest"), "--test-dir", tmp_path, "--output-on-failure"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, timeout=500)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "100% tests passed" in done.stdout


@pytest.mark.wide
@pytest.mark.parametrize("program", [program.stem for program in PROGRAMS])
def test_nvcc_compiles_the_examples(tmp_path, program):
    """NVIDIA's compiler takes what ours does: compiled and linked, as no GPU is there."""
    nvcc = nvidias_nvcc()
    if nvcc is None:
        pytest.skip("an nvcc with --enable-tile is not installed: pip install 'nvidia-cuda-nvcc>=13.3'")
    path = resources.examples_dir() / "programs" / f"{program}.cu"
    command = [*nvcc, "--enable-tile", "-std=c++20", "-arch=sm_90", path, "-o", tmp_path / program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stdout + done.stderr


def nvidias_nvcc() -> list[str | Path] | None:
    """The command of NVIDIA's nvcc 13.3 or newer, in its wheel or on PATH."""
    import importlib.util

    found: list[Path] = []
    package = importlib.util.find_spec("nvidia")
    for folder in (package.submodule_search_locations or []) if package else []:
        found += Path(folder).glob("*/bin/nvcc")
    if on_path := shutil.which("nvcc"):
        found.append(Path(on_path))
    for nvcc in found:
        helped = subprocess.run([nvcc, "--help"], capture_output=True, text=True).stdout
        if "--enable-tile" in helped:
            return [nvcc]
    return None
