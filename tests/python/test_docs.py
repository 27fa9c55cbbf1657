"""The Python examples in the README and the docs run unchanged."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/checked.md", "docs/tileir.md"])
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
        exec(compile(block, page, "exec"), names)
    if page == "docs/python.md":
        assert (
            "argument 1 'x' (const float*) expects an array of float32, got one of float64"
            in capsys.readouterr().out
        )
    for shown in re.findall(r"^prints\n\n```\n(.*?)^```", text, re.DOTALL | re.M):
        assert shown in capsys.readouterr().out
