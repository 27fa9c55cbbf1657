"""What a kernel does that tile code must not, found in its LLVM IR: recursion, calls through pointers, inline
assembly, memory from the heap, and what frontend/refused.py has marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from typing import NamedTuple

from ...compilers.demangle import demangled
from ...frontend.refused import OTHER_CODE, REASONS
from ...frontend.variables import unmarked
from .llvm import Place
from .llvm_operands import unquoted
from .llvm_text import Text, symbols
from .names import recorded_call

_MARK = re.compile(r"7refusedILi(\d+)E")
_CALL = re.compile(r'\b(?:call|invoke) .*?([@%])("[^"]*"|[\w.$-]+)\(')
_ASSEMBLY = re.compile(r"\bcall\b[^@%]* asm ")
_ON_STACK = re.compile(r"= alloca [^,]+, i\d+ %")
_WIDE = re.compile(r"(?<![\w@%.\"])i128\b")
_MAY_BE_WRONG = re.compile(r"@|call|alloca|i128")
_DEBUG = re.compile(r", !dbg !(\d+)")
_HEAP = re.compile(r"_Zn[wa]m.*|_Zd[la]P.*|malloc|calloc|realloc|free|aligned_alloc")
_LAST_NAME = re.compile(r"(\w+)(?:<.*>)?$")
_AT_START = ("__cxx_global_var_init", "_GLOBAL__")  # functions that initialize variables
_INDIRECT = (
    "a call through a pointer is unsupported in tile code: the function must be known when it is compiled"
)
_VARIABLE = "{} is initialized when the program starts, which variables of tile code cannot be: use constexpr"
_OF_HOST = "{} is a variable of the host: mark it __device__ or __constant__, or make it constexpr"
_STATIC = "a static variable of tile code is initialized by constants only"


class Refusal(NamedTuple):
    """Why a program is wrong, and where."""

    reason: str
    place: Place | None

    def __str__(self) -> str:
        return f"{self.place.file}:{self.place.line}: {self.reason}" if self.place else self.reason


def place_of(reason: str, place: Place | None) -> Refusal:
    """A function of other code is wrong where it is called."""
    if reason == REASONS[OTHER_CODE] and place is not None and place.caller is not None:
        return Refusal(f"{reason}: {place.function}", place.caller)
    return Refusal(reason, place)


class Refused(Exception):
    """A kernel contains code that tile code must not have."""

    def __init__(self, refusals: list[Refusal]):
        super().__init__("; ".join(map(str, refusals)))
        self.refusals = refusals


def refusals(text: Text, symbol: str, of_host: Set[str]) -> list[tuple[str, int]]:
    """(reason, number of the location) of what tile code must not have in a function; of_host: variables."""
    found: dict[tuple[str, int], None] = {}
    at_start = _initialized_at_start(text)
    for line in text.lines(symbol):
        if not _MAY_BE_WRONG.search(line):
            continue
        if reason := _reason(text, line, at_start, of_host):
            debug = _DEBUG.search(line)
            found.setdefault((reason, int(debug[1]) if debug else 0))
    return list(found)


def _reason(text: Text, line: str, at_start: set[str], of_host: Set[str]) -> str:
    if mark := _MARK.search(line):
        return REASONS[int(mark[1])]
    if _WIDE.search(line):
        return "128-bit integers are unsupported in tile code"
    if _ASSEMBLY.search(line):
        return "asm is unsupported in tile code"
    if _ON_STACK.search(line):
        return "an array whose length is not known when the kernel is compiled is unsupported in tile code"
    if call := _CALL.search(line):
        name = unquoted(call[2])
        if call[1] == "%":
            return _INDIRECT
        if recorded_call(name) is None and (reason := _of_call(text, name)):
            return reason
    for variable in symbols(line) if at_start or of_host or "_ZGV" in line else ():
        if variable.startswith("_ZGV"):
            return _STATIC
        if variable in at_start:
            return _VARIABLE.format(readable(variable))
        if variable in of_host:
            return _OF_HOST.format(readable(variable))
    return ""


def _of_call(text: Text, name: str) -> str:
    if _HEAP.fullmatch(name):
        return "memory from the heap (new, delete, malloc, free) is unsupported in tile code"
    if name.startswith(("llvm.nvvm.barrier", "llvm.nvvm.bar.")):
        return "tile code has no threads to synchronize: a block is one logical thread"
    if name in text.functions:
        return _not_inlined(text, name)
    if name.startswith("_Z"):
        return f"{readable(name)} is declared and not defined: tile code needs the body of what it calls"
    return ""


def _not_inlined(text: Text, name: str) -> str:
    """Why a function is still called: everything else is inlined."""
    chain = _way_back(text, name)
    if not chain:
        return ""
    names = " calls ".join(readable(step) for step in chain)
    return f"recursion is unsupported in tile code: {names}"


def _way_back(text: Text, name: str) -> list[str]:
    """The calls that lead from a function to itself; none if none do."""
    ways = {name: [name]}
    waiting = [name]
    while waiting:
        here = waiting.pop(0)
        for line in text.lines(here):
            call = _CALL.search(line)
            callee = unquoted(call[2]) if call and call[1] == "@" else ""
            if callee == name:
                return [*ways[here], name]
            if callee in text.functions and callee not in ways:
                ways[callee] = [*ways[here], callee]
                waiting.append(callee)
    return []


def _initialized_at_start(text: Text) -> set[str]:
    """The global variables whose values a function stores before the program begins."""
    found = set()
    for function in text.functions:
        if function.startswith(_AT_START):
            for line in text.lines(function):
                if " store " in line or "llvm.mem" in line:
                    target = line.rpartition(", ptr ")[2] if " store " in line else line.partition("(")[2]
                    found |= set(symbols(target.partition("," if " store " not in line else " !")[0]))
    return found


def host_variables(text: Text, sources: Iterable[str]) -> frozenset[str]:
    """The symbols of the variables that the sources leave to the host."""
    lines = {symbol: at for symbol, at in text.kept_variables().items() if not symbol.startswith("_ZZ")}
    names = {symbol: found[1] for symbol in lines if (found := _LAST_NAME.search(readable(symbol)))}
    of_host = unmarked(((names[symbol], lines[symbol]) for symbol in names), sources) if names else ()
    return frozenset(symbol for symbol, name in names.items() if name in of_host)


def readable(symbol: str) -> str:
    """The name of a function or variable in C++."""
    name = demangled(symbol)
    return "a lambda" if name.startswith("_Z") and "$_" in name else name
