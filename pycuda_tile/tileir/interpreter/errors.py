"""What a run can end with besides the errors that all of the package has."""

from __future__ import annotations

from pycuda_tile.errors import Error


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
