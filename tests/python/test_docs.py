"""The Python examples in the README and the docs run unchanged."""

import re
from pathlib import Path

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import tileir

ROOT = Path(__file__).resolve().parents[2]


PAGES = ["README.md", "docs/python.md", "docs/checked.md", "docs/tileir.md", "docs/front_end.md"]


@pytest.mark.parametrize("page", PAGES)
def test_examples_of(page: str, capsys):
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.M)
    assert blocks
    names: dict = {}
    for block in blocks:
        if "import torch" in block:
            try:
                import torch._dynamo  # noqa: F401  needs all dependencies of torch
            except ImportError:
                continue
        try:
            exec(compile(block, page, "exec"), names)
        except pct.TargetUnavailable as error:
            pytest.skip(str(error))
    if page == "docs/python.md":
        assert (
            "argument 1 'x' (const float*) expects an array of float32, got one of float64"
            in capsys.readouterr().out
        )
    for shown in re.findall(r"^prints\n\n```\n(.*?)^```", text, re.DOTALL | re.M):
        assert shown in capsys.readouterr().out


def test_modules_of_the_page_on_the_front_end():
    """The kernel's Tile IR that the page shows does what its source says."""
    (text,) = re.findall(r"^```mlir\n(.*?)^```", (ROOT / "docs/front_end.md").read_text(), re.DOTALL | re.M)
    module = tileir.parse(text)
    x, y = np.arange(512, dtype=np.float32), np.zeros(128, np.float32)
    tileir.interpret(module, module.entries[0].name, 1, x, y, x.size)
    assert np.array_equal(y, (x.reshape(4, 128) ** 2).sum(0))
