"""The preprocessed text of a file: its tokens, its brackets, where its lines come from, and edits to it."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Callable, Iterator

from ...frontend.tokens import Token, all_tokens

_LINE = re.compile(r'^# (\d+) "((?:[^"\\]|\\.)*)"[^\n]*\n?', re.MULTILINE)
_OPEN = {"(": ")", "[": "]", "{": "}"}
_CLOSE = {closing: opening for opening, closing in _OPEN.items()}
LABELS = ("public", "private", "protected")

MARKS = {
    f"__cuda_tile_{word}__": word
    for word in ("host", "device", "global", "shared", "constant", "managed", "tile", "tile_global")
}
LAUNCH_BOUNDS = "__cuda_tile_launch_bounds__"
CLUSTER = "__cuda_tile_cluster_dims__"


class Source:
    """Text with linemarkers. Tokens are read only from files for which `is_users(name)` is true."""

    def __init__(self, text: str, is_users: Callable[[str], bool]):
        self.text = text
        self._markers = [
            (found.end(), int(found[1]), found[2], found.start()) for found in _LINE.finditer(text)
        ]
        self.others = ""  # the text of the other files
        self.tokens = list(self._read(is_users))
        self.words = [token.text for token in self.tokens]
        self._edits: list[tuple[int, int, str]] = []
        self._number = 0

    def _read(self, is_users: Callable[[str], bool]) -> Iterator[Token]:
        is_users = functools.cache(is_users)
        ends = [start for *_, start in self._markers[1:]] + [len(self.text)]
        others: list[str] = []
        for (start, _, name, _), end in zip(self._markers, ends, strict=True):
            if not is_users(name):
                others.append(self.text[start:end])
            elif end > start:
                for token in all_tokens(self.text[start:end], {}):
                    if token.kind not in ("directive", "include"):
                        yield token._replace(start=token.start + start, end=token.end + start)
        self.others = "\n".join(others)

    # ---- places ------------------------------------------------------------------------------------------

    def place(self, at: int) -> tuple[str, int]:
        """The file and the line of a token."""
        offset = self.tokens[at].start
        index = bisect.bisect_right(self._markers, offset, key=lambda marker: marker[0]) - 1
        if index < 0:
            return "", 1
        start, line, name, _ = self._markers[index]
        return name.replace('\\"', '"').replace("\\\\", "\\"), line + self.text.count("\n", start, offset)

    def text_of(self, start: int, end: int) -> str:
        """The text from token `start` to before token `end`, on one line."""
        text = self.text[self.tokens[start].start : self.tokens[end - 1].end]
        return " ".join(line for line in text.split("\n") if not line.startswith("#"))

    # ---- brackets ----------------------------------------------------------------------------------------

    @functools.cached_property
    def _brackets(self) -> tuple[dict[int, int], list[int]]:
        """The partner of each bracket, and for each token the bracket that it is in, or -1."""
        partner: dict[int, int] = {}
        around: list[int] = []
        nest: list[int] = []
        for at, word in enumerate(self.words):
            if word in _CLOSE and nest and self.words[nest[-1]] == _CLOSE[word]:
                partner[at] = nest.pop()
                partner[partner[at]] = at
            around.append(nest[-1] if nest else -1)
            if word in _OPEN:
                nest.append(at)
        return partner, around

    def partner(self, at: int) -> int:
        """The bracket that belongs to the one at `at`; itself if there is none."""
        return self._brackets[0].get(at, at)

    def around(self, at: int) -> int:
        """The opening bracket around a token, -1 outside of all."""
        return self._brackets[1][at]

    # ---- declarations ------------------------------------------------------------------------------------

    def declaration_start(self, at: int) -> int:
        """The first token of the declaration that has the token `at` outside its brackets."""
        while at > 0:
            before = at - 1
            word = self.words[before]
            if word in (")", "]") or (word == "}" and self._follows_requires(self.partner(before))):
                at = self.partner(before)
                if at == before:
                    return at
            elif word in (";", "{", "}", "(", "[") or (
                word == ":" and before > 0 and self.words[before - 1] in LABELS
            ):
                return at
            else:
                at = before
        return at

    def _follows_requires(self, brace: int) -> bool:
        """Whether braces are those of a requires expression, not what follows a requires clause."""
        before = brace - 1
        if before >= 0 and self.words[before] == ")":
            before = self.partner(before) - 1
        if before < 0 or self.words[before] != "requires":
            return False
        word = self.words[before - 1] if before else ";"
        is_operand = word == ")" or self.tokens[before - 1].kind == "name"
        return not is_operand or word in ("requires", "return", "co_return")

    def declaration_end(self, start: int) -> int:
        """The semicolon, or the opening brace of a function's body or an initialiser, of a declaration."""
        at = start
        while at < len(self.words):
            word = self.words[at]
            if word in (";", "}") or (word == "{" and not self._follows_requires(at)):
                return at
            at = self.partner(at) + 1 if word in _OPEN else at + 1
        return len(self.words) - 1

    def scope(self, at: int) -> str:
        """What a token is directly in: "namespace", "class" or "function"."""
        brace = self.around(at)
        if brace < 0:
            return "namespace"
        if self.words[brace] != "{":
            return "function"
        head = self.outer_words(self.declaration_start(brace), brace)
        if "namespace" in head or head[-2:-1] == ["extern"]:
            return "namespace"
        is_class = {"class", "struct", "union"} & set(head) and "enum" not in head and "=" not in head
        return "class" if is_class and not self._has_parameters(head) else "function"

    def namespace(self, at: int) -> str:
        """The namespaces around a token, as a name is qualified by them: `::`, `::outer::inner::`."""
        path = "::"
        while (at := self.around(at)) >= 0:
            head = self.outer_words(self.declaration_start(at), at)
            if "namespace" in head and head[-1] != "namespace":  # one without a name is left out
                words = head[head.index("namespace") + 1 :]
                path = f"::{''.join(word for word in words if word not in ('[]', 'inline'))}{path}"
        return path

    def _has_parameters(self, head: list[str]) -> bool:
        """Whether a head ends like a function's, rather than with a class's name or bases."""
        words = [word for word in head if word not in ("const", "noexcept", "override", "final")]
        return words[-1:] == ["()"]

    def outer_words(self, start: int, end: int) -> list[str]:
        """The words from `start` to before `end`; brackets are one word without content."""
        out = []
        at = start
        while at < end:
            word = self.words[at]
            if word in _OPEN:
                out.append(word + _OPEN[word])
                at = self.partner(at) + 1
            else:
                out.append(word)
                at += 1
        return out

    # ---- edits -------------------------------------------------------------------------------------------

    def replace(self, start: int, end: int, text: str) -> None:
        """Replaces the text from token `start` to before token `end`; its lines and markers stay."""
        self._edit(self.tokens[start].start, self.tokens[end - 1].end, text)

    def _edit(self, start: int, end: int, text: str) -> None:
        self._edits.append((start, end, text + self._lines(start, end)))

    def insert(self, before: int, text: str) -> None:
        self._edits.append((self.tokens[before].start, self.tokens[before].start, text))

    def insert_after(self, at: int, text: str) -> None:
        self.insert_behind(self.tokens[at], text)

    def insert_behind(self, token: Token, text: str) -> None:
        self._edits.append((token.end, token.end, text))

    def remove(self, at: int) -> None:
        self.replace(at, at + 1, "")

    def replace_body(self, brace: int, text: str) -> None:
        """Replaces what is between braces."""
        self._edit(self.tokens[brace].end, self.tokens[self.partner(brace)].start, text)

    def _lines(self, start: int, end: int) -> str:
        """The line breaks of a text, and the lines that begin with #."""
        lines = self.text[start:end].split("\n")
        return "\n".join(line if at and line.startswith("#") else "" for at, line in enumerate(lines))

    def next_number(self) -> int:
        """A number that no other declaration of the file has got."""
        self._number += 1
        return self._number

    def edited(self) -> str:
        """The text after all edits; of those that lie in another one, nothing is left."""
        parts, at = [], 0
        for start, end, text in sorted(self._edits, key=lambda edit: (edit[0], edit[0] != edit[1], -edit[1])):
            if start < at:
                continue
            parts += [self.text[at:start], text]
            at = end
        return "".join([*parts, self.text[at:]])
