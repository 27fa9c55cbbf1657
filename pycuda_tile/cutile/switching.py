"""Puts our functions in the place of cuda.tile's, and puts its own back."""

from __future__ import annotations

from typing import Any

from ..errors import TargetUnavailable

try:
    import cuda.tile as ct
    from cuda.tile import compilation
    from cuda.tile.tune import _tune, _tune_utils
except ImportError as error:
    raise TargetUnavailable(
        f"pycuda_tile.cutile needs NVIDIA's cuda-tile package ({error}): pip install cuda-tile"
    ) from error

from . import tuning
from .launching import launch
from .signatures import signature_of

_REPLACEMENTS: tuple[tuple[Any, str, Any], ...] = (
    (ct, "launch", launch),
    (_tune, "_benchmark", tuning.benchmark),
    (_tune, "_MAX_MEASURE_TIME_US", tuning.MOST_MICROSECONDS),
    (_tune_utils, "_benchmark", tuning.benchmark),
    (_tune_utils, "_export_ipc_benchmark_payload", tuning.no_payload),
    (compilation.KernelSignature, "from_kernel_args", staticmethod(signature_of)),
)
_originals: list[Any] = []


def enable() -> None:
    """Makes cuda.tile.launch run kernels on the CPU; importing pycuda_tile.cutile does it.

    A name that a module took before, as in `from cuda.tile import launch`, stays what it was.
    """
    if not _originals:
        _originals.extend(vars(owner)[name] for owner, name, _ in _REPLACEMENTS)
        for owner, name, ours in _REPLACEMENTS:
            setattr(owner, name, ours)


def disable() -> None:
    """Gives cuda.tile its own functions back."""
    for (owner, name, _), original in zip(_REPLACEMENTS, _originals, strict=False):
        setattr(owner, name, original)
    _originals.clear()
