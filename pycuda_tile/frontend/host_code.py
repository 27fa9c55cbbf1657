"""Finds what only the host half of a source uses and leaves it out, for compilers that read only kernels.

    blanked({file: text, ...}, needed, macros) -> the texts with blanks for the host's declarations, and which

A file may hold both halves: kernels, and functions that allocate, launch and print. Tokens alone do not tell
what a function is for, so a declaration is left out only if no kernel can need it: either it is not marked
for a device and nothing marked names it, directly or indirectly, or it uses something that no device has.
Text keeps its length and its lines.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise

from .declarations import (
    CLASS,
    class_name,
    declared_names,
    function_name,
    is_member_value,
    length_of_head,
    named,
    outer_words,
)
from .tokens import Token, all_tokens

_DEVICE = {"__device__", "__global__", "__tile__", "__tile_global__", "__constant__", "__shared__"}
_TILE = {"__tile__", "__tile_global__"}
_OTHER = {"__host__"} | _DEVICE - _TILE
_KEPT = {"using", "typedef", "namespace", "static_assert", "concept", "enum", "friend", "constexpr", *CLASS}
_PASTED = "##"  # makes any name
_ACCESS = ("public", "private", "protected")
_OPEN = {"(": ")", "[": "]", "{": "}"}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Headers that hold nothing for kernels and may therefore be empty.
HOST_HEADERS = _words(
    """any atomic barrier bitset ccomplex cctype cerrno cfenv charconv chrono cinttypes codecvt complex
    condition_variable coroutine csignal cstdarg ctime ctype.h cuchar cwchar cwctype deque errno.h
    exception execution expected filesystem format forward_list fstream future getopt.h inttypes.h
    iomanip ios iosfwd iostream istream latch list locale map mdspan memory memory_resource mutex new
    ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex source_location
    sstream stack stdexcept stop_token streambuf string string_view syncstream sys/time.h system_error
    thread time.h typeindex typeinfo unistd.h unordered_map unordered_set valarray variant vector
    version"""
)
# What of namespace std no device has.
_HOST_NAMES = _words(
    """accumulate cerr chrono chrono_literals cin clog condition_variable cout default_random_engine deque
    endl exception filesystem fixed forward_list fstream function future generate getline ifstream
    invalid_argument istream istringstream list literals lock_guard logic_error make_shared make_unique
    map mersenne_twister_engine minstd_rand mt19937 mt19937_64 multimap mutex normal_distribution
    ofstream ostream ostringstream out_of_range priority_queue queue random_device runtime_error
    scoped_lock set setprecision setw shared_ptr sort stack stoi string string_literals string_view
    string_view_literals stringstream thread to_string uniform_int_distribution
    uniform_real_distribution unique_lock unique_ptr unordered_map unordered_set vector weak_ptr"""
)
_MAY_BE_HOST = re.compile(r"<<<|\bmain\s*\(|\bstd\s*::|\bcuda[A-Z]")
# Libraries for the host and for threads, of which tile code has no use.
OTHER_LIBRARIES = re.compile(
    r"(?:thrust|cub|cooperative_groups|nvtx3|cuda|cutlass|cute|crt)[./]"
    r"|(?:cu(?:blas|fft|rand|solver|sparse|dnn)|mma|nvrtc|sm_\d\d_)\w*\.h"
    r"|(?:cuda_(?:pipeline|awbarrier|profiler_api|device_runtime_api|gl_interop)|(?:math|device)_functions"
    r"|(?:cuda_)?(?:driver|builtin|texture|surface)_types)\.h"
)
_MAY_BE_OTHER = re.compile(
    rf"{_MAY_BE_HOST.pattern}|\b__(?:global|device|shared|constant|host)__\b|<(?:{OTHER_LIBRARIES.pattern})"
)
_HOST_API = re.compile(r"cuda[A-Z]\w*|throw")


@dataclass
class _Declaration:
    """A declaration, and whether it may be left out."""

    file: str
    tokens: Sequence[Token]
    names: set[str]  # that it declares
    kind: str  # "function", "class", "simple"
    host: bool = False  # uses something that no device has, or is marked for the host
    optional: bool = False  # needed only if it is named
    needed: bool = False
    mentions: set[str] = field(default_factory=set)
    within: _Declaration | None = None  # the class of a member

    @property
    def is_left_out(self) -> bool:
        return self.host or (self.optional and not self.needed)


def blanked(
    texts: Mapping[str, str],
    needed: Iterable[str] = (),
    macros: Mapping[str, str] | None = None,
    tile_only: bool = False,
) -> tuple[dict[str, str], set[str]]:
    """The texts without the declarations that only the host needs, and the names of these; unchanged texts
    if none has a host half.

    texts:     by file, in the order in which a compiler reads them
    needed:    more text whose names are needed: requested kernels, other headers
    macros:    those that the compiler defines
    tile_only: only what is marked for tiles is for kernels; __global__ functions are the host's
    """
    found = _Macros(dict(macros or {}), _TILE if tile_only else _DEVICE)
    files = {file: _File(file, text, found) for file, text in texts.items()}
    if not any(file.has_host_half() for file in files.values()):
        return dict(texts), set()
    try:
        declarations = [declaration for file in files.values() for declaration in file.declarations()]
    except RecursionError:  # no program nests that deeply: the compiler says what is wrong
        return dict(texts), set()
    _leave_aliases(declarations)
    reached = _identifiers(" ".join(needed)).union(*(file.hidden for file in files.values()))
    _find_needed(declarations, found.bodies, reached)
    out = dict(texts)
    left_out = [one for one in declarations if one.is_left_out]
    for one in left_out:
        if not (one.within and one.within.is_left_out):
            out[one.file] = files[one.file].without(out[one.file], one)
    return out, set().union(*(one.names for one in left_out))


def _leave_aliases(declarations: Iterable[_Declaration]) -> None:
    """Marks other names of classes that are for the host as for the host, too."""
    names: set[str] = set()
    for each in declarations:
        is_alias = each.kind == "simple" and each.tokens[0].text in ("using", "typedef")
        words = [token.text for token in each.tokens] if is_alias else []
        if any(word in names and before != "::" for before, word in pairwise(words)):
            each.host = True
        if each.host and (is_alias or each.kind == "class"):
            names |= each.names


def may_have_host_half(text: str, tile_only: bool = False) -> bool:
    """Whether a text is worth splitting into tokens, which takes longer than this test."""
    return bool((_MAY_BE_OTHER if tile_only else _MAY_BE_HOST).search(text))


def _find_needed(
    declarations: Sequence[_Declaration], bodies: Mapping[str, set[str]], reached: set[str]
) -> None:
    """Marks what `reached` and the declarations that stay name, and what that names in turn. `bodies` are the
    names in macros."""
    macros = dict(bodies)
    waiting = list(declarations)
    while True:
        while expanded := [name for name in macros if name in reached]:
            for name in expanded:
                reached |= macros.pop(name)
        everything = _PASTED in reached
        found = [d for d in waiting if not d.host and (not d.optional or everything or d.names & reached)]
        if not found:
            return
        for declaration in found:
            declaration.needed = True
            reached |= declaration.mentions
        waiting = [d for d in waiting if not d.needed]


class _Macros:
    """The macros of all files."""

    def __init__(self, values: dict[str, str], marks: Set[str]):
        self.values = values  # those that #if lines may test
        self.marks = marks  # of declarations for kernels
        self.bodies: dict[str, set[str]] = {}  # the names in each
        self.unclear = set(marks)  # may declare something, or mark it for a device
        self.declaring: set[str] = set()  # stand for whole declarations

    def define(self, name: str, has_parameters: bool, body: str) -> None:
        words = _identifiers(body) | ({_PASTED} if _PASTED in body else set())
        self.bodies.setdefault(name, set()).update(words)
        if has_parameters or words & self.unclear:
            self.unclear.add(name)
        if has_parameters and ("{" in body or ";" in body or words & self.declaring):
            self.declaring.add(name)


class _File:
    """One file: its tokens by what they are."""

    def __init__(self, name: str, text: str, macros: _Macros):
        self.name = name
        self.macros = macros
        tokens = list(all_tokens(text, macros.values))
        self.tokens = [t for t in tokens if t.kind not in ("hidden", "directive", "include")]
        self.directives = [t for t in tokens if t.kind in ("directive", "include")]
        self.includes = {t.text[1:-1] for t in tokens if t.kind == "include"}
        self._hidden = [t for t in tokens if t.kind == "hidden" and t.text.isidentifier()]
        self.hidden: set[str] = set()  # names in what an #if hides, outside of declarations
        for token in self.directives:
            if found := re.match(r"define\s+(\w+)(\(?)(.*)", token.text, re.DOTALL):
                macros.define(found[1], bool(found[2]), found[3])

    def has_host_half(self) -> bool:
        words = [token.text for token in self.tokens]
        return (
            not self.includes.isdisjoint(HOST_HEADERS)
            or ("main", "(") in pairwise(words)
            or _uses_host(self.tokens)
            or (self.macros.marks == _TILE and self._has_other_code(words))
        )

    def _has_other_code(self, words: list[str]) -> bool:
        return not _OTHER.isdisjoint(words) or any(map(OTHER_LIBRARIES.match, self.includes))

    def declarations(self) -> list[_Declaration]:
        reader = _Reader(self)
        reader.read(0, len(self.tokens))
        self._give_hidden(reader.found)
        return reader.found

    def _give_hidden(self, declarations: Sequence[_Declaration]) -> None:
        """What an #if hides may be there after all: the innermost declaration around it mentions it."""
        starts = [token.start for token in self._hidden]
        around: list[_Declaration | None] = [None] * len(starts)
        for each in sorted(declarations, key=lambda declaration: declaration.tokens[0].start):
            first, behind = (bisect(starts, at) for at in (each.tokens[0].start, each.tokens[-1].start))
            around[first:behind] = [each] * (behind - first)
        for token, declaration in zip(self._hidden, around, strict=True):
            (declaration.mentions if declaration else self.hidden).add(token.text)

    def without(self, text: str, declaration: _Declaration) -> str:
        """The text without a declaration, except for preprocessor lines in it."""
        start, end = declaration.tokens[0].start, declaration.tokens[-1].end
        at, parts = start, [text[:start]]
        for directive in self.directives:
            if start <= directive.start < end:
                parts += [_blank(text[at : directive.start]), text[directive.start : directive.end]]
                at = directive.end
        parts += [_blank(text[at:end]), text[end:]]
        return "".join(parts)


class _Reader:
    """Reads the declarations between two tokens of a file."""

    def __init__(self, file: _File, within: _Declaration | None = None):
        self.file = file
        self.tokens = file.tokens
        self.within = within
        self.found: list[_Declaration] = []

    def read(self, at: int, end: int) -> None:
        start = at
        while at < end:
            text = self.tokens[at].text
            if text == ";":
                self._simple(start, at + 1)
                start = at = at + 1
            elif text == ":" and self.within and self.tokens[at - 1].text in _ACCESS:
                start = at = at + 1
            elif text == "(" and at == start + 1 and self.tokens[start].text in self.file.macros.declaring:
                start = at = self._made_by_macro(start, at)
            elif text in ("(", "["):
                at = self._closing(at)
            elif text == "{":
                start, at = self._braces(start, at, end)
            else:
                at += 1

    def _braces(self, start: int, at: int, end: int) -> tuple[int, int]:
        """For a declaration that begins at `start` and has braces at `at`: where the next declaration begins,
        and where to continue."""
        words = outer_words(self.tokens[start:at])
        close = self._closing(at)
        if "namespace" in words or words[-2:-1] == ["extern"]:
            self.read(at + 1, close - 1)
            return close, close
        if words[-1:] == ["requires"] or words[-2:] == ["requires", "()"]:
            return (start, close) if "=" not in words else self._rest(start, close, end)
        is_value = "=" in words and "operator" not in words
        if "()" in words and not is_value:
            if is_member_value(words):
                return start, close
            self._function(start, at, close)
            return close, close
        if CLASS & set(words) and not is_value and "enum" not in words:
            behind = self._rest(start, close, end, declare=False)[0]
            self._class(start, at, close, behind)
            return behind, behind
        return self._rest(start, close, end)

    def _made_by_macro(self, start: int, at: int) -> int:
        """MAKE_KERNEL(name), which no semicolon needs to follow."""
        self._add(start, self._closing(at), "simple", set())
        return self._closing(at)

    def _rest(self, start: int, at: int, end: int, declare: bool = True) -> tuple[int, int]:
        """Continues after the semicolon."""
        while at < end and self.tokens[at].text != ";":
            at = self._closing(at) if self.tokens[at].text in _OPEN else at + 1
        behind = min(at + 1, end)
        if declare:
            self._simple(start, behind)
        return behind, behind

    def _class(self, start: int, at: int, close: int, behind: int) -> None:
        name = class_name(self.tokens[start:at])
        whole = self._add(start, behind, "class", {name, *declared_names(self.tokens[close - 1 : behind])})
        members = _Reader(self.file, whole)
        members.read(at + 1, close - 1)
        whole.host = any(member.host and member.kind == "simple" for member in members.found)
        whole.mentions = named(self.tokens[start:at]) | named(self.tokens[close:behind])
        marked = self.file.macros.marks & {token.text for token in whole.tokens}
        whole.optional = bool(whole.names) and not marked
        if not marked:  # it is there or not: only what cannot be compiled is left out of it
            whole.mentions = whole.mentions.union(*(m.mentions for m in members.found if not m.host))
            members.found = [member for member in members.found if member.host]
        self.found += members.found

    def _function(self, start: int, at: int, close: int) -> None:
        head = self.tokens[start:at]
        marks = {token.text for token in head}
        name = function_name(head)
        found = self._add(start, close, "function", {name})
        if marks & self.file.macros.unclear:
            return
        is_main = name == "main" and not self.within
        is_other = "__global__" in marks or ("__host__" in marks and "__device__" not in marks)
        found.host = is_other or is_main or _uses_host(found.tokens)
        found.optional = name not in ("", "operator") and not marks & {"constexpr", "consteval"}

    def _simple(self, start: int, end: int) -> None:
        """A declaration that ends with a semicolon."""
        tokens = self.tokens[start:end]
        words = {token.text for token in tokens}
        if len(tokens) < 2:
            return
        found = self._add(start, end, "simple", declared_names(tokens))
        head = {token.text for token in tokens[: length_of_head(tokens)]}
        if head & self.file.macros.unclear:
            return
        found.host = _uses_host(tokens) or "__host__" in head
        found.optional = not self.within and not words & _KEPT and bool(found.names)

    def _add(self, start: int, end: int, kind: str, names: set[str]) -> _Declaration:
        tokens = self.tokens[start:end]
        declaration = _Declaration(
            self.file.name, tokens, names - {""}, kind, mentions=named(tokens), within=self.within
        )
        self.found.append(declaration)
        return declaration

    def _closing(self, at: int) -> int:
        """The index behind the bracket that closes the one at `at`."""
        opening = self.tokens[at].text
        closing, depth = _OPEN[opening], 0
        for index in range(at, len(self.tokens)):
            text = self.tokens[index].text
            depth += (text == opening) - (text == closing)
            if depth == 0:
                return index + 1
        return len(self.tokens)


def _identifiers(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_$][\w$]*", text))


def _uses_host(tokens: Sequence[Token]) -> bool:
    """Whether these tokens name something that a device does not have, or launch a kernel."""
    words = [token.text for token in tokens]
    for at, word in enumerate(words):
        if word in _HOST_NAMES and words[at - 2 : at] == ["std", "::"]:
            return True
        if tokens[at].kind == "name" and _HOST_API.fullmatch(word):
            return True
        if (
            word == "<"
            and words[at : at + 3] == ["<", "<", "<"]
            and tokens[at].end + 1 == tokens[at + 2].start
        ):
            return True
    return False


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
