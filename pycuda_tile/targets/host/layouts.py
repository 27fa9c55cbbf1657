"""The layouts of classes as clang prints them (-fdump-record-layouts-canonical), and assertions that another
compiler has the same ones. Compilers differ in which classes have padding that members of a derived class may
lie in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

#: The file that assertions are in, as messages of compilers name it.
FILE = "layouts_of_classes"
_CLASS = re.compile(r"^\*\*\* Dumping AST Record Layout\n(.*?)\[sizeof=(\d+).*?align=(\d+)", re.M | re.S)
_LINE = re.compile(r"^ *(\d+)(:[\d-]+)? \| ( *)(.*)$", re.M)
_FIELD = re.compile(r".*[ *&](\w+)(?: \(empty\))?")
_BASE = re.compile(r"(?<!virtual )\bbase\)( \(empty\))?$")
_KEYWORDS = re.compile(r"\b(?:struct|class|union|enum) |\(anonymous namespace\)::")
# Those of tiles, which are other ones in tile code.
_OURS = re.compile(r"(?:struct|class|union) (?:cuda::tiles|cuda_tile)::")
# A member or an array of members: the type of one.
_MEMBER = re.compile(r"(?:const |volatile )*(.*?)(?:\[\d+\])* \w*(?: \(empty\))?")
# Of the standard library, which each compiler has its own of, and the names that all of them have.
_STANDARD = re.compile(r"(?:struct|class|union) std::")
_STANDARD_FIELDS = ("first", "second")


class Layout(NamedTuple):
    """Of a class.

    fields:    offsets by name, of the class and of its bases, except those in the standard library
    is_whole:  whether these are all of the fields that have names
    has_base:  whether a base with fields precedes some
    """

    name: str
    size: int
    align: int
    fields: dict[str, int]
    is_whole: bool
    has_base: bool


def read_layouts(printed: str) -> list[Layout]:
    """Of all classes but those of tiles and those that have them as members, which differ in any case. Of the
    latter, those with a base remain, as their other members may lie elsewhere, too."""
    layouts = []
    unlike: set[str] = set()  # clang prints a class behind those of its members
    for lines, size, align in _CLASS.findall(printed):
        (*_, name), *members = _LINE.findall(lines)
        layout = _layout(lines, size, align)
        has_tiles = any((it := _MEMBER.fullmatch(text)) and it[1] in unlike for *_, text in members)
        is_ours = _OURS.match(name) is not None
        if is_ours or has_tiles:
            unlike.add(name.removesuffix(" (empty)"))
        if not is_ours and (layout.has_base or not has_tiles):
            layouts.append(layout._replace(is_whole=layout.is_whole and not has_tiles))
    return layouts


def _layout(lines: str, size: str, align: str) -> Layout:
    fields: dict[str, int] = {}
    is_whole, has_base, inside = True, False, 1
    (_, _, _, name), *rest = _LINE.findall(lines)
    for offset, bits, indent, text in rest:
        depth = len(indent) // 2
        if depth > inside:
            continue  # in a field
        inside = depth
        field = _FIELD.fullmatch(text)
        if base := _BASE.search(text):
            has_base = has_base or not base[1]
            inside += not _STANDARD.match(text)
        elif field and not bits and field[1] not in fields:
            fields[field[1]] = int(offset)
        else:
            is_whole = False
    if _STANDARD.match(name):
        fields = {field: fields[field] for field in _STANDARD_FIELDS if field in fields}
        is_whole, has_base = True, False
    name = _KEYWORDS.sub("", name.removesuffix(" (empty)"))
    return Layout(name, int(size), int(align), fields, is_whole, has_base)


def assertions(layouts: Iterable[Layout]) -> Iterator[str]:
    """C++ that fails where a layout is another one: a line for each, behind one that names FILE."""
    yield f'#line 1 "{FILE}"'
    for number, layout in enumerate(layouts):
        own = f"cuda_tile_layout_{number}"
        # A class that cannot be named, such as that of a lambda, leaves an error that says so.
        if "(" in layout.name:
            yield f"using {own} = int::unnamed;"
            continue
        equal = [f"sizeof({own}) == {layout.size} && alignof({own}) == {layout.align}"]
        equal += [f"__builtin_offsetof({own}, {name}) == {offset}" for name, offset in layout.fields.items()]
        yield f"using {own} = {layout.name}; " + " ".join(f"static_assert({each});" for each in equal)


def find_different(layouts: list[Layout], log: str, may_differ: bool) -> Layout | None:
    """The first class whose layout is another one, or may be and cannot be compared.

    log:         what the compiler said of the assertions
    may_differ:  whether classes without bases may, which attributes of the source decide
    """
    for line, error in re.findall(rf"^{FILE}:(\d+):\d+: (?:fatal )?error: (.*)", log, re.M):
        layout = layouts[int(line) - 1]
        if "static assertion failed" in error or layout.has_base or may_differ:
            return layout
    return next((each for each in layouts if not each.is_whole and (each.has_base or may_differ)), None)
