"""launch(): a kernel of cuTile Python, exported for its arguments, built once for each signature, and run."""

from __future__ import annotations

import contextlib
import contextvars
import functools
import operator
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import cuda.tile as ct

from .. import tileir
from ..errors import ArgumentTypeError, ArgumentValueError
from .exporting import export
from .signatures import Parameter, ReadOnly, parameters_of, read
from .written import written_parameters

_MOST_BLOCKS = 2**24 - 1  # along each axis, as cuda.tile allows


class Options(NamedTuple):
    """How launches run, see options()."""

    checked: bool | str = False
    interpret: bool = False


_FAST = Options()
_options: contextvars.ContextVar[Options] = contextvars.ContextVar("options")


@contextlib.contextmanager
def options(*, checked: bool | str = False, interpret: bool = False) -> Iterator[None]:
    """Within this context launches of this thread find errors instead of being fast.

    checked:    as pycuda_tile.build takes it: undefined behaviour raises UndefinedBehaviorError
    interpret:  kernels are interpreted, exactly and slowly, with NumPy; no compiler is needed
    """
    token = _options.set(Options(checked, interpret))
    try:
        yield
    finally:
        _options.reset(token)


Run = Callable[[tuple[int, ...], list[Any]], None]


class _Kernel:
    """What is known of a kernel: its parameters, and what runs it for each signature."""

    def __init__(self, kernel: Any):
        self.parameters: list[Parameter] = parameters_of(kernel)
        self.built: dict[tuple, Run] = {}


_known: weakref.WeakKeyDictionary[Any, _Kernel] = weakref.WeakKeyDictionary()
_building = threading.Lock()


def launch(
    stream: object,
    grid: Sequence[int],
    kernel: Any,
    kernel_args: Sequence[object],
    /,
    *,
    programmatic_dependent_launch: bool = False,
) -> None:
    """Runs a kernel of cuTile Python on the CPU; it has ended when this returns.

    stream:       does nothing here; None will do
    grid:         a tuple of up to three numbers of blocks
    kernel:       a function with the decorator cuda.tile.kernel
    kernel_args:  a tuple: NumPy arrays, PyTorch tensors on the CPU and other arrays with DLPack, numbers,
                  constants, tuples of these, lists of arrays
    programmatic_dependent_launch: does nothing here, since a launch waits for the one before

    Raises cuda.tile's own errors for a kernel that it refuses, TypeError and ValueError (as
    pycuda_tile.LaunchError) for arguments, pycuda_tile.tileir.AssertionFailed if ct.assert_ fails.
    """
    if not isinstance(kernel, ct.kernel):
        raise ArgumentTypeError(f"expected a kernel with the decorator ct.kernel, got {kernel!r:.80}")
    blocks = _checked_grid(grid)
    if not isinstance(kernel_args, (tuple, list)):
        raise ArgumentTypeError(
            f"kernel_args: expected a tuple of the kernel's arguments, got {type(kernel_args).__name__}"
        )
    function = getattr(kernel, "_pyfunc", kernel)  # one for all kernels that differ in hints only
    if (known := _known.get(function)) is None:
        known = _known[function] = _Kernel(kernel)
    passed = read(known.parameters, kernel_args)
    chosen = _options.get(_FAST)
    key = (chosen, passed.keys)
    if (run := known.built.get(key)) is None:
        with _building:
            run = known.built.get(key) or _build(kernel, passed.keys, chosen)
            known.built[key] = run
    run(blocks, passed.values)


def _checked_grid(grid: object) -> tuple[int, ...]:
    if not isinstance(grid, (tuple, list)) or len(grid) > 3:
        raise ArgumentTypeError(f"grid: expected a tuple of up to three integers, got {grid!r}")
    return tuple(_checked_blocks(n, axis) for axis, n in enumerate(grid)) or (1,)


def _checked_blocks(given: Any, axis: int) -> int:
    try:
        n = operator.index(given)
    except TypeError:
        n = None
    if n is None or isinstance(given, bool):
        raise ArgumentTypeError(f"grid: expected integers, got {given!r} for Grid[{axis}]")
    if n > _MOST_BLOCKS:
        raise ArgumentValueError(
            f"Grid[{axis}] exceeds 24-bit limit: max={_MOST_BLOCKS}, got={n}. "
            "Use multiple kernel launches for larger workloads."
        )
    if n < 1:
        raise ArgumentValueError(f"Grid[{axis}] must be at least 1, got={n}")
    return n


def _build(kernel: Any, keys: tuple[tuple, ...], chosen: Options) -> Run:
    m = export(kernel, keys)
    (entry,) = m.entries
    written = written_parameters(entry)
    if chosen.interpret:
        launch_on = functools.partial(tileir.interpret, m, entry.name)
    else:
        arguments: dict[str, Any] = {"checked": chosen.checked} if chosen.checked else {}
        built = tileir.build(m, **arguments).kernel("kernel")

        def launch_on(grid: Any, *values: object) -> None:
            built[grid](*values)

    def run(grid: tuple[int, ...], values: list[Any]) -> None:
        for i in written:
            if type(values[i]) is ReadOnly:
                raise ArgumentValueError(
                    f"Invalid {values[i].where}: the kernel stores to this array, which is read-only"
                )
        launch_on(grid, *values)

    return run
