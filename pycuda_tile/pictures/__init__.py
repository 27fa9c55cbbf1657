"""Pictures of tiles, layouts and views, and `show`, which draws them.

    from pycuda_tile import pictures

    pct.show(pictures.partition_view((10, 12), (4, 4), (1, 2)))    # which elements one partition holds
    pct.show(pictures.partition_view((10, 12), (4, 4)))            # all partitions
    pct.show(pictures.strided_view(20, 8, 4, 2))                   # chunks that overlap
    pct.show(pictures.gather_scatter_view((9, 8), (4, 8), 0, ([7, 0, 0, 3], 0)))
    pct.show(pictures.pointers((3, 5), numpy.arange(8), numpy.arange(8) < 5))
    pct.show(pictures.layout_right_padded((3, 5), 8))              # where elements lie in memory
    pct.show(pictures.tile((16, 8), threads=32))                   # which thread holds which element

The functions have the manual's names. What they return says the same in numbers: a view's `places`, a
layout's `offset(index)`, a tile's `owner` and `slot`.
"""

from __future__ import annotations

from typing import Any

from ..errors import PictureError
from .distribution import Tile, tile
from .layouts import (
    Layout,
    layout_left,
    layout_left_padded,
    layout_of,
    layout_right,
    layout_right_padded,
    layout_strided,
)
from .pointers import Pointers, pointers
from .svg import Picture
from .views import View, gather_scatter_view, partition_view, strided_view

__all__ = [
    "Layout",
    "Picture",
    "Pointers",
    "Tile",
    "View",
    "gather_scatter_view",
    "layout_left",
    "layout_left_padded",
    "layout_of",
    "layout_right",
    "layout_right_padded",
    "layout_strided",
    "partition_view",
    "pointers",
    "show",
    "strided_view",
    "tile",
]


def show(what: Any) -> Picture:
    """Draws a tile, a layout or a view, of rank 3 at most, and returns a Picture.

    what:  a tile, layout, view or pointers of `pycuda_tile.pictures`; a shape, such as (16, 8), for the tile
           of that shape; or an array, for where its elements lie in memory

    A notebook shows the picture, `.save("name.svg")` writes it, and `str` is its text (SVG). Large arrays are
    shortened to what is around the elements in question.

    Raises PictureError, an Error and a ValueError, for anything else.
    """
    if isinstance(what, (Tile, Layout, View, Pointers)):
        return what.picture()
    if isinstance(what, (int, tuple, list)):
        return tile(what).picture()
    if hasattr(what, "shape"):
        return layout_of(what).picture()
    raise PictureError(
        "show: expected a tile, layout or view of pycuda_tile.pictures, the shape of a tile, or an "
        f"array, got {type(what).__name__}"
    )
