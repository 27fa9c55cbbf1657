"""Reads the instructions of LLVM IR that occur in kernels: a method for each, named after it."""

from __future__ import annotations

import re

from .llvm import Array, Instruction, Type
from .llvm_operands import BINARY, CASTS, OperandReader, UnknownText, unquoted


class Reader(OperandReader):
    """Reads the instruction of one line."""

    def instruction(self, op: str) -> Instruction:
        if op in BINARY or op in ("icmp", "fcmp"):
            flags = self._flags()
            predicate = self.take() if op in ("icmp", "fcmp") else None
            first = self.operand()
            self.take(",")
            second = self.value(first.type)
            type_ = "i1" if predicate else first.type
            return Instruction(op, type_, operands=(first, second), flags=flags, detail=predicate)
        if op in CASTS:
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
            labels.append(unquoted(self.take()[1:]))
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
        operands, aligned = [], []
        for of, attributes, operand in self.arguments():
            if operand is None:
                raise UnknownText("an argument without a value")
            operands.append(operand)
            found = next((each for each in attributes if each.startswith("align ")), "align 1")
            aligned += [int(found.split()[1])] if of == "ptr" else []
        flags |= {f"align {min(aligned)}"} if aligned else set()
        return Instruction("call", type_, operands=tuple(operands), flags=flags, detail=unquoted(callee[1:]))

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
        operand = self.operand()
        return Instruction("load", type_, operands=(operand,), flags=flags, detail=self._alignment())

    def _store(self) -> Instruction:
        flags, value = self._flags(), self.operand()
        self.take(",")
        operands = value, self.operand()
        return Instruction("store", "void", operands=operands, flags=flags, detail=self._alignment())

    def _alignment(self) -> int:
        """The bytes of which the address that stands before is a multiple."""
        if not (self.peek() == "," and self.peek(1) == "align"):
            return 1
        self.take(",")
        self.take("align")
        return int(self.take())

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
            if isinstance(type_, str):
                raise UnknownText("a part of a number")
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
        return unquoted(self.take()[1:])

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
