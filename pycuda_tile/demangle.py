"""C++ names in the messages of linkers and loaders, which show them mangled."""

from __future__ import annotations

import ctypes
import re

_LIBRARY = "libstdc++.so.6"


def demangled(text: str) -> str:
    """The text with its mangled names as C++ has them, where the C++ library is at hand."""
    try:
        demangle = ctypes.CDLL(_LIBRARY).__cxa_demangle
    except (OSError, AttributeError):
        return text
    demangle.restype = ctypes.c_void_p
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]

    def replace(found: re.Match) -> str:
        address = demangle(found[0].encode(), None, None, None)
        if not address:
            return found[0]
        name = ctypes.string_at(address).decode(errors="replace")
        free(address)
        return name

    return re.sub(r"\b_Z\w+(?:\.\w+)*", replace, text)
