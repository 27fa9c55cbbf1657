"""The exception that ends a run, interpreted or built, when an `assert` fails."""

from __future__ import annotations

from pycuda_tile.errors import Error

from .ir import Operation
from .reading import attribute


def failed_assertion(op: str, block: str, index: str, message: str) -> str:
    """The message for a failed `assert`. block and index are lists of numbers; the index is "" for a
    zero-dimensional tile."""
    where = f" at element [{index}]" if index else ""
    return f"{op}: block ({block}): assertion failed{where}: {message}"


class AssertionFailed(Error, AssertionError):
    """An `assert` of the program failed, in tile block `block` and for the element at `index`."""

    def __init__(
        self, message: str, block: tuple[int, ...] | None = None, index: tuple[int, ...] | None = None
    ):
        super().__init__(message)
        self.message = message
        self.block = block
        self.index = index

    @classmethod
    def of(cls, op: Operation, block: tuple[int, ...], index: tuple[int, ...]) -> AssertionFailed:
        """The failure of `op` in a tile block, at an element."""
        in_block, at = (", ".join(map(str, found)) for found in (block, index))
        return cls(failed_assertion(str(op), in_block, at, attribute(op, "message")), block, index)
