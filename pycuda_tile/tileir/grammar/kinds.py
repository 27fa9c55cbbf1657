"""Kinds of operands and results: "int", "0d i32", "1d number", "ptr", "token", "view", "any" and so on."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...spec.element_types import TILEIR_TYPES
from ..ir import Pointer, Scalar, TensorView, Tile, TileView, Token
from ..rows import rows

_MEANINGS = {row["kind"]: row["meaning"] for row in rows("kinds.tsv")}
#: The element types of each kind of tile.
ELEMENTS = {kind: tuple(name for name, e in TILEIR_TYPES.items() if kind in e.kinds) for kind in _MEANINGS}
_NO_TILES = {"token": Token, "view": TileView, "tensor_view": TensorView}


class Kind(NamedTuple):
    """A kind of tables/kinds.tsv; if `rank` is given, for tiles with that many axes."""

    name: str
    rank: int | None = None

    def __str__(self) -> str:
        """The kind in words, for messages."""
        text = _MEANINGS[self.name]
        return text if self.rank is None else f"{text} with {self.rank} axes"

    def fits(self, type_: Any) -> bool:
        """Whether a type is of this kind."""
        if self.rank is not None and not (isinstance(type_, Tile) and len(type_.shape) == self.rank):
            return False
        if self.name == "any":
            return True
        if self.name in _NO_TILES:
            return isinstance(type_, _NO_TILES[self.name])
        if not isinstance(type_, Tile):
            return False
        if self.name == "tile":
            return True
        if self.name == "ptr":
            return isinstance(type_.element, Pointer)
        return isinstance(type_.element, Scalar) and type_.element.name in ELEMENTS[self.name]


def parse_kinds(types: str) -> dict[str, Kind]:
    """The column `types` of tables/operations.tsv, such as "lhs rhs: 0d int; mask: i1", by name."""
    found = {}
    for group in filter(None, types.split(";")):
        names, _, text = group.partition(":")
        rank, _, name = text.strip().rpartition(" ")
        kind = Kind(name, int(rank.removesuffix("d")) if rank else None)
        found.update(dict.fromkeys(names.split(), kind))
    return found
