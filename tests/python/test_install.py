"""Messages advise commands that suit the way in which this package was installed."""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
from pathlib import Path

import pytest

from pycuda_tile.system import install

ROOT = Path(install.__file__).resolve().parents[2]


class Installed:
    """The package as installed in `folder`, with an installer's record of where it came from."""

    requires = (
        'ziglang>=0.14; extra == "compiler"',
        "cuda-bindings<14,>=13; extra == 'gpu'",
        'nvidia-a; extra == "gpu"',
    )

    def __init__(self, folder: Path, origin: dict | None):
        self._folder = folder
        self._origin = origin

    def locate_file(self, name: str) -> Path:
        return self._folder / name

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self._origin is None else json.dumps(self._origin)


@pytest.mark.parametrize(
    ("url", "more", "expected"),
    [
        (f"file://{ROOT}", {"dir_info": {"editable": True}}, f'-e "{ROOT}[gpu]"'),
        (f"file://{ROOT}", {"dir_info": {}}, f'"{ROOT}[gpu]"'),
        ("file:///dev/null", {"archive_info": {}}, '"/dev/null[gpu]"'),
        ("https://a.org/p.whl", {"archive_info": {}}, '"pycuda-tile[gpu] @ https://a.org/p.whl"'),
        (
            "https://a.org/p",
            {"vcs_info": {"vcs": "git", "commit_id": "12ab"}},
            '"pycuda-tile[gpu] @ git+https://a.org/p@12ab"',
        ),
        (None, {}, '"pycuda-tile[gpu]"'),
        ("file:///gone/p.whl", {"archive_info": {}}, '"cuda-bindings<14,>=13" "nvidia-a"'),
    ],
)
def test_advice_fits_where_the_package_came_from(monkeypatch, url: str | None, more: dict, expected: str):
    editable = more == {"dir_info": {"editable": True}}
    installed = Installed(Path("/elsewhere") if editable else ROOT, url and {"url": url, **more})
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: installed)
    advised = install.advice("gpu").partition(" install ")[2]
    assert advised == expected


@pytest.mark.parametrize("installed", [Installed(Path("/elsewhere"), None), None])
def test_advice_in_a_checkout_that_is_not_installed(monkeypatch, installed: Installed | None):
    """The same holds if another copy is installed."""

    def distribution(name: str) -> Installed:
        if installed is None:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(importlib.metadata, "distribution", distribution)
    assert install.advice("gpu").endswith(f' install -e "{ROOT}[gpu]"')


def test_pip_is_that_of_this_python(monkeypatch, tmp_path: Path):
    assert install._pip() in ("pip", f"{sys.executable} -m pip")
    (tmp_path / "pip").touch()
    monkeypatch.setenv("PATH", str(tmp_path))  # another Python's
    assert install._pip() == f"{sys.executable} -m pip"
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert install._pip() == "pip"
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setattr(sys, "executable", "/my venv/python")
    assert install._pip() == "'/my venv/python' -m pip"


def test_nothing_else_gives_such_advice():
    """The name alone works only if the package is published, which install.py knows."""
    sources = (path for path in ROOT.joinpath("pycuda_tile").rglob("*.py") if path.name != "install.py")
    assert [path for path in sources if "install pycuda-tile" in path.read_text().replace('"', "")] == []
