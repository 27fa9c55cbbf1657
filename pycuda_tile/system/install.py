"""The command that installs missing packages, which depends on how this package was installed."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

_NAME = "pycuda-tile"


def advice(extra: str) -> str:
    """A command that installs an extra of this package: `pip install ...`."""
    return f"{_pip()} install {_what(extra)}"


def _what(extra: str) -> str:
    from urllib.parse import unquote, urlsplit  # here and below: most builds need no advice

    origin = _origin()
    if origin is None:
        checkout = Path(__file__).resolve().parents[2]
        return f'-e "{checkout}[{extra}]"' if (checkout / "pyproject.toml").exists() else _packages(extra)
    url = origin.get("url")
    if not url:  # installed by name
        return f'"{_NAME}[{extra}]"'
    parts = urlsplit(url)
    if parts.scheme != "file":
        vcs = origin.get("vcs_info")
        return f'"{_NAME}[{extra}] @ ' + (f"{vcs['vcs']}+{url}@{vcs['commit_id']}" if vcs else url) + '"'
    path = unquote(parts.path)
    if not os.path.exists(path):  # a wheel that has since been removed
        return _packages(extra)
    return f'{"-e " * bool(origin.get("dir_info", {}).get("editable"))}"{path}[{extra}]"'


def _origin() -> dict[str, Any] | None:
    """What the installer recorded about the package's origin: {} if from an index, None if this copy of the
    package is not installed."""
    import importlib.metadata
    import json
    from urllib.parse import unquote, urlsplit

    try:
        installed = importlib.metadata.distribution(_NAME)
        origin = json.loads(installed.read_text("direct_url.json") or "{}")
    except (importlib.metadata.PackageNotFoundError, OSError, ValueError):
        return None
    here = Path(__file__).resolve().parents[2]
    place = Path(unquote(urlsplit(origin["url"]).path)) if "url" in origin else None
    if here in (Path(str(installed.locate_file(""))).resolve(), place and place.resolve()):
        return origin
    return None


def _packages(extra: str) -> str:
    """The packages of an extra themselves, which are on an index even if this package is not."""
    import importlib.metadata

    try:
        required = importlib.metadata.distribution(_NAME).requires or []
    except importlib.metadata.PackageNotFoundError:
        required = []
    lines = [line.replace("'", '"').partition(";") for line in required]
    found = [f'"{name.strip()}"' for name, _, when in lines if f'extra == "{extra}"' in when]
    return " ".join(found) or f'"{_NAME}[{extra}]"'


def _pip() -> str:
    """This Python's pip; the one on PATH may belong to another Python."""
    folder = os.path.dirname(sys.executable)
    on_path = next(
        (place for place in os.get_exec_path() if os.path.isfile(os.path.join(place, "pip"))), None
    )
    if on_path and os.path.realpath(on_path) == os.path.realpath(folder):
        return "pip"
    import shlex

    return f"{shlex.quote(sys.executable or 'python3')} -m pip"
