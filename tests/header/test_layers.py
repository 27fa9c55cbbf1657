"""The house of the headers: who may include whom, and what stays below the primitives (tile/primitives.h)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pycuda_tile.system import resources

INCLUDE = resources.include_dir()
HEADERS = INCLUDE / "cuda_tile"
BACK_ENDS = ("one_thread", "threads", "record")
SHARED = "tile/shared_primitives.h"  # by back ends that run kernels
OUTSIDE = {"record": {"record/entry.h", "record/prelude.h"}}  # what from_cpp() puts around a source
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


def headers(folder: str) -> list[Path]:
    return sorted((HEADERS / folder).rglob("*.h"))


def code(path: Path) -> str:
    return re.sub(r"//.*", "", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("folder", BELOW)
def test_includes_point_one_way(folder: str):
    allowed = {folder, *BELOW[folder]}
    wrong = {}
    for path in headers(folder):
        if re.search("mma_sync|wgmma", path.name) and folder == "platform":
            continue  # matrix instructions go by the types of elements, which are core's
        included = re.findall(r'#include "cuda_tile/(\w+)/', path.read_text(encoding="utf-8"))
        if others := set(included) - allowed:
            wrong[str(path.relative_to(HEADERS))] = others
    assert wrong == {}


@pytest.mark.parametrize("folder", ["ops", "view"])
def test_operations_are_made_of_primitives(folder: str):
    found = {path.name: set(re.findall(f"{INSIDE}|{TARGETS}", code(path))) for path in headers(folder)}
    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("folder", ["core", "tile", "checked", *BACK_ENDS])
def test_targets_differ_in_the_platform_and_the_choice_of_the_back_end(folder: str):
    found = {path.name: set(re.findall(TARGETS, code(path))) for path in headers(folder)}
    found.pop("transposed.h", None)  # forms exist from a warp's threads on
    assert {name: words for name, words in found.items() if words} == {}


def test_each_back_end_has_each_primitive():
    declarations = re.sub(r"//.*", "", (HEADERS / "tile/primitives.h").read_text(encoding="utf-8"))
    declarations += code(HEADERS / "tile/tile.h")
    names = set(re.findall(r"CUDA_TILE_API [^;{}]*?\b(\w+)\([^;{}()]*\);", declarations))
    assert len(names) > 25
    for back_end in BACK_ENDS:
        texts = [code(HEADERS / name) for name in included_by(back_end)]
        files = {name: sum(defines(text, name) for text in texts) for name in names}
        assert files == dict.fromkeys(names, 1), back_end


def included_by(back_end: str) -> set[str]:
    """The headers in which a back end's primitives are: what the files that config.h names include of its
    folder, and the file that it may share with others."""
    return reached_from({f"{back_end}/{name}.h" for name in ("storage", "primitives", "print")}, back_end)


def reached_from(new: set[str], back_end: str) -> set[str]:
    """These headers, and what they include of a back end and of what it shares."""
    found: set[str] = set()
    while new:
        found |= new
        texts = [(HEADERS / name).read_text(encoding="utf-8") for name in new]
        included = set(re.findall(r'^#include "cuda_tile/(.*)"', "\n".join(texts), flags=re.M))
        inside = {name for name in included if name == SHARED or name.startswith(f"{back_end}/")}
        new = inside - found
    return found


def defines(text: str, name: str) -> bool:
    return re.search(rf"\b{name}\([^;{{}}()]*\) {{", text) is not None


@pytest.mark.parametrize("back_end", BACK_ENDS)
def test_every_file_of_a_back_end_is_used(back_end: str):
    files = {str(path.relative_to(HEADERS)) for path in headers(back_end)}
    outside = reached_from(OUTSIDE.get(back_end, set()), back_end)
    assert files - outside - included_by(back_end) == set()


def test_the_platform_owes_what_is_asked_of_it():
    """platform/platform.h lists each name that is used above it, and none that does not exist."""
    comment = (HEADERS / "platform/platform.h").read_text(encoding="utf-8").partition("#pragma once")[0]
    lines = re.findall(r"^// - ([a-z][\w, ]*): ", comment, flags=re.M)
    listed = set(re.findall(r"\w+", " ".join(lines)))
    used: set[str] = set()
    for folder in set(BELOW) - {"platform", "launch"}:
        for path in headers(folder):
            used |= set(re.findall(r"platform::(\w+)", code(path)))
    assert used - listed == {"name"}  # what a macro is given
    text = "".join(code(path) for path in (HEADERS / "platform").glob("*.h"))
    assert {name for name in listed if not re.search(rf"\b{name}\b", text)} == set()
