"""Modules of Tile IR: entries and globals that are compiled together."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import BuildTypeError
from .ir import Entry, Global
from .text.printer import print_items
from .versions import NEWEST, Version


@dataclass(eq=False)
class Module:
    """What is compiled together. `version` is that of the file that it was read from, else the newest."""

    entries: list[Entry] = field(default_factory=list)
    globals: list[Global] = field(default_factory=list)
    version: Version = NEWEST
    producer: str = ""
    name: str = ""

    def __str__(self) -> str:
        return self.text()

    def text(self, locations: bool = True) -> str:
        """The text that `tileir.parse` reads; without `locations` it does not say where operations come from,
        and is easier to read."""
        return print_items(self.globals, self.entries, self.name, self.producer, locations)


def check_module(value: object) -> None:
    """BuildTypeError for what is no Module, such as its text."""
    if not isinstance(value, Module):
        reads = {"str": ": tileir.parse reads text", "bytes": ": tileir.read_bytecode reads bytes"}
        name = type(value).__name__
        raise BuildTypeError(f"a module of Tile IR is expected, got {name}{reads.get(name, '')}")
