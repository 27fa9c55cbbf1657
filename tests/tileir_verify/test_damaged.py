"""Bytecode with changed bytes that can still be read: verify() accepts it or raises VerifyError only."""

from __future__ import annotations

import random

import pytest
from bytecode_operations import OPERATIONS
from bytecode_operations import module as operation_module

from pycuda_tile import tileir


def damaged(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 3])):
        at = rng.randrange(12, len(changed))  # after the version
        ways = [rng.randrange(256), changed[at] ^ 1 << rng.randrange(8), changed[rng.randrange(at)]]
        changed[at] = rng.choice(ways)
    return bytes(changed)


@pytest.mark.parametrize("count", [3, pytest.param(200, marks=pytest.mark.wide)], ids=["few", "many"])
def test_verify(count: int) -> None:
    rng, verdicts = random.Random(count), []
    for name in OPERATIONS:
        data = tileir.write_bytecode(operation_module(name))
        for _ in range(count):
            try:
                module = tileir.read_bytecode(damaged(data, rng))
            except tileir.BytecodeError:
                continue
            try:
                tileir.verify(module)
                verdicts.append("")
            except tileir.VerifyError as error:
                verdicts.append(error.rule)
    assert {"", "type_legal"} < set(verdicts)
