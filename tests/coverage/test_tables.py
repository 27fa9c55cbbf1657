"""The table of the API contains everything in the families' tables, and each of its entities exists."""

from __future__ import annotations

import pytest

from pycuda_tile import spec
from pycuda_tile.development.coverage import checkout, reference_text, statuses
from pycuda_tile.development.coverage.sources import Sources
from pycuda_tile.system.resources import include_dir

ROWS = spec.load("api")
# Tables of which each row generates an entity of the API.
FAMILIES = [
    t for t, schema in spec.SCHEMAS.items() if schema["id"] is spec.SCHEMAS["api"]["id"] and t != "api"
]


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """The status of each row, considering only those tests that are programs of static assertions."""
    root = checkout()
    sources = Sources(root, tmp_path_factory.mktemp("built"))
    return statuses(ROWS, include_dir(), reference_text(root), sources)


@pytest.mark.parametrize("table", FAMILIES)
def test_rows_of_families_are_in_the_api(table):
    api = {row.id: row for row in ROWS}
    for row in spec.load(table):
        assert row.id in api
        name = getattr(row, "name", None) or f"operator{getattr(row, 'operator', '')}"
        assert table == "constants" or api[row.id].name == name
        assert f"{api[row.id].section}.".startswith(f"{row.section}.")


def test_every_entity_has_a_summary_and_a_chapter():
    chapters = {chapter.id for chapter in spec.load("chapters")}
    for row in ROWS:
        assert spec.summaries().get(row.id), row.id
        assert any(f"{row.section}.".startswith(f"{chapter}.") for chapter in chapters), row.id
        assert row.id.startswith(f"{row.section}/")


def test_only_what_needs_no_header_has_none():
    without = {row.id for row in ROWS if not row.header}
    assert without == {row.id for row in ROWS if row.exposition == "yes" or row.kind == "hint"}


def test_every_entity_is_implemented(found):
    assert [status.row.id for status in found if not status.implemented] == []


def test_every_entity_is_documented(found):
    assert [status.row.id for status in found if not status.documented] == []


@pytest.mark.parametrize("target", ["cpu", "emulated", "simt"])
def test_static_assertions_test_what_compilers_evaluate(found, target):
    """Functions are tested by kernels; `pycuda-tile coverage` reports forgotten ones after the tests."""
    static = [status for status in found if status.row.constant == "yes"]
    assert [status.row.id for status in static if not status.tested[target]] == []
