"""The examples of the C++ reference show what they say and print what the pages show."""

from __future__ import annotations

import pytest
from example_runs import batches, cut, run

from pycuda_tile.development.coverage.uses import Source
from pycuda_tile.development.reference import examples, pages

ROWS = {row.id: row for row in pages.usable()}
SHOWN = {entity: example for example in examples.load("cpp") for entity in example.entities}


def test_every_entity_has_a_signature():
    assert pages.signatures().keys() == ROWS.keys()


def test_every_entity_has_an_example():
    assert sorted(ROWS.keys() - SHOWN.keys()) == []


def test_examples_show_entities_of_the_api():
    assert sorted(SHOWN.keys() - ROWS.keys()) == []


def test_examples_use_what_they_show():
    """Operators are known by the ids in a comment."""
    sources = {
        example: Source(f"// {' '.join(example.entities)}\n{examples.HEAD}\n{example.before}\n{example.code}")
        for example in SHOWN.values()
    }
    assert [id for id, example in SHOWN.items() if id in ROWS and not sources[example].uses(ROWS[id])] == []


def test_every_example_prints_or_asserts():
    shown = SHOWN.values()
    assert [e.place for e in shown if not e.prints and "static_assert" not in e.before + e.code] == []


@pytest.mark.parametrize("batch", batches("cpp"))
def test_examples_print_what_the_page_shows(batch):
    assert differences(batch, run(batch)) == {}


@pytest.mark.wide
@pytest.mark.parametrize("batch", cut(examples.load("cpp"), 40), ids=lambda batch: batch[0].place)
def test_examples_print_the_same_where_threads_share_blocks(batch):
    assert differences(batch, run(batch, "emulated")) == {}


def differences(batch, printed) -> dict[str, str]:
    """What other texts than those of the pages are printed, by the examples' places."""
    found = zip(batch, printed, strict=True)
    return {example.place: text for example, text in found if text.rstrip("\n") != example.prints}
