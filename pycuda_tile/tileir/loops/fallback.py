"""Fallback: why some operations are not fused."""

from __future__ import annotations

from ..ir import Operation


class Fallback(Exception):
    """There is no rule for fusing an operation with those before it. The message says why; `op` has the
    user's line. `by_order` is whether it only must follow them."""

    def __init__(self, op: Operation, reason: str, *, by_order: bool = False):
        super().__init__(f"{op}: {reason}")
        self.op = op
        self.reason = reason
        self.by_order = by_order
