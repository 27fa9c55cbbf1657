"""Whether a C++ source uses an entity of the API: searches for its name, depending on its kind, and for the
form in which it is used.

- A name of the namespace counts where it is qualified, as in `ct::add(`, and a function if the overload can
  take that number of arguments.
- A member counts if its class is named as well: `tensor_span` and `.extent(`. The class of `x` in
  `x.extent()` is not determined, nor the overload of a member, except by constants among the arguments, such
  as `ct::memory_order_relaxed_t{}`.
- Operators cannot be told apart by their operands, so one counts if a comment names its id, or its section
  as in `// [2.2.27]` or `// [2.2.26] to [2.2.28]`, and the code has the operator between or before operands.
"""

from __future__ import annotations

import math
import re
from functools import cached_property
from types import SimpleNamespace

from . import cpp
from .declarations import UNNAMED

_QUALIFIED = r"\b(?:ct|tiles)::(?:literals::)?"
_IDS = re.compile(r"\b\d+(?:\.\d+)*/\S+")
_SECTIONS = re.compile(r"\[(\d+(?:\.\d+)+)\](?:\s+to\s+\[(\d+(?:\.\d+)+)\])?")
_CONSTANT = re.compile(r"\w(?:<[^()]*>)?\s*\{\s*\}")  # an argument that is a constant: ct::round_full_t{}
_CONSTANT_PARAMETERS = {"padding", "order", "scope"}
_SPACES = re.compile(r"\s*")
_VARIABLE = re.compile(r"(?:\s+\w+)?")  # a variable's name between its type and its initialiser
_CONVERSION = r"\bstatic_cast<|\bimplicit<|\bexplicit"


class Source:
    """A C++ source that a test builds."""

    def __init__(self, text: str):
        self._code, self._comments = cpp.split_comments(text)

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self._code))

    @cached_property
    def _named(self) -> frozenset[str]:
        """The ids and sections that comments name."""
        sections = set()
        for first, last in _SECTIONS.findall(self._comments):
            sections |= _range(first, last or first)
        return frozenset(sections | set(_IDS.findall(self._comments)))

    def uses(self, row: SimpleNamespace) -> bool:
        owner, _, name = row.name.replace(UNNAMED, "dynamic_extent").rpartition("::")
        if any(word not in self._words for word in re.findall(r"\w+", owner) if word != "literals"):
            return False
        if row.kind == "operator":
            return self._uses_operator(row, owner, name)
        if not self._words.issuperset(re.findall(r"\w{2,}", name)):
            return False
        return self._uses_name(row, owner, name)

    def _uses_name(self, row: SimpleNamespace, owner: str, name: str) -> bool:
        if row.kind == "hint":
            inside = "" if name == "hint" else rf"[^()]*\b{name}\s*="
            return bool(re.search(rf"\bhint\s*\({inside}", self._code))
        if row.kind == "function":
            return self._calls(_QUALIFIED + name, row.form, exactly=False)
        if row.kind == "member" and row.form.endswith(")"):
            return self._calls(rf"(?:\.|->|::)\s*(?:template\s+)?{name}", row.form, exactly=True)
        if row.kind == "constructor":
            return self._constructs(row.form, name)
        if row.kind == "deduction":
            return self._deduces(row.form, name)
        if row.kind == "enumerator" and owner:
            return bool(re.search(rf"\b{owner}::{name}\b", self._code))
        start = r"::\s*(?:template\s+)?" if owner else r"\b" if row.kind == "keyword" else _QUALIFIED
        specialised = re.escape(name.removesuffix("<E>>")).replace("<", r"<(?:\w+::)*")
        return bool(re.search(rf"{start}{specialised}(?!\w)", self._code))

    def _uses_operator(self, row: SimpleNamespace, owner: str, name: str) -> bool:
        token = name.removeprefix("operator").strip()
        if token == '""_ic':
            return bool(re.search(r"\d_ic\b", self._code))
        if not owner and not self._named & {row.id, row.section}:
            return False
        if token[0].isalpha():  # a conversion
            return bool(re.search(_CONVERSION, self._code))
        if token == "()":
            return bool(re.search(r"[})]\s*\(", self._code))
        return bool(re.search(_operator_pattern(token, row.form), self._code))

    def _calls(self, name: str, form: str, exactly: bool) -> bool:
        """Whether there is a call that `form` describes; `exactly`: with as many constants as it has."""
        for found in re.finditer(name + r"(?=\s*[<(])", self._code):
            given = self._arguments(found.end())
            if given is None or not _fits(given, form):
                continue
            if not exactly or _parameters(form)[2] == sum(map(bool, map(_CONSTANT.search, given))):
                return True
        return False

    def _arguments(self, place: int) -> list[str] | None:
        """The arguments of the call or initialiser whose name, or template's name, ends at `place`."""
        place = _end(_SPACES, self._code, place)
        if self._code[place : place + 1] == "<":
            place = _end(_SPACES, self._code, cpp.end_of_group(self._code, place))
        return cpp.arguments(self._code, place) if self._code[place : place + 1] in ("(", "{") else None

    def _constructs(self, form: str, name: str) -> bool:
        """Whether the class, or an alias of it, is constructed from arguments that a constructor takes."""
        aliases = re.findall(rf"\busing\s+(\w+)\s*=\s*(?:\w+::)*{name}(?!\w)[^;:]*;", self._code)
        names = "|".join([name, *aliases])
        for found in re.finditer(rf"\bconstructible<(?=(?:\w+::)*(?:{names})\b)", self._code):
            if _fits(cpp.arguments(self._code, found.end() - 1)[1:], form):
                return True
        for found in re.finditer(rf"\b(?:{names})(?!\w)", self._code):
            place = found.end()
            if self._code[place : place + 1] == "<":
                place = cpp.end_of_group(self._code, place)
            place = _end(_VARIABLE, self._code, place)
            given = self._arguments(place)
            if given is not None and _fits(given, form):
                return True
        return False

    def _deduces(self, form: str, name: str) -> bool:
        """Whether an object is constructed without the arguments of its template."""
        found = re.finditer(rf"\b{name}(?=(?:\s+\w+)?\s*[({{])", self._code)
        every = (self._arguments(_end(_VARIABLE, self._code, at.end())) for at in found)
        return any(given is not None and _fits(given, form) for given in every)


def _end(pattern: re.Pattern[str], code: str, place: int) -> int:
    """Where a match that begins at `place` ends; `place` if there is none."""
    found = pattern.match(code, place)
    return found.end() if found else place


def _range(first: str, last: str) -> set[str]:
    """The sections from first to last, which differ in their last number."""
    parent, _, begin = first.rpartition(".")
    other, _, end = last.rpartition(".")
    return {f"{parent}.{n}" for n in range(int(begin), int(end) + 1)} if parent == other else {first, last}


def _parameters(form: str) -> tuple[int, float, int]:
    """The least and the greatest number of arguments of a form such as `f(x, idx..., y = {})`, and how many
    of its parameters are constants."""
    parameters = cpp.arguments(form, form.rindex("(", 0, form.rindex(")")))
    packs = sum("..." in parameter for parameter in parameters)
    defaults = sum("=" in parameter for parameter in parameters)
    constants = sum(parameter in _CONSTANT_PARAMETERS for parameter in parameters)
    return len(parameters) - packs - defaults, math.inf if packs else len(parameters), constants


def _fits(given: list[str], form: str) -> bool:
    least, most, _ = _parameters(form)
    return least <= len(given) <= most or any("..." in argument for argument in given)


def _operator_pattern(token: str, form: str) -> str:
    escaped = re.escape(token)
    if form.startswith(token):
        return rf"(?<![\w)\]}}+-]){escaped}(?=[\w(:])"
    if form.endswith(token):
        return rf"(?<=[\w)\]]){escaped}(?![\w(])"
    return rf"(?<=[\w)\]}}>]) {escaped} (?=[\w(:+\-!~&*])"
