"""NVIDIA's disassembler prints what we print, except for blanks and names of values."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from nvidia_tools import disassembled

from pycuda_tile import tileir

MODULES = {path.stem: path.read_text() for path in sorted((Path(__file__).parent / "modules").glob("*.mlir"))}


def lines(text: str) -> list[str]:
    """The lines without names of values and the left-hand side of "="."""
    text = re.sub(r"^// Producer.*\n", "", text)
    text = re.sub(r"^(\s*)%[^=]*= ", r"\1", text, flags=re.M)
    text = re.sub(r"%[\w$.-]+(#\d+)?", "%", text)
    return [re.sub(r"\s+", " ", line).strip() for line in text.splitlines()]


@pytest.mark.parametrize("name", MODULES)
def test_modules(name: str, tmp_path: Path) -> None:
    module = tileir.parse(MODULES[name])
    text = disassembled(tileir.write_bytecode(module), tmp_path)
    assert lines(text) == lines(str(module))
    assert tileir.equal(tileir.parse(text), module)


def test_hints_are_in_order(tmp_path: Path) -> None:
    hints = "sm_90 = {occupancy = 2, num_cta_in_cga = 1}, sm_100 = {occupancy = 3}, default = {}"
    module = tileir.parse(f"entry @k() optimization_hints=<{hints}> {{ return }}")
    assert lines(disassembled(tileir.write_bytecode(module), tmp_path)) == lines(str(module))


@pytest.mark.parametrize("element", ["f16", "bf16", "f32", "f64"])
def test_floats(element: str, tmp_path: Path) -> None:
    """Random bit patterns, and decimal numbers of few digits."""
    rng, width = np.random.default_rng(0), {"f32": 32, "f64": 64}.get(element, 16)
    rows = [rng.integers(0, 1 << width, 64, np.uint64) for _ in range(10)]
    if width > 16:
        scales = (float(10**n) for n in range(-3, 7))
        decimal = [np.round(rng.normal(0, scale, 64), 3).astype(f"f{width // 8}") for scale in scales]
        rows += [row.view(f"u{width // 8}") for row in decimal]
    body = "".join(
        f"%c{i} = constant <{element}: [{', '.join(hex(n) for n in row.tolist())}]> : tile<64x{element}>\n"
        for i, row in enumerate(rows)
    )
    module = tileir.parse(f"entry @k() {{\n{body}}}")
    assert lines(disassembled(tileir.write_bytecode(module), tmp_path)) == lines(str(module))
