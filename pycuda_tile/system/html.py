"""HTML for notebooks: headings and tables. All text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_LEFT = ' style="text-align:left"'


def heading(name: str, rest: str = "") -> str:
    """What an object is, its name as code."""
    return f"<div><b><code>{escape(name)}</code></b>{' ' + escape(rest) if rest else ''}</div>"


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table; columns without any text are left out."""
    cells = [[str(cell) for cell in row] for row in rows]
    kept = [i for i in range(len(titles)) if any(row[i] for row in cells)]
    if not kept:
        return ""
    head = "".join(f"<th{_LEFT}>{escape(titles[i])}</th>" for i in kept)
    body = "".join(
        "<tr>" + "".join(f"<td{_LEFT}><code>{escape(row[i])}</code></td>" for i in kept) + "</tr>"
        for row in cells
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
