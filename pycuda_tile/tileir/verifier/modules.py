"""Rules of modules, globals and entries. Functions yield each rule, and what they found if it is broken."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..grammar import Kind
from ..ir import Entry, Global, Tile
from ..module import Module
from ..versions import NEWEST, OLDEST, Version
from . import legal
from .structure import are_hints

_CONSTANT = Kind("constant")
Problem = tuple[str, str]


def module(m: Module) -> Iterator[Problem]:
    if not OLDEST <= tuple(m.version) <= NEWEST:
        yield "version", ".".join(map(str, m.version))


def variable(item: Global, names: set[str], version: Version) -> Iterator[Problem]:
    yield from _symbol(item.name, names)
    if not isinstance(item.type, Tile) or len(item.type.shape) != 1 or legal.wrong(item.type):
        yield "global_1d", str(item.type)
    elif not _CONSTANT.fits(item.type) or legal.since(item.type) > version:
        yield "type_legal", str(item.type)
    elif np.shape(item.value) not in ((), item.type.shape):
        yield "value_fits", f"a value of shape {np.shape(item.value)} for {item.type}"
    if item.alignment and not legal.is_power_of_two(item.alignment):
        yield "alignment_power", str(item.alignment)


def entry(item: Entry, names: set[str]) -> Iterator[Problem]:
    yield from _symbol(item.name, names)
    for value in item.params:
        if not isinstance(value.type, Tile) or value.type.shape:
            yield "entry_params", str(value.type)
    if not are_hints(item.hints):
        yield "attribute_value", f"hints {item.hints!r:.60}"
    last = item.body.ops[-1].name if item.body.ops else "nothing"
    if last != "return":
        yield "entry_ends", last


def _symbol(name: str, names: set[str]) -> Iterator[Problem]:
    if not name:
        yield "symbol_named", "none"
    if name in names:
        yield "symbol_unique", f"@{name} defined twice"
    names.add(name)
