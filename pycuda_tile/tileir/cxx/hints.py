"""Optimization hints [2.16]: of kernels as clang evaluates them, of statements by their place."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...compilers import units
from ...frontend import hints as written
from ...frontend.hints import ACCESS_KINDS, KERNEL_KINDS, Hint, MalformedHint
from ...frontend.kernel_info import KernelInfo
from ...frontend.launch_hints import mark
from ...frontend.tokens import Token, expand, tokenize
from ...targets.kernels import find_keywords
from ...targets.target import Request
from ..ir import Constant, Scalar
from .globals import text_at
from .llvm import Aggregate, Global, Number, Place
from .llvm_text import Text

#: By architecture, the value of each kind, as Tile IR has them.
Hints = dict[str, dict[str, Any]]
_ANNOTATION = "cuda_tile hint "
_ARCHITECTURE = 1 << 32  # by which it is multiplied where one number has an architecture and a value
_WITH_OTHERS = ("if", "for", "while", "do", "switch", "{")  # hints are not for the statements in these
_EVALUATED = "::cuda_tile::record::effect<::cuda_tile::record::hints, void>"
_TILE = ("__tile__", "__tile_global__")


def as_attribute(pairs: Iterable[tuple[int, str, int]], kinds: tuple[str, ...]) -> Hints:
    """The valid pairs (architecture, kind, value), of which the last one of a kind counts."""
    found: Hints = {}
    for arch, kind, value in pairs:
        if kind in kinds and not written.why_ignored(Hint(str(arch), kind, str(value))):
            name = f"sm_{arch // 10}" if arch else "default"
            type_ = Scalar("i1" if kind == "allow_tma" else "i32")
            found.setdefault(name, {})[kind] = Constant(type_, value)
    return {name: dict(sorted(found[name].items())) for name in sorted(found)}


# --- kernels ---


def annotate(request: Request, text: str, macros: Mapping[str, str]) -> tuple[str, list[str]]:
    """The source with attributes in place of the hints of kernels, and the lines that define these."""
    if "hint" not in text:
        return text, []
    text, definitions = mark(text, find_keywords(request, macros), _annotations)
    text = _without_packs(text)
    text = evaluated(request, text, macros)
    return text, [f"#define {word} {attributes}" for word, attributes in definitions.items()]


def _without_packs(text: str) -> str:
    """The source without the hints of kernels that are pack expansions, which clang refuses."""
    tokens = [token for token in tokenize(text, {}) if token.kind != "include"]
    for first, behind, inside in _hinted(text, tokens, {}):
        if any(part.endswith(" ...") for part in inside):
            begin, end = tokens[first].start, tokens[behind - 1].end
            text = text[:begin] + re.sub(r"[^\n]", " ", text[begin:end]) + text[end:]
    return text


def _annotations(hints: list[Hint]) -> str:
    parts = []
    for hint in hints:
        number = f"static_cast<long long>({hint.arch}) * {_ARCHITECTURE}ll + static_cast<int>({hint.value})"
        pack = "..." if hint.pack else ""
        parts.append(f'annotate("{_ANNOTATION}{hint.kind}", ({number}){pack})')
    return f"__attribute__(({', '.join(parts)}))" if parts else ""


def kernel_hints(llvm: Text) -> dict[str, Hints]:
    """The hints of each kernel, by its symbol."""
    variable = llvm.variable("llvm.global.annotations")
    pairs: dict[str, list[tuple[int, str, int]]] = {}
    if variable is not None and isinstance(variable.value, Aggregate):
        for annotation in variable.value.elements:
            assert isinstance(annotation, Aggregate)
            function, text, *_, arguments = annotation.elements
            kind = text_at(llvm.variable, text) or ""
            if isinstance(function, Global) and kind.startswith(_ANNOTATION):
                known = pairs.setdefault(function.name, [])
                for number in _numbers(llvm, arguments):
                    arch = (number + _ARCHITECTURE // 2) // _ARCHITECTURE
                    known.append((arch, kind.removeprefix(_ANNOTATION), number - arch * _ARCHITECTURE))
    return {name: as_attribute(found, KERNEL_KINDS) for name, found in pairs.items()}


def hints_in_header(kernel: KernelInfo) -> Hints:
    """The hints of a kernel in a header, where only numbers are known."""
    found = [hint for part in kernel.hints for hint in _parsed(part)]
    pairs = [(hint.arch_number, hint.kind, hint.number) for hint in found]
    return as_attribute([(a, k, v) for a, k, v in pairs if a is not None and v is not None], KERNEL_KINDS)


def _numbers(llvm: Text, operand: object) -> list[int]:
    variable = llvm.variable(operand.name) if isinstance(operand, Global) else None
    if variable is None or not isinstance(variable.value, Aggregate):
        return []
    return [int(x.value) for x in variable.value.elements if isinstance(x, Number)]


# --- statements ---


class Statement(NamedTuple):
    """A statement that has hints: its offset with attributes, and (line, column) of its begin and of its end.

    hints:   architecture, kind and value of each, as in the source
    is_open: whether a call can stand in front of it
    """

    offset: int
    begin: tuple[int, int]
    end: tuple[int, int]
    hints: list[Hint]
    is_open: bool

    @property
    def known(self) -> list[tuple[int, str, int]] | None:
        """The hints as numbers; None if clang has to evaluate them."""
        known = []
        for hint in self.hints:
            if hint.arch_number is None or hint.number is None:
                return None
            known.append((hint.arch_number, hint.kind, hint.number))
        return known


class StatementHints:
    """The hints of statements in a source and in the user's headers, there without those that clang has to
    evaluate."""

    def __init__(self, request: Request, macros: Mapping[str, str]):
        self._file = str(request.path or request.name)
        self._macros = {**macros, **request.defines}
        self._found = statements(request.text, self._macros)
        self._known = {number: found.known for number, found in enumerate(self._found)}
        self._headers: dict[str, list[Statement]] = {}

    def note(self, number: int, values: list[int]) -> None:
        """What clang has evaluated of a statement: architectures and values."""
        kinds = [hint.kind for hint in self._found[number].hints]
        self._known[number] = list(zip(values[::2], kinds, values[1::2], strict=True))

    def at(self, place: Place | None, is_view: bool) -> Hints:
        """The hints of an access to memory by a call at this place."""
        if place is None:
            return {}
        is_source = place.file == self._file
        for number, statement in enumerate(self._found if is_source else self._of_header(place.file)):
            if statement.begin <= (place.line, place.column) < statement.end:
                known = self._known[number] if is_source else statement.known
                return as_attribute(known or (), ACCESS_KINDS if is_view else ("latency",))
        return {}

    def _of_header(self, file: str) -> list[Statement]:
        if file not in self._headers:
            try:
                text = units.read(Path(file))
            except OSError:  # gone since clang read it
                text = ""
            self._headers[file] = statements(text, self._macros)
        return self._headers[file]


def evaluated(request: Request, text: str, macros: Mapping[str, str]) -> str:
    """The source with a call in front of each statement whose hints clang has to evaluate. Lines and columns
    stay as they are."""
    if len(text) != len(request.text):
        return text
    every = statements(request.text, {**macros, **request.defines})
    for number, found in reversed(list(enumerate(every))):
        if found.known is None and found.is_open:
            values = "".join(f", ({hint.arch}), ({hint.value})" for hint in found.hints)
            line, column = _place(text, found.offset)
            call = f"{_EVALUATED}({number}{values});\n#line {line}\n{' ' * (column - 1)}"
            text = text[: found.offset] + call + text[found.offset :]
    return text


def statements(text: str, macros: Mapping[str, str]) -> list[Statement]:
    """The statements in a text that have hints."""
    if "hint" not in text:
        return []
    known = dict(macros)
    tokens = [token for token in tokenize(text, known) if token.kind != "include"]
    found = []
    for first, begin, inside in _hinted(text, tokens, known):
        end = _end(tokens, begin)
        words = {token.text for token in tokens[begin:end]}
        if begin == end or tokens[begin].text in _WITH_OTHERS or not words.isdisjoint(_TILE):
            continue
        is_open = first == 0 or tokens[first - 1].text in (";", "{", "}", ":")
        begins, ends = (_place(text, tokens[at].start) for at in (begin, end))
        hints = [hint for part in inside for hint in _parsed(expand(part, known))]
        found.append(Statement(tokens[first].start, begins, ends, hints, is_open))
    return found


def _parsed(text: str) -> list[Hint]:
    try:
        return written.parse(text)
    except MalformedHint:  # which has been reported
        return []


def _hinted(text: str, tokens: list[Token], macros: dict[str, str]) -> Iterator[tuple[int, int, list[str]]]:
    """(index of the first attribute, index behind the last one, texts of the hints) of each sequence of
    attributes with hints. A macro may stand for an attribute."""
    hints, at = dict(written.find(text, tokens)), 0
    while at < len(tokens):
        first, inside = at, []
        while at < len(tokens):
            body = macros.get(tokens[at].text, "") if tokens[at].kind == "name" else ""
            if "hint" in body:
                inside += [part for _, part in written.find(body, list(tokenize(body, {})))]
                at += 1
            elif [token.text for token in tokens[at : at + 2]] == ["[", "["]:
                end = _end(tokens, at, "]")
                inside += [hints[i] for i in range(at, end) if i in hints]
                at = end + 1
            else:
                break
        if inside:
            yield first, at, inside
        at += at == first


def _end(tokens: list[Token], at: int, last: str = ";") -> int:
    """The token that ends what begins at an index: a statement's semicolon, an attribute's bracket."""
    depth = 0
    for index in range(at, len(tokens)):
        word = tokens[index].text
        depth += (word in ("(", "[", "{")) - (word in (")", "]", "}"))
        if depth < 0 or (depth == 0 and word == last):
            return index
    return len(tokens) - 1


def _place(text: str, offset: int) -> tuple[int, int]:
    line = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, len(text[line:offset].encode()) + 1
