"""The house of the headers: who may include whom, and what stays below the primitives (tile/primitives.h)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pycuda_tile import resources

INCLUDE = resources.include_dir()
HEADERS = INCLUDE / "cuda_tile"
BACK_ENDS = ("one_thread", "threads")
BELOW = {  # what a folder may include, beside itself and config.h
    "platform": {"launch"},
    "launch": {"core", "platform"},
    "core": {"platform", "launch"},
    "tile": {"core", "platform", "checked"},
    "checked": {"core", "platform", "tile"},
    **{name: {"core", "platform", "checked", "tile", "print"} for name in BACK_ENDS},
    "print": {"core", "platform", "tile"},
    "ops": {"core", "checked", "tile"},
    "view": {"core", "checked", "tile", "ops"},
}
INSIDE = r"\.slots\b|\bdistribution\b|platform::(thread|barrier|scratch|block_threads)\b"
TARGETS = r"CUDA_TILE_(ON_CUDA|BLOCK_THREADS)\b"


PRODUCTS = re.compile("mma|multiply|group|fp8_halves|_matrix")  # matrix products, which are yet to follow


def headers(folder: str) -> list[Path]:
    return sorted(path for path in (HEADERS / folder).rglob("*.h") if not PRODUCTS.search(path.name))


def code(path: Path) -> str:
    return re.sub(r"//.*", "", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", BELOW)
def test_includes_point_one_way(folder: str):
    allowed = {folder, *BELOW[folder]}
    wrong = {}
    for path in headers(folder):
        included = re.findall(r'#include "cuda_tile/(\w+)/', path.read_text(encoding="utf-8"))
        if others := set(included) - allowed:
            wrong[str(path.relative_to(HEADERS))] = others
    assert wrong == {}


@pytest.mark.parametrize("folder", ["ops", "view"])
def test_operations_are_made_of_primitives(folder: str):
    found = {path.name: set(re.findall(f"{INSIDE}|{TARGETS}", code(path))) for path in headers(folder)}
    assert {name: words for name, words in found.items() if words} == {}


def test_each_back_end_has_each_primitive():
    declarations = re.sub(r"//.*", "", (HEADERS / "tile/primitives.h").read_text(encoding="utf-8"))
    declarations += code(HEADERS / "tile/tile.h")
    names = set(re.findall(r"CUDA_TILE_API [^;{}]*?\b(\w+)\([^;{}()]*\);", declarations))
    names = {name for name in names if not PRODUCTS.search(name)}
    assert len(names) > 25
    for back_end in BACK_ENDS:
        text = "".join(code(path) for path in headers(back_end))
        defined = {name for name in names if re.search(rf"\b{name}\([^;{{}}()]*\) {{", text)}
        assert defined == names, back_end
