"""What the package's modules may import, and that each says what lives in it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from pycuda_tile import targets

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "pycuda_tile").rglob("*.py"))
# Each room needs only those before it when it is imported; inside functions it may import others.
ROOMS = (
    *("version", "errors", "spec", "system", "compilers", "frontend", "diagnostics", "debug"),
    *("pictures", "launching", "checked", "targets", "building", "reference", "tileir", "development", "cli"),
)


class Import(NamedTuple):
    importer: str  # both without "pycuda_tile."
    imported: str
    at_once: bool  # not in a function, and not for types only


def test_every_module_says_what_lives_there():
    silent = [path for path in MODULES if not (ast.get_docstring(ast.parse(path.read_text())) or "").strip()]
    assert silent == []


def test_every_folder_says_what_lives_there():
    copied = ROOT / "pycuda_tile" / "starter" / "files"  # what `pycuda-tile init` writes: no package
    folders = {path.parent for path in MODULES} - {copied}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []


@pytest.mark.parametrize("folder", ["include", "lib"])
def test_every_cpp_file_says_what_lives_there(folder: str):
    """A .cpp file leaves that to its header."""
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".h", ".cpp")]
    files = [path for path in files if path.suffix == ".h" or not path.with_suffix(".h").exists()]
    assert files and [path for path in files if not path.read_text().startswith("//")] == []


@pytest.mark.parametrize("folder", ["benchmarks", "examples", "tests"])
def test_every_script_and_test_says_what_it_is(folder: str):
    files = sorted((ROOT / folder).rglob("*.py"))
    assert files and [path for path in files if not ast.get_docstring(ast.parse(path.read_text()))] == []


def test_rooms_import_only_those_below():
    def height(module: str) -> int:
        return ROOMS.index(room(module))

    inside = [found for found in imports() if found.at_once and room(found.importer) in ROOMS]
    assert inside and [found for found in inside if height(found.imported) > height(found.importer)] == []


def test_targets_never_import_each_other():
    def target(module: str) -> str | None:
        within, _, name = module.partition(".")
        name = name.split(".")[0]
        return name if within == "targets" and name in targets.NAMES else None

    both = [(target(found.importer), target(found.imported)) for found in imports()]
    assert {one for one, _ in both} == {None, *targets.NAMES}
    assert [(one, other) for one, other in both if one and other and one != other] == []


def test_tile_ir_needs_targets_only_to_be_compiled():
    users = {
        found.importer
        for found in imports()
        if room(found.importer) == "tileir" and room(found.imported) in ("targets", "building")
    }
    compilers = ("tileir.lower.", "tileir.cxx.")  # to C++, and from it
    assert users and all(user.startswith(compilers) for user in users)


def test_only_the_command_line_imports_tools_of_development():
    users = [found for found in imports() if room(found.imported) == "development" != room(found.importer)]
    assert users and [found for found in users if room(found.importer) != "cli" or found.at_once] == []


def room(module: str) -> str:
    return module.split(".")[0]


@cache
def imports() -> list[Import]:
    """Every import of one of the package's modules by another."""
    return [found for path in MODULES for found in imports_of(path)]


def imports_of(path: Path) -> Iterator[Import]:
    parts = path.relative_to(ROOT).with_suffix("").parts
    importer = ".".join(part for part in parts[1:] if part != "__init__")
    tree = ast.parse(path.read_text())
    later = {node for block in ast.walk(tree) if is_later(block) for node in ast.walk(block)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = list(parts[: len(parts) - node.level]) if node.level else []
            source = [*base, *(node.module or "").split(".")]
            for name in node.names:
                if imported := module_of([part for part in source if part], name.name):
                    yield Import(importer, imported, node not in later)


def is_later(node: ast.AST) -> bool:
    """Whether what stands in a node is not done when its module is imported."""
    for_types = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    return for_types or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))


def module_of(source: list[str], name: str) -> str | None:
    """The module that `from source import name` imports; None if it is not of this package."""
    if source[:1] != ["pycuda_tile"]:
        return None
    path = ROOT.joinpath(*source, name)
    found = [*source, name] if path.with_suffix(".py").exists() or path.is_dir() else source
    return ".".join(found[1:]) or None
