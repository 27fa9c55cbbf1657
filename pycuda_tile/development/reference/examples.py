"""The examples of the reference: texts in docs/reference/examples/, which tests/reference_pages executes.

An example begins with a line of the ids that it shows. Parts begin with a line of their own; what follows
without one is the code::

    === 2.7.5/store/1 2.7.4/load/1
    --- with
    int* p = {0, 1, ..., 7}
    --- before
    __tile__ int twice(int x) { return 2 * x; }
    --- code
    ct::store(p, twice(5));
    --- prints
    p = {5, 1, 2, 3, 4, 5, 6, 7}

`with` are the kernel's arguments: pointers to arrays, and numbers; in Tile IR `ptr<i32> p = {1, 2}`. `before`
stands in front of the kernel, `code` is its body, or all of it if it has a kernel `example`. `prints` is what
the kernel prints, and then each array that it has changed. `grid` is the number of blocks.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from ...errors import BuildValueError
from ...system.resources import include_dir

FOLDER = include_dir().parent / "docs/reference/examples"
_PARTS = ("with", "before", "code", "prints", "grid")
_ARGUMENT = re.compile(r"(?P<type>.+?)\s*(?P<pointer>\*?)\s+(?P<name>\w+) = (?P<values>.+)")


@dataclass(frozen=True)
class Argument:
    """A parameter of an example's kernel, and what is passed for it."""

    type: str  # of the element, without const
    const: bool
    pointer: bool
    name: str
    values: tuple[str, ...]
    text: str  # the line of the file

    @property
    def declaration(self) -> str:
        return f"{'const ' * self.const}{self.type}{'*' * self.pointer} {self.name}"


@dataclass(frozen=True)
class Example:
    """An example of one or several entities."""

    place: str = field(compare=False)  # file and line
    entities: tuple[str, ...]
    parts: dict[str, str] = field(default_factory=dict, hash=False)

    def __getattr__(self, name: str) -> str:
        if name not in _PARTS:
            raise AttributeError(name)
        return self.parts.get(name, "")

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return tuple(map(self._argument, self.parts.get("with", "").splitlines()))

    def _argument(self, line: str) -> Argument:
        found = _ARGUMENT.fullmatch(line)
        if not found:
            raise BuildValueError(f"{self.place}: {line!r} is not an argument: expected 'int* p = {{1, 2}}'")
        type = re.sub(r"^const |^ptr<(.*)>$", r"\1", found["type"])
        pointer = bool(found["pointer"]) or found["type"].startswith("ptr<")
        values = tuple(_values(found["values"].strip("{}").split(", ")))
        return Argument(type, found["type"].startswith("const "), pointer, found["name"], values, line)


def _values(texts: list[str]) -> Iterator[str]:
    """The numbers of a list, in which '0, 2, ..., 14' stands for an arithmetic progression."""
    for place, text in enumerate(texts):
        if text == "...":
            first, second, last = (int(texts[place + k]) for k in (-2, -1, 1))
            yield from map(str, range(2 * second - first, last, second - first))
        else:
            yield text


def parse(text: str, name: str) -> Iterator[Example]:
    """The examples of a file; `name` is the file's, for messages."""
    line = 1
    for block in re.split(r"^(?==== )", text, flags=re.M):
        if block:
            head, _, body = block.partition("\n")
            yield Example(f"{name}:{line}", tuple(head.split()[1:]), _parts(body, f"{name}:{line}"))
        line += block.count("\n")


def _parts(text: str, place: str) -> dict[str, str]:
    """The parts of an example by name."""
    code, *rest = re.split(r"^--- (.*)\n", text, flags=re.M)
    names, texts = rest[::2], rest[1::2]
    parts = {**({"code": code} if code else {}), **dict(zip(names, texts, strict=True))}
    if not set(parts) <= set(_PARTS) or len(parts) < len(names) + bool(code):
        raise BuildValueError(f"{place}: the parts are {names}, expected each of {_PARTS} at most once")
    return {part: text.strip("\n") for part, text in parts.items()}


@cache
def load(kind: str) -> tuple[Example, ...]:
    """All examples of a folder, `cpp` or `tileir`, in the order of the files' names."""
    return tuple(
        example
        for path in sorted((FOLDER / kind).glob("*.txt"))
        for example in parse(path.read_text(encoding="utf-8"), path.name)
    )


def of(kind: str, entities: set[str]) -> list[Example]:
    """The examples that show one of these entities."""
    return [example for example in load(kind) if entities.intersection(example.entities)]


#: How the code begins if it is a kernel of its own.
KERNEL = "__tile_global__ void example("
#: What stands in front of the examples in C++.
HEAD = """\
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include <type_traits>

#include "cuda_tile.h"
#include "cuda_tile/print.h"

namespace ct = cuda::tiles;
using namespace ct::literals; // 4_ic
using cuda_tile::print;
using int4s = ct::tile<int, ct::shape<4>>;
using float4s = ct::tile<float, ct::shape<4>>;
using int2x4 = ct::tile<int, ct::shape<2, 4>>;"""


def source(number: int, example: Example) -> str:
    """The kernel `example_<number>` of an example in C++, which stands behind HEAD."""
    if KERNEL in example.code:
        return example.code.replace(KERNEL, f"__tile_global__ void example_{number}(")
    parameters = ", ".join(argument.declaration for argument in example.arguments)
    return f"{example.before}\n__tile_global__ void example_{number}({parameters}) {{\n{example.code}\n}}\n"


def module(example: Example) -> str:
    """The module of an example in Tile IR."""
    if "entry @example(" in example.code:
        return example.code
    types = [f"ptr<{a.type}>" if a.pointer else a.type for a in example.arguments]
    names = [argument.name for argument in example.arguments]
    parameters = ", ".join(f"%{name}: tile<{type}>" for name, type in zip(names, types, strict=True))
    return f"entry @example({parameters}) {{\n{textwrap.indent(example.code, '  ')}\n  return\n}}"
