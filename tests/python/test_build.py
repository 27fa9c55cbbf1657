"""build(): its arguments, and the modules and kernels that it returns."""

import copy
import os
import pickle
import re
import signal
import threading
from pathlib import Path

import numpy as np
import pytest
from template_source import HEAD, TEMPLATE, run

import pycuda_tile as pct
from pycuda_tile.compilers import demangle, nvrtc
from pycuda_tile.compilers.demangle import demangled
from pycuda_tile.errors import BuildValueError
from pycuda_tile.system import install
from pycuda_tile.targets.target import Target

SET = (
    HEAD + "#ifndef VALUE\n#define VALUE 7\n#endif\n__tile_global__ void set(int* out) { out[0] = VALUE; }\n"
)


def test_text_and_path_give_the_same(host_target, tmp_path: Path):
    path = tmp_path / "set.cu"
    path.write_text(SET)
    for source in (SET, path):
        module = host_target.build(source)
        assert run(module.kernel("set"))[0] == run(module["set"])[0] == 7
    assert module.kernels[0].file == str(path) and module.kernels[0].line == 6


def test_module(any_target):
    module = any_target.build(TEMPLATE)
    assert module.target == any_target.name
    assert module.arch == ("native" if any_target.name in ("cpu", "emulated") else "sm_80")
    assert [kernel.name for kernel in module.kernels] == ["ns::fill", "plain"]
    assert [(param.name, param.type) for param in module.kernels[0].params] == [("out", "T*"), ("value", "T")]
    assert [(p.kind, p.name, p.default) for p in module.kernels[0].template_params] == [
        ("type", "T", None),
        ("value", "N", "4"),
    ]
    assert (
        isinstance(module.log, str) and isinstance(module.binary, bytes) and module.binary[:4] == b"\x7fELF"
    )


def test_names_in_a_module(any_target):
    """Names that are known without a compiler; arguments of templates are not tried."""
    module = any_target.build(TEMPLATE)
    inside = ["plain", " plain ", "::plain", "ns::fill", "ns :: fill< float, 4>", "ns::fill<nosuch>"]
    assert all(name in module for name in inside)
    outside = [
        "",
        "plai",
        "fill",
        "ns::",
        "\n",
        "ns::fill2<float>",
        3,
        None,
        b"plain",
        module.kernel("plain"),
    ]
    assert not any(name in module for name in outside)
    assert list(module) == ["ns::fill", "plain"]


def test_kernel_outputs(any_target):
    kernel = any_target.build(TEMPLATE).kernel("plain")
    assert kernel.binary[:4] == b"\x7fELF"
    if any_target.name == "simt":
        assert ".entry plain" in kernel.ptx and kernel.attributes["registers"] > 0
    else:
        assert kernel.ptx is None
    assert (kernel.tileir or b"")[1:7] == (b"TileIR" if any_target.name == "tile" else b"")


@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90"])
def test_gpu_architectures(make_target, arch: str):
    module = make_target("simt", arch=arch).build(SET)
    assert module.arch == arch and f".target {arch}" in module.kernel("set").ptx


def test_defines_options_and_include_dirs(host_target, tmp_path: Path):
    assert run(host_target.build(SET, defines={"VALUE": 9})["set"])[0] == 9
    assert run(host_target.build(SET, defines=["VALUE=10"])["set"])[0] == 10
    assert run(host_target.build(SET, options=["-DVALUE=11"])["set"])[0] == 11
    (tmp_path / "value.h").write_text("#define VALUE 12\n")
    assert run(host_target.build("#include <value.h>\n" + SET, include_dirs=[tmp_path])["set"])[0] == 12


@pytest.mark.parametrize(
    ("arguments", "builtin", "words"),
    [
        ({"target": "gpu"}, ValueError, "cpu, simt, tile, emulated"),
        ({"target": None}, ValueError, "unknown target"),
        ({"source": Path("nosuch.cu")}, FileNotFoundError, "nosuch.cu"),
        ({"source": "kernel.cu"}, FileNotFoundError, "pathlib.Path"),
        ({"source": Path("a\0b.cu")}, ValueError, "null"),
        ({"source": 3}, TypeError, "text"),
        ({"source": b"x"}, TypeError, "text"),
        ({"source": "a\0b"}, ValueError, "null"),
        ({"num_threads": 3, "target": "emulated"}, ValueError, "power of two"),
        ({"num_threads": 16, "target": "simt"}, ValueError, "from 32 to 1024"),
        ({"num_threads": 2048, "target": "emulated"}, ValueError, "1024"),
        ({"num_threads": 4}, ValueError, "cpu does not support num_threads: build for"),
        ({"num_threads": "4", "target": "emulated"}, TypeError, "integer"),
        ({"arch": "90", "target": "simt"}, ValueError, "sm_90"),
        ({"options": ["-arch=sm_75"], "target": "simt"}, ValueError, "options: .*pass arch='sm_75'"),
        ({"options": ["-w", "-arch", "sm_75"], "target": "tile"}, ValueError, "'-arch'.*pass arch='sm_75'"),
        ({"options": ["--gpu-architecture=sm_75"], "target": "simt"}, ValueError, "pass arch='sm_75'"),
        ({"options": ["-arch"], "target": "simt"}, ValueError, "pass arch='sm_80'"),
        ({"arch": "-march=x; rm"}, ValueError, "architecture"),
        ({"defines": {"a b": 1}}, ValueError, "macro"),
        ({"defines": [1]}, TypeError, "str"),
        ({"defines": 1}, TypeError, "sequence of str, got int"),
        ({"defines": {"VALUE": "1\0"}}, ValueError, "defines.* null"),
        ({"kernels": [1]}, TypeError, "str"),
        ({"kernels": 1}, TypeError, "sequence of str, got int"),
        ({"options": "-O1 -g"}, TypeError, re.escape("pass options=['-O1', '-g']")),
        ({"options": None}, TypeError, "options must be a sequence of str, got NoneType"),
        ({"options": ["-DA=\0"]}, ValueError, "options.* null"),
        ({"options": ["-DA=\ud800"]}, ValueError, "options.* Unicode"),
        ({"include_dirs": "nosuch"}, ValueError, "include_dirs: 'nosuch' does not exist"),
        ({"include_dirs": [Path(__file__)]}, ValueError, r"test_build.py' is not a folder"),
        ({"include_dirs": 1}, TypeError, "sequence of paths, got int"),
        ({"include_dirs": [b"."]}, TypeError, "paths, got bytes"),
        ({"include_dirs": ["a\0"]}, ValueError, "include_dirs.* null"),
        ({"checked": True, "target": "tile"}, ValueError, "cpu, simt or emulated"),
        ({"checked": True, "ignore": "races"}, ValueError, "data-race"),
        ({"ignore": "data-race"}, ValueError, "checked=True"),
        ({"api": "13.2"}, ValueError, "api must be one of 13.3, 13.4, 13.5, got '13.2'"),
        ({"api": "13.3", "defines": {"CUDA_TILE_API_VERSION": 1304}}, ValueError, "set by the argument api"),
        ({"checked": 2}, ValueError, 'checked must be True, False or "strict", got 2'),
        ({"cache": "no"}, TypeError, "cache must be True or False, got 'no'"),
        ({"checked": "yes"}, ValueError, "checked must be True, False or \"strict\", got 'yes'"),
    ],
)
def test_bad_arguments(cache_folder: Path, arguments: dict, builtin: type, words: str):
    arguments = {"source": SET, "target": "cpu", **arguments}
    with pytest.raises(pct.Error, match=words) as caught:
        pct.build(arguments.pop("source"), **arguments)
    assert isinstance(caught.value, builtin)
    assert not cache_folder.exists() or list(cache_folder.rglob("*.so")) == []


def test_versions_of_the_api(host_target):
    for api, expected in ((None, 1305), ("13.3", 1303), ("13.4", 1304)):
        out = np.zeros(1, np.int32)
        host_target.build(SET, api=api, defines={"VALUE": "CUDA_TILE_API_VERSION"})["set"][1](out)
        assert out[0] == expected
    with pytest.raises(pct.CompileError, match="must be 1303, 1304 or 1305"):
        host_target.build(SET, defines={"CUDA_TILE_API_VERSION": 1302})


OF_VERSIONS = """#include "cuda_tile.h"
#if CUDA_TILE_API_VERSION >= 1304
__tile_global__ void newer(int*) {}
#else
__tile_global__ void manual(int*) {}
#endif
"""


@pytest.mark.parametrize("arguments, source, name", [
    ({}, OF_VERSIONS, "newer"),
    ({"api": "13.3"}, OF_VERSIONS, "manual"),
    ({}, f"#define CUDA_TILE_API_VERSION 1303\n{OF_VERSIONS}", "manual"),
])  # fmt: skip
def test_kernels_that_a_version_has(host_target, arguments: dict, source: str, name: str):
    assert list(host_target.build(source, **arguments)) == [name]


def test_kernels_that_the_default_version_has(any_target):
    assert list(any_target.build(OF_VERSIONS)) == ["newer"]


def test_nvidias_compiler_has_the_api_of_its_own_version(make_target):
    try:
        own = ".".join(map(str, nvrtc.version("")))
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    make_target("tile").build(SET, api=own)
    with pytest.raises(BuildValueError, match=r'api=.*leave api out, or pass front_end="open"'):
        make_target("tile").build(SET, api="13.3" if own != "13.3" else "13.4")


def test_numbers_of_numpy(make_target):
    source = HEAD + "__tile_global__ void k(int* x) { x[0] = CUDA_TILE_BLOCK_THREADS; }\n"
    assert run(make_target("emulated", num_threads=np.int64(8)).build(source)["k"])[0] == 8


def test_architecture_that_the_compiler_does_not_know(make_target):
    with pytest.raises(pct.Error, match="sm_90"):
        make_target("simt").build(SET, arch="sm_20")
    with pytest.raises(pct.CompileError, match="nosuch"):
        pct.build(SET, target="cpu", arch="nosuch")


@pytest.mark.parametrize("arch", ["sm_12", "sm_90a"])  # NVRTC accepts the second one, tileiras does not
def test_architecture_that_the_tile_compiler_does_not_know(make_target, arch: str):
    with pytest.raises(ValueError, match=rf"{arch}.* sm_90, sm_100"):
        make_target("tile").build(SET, arch=arch, kernels=["set"])["set"].binary  # noqa: B018


@pytest.mark.parametrize("option", ["-c", "-E", "-fsyntax-only"])
@pytest.mark.parametrize("cache", [False, True])
def test_options_with_which_nothing_can_be_run(option: str, cache: bool):
    with pytest.raises(pct.CompileError, match=rf"librar.*{option}|loaded.*{option}"):
        pct.build(SET, target="cpu", options=[option], cache=cache)


def test_older_cxx(any_target):
    with pytest.raises(pct.CompileError, match=r"C\+\+20|c\+\+20"):
        any_target.build(SET, options=["-std=c++17"])


def test_option_without_machine_code(make_target):
    with pytest.raises(pct.CompileError, match=r"no cubin.*-dlto"):
        make_target("simt").build(SET, options=["-dlto"])


def test_function_that_is_not_defined(any_target):
    source = HEAD + "__tile_global__ void k(int* x) { int missing(int); x[0] = missing(1); }\n"
    with pytest.raises(pct.Error, match="missing"):
        assert any_target.build(source).binary  # `tile` compiles to the end for this


def test_undefined_functions_are_named_in_cxx(make_target, any_target):
    """Linkers show them mangled."""
    if any_target.name == "tile":
        pytest.skip("NVIDIA's compiler says it in its own words")
    source = HEAD + "namespace ns { template <typename T> __tile__ int missing(T*, T); }\n"
    source += "__tile_global__ void k(int* x) { x[0] = ns::missing(x, 1); }\n"
    with pytest.raises(pct.CompileError, match=r"int ns::missing<int>\(int\*, int\)") as caught:
        any_target.build(source)
    assert "_Z" not in str(caught.value)


def test_names_that_are_not_mangled_are_shown_as_they_are(monkeypatch):
    text = "unresolved '_Z', _Zap, x_Z1fv, 3_Z1fv"
    assert demangled(text) == text
    assert demangled("_Z1fv and _Z1fv.cold") == "f() and f() [clone .cold]"
    monkeypatch.setattr(demangle, "_LIBRARY", "libnosuch.so")
    assert demangled("_Z1fv") == "_Z1fv"


def test_byte_order_mark(any_target, tmp_path: Path):
    """Some editors write one, but NVRTC does not accept it."""
    (tmp_path / "k.cu").write_bytes(b"\xef\xbb\xbf" + SET.replace("\n", "\r\n").encode())
    for source in (tmp_path / "k.cu", "\ufeff" + SET):
        module = any_target.build(source)
        assert (module.kernels[0].name, module.kernels[0].line) == ("set", 6)


def test_file_that_is_no_text(tmp_path: Path):
    (tmp_path / "k.cu").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(pct.Error, match="UTF-8"):
        pct.build(tmp_path / "k.cu", target="cpu")
    (tmp_path / "k.cu").write_bytes(b"int x;\0\n")
    with pytest.raises(pct.Error, match=r"k\.cu' contains a null character"):
        pct.build(tmp_path / "k.cu", target="cpu")
    with pytest.raises(pct.Error, match="cannot be read"):
        pct.build(tmp_path, target="cpu")


def test_auto_is_a_target_that_runs_here():
    assert run(pct.build(SET).kernel("set"))[0] == 7 or pct.build(SET).target == "simt"


def test_nvrtc_build_is_simt():
    try:
        assert pct.nvrtc_build(SET, arch="sm_90").target == "simt"
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    with pytest.raises(TypeError):
        pct.nvrtc_build(SET, target="cpu")


def test_source_without_kernels(any_target):
    module = any_target.build("int unused;\n" if any_target.name == "cpu" else "")
    assert module.kernels == []
    with pytest.raises(pct.Error, match="none"):
        module["k"]


@pytest.mark.parametrize("act", [pickle.dumps, copy.copy, copy.deepcopy])
def test_loaded_code_is_not_pickled(host_target, act):
    module = host_target.build(SET)
    for what in (module, module["set"]):
        with pytest.raises(pct.Error, match="build the source in each process") as caught:
            act(what)
        assert isinstance(caught.value, TypeError)


def test_text_that_is_no_unicode():
    with pytest.raises(pct.Error, match="Unicode"):
        pct.build("// \udcff", target="cpu")


@pytest.mark.parametrize("name", ['a"b.cu', "a\nb.cu"])
def test_path_that_no_include_takes(host_target, tmp_path: Path, name: str):
    (tmp_path / name).write_text(SET)
    with pytest.raises(pct.Error, match="contains a quote or a line break"):
        host_target.build(tmp_path / name)


def test_odd_path(host_target, tmp_path: Path):
    path = tmp_path / "a b#c$d é'.cu"
    path.write_text(SET)
    assert run(host_target.build(path)["set"])[0] == 7
    assert host_target.build(path, defines={"VALUE": 8}).kernels[0].file == str(path)


# --- missing parts ------------------------------------------------------------------------------------------


def test_no_compiler(monkeypatch, cache_folder: Path):
    from pycuda_tile.compilers import toolchain

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(toolchain, "of_ziglang", lambda: None)
    with pytest.raises(pct.TargetUnavailable) as caught:
        pct.build(SET, target="cpu")
    assert install.advice("compiler") in str(caught.value)


def test_compiler_of_the_users_choice(monkeypatch, cache_folder: Path):
    from pycuda_tile.compilers import toolchain

    monkeypatch.setenv("PYCUDA_TILE_CXX", "/nosuch/c++")
    with pytest.raises(pct.TargetUnavailable, match="PYCUDA_TILE_CXX"):
        pct.build(SET, target="cpu")
    monkeypatch.delenv("PYCUDA_TILE_CXX")
    command = toolchain.find_compiler().command
    monkeypatch.setenv("PYCUDA_TILE_CXX", " ".join(command))
    assert toolchain.find_compiler().command == command


@pytest.mark.parametrize(("target", "extra"), [("simt", "gpu"), ("tile", "tile")])
def test_no_nvrtc(monkeypatch, target: str, extra: str):
    from pycuda_tile.compilers import nvrtc

    def missing():
        raise ImportError("No module named 'cuda'")

    monkeypatch.setattr(nvrtc, "_load", missing)
    with pytest.raises(pct.TargetUnavailable) as caught:
        pct.build(SET, target=target)
    assert install.advice(extra) in str(caught.value)


def test_old_nvrtc_has_no_tile_target(monkeypatch):
    from pycuda_tile.compilers import nvrtc

    monkeypatch.setattr(nvrtc, "version", lambda install: (12, 9))
    with pytest.raises(pct.TargetUnavailable, match=r"13\.3.*pip install .*\[tile\]"):
        pct.build(SET, target="tile")


@pytest.mark.parametrize("target", ["simt", "tile"])
def test_launch_without_a_gpu(make_target, target: str):
    from pycuda_tile.launching import gpu

    if gpu.compute_capability():
        pytest.skip("this machine has a GPU")
    kernel = make_target(target).build(SET).kernel("set")
    with pytest.raises(pct.TargetUnavailable, match="no CUDA GPU"):
        kernel[1](None)


@pytest.mark.parametrize("target", ["simt", "tile"])
def test_a_gpu_chooses_the_order_of_blocks(make_target, target: str):
    kernel = make_target(target).build(SET).kernel("set")
    with pytest.raises(pct.LaunchError, match="schedule_seed applies only to the targets cpu and emulated"):
        kernel.launch(1, None, schedule_seed=1)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_child_instantiates_what_a_thread_was_at_during_the_fork(make_target, monkeypatch):
    module = make_target("cpu").build(TEMPLATE)
    compile, busy, go_on = Target.compile, threading.Event(), threading.Event()

    def wait(*arguments):
        busy.set()
        assert go_on.wait(120)
        return compile(*arguments)

    monkeypatch.setattr(Target, "compile", wait)
    thread = threading.Thread(target=lambda: module["ns::fill<int>"])
    thread.start()
    assert busy.wait(120)
    monkeypatch.setattr(Target, "compile", compile)
    if (child := os.fork()) == 0:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(120)
        os._exit(0 if run(module["ns::fill<int>"], np.int32, 4, 3).tolist() == [3] * 4 else 1)
    assert os.waitpid(child, 0) == (child, 0)
    go_on.set()
    thread.join()


@pytest.mark.wide  # zig prepares itself at its first use
def test_zig_compiles_where_nothing_else_does(monkeypatch):
    from pycuda_tile.compilers import toolchain

    if not toolchain.of_ziglang():
        pytest.skip("the ziglang package is not installed")
    monkeypatch.setattr(toolchain, "_NAMES", {"gcc": (), "clang": ()})
    assert run(pct.build(SET, target="cpu").kernel("set"))[0] == 7
    twice = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
__tile_global__ void twice(float* x) {
  auto places = x + ct::iota<ct::tile<int, ct::shape<1024>>>();
  ct::store(places, ct::load(places) * 2.0f);
}
"""
    assert pct.build(twice, target="cpu", optimize=True).kernel("twice").attributes["path"] == "fused"
