"""The Python reference: every public name is on its page, and docstrings say what each argument is."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path
from types import FunctionType

import pytest

import pycuda_tile as pct
from pycuda_tile import reference, tileir

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reference/python.md").read_text(encoding="utf-8")
spec = importlib.util.spec_from_file_location("docstrings", DOCS / "docstrings.py")
docstrings = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docstrings)

# Arguments that several functions have alike; the first text explains them.
ALIKE = {"include_dirs", "defines", "options"}


def test_every_public_name_is_on_the_page():
    modules = set(re.findall(r"automodule:: (\S+)", PAGE))
    for name in pct.__all__:
        directive = re.search(rf":: pycuda_tile\.{name}\b", PAGE)
        of_module = getattr(getattr(pct, name), "__module__", None) in modules
        assert directive or of_module, name
    assert {tileir.__name__, reference.__name__} <= modules


@pytest.mark.parametrize("module", [pct, tileir])
def test_docstrings_describe_each_argument(module):
    for name in module.__all__:
        function = getattr(module, name)
        if isinstance(function, FunctionType):
            text = inspect.getdoc(function)
            missing = [p for p in inspect.signature(function).parameters if not re.search(rf"\b{p}\b", text)]
            assert set(missing) <= ALIKE, f"{name}: {missing}"


def test_functions_of_the_reference_name_their_section_or_what_they_do():
    assert [name for name in reference.__all__ if not inspect.getdoc(getattr(reference, name))] == []


def test_tables_become_descriptions_of_parameters():
    text = "Adds `x`.\n\nx:       a number*,\n         or two\nn, m:    counts\n\n    add(1)\n\nEnds x_."
    assert docstrings.as_rst(text, {"x", "n", "m"}) == (
        "Adds ``x``.\n\n:param x: a number\\*, or two\n:param n: counts\n:param m: counts\n\n"
        "::\n\n    add(1)\n\nEnds x\\_."
    )
    assert docstrings.as_rst("a:  1\nb:  2", {"a"}) == "* ``a``: 1\n* ``b``: 2"
