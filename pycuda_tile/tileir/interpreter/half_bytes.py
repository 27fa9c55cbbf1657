"""Accesses to tensors of f4E2M1FN, of which two elements share a byte."""

from __future__ import annotations

import numpy as np

from ..elements import DTYPES, HALF_BYTE
from .memory import Memory
from .report import Report
from .views import Places


def load(memory: Memory, places: Places, otherwise: np.ndarray, report: Report) -> np.ndarray:
    """Elements of a tensor, and `otherwise` outside of it."""
    both = _bytes(memory, places.addresses, places.inside, report)
    high = np.asarray(places.high)
    found = np.where(high, both >> 4, both & 15).view(DTYPES[HALF_BYTE])
    return np.where(places.inside, found, otherwise)


def store(memory: Memory, places: Places, tile: np.ndarray, report: Report) -> None:
    """Stores elements; the other halves of their bytes stay."""
    given = np.ascontiguousarray(tile).view(np.uint8) & 15
    for high in (False, True):
        mask = places.inside & (places.high == high)
        others = _bytes(memory, places.addresses, mask, report) & (0x0F if high else 0xF0)
        memory.store(places.addresses, (others | given << (4 * high)).view(np.int8), mask, report)


def _bytes(memory: Memory, addresses: np.ndarray, mask: np.ndarray, report: Report) -> np.ndarray:
    byte = np.dtype(np.int8)
    return memory.load(addresses, byte, mask, np.zeros((), byte), report).view(np.uint8)
