"""The specification as tables: one row per entity of the C++ API, keyed by its id in the manual's inventory.

The tables in ``tables/`` hold meaning (what an operation takes, returns and does), never C++ text; headers,
documentation and tests are generated from them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

TABLES = Path(__file__).parent / "tables"
#: The versions of CUDA Tile C++, of which the first is the manual's and the last the default.
API_VERSIONS = ("13.3", "13.4", "13.5")
#: The macro that selects one of them in our header, as `api_number` writes it.
API_MACRO = "CUDA_TILE_API_VERSION"


def api_number(version: str) -> str:
    """A version as the value of API_MACRO: "1305" for "13.5"."""
    major, minor = version.split(".")
    return str(100 * int(major) + int(minor))


# Sections are the manual's; those that it lacks begin with the version of the API that has them.
_ID = re.compile(r"(13\.\d:)?\d+(\.\d+)*/\S+")
_SECTION = re.compile(r"(13\.\d:)?\d+(\.\d+)+")
_NAME = re.compile(r"[a-z_][a-z0-9_]*")
_FACTOR = re.compile(r"__\w+|float|double|int8")
_YES_NO = {"yes", "no"}

# column -> what a cell may hold: a pattern, a set of words, or None for any nonempty text
_COMMON = {"id": _ID, "section": _SECTION, "summary": None}
_ELEMENTS = {"arithmetic", "integral", "bool"}
_MODES = {
    "",
    "precise rounding",
    "division rounding",
    "square root rounding",
    "nan propagation",
    "subnormals",
    "approximate rounding",
}
#: The families of one schema: what has an operator or a named form and acts element by element.
ELEMENTWISE = ("arithmetic", "bitwise", "comparison")
_ELEMENTWISE = {
    **_COMMON,
    "name": re.compile(r"([a-z_][a-z0-9_]*)?"),
    "operator": re.compile(r"[-+*/%&|^~!<>=]*"),
    "operands": {"1", "2"},
    "elements": _ELEMENTS,
    "conversion": {"converted", "compared", "broadcast", "same"},
    "result": {"converted", "same", "left", "bool"},
    "function": _NAME,
    "modes": _MODES,
}
_KINDS = {
    "keyword", "hint", "concept", "alias", "variable", "type", "enum", "enumerator",
    "function", "member", "operator", "constructor", "deduction",
}  # fmt: skip
SCHEMAS: dict[str, dict[str, Any]] = {
    # Every entity of the API. The families' tables hold more of what they generate, summaries too.
    "api": {
        "id": _ID,
        "section": _SECTION,
        "name": None,  # in cuda::tiles, unless it is a keyword
        "kind": _KINDS,
        "form": None,  # how it is used
        "header": re.compile(r"(cuda_tile/[a-z_/]+\.h)?"),  # the header that declares it, below include/
        "constant": _YES_NO,  # whether it is evaluated at compile time, and so tested by static assertions
        "exposition": _YES_NO,  # for exposition only in the manual, so it has no header
        "since": set(API_VERSIONS),  # 13.3: the manual
        "summary": re.compile(r".*"),  # empty where a family's table has it
    },
    # How the usable entities are declared, and what else must hold; the names are in cuda::tiles.
    "signatures": {"id": None, "signature": None, "constraint": re.compile(r".*")},
    # page: its name in docs/reference/cpp/; manual: that of the manual's public page
    "chapters": {"id": _SECTION, "title": None, "page": _NAME, "manual": _NAME},
    # Test programs on which NVIDIA's front end disagrees.
    "disagreements": {
        "id": re.compile(r"[a-z][a-z0-9-]*(/right)?"),  # a negative case, or behind # in a positive program
        "section": _SECTION,
        "right": {"manual", "nvidia", "open"},  # whose reading is followed; open: the manual allows both
        "versions": re.compile(r"\d+\.\d+( \d+\.\d+)*"),  # of NVIDIA's front end that disagree
        "why": None,
    },
    "concepts": {
        **_COMMON,
        "name": _NAME,
        "refines": re.compile(r"([a-z_]+( [a-z_]+)*)?"),
        "elements": {
            "", "tile like", "scalar", "pointer", "numeric", "arithmetic", "integral",
            "floating point", "basic floating point", "restricted floating point",
        },
    },
    # What a checked build detects, in the order of cuda_tile_violation_kind.
    "violations": {"id": re.compile(r"[a-z-]+"), "section": _SECTION, "requirement": None},
    # Element types of matrix products: of the operands and the accumulator, of a product without one, and of
    # the sums of instructions. int8 is any integer of 8 bits, int32 any signed one of 32. Then the compute
    # capability, times 10, from which on mma.sync multiplies them (PTX 9.7.14.5), and along which dimensions
    # of an operand neighbours may lie for wgmma (PTX 9.7.15.5.2): k alone, or m and n. The id is PTX's.
    "mma": {
        "id": re.compile(r"[a-z0-9]+"), "section": _SECTION, "left": _FACTOR, "right": _FACTOR,
        "accumulators": re.compile(r"\w+( \w+)*"), "result": {"__half", "float", "double", "int"},
        "sum": {"float", "double", "int"}, "mma_sync": {"", "75", "80", "89"}, "wgmma": {"", "k", "k or mn"},
    },
    # The element types, in the order of documentation; spec/element_types.py says what the columns mean.
    "element_types": {
        "id": re.compile(r"[a-z][a-z0-9_ ]*"),
        "class": {"integral", "basic floating point", "restricted floating point"},
        **dict.fromkeys(("bits", "size"), re.compile(r"\d+")),
        **dict.fromkeys(("exponent", "mantissa", "bias"), re.compile(r"\d*")),
        **dict.fromkeys(("rank", "subrank", "dlpack", "tag"), re.compile(r"\d*")),
        "signed": _YES_NO,
        "specials": re.compile(r"(zero)? ?(inf)? ?(nan)?"),
        "saturates": {"yes", "no", ""},
        "cxx": re.compile(r"([a-z_][a-z0-9_ ]*)?"),  # empty for types that only Tile IR has
        "header": re.compile(r"(\w+\.h)?"),
        "numpy": re.compile(r"\w*"),
        "since": {*API_VERSIONS, ""},
        "tileir": re.compile(r"\w*( \w+)*"),
        "tileir_since": re.compile(r"(\d+\.\d+)?"),
        "kinds": re.compile(r"([a-z0-9]+( [a-z0-9]+)*)?"),
    },
    "constant_families": {**_COMMON, "name": _NAME},
    "constants": {
        "id": _ID, "section": _SECTION, "family": _NAME, "enumerator": _NAME,
        "value": re.compile(r"\d+"), "alias": _NAME, "default": _YES_NO,
    },
    **dict.fromkeys(ELEMENTWISE, _ELEMENTWISE),
    "math": {**_COMMON, "name": _NAME, "operands": {"1", "2"}, "modes": _MODES},
    "reductions": {
        **_COMMON,
        "name": _NAME,
        "elements": _ELEMENTS,
        "function": _NAME,
        "modes": _MODES,
        "kind": {"reduction", "scan", "position"},
    },
    "atomics": {
        **_COMMON,
        "name": _NAME,
        "masked": _YES_NO,
        "function": _NAME,
        "elements": {"integral", "integral float double", "integral float double half"},
    },
}  # fmt: skip


class SpecError(ValueError):
    """A table that does not follow its schema; the message names file, line, column and the wrong cell."""


@dataclass(frozen=True)
class _Place:
    table: str
    line: int

    def error(self, text: str) -> SpecError:
        return SpecError(f"{self.table}.tsv, line {self.line}: {text}")


def _check_cell(place: _Place, column: str, rule: Any, cell: str) -> None:
    if rule is None:
        valid, wanted = bool(cell), "some text"
    elif isinstance(rule, set):
        valid, wanted = cell in rule, "one of " + ", ".join(sorted(repr(word) for word in rule))
    else:
        valid, wanted = rule.fullmatch(cell) is not None, f"a match of {rule.pattern}"
    if not valid:
        raise place.error(f"column {column} holds {cell!r}, expected {wanted}")


def parse(table: str, text: str) -> list[SimpleNamespace]:
    """Rows of one table as objects with a str attribute for each column.

    :raises SpecError: for missing, unknown or misspelt columns, cells that break their rule, repeated ids.
    """
    schema = SCHEMAS[table]
    lines = text.splitlines()
    columns = lines[0].split("\t")
    if set(columns) != set(schema) or len(columns) != len(schema):
        raise _Place(table, 1).error(f"columns are {columns}, expected {sorted(schema)}")
    rows, seen = [], set()
    for number, line in enumerate(lines[1:], start=2):
        place, cells = _Place(table, number), line.split("\t")
        if len(cells) != len(columns):
            raise place.error(f"{len(cells)} cells, expected {len(columns)}")
        row = dict(zip(columns, cells, strict=True))
        for column, cell in row.items():
            _check_cell(place, column, schema[column], cell)
        if row["id"] in seen:
            raise place.error(f"id {row['id']!r} is there twice")
        seen.add(row["id"])
        rows.append(SimpleNamespace(**row))
    return rows


@cache
def load(table: str) -> tuple[SimpleNamespace, ...]:
    """Rows of ``tables/<table>.tsv``; see :func:`parse`."""
    return tuple(parse(table, (TABLES / f"{table}.tsv").read_text(encoding="utf-8")))


def elementwise() -> Iterator[SimpleNamespace]:
    """The rows of the families in ELEMENTWISE."""
    return chain.from_iterable(map(load, ELEMENTWISE))


@cache
def summaries() -> dict[str, str]:
    """What each entity of the API does, by id; from its family's table if the API's table has no text."""
    found: dict[str, str] = {}
    for table in SCHEMAS:
        for row in load(table):
            if getattr(row, "summary", ""):
                found.setdefault(row.id, row.summary)
    return found


def entry(row: SimpleNamespace) -> str:
    """An entity of the API as documentation shows it: `tensor_span::extent(dimension)`."""
    owner = row.name.rpartition("::")[0]
    return f"{owner}::{row.form}" if owner and row.kind in ("member", "alias", "enumerator") else row.form
