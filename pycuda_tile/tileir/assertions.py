"""What a run ends with where an `assert` does not hold, interpreted or built."""

from __future__ import annotations

from pycuda_tile.errors import Error

from .ir import Operation
from .reading import attribute


def failed_assertion(op: str, block: str, index: str, message: str) -> str:
    """What is said of an `assert`; block and index are lists of numbers, an index of "" that of a tile
    without dimension."""
    where = f" at element [{index}]" if index else ""
    return f"{op}: block ({block}): assertion failed{where}: {message}"


class AssertionFailed(Error, AssertionError):
    """An `assert` of the program does not hold; `block` and `index` say in which tile block, and for which
    element."""

    def __init__(
        self, message: str, block: tuple[int, ...] | None = None, index: tuple[int, ...] | None = None
    ):
        super().__init__(message)
        self.message = message
        self.block = block
        self.index = index

    @classmethod
    def of(cls, op: Operation, block: tuple[int, ...], index: tuple[int, ...]) -> AssertionFailed:
        """Where `op` does not hold."""
        in_block, at = (", ".join(map(str, found)) for found in (block, index))
        return cls(failed_assertion(str(op), in_block, at, attribute(op, "message")), block, index)
