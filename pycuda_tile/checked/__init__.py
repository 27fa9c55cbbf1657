"""Checked builds: launches that find undefined behaviour, and their reports."""

from __future__ import annotations

from ..errors import BuildValueError

#: The kinds of violations, in the order of cuda_tile_violation_kind (include/cuda_tile/launch/violations.h).
KINDS = (
    "integer-overflow", "division-by-zero", "shift-range", "abs-range", "pointer-arithmetic", "shape-size",
    "extract-bounds", "bitcast-value", "assumption", "uninitialized-tile", "extent-index", "extent-range",
    "dimension-map-index", "stride-index", "stride-range", "partition-bounds", "unmasked-partition",
    "not-injective", "irange-step", "irange-bound", "conversion-range", "data-race", "memory-bounds",
    "misaligned-access", "read-only-write",
)  # fmt: skip


def check_ignored(kinds: list[str]) -> tuple[str, ...]:
    """The kinds of violations that are not reported; raises BuildValueError if one does not exist."""
    for kind in kinds:
        if kind not in KINDS:
            raise BuildValueError(
                f"ignore: {kind!r} is not a kind of violation: expected one of {', '.join(KINDS)}"
            )
    return tuple(kinds)
