"""Builds in the cache: what is found again, what is built anew, and what is never kept."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile.system import resources

SOURCE = '#include "{header}"\n__tile_global__ void k(int* out) {{ out[0] = VALUE; }}\n'


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and "locks" not in path.parts]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "value.h").write_text('#include "cuda_tile.h"\n#define VALUE 1\n')
    path = tmp_path / "k.cu"
    path.write_text(SOURCE.format(header="value.h"))
    return path


def value(module: pct.Module) -> int:
    import numpy as np

    out = np.zeros(1, np.int32)
    module.kernel("k")[1](out)
    return int(out[0])


def compilations(monkeypatch: pytest.MonkeyPatch) -> list:
    """A list that grows by one with each compilation."""
    from pycuda_tile.compilers.toolchain import Compiler

    calls = []
    run = Compiler.run

    def count(self, arguments, *others):
        calls.extend([1] if "-MD" in arguments else [])  # other calls ask the compiler for its version
        return run(self, arguments, *others)

    monkeypatch.setattr(Compiler, "run", count)
    return calls


def test_a_build_is_kept_and_follows_its_headers(cache_folder: Path, project: Path, monkeypatch):
    assert value(pct.build(project, target="cpu")) == 1
    calls = compilations(monkeypatch)
    assert value(pct.build(project, target="cpu")) == 1
    assert calls == []
    choice = '#if __has_include("more.h")\n#define VALUE 3\n#else\n#define VALUE 2\n#endif\n'
    (project.parent / "value.h").write_text('#include "cuda_tile.h"\n' + choice)
    assert value(pct.build(project, target="cpu")) == 2
    assert set(calls) == {1}  # each compiler once, those of fused code included
    (project.parent / "more.h").touch()
    assert value(pct.build(project, target="cpu")) == 3


def test_what_else_is_part_of_the_key(cache_folder: Path, project: Path, monkeypatch):
    build = lambda **arguments: pct.build(project, **{"target": "cpu", **arguments})  # noqa: E731
    build()
    calls = compilations(monkeypatch)
    for arguments in (
        {"defines": {"X": 1}},
        {"options": ["-O1"]},
        {"include_dirs": [project.parent]},
        {"target": "emulated"},
    ):
        build(**arguments)
        count = len(calls)
        assert count, arguments
        build(**arguments)
        assert len(calls) == count, arguments
        calls.clear()


def test_without_the_cache(cache_folder: Path, project: Path):
    pct.build(project, target="cpu")  # the launcher itself is kept
    value(pct.build(project, target="cpu"))
    before = files(cache_folder)
    assert value(pct.build(project, target="cpu", cache=False)) == 1
    assert files(cache_folder) == before


def test_failed_build_leaves_no_file(cache_folder: Path, project: Path):
    pct.build(project, target="cpu")
    before = files(cache_folder)
    project.write_text("nonsense")
    for target in ("cpu", "emulated"):
        with pytest.raises(pct.CompileError):
            pct.build(project, target=target)
    assert files(cache_folder) == before


def _build_and_run(arguments: tuple[Path, str]) -> int:
    path, folder = arguments
    os.environ["PYCUDA_TILE_CACHE_DIR"] = folder
    return value(pct.build(path, target="cpu"))


def test_eight_processes_build_one_entry(cache_folder: Path, project: Path):
    with multiprocessing.get_context("spawn").Pool(8) as pool:
        assert pool.map(_build_and_run, [(project, str(cache_folder))] * 8) == [1] * 8
    metas = [
        json.loads(path.read_bytes().partition(b"\n")[2])["meta"] for path in cache_folder.rglob("entry.json")
    ]
    assert sum("products" in meta for meta in metas) == 1


def test_code_for_gpus_depends_on_the_headers_that_were_read(cache_folder: Path):
    """On this project's cuda_tile.h, also where NVIDIA's is installed."""
    pytest.importorskip("cuda.bindings.nvrtc", reason="needs cuda-python and NVRTC")
    pct.build('#include "cuda_tile.h"\n__tile_global__ void k() {}', target="simt", arch="sm_80")
    entries = [entry.read_text().partition("\n")[2] for entry in cache_folder.rglob("entry.json")]
    (dependencies,) = [d for entry in entries if (d := json.loads(entry)["dependencies"])]
    for header in ("cuda_tile.h", "cuda_tile/config.h"):
        assert str(resources.include_dir() / header) in dependencies
