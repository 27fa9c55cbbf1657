"""Modules of Tile IR: entries and globals that are compiled together."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from ..errors import BuildTypeError
from .ir import Entry, Global
from .text.printer import print_items
from .versions import NEWEST, Version


@dataclass(eq=False)
class Module:
    """Entries and globals compiled together. `version` is that of the file read, otherwise the newest."""

    entries: list[Entry] = field(default_factory=list)
    globals: list[Global] = field(default_factory=list)
    version: Version = NEWEST
    producer: str = ""
    name: str = ""

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        entries = ", ".join(entry.signature for entry in self.entries)
        return f"<pycuda_tile.tileir.Module: {entries or 'no entries'}>"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text(locations=False))}</pre>"

    def text(self, locations: bool = True) -> str:
        """The text that `tileir.parse` reads. Without `locations` it is easier to read, but does not say
        where operations come from."""
        return print_items(self.globals, self.entries, self.name, self.producer, locations)


def check_module(value: object) -> None:
    """Raises BuildTypeError if the argument is not a Module but, for example, its text."""
    if not isinstance(value, Module):
        reads = {"str": ": tileir.parse reads text", "bytes": ": tileir.read_bytecode reads bytes"}
        name = type(value).__name__
        raise BuildTypeError(f"expected a module of Tile IR, got {name}{reads.get(name, '')}")
