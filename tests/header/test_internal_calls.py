"""Calls inside the header name their namespace wherever an argument's type depends on the user.

Argument-dependent lookup finds a user's functions in the namespaces of an argument's type: for __half, for
tiles of it, for a user's accessor, the global one. clang's syntax tree says for each call in a template
whether that lookup takes place. nvrtc/test_names_of_users.py tries it with programs, for the GPU, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import pycuda_tile as pct
from pycuda_tile.compilers import nvrtc, toolchain
from pycuda_tile.system import resources

# Functions of these take float, double and vectors of them, which have no namespace.
NUMBERS_ONLY = re.compile(r"platform/host_(math|rounding)\w*\.h$")
_NUMBER = re.compile(
    r"(const |volatile )*(unsigned |signed )*(bool|char|short|int|long|float|double)( int| long)*"
)
_PLACE = re.compile(r"(?<=[<\s])(?:line:(\d+)|col|(?:([^\s<>:,][^<>:,]*)|<[a-z -]+>):(\d+)):\d+")
_LOOKED_UP = re.compile(r"UnresolvedLookupExpr .*\(ADL\) = '([^']+)'")
_TYPE = re.compile(r"'([^']*)'(?::'([^']*)')?")


class Call(NamedTuple):
    place: str  # file:line
    function: str
    types: list[str]  # of the arguments

    @property
    def may_be_the_users(self) -> bool:
        return not all(_NUMBER.fullmatch(of) for of in self.types)


def calls(tree: Iterable[str]) -> Iterator[Call]:
    """The calls in templates that argument-dependent lookup completes, from clang's -ast-dump.

    A place names its file and line only where they differ from the place before.
    """
    file, line = "", "0"
    open_calls: list[tuple[int, Call]] = []  # with their depth in the tree, at which arguments follow
    for text in tree:
        place = None
        for of in _PLACE.finditer(text):
            file, line = of[2] or (file if of[3] is None else ""), of[1] or of[3] or line
            place = place or f"{file}:{line}"
        node = re.search(r"[A-Za-z<]", text)
        depth = node.start() if node else 0
        while open_calls and open_calls[-1][0] > depth:
            yield open_calls.pop()[1]
        is_next = open_calls and open_calls[-1][0] == depth
        if found := _LOOKED_UP.search(text):
            if is_next:
                yield open_calls.pop()[1]
            open_calls.append((depth, Call(str(place), found[1], [])))
        elif is_next and (of := _TYPE.search(text)) and place:
            open_calls[-1][1].types.append(of[2] or of[1])
    yield from (call for _, call in open_calls)


def syntax_tree(source: Path, flags: list[str]) -> list[str]:
    try:
        clang = toolchain.find_clang()
    except pct.TargetUnavailable as error:
        pytest.skip(str(error))  # only clang prints its syntax tree: the message says how to install it
    folders = list(nvrtc.host_include_dirs())
    if clang.kind == "zig":  # the compiler's own headers, which `zig clang` does not find
        folders.append(Path(clang.command[0]).parent / "lib" / "include")
    words = ["-x", "c++", "-std=c++20", "--target=x86_64-linux-gnu", "-fsyntax-only", "-Xclang", "-ast-dump"]
    words += ["-fno-color-diagnostics", f"-I{resources.include_dir()}"]
    words += [word for folder in folders for word in ("-isystem", str(folder))]
    words += ["-idirafter", str(resources.small_float_dir()), *flags, str(source)]
    done = clang.run(words)
    assert "error:" not in done.stdout, re.findall(r".*error:.*", done.stdout)[:5]
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    "flags",
    [
        "-march=x86-64-v4 -DCUDA_TILE_CHECKED=1",
        *(
            pytest.param(flags, marks=pytest.mark.wide)
            for flags in [
                "-march=x86-64",
                "-march=x86-64-v4",
                "-march=sapphirerapids",
                "-march=x86-64-v4 -DCUDA_TILE_EMULATE_AMX=1",
                "-DCUDA_TILE_BLOCK_THREADS=32 -DCUDA_TILE_CHECKED=1",
                "-DCUDA_TILE_BLOCK_THREADS=128 -DCUDA_TILE_WARP_GROUPS=1",
                "-DCUDA_TILE_RECORD=1 -D__CUDA_ARCH__=900",
            ]
        ),
    ],
)
def test_calls_are_qualified(flags: str, tmp_path: Path):
    source = tmp_path / "header.cpp"
    source.write_text('#include "cuda_tile.h"\nvoid f(auto x) { g(x), cuda::tiles::abs(x); }\n')
    found = list(calls(syntax_tree(source, flags.split())))
    assert [call.function for call in found if str(source) in call.place] == ["g"]
    folder = f"{resources.include_dir()}/"
    faults = {
        f"{call.place.removeprefix(folder)}: {call.function}({', '.join(call.types)})"
        for call in found
        if call.place.startswith(folder)
        and not NUMBERS_ONLY.search(call.place.rpartition(":")[0])
        and not call.function.startswith("operator")
        and call.may_be_the_users
    }
    assert not faults, "qualify these calls:\n" + "\n".join(sorted(faults))
