"""Parses PTX into functions of instructions. Debug information is dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .types import NUMPY


class PtxError(Exception):
    """Something that a GPU would refuse, leave undefined or never finish, or that this machine does not
    know."""


@dataclass
class Variable:
    """A variable in memory. space: global, const, shared, local or param"""

    name: str
    space: str
    alignment: int
    kind: str
    count: int
    values: str = ""

    @property
    def pointee(self) -> str:
        """The variable whose address is its initial value, or ""."""
        found = re.fullmatch(r"generic\(([\w$]+)\)", self.values)
        return found[1] if found else ""

    @property
    def size(self) -> int:
        return self.count * NUMPY[self.kind].itemsize


@dataclass
class Instruction:
    name: str
    operands: list[str]
    guard: str = ""  # a predicate's name, or ""
    negated: bool = False
    function: str = ""

    def __str__(self) -> str:
        guard = f"@{'!' * self.negated}{self.guard} " if self.guard else ""
        return f"{guard}{self.name} {', '.join(self.operands)}  (in {self.function})"


@dataclass
class Function:
    name: str
    parameters: list[Variable]
    results: list[Variable]
    registers: dict[str, str] = field(default_factory=dict)  # name: type
    variables: dict[str, Variable] = field(default_factory=dict)
    code: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)  # to places in `code`

    def names(self) -> set[str]:
        """The names of functions and variables in its instructions, among other names."""
        operands = (operand for instruction in self.code for operand in instruction.operands)
        return {name for operand in operands for name in re.findall(r"(?<![\w$%.])[A-Za-z_$][\w$]*", operand)}


@dataclass
class Program:
    functions: dict[str, Function]
    variables: dict[str, Variable]

    def used_by(self, kernel: str) -> tuple[list[Function], list[Variable]]:
        """The kernel, the functions that it calls, and the variables that these name."""
        functions, named = {}, {kernel}
        while new := [name for name in named if name in self.functions and name not in functions]:
            for name in new:
                functions[name] = self.functions[name]
                named |= functions[name].names()
        while more := {v.pointee for v in self.variables.values() if v.name in named} - named - {""}:
            named |= more
        return list(functions.values()), [v for v in self.variables.values() if v.name in named]


_VARIABLE = re.compile(
    r"\.(global|const|shared|local|param)\s+(?:\.attribute\([^)]*\)\s*)?(?:\.align\s+(\d+)\s+)?"
    r"\.(\w+)\s+([\w$%]+)\s*(\[\d*\])?\s*(?:=\s*(.*))?",
    re.DOTALL,
)
_FUNCTION = re.compile(
    r"\.(?:entry|func)\s*(?:\((?P<results>[^)]*)\))?\s*(?P<name>[\w$]+)\s*(?:\((?P<parameters>[^)]*)\))?"
    r"(?P<directives>[^{};]*)(?P<end>[{;])"
)
_STATEMENT = re.compile(r"\s*(?:(?P<brace>[{}])|(?P<label>[\w$%]+)\s*:(?!:)|(?P<text>[^;]*);)")
_INSTRUCTION = re.compile(r"(?:@(!?)([\w$%]+)\s+)?([\w.:]+)\s*(.*)", re.DOTALL)


def parse(text: str) -> Program:
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(
        r"//.*|^\s*\.(loc|file|version|target|address_size|pragma)\b.*", "", text, flags=re.MULTILINE
    )
    functions, outside, at = {}, "", 0
    while found := _FUNCTION.search(text, at):
        outside += text[at : found.start()]
        at = found.end()
        if found["end"] == "{":
            end = _closing_brace(text, at)
            function = Function(found["name"], _variables(found["parameters"]), _variables(found["results"]))
            _parse_body(function, text[at:end])
            functions[function.name] = function
            at = end + 1
    outside += text[at:]
    found = (_variable(statement) for statement in outside.split(";"))
    return Program(functions, {variable.name: variable for variable in found if variable})


def _closing_brace(text: str, at: int) -> int:
    depth = 1
    for brace in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return brace.start()
    raise PtxError("a function does not end")


def _variables(text: str | None) -> list[Variable]:
    return [variable for part in (text or "").split(",") if (variable := _variable(part))]


def _variable(text: str) -> Variable | None:
    text = re.sub(r"\.ptr\b(\s*\.(global|shared|local|const))?(\s*\.align\s+\d+)?", "", text)
    if not (found := _VARIABLE.search(text)):
        return None
    space, alignment, kind, name, count, values = found.groups()
    number = int(count[1:-1] or 0) if count else 1
    return Variable(name, space, int(alignment or NUMPY[kind].itemsize), kind, number, (values or "").strip())


# --- bodies -------------------------------------------------------------------------------------------------


class _Scopes:
    """Names declared in braces hide those outside, so each gets a name that is unique in the function."""

    def __init__(self):
        self._open: list[dict[str, str]] = [{}]
        self._count = 0

    def enter(self) -> None:
        self._open.append({})

    def leave(self) -> None:
        self._open.pop()

    def declare(self, name: str) -> str:
        self._count += 1
        own = name if len(self._open) == 1 else f"{name}@{self._count}"
        self._open[-1][name] = own
        return own

    def resolve(self, text: str) -> str:
        return re.sub(r"(?<![\w$%.])[%$A-Za-z_][\w$]*", lambda found: self._find(found[0]), text)

    def _find(self, name: str) -> str:
        return next((scope[name] for scope in reversed(self._open) if name in scope), name)


def _parse_body(function: Function, text: str) -> None:
    scopes = _Scopes()
    for kind, content in _statements(text):
        if content == "{":
            scopes.enter()
        elif content == "}":
            scopes.leave()
        elif kind == "label":
            function.labels[content] = len(function.code)
        elif content.startswith(".reg"):
            _declare_registers(function, scopes, content)
        elif content.startswith("."):
            if variable := _variable(content):
                variable.name = scopes.declare(variable.name)
                function.variables[variable.name] = variable
        elif content:
            function.code.append(_instruction(function.name, scopes, content))
    function.code.append(Instruction("ret", [], function=function.name))


def _statements(text: str) -> Iterator[tuple[str, str]]:
    """A vector in braces belongs to a statement, which does not start with a brace."""
    at = 0
    while found := _STATEMENT.match(text, at):
        yield found.lastgroup, found[found.lastgroup].strip()
        at = found.end()
    if rest := text[at:].strip():
        raise PtxError(f"no statement: {rest[:80]}")


def _declare_registers(function: Function, scopes: _Scopes, text: str) -> None:
    kind, names = re.fullmatch(r"\.reg\s+\.(\w+)\s+(.*)", text, re.DOTALL).groups()
    for name in names.split(","):
        name = name.strip()
        if numbered := re.fullmatch(r"([\w$%]+)<(\d+)>", name):
            for number in range(int(numbered[2])):
                function.registers[scopes.declare(f"{numbered[1]}{number}")] = kind
        else:
            function.registers[scopes.declare(name)] = kind


def _instruction(function: str, scopes: _Scopes, text: str) -> Instruction:
    negated, guard, name, rest = _INSTRUCTION.fullmatch(text).groups()
    rest = re.sub(r"\s+", " ", scopes.resolve(rest)).strip()
    return Instruction(name, split(rest), scopes.resolve(guard or ""), bool(negated), function)


def split(text: str) -> list[str]:
    """The parts between commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "[{(") - (character in "]})")
        if character == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += character
    return [*parts, part.strip()] if part.strip() else parts
