"""nvcc's command line: how options are spelled, what they mean, and which are refused."""

from __future__ import annotations

import pytest

from pycuda_tile.errors import BuildValueError
from pycuda_tile.programs.options import Input, read


@pytest.mark.parametrize(
    "words",
    [
        ["-o", "out", "-I", "a", "-Ib", "-D", "X=1", "-DY", "-std=c++20", "-O2", "-lm", "-L", "d", "x.cu"],
        [
            *("--output-file=out", "--include-path=a,b", "--define-macro", "X=1", "-D=Y", "--std", "c++20"),
            *("--optimize=2", "-l=m", "--library-path=d", "x.cu"),
        ],
        [
            "-oout",
            "-I=a",
            "-I",
            "b",
            "-DX=1",
            "-DY",
            "-std",
            "c++20",
            "-O=2",
            "--library",
            "m",
            "-Ld",
            "x.cu",
        ],
    ],
)
def test_spellings(words):
    found = read(words)
    assert (found.output, found.include_dirs, found.defines) == ("out", ["a", "b"], ["X=1", "Y"])
    assert (found.standard, found.optimize, found.library_dirs) == ("c++20", "2", ["d"])
    assert "-lm" in found.linking and found.inputs == [Input("x.cu")]


def test_lists_for_the_host():
    found = read(
        ["-Xcompiler", "-Wall,-fPIC", '-Xcompiler="-a,b"', r"-Xcompiler=-Wl\,x", "-Xlinker=-s,-t", "x.cu"]
    )
    assert found.host_options == ["-Wall", "-fPIC", "-a,b", "-Wl,x"]
    assert found.linking == ["-Wl,-s", "-Wl,-t", "x.cu"]


def test_what_is_for_gpus_means_nothing():
    words = "--enable-tile -gencode arch=compute_80,code=sm_80"
    words += " --generate-code=arch=compute_90,code=[compute_90,sm_90]"
    words += (
        " -lineinfo --expt-relaxed-constexpr --extended-lambda -use_fast_math -Xptxas -v -maxrregcount=32"
    )
    words += " --threads 4 -cudart static -Werror all-warnings --diag-suppress=20012 -rdc=true --keep x.cu"
    found = read(words.split())
    assert found.inputs == [Input("x.cu")] and found.is_relocatable()
    assert read(["x.cu", "-lcudart", "-lcuda", "-lm"]).linking == ["x.cu", "-lm"]


@pytest.mark.parametrize("arch, value", [("sm_80", 800), ("compute_120", 1200), ("sm_90a", 900), ("", 900)])
def test_arch(arch, value):
    assert read([*([f"-arch={arch}"] if arch else []), "x.cu"]).compute_capability() == value


def test_language_and_files(tmp_path):
    more = tmp_path / "more.rsp"
    more.write_text('-DA -I "with blank"\n b.o')
    found = read(["-x", "cu", "a.txt", "--options-file", str(more), f"@{more}"])
    assert found.inputs[0] == Input("a.txt", "cu")
    assert found.defines == ["A", "A"] and found.include_dirs == ["with blank"] * 2


def test_a_linker_takes_what_the_hosts_compiler_takes():
    assert "-rdynamic" in read(["-rdynamic", "a.o", "-o", "a"]).linking


@pytest.mark.parametrize(
    "words, message",
    [
        (["-frobnicate", "x.cu"], "unknown option '-frobnicate'.*-Xcompiler"),
        (["x.cu", "-o"], "the option '-o' needs a value"),
        (["-ptx", "x.cu"], "pycuda-tile compile FILE --emit"),
        (["--options-file", "/none/x.rsp"], "'/none/x.rsp' cannot be read"),
    ],
)
def test_refused(words, message):
    with pytest.raises(BuildValueError, match=message):
        read(words)


def test_a_file_of_options_that_includes_itself(tmp_path):
    own = tmp_path / "own.rsp"
    own.write_text(f"@{own}")
    with pytest.raises(BuildValueError, match="includes itself"):
        read([f"@{own}"])
