"""benchmarks/gpu_sanitizer.py: messages if something is missing, and how it reads the sanitizer's output."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

CLEAN = "========= COMPUTE-SANITIZER\nall right\n========= ERROR SUMMARY: 0 errors\n"
INVALID = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at copy+0x120
========= ERROR SUMMARY: 2 errors
"""
HAZARD = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access and Read access
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""
NO_DEVICE = "========= COMPUTE-SANITIZER\n========= Device not supported\n========= ERROR SUMMARY: 0 errors\n"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("gpu_sanitizer")


@pytest.mark.parametrize(
    "status, output, said, named",
    [
        (0, CLEAN, "clean", ""),
        (86, INVALID, "2 found", "Invalid __global__ write"),
        (86, HAZARD, "1 found", "Race reported"),
        (1, NO_DEVICE, "failed (1)", "Device not supported"),
        (127, "sh: not found\n", "failed (127)", "not found"),
        (0, "nothing was watched\n", "failed (0)", "nothing was watched"),
    ],
)
def test_judgement(script, status, output, said, named):
    word, details = script.judge(status, output)
    assert word == said and named in details


def test_what_is_missing_is_named(script, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["gpu_sanitizer.py"])
    monkeypatch.setattr(script.gpu, "compute_capability", lambda: None)
    assert script.main() == 1
    assert "there is no CUDA GPU" in capsys.readouterr().err
    monkeypatch.setattr(script.gpu, "compute_capability", lambda: (9, 0))
    monkeypatch.setattr(script, "find", lambda: None)
    assert script.main() == 1
    assert "pip install nvidia-cuda-sanitizer-api" in capsys.readouterr().err


def test_all_tools_watch_all_programs(script, monkeypatch, tmp_path, capsys):
    """With a sanitizer that finds an error in one program with one tool."""
    fake = tmp_path / "compute-sanitizer"
    fake.write_text(f"""#!{sys.executable}
import sys
bad = "racecheck" in sys.argv and "top_k" in sys.argv
print({HAZARD!r} if bad else {CLEAN!r})
sys.exit(86 if bad else 0)
""")
    fake.chmod(0o755)
    output = tmp_path / "table.txt"
    monkeypatch.setattr(sys, "argv", ["gpu_sanitizer.py", "--only", "example t", "--output", str(output)])
    monkeypatch.setattr(script, "find", lambda: str(fake))
    monkeypatch.setattr(script.gpu, "compute_capability", lambda: (9, 0))
    monkeypatch.setattr(script.gpu, "device_name", lambda: "Fake GPU")
    assert script.main() == 1
    text = output.read_text()
    assert "| example top_k | clean | 1 found | clean | clean |" in text
    assert "| example transpose | clean | clean | clean | clean |" in text
    assert "Race reported" in text and "Fake GPU" in text
