"""An extension of Sphinx that reads this project's docstrings: plain text, with a table of arguments.

A line `name:   text`, which lines that are indented further continue, describes an argument or attribute. An
indented block is code, and names stand between single backticks.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROW = re.compile(r"(?P<names>\*{0,2}\w+(?:, \w+)*): +(?P<text>\S.*)")
CODE = re.compile(r"(`[^`]+`)")
# What means something in reStructuredText: emphasis, substitutions, and names of references.
MARKUP = re.compile(r"([*|\\]|(?<=\w)_+(?!\w))")


def as_rst(text: str, parameters: Collection[str]) -> str:
    """A docstring in reStructuredText; a table of parameters becomes their descriptions."""
    blocks = [list(lines) for filled, lines in groupby(text.split("\n"), key=bool) if filled]
    return "\n\n".join(_block(lines, parameters) for lines in blocks)


def _block(lines: list[str], parameters: Collection[str]) -> str:
    if lines[0].startswith("    "):
        return "::\n\n" + "\n".join(lines)
    if not ROW.fullmatch(lines[0]):
        return _escaped(" ".join(line.strip() for line in lines))
    rows = [
        (found["names"].split(", "), _escaped(found["text"]))
        for found in map(ROW.match, _rows(lines))
        if found
    ]
    if all(name in parameters for names, _ in rows for name in names):
        return "\n".join(f":param {name}: {text}" for names, text in rows for name in names)
    return "\n".join(f"* ``{', '.join(names)}``: {text}" for names, text in rows)


def _rows(lines: list[str]) -> Iterator[str]:
    """The rows of a table, each in one line; text after the table belongs to its last row."""
    row = ""
    for line in lines:
        if ROW.fullmatch(line) and row:
            yield row
            row = ""
        row = f"{row} {line.strip()}".strip()
    yield row


def _escaped(text: str) -> str:
    parts = CODE.split(text)
    return "".join(f"`{part}`" if CODE.fullmatch(part) else MARKUP.sub(r"\\\1", part) for part in parts)


def _process(app: Sphinx, what: str, name: str, obj: Any, options: object, lines: list[str]) -> None:
    parameters: Collection[str]
    try:
        parameters = inspect.signature(obj).parameters
    except (TypeError, ValueError):  # a module, a property
        parameters = {}
    lines[:] = as_rst("\n".join(lines).strip("\n"), parameters).split("\n")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}
