"""Implements the hints of kernels on the target `simt`: `occupancy` as launch bounds, `num_cta_in_cga` as the
size of clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .hints import KERNEL_KINDS, Hint, MalformedHint, parse

_SM_THREADS = {75: 1024, 86: 1536, 87: 1536, 88: 1536, 89: 1536, 110: 1536, 120: 1536, 121: 1536}


def launch_attributes(hints: Iterable[Hint], arch: int, threads: int, clusters: bool = True) -> str:
    """CUDA attributes for a kernel on sm_<arch> with `threads` threads per block; "" if no hint requests any.

    Architectures and values may depend on template parameters, so the compiler selects the effective ones
    with the functions of core/launch_hints.h.
    """
    hints = [hint for hint in hints if not hint.pack and hint.kind in KERNEL_KINDS]
    occupancy, cluster = (
        _list([hint for hint in hints if hint.kind == kind]) for kind in ("occupancy", "num_cta_in_cga")
    )
    text = ""
    if occupancy:
        fitting = max(1, _SM_THREADS.get(arch, 2048) // threads)
        text = (
            f"__launch_bounds__({threads}, cuda_tile::hinted_occupancy({10 * arch}, {fitting}, {occupancy}))"
        )
    if cluster and clusters and arch >= 90:
        text = text or f"__launch_bounds__({threads})"
        text += f" __cluster_dims__(cuda_tile::hinted_cluster({10 * arch}, {cluster}), 1, 1)"
    return text


def _list(hints: list[Hint]) -> str:
    """A cuda_tile::hint_list, which holds the last eight; "" for none."""
    pairs = ", ".join(f"{{({hint.arch}), ({hint.value})}}" for hint in hints[-8:])
    return f"cuda_tile::hint_list{{{{{pairs}}}}}" if hints else ""


def mark(
    text: str, keywords: Iterable[tuple[int, tuple[str, ...]]], attributes: Callable[[list[Hint]], str]
) -> tuple[str, dict[str, str]]:
    """The source with macros in place of `__tile_global__` where hints request attributes, and the macros'
    definitions.

    keywords:    the places of `__tile_global__` in the text, and the hints of that kernel
    attributes:  the attributes that hints request, "" for none

    The macros' names are as long as the keyword, so errors keep their lines and columns.
    """
    macros: dict[str, str] = {}
    for offset, hints in keywords:
        if asked := attributes(_well_formed(hints)):
            word = next(
                (word for word, value in macros.items() if value == asked), f"__tile_hint_{len(macros):03}"
            )
            if len(word) == len("__tile_global__"):
                macros[word] = asked
                text = text[:offset] + word + text[offset + len(word) :]
    return text, macros


def _well_formed(hints: Iterable[str]) -> list[Hint]:
    found: list[Hint] = []
    for hint in hints:
        try:
            found += parse(hint)
        except MalformedHint:  # `pycuda-tile check` reports it
            continue
    return found
