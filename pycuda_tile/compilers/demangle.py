"""Rewrites C++ names in messages of compilers, linkers and loaders: demangled and as sources spell them."""

from __future__ import annotations

import ctypes
import re

_LIBRARY = "libstdc++.so.6"
# CUDA_TILE_ABI of config.h, the header's inline namespace.
_ABI = re.compile(r"\babi_(?:\d+(?:_\d+){4,}|record)::")


def without_abi(text: str) -> str:
    """The text without the inline namespace of the header, which users never write."""
    return _ABI.sub("", text) if "abi_" in text else text


def demangled(text: str) -> str:
    """The text with its mangled names demangled, if the C++ library is available."""
    try:
        demangle = ctypes.CDLL(_LIBRARY).__cxa_demangle
    except (OSError, AttributeError):
        return text
    demangle.restype = ctypes.c_void_p
    free = ctypes.CDLL(None).free
    free.argtypes = [ctypes.c_void_p]

    def replace(found: re.Match[str]) -> str:
        address = demangle(found[0].encode(), None, None, None)
        if not address:
            return found[0]
        name = ctypes.string_at(address).decode(errors="replace")
        free(address)
        return name

    return without_abi(re.sub(r"\b_Z\w+(?:\.\w+)*", replace, text))
