"""A page of the docs as a list of its code blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

# Fences with a word such as `text`, and directives of the site such as {toctree}, hold no code.
NO_CODE = frozenset(["text", "mermaid"])
FENCE = re.compile(r"^(?P<indent> *)(?P<marks>```+)(?P<language>[^`\n]*)$")
COMMENT = re.compile(r"^ *<!-- (?P<word>not run|compiled|needs): (?P<reason>.+) -->$")
FILE_NAME = re.compile(r"^(?://|#) (?P<name>[\w./-]*\w\.\w+|\.clangd|Makefile|Dockerfile)$")
PICTURE = re.compile(r"(?<!`)!\[[^\]]*\]\((?P<name>[^):]+\.(?:svg|png))\)")


@dataclass
class Block:
    """A fenced block: its text without the fence and its indentation."""

    language: str
    text: str
    line: int  # of its first line of text, from 1
    remark: str = ""  # "not run", "compiled" or "needs", as the comment before the fence says
    reason: str = ""
    output: str | None = None  # what the page says that it prints

    @property
    def file_name(self) -> str:
        """The name of the file that the block is, by its first line; "" if it is none."""
        found = FILE_NAME.match(self.text.partition("\n")[0])
        return found["name"] if found else ""


def blocks_of(page: str) -> list[Block]:
    """The blocks that hold code. A `text` block that follows a Python block is its output."""
    blocks: list[Block] = []
    before: Block | None = None  # the block of Python whose output may follow
    lines = page.split("\n")
    number = 0
    while number < len(lines):
        opening = FENCE.match(lines[number])
        if opening is None:
            if not _leads_to_output(lines[number]):
                before = None
            number += 1
            continue
        end = _end_of(lines, number, opening["marks"])
        indent = len(opening["indent"])
        text = "".join(line[min(indent, len(line)) :] + "\n" for line in lines[number + 1 : end])
        language = opening["language"].strip()
        if language == "text" and before is not None:
            before.output = text
        before = None
        if language not in NO_CODE and not language.startswith("{"):
            remark = COMMENT.match(lines[number - 1]) if number else None
            words = (remark["word"], remark["reason"]) if remark else ("", "")
            blocks.append(Block(language, text, number + 2, *words))
            before = blocks[-1] if language == "python" else None
        number = end + 1
    return blocks


def pictures_of(page: str) -> list[str]:
    """The names of the pictures that the page shows, without addresses in the web."""
    return [found["name"] for found in PICTURE.finditer(page)]


def read_page(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _leads_to_output(line: str) -> bool:
    """Whether the line may stand between a block and its output."""
    return not line.strip() or re.search(r"\bprints:?$", line.rstrip()) is not None


def _end_of(lines: list[str], opening: int, marks: str) -> int:
    for number in range(opening + 1, len(lines)):
        if re.fullmatch(rf" *{marks}`*", lines[number].rstrip()):
            return number
    raise ValueError(f"line {opening + 1}: the block that begins here has no end")
