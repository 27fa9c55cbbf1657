"""The package's modules import each other one way, also inside of functions: no import stands there because
it would fail elsewhere."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pycuda_tile

ROOT = Path(pycuda_tile.__file__).parent
NEEDED = {"numpy", "ml_dtypes"}
#: What may be missing is imported where it is used.
OPTIONAL = {
    "clang": "extra frontend",
    "clang_format": "extra dev: formats generated headers",
    "cuda": "extra gpu",
    "jinja2": "extra dev: makes generated headers",
    "nvidia": "extra tile: where its packages keep their files",
    "torch": "kernels as operators of PyTorch",
}


def modules() -> dict[str, Path]:
    """The package's modules by name; a package is its __init__."""
    copied = ROOT / "starter" / "files"  # are not modules of this package
    found = [path for path in ROOT.rglob("*.py") if copied not in path.parents]
    paths = {".".join(p.relative_to(ROOT.parent).with_suffix("").parts): p for p in found}
    return {name.removesuffix(".__init__"): path for name, path in paths.items()}


MODULES = modules()


def imports(node: ast.AST, in_function: bool = False) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Import statements that run, and whether they stand in a function."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, (ast.Import, ast.ImportFrom)):
            yield child, in_function
        yield from imports(child, in_function or isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)))


def imported(name: str, node: ast.Import | ast.ImportFrom) -> list[str]:
    """Names of the modules that a statement in module `name` imports, absolute."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    package = name.split(".") if MODULES[name].name == "__init__.py" else name.split(".")[:-1]
    base = [*package[: len(package) + 1 - node.level]] if node.level else []
    start = ".".join([*base, *([node.module] if node.module else [])])
    return [f"{start}.{a.name}" if f"{start}.{a.name}" in MODULES else start for a in node.names]


@functools.cache
def statements() -> list[tuple[str, str, bool]]:
    """Module, what it imports, and whether in a function."""
    return [
        (name, target, in_function)
        for name, path in MODULES.items()
        for node, in_function in imports(ast.parse(path.read_text(encoding="utf-8")))
        for target in imported(name, node)
    ]


def test_no_circles() -> None:
    """Importing a.b.c runs a and a.b before, unless it is from inside of them."""
    graph: dict[str, set[str]] = {name: set() for name in MODULES}
    for name, target, _ in statements():
        parts = target.split(".")
        run = {".".join(parts[:n]) for n in range(1, len(parts) + 1)} & MODULES.keys()
        graph[name] |= {found for found in run if not f"{name}.".startswith(f"{found}.") or found == target}
        graph[name].discard(name)
    circle = ""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle = " <- ".join(error.args[1])
    assert circle == ""


def test_what_may_be_missing_is_imported_where_it_is_used() -> None:
    known = {*sys.stdlib_module_names, "pycuda_tile", *NEEDED}
    others = {
        (target.split(".")[0], late)
        for name, target, late in statements()
        if not (target.startswith("cuda.tile") and name.startswith("pycuda_tile.cutile"))
    }
    inside_gdb = {("gdb", False)}
    assert {found for found in others if found[0] not in known} - inside_gdb == {
        (name, True) for name in OPTIONAL
    }
