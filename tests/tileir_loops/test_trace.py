"""`compile --emit loops` shows what each pass makes of a kernel, as the page in docs/ does."""

from __future__ import annotations

import re
from pathlib import Path

import loop_kernels as kernels
import pytest

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.cli import main
from pycuda_tile.tileir.loops.trace import trace

ROOT = Path(__file__).resolve().parents[2]


def titles(text: str) -> list[str]:
    return re.findall(r"^// ---- (.*?) -+$", text, re.MULTILINE)


def without_numbers(text: str) -> str:
    """The text without the numbers in names, and with single blanks."""
    return re.sub(r"\s+", " ", re.sub(r"(?<=\w)_\d+\b", "", text))


def test_each_pass_is_shown():
    text = trace(tileir.parse(kernels.softmax() + kernels.saxpy()))
    nests = {"softmax": 3, "saxpy": 1}
    assert titles(text) == [
        f"{kernel}: {stage}"
        for kernel, count in nests.items()
        for stage in (
            "Tile IR",
            "simplify",
            *(f"groups, axes, effects and stages of nest {i + 1}" for i in range(count)),
            "C++",
        )
    ]


def test_compilers_know_that_tests_before_loops_hold():
    """Else those behind many tests were compiled as never run: an Adam step was 17 times slower."""
    (tests,) = re.findall(r"^ *if \((.*)\) \{$", trace(tileir.parse(kernels.saxpy())), re.MULTILINE)
    assert re.fullmatch(r"loops::holds\(.*\) && loops::holds\(.*\)", tests)


def test_what_is_not_fused_has_its_reason(monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("pycuda_tile.tileir.loops.translate.split", fail)
    text = trace(tileir.parse(kernels.softmax()))
    assert titles(text) == ["softmax: Tile IR", "softmax: by operation", "softmax: C++"]
    assert "a fault in the translation to loops (ZeroDivisionError: )\n" in text


def test_the_page_shows_what_the_command_prints(capsys: pytest.CaptureFixture):
    try:
        assert main(["compile", str(ROOT / "examples/softmax.cu"), "--emit", "loops"]) == 0
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))
    printed = without_numbers(capsys.readouterr().out)
    page = (ROOT / "docs/loops.md").read_text(encoding="utf-8")
    (plan,) = re.findall(r"^```text\n(loops: .*?)^```", page, re.DOTALL | re.MULTILINE)
    for line in plan.splitlines():
        assert without_numbers(re.sub(r"   .*", "", line.strip())) in printed
    (loop,) = re.findall(r"a part of what the command prints -->\n```cpp\n(.*?)\n```", page, re.DOTALL)
    assert without_numbers(loop) in printed
