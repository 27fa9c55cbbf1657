"""Reads the text of LLVM IR as clang 19 to 22 print it: what occurs in kernels, and no more.

Lines are sorted at first; what a line says is only read when it is needed, as most of a file is metadata.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from .llvm import (
    Aggregate,
    Array,
    Expression,
    Function,
    Global,
    Instruction,
    Local,
    Number,
    Operand,
    Place,
    Struct,
    Type,
    Undefined,
    Variable,
)

_TOKEN = re.compile(
    r"""\s*(?:
      (c?"[^"]*")                                   # a text
    | ([%@](?:"[^"]*"|[\w.$-]+))                    # a name
    | (![\w.]*|\#\d+)                               # metadata, a group of attributes
    | (f?0x[HKLMR]?[0-9A-Fa-f]+|[-+]?\d[\d.]*(?:e[-+]?\d+)?|[-+](?:inf|qnan|snan|nan))
    | ([\w.$]+)
    | ([()\[\]{}<>,=*|:])
    )""",
    re.VERBOSE,
)
_ASSIGNED = re.compile(r'  (?:(%(?:"[^"]*"|[\w.$-]+)) = )?(?:tail |musttail |notail )?(\w+)')
_DEBUG = re.compile(r", !dbg !(\d+)")
_LABEL = re.compile(r'^(?:"([^"]*)"|([\w.$-]+)):')
_BINARY = {
    *("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"),
    *("fadd", "fsub", "fmul", "fdiv", "frem"),
}
_CASTS = {
    *("trunc", "zext", "sext", "fptrunc", "fpext", "fptoui", "fptosi", "uitofp", "sitofp"),
    *("ptrtoint", "inttoptr", "bitcast", "addrspacecast", "ptrtoaddr"),
}
_FLAGS = {
    *("nuw", "nsw", "exact", "disjoint", "nneg", "samesign", "inbounds", "nusw", "volatile"),
    *("fast", "nnan", "ninf", "nsz", "arcp", "contract", "afn", "reassoc"),
}
_FLOATS = {"half": "e", "float": "f", "double": "d"}


class UnknownText(Exception):
    """Text that this reader does not know; `debug` is the number of the location that it stands at."""

    def __init__(self, text: str, debug: int = 0):
        super().__init__(text)
        self.debug = debug


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
                self._functions[_unquoted(re.search(r'@("[^"]*"|[\w.$-]+)\(', line)[1])] = body
            elif line.startswith("@"):
                name, _, rest = line.partition(" = ")
                self._variables[_unquoted(name[1:])] = rest
            elif line.startswith("%"):
                name, _, rest = line.partition(" = type ")
                self._types[_unquoted(name[1:])] = rest

    # --- what there is ---

    @property
    def functions(self) -> list[str]:
        """The names of those that have a body."""
        return list(self._functions)

    def function(self, name: str) -> Function:
        head, *lines = self._functions[name]
        arguments, noalias = self._arguments(head)
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
        return Function(name, arguments, frozenset(noalias), blocks, int(debug[1]) if debug else 0)

    def variable(self, name: str) -> Variable | None:
        """A global variable; None if there is none of this name."""
        if name not in self._variables:
            return None
        text = self._variables[name]
        found = re.search(r"\b(global|constant) ", text)
        reader = Reader(text[found.end() :], self.named_type)
        type_ = reader.type()
        value = None if "external " in text[: found.start()] else reader.value(type_)
        alignment = re.search(r", align (\d+)", text)
        return Variable(name, type_, value, found[1] == "constant", int(alignment[1]) if alignment else 0)

    def named_type(self, name: str) -> Type:
        if name not in self._known_types:
            self._known_types[name] = Reader(self._types[name], self.named_type).type()
        return self._known_types[name]

    # --- functions ---

    def _arguments(self, head: str) -> tuple[list[Local], set[str]]:
        reader = Reader(head[head.index("@") :], self.named_type)
        reader.take()
        arguments, noalias = [], set()
        for number, (type_, attributes, operand) in enumerate(reader.arguments()):
            argument = operand if isinstance(operand, Local) else Local(str(number), type_)
            arguments.append(argument)
            if "noalias" in attributes:
                noalias.add(argument.name)
        return arguments, noalias

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
        instruction.name = _unquoted(found[1][1:]) if found[1] else ""
        instruction.debug, instruction.text = place, line.strip()
        return instruction

    # --- locations ---

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
        parts = dict(re.findall(r'(filename|directory): "([^"]*)"', text))
        name = parts.get("filename", "")
        return name if name[:1] in "/<" or not parts.get("directory") else f"{parts['directory']}/{name}"


def _whole(lines: list[str]):
    """Lines with an instruction or a label each: the cases of a switch stand on lines of their own."""
    lines = iter(lines)
    for line in lines:
        if not line or line.startswith("    #dbg") or line.startswith(";"):
            continue
        if line.startswith("  switch ") and line.rstrip().endswith("["):
            for case in lines:
                line += " " + case.strip()
                if case.strip().startswith("]"):
                    break
        yield line


def _unquoted(name: str) -> str:
    return name[1:-1] if name.startswith('"') else name


class Reader:
    """Reads one line, word by word."""

    def __init__(self, text: str, named_type: Callable[[str], Type]):
        self._words = [word[word.lastindex] for word in _TOKEN.finditer(text)]
        self._at = 0
        self._named_type = named_type

    def peek(self, ahead: int = 0) -> str:
        at = self._at + ahead
        return self._words[at] if at < len(self._words) else ""

    def take(self, expected: str = "") -> str:
        word = self.peek()
        if (expected and word != expected) or not word:
            raise UnknownText(" ".join(self._words))
        self._at += 1
        return word

    def accept(self, word: str) -> bool:
        if self.peek() != word:
            return False
        self._at += 1
        return True

    # --- types and operands ---

    def type(self) -> Type:
        word = self.take()
        if word == "ptr":
            if self.accept("addrspace"):
                self.parenthesis()
            return "ptr"
        if word in ("[", "<") and self.peek().isdigit():
            count = int(self.take())
            self.take("x")
            array = Array(count, self.type())
            self.take("]" if word == "[" else ">")
            return array
        if word == "{" or (word == "<" and self.accept("{")):
            elements = []
            while not self.accept("}"):
                elements.append(self.type())
                self.accept(",")
            if word == "<":
                self.take(">")
            return Struct(tuple(elements), word == "<")
        if word[0] == "%":
            return self._named_type(_unquoted(word[1:]))
        if re.fullmatch(r"i\d+|half|bfloat|float|double|void|label|metadata", word):
            return word
        raise UnknownText(word)

    def operand(self) -> Operand:
        return self.value(self.type())

    def value(self, type_: Type) -> Operand:
        word = self.take()
        if word[0] == "%":
            return Local(_unquoted(word[1:]), type_)
        if word[0] == "@":
            return Global(_unquoted(word[1:]))
        if word in ("undef", "poison"):
            return Undefined(type_)
        if word in ("true", "false", "null", "zeroinitializer"):
            return _zero(type_) if word == "zeroinitializer" else Number(int(word == "true"), type_)
        if word[0] == "c" and word[1:2] == '"':
            return Aggregate(tuple(Number(byte, "i8") for byte in _bytes(word[2:-1])), type_)
        if word in ("[", "{", "<"):
            return self._aggregate(word, type_)
        if word == "splat":
            self.take("(")
            element = self.operand()
            self.take(")")
            return Aggregate((element,) * type_.count, type_)
        if word in ("getelementptr", *_CASTS, *_BINARY):
            return Expression(self._constant_expression(word), type_)
        return Number(_number(word, type_), type_)

    def _aggregate(self, opening: str, type_: Type) -> Aggregate:
        packed = opening == "<" and self.accept("{")
        closing = {"[": "]", "{": "}", "<": ">"}[opening] if not packed else "}"
        elements = []
        while not self.accept(closing):
            elements.append(self.operand())
            self.accept(",")
        if packed:
            self.take(">")
        return Aggregate(tuple(elements), type_)

    def _constant_expression(self, op: str) -> Instruction:
        flags = self._flags()
        self.take("(")
        if op == "getelementptr":
            source = self.type()
            self.take(",")
            instruction = Instruction(op, "ptr", operands=self._list(), flags=flags, detail=source)
        else:
            instruction = Instruction(op, "", operands=(self.operand(),), flags=flags)
            if self.accept("to"):
                instruction.type = self.type()
        self.take(")")
        return instruction

    def _list(self) -> tuple[Operand, ...]:
        """Operands with a comma between, to the end or to what is no operand, such as an alignment."""
        operands = [self.operand()]
        while self.peek() == "," and self.peek(1)[:1] != "!" and self.peek(1) != "align":
            self.take()
            operands.append(self.operand())
        return tuple(operands)

    def _flags(self) -> frozenset[str]:
        flags = set()
        while self.peek() in _FLAGS or self.peek() == "inrange":
            if self.take() == "inrange":
                self.parenthesis()
            else:
                flags.add(self._words[self._at - 1])
        return frozenset(flags)

    def parenthesis(self) -> None:
        """Passes over one."""
        self.take("(")
        depth = 1
        while depth:
            word = self.take()
            depth += (word == "(") - (word == ")")

    def arguments(self) -> list[tuple[Type, set[str], Operand | None]]:
        """What stands in the parentheses of a function or of a call: types, attributes, operands."""
        self.take("(")
        found = []
        while not self.accept(")"):
            if self.accept("..."):
                continue
            type_, attributes = self.type(), self._attributes()
            operand = self.value(type_) if self.peek() not in (",", ")") else None
            found.append((type_, attributes, operand))
            self.accept(",")
        return found

    def _attributes(self) -> set[str]:
        """Attributes of an argument or a result, those with parentheses such as dereferenceable(8), too."""
        attributes = set()
        while (word := self.peek()) and (word[0].isalpha() or word[0] == "#"):
            if word in ("true", "false", "null", "undef", "poison", "zeroinitializer", "splat"):
                break
            if word == "getelementptr" or word in _CASTS or re.match(r'c"|f0x', word):
                break
            attributes.add(self.take())
            if word == "align" and self.peek().isdigit():
                self.take()
            elif self.peek() == "(":
                self.parenthesis()
        return attributes

    # --- instructions ---

    def instruction(self, op: str) -> Instruction:
        if op in _BINARY or op in ("icmp", "fcmp"):
            flags = self._flags()
            predicate = self.take() if op in ("icmp", "fcmp") else None
            first = self.operand()
            self.take(",")
            second = self.value(first.type)
            type_ = "i1" if predicate else first.type
            return Instruction(op, type_, operands=(first, second), flags=flags, detail=predicate)
        if op in _CASTS:
            flags = self._flags()
            operand = self.operand()
            self.take("to")
            return Instruction(op, self.type(), operands=(operand,), flags=flags)
        read = getattr(self, f"_{op}", None)
        if read is None:
            raise UnknownText(op)
        return read()

    def _fneg(self) -> Instruction:
        flags, operand = self._flags(), self.operand()
        return Instruction("fneg", operand.type, operands=(operand,), flags=flags)

    def _freeze(self) -> Instruction:
        operand = self.operand()
        return Instruction("freeze", operand.type, operands=(operand,))

    def _select(self) -> Instruction:
        flags, operands = self._flags(), self._list()
        return Instruction("select", operands[1].type, operands=operands, flags=flags)

    def _phi(self) -> Instruction:
        flags, type_ = self._flags(), self.type()
        operands, labels = [], []
        while True:
            self.take("[")
            operands.append(self.value(type_))
            self.take(",")
            labels.append(_unquoted(self.take()[1:]))
            self.take("]")
            if not (self.peek() == "," and self.peek(1) == "["):
                break
            self.take(",")
        return Instruction("phi", type_, operands=tuple(operands), flags=flags, labels=tuple(labels))

    def _call(self) -> Instruction:
        flags = self._flags()
        while not self._at_type():  # calling conventions, attributes of the result
            self.take()
            if self.peek() == "(":
                self.parenthesis()
        type_ = self.type()
        if self.peek() == "(":  # the whole type, of a function with variable arguments
            self.parenthesis()
        callee = self.take()
        if callee[0] != "@":
            raise UnknownText("a call through a pointer")
        operands = tuple(operand for _, _, operand in self.arguments())
        return Instruction("call", type_, operands=operands, flags=flags, detail=_unquoted(callee[1:]))

    def _at_type(self) -> bool:
        word = self.peek()
        return word[0] in "[{<%" or bool(re.fullmatch(r"i\d+|half|bfloat|float|double|void|ptr", word))

    def _getelementptr(self) -> Instruction:
        flags, source = self._flags(), self.type()
        self.take(",")
        return Instruction("getelementptr", "ptr", operands=self._list(), flags=flags, detail=source)

    def _load(self) -> Instruction:
        flags, type_ = self._flags(), self.type()
        self.take(",")
        return Instruction("load", type_, operands=(self.operand(),), flags=flags)

    def _store(self) -> Instruction:
        flags = self._flags()
        return Instruction("store", "void", operands=self._list(), flags=flags)

    def _alloca(self) -> Instruction:
        return Instruction("alloca", "ptr", detail=self.type())

    def _extractvalue(self) -> Instruction:
        operand = self.operand()
        path, type_ = self._path(operand.type)
        return Instruction("extractvalue", type_, operands=(operand,), detail=path)

    def _insertvalue(self) -> Instruction:
        operand = self.operand()
        self.take(",")
        value = self.operand()
        path, _ = self._path(operand.type)
        return Instruction("insertvalue", operand.type, operands=(operand, value), detail=path)

    def _path(self, type_: Type) -> tuple[tuple[int, ...], Type]:
        path = []
        while self.peek() == "," and self.peek(1).isdigit():
            self.take()
            path.append(int(self.take()))
            type_ = type_.element if isinstance(type_, Array) else type_.elements[path[-1]]
        return tuple(path), type_

    def _ret(self) -> Instruction:
        if self.accept("void"):
            return Instruction("ret", "void")
        return Instruction("ret", "void", operands=(self.operand(),))

    def _unreachable(self) -> Instruction:
        return Instruction("unreachable", "void")

    def _br(self) -> Instruction:
        if self.peek() == "label":
            return Instruction("br", "void", labels=(self._label(),))
        condition = self.operand()
        self.take(",")
        yes = self._label()
        self.take(",")
        return Instruction("br", "void", operands=(condition,), labels=(yes, self._label()))

    def _label(self) -> str:
        self.take("label")
        return _unquoted(self.take()[1:])

    def _switch(self) -> Instruction:
        """Operands: what is looked at, the cases; labels: the default, that of each case."""
        operands = [self.operand()]
        self.take(",")
        labels = [self._label()]
        self.take("[")
        while not self.accept("]"):
            operands.append(self.operand())
            self.take(",")
            labels.append(self._label())
        return Instruction("switch", "void", operands=tuple(operands), labels=tuple(labels))


def _zero(type_: Type) -> Operand:
    if isinstance(type_, Array):
        return Aggregate((_zero(type_.element),) * type_.count, type_)
    if isinstance(type_, Struct):
        return Aggregate(tuple(map(_zero, type_.elements)), type_)
    return Number(0.0 if type_ in (*_FLOATS, "bfloat") else 0, type_)


def _bytes(text: str) -> bytes:
    raw = re.sub(r"\\([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), text)
    return raw.encode("latin-1")


def _number(word: str, type_: Type) -> int | float:
    if type_ not in (*_FLOATS, "bfloat"):
        return int(word)
    if "0x" not in word:
        return float(word.replace("qnan", "nan").replace("snan", "nan"))
    digits = word.removeprefix("f").removeprefix("0x").lstrip("HKLMR")
    if word.startswith("0xH") or (word.startswith("f") and type_ == "half"):
        return struct.unpack("<e", int(digits, 16).to_bytes(2, "little"))[0]
    if word.startswith("0xR") or (word.startswith("f") and type_ == "bfloat"):
        return struct.unpack("<f", (int(digits, 16) << 16).to_bytes(4, "little"))[0]
    if word.startswith("f") and type_ == "float":
        return struct.unpack("<f", int(digits, 16).to_bytes(4, "little"))[0]
    return struct.unpack("<d", int(digits, 16).to_bytes(8, "little"))[0]
