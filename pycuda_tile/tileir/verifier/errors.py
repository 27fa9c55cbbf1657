"""The error that ends verification when a module breaks a rule."""

from __future__ import annotations

from pycuda_tile.errors import Error


class VerifyError(Error, ValueError):
    """A module breaks a rule of Tile IR.

    op:    the name of the operation
    line:  its line in the text, or its position in a module that was not read from text, such as
           "entry kernel, operation 3.1": the first operation inside the third one
    rule:  the name of the rule, as in tables/rules.tsv
    """

    def __init__(self, op: str, line: int | str, rule: str, meaning: str, found: str):
        where = f"line {line}" if isinstance(line, int) else line
        super().__init__(f"{where}: {op}: {meaning}; found {found} (rule {rule})")
        self.op, self.line, self.rule = op, line, rule
