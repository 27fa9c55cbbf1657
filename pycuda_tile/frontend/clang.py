"""A source as libclang parses it, for what tokens cannot tell: kernels that macros define, and lints.

libclang 18, the newest on PyPI, knows neither hints nor all of C++20 and comes without headers. Headers that
it does not find are stubs, and code in functions that it cannot parse is skipped, so a build never relies on
it alone.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..system import resources
from .kernel_info import KernelInfo, Param, TemplateParam

Cursor = Any  # a cursor of libclang, whose Python module has no types
EXTRA = "frontend"  # see system/install.py
KERNEL, FUNCTION = "cuda_tile kernel", "cuda_tile function"  # annotations of __tile_global__ and __tile__
_MOST_STUBS = 16
_MARKS = f"""
#undef __tile_global__
#undef __tile__
#define __tile_global__ __attribute__((annotate("{KERNEL}")))
#define __tile__ __attribute__((annotate("{FUNCTION}")))
"""
# Headers that a compiler provides itself; all others that are not found are empty.
_STUBS = {
    "stddef.h": "typedef decltype(sizeof 0) size_t; typedef decltype((char*)0 - (char*)0) ptrdiff_t;\n"
    "typedef decltype(nullptr) max_align_t;\n#define NULL nullptr\n"
    "#define offsetof(type, member) __builtin_offsetof(type, member)\n",
    "stdarg.h": "typedef __builtin_va_list va_list;\n",
    "limits.h": "#define CHAR_BIT 8\n#define INT_MAX __INT_MAX__\n#define INT_MIN (-__INT_MAX__ - 1)\n"
    "#define UINT_MAX (__INT_MAX__ * 2u + 1)\n",
    "float.h": "".join(
        f"#define {kind}_{limit} __{kind}_{limit}__\n"
        for kind in ("FLT", "DBL")
        for limit in ("MAX", "MIN", "EPSILON")
    ),
}


@functools.cache
def load() -> Any:
    """The module clang.cindex; None if libclang is not installed or does not load."""
    try:
        from clang import cindex

        cindex.conf.lib  # noqa: B018  loads the library
        return cindex
    except Exception:  # ImportError, or its own LibclangError
        return None


class Unit:
    """A parsed source: `name` is the user's name for it, `path` the one that libclang knows."""

    def __init__(self, translation_unit: Any, name: str, path: str, text: str):
        self.translation_unit = translation_unit
        self.name = name
        self.path = path
        self._texts = {path: text.encode()}

    def text_of(self, file: str) -> bytes:
        """The bytes of a file, in which libclang counts offsets."""
        if file not in self._texts:
            self._texts[file] = Path(os.fsdecode(file.encode())).read_bytes()
        return self._texts[file]

    def place(self, cursor: Cursor) -> tuple[str, int, int]:
        """File, line and column of a cursor, with the user's name for the file."""
        location = cursor.location
        file = location.file.name if location.file else ""
        return (self.name if file == self.path else file), location.line, location.column

    def functions(self) -> Iterator[Cursor]:
        """The definitions of functions and function templates in the user's files."""
        yield from self._functions(self.translation_unit.cursor)

    def _functions(self, parent: Cursor) -> Iterator[Cursor]:
        kinds = load().CursorKind
        ours = str(resources.include_dir()) + os.sep
        for cursor in parent.get_children():
            file = cursor.location.file.name if cursor.location.file else ""
            if file != self.path and (file.startswith(ours) or cursor.location.is_in_system_header):
                continue
            if cursor.kind in (kinds.FUNCTION_DECL, kinds.FUNCTION_TEMPLATE, kinds.CXX_METHOD):
                if cursor.is_definition():
                    yield cursor
            elif cursor.kind in (
                *(kinds.NAMESPACE, kinds.LINKAGE_SPEC, kinds.UNEXPOSED_DECL),
                *(kinds.STRUCT_DECL, kinds.CLASS_DECL, kinds.CLASS_TEMPLATE),
            ):
                yield from self._functions(cursor)


def parse(
    text: str,
    name: str,
    *,
    path: Path | None = None,
    include_dirs: Iterable[Path] = (),
    macros: Mapping[str, str] | None = None,
) -> Unit | None:
    """Parses `text` for a host; arguments as those of scan(). None without libclang, or if it gives up, as on
    names of files that are not in UTF-8."""
    cindex = load()
    if cindex is None:
        return None
    ours = resources.include_dir()
    try:
        main = _in_utf8(path or ours / "pycuda_tile_source.cu")
        folders = [_in_utf8(folder) for folder in include_dirs]
    except UnicodeDecodeError:
        return None
    predefined = ours / "cuda_tile" / "predefined.h"
    files = {main: text, str(predefined): predefined.read_text() + _MARKS}
    arguments = ["-x", "c++", "-std=c++20", "-w", "-ferror-limit=0", f"-include{predefined}", f"-I{ours}"]
    own = (resources.small_float_dir(), resources.nv_target_dir())
    arguments += [f"-I{folder}" for folder in (*folders, *own)]
    arguments += [f"-D{macro}={value}" for macro, value in (macros or {}).items() if macro != "__cplusplus"]
    index = cindex.Index.create()
    for _ in range(_MOST_STUBS):
        try:
            unit = index.parse(main, args=arguments, unsaved_files=list(files.items()))
        except cindex.TranslationUnitLoadError:
            return None
        missing = _missing_headers(unit.diagnostics)
        if not missing:
            break
        files.update({str(ours / header): _STUBS.get(header, "") for header in missing})
    return Unit(unit, name, main, text)


def _in_utf8(path: Path) -> str:
    """A path as libclang takes and gives it, whatever the encoding of the locale."""
    return os.fsencode(path).decode()


def _missing_headers(diagnostics: Iterable[Any]) -> list[str]:
    found = (re.fullmatch(r"'([^']+)' file not found", diagnostic.spelling) for diagnostic in diagnostics)
    return [match[1] for match in found if match and ".." not in match[1]]


def annotations_of(function: Cursor) -> set[str]:
    kinds = load().CursorKind
    return {child.spelling for child in function.get_children() if child.kind == kinds.ANNOTATE_ATTR}


# --- kernels ------------------------------------------------------------------------------------------------


def kernels(unit: Unit) -> list[tuple[KernelInfo, bool]]:
    """The kernels without their hints, and for each whether a macro makes its name."""
    found = []
    for function in unit.functions():
        if KERNEL in annotations_of(function):
            file, line, _ = unit.place(function)
            by_macro = _made_by_macro(unit, function)
            templates = _template_params(function, with_defaults=not by_macro)
            info = KernelInfo(qualified_name(function), templates, _params(function), (), file, line)
            found.append((info, by_macro))
    return found


def qualified_name(cursor: Cursor) -> str:
    kinds = load().CursorKind
    names = [cursor.spelling]
    parent = cursor.semantic_parent
    while parent is not None and parent.kind != kinds.TRANSLATION_UNIT:
        if parent.spelling and parent.kind != kinds.LINKAGE_SPEC and "(" not in parent.spelling:
            names.insert(0, parent.spelling)
        parent = parent.semantic_parent
    return "::".join(names)


def _made_by_macro(unit: Unit, function: Cursor) -> bool:
    """Whether a macro makes a function's name, so the name is not at the place that libclang reports."""
    location = function.location
    text = unit.text_of(location.file.name)
    return not text[location.offset :].startswith(function.spelling.encode())


def _params(function: Cursor) -> tuple[Param, ...]:
    kinds = load().CursorKind
    return tuple(
        Param(child.spelling, _type_text(child.type.spelling))
        for child in function.get_children()
        if child.kind == kinds.PARM_DECL
    )


def _type_text(spelling: str) -> str:
    """A type as the scanner writes it: `const float* __restrict__`."""
    return re.sub(r"\*\s*__restrict\b", "* __restrict__", re.sub(r" (?=[*&])", "", spelling))


def _template_params(function: Cursor, with_defaults: bool) -> tuple[TemplateParam, ...]:
    kinds = load().CursorKind
    names = {
        kinds.TEMPLATE_TYPE_PARAMETER: "type",
        kinds.TEMPLATE_NON_TYPE_PARAMETER: "value",
        kinds.TEMPLATE_TEMPLATE_PARAMETER: "template",
    }
    found = []
    for child in function.get_children():
        if child.kind in names:
            words = [token.spelling for token in child.get_tokens()]
            default = " ".join(words[words.index("=") + 1 :]) if with_defaults and "=" in words else None
            type_ = child.type.spelling if child.kind == kinds.TEMPLATE_NON_TYPE_PARAMETER else ""
            found.append(TemplateParam(names[child.kind], child.spelling, default, type_, "..." in words))
    return tuple(found)
