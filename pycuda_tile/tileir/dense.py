"""Converts dense constants between bytes and arrays.

Elements are stored in row-major order, little-endian. A single element stands for all; the array is then a
broadcast view of it and takes no further memory. i1 is packed, 4-bit floats take a byte each, tf32 three.
"""

from __future__ import annotations

import math

import numpy as np

from .elements import DTYPES, bits_of
from .ir import Tile


def splat(array: np.ndarray) -> np.ndarray | None:
    """The element, as a zero-dimensional array, that the array broadcasts; None if it is not a broadcast view
    or has only one element. Examining all 2^24 elements would take time and memory that a file of a few bytes
    must not cost."""
    if array.size < 2 or any(
        step for step, count in zip(array.strides, array.shape, strict=True) if count > 1
    ):
        return None
    return array[(0,) * array.ndim].reshape(())


def element_of(type_: object) -> str | None:
    """The element type of constants of a type; None if the type has no constants."""
    name = str(type_.element) if isinstance(type_, Tile) else ""
    return name if name in DTYPES and name != "i4" else None


def to_elements(raw: bytes, name: str) -> np.ndarray | None:
    """The elements that the bytes hold (for i1, every bit); None if they end in the middle of an element."""
    if name == "i1":
        return np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little").view(bool)
    dtype = DTYPES[name]
    if name == "tf32":
        if len(raw) % 3:
            return None
        parts = np.frombuffer(raw, np.uint8).reshape(-1, 3).astype(np.uint32)
        bits = (parts[:, 0] | parts[:, 1] << 8 | parts[:, 2] << 16) << 13
        return bits.astype(np.uint32).view(np.float32)
    if len(raw) % dtype.itemsize:
        return None
    if bits_of(name) < 8:  # the high bits mean nothing
        return (np.frombuffer(raw, np.uint8) & np.uint8((1 << bits_of(name)) - 1)).view(dtype)
    return np.frombuffer(raw, dtype)


def to_array(elements: np.ndarray, type_: Tile) -> np.ndarray | None:
    """Elements in the shape of the type, without a copy; None if there are too many or too few."""
    size = math.prod(type_.shape)
    if str(type_.element) == "i1":
        if elements.size == 8 and size > 8:  # one byte stands for all
            elements = elements[:1]
        elif elements.size == -(-size // 8) * 8:
            elements = elements[:size]
    if elements.size not in (1, size):
        return None
    return np.broadcast_to(elements, (size,)).reshape(type_.shape)


def to_bytes(array: np.ndarray, name: str) -> bytes:
    """The bytes of elements of type `name`; the bytes of a single element if all are the same."""
    one = splat(array)
    if name == "i1":
        return _bits_to_bytes(array, one)
    flat = np.ascontiguousarray(array if one is None else one).reshape(-1)
    if name == "tf32":
        words = (flat.view(np.uint32) >> 13).astype("<u4")
        raw, width = np.ascontiguousarray(words.view(np.uint8).reshape(-1, 4)[:, :3]).tobytes(), 3
    else:
        raw, width = flat.tobytes(), flat.dtype.itemsize
    return raw[:width] if raw == raw[:width] * flat.size else raw


def _bits_to_bytes(array: np.ndarray, one: np.ndarray | None) -> bytes:
    if one is not None and (one or array.size > 8):
        return b"\xff" if one else b"\x00"
    return np.packbits(np.ascontiguousarray(array).reshape(-1), bitorder="little").tobytes()
