"""Output of kernels on the host: their library stores it (print/captured_printf.h), sys.stdout shows it."""

from __future__ import annotations

import ctypes
import sys


class KernelOutput:
    """The printed text of one library of kernels."""

    def __init__(self, library: ctypes.CDLL):
        self.size = ctypes.c_ulong.in_dll(library, "cuda_tile_output_size")  # bytes not shown yet
        self._take, self._free = library.cuda_tile_take_output, library.cuda_tile_free_output
        self._take.restype, self._take.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
        self._free.restype, self._free.argtypes = None, [ctypes.c_void_p]

    def show(self) -> None:
        """Writes to sys.stdout what launches have printed."""
        if not self.size.value:
            return
        size = ctypes.c_ulong()
        text = self._take(ctypes.byref(size))
        if text:
            written = ctypes.string_at(text, size.value).decode(errors="replace")
            self._free(text)
            if sys.stdout is not None:
                _write(written)


def _write(text: str) -> None:
    """Writes text. Characters that sys.stdout cannot encode become question marks, because it is too late for
    an error: the kernel has run."""
    try:
        sys.stdout.write(text)
    except UnicodeEncodeError:  # before anything was written
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
