"""The wheels of a release, which `run.py wheel` has made: what is in them, and that their libraries load.

PYCUDA_TILE_WHEELS names them; tests/packaging/test_wheel.py installs the one for this machine and uses it.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

import pytest

WHEELS = [Path(wheel) for wheel in os.environ.get("PYCUDA_TILE_WHEELS", "").split(os.pathsep) if wheel]
MACHINES = {"x86_64": 62, "aarch64": 183}  # EM_X86_64, EM_AARCH64
LIBRARIES = {f"pycuda_tile/lib/libcuda_tile_{name}.so" for name in ("launcher", "python")}
PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
int main(int count, char** words) {
  void* library = dlopen(words[1], RTLD_NOW);
  if (!library) return puts(dlerror()), 1;
  unsigned (*version)(void) = (unsigned (*)(void))dlsym(library, "cuda_tile_abi_version");
  unsigned (*workers)(void) = (unsigned (*)(void))dlsym(library, "cuda_tile_num_workers");
  if (!version || !workers) return puts("no such function"), 1;
  printf("%u %d\\n", version(), workers() > 0);
}
"""


@pytest.fixture(params=MACHINES)
def architecture(request) -> str:
    return request.param


@pytest.fixture
def wheel(architecture: str) -> Path:
    (found,) = [wheel for wheel in WHEELS if wheel.stem.endswith(architecture)]
    return found


def test_libraries_are_for_the_architecture(wheel, architecture):
    archive = zipfile.ZipFile(wheel)
    assert {name for name in archive.namelist() if re.search(r"\.(so|a)\b", name)} == LIBRARIES
    for name in LIBRARIES:
        header = archive.read(name)[:20]
        assert header[:4] == b"\x7fELF" and struct.unpack_from("<H", header, 18)[0] == MACHINES[architecture]


def test_the_tag_says_the_platform(wheel, architecture):
    (name,) = [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/WHEEL")]
    tags = re.findall(r"^Tag: (.+)$", zipfile.ZipFile(wheel).read(name).decode(), re.MULTILINE)
    assert tags and not [
        tag for tag in tags if not re.fullmatch(rf"py3-none-manylinux\w+_{architecture}", tag)
    ]
    found = re.search(rf"-py3-none-[\w.]*\bmanylinux_2_(\d+)_{architecture}$", wheel.stem)
    assert found and int(found[1]) <= 17 and f"py3-none-manylinux_2_{found[1]}_{architecture}" in tags


def test_all_wheels_have_the_same_files():
    first, *others = [{info.filename for info in zipfile.ZipFile(wheel).infolist()} for wheel in WHEELS]
    own = re.compile(r"\.dist-info/sboms/")
    for other in others:
        assert {name for name in first ^ other if not own.search(name)} == set()


def test_the_launcher_answers(wheel, architecture, tmp_path):
    """A small program of the architecture loads it, under qemu on another machine."""
    from pycuda_tile.launching.launcher import _ABI_VERSION

    ziglang = pytest.importorskip("ziglang")
    emulator: list[str] = []
    if platform.machine() != architecture:
        root = Path(f"/usr/{architecture}-linux-gnu")
        if not (found := shutil.which(f"qemu-{architecture}")) or not root.exists():
            pytest.skip(f"needs qemu-{architecture} and {root}: apt install qemu-user libc6-arm64-cross")
        emulator = [found, "-L", str(root)]
    zipfile.ZipFile(wheel).extract("pycuda_tile/lib/libcuda_tile_launcher.so", tmp_path)
    source, program = tmp_path / "load.c", tmp_path / "load"
    source.write_text(PROGRAM)
    zig = Path(ziglang.__file__).parent / "zig"
    target = f"{architecture}-linux-gnu.2.17"
    subprocess.run([zig, "cc", "-target", target, source, "-o", program, "-ldl"], check=True)
    library = tmp_path / "pycuda_tile" / "lib" / "libcuda_tile_launcher.so"
    done = subprocess.run([*emulator, program, library], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{_ABI_VERSION} 1\n"), done.stdout + done.stderr
