"""Reads one line of LLVM IR word by word: types, constants and operands."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from .llvm import (
    Aggregate,
    Array,
    Expression,
    Global,
    Instruction,
    Local,
    Number,
    Operand,
    Struct,
    Type,
    Undefined,
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
BINARY = {
    *("add", "sub", "mul", "udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr", "and", "or", "xor"),
    *("fadd", "fsub", "fmul", "fdiv", "frem"),
}
CASTS = {
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


def unquoted(name: str) -> str:
    return unescaped(name[1:-1]).decode(errors="replace") if name.startswith('"') else name


class OperandReader:
    """Reads one line, word by word."""

    def __init__(self, text: str, named_type: Callable[[str], Type]):
        self._words = [word[word.lastindex or 0] for word in _TOKEN.finditer(text)]
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
            return self._named_type(unquoted(word[1:]))
        if re.fullmatch(r"i\d+|half|bfloat|float|double|void|label|metadata", word):
            return word
        raise UnknownText(word)

    def operand(self) -> Operand:
        return self.value(self.type())

    def value(self, type_: Type) -> Operand:
        word = self.take()
        if word[0] == "%":
            return Local(unquoted(word[1:]), type_)
        if word[0] == "@":
            return Global(unquoted(word[1:]))
        if word in ("undef", "poison"):
            return Undefined(type_)
        if word in ("true", "false", "null", "zeroinitializer"):
            return _zero(type_) if word == "zeroinitializer" else Number(int(word == "true"), type_)
        if word[0] == "c" and word[1:2] == '"':
            return Aggregate(tuple(Number(byte, "i8") for byte in unescaped(word[2:-1])), type_)
        if word in ("[", "{", "<"):
            return self._aggregate(word, type_)
        if word == "splat" and isinstance(type_, Array):
            self.take("(")
            element = self.operand()
            self.take(")")
            return Aggregate((element,) * type_.count, type_)
        if word in ("getelementptr", *CASTS, *BINARY):
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
        """Operands with commas between, up to the end or to something else, such as an alignment."""
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
            if word == "getelementptr" or word in CASTS or re.match(r'c"|f0x', word):
                break
            attributes.add(self.take())
            if word == "align" and self.peek().isdigit():
                attributes.add(f"align {self.take()}")
            elif self.peek() == "(":
                self.parenthesis()
        return attributes


def _zero(type_: Type) -> Operand:
    if isinstance(type_, Array):
        return Aggregate((_zero(type_.element),) * type_.count, type_)
    if isinstance(type_, Struct):
        return Aggregate(tuple(map(_zero, type_.elements)), type_)
    return Number(0.0 if type_ in (*_FLOATS, "bfloat") else 0, type_)


def unescaped(text: str) -> bytes:
    """What a text stands for: odd bytes are two hexadecimal digits after a backslash."""
    parts = re.split(rb"\\([0-9A-Fa-f]{2}|\\)", text.encode())
    parts[1::2] = [b"\\" if part == b"\\" else bytes.fromhex(part.decode()) for part in parts[1::2]]
    return b"".join(parts)


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
