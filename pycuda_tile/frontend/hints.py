"""Optimization hints, `[[cutile::hint(architecture, kind = value, ...)]]` (manual, 2.16).

Compilers other than NVIDIA's ignore the attribute, so its text is read here: where hints are, what each says,
and whether it has an effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .tokens import Token, constant, split_at_commas

KERNEL_KINDS = ("num_cta_in_cga", "occupancy", "num_worker_warps_per_cta")
ACCESS_KINDS = ("latency", "allow_tma")
KINDS = (*KERNEL_KINDS, *ACCESS_KINDS)
_VALUES = {
    "num_cta_in_cga": (1, 2, 4, 8, 16),
    "occupancy": range(1, 33),
    "num_worker_warps_per_cta": (1, 2, 4, 8, 16, 32),
    "latency": range(1, 11),
    "allow_tma": (0, 1),
}
_RANGES = {
    "num_cta_in_cga": "1, 2, 4, 8 or 16",
    "occupancy": "1 to 32",
    "num_worker_warps_per_cta": "1, 2, 4, 8, 16 or 32",
    "latency": "1 to 10",
    "allow_tma": "true or false",
}
# Architectures that the tile compiler supports, numbered like __CUDA_ARCH__.
ARCHITECTURES = (800, 860, 870, 880, 890, 900, 1000, 1010, 1030, 1100, 1200, 1210)


class Hint(NamedTuple):
    """One pair of a hint. `arch` and `value` are C++ text, for which `constant` returns None if they depend
    on template parameters or on constants of the source."""

    arch: str
    kind: str
    value: str
    line: int = 0
    pack: bool = False  # of a pack expansion

    @property
    def arch_number(self) -> int | None:
        return constant(self.arch)

    @property
    def number(self) -> int | None:
        return constant(self.value)

    def __str__(self) -> str:
        return f"hint({self.arch}, {self.kind} = {self.value})"


class MalformedHint(ValueError):
    """The text of a hint breaks its grammar; NVIDIA's compiler rejects it."""


def parse(text: str, line: int = 0) -> list[Hint]:
    """The pairs in the text between the brackets of `hint(...)`; raises MalformedHint for wrong grammar."""
    pack = text.endswith(" ...")
    text = text.removesuffix(" ...")
    parts = [part.strip() for part in split_at_commas(text)]
    arch = parts[0]
    if not arch or re.match(r"\w+\s*=[^=]", arch) or _is_no_integer(arch) or "=" in arch or ";" in arch:
        raise MalformedHint(
            f"hint({text}): the first argument is the architecture: 0 for all, or 900 for sm_90"
        )
    if len(parts) < 2:
        raise MalformedHint(f"hint({text}): it gives no hint: write hint({arch}, kind = value)")
    hints = []
    for part in parts[1:]:
        found = re.fullmatch(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.+)", part, re.DOTALL)
        if not found:
            raise MalformedHint(
                f"hint({text}): {part or 'an empty argument'!r} is not of the form kind = value"
            )
        kind, value = found[1], " ".join(found[2].split())
        if _LACKS_COMMA.search(value):
            raise MalformedHint(f"hint({text}): there must be a comma between two hints, got {part}")
        if _is_no_integer(value) or ";" in value:
            raise MalformedHint(
                f"hint({text}): the value of {kind} must be an integral constant, got {value}"
            )
        hints.append(Hint(arch, kind, value, line, pack))
    return hints


_LACKS_COMMA = re.compile(r"[\w)]\s+\w+\s*=(?!=)")
_FLOAT = re.compile(r"[-+]?(?:\d[\d']*\.[\d']*|\.\d[\d']*|\d[\d']*(?=[eE]))(?:[eE][-+]?\d+)?[fFlL]?")
_TYPES = {"void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto"}


def _is_no_integer(text: str) -> bool:
    """Whether text is a constant of another kind, or the name of a type."""
    is_string = re.match(r'(?:u8|[uUL])?R?"', text)
    return bool(is_string or _FLOAT.fullmatch(text)) or text == "nullptr" or set(text.split()) <= _TYPES


def why_ignored(hint: Hint) -> str:
    """Why a hint has no effect wherever it is; "" if it has one or if that depends on templates."""
    arch, value = hint.arch_number, hint.number
    if hint.kind not in KINDS:
        near = " (did you mean num_cta_in_cga?)" if hint.kind in ("num_cta_per_cga", "num_ctas") else ""
        return f"unknown kind {hint.kind!r}{near}: the kinds are {', '.join(KINDS)}"
    if arch is not None and arch != 0 and arch not in ARCHITECTURES:
        number = f", as in {arch * 10} for sm_{arch}" if arch * 10 in ARCHITECTURES else ""
        return f"unknown architecture {hint.arch}: expected 0, or a value of __CUDA_ARCH__{number}"
    if value is not None and value not in _VALUES[hint.kind]:
        return f"{hint.kind} = {hint.value} is out of range: expected {_RANGES[hint.kind]}"
    if hint.kind == "num_cta_in_cga" and arch == 800 and value not in (None, 1):
        return "sm_80 has no clusters, so num_cta_in_cga can only be 1"
    return ""


def overridden(hints: Iterable[Hint]) -> list[tuple[Hint, Hint]]:
    """(hint, the later one that overrides it) for hints of one kind and architecture on one construct."""
    last: dict[tuple[str, str], Hint] = {}
    pairs = []
    for hint in hints:
        if hint.pack or why_ignored(hint):
            continue
        arch = hint.arch if hint.arch_number is None else str(hint.arch_number)
        if earlier := last.get((hint.kind, arch)):
            pairs.append((earlier, hint))
        last[hint.kind, arch] = hint
    return pairs


# --- finding hints ------------------------------------------------------------------------------------------


def attributes(text: str, tokens: list[Token]) -> list[tuple[str, int]]:
    """(text between the brackets, line) of each hint in attributes among `tokens`; "..." ends the text of a
    pack expansion."""
    return [(inside, tokens[at].line) for at, inside in find(text, tokens)]


def find(text: str, tokens: list[Token]) -> list[tuple[int, str]]:
    """(index of the word `hint`, text between the brackets) of each hint in `tokens`; see attributes()."""
    found = []
    at, end = 0, len(tokens)
    while at < end:
        if tokens[at].text == "hint" and at + 1 < end and tokens[at + 1].text == "(" and _ours(tokens, at):
            close = _closing(tokens, at + 1, end)
            expanded = [token.text for token in tokens[close + 1 : close + 4]] == [".", ".", "."]
            found.append((at, text[tokens[at + 1].end : tokens[close].start] + (" ..." if expanded else "")))
            at = close
        at += 1
    return found


def _ours(tokens: list[Token], at: int) -> bool:
    """Whether `hint` at this index is in the namespace cutile, by qualification or by `using cutile :`."""
    if at >= 2 and tokens[at - 1].text == "::":
        return tokens[at - 2].text == "cutile"
    while at > 0 and tokens[at].text != "[":
        if tokens[at].text == "using":
            return tokens[at + 1].text == "cutile"
        at -= 1
    return False


def _closing(tokens: list[Token], at: int, end: int) -> int:
    """The index of the bracket that closes the one at `at`, or of the last token."""
    depth = 0
    for index in range(at, end):
        depth += (tokens[index].text in "([{") - (tokens[index].text in ")]}")
        if depth == 0:
            return index
    return end - 1
