"""benchmarks/compare.py: its arguments, and what it finds before it measures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess:
    script = str(ROOT / "benchmarks" / "compare.py")
    return subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, timeout=300)


@pytest.fixture
def commit() -> str:
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    )
    if done.returncode:
        pytest.skip("the files are in no git repository that knows a commit")
    return done.stdout.strip()


def test_it_explains_itself():
    done = run("--help")
    assert done.returncode == 0 and "--dry-run" in done.stdout and "the working tree" in done.stdout


def test_a_dry_run_finds_both_versions_and_measures_nothing(commit: str):
    done = run("HEAD", "--dry-run", "--only", "matmul", "--measures", "syntax", "run")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"compared with {commit}, " in done.stdout
    assert (
        "kernels: batched_matmul, block_scaled_matmul, int8_matmul, matmul, split_k_matmul\n" in done.stdout
    )
    assert "measures: syntax, run\nboth versions can be used\n" in done.stdout


def test_wrong_arguments(commit: str):
    for arguments, message in {
        ("no-such-commit",): "compare.py: git rev-parse --verify no-such-commit^{commit}: fatal",
        ("HEAD", "--only", "nothing"): "no example's name contains 'nothing'",
        ("HEAD", "--measures", "speed"): "invalid choice: 'speed'",
        (): "the following arguments are required: commit",
    }.items():
        done = run(*arguments)
        assert done.returncode and message in done.stderr and "Traceback" not in done.stderr


@pytest.mark.wide
def test_it_compares_a_kernel_with_itself(commit: str):
    done = run("HEAD", "--only", "vector_add", "--measures", "syntax", "cpu", "run")
    assert done.returncode == 0, done.stderr
    kernel, middle = done.stdout.splitlines()[-2:]
    assert kernel.startswith("vector_add ") and kernel.count(" to ") == 3
    assert all(float(figure) > 0 for figure in middle.split()[1:])
