"""Lets tests decide about what a GPU gave: those whose launches differed run again, with its results."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

from bundle import DIFFERENCES, Bundle
from recording import run_tests


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
    print(f"{len(names)} launches of {len(tests)} tests differ", flush=True)
    return run_tests("--replay", str(folder), "--gpu-bundle", str(bundle.absolute()), *tests)
