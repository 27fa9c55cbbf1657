"""The header of each version of the API has the names of that version and no later ones."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pycuda_tile import spec
from pycuda_tile.compilers import toolchain
from pycuda_tile.system import resources

NAMES = {"concept", "type", "alias", "variable", "enum", "function", "enumerator"}


def names(version: str) -> set[str]:
    """Names of the namespace that a version has."""
    return {
        row.name
        for row in spec.load("api")
        if row.kind in NAMES and row.exposition == "no" and re.fullmatch(r"\w+", row.name)
        if spec.API_VERSIONS.index(row.since) <= spec.API_VERSIONS.index(version)
    }


@pytest.mark.parametrize("version", spec.API_VERSIONS)
def test_names_of_a_version(version: str, tmp_path: Path):
    every = sorted(names(spec.API_VERSIONS[-1]))
    lines = [f"using cuda::tiles::{name};" for name in every]
    source = tmp_path / "names.cpp"
    source.write_text('#include "cuda_tile.h"\n' + "\n".join(lines) + "\n")
    compiler = toolchain.find_compiler()
    macro = f"-DCUDA_TILE_API_VERSION={version.replace('.', '0')}"
    unlimited = "-fmax-errors=0" if compiler.kind == "gcc" else "-ferror-limit=0"
    flags = ["-std=c++20", "-fsyntax-only", "-fdiagnostics-color=never", macro, *compiler.flags, unlimited]
    done = compiler.run([*flags, f"-I{resources.include_dir()}", str(source)])
    wrong = {int(number) for number in re.findall(r"names\.cpp:(\d+):\d+: error", done.stdout)}
    assert {every[number - 2] for number in wrong} == set(every) - names(version), done.stdout[-3000:]
