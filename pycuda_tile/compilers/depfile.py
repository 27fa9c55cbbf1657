"""The files that a compiler has read, as its -MD output lists them."""

from __future__ import annotations

import os
import re
from pathlib import Path


def read_depfile(path: Path) -> list[str]:
    text = os.fsdecode(path.read_bytes())
    _, _, names = text.replace("\\\n", " ").partition(": ")
    words = re.findall(r"(?:\\.|[^\s\\])+", names)
    return [re.sub(r"\\([ #\\:])", r"\1", word).replace("$$", "$") for word in words]
