"""Reads the text of LLVM IR as clang 19 to 22 print it: what occurs in kernels, and no more.

Lines are sorted at first; what a line says is only read when it is needed, as most of a file is metadata.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from .llvm import Aggregate, Function, Global, Instruction, Local, Number, Place, Type, Variable
from .llvm_instructions import Reader
from .llvm_operands import UnknownText, unescaped, unquoted

_ASSIGNED = re.compile(r'  (?:(%(?:"[^"]*"|[\w.$-]+)) = )?(?:tail |musttail |notail )?(\w+)')
_DEBUG = re.compile(r", !dbg !(\d+)")
_FILE_NAME = re.compile(r'(filename|directory): "([^"]*)"')
_SYMBOL = re.compile(r'@("[^"]*"|[\w.$-]+)')
_LABEL = re.compile(r'^(?:"([^"]*)"|([\w.$-]+)):')


def symbols(line: str) -> list[str]:
    """The functions and global variables that a line names."""
    return [unquoted(name) for name in _SYMBOL.findall(line)]


class Text:
    """One file of LLVM IR."""

    def __init__(self, text: str):
        self._types: dict[str, str] = {}
        self._functions: dict[str, list[str]] = {}
        self._variables: dict[str, str] = {}
        self._metadata: dict[int, str] = {}
        self._places: dict[int, Place | None] = {}
        self._known_types: dict[str, Type] = {}
        self._sort(text)

    def _sort(self, text: str) -> None:
        lines = iter(text.split("\n"))
        for line in lines:
            if line.startswith("!"):
                number, found, rest = line[1:].partition(" = ")
                if found and number.isdigit():
                    self._metadata[int(number)] = rest
            elif line.startswith("define"):
                body = [line]
                for inner in lines:
                    if inner == "}":
                        break
                    body.append(inner)
                if found_name := re.search(rf"{_SYMBOL.pattern}\(", line):
                    self._functions[unquoted(found_name[1])] = body
            elif line.startswith("@"):
                name, _, rest = line.partition(" = ")
                self._variables[unquoted(name[1:])] = rest
            elif line.startswith("%"):
                name, _, rest = line.partition(" = type ")
                self._types[unquoted(name[1:])] = rest

    # --- what there is ---

    @property
    def functions(self) -> list[str]:
        """The names of those that have a body."""
        return list(self._functions)

    def lines(self, name: str) -> list[str]:
        """The text of a function that has a body."""
        return self._functions[name]

    def function(self, name: str) -> Function:
        head, *lines = self._functions[name]
        arguments, noalias, by_value = self._arguments(head)
        blocks: dict[str, list[Instruction]] = {}
        # Without a label, the first block has the number that follows the arguments'.
        block = blocks.setdefault(str(sum(a.name.isdigit() for a in arguments)), [])
        for line in _whole(lines):
            label = _LABEL.match(line)
            if label:
                if not block:
                    blocks.popitem()
                block = blocks.setdefault(label[1] or label[2], [])
            else:
                block.append(self._instruction(line))
        debug = re.search(r" !dbg !(\d+) \{$", head)
        place = int(debug[1]) if debug else 0
        return Function(name, arguments, frozenset(noalias), blocks, place, frozenset(by_value))

    def variable(self, name: str) -> Variable | None:
        """A global variable; None if there is none of this name."""
        if name not in self._variables:
            return None
        text = self._variables[name]
        found = re.search(r"\b(global|constant) ", text)
        if found is None:
            raise UnknownText(text)
        reader = Reader(text[found.end() :], self.named_type)
        type_ = reader.type()
        value = None if "external " in text[: found.start()] else reader.value(type_)
        alignment = re.search(r", align (\d+)", text)
        return Variable(name, type_, value, found[1] == "constant", int(alignment[1]) if alignment else 0)

    def kept_variables(self) -> dict[str, int]:
        """The names of the source's variables that may change, and the lines of their definitions."""
        noted = self.variable("llvm.global.annotations")
        found = {}
        for entry in noted.value.elements if noted and isinstance(noted.value, Aggregate) else ():
            if isinstance(entry, Aggregate) and isinstance(entry.elements[0], Global):
                name, line = entry.elements[0].name, entry.elements[3]
                if isinstance(line, Number) and " global " in f" {self._variables.get(name, '')}":
                    found[name] = int(line.value)
        return found

    def is_set_at_start(self, name: str) -> bool:
        """Whether the value of a global variable is computed when the program starts."""
        return any(
            name in symbols(line)
            for function, body in self._functions.items()
            if function.startswith(("_GLOBAL__", "__cxx_global_var_init"))
            for line in body
        )

    def named_type(self, name: str) -> Type:
        if name not in self._known_types:
            self._known_types[name] = Reader(self._types[name], self.named_type).type()
        return self._known_types[name]

    # --- functions ---

    def _arguments(self, head: str) -> tuple[list[Local], set[str], set[str]]:
        reader = Reader(head[head.index("@") :], self.named_type)
        reader.take()
        arguments, noalias, by_value = [], set(), set()
        for number, (type_, attributes, operand) in enumerate(reader.arguments()):
            argument = operand if isinstance(operand, Local) else Local(str(number), type_)
            arguments.append(argument)
            if "noalias" in attributes:
                noalias.add(argument.name)
            if "byval" in attributes:
                by_value.add(argument.name)
        return arguments, noalias, by_value

    def _instruction(self, line: str) -> Instruction:
        debug = _DEBUG.search(line)
        place = int(debug[1]) if debug else 0
        found = _ASSIGNED.match(line)
        if not found:
            raise UnknownText(line.strip(), place)
        try:
            instruction = Reader(line[found.end() :], self.named_type).instruction(found[2])
        except (UnknownText, ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            raise UnknownText(line.strip(), place) from error
        instruction.name = unquoted(found[1][1:]) if found[1] else ""
        instruction.debug, instruction.text = place, line.strip()
        return instruction

    # --- locations ---

    def all_places(self) -> list[Place]:
        """Those of all instructions and functions."""
        return [place for number in self._metadata if (place := self.place(number)) is not None]

    def place(self, number: int) -> Place | None:
        """What a location says: !DILocation, or the !DISubprogram that a function is."""
        if number not in self._places:
            self._places[number] = self._read_place(number)
        return self._places[number]

    def _read_place(self, number: int) -> Place | None:
        text = self._metadata.get(number, "")
        found = dict(re.findall(r'(\w+): (!?\d+|"[^"]*")', text))
        if "DISubprogram" in text:
            return Place(self._file(found), int(found.get("line", 0)), 0)
        if not text.removeprefix("distinct ").startswith("!DILocation("):
            return None
        scope = int(found["scope"][1:])
        caller = self.place(int(found["inlinedAt"][1:])) if "inlinedAt" in found else None
        file, function = self._scope(scope)
        return Place(file, int(found.get("line", 0)), int(found.get("column", 0)), caller, function)

    def _scope(self, number: int) -> tuple[str, str]:
        """The file of a function or of a block in one, and the function's name."""
        text = self._metadata.get(number, "")
        found = dict(re.findall(r'(\w+): (!?\d+|"[^"]*")', text))
        if "DISubprogram" in text:
            return self._file(found), found.get("name", '""')[1:-1]
        file, function = self._scope(int(found["scope"][1:])) if "scope" in found else ("", "")
        return (self._file(found) if "file" in found else file), function

    def _file(self, found: dict[str, str]) -> str:
        text = self._metadata.get(int(found.get("file", "!-1")[1:]), "")
        parts = {word: os.fsdecode(unescaped(name)) for word, name in _FILE_NAME.findall(text)}
        name = parts.get("filename", "")
        return name if name[:1] in "/<" or not parts.get("directory") else f"{parts['directory']}/{name}"


def _whole(lines: list[str]) -> Iterator[str]:
    """Lines with an instruction or a label each: the cases of a switch stand on lines of their own."""
    left = iter(lines)
    for line in left:
        if not line or line.startswith("    #dbg") or line.startswith(";"):
            continue
        if line.startswith("  switch ") and line.rstrip().endswith("["):
            for case in left:
                line += " " + case.strip()
                if case.strip().startswith("]"):
                    break
        yield line
