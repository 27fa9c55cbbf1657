"""examples/cpp_project: a C++ project that uses the headers and the launcher without Python."""

import json
import os
import platform
import re
import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from pycuda_tile.compilers.toolchain import find_compiler

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "examples" / "cpp_project"


def tool(name: str) -> str:
    """A program from the tests' environment or the system; skips the test if there is none."""
    found = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    return found or pytest.skip(f"{name} is not installed")


def nvcc() -> str | None:
    """NVIDIA's compiler, from a wheel or else from a toolkit."""
    try:
        import nvidia
    except ImportError:
        return shutil.which("nvcc")
    wheels = (
        Path(folder, sub) for folder in nvidia.__path__ for sub in ("cu13/bin/nvcc", "cuda_nvcc/bin/nvcc")
    )
    return next((str(path) for path in wheels if path.exists()), None) or shutil.which("nvcc")


def run(*command, **environment) -> str:
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The build folder of the project, which uses the checkout through FetchContent."""
    folder = tmp_path_factory.mktemp("cpp_project")
    compiler = find_compiler()
    environment = {"CXX": " ".join(compiler.command), "CUDACXX": nvcc() or "/there/is/no/nvcc"}
    options = ["-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    options += [f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", "-DCMAKE_DISABLE_FIND_PACKAGE_cuda_tile=ON"]
    run(tool("cmake"), "-S", PROJECT, "-B", folder, "-G", "Ninja", *options, **environment)
    run(tool("cmake"), "--build", folder, "--target", "axpy_cpu")
    return folder


def command_of(built: Path, file: str) -> list[str]:
    entries = json.loads((built / "compile_commands.json").read_text())
    (entry,) = (entry for entry in entries if entry["file"] == str(PROJECT / file))
    return shlex.split(entry["command"])


@pytest.mark.wide
def test_runs_on_the_host(built):
    """The program checks its own result, which is wrong if a * x + y is rounded once."""
    assert run(built / "axpy_cpu") == "1000 elements are right\n"


# Scalar code in a kernel, which compilers contract if they may: then 2^-24 is left, otherwise 0.
CONTRACTION = """
#include "cuda_tile.h"
__tile_global__ void k(float a, float b, float c, float* out) { out[0] = a * b + c; }
"""


def compile_and_run(command: list[str], source: Path, flags: list[str] | None = None) -> str:
    """Compiles and links `source` like the project's main.cpp, and returns what the program prints."""
    program = source.with_suffix("")
    library = next(Path(command[-1]).rglob("libcuda_tile_launcher.so"))
    words = [*command[: command.index("-o")], *(flags or [])]
    words = [word for word in words if word != "-DNDEBUG"]
    run(*words, "-o", program, source, library, f"-Wl,-rpath,{library.parent}")
    return run(program)


BUILD_TYPE = re.compile(r"^if\(NOT CMAKE_BUILD_TYPE\).*?^endif\(\)\n", re.DOTALL | re.M)
MARCH = re.compile(r"^target_compile_options.*\n", re.M)
WITHOUT = {"without optimisation, some 200 times slower", "for any processor of this kind"}


def test_the_snippet_of_the_docs_is_fast_and_others_are_warned_of(tmp_path: Path):
    """find_package would find the checkout here; one build folder is configured repeatedly."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    (snippet,) = re.findall(r"^```cmake\n(.*?)^```", page, re.DOTALL | re.M)
    (tmp_path / "main.cpp").write_text("int main() {}\n")
    find = f"add_subdirectory({ROOT} cuda_tile)\nset(cuda_tile_FOUND TRUE)\n"
    (tmp_path / "Findcuda_tile.cmake").write_text(find)

    def warnings(text: str, *options: str) -> set[str]:
        (tmp_path / "CMakeLists.txt").write_text(text)
        cmake = [tool("cmake"), "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_MODULE_PATH={tmp_path}"]
        tools = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}"]
        command = [*cmake, *tools, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options]
        environment = {**os.environ, "CXX": " ".join(find_compiler().command)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        said = " ".join(done.stderr.split())
        assert ("CUDA_TILE_NO_WARNINGS" in said) == any(word in said for word in WITHOUT)
        return {word for word in WITHOUT if word in said}

    optimisation, processor = sorted(WITHOUT, reverse=True)
    assert warnings(snippet) == set()
    commands = json.loads((tmp_path / "build" / "compile_commands.json").read_text())
    (command,) = (entry["command"] for entry in commands if entry["file"].endswith("main.cpp"))
    assert {"-O3", "-march=native", "-ffp-contract=off"} <= set(command.split())
    bare = MARCH.sub("", BUILD_TYPE.sub("", snippet))
    assert warnings(bare) == WITHOUT
    assert warnings(bare, "-DCUDA_TILE_NO_WARNINGS=ON") == set()
    assert warnings(MARCH.sub("", snippet), "-DCUDA_TILE_NO_WARNINGS=OFF") == {processor}
    assert warnings(bare + "add_compile_options(-mavx2)\n") == {optimisation}
    assert warnings(bare, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=-march=native") == set()


@pytest.mark.wide
def test_no_contraction_on_the_host(built, tmp_path: Path):
    if "fma" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has no fused multiply-add")
    source = tmp_path / "main.cpp"
    source.write_text(
        CONTRACTION
        + """
        #include "cuda_tile/launch.h"
        #include <cstdio>
        int main(int count, char**) {
          float out, a = count + 0x1p-12f;
          cuda_tile::launch(k, 1, a, a, -1 - 0x1p-11f, &out);
          std::printf("%g", out);
        }"""
    )
    command = [*command_of(built, "main.cpp"), str(built)]
    assert compile_and_run(command, source) == "0"
    assert compile_and_run(command, source, ["-ffp-contract=fast"]) == "5.96046e-08"


@pytest.mark.wide
def test_no_contraction_by_nvcc(built, tmp_path: Path):
    if nvcc() is None:
        pytest.skip("nvcc is not installed")
    if "axpy_gpu_objects" not in (built / "build.ninja").read_text():
        pytest.skip("CMake found that nvcc does not work here, for instance with this C++ compiler")
    run(tool("cmake"), "--build", built, "--target", "axpy_gpu_objects")
    command = command_of(built, "main.cu")
    assert not any(word.startswith("--enable-tile") for word in command)
    (tmp_path / "k.cu").write_text(CONTRACTION)
    ptx = [*command[: command.index("-c")], str(tmp_path / "k.cu"), "-ptx", "-arch=sm_80", "-o", "-"]
    ptx = [word for word in ptx if not word.startswith("--generate-code")]
    assert "fma.rn.f32" not in run(*ptx)
    assert "fma.rn.f32" in run(*[word.replace("--fmad=false", "--fmad=true") for word in ptx])


@pytest.mark.wide
def test_launch_from_cpp(built, tmp_path: Path):
    """Conversions of arguments, grids of three dimensions, errors, templates."""
    (tmp_path / "main.cpp").write_text("""
        #include <cuda_fp16.h>
        #include "cuda_tile/launch.h"
        #include <cassert>
        template <typename T> __tile_global__ void where(T* out, short value) {
          auto b = cuda::tiles::bid();
          auto g = cuda::tiles::num_blocks();
          out[b.x + g.x * (b.y + g.y * b.z)] = T(b.x + 10 * b.y + 100 * b.z) + value;
        }
        __tile_global__ void nothing() {}
        __tile_global__ void halves(__half* out, float value) { out[0] = __half(value); }
        __tile_global__ void referred(int const& factor, double const& number, float& out) {
          out = float(factor * number);
        }
        int main() {
          double out[24];
          cuda_tile::launch(where<double>, {2, 3, 4}, out, 1000L);
          assert(out[0] == 1000 && out[23] == 1321 && out[6] == 1100);
          cuda_tile::launch(nothing, 1);
          __half half;
          cuda_tile::launch(halves, 1, &half, 0.1);
          assert(float(half) == 0.0999755859375f);
          cuda_tile::launch(nothing, 0);
          float* none = nullptr;
          cuda_tile::launch(where<float>, 0, none, 1);
          float changed = 0;
          cuda_tile::launch(referred, 1, 3, 2, changed);
          assert(changed == 6);
        }
    """)
    assert compile_and_run([*command_of(built, "main.cpp"), str(built)], tmp_path / "main.cpp") == ""


@pytest.mark.parametrize(
    ("thrown", "what"),
    [
        ('std::runtime_error("too much")', "too much"),
        ('std::runtime_error("")', "one without text"),
        ("7", "not a std::exception"),
    ],
)
def test_a_kernel_that_throws_is_a_launch_error(built, tmp_path: Path, thrown: str, what: str):
    (tmp_path / "main.cpp").write_text(
        """
        #include "cuda_tile/launch.h"
        #include <cstdio>
        __tile_global__ void k(int* out) {
          if (cuda::tiles::bid().x == 2) throw THROWN;
          out[cuda::tiles::bid().x] = 1;
        }
        int main() {
          int out[4] = {};
          try {
            cuda_tile::launch(k, 4, out);
          } catch (cuda_tile::launch_error const& error) {
            std::printf("%d %s", out[2], error.what());
          }
        }""".replace("THROWN", thrown)
    )
    printed = compile_and_run([*command_of(built, "main.cpp"), str(built)], tmp_path / "main.cpp")
    assert printed == f"0 block (2, 0, 0): an exception left the kernel: {what}"


def test_a_kernel_that_throws_after_many_short_blocks(built, tmp_path: Path):
    (tmp_path / "main.cpp").write_text("""
        #include "cuda_tile/launch.h"
        #include <cstdio>
        __tile_global__ void k(int* ran) {
          auto b = cuda::tiles::bid();
          if (b.x == 70 && b.y == 30) throw 1;
          ran[b.x + 100 * b.y] = 1;
        }
        int main() {
          static int ran[5000];
          cuda_tile_set_num_workers(1);
          try {
            cuda_tile::launch(k, {100, 50}, ran);
          } catch (cuda_tile::launch_error const& error) {
            int count = 0;
            while (ran[count]) ++count;
            std::printf("%d %d %s", count, ran[count + 1], error.what());
          }
        }""")
    printed = compile_and_run([*command_of(built, "main.cpp"), str(built)], tmp_path / "main.cpp")
    assert printed == "3070 0 block (70, 30, 0): an exception left the kernel: not a std::exception"


WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
# Plain processors, with AVX-512, and with AMX; another test has already compiled for "native".
X86 = platform.machine() in ("x86_64", "AMD64")
PROCESSORS = ["x86-64", "x86-64-v3", "x86-64-v4", "sapphirerapids"] if X86 else []


@pytest.mark.wide
def test_headers_have_no_warnings(built, tmp_path: Path):
    """With FetchContent they are not system headers, so users see their warnings.

    The headers' code depends on the processor; for processors other than this one it is only compiled.
    """
    source = tmp_path / "main.cpp"
    source.write_text("""
        #include <cuda_bf16.h>
        #include <cuda_fp16.h>
        #include "cuda_tile/launch.h"
        namespace ct = cuda::tiles;
        using namespace ct::literals;
        __tile_global__ void k(float* x, __half* h, int* q, unsigned n) {
          auto i = ct::iota<ct::tile<unsigned, ct::shape<16>>>();
          ct::partition_view view{ct::tensor_span{x, ct::extents{n, 4_ic}}, ct::shape<4, 4>{}};
          auto f = ct::reshape(view.load_masked(0, 0), ct::shape<16>{});
          f = ct::exp(f) + ct::pow(f, f) + ct::sin(f) * ct::cosh(f) - ct::tanh(f) + ct::atan2(f, f);
          f = ct::log(f);
          ct::store_masked(h + i, ct::element_cast<__half>(f), i < n);
          ct::atomic_add<ct::memory_order::relaxed>(q + i % 4u, ct::element_bitcast<int>(i));
          ct::atomic_max_masked<ct::memory_order::relaxed>(q + i, ct::element_cast<int>(f), f > 0);
          auto m = ct::reshape(f, ct::shape<4, 4>{});
          auto p = ct::cat(ct::partial_sum(ct::matmul(m, ct::transpose(m)), 0_ic), m, 0_ic);
          view.store_masked(ct::extract(p, ct::shape<4, 4>{}, 1, 0) + ct::reduce_max<1>(m), 0, 0);
        }
        template <typename E, typename C>
        __tile__ auto square(ct::tile<E, ct::shape<64, 64>> x) {
          return ct::mma(x, x, ct::zeros<ct::tile<C, ct::shape<64, 64>>>());
        }
        template __tile__ auto square<float, float>(ct::tile<float, ct::shape<64, 64>>);
        template __tile__ auto square<__nv_bfloat16, float>(ct::tile<__nv_bfloat16, ct::shape<64, 64>>);
        template __tile__ auto square<signed char, int>(ct::tile<signed char, ct::shape<64, 64>>);
        int main() {}
    """)
    command = command_of(built, "main.cpp")
    assert compile_and_run([*command, str(built)], source, WARNINGS) == ""
    for arch in PROCESSORS:
        run(*command[: command.index("-o")], *WARNINGS, f"-march={arch}", "-fsyntax-only", source)
