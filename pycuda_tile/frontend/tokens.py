"""Splits C++ text into tokens and evaluates its #if lines as far as possible without a compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Token(NamedTuple):
    """kind is "name", "number", "string", "punctuation" or "include"; of all_tokens() also "directive", for
    other lines with #, and "hidden". start and end are offsets into the text."""

    kind: str
    text: str
    line: int
    start: int
    end: int


_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\f\v]+|\\\r?\n)
  | (?P<newline>\n)
  | (?P<comment>//(?:[^\\\n]|\\(?:\r?\n|.)?)*|/\*.*?(?:\*/|\Z))
  | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?(?:\)(?P=delimiter)"|\Z))
  | (?P<string>(?:u8|[uUL])?(?:"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?))
  | (?P<number>\.?\d(?:[eEpP][+-]|'\w|[\w.])*)
  | (?P<name>[A-Za-z_\u0080-\U0010ffff$][\w$]*)
  | (?P<directive>\#(?:/\*.*?\*/|\\\r?\n|(?!//)[^\n])*)
  | (?P<punctuation>::|->|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_NO_CODE = ("comment", "raw", "string", "delimiter")
_CONTINUATION = re.compile(r"\\\r?\n")
_CONTINUED = re.compile(r"^(?:[^\n]*\\\r?\n)+[^\n]*", re.MULTILINE)
_INCLUDE = re.compile(r'include\s*([<"][^>"]+[>"])')


def tokenize(text: str, macros: dict[str, str]) -> Iterator[Token]:
    """The tokens of `text` that no #if hides. `macros` are those known before; what #define adds goes into
    it.

    An #include is one token with the file's name in its quotes. Macros are not expanded.
    """
    return (token for token in all_tokens(text, macros) if token.kind not in ("directive", "hidden"))


def without_comments(text: str) -> str:
    """The text with blanks instead of comments and strings, and lines that continue in one, followed by empty
    ones: so that the other lines keep their numbers."""

    def joined(lines: re.Match[str]) -> str:
        one, count = _CONTINUATION.subn("", lines[0])
        return one + "\n" * count

    words = _TOKEN.finditer(_CONTINUED.sub(joined, text))
    return "".join(
        " " + "\n" * word.group().count("\n") if word.lastgroup in _NO_CODE else word.group()
        for word in words
    )


def all_tokens(text: str, macros: dict[str, str]) -> Iterator[Token]:
    """Like tokenize(), but includes lines with directives and tokens that an #if hides."""
    line = 1
    at_line_start = True
    conditions = _Conditions(macros)
    for match in _TOKEN.finditer(text):
        kind, found = match.lastgroup, match.group()
        if kind == "delimiter":
            kind = "raw"
        if kind == "directive" and at_line_start:
            words = _CONTINUATION.sub(" ", re.sub(r"/\*.*?\*/", " ", found, flags=re.DOTALL))[1:].strip()
            include = _INCLUDE.match(words)
            if include and conditions.active:
                yield Token("include", include[1], line, match.start(), match.end())
            else:
                if not include:
                    conditions.directive(words)
                yield Token("directive", words, line, match.start(), match.end())
        elif kind in ("raw", "string", "number", "name", "punctuation", "directive"):
            kind = {"raw": "string", "directive": "punctuation"}.get(kind, kind)
            yield Token(kind if conditions.active else "hidden", found, line, match.start(), match.end())
        line += found.count("\n")
        at_line_start = kind == "newline" or (at_line_start and kind in ("space", "comment"))


class _Conditions:
    """The nested #if lines around a place, and the macros on which they depend."""

    def __init__(self, macros: dict[str, str]):
        self.macros = macros
        self.nest: list[tuple[bool, bool]] = []  # (this branch is active, an earlier one was)

    @property
    def active(self) -> bool:
        return all(active for active, _ in self.nest)

    def directive(self, words: str) -> None:
        name, _, rest = words.partition(" ")
        rest = rest.split("//")[0].strip()
        if name in ("if", "ifdef", "ifndef"):
            self.nest.append((self._holds(name, rest), False))
        elif name in ("elif", "elifdef", "elifndef", "else") and self.nest:
            active, earlier = self.nest[-1]
            taken = active or earlier
            holds = name == "else" or self._holds(name.removeprefix("el"), rest)
            self.nest[-1] = (not taken and holds, taken)
        elif name == "endif" and self.nest:
            self.nest.pop()
        elif name == "define" and self.active:
            if found := re.match(r"(\w+)(\(?)(.*)", rest, re.DOTALL):
                self.macros[found[1]] = "" if found[2] else found[3].strip()
        elif name == "undef" and self.active:
            self.macros.pop(rest, None)

    def _holds(self, name: str, rest: str) -> bool:
        if name == "ifdef":
            return rest in self.macros
        if name == "ifndef":
            return rest not in self.macros
        return _evaluate(rest, self.macros)


_DEFINED = re.compile(r"defined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_INTEGER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b")


def _evaluate(condition: str, macros: dict[str, str]) -> bool:
    """The value of an #if condition; true if it is too complex, so that nothing is overlooked."""
    text = _DEFINED.sub(lambda found: str(int((found[1] or found[2]) in macros)), condition)
    for _ in range(4):  # macros that stand for macros
        text = re.sub(r"\b[A-Za-z_]\w*\b", lambda found: macros.get(found[0], "0") or "0", text)
    text = _INTEGER.sub(lambda found: str(int(found[1], 16 if found[1][:2] in ("0x", "0X") else 10)), text)
    text = text.replace("&&", " and ").replace("||", " or ")
    text = re.sub(r"!(?!=)", " not ", text).replace("/", "//")
    if (
        not re.fullmatch(r"(?:and|or|not|[-+%()<>=!\s\d]|\*(?!\*)|//)*", text)
        or "<<" in text
        or re.search(r"[\d)]\s*\(", text)  # a call
        or len(text) > 500
    ):
        return True
    try:
        return bool(eval(text, {"__builtins__": {}}))
    except (SyntaxError, ZeroDivisionError, ValueError, TypeError, MemoryError, RecursionError):
        return True


# --- constants ----------------------------------------------------------------------------------------------


def constant(text: str) -> int | None:
    """The value of a C++ integral constant expression of literals and operators; None for any other text."""
    text = re.sub(r"(?<=\w)'(?=\w)", "", text)
    text = re.sub(r"\btrue\b", "1", re.sub(r"\bfalse\b", "0", text))
    text = re.sub(r"\b(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)[uUlLzZ]*\b", lambda found: _literal(found[1]), text)
    if not re.fullmatch(r"(?:<<|>>|[-+%()&|^~,\s\d]|\*(?!\*)|/(?!/))+", text) or len(text) > 200:
        return None
    if any(int(number) > 1 << 16 for number in re.findall(r"<<\s*(\d+)", text)) or re.search(
        r"[\d)]\s*\(", text
    ):
        return None
    try:
        value = eval(text.replace("/", "//"), {"__builtins__": {}})
    except (
        SyntaxError,
        ZeroDivisionError,
        ValueError,
        TypeError,
        OverflowError,
        MemoryError,
        RecursionError,
    ):
        return None
    while isinstance(value, tuple) and value:  # the comma operator
        value = value[-1]
    return value if isinstance(value, int) else None


def _literal(text: str) -> str:
    base = {"0x": 16, "0b": 2}.get(text[:2].lower(), 8 if re.fullmatch(r"0[0-7]+", text) else 10)
    return str(int(text, base))


def expand(text: str, macros: dict[str, str]) -> str:
    """The text after replacing macros that have no arguments and are not empty."""
    for _ in range(4):  # macros that stand for macros
        text = re.sub(r"\b[A-Za-z_]\w*\b", lambda found: macros.get(found[0]) or found[0], text)
    return text


def split_at_commas(text: str) -> list[str]:
    """The parts of C++ text between the commas outside brackets and strings."""
    parts, depth, start = [], 0, 0
    for token in tokenize(text, {}):
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        if token.text == "," and depth == 0:
            parts.append(text[start : token.start])
            start = token.end
    return [*parts, text[start:]]
