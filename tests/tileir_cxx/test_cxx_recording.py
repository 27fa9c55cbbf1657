"""from_cpp() as a compiler: where sources and headers are, options, the cache, many at once, interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from open_front_end import module

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.compilers import toolchain
from pycuda_tile.errors import KernelNotFound, NotAvailableYet

SOURCE = """#include "cuda_tile.h"
#if __has_include("value.h")
#include "value.h"
#endif
#ifndef VALUE
#define VALUE 1
#endif
__tile_global__ void k(int* y) { y[0] = VALUE; }
"""
NOT_YET = "#include <cmath>\n__tile_global__ void r(float* y) {\n y[0] = tgammaf(y[0]); }\n"


@pytest.fixture(autouse=True)
def clang() -> None:
    try:
        toolchain.find_clang()
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))  # it says what to install


def value(source: str | Path, **arguments) -> int:
    y = np.zeros(1, np.int32)
    tileir.interpret(tileir.from_cpp(source, **arguments), "k", 1, y)
    return int(y[0])


def test_sources_and_headers_are_anywhere(tmp_path: Path):
    folder = tmp_path / "a b#c$d é'\\e"
    folder.mkdir()
    source = folder / "k ä\\n.cu"
    source.write_text(SOURCE)
    (folder / "value.h").write_text("#pragma once\n#include <vector>\n#define VALUE 2\nstd::vector<int> v;\n")
    assert value(source) == 2
    assert value(SOURCE, include_dirs=[folder]) == 2
    assert tileir.from_cpp(source).entries[0].location.file == str(source)
    source.write_text(SOURCE + NOT_YET)
    with pytest.raises(NotAvailableYet) as caught:
        tileir.from_cpp(source, kernels=["r"])
    assert str(caught.value).startswith(f"{source}:11: r: ")
    source.write_text(SOURCE + "__tile_global__ void wrong(int* y) { y[0] = nothing; }\n")
    with pytest.raises(pct.CompileError) as caught:
        tileir.from_cpp(source)
    assert [(d.file, d.line) for d in caught.value.diagnostics] == [(str(source), 9)]


@pytest.mark.parametrize(
    ("defines", "expected"),
    [
        ({"VALUE": 3}, 3),
        ({"VALUE": True}, 1),
        (["VALUE=4"], 4),
        ("VALUE=5", 5),
        ({"VALUE": "(1 + 2) * 3"}, 9),
    ],
)
def test_macros(defines, expected: int):
    assert value(SOURCE, defines=defines) == expected


def test_options(tmp_path: Path):
    """Those on which the translation depends stay as they are."""
    (tmp_path / "value.h").write_text("#define VALUE 8\n")
    options = ["-I", str(tmp_path), "-O0", "--target=x86_64", "-std=c++23", "-g", "-Werror"]
    assert value(SOURCE, options=options) == 8
    of_hosts = ["-march=native", "-mavx2", "-fopenmp", "-fsanitize=address", "-fprofile-generate"]
    assert value(SOURCE, options=[*options, *of_hosts]) == 8
    with pytest.raises(pct.CompileError, match="unknown argument: '--nosuch'"):
        value(SOURCE, options=["--nosuch"])
    for nothing in ("-fsyntax-only", "-E", "-emit-ast"):
        with pytest.raises(pct.CompileError, match=f"no LLVM IR.* \\(options: {nothing}\\)"):
            value(SOURCE, options=[nothing])


KERNELS = """#include "cuda_tile.h"
#define KERNEL(name) __tile_global__ void name(int*) {}
KERNEL(made)
namespace ns { template <typename T = int> __tile_global__ void filled(T*) {} }
template <typename T> requires(sizeof(T) == 4) __tile_global__ void four(T*) {}
__tile_global__ void over(int*) {}
__tile_global__ void over(float*) {}
"""


def test_names_with_umlauts():
    source = """struct Maß { int länge; };
    __device__ int zähler = 3;
    __tile_global__ void größe(Maß* a, int* y) { y[0] = a->länge + zähler; zähler += 1; y[1] = zähler; }"""
    made = module(source)
    assert [entry.name for entry in made.entries] == ["_Z7größeP4MaßPi"]
    y = np.zeros(2, np.int32)
    tileir.interpret(made, "größe", 1, np.array([5], np.int32).view(np.int8), y)
    assert list(y) == [8, 4]
    later = "int f(); __device__ int zähler = f();\n__tile_global__ void k(int* y) { y[0] = zähler; }"
    with pytest.raises(pct.CompileError, match="zähler is initialized when the program starts"):
        module(later)


def test_names_of_kernels():
    names = ("made", "ns::filled", "::four<float>", "over(float *)")
    made = tileir.from_cpp(KERNELS, kernels=names)
    symbols = [entry.name for entry in made.entries]
    assert [s[:8] for s in symbols] == ["_Z4madeP", "_ZN2ns6f", "_Z4fourI", "_Z4overP"]
    wrong = {
        "four": "is a template",
        "over": "is overloaded",
        "made<int>": "not a template",
        "k;": "is not the name",
    }
    for name, words in {**wrong, "nosuch": "its kernels are: ", "std::made": "no kernel 'std::made'"}.items():
        with pytest.raises(KernelNotFound, match=words):
            tileir.from_cpp(KERNELS, kernels=["made", name])
    with pytest.raises(pct.CompileError, match=r"in the kernel name: four<double>"):
        tileir.from_cpp(KERNELS, kernels=["four<double>"])


def test_a_bracket_that_is_never_closed():
    with pytest.raises(pct.CompileError) as caught:
        tileir.from_cpp(SOURCE + "{")
    assert {d.file for d in caught.value.diagnostics} == {"<source>"}


def count_calls(monkeypatch) -> list:
    calls = []
    run = toolchain.Compiler.run

    def counted(*arguments, **named):
        calls.append(arguments)
        return run(*arguments, **named)

    monkeypatch.setattr(toolchain.Compiler, "run", counted)
    return calls


def test_clang_runs_once(monkeypatch, cache_folder: Path, tmp_path: Path):
    """Unless something changes, or what is kept is damaged."""
    toolchain.find_clang()
    source, header = tmp_path / "k.cu", tmp_path / "value.h"
    source.write_text(SOURCE)
    header.write_text("#define VALUE 2\n")
    calls = count_calls(monkeypatch)
    first = str(tileir.from_cpp(source))
    assert str(tileir.from_cpp(source)) == first and len(calls) == 1
    header.write_text("#define VALUE 3\n")
    os.utime(header, (1, 1))
    assert value(source) == 3 and len(calls) == 2
    assert value(source, defines={"OTHER": 1}) == 3 and len(calls) == 3
    for kept in (cache_folder / "entries").rglob("kernels.ll"):
        kept.write_text("junk")
    assert value(source) == 3 and len(calls) == 4
    assert not list((cache_folder / "tmp").iterdir())


def test_a_header_that_appears_is_seen(cache_folder: Path, tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    source = tmp_path / "k.cu"
    optional = "#if __has_include(<other.h>)\n#include <other.h>\n#endif\n"
    source.write_text("#include <value.h>\n" + optional + SOURCE.partition("#endif\n")[2])
    (second / "value.h").write_text("#define VALUE 2\n")
    assert value(source, include_dirs=[first, second]) == 2
    (first / "value.h").write_text("#define VALUE 3\n")
    assert value(source, include_dirs=[first, second]) == 3
    (second / "other.h").write_text("#undef VALUE\n#define VALUE 4\n")
    assert value(source, include_dirs=[first, second]) == 4
    (first / "value.h").unlink()
    (second / "other.h").unlink()
    assert value(source, include_dirs=[first, second]) == 2


def test_many_threads_at_once(monkeypatch, cache_folder: Path):
    calls = count_calls(monkeypatch)
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda i: value(SOURCE, defines={"VALUE": i % 2}), range(6)))
    assert found == [0, 1] * 3 and len(calls) == 2


SLOW = """#include "cuda_tile.h"
constexpr long slow() { long sum = 0; for (long i = 0; i < 1000000000; ++i) sum += i; return sum; }
__tile_global__ void k(long* y) { constexpr long sum = slow(); y[0] = sum; }
"""
INTERRUPTED = f"""
import signal
from pycuda_tile import tileir
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it in the background
try:
    tileir.from_cpp({SLOW!r}, options=["-fconstexpr-steps=4000000000"])
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_ends_clang(cache_folder: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    while not any(clangs(cache_folder)):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    try:
        assert process.communicate(timeout=120)[0] == "interrupted\n"
    finally:
        process.kill()
    assert not list((cache_folder / "tmp").iterdir())
    for place in clangs(cache_folder):  # killed, if not gone yet
        assert not (place / "cmdline").read_bytes()


def clangs(cache_folder: Path) -> list[Path]:
    """The processes that compile into this cache."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"{cache_folder}/tmp/".encode() in (place / "cmdline").read_bytes():
                found.append(place)
        except OSError:
            pass  # it has just ended
    return found
