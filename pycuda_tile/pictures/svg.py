"""The text of pictures: SVG, with colours for light and dark surroundings."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import PictureError
from ..system.output_file import write_file

# What a cell's fill means, in light and in dark surroundings.
INK = ("#1b1f24", "#e6edf3")
CARD = ("#ffffff", "#161b22")
FILLS = {
    "plain": ("#f3f4f6", "#21262d"),
    "touched": ("#8ec1ff", "#1d5199"),
    "outside": ("#ffffff", "#161b22"),  # with a dashed border
    "undefined": ("#ffb8b3", "#7d1a1a"),  # with a dashed border
    "overlap": ("#d9b8ff", "#5a3399"),
    "c0": ("#bcd9ff", "#1f4b82"),
    "c1": ("#ffd8b5", "#6e3c0d"),
    "c2": ("#c0ecc8", "#1d5c34"),
    "c3": ("#f3c9f0", "#6b2a68"),
    "c4": ("#fff1a8", "#574c00"),
    "c5": ("#b9efed", "#0f5a5a"),
    "c6": ("#ffc9cf", "#7d2430"),
    "c7": ("#ddd6fe", "#453a8a"),
}


class Picture:
    """A picture as SVG: notebooks show it, `.save(path)` writes it, `str` is its text."""

    def __init__(self, title: str, width: float, height: float, body: str):
        self.title, self.width, self.height = title, width, height
        size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
        self.svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="pct" role="img" {size}>\n'
            f"<title>{html.escape(title)}</title>\n<style>{_style()}</style>\n"
            f'<rect class="card" width="{width:g}" height="{height:g}" rx="6"/>\n{body}</svg>\n'
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an .svg file, which appears whole or not at all."""
        file = Path(path)
        if file.suffix != ".svg":
            raise PictureError(f"a picture is saved as .svg, got {str(path)!r}: browsers and editors show it")
        write_file(file, lambda out: out.write(self.svg.encode()))

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<pycuda_tile picture: {self.title}>"


def rectangle(kind: str, x: float, y: float, width: float, height: float, data: str, tip: str) -> str:
    """A cell; `data` is what tests and scripts read, `tip` what a pointer over it shows."""
    shape = f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f'{shape} data-index="{html.escape(data)}"><title>{html.escape(tip)}</title></rect>\n'


def text(x: float, y: float, words: str, kind: str = "") -> str:
    """Words; centred at x unless their kind is "left"."""
    name = f' class="{kind}"' if kind else ""
    return f'<text{name} x="{x:g}" y="{y:g}">{html.escape(words)}</text>\n' if words else ""


def lines(ends: Iterable[tuple[float, float, float, float]]) -> str:
    """Thick lines, each from a point to another."""
    path = "".join(f"M{x1:g} {y1:g}L{x2:g} {y2:g}" for x1, y1, x2, y2 in ends)
    return f'<path class="edge" d="{path}"/>\n' if path else ""


def _style() -> str:
    return _rules(0) + f"@media (prefers-color-scheme:dark){{{_rules(1)}}}"


def _rules(dark: int) -> str:
    """CSS; each rule begins with .pct, because a notebook's page has other pictures."""
    ink = INK[dark]
    rules = [f".pct {'.' + kind}{{fill:{fill[dark]}}}" for kind, fill in FILLS.items()]
    rules += [
        f".pct .card{{fill:{CARD[dark]}}}",
        f".pct text{{fill:{ink};font:10px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle}}",
        ".pct .left{text-anchor:start}.pct .head{font-weight:bold;font-size:12px;text-anchor:start}",
        f".pct rect{{stroke:{ink};stroke-opacity:.35}}.pct .card{{stroke:none}}",
        ".pct .outside,.pct .undefined{stroke-dasharray:3 2;stroke-opacity:.8}",
        f".pct .edge{{stroke:{ink};stroke-width:2;stroke-linecap:square;fill:none}}",
    ]
    return "".join(rules)
