"""The error of a launch that must be fused but fails the test before a group of loops."""

from __future__ import annotations

import re

from ...errors import LaunchError


def refusal(message: str) -> LaunchError | None:
    """Translates the exception of such a launch (cuda_tile/loops/refusal.h); None for others."""
    found = re.search(r"^(.*)an exception left the kernel: not fused: (.*)$", message)
    if found is None:
        return None
    place = f"{found[2]}: " if found[2] else ""
    return LaunchError(
        f"{found[1]}{place}with these arguments the loops of fused code would change the result, because "
        'arrays overlap or indices wrap around: pass others, or build with optimize="auto", which runs '
        "such a launch operation by operation"
    )
