"""examples/tour.ipynb runs from top to bottom. It is stored without outputs: none can go stale."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import pycuda_tile as pct

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "tour.ipynb"


def cells(kind: str) -> list[dict]:
    return [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == kind]


def run(code: str, names: dict) -> object:
    """Runs a cell, and returns the value of its last expression, which a notebook shows."""
    body = ast.parse(code).body
    last = ast.Expression(body.pop().value) if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), str(NOTEBOOK), "exec"), names)
    return eval(compile(last, str(NOTEBOOK), "eval"), names) if last else None


@pytest.mark.wide
def test_every_cell_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    shown = [run("".join(cell["source"]), names) for cell in cells("code")]
    values = [value for value in shown if value is not None]
    assert [type(value).__name__ for value in values] == ["Module", "Launch", *["Picture"] * 3, "str"]
    assert values[-1] == "0 1 4 9 16 25 36 49 "
    printed = capsys.readouterr().out
    for words in ("an array of float32", "unmasked-partition", "by operation - ", "GB/s", "store_view"):
        assert words in printed
    assert list(tmp_path.iterdir()) == []


def test_it_has_no_outputs():
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells("code"))


def test_its_links_lead_somewhere():
    text = "".join(line for cell in cells("markdown") for line in cell["source"])
    links = [part.split(")")[0] for part in text.split("](")[1:]]
    assert links and [link for link in links if not (NOTEBOOK.parent / link).exists()] == []


def test_its_pictures_are_pictures():
    assert "_repr_svg_" in vars(type(pct.show(4)))
