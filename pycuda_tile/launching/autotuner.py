"""Times configurations of a kernel, selects the fastest, and stores the choice in the cache."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import CellType, FunctionType
from typing import TYPE_CHECKING, TypeVar

from ..compilers import toolchain
from ..errors import BuildTypeError, BuildValueError, Error
from ..system import cache
from . import gpu
from .clock import clock_for
from .kernel import Launch

if TYPE_CHECKING:
    from ..targets.target import Request

Config = TypeVar("Config")

_SHORTEST = 200e-6  # seconds of one timing: shorter launches are repeated within it
_HEATS = ((1, 2.0), (6, 1.15), (14, 1.0))  # rounds, and the slowest that stay, as a multiple of the fastest


def autotune(
    make_kernel: Callable[[Config], Callable[..., object]],
    configs: Iterable[Config],
    *,
    args: Sequence[object],
    key: object,
) -> Config:
    """Returns the configuration with the fastest kernel on this machine.

    make_kernel:  config -> a function that launches the kernel: lambda c: module[f"f<{c}>"][grid_of(c)]
    configs:      the configurations to choose from; each must be representable in JSON
    args:         the arguments of a launch. The kernel runs on them many times, so pass copies of arrays
                  that it changes in place
    key:          what else the choice depends on (name, sizes, element types), representable in JSON.
                  The same key and configurations on the same machine are not timed again, as long as
                  kernels are built in the same way: by the same compilers, for the same `api`, with the
                  same `optimize`, and so on. To see this, make_kernel makes the kernel of the choice again

    Only make_kernel interprets configurations: they may hold sizes of tiles, and on a GPU also `num_threads`,
    lambda c: pct.build(path, num_threads=c[0]).kernel(f"f<{c[1]}>")[grid_of(c)]. If an argument is an array
    on a GPU, events on the current stream of its framework measure the times, so launch on that stream.

    A configuration that cannot be built or launched (pct.Error) is skipped; if none can, the first error is
    raised. Configurations are timed in turn, those close to the fastest more often. The lower quartile of the
    times decides, because other load on the machine only increases them.
    """
    if not callable(make_kernel):
        raise BuildTypeError(f"autotune: make_kernel must be a function, got {type(make_kernel).__name__}")
    if not isinstance(args, (tuple, list)):
        raise BuildTypeError(f"autotune: args must be a tuple of the arguments, got {type(args).__name__}")
    if isinstance(configs, str) or not isinstance(configs, Iterable):
        raise BuildTypeError(
            f"autotune: configs must be a sequence of configurations, got {type(configs).__name__}"
        )
    configs = list(configs)
    if not configs:
        raise BuildValueError("autotune: configs is empty: pass at least one configuration")
    written = _written("configs", configs)
    machine = [toolchain.cpu_identity(), gpu.compute_capability(), *toolchain.identities()]
    machine.append([os.environ.get(name, "") for name in toolchain.ENVIRONMENT])
    if gpu.compute_capability():
        machine.append(gpu.device_name())
    identity = cache.make_key("autotune", written, _written("key", key), machine)
    tuned = False

    def choose(_: object) -> cache.Result:
        nonlocal tuned
        tuned = True
        index, launch = _fastest(make_kernel, configs, args)
        return cache.Result({"choice": index, "way": _way(launch)})

    known = cache.get(identity, choose).meta
    if not tuned and (way := _way_now(make_kernel, configs[known["choice"]])) != known["way"]:
        known = cache.get(cache.make_key(identity, way), choose).meta
    return configs[known["choice"]]


def _way_now(make_kernel: Callable[[Config], Callable[..., object]], config: Config) -> str:
    try:
        return _way(make_kernel(config))
    except Error as error:
        return f"{type(error).__name__}: {error}"


def _way(launch: object) -> str:
    """How the kernels were built that a function launches: those that it stands for or that it names."""
    ways = [request.way for request in _requests(launch)]
    return json.dumps(ways, sort_keys=True, default=str)


def _requests(launch: object) -> Iterator[Request]:
    from ..targets.target import Request

    named: list[object] = []
    if isinstance(launch, functools.partial):
        yield from _requests(launch.func)
    elif isinstance(launch, FunctionType):
        named += map(_contents, launch.__closure__ or ())
        named += map(launch.__globals__.get, launch.__code__.co_names)
    for each in (launch, *named):
        kernel = each.kernel if isinstance(each, Launch) else each
        if isinstance(request := getattr(kernel, "_request", None), Request):
            yield request


def _contents(cell: CellType) -> object:
    """What a function sees as a variable of the one around it; None if that has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _written(name: str, value: object) -> str:
    try:
        return json.dumps(value, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise BuildTypeError(
            f"autotune: {name} must be serializable as JSON, so that the choice can be stored: {error}"
        ) from error


def _fastest(
    make_kernel: Callable[[Config], Callable[..., object]], configs: Sequence[Config], args: Sequence[object]
) -> tuple[int, Callable[..., object]]:
    """The index of the configuration with the shortest time, and its kernel."""
    seconds = clock_for(args)
    launches: dict[int, Callable[..., object]] = {}
    first_error: Error | None = None
    for index, config in enumerate(configs):
        try:
            launch = make_kernel(config)
            if not callable(launch):
                raise BuildTypeError(f"autotune: make_kernel({config!r}) gave {launch!r}, not a function")
            seconds(launch, args, 1)  # the first launch warms up: memory, caches, threads
            launches[index] = launch
        except Error as error:
            first_error = first_error or error
    if first_error and not launches:
        raise first_error
    times = {index: [seconds(launch, args, 1)] for index, launch in launches.items()}
    count = max(1, round(_SHORTEST / max(_shortest(times), 1e-9)))
    for rounds, margin in _HEATS:
        for _ in range(rounds):
            for index, taken in times.items():
                taken.append(seconds(launches[index], args, count))
        limit = margin * _shortest(times)
        times = {index: taken for index, taken in times.items() if _lower_quartile(taken) <= limit}
    index = next(iter(times))
    return index, launches[index]


def _shortest(times: dict[int, list[float]]) -> float:
    return min(map(_lower_quartile, times.values()))


def _lower_quartile(taken: list[float]) -> float:
    return sorted(taken)[len(taken) // 4]
