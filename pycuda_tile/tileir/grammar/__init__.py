"""Reads the tables in tables/ once; bytecode, text and the verifier all follow their rows.

parts.py reads what an operation, a type or an attribute consists of, and formats.py what the text of an
operation looks like; kinds.py has the kinds of operands and results; operations.py assembles a row.
"""

from .formats import Item
from .kinds import ELEMENTS, Kind
from .operations import (
    ATTRIBUTES,
    MEANINGS,
    OPERATIONS,
    OPERATIONS_BY_CODE,
    TYPES,
    Attribute,
    Encoding,
    OperationRow,
    find_operation,
)
from .parts import ENUMS, Enumerator, Part, Values

__all__ = [
    "ATTRIBUTES",
    "ELEMENTS",
    "ENUMS",
    "MEANINGS",
    "OPERATIONS",
    "OPERATIONS_BY_CODE",
    "TYPES",
    "Attribute",
    "Encoding",
    "Enumerator",
    "Item",
    "Kind",
    "OperationRow",
    "Part",
    "Values",
    "find_operation",
]
