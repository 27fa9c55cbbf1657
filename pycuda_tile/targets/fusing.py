"""Which builds may run fused code: those for the cpu that mean the same either way."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence

from ..compilers import toolchain
from ..errors import TargetUnavailable
from .target import Request

#: For both compilers, the one that reads the source and the one that compiles the loops.
_OF_SOURCE = re.compile(r"-[DUI].+|-include.+")
_OF_SOURCE_IN_TWO = ("-D", "-U", "-I", "-include")
_OF_CODE = re.compile(r"-O[23]|-march=.+")
#: Options of the host's compiler that change nothing in what kernels compute.
NEUTRAL = re.compile(
    r"-W(?!p,).*|-w|-f(?:PIC|pic|PIE|pie|openmp|visibility=.*|diagnostics-.*)|-pipe|-pthread|-pedantic.*"
    r"|-mtune=.*"
)


def reason_against(request: Request) -> str:
    """Why a build runs operation by operation even where there are rules and a clang; "" if it need not."""
    if not request.target.fuses:
        return f"the target {request.target.name} runs operation by operation"
    if request.checked:
        return "checked builds run operation by operation"
    for variable in toolchain.AGAINST_FUSING:
        if os.environ.get(variable):
            return f"with {variable} set, kernels run operation by operation"
    for option, kind in _sorted(request.options):
        if not kind:
            return f"with the option {option}, kernels run operation by operation"
    for option, kind in _sorted(_of_command()):
        if not kind:
            return f"with the option {option} in PYCUDA_TILE_CXX, kernels run operation by operation"
    if request.optimize is not True and os.environ.get("PYCUDA_TILE_OPTIMIZE") == "0":
        return "PYCUDA_TILE_OPTIMIZE=0"
    return "" if request.optimize else "optimize=False"


def options_of_source(options: Sequence[str]) -> tuple[str, ...]:
    return tuple(option for option, kind in _sorted(options) if kind == "source")


def options_of_compiler() -> tuple[str, ...]:
    """Those in PYCUDA_TILE_CXX that the front end needs, too, unless that names its own clang."""
    named = toolchain.named_by_user()
    return options_of_source(_of_command()) if named and named.kind == "gcc" else ()


def _of_command() -> Sequence[str]:
    """The options in PYCUDA_TILE_CXX, which may begin with several words, such as `ccache g++`."""
    try:
        named = toolchain.named_by_user()
    except TargetUnavailable:
        return ()
    words = itertools.dropwhile(lambda word: not word.startswith("-"), named.command if named else ())
    return [word for word in words if not NEUTRAL.fullmatch(word)]


#: Of code that is made of Tile IR: without it g++ makes no vectors of rounding to integers. It is not for
#: code of users, as g++ then makes trunc(x) of float(int(x)), which may be -0.
OPTIONS_OF_LOOPS = ("-fno-trapping-math",)


def options_of_code(options: Sequence[str]) -> tuple[str, ...]:
    return OPTIONS_OF_LOOPS + tuple(option for option, kind in _sorted(options) if kind == "code")


def _sorted(options: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What each option is for: "source", "code", or "" for others."""
    follows = False
    for option in options:
        if follows or option in _OF_SOURCE_IN_TWO or _OF_SOURCE.fullmatch(option):
            yield option, "source"
        else:
            yield option, "code" if _OF_CODE.fullmatch(option) else ""
        follows = not follows and option in _OF_SOURCE_IN_TWO
