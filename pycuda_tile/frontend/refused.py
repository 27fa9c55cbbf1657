"""Marks what NVIDIA's tile compiler refuses in tile code and LLVM IR no longer shows, such as `goto`.

    marked(text, tile_words) -> the text with a call before each such construct

The calls do nothing but stay: where one is found in a kernel's LLVM IR, the kernel reaches the construct. It
does not reach code for the host, templates that nobody instantiates, and branches that `if constexpr`
discards. Lines keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Set

from .tokens import all_tokens

#: The reasons, in the order of their numbers in calls.
REASONS = (
    "goto is unsupported in tile code",
    "continue in a switch is unsupported in tile code: leave the switch first, or use if",
    "a case label in an if or a loop within its switch is unsupported in tile code",
    "a virtual function is unsupported in tile code",
    "a function with a variable argument list is unsupported in tile code: use a parameter pack",
    "tile code cannot call a function that is marked for other code and not __tile__",
)
_GOTO, _CONTINUE, _CASE, _VIRTUAL, _VARIADIC, OTHER_CODE = range(len(REASONS))
_TILE = {"__tile__", "__tile_global__"}
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BEFORE_A_BODY = {")", "const", "volatile", "noexcept", "override", "final", "&"}
_WORTH_IT = re.compile(r"\b(?:goto|switch|virtual|override|__device__|__host__)\b|\.\.\.\s*\)")


def _call(reason: int) -> str:
    return f"::cuda_tile::record::refuse<{reason}>();"


def _before(reason: int) -> str:
    """What may stand before any statement: it makes one statement of both, which no `else` can belong to."""
    return f"switch ({_call(reason)} 0) default: "


def tile_words(texts: Iterable[str]) -> frozenset[str]:
    """The words that mark tile functions: the keywords, and macros that stand for one."""
    return marking_words(texts, _TILE)


def marking_words(texts: Iterable[str], keywords: Set[str]) -> frozenset[str]:
    """Some keywords, and macros that stand for one."""
    bodies: dict[str, set[str]] = {}
    for text in texts:
        for name, body in re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*(?:\\\n.*)*)", text, re.MULTILINE):
            bodies.setdefault(name, set()).update(re.findall(r"\w+", body))
    found = set(keywords)
    while more := {name for name, words in bodies.items() if name not in found and words & found}:
        found |= more
    return frozenset(found)


def marked(text: str, words: frozenset[str] = frozenset(_TILE)) -> str:
    """The text with the marks; `words` are those of tile_words()."""
    if not _WORTH_IT.search(text):
        return text
    marks = _Marks(text, words)
    marks.find()
    for at, call in sorted(marks.found.items(), reverse=True):
        text = f"{text[:at]}{call}{text[at:]}"
    return text


class _Marks:
    """`found`: what is to be inserted at which offset."""

    def __init__(self, text: str, words: frozenset[str]):
        every = [token for token in all_tokens(text, {}) if token.kind != "include"]
        self.tokens = [token for token in every if token.kind != "directive"]
        self.words = words
        self.found: dict[int, str] = {}
        self.directives = [token for token in every if token.kind == "directive"]
        for token in self.directives:
            if token.text.startswith("define"):
                for goto in re.finditer(r"\bgoto\b", text[token.start : token.end]):
                    self.found[token.start + goto.start()] = _before(_GOTO)

    def find(self) -> None:
        rules: dict[str, Callable[[int], None]] = {
            "goto": lambda at: self._insert(self.tokens[at].start, _before(_GOTO)),
            "switch": self._switch,
            "virtual": self._virtual,
            "override": self._override,
            ".": self._variadic,
            "__device__": self._other_code,
            "__host__": self._other_code,
        }
        for at, token in enumerate(self.tokens):
            if token.text in rules and token.kind != "string":
                rules[token.text](at)

    def _insert(self, offset: int, call: str) -> None:
        self.found.setdefault(offset, call)

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""

    def _behind(self, at: int) -> int:
        """The index behind the bracket that closes the one at `at`."""
        opening, depth = self._text(at), 0
        for index in range(at, len(self.tokens)):
            text = self._text(index)
            depth += (text == opening) - (text == _CLOSING[opening])
            if depth == 0:
                return index + 1
        return len(self.tokens)

    # --- functions ---

    def _virtual(self, at: int) -> None:
        self._body(at, _VIRTUAL)

    def _override(self, at: int) -> None:
        if self._text(at + 1) == "{" and self._text(at - 1) in _BEFORE_A_BODY:
            self._insert(self.tokens[at + 1].end, _call(_VIRTUAL))

    def _variadic(self, at: int) -> None:
        """`(int n, ...) {`, but no parameter pack, and no handler of exceptions."""
        if "".join(self._text(at + i) for i in range(4)) != "...)" or self._text(at - 1) not in (",", "("):
            return
        if self._text(at + 4) == "{" and self._text(at - 2) != "catch":
            self._insert(self.tokens[at + 4].end, _call(_VARIADIC))

    def _other_code(self, at: int) -> None:
        start = at
        while start > 0 and self._text(start - 1) not in (";", "{", "}"):
            start -= 1
        end = at
        while end < len(self.tokens) and self._text(end) not in ("{", ";"):
            end = self._behind(end) if self._text(end) in ("(", "[") else end + 1
        head = {self._text(index) for index in range(start, end)}
        if not head & self.words:
            self._body(at, OTHER_CODE)

    def _body(self, at: int, reason: int) -> None:
        """Marks the body of the function that a word at `at` belongs to, if one follows."""
        parameters = arrow = False
        while self._text(at) not in ("{", ";", "=", ":", "", "}"):
            parameters |= self._text(at) == "("
            arrow |= self._text(at) == "->"
            at = self._behind(at) if self._text(at) in ("(", "[") else at + 1
        if parameters and self._text(at) == "{" and (arrow or self._text(at - 1) in _BEFORE_A_BODY):
            self._insert(self.tokens[at].end, _call(reason))

    # --- switch ---

    def _switch(self, at: int) -> None:
        """A statement with preprocessor lines in it is left alone: what is in which block is not known."""
        before = dict(self.found)
        try:
            end = self._statement(at, False, False)
        except RecursionError:  # a program that nests that deeply stays as it is
            self.found = before
            return
        first, last = self.tokens[at].start, self.tokens[min(end, len(self.tokens)) - 1].end
        if any(first < token.start < last for token in self.directives):
            self.found = before

    def _statement(self, at: int, loops: bool, nested: bool) -> int:
        """Reads a statement in a switch and returns the index behind it.

        loops:  whether a loop stands between it and the switch
        nested: whether an if or a loop does
        """
        text = self._text(at)
        if text == "{":
            end = self._behind(at)
            at += 1
            while at < end - 1:
                at = self._statement(at, loops, nested)
            return end
        if text == "switch":
            return self._statement(self._behind_brackets(at + 1), False, False)
        if text in ("for", "while"):
            return self._statement(self._behind_brackets(at + 1), True, True)
        if text == "do":
            return self._to_semicolon(self._statement(at + 1, True, True))
        if text == "if":
            at = self._statement(self._behind_brackets(at + 1), loops, True)
            return self._statement(at + 1, loops, True) if self._text(at) == "else" else at
        if text in ("case", "default"):
            return self._label(at, nested)
        if text == "[" and self._text(at + 1) == "[":  # attributes
            return self._statement(self._behind(at), loops, nested)
        if text == "continue" and not loops:
            self._insert(self.tokens[at].start, _before(_CONTINUE))
        return self._to_semicolon(at)

    def _behind_brackets(self, at: int) -> int:
        """Behind the condition of `if constexpr (...)` and its like."""
        while self._text(at) not in ("(", "{", ";", ""):
            at += 1
        return self._behind(at) if self._text(at) == "(" else at

    def _label(self, at: int, nested: bool) -> int:
        direct = self._text(at - 1) not in ("{", "}", ";", ":")  # `if (x) case 1: ...`
        choices = 0
        while at < len(self.tokens) and (self._text(at) != ":" or choices):
            choices += (self._text(at) == "?") - (self._text(at) == ":")
            at = self._behind(at) if self._text(at) in _CLOSING else at + 1
        if nested and not direct and at < len(self.tokens):
            self._insert(self.tokens[at].end, f" {_call(_CASE)}")
        return at + 1

    def _to_semicolon(self, at: int) -> int:
        """Lambdas on the way are functions of their own."""
        while at < len(self.tokens) and self._text(at) not in (";", "}"):
            at = self._behind(at) if self._text(at) in _CLOSING else at + 1
        return at + 1 if self._text(at) == ";" else max(at, 1)
