"""Shared memory of the blocks that run together, and the lanes that accessed each byte since the last
barrier."""

from __future__ import annotations

import numpy as np

from .program import PtxError
from .types import UNSIGNED

_NOBODY, _MANY = -1, -2
_FIRST_WARP = -10  # -10 - w: several lanes of warp w
WARP = 32


class Shared:
    """`size` bytes for each block of `threads` threads.

    Two accesses to one byte by different lanes, at least one of them a write, need a barrier between them, of
    the block or of their warp (bar.warp.sync). Bytes that the asynchronous proxy (wgmma) reads must have been
    written before a fence.proxy.async of the writer and a barrier, and must not change until the group has
    been waited for.
    """

    def __init__(self, blocks: int, size: int, threads: int, random: np.random.Generator):
        self.size = -(-size // 16) * 16
        self.bytes = random.integers(0, 256, blocks * self.size, np.uint8)
        count = len(self.bytes)
        self._writer = np.full(count, _NOBODY, np.int32)
        self._write_time = np.zeros((2, count), np.int32)  # barriers of the block, of the warp, before it
        self._reader = np.full(count, _NOBODY, np.int32)
        self._read_time = np.zeros((2, count), np.int32)
        self._unfenced = np.zeros(count, bool)
        self._pending = np.zeros(count, np.int16)  # open groups that read it
        lanes = np.arange(blocks * threads)
        self._block, self._warp = (
            lanes // threads,
            lanes // threads * (-(-threads // WARP)) + lanes % threads // WARP,
        )
        self._time = np.zeros((2, len(lanes)), np.int32)
        self._groups: dict[tuple[int, int], list[list[np.ndarray]]] = {}

    # --- accesses -------------------------------------------------------------------------------------------

    def load(self, lanes: np.ndarray, addresses: np.ndarray, size: int, count: int) -> np.ndarray:
        first = self._places(lanes, addresses, size * count)
        self._note_reads(lanes, first, size * count)
        flat = self.bytes.view(UNSIGNED[size])
        return np.stack([flat[first // size + i] for i in range(count)], axis=1)

    def store(self, lanes: np.ndarray, addresses: np.ndarray, rows: np.ndarray) -> None:
        size = rows.itemsize
        first = self._places(lanes, addresses, size * rows.shape[1])
        self._note_writes(lanes, first, size * rows.shape[1])
        flat = self.bytes.view(rows.dtype)
        for i in range(rows.shape[1]):
            flat[first // size + i] = rows[:, i]
            self._refuse(flat[first // size + i] != rows[:, i], "and another write at once", lanes, first)

    def _places(self, lanes: np.ndarray, addresses: np.ndarray, size: int) -> np.ndarray:
        offsets = addresses.astype(np.int64)
        if len(offsets) and (offsets.max() + size > self.size or offsets.min() < 0):
            raise PtxError(f"shared memory of {self.size} bytes is left at {offsets.max()}")
        return self._block[lanes] * self.size + offsets

    def _note_reads(self, lanes: np.ndarray, first: np.ndarray, size: int) -> None:
        for place in (first + i for i in range(0, size, min(size, 4))):
            self._refuse(self._races_with_write(lanes, place), "reads", lanes, place)
            known, now = self._reader[place], self._time[:, lanes]
            known = np.where(self._read_time[0, place] == now[0], known, _NOBODY)
            self._set(self._reader, place, self._joined(known, lanes), size)
            if ((last := self._reader[place]) != lanes).any():  # several lanes at one place
                self._set(self._reader, place, self._joined(last, lanes), size)
                different = self._reader[place] != self._joined(self._reader[place], lanes)
                self._set(self._reader, place[different], _MANY, size)
            self._set(self._read_time[0], place, now[0], size)
            self._set(self._read_time[1], place, now[1], size)

    def _note_writes(self, lanes: np.ndarray, first: np.ndarray, size: int) -> None:
        for place in (first + i for i in range(0, size, min(size, 4))):
            self._refuse(self._races_with_write(lanes, place), "writes", lanes, place)
            self._refuse(self._races_with_read(lanes, place), "writes what was read", lanes, place)
            self._refuse(self._pending[place] > 0, "writes what wgmma still reads", lanes, place)
            self._set(self._writer, place, lanes.astype(np.int32), size)
            self._set(self._write_time[0], place, self._time[0, lanes], size)
            self._set(self._write_time[1], place, self._time[1, lanes], size)
            self._set(self._unfenced, place, 1, size)

    def _joined(self, readers: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """The readers of a byte after `lanes` have read it, too."""
        warps = _FIRST_WARP - self._warp[lanes]
        of_warp = (readers == warps) | (readers >= 0) & (
            _FIRST_WARP - self._warp[np.maximum(readers, 0)] == warps
        )
        several = np.where(of_warp, warps, _MANY)
        return np.where((readers == _NOBODY) | (readers == lanes), lanes, several).astype(np.int32)

    @staticmethod
    def _set(array: np.ndarray, place: np.ndarray, values: np.ndarray | int, size: int) -> None:
        for i in range(min(size, 4)):
            array[place + i] = values

    def _races_with_write(self, lanes: np.ndarray, place: np.ndarray) -> np.ndarray:
        writer = self._writer[place]
        recent = (writer >= 0) & (writer != lanes) & (self._write_time[0, place] == self._time[0, lanes])
        if not recent.any():
            return recent
        same_warp = self._warp[np.maximum(writer, 0)] == self._warp[lanes]
        return recent & ~(same_warp & (self._write_time[1, place] < self._time[1, lanes]))

    def _races_with_read(self, lanes: np.ndarray, place: np.ndarray) -> np.ndarray:
        reader = self._reader[place]
        recent = (reader != _NOBODY) & (reader != lanes) & (self._read_time[0, place] == self._time[0, lanes])
        if not recent.any():
            return recent
        ordered = self._read_time[1, place] < self._time[1, lanes]
        warps = self._warp[lanes]
        same_warp = (reader >= 0) & (self._warp[np.maximum(reader, 0)] == warps)
        return recent & ~(ordered & (same_warp | (reader == _FIRST_WARP - warps)))

    def _refuse(self, bad: np.ndarray, what: str, lanes: np.ndarray, place: np.ndarray) -> None:
        if bad.any():
            at = bad.argmax()
            raise PtxError(
                f"thread {lanes[at]} {what} byte {place[at] % self.size} of shared memory without a barrier "
                f"between: written by {self._writer[place[at]]}, read by {self._reader[place[at]]}"
            )

    # --- barriers and fences --------------------------------------------------------------------------------

    def barrier(self, lanes: np.ndarray) -> None:
        self._time[0, lanes] += 1

    def warp_barrier(self, lanes: np.ndarray) -> None:
        self._time[1, lanes] += 1

    def fence_for_proxy(self, lanes: np.ndarray) -> None:
        """fence.proxy.async: the asynchronous proxy may read what these lanes have written."""
        passed = np.zeros(len(self._block), bool)
        passed[lanes] = True
        open_places = np.flatnonzero(self._unfenced)
        self._unfenced[open_places[passed[self._writer[open_places]]]] = False

    # --- the asynchronous proxy -----------------------------------------------------------------------------

    def proxy_load(self, group: tuple[int, int], addresses: np.ndarray) -> np.ndarray:
        """Records the bytes that a warp group (block, its number) reads; addresses may have any shape."""
        block, _ = group
        place = block * self.size + addresses.ravel().astype(np.int64)
        if place.max() >= (block + 1) * self.size:
            raise PtxError(f"wgmma reads byte {addresses.max()} of shared memory of {self.size} bytes")
        if self._unfenced[place].any():
            bad = place[self._unfenced[place].argmax()] % self.size
            raise PtxError(f"wgmma reads byte {bad} of shared memory, written without fence.proxy.async")
        now = self._time[0, np.flatnonzero(self._block == block)[0]]
        if ((self._writer[place] >= 0) & (self._write_time[0, place] == now)).any():
            raise PtxError("wgmma reads shared memory that was written without a barrier after it")
        places = np.unique(place)
        self._pending[places] += 1
        self._groups.setdefault(group, [[]])[-1].append(places)
        return self.bytes[place].reshape(addresses.shape)

    def commit(self, group: tuple[int, int]) -> None:
        self._groups.setdefault(group, [[]]).append([])

    def wait(self, group: tuple[int, int], allowed: int) -> None:
        """Waits until at most `allowed` committed groups are open."""
        committed = self._groups.setdefault(group, [[]])
        lanes = np.flatnonzero(self._block == group[0])
        while len(committed) > allowed + 1:
            for places in committed.pop(0):
                self._pending[places] -= 1
                self._reader[places] = _MANY
                self._read_time[0, places] = self._time[0, lanes[0]]

    def open_groups(self) -> bool:
        return bool(self._pending.any())
