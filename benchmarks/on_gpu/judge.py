"""Lets tests decide about what a GPU gave: those whose launches differed run again, with its results."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from bundle import Bundle
from session import DIFFERENCES

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def judge(folder: Path, bundle: Path) -> int:
    """The exit status of pytest. Launches whose inputs the bundle does not have are not looked at."""
    packed = folder / "differences.zip"
    if not packed.exists():
        print("no result differs from what the tests had")
        return 0
    with zipfile.ZipFile(packed) as differences:
        differences.extractall(folder)
    names = {json.loads(line)["name"] for line in (folder / DIFFERENCES).read_text().splitlines()}
    tests = sorted({launch.test for launch in Bundle(bundle).launches if launch.name in names})
    plugin = os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "--wide", "-p", "recording", "--replay", str(folder)]
    print(f"{len(names)} launches of {len(tests)} tests differ", flush=True)
    return subprocess.run([*command, *tests], cwd=ROOT, env={**os.environ, "PYTHONPATH": plugin}).returncode
