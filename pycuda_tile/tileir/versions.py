"""Versions of Tile IR, on which a module, its binary form and the tools that read it agree."""

from __future__ import annotations

Version = tuple[int, int]
NEWEST: Version = (13, 5)
#: The versions that are read and written.
VERSIONS: tuple[Version, ...] = tuple((13, minor) for minor in range(1, NEWEST[1] + 1))
OLDEST: Version = VERSIONS[0]


def parse_version(text: str) -> Version:
    """(13, 2) from "13.2". Raises ValueError if the text is not a version."""
    major, minor = map(int, text.split("."))
    return major, minor


def dotted(version: Version) -> str:
    return f"{version[0]}.{version[1]}"
