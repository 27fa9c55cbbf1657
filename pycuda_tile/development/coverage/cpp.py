"""C++ as text: enough of the language to find declarations and uses of names, without parsing it."""

from __future__ import annotations

import re

_SKIPPED = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<string>"(?:\\.|[^"\\\n])*")|(?<!\w)'(?:\\.|[^'\\\n])+'""", re.S
)
_DEFINE = re.compile(r"\s*#\s*define\s+(\w+)\((\w+)\)\s*(.*)", re.S)
_DETAIL = re.compile(r"\bnamespace\s+detail\s*\{")
_CLOSING = {"(": ")", "{": "}", "[": "]", "<": ">"}


def split_comments(text: str) -> tuple[str, str]:
    """The code of a source, with empty literals, and the text of its comments."""
    comments = []

    def replace(match: re.Match) -> str:
        if match["comment"]:
            comments.append(match["comment"])
            return " "
        return '""' if match["string"] else "' '"

    return _SKIPPED.sub(replace, text), "\n".join(comments)


def expand_macros(code: str) -> str:
    """Expands macros of one parameter that are used on lines of their own."""
    macros: dict[str, tuple[str, str]] = {}
    lines = []
    for line in code.replace("\\\n", " ").splitlines():
        used = re.match(r"(\w+)\((.*)\)$", line)
        if define := _DEFINE.match(line):
            macros[define[1]] = (define[2], define[3])
        elif used and used[1] in macros:
            parameter, body = macros[used[1]]
            lines.append(re.sub(rf"\b{parameter}\b", used[2].replace("\\", r"\\"), body))
        else:
            lines.append(line)
    return "\n".join(lines)


def _opens(code: str, place: int) -> bool:
    """Whether a bracket opens here; a < does only if it looks like a template's, without spaces."""
    is_template = code[place] == "<" and re.match(r"\w<[^<=\s]", code[place - 1 : place + 2])
    return code[place] in "({[" or bool(is_template)


def end_of_group(code: str, start: int) -> int:
    """The position after the bracket that closes the one at `start`; the end of the code if none does."""
    closing = [_CLOSING[code[start]]]
    for place in range(start + 1, len(code)):
        character = code[place]
        if _opens(code, place):
            closing.append(_CLOSING[character])
        elif character == ">" == closing[-1] and code[place - 1] not in "- ":
            closing.pop()
        elif character in ")}]" and character in closing:
            while closing.pop() != character:  # a < above it was not a bracket
                pass
        if not closing:
            return place + 1
    return len(code)


def arguments(code: str, start: int) -> list[str]:
    """The arguments of the call or initialiser whose bracket is at `start`."""
    end = end_of_group(code, start) - 1
    found, begin, place = [], start + 1, start + 1
    while place < end:
        if _opens(code, place):
            place = end_of_group(code, place)
            continue
        if code[place] == ",":
            found.append(code[begin:place].strip())
            begin = place + 1
        place += 1
    last = code[begin:end].strip()
    return [*found, last] if found or last else []


def without_detail(code: str) -> str:
    """The code without the contents of namespaces called detail."""
    while found := _DETAIL.search(code):
        code = code[: found.start()] + code[end_of_group(code, found.end() - 1) :]
    return code


def class_text(code: str, name: str, of_bases: str = "") -> str:
    """The definitions in `code` of a class template, its specialisations and its bases, which may also be in
    `of_bases`."""
    return "\n".join(_class_texts(code, name, of_bases or code, set()))


def _class_texts(code: str, name: str, of_bases: str, seen: set[str]) -> list[str]:
    seen.add(name)
    texts = []
    for found in re.finditer(rf"\b(?:struct|class)\s+{re.escape(name)}\b", code):
        body = _body(code, found.end())
        if body is None:
            continue  # a declaration
        texts.append(code[body : end_of_group(code, body)])
        _, _, bases = code[found.end() : body].partition(":")
        for base in re.findall(r"\w+", bases):
            if base not in seen:
                texts += _class_texts(of_bases, base, of_bases, seen)
    return texts


def _body(code: str, place: int) -> int | None:
    """Where the body of the class whose name ends at `place` begins; None for a declaration."""
    while place < len(code) and code[place] not in "{;>)":
        place = end_of_group(code, place) if _opens(code, place) else place + 1
    return place if code[place : place + 1] == "{" else None


def enum_text(code: str, name: str) -> str:
    """The enumerators of an enumeration; `name` is empty for those without a name."""
    found = re.finditer(rf"\benum\s+(?:class\s+)?{re.escape(name)}\s*(?::[^;{{]*)?(\{{)", code)
    return "\n".join(code[each.start(1) : end_of_group(code, each.start(1))] for each in found)
