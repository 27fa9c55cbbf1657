"""What a block printed, compared with what its page says."""

from __future__ import annotations

import re


def same_output(shown: str, printed: str) -> bool:
    """Whether `printed` is what the page shows. Blanks at the ends of lines and empty lines at both ends do
    not count; a line `...` stands for any lines, and `…` within a line for any text."""
    lines = [_pattern(line) for line in _lines(shown)]
    return re.fullmatch("".join(lines), "".join(line + "\n" for line in _lines(printed))) is not None


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").rstrip().split("\n")]


def _pattern(line: str) -> str:
    if line.strip() == "...":
        return r"(?:.*\n)*?"
    return r".*?".join(re.escape(part) for part in line.split("…")) + r"\n"
