"""The examples of the Tile IR reference show what they say and print what the pages show."""

from __future__ import annotations

import re

import pytest
from example_runs import batches, interpret

from pycuda_tile.development.reference import examples, operations

OPERATIONS = {operation.name for _, members in operations.groups() for operation in members}
SHOWN = {entity: example for example in examples.load("tileir") for entity in example.entities}


def test_every_operation_has_an_example():
    assert SHOWN.keys() == OPERATIONS


def test_examples_use_what_they_show():
    texts = {name: examples.module(example) for name, example in SHOWN.items()}
    assert [name for name, text in texts.items() if not re.search(rf"(?<![%@\w]){name}\b", text)] == []


@pytest.mark.parametrize("batch", batches("tileir", size=200))
def test_examples_print_what_the_page_shows(batch):
    printed = {example.place: (interpret(example).rstrip("\n"), example.prints) for example in batch}
    assert {place: text for place, (text, shown) in printed.items() if text != shown or not text} == {}
