"""Each operation of the API leads to files of one stem: its header, the table and template that make it, its
meaning in NumPy and the test of that."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import PurePosixPath

import pytest

from pycuda_tile import reference, spec
from pycuda_tile.development.coverage import checkout
from pycuda_tile.system.resources import include_dir

ROOT = checkout()
OPERATIONS = [row for row in spec.load("api") if row.header.startswith(("cuda_tile/ops/", "cuda_tile/view/"))]


def stem(header: str) -> str:
    """The family of a header: the name of the file, or of the folder in which the family's files lie."""
    _, room, name, *inner = PurePosixPath(header).parts
    return "views" if room == "view" else name if inner else name.removesuffix(".h")


STEMS = sorted({stem(row.header) for row in OPERATIONS})


@pytest.mark.parametrize("name", STEMS)
def test_files_of_a_family_have_one_stem(name):
    headers = {row.header for row in OPERATIONS if stem(row.header) == name}
    assert all((include_dir() / header).exists() for header in headers)
    assert (ROOT / f"pycuda_tile/reference/{name}.py").exists()
    assert (ROOT / f"tests/reference/test_{name}.py").exists()
    for header in headers:
        made = re.search(r"// Template: (\S+)\n// Tables: (.+)\n", (include_dir() / header).read_text())
        if made:
            assert f"pycuda_tile/spec/tables/{name}.tsv" in made[2].split(", "), header
            assert (
                stem(made[1].removeprefix("templates/").removesuffix(".j2").join(["cuda_tile/", ""])) == name
            )


@pytest.mark.parametrize("row", [row for row in OPERATIONS if row.kind == "function"], ids=lambda row: row.id)
def test_functions_have_a_meaning(row):
    module = import_module(f"pycuda_tile.reference.{stem(row.header)}")
    assert getattr(reference, row.name) is getattr(module, row.name)


@pytest.mark.parametrize("table", spec.ELEMENTWISE)
def test_operators_have_a_meaning(table):
    module = import_module(f"pycuda_tile.reference.{table}")
    for row in spec.load(table):
        assert getattr(reference, row.function) is getattr(module, row.function), row.id
