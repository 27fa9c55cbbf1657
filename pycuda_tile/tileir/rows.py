"""The tables in the folder tables/, row by row."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_TABLES = Path(__file__).parent / "tables"


@cache
def rows(name: str) -> list[dict[str, str]]:
    """The rows of a table, by the names of its columns."""
    head, *lines = (line.split("\t") for line in (_TABLES / name).read_text().splitlines())
    return [dict(zip(head, cells, strict=True)) for cells in lines]
