"""The operands of instructions: arrays with an element for each lane."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from .program import Function, PtxError, split
from .types import NUMPY, UNSIGNED, is_signed

Read = Callable[[], np.ndarray]
Write = Callable[[np.ndarray, "np.ndarray | None"], None]

_ADDRESS = re.compile(r"\[\s*([^\s+\]]+)\s*((?:\+\s*-?\w+\s*)*)\]")


class Operands:
    """The operands of one function. `special` has registers such as %tid.x, `symbols` addresses of
    variables."""

    def __init__(self, function: Function, lanes: int, special: dict, symbols: dict, random):
        self.lanes = lanes
        self._special = special
        self._symbols = symbols
        self._kinds = function.registers
        self._registers = {
            name: _garbage(NUMPY[kind], lanes, random) for name, kind in function.registers.items()
        }

    def read(self, text: str, kind: str) -> Read:
        """A function that returns the lanes' values of an operand as the type `kind`."""
        if text in self._registers:
            return self._read_register(self._registers[text], NUMPY[kind])
        value = self._value(text, kind)
        return lambda: value

    def _read_register(self, register: np.ndarray, dtype: np.dtype) -> Read:
        if register.itemsize == dtype.itemsize:
            view = register.view(dtype)
            return lambda: view
        low = UNSIGNED[dtype.itemsize]  # the low bits, or zeros above
        return lambda: register.astype(low).view(dtype)

    def _value(self, text: str, kind: str) -> np.ndarray:
        dtype = NUMPY[kind]
        if text in self._special:
            return self._special[text].astype(dtype)
        if text in self._symbols:
            return np.broadcast_to(self._symbols[text].astype(dtype), self.lanes)
        return np.full(self.lanes, immediate(text, dtype))

    def write(self, text: str, kind: str) -> Write:
        """A function that sets an operand for the lanes in a mask, or for all lanes if the mask is None."""
        if text == "_":
            return lambda value, mask: None
        if text not in self._registers:
            raise PtxError(f"{text} is not a register")
        register = self._registers[text]
        dtype = NUMPY[kind]
        if register.itemsize > dtype.itemsize:
            wide = np.dtype(f"{'i' if is_signed(kind) else 'u'}{register.itemsize}")
            narrow = dtype if is_signed(kind) else UNSIGNED[dtype.itemsize]
            return lambda value, mask: _store(
                register.view(wide), np.asarray(value, dtype).view(narrow).astype(wide), mask
            )
        if register.itemsize < dtype.itemsize:
            raise PtxError(f"{text} is too narrow for {kind}")
        view = register.view(dtype)
        return lambda value, mask: _store(view, value, mask)

    def list_of(self, text: str) -> list[str]:
        """The parts of {a, b}, or the operand itself."""
        return split(text[1:-1].strip()) if text.startswith("{") else [text]

    def kind_of(self, text: str) -> str:
        """The declared type of a register."""
        return self._kinds[text]

    def is_symbol(self, text: str) -> bool:
        return text in self._symbols

    def address(self, text: str) -> tuple[str, Read]:
        """The text of the base in [base+offset], and the lanes' addresses."""
        base, offsets = _ADDRESS.fullmatch(text).groups()
        offset = sum(int(number, 0) for number in offsets.split("+")[1:])
        kind = self._kinds.get(base, "b64")
        read = self.read(base, kind)
        if not offset:
            return base, lambda: read().astype(np.uint64)
        distance = np.uint64(offset % 2**64)
        if kind[1:] == "32":  # wraps in 32 bits
            return base, lambda: (read().astype(np.uint64) + distance) & np.uint64(0xFFFFFFFF)
        return base, lambda: read() + distance


def _garbage(dtype: np.dtype, lanes: int, random: np.random.Generator) -> np.ndarray:
    """The contents of a register before it is written."""
    bits = random.integers(0, 256, lanes * dtype.itemsize, np.uint8)
    return bits % 2 == 1 if dtype.kind == "b" else bits.view(UNSIGNED[dtype.itemsize])


def _store(place: np.ndarray, value: np.ndarray, mask: np.ndarray | None) -> None:
    if mask is None:
        place[...] = value
    else:
        np.copyto(place, value, where=mask, casting="unsafe")


def immediate(text: str, dtype: np.dtype) -> np.generic:
    if text[:2] in ("0f", "0F", "0d", "0D") and len(text) in (10, 18):
        bits = np.uint32 if len(text) == 10 else np.uint64
        value = bits(int(text[2:], 16))
        number = value.view(np.float32 if len(text) == 10 else np.float64)
        return value.astype(dtype) if dtype.kind == "u" else number.astype(dtype)
    try:
        whole = sum(map(_whole, text.split("+")))
    except ValueError:
        raise PtxError(f"unknown operand {text}") from None
    if dtype.kind == "b":
        return np.bool_(whole)
    if dtype.kind not in "ui":
        return np.float64(whole).astype(dtype)
    return np.array(whole % 2 ** (8 * dtype.itemsize), UNSIGNED[dtype.itemsize]).view(dtype)[()]


def _whole(text: str) -> int:
    return int(text.rstrip("U"), 8 if re.fullmatch(r"-?0\d+", text) else 0)
