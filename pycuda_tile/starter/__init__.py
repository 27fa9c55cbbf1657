"""A starter folder, as `pycuda-tile init` writes it, and the flags that editors and build systems need.

files/ holds what is copied: a kernel, its use from Python and from C++, and a test.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from ..errors import BuildValueError
from ..system import resources

_FILES = Path(__file__).parent / "files"


def flags() -> list[str]:
    """What a C++ compiler needs to read kernels as this package compiles them for the CPU."""
    return [
        "-xc++", "-std=c++20", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno",
        f"-I{resources.include_dir()}",
        f"-I{resources.launcher_source_dir()}",
    ]  # fmt: skip


def as_text() -> str:
    return shlex.join(flags())


def as_clangd() -> str:
    """The file .clangd, for clangd and the editors that use it."""
    listed = ",\n    ".join(map(json.dumps, flags()))
    return f"""# Made by `pycuda-tile flags --clangd`: make it again when the package has moved.
CompileFlags:
  Add: [
    {listed}
  ]
"""


def write(folder: Path) -> list[Path]:
    """Writes the starter folder; returns its files. Raises BuildValueError if the folder holds something."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BuildValueError(f"{folder} is there already: name a folder that is new or empty")
    folder.mkdir(parents=True, exist_ok=True)
    # Installers compile Python files, which makes a folder __pycache__ beside them.
    files = sorted(path for path in _FILES.iterdir() if path.is_file())
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    texts[".clangd"] = as_clangd()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]
