"""Finds tile code that is wrong or slow when the threads of a block share a tile (the target `simt`).

There, every thread of a block runs a kernel's scalar code. Reading and storing one value is fine, but changes
of memory through a raw reference happen once per thread, and so does printf.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import Diagnostic
from .clang import FUNCTION, KERNEL, Cursor, Unit, annotations_of, load, qualified_name

_ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
_CHANGE = (
    "read-modify-write through a raw reference: on simt each thread of a block does it, so it happens "
    "several times and is a race; use ct::atomic_add or a similar function, or tile operations"
)
_PRINTF = "on simt each thread of a block prints this line"
_RUN_TIME_LENGTH = (
    "array of run-time length: GPU compilers reject it; give it a constant length, or use a tile"
)
_RUN_TIME_INDEX = (
    "local array '{}' is indexed at run time: on GPUs it lies in local memory, which is slow; index it with "
    "constants or in loops of constant bounds, or use a tile"
)
_RECURSION = (
    "recursion ({}): the stack of GPU threads is small, and NVIDIA's tile compiler rejects it; write a loop"
)


def lint(unit: Unit) -> list[Diagnostic]:
    """Warnings about the tile functions of a source, in source order."""
    functions = [f for f in unit.functions() if annotations_of(f) & {KERNEL, FUNCTION}]
    found: dict[tuple[str, int, str], Diagnostic] = {}
    for function in functions:
        for cursor, message in (*_Body(function).findings(), *_recursion(function, functions)):
            file, line, column = unit.place(cursor)
            found.setdefault((file, line, message), Diagnostic(file, line, column, "warning", message))
    return sorted(found.values(), key=lambda diagnostic: (diagnostic.file != unit.name, diagnostic[:3]))


class _Body:
    """The body of one function."""

    def __init__(self, function: Cursor):
        self.kinds = load().CursorKind
        self.types = load().TypeKind
        self.function = function
        self.unrolled: set[str] = set()  # USRs of the variables of loops with constant bounds

    def findings(self) -> Iterator[tuple[Cursor, str]]:
        """(cursor, message)"""
        yield from self._visit(self.function, guarded=False)

    def _visit(self, parent: Cursor, guarded: bool) -> Iterator[tuple[Cursor, str]]:
        kinds = self.kinds
        for cursor in parent.get_children():
            inside = guarded
            if cursor.kind == kinds.IF_STMT:
                inside = guarded or "threadIdx" in _words(next(cursor.get_children()))
            elif cursor.kind == kinds.FOR_STMT:
                self._note_loop(cursor)
            elif cursor.kind == kinds.VAR_DECL and cursor.type.kind == self.types.VARIABLEARRAY:
                yield cursor, _RUN_TIME_LENGTH
            elif cursor.kind == kinds.ARRAY_SUBSCRIPT_EXPR and (name := self._slow_index(cursor)):
                yield cursor, _RUN_TIME_INDEX.format(name)
            elif cursor.kind == kinds.CALL_EXPR and not guarded and _called(cursor) == "printf":
                yield cursor, _PRINTF
            elif not guarded and self._changes_memory(cursor):
                yield cursor, _CHANGE
            yield from self._visit(cursor, inside)

    # --- changes of memory

    def _changes_memory(self, cursor: Cursor) -> bool:
        kinds = self.kinds
        children = list(cursor.get_children())
        if cursor.kind == kinds.UNARY_OPERATOR and len(children) == 1:
            words = _words(cursor)
            return ("++" in (words[:1] + words[-1:]) or "--" in (words[:1] + words[-1:])) and self._is_raw(
                children[0]
            )
        if (
            cursor.kind not in (kinds.COMPOUND_ASSIGNMENT_OPERATOR, kinds.BINARY_OPERATOR)
            or len(children) != 2
        ):
            return False
        left, right = children
        target = _words(left)
        operator = _words(cursor)[len(target) : len(target) + 1]
        if not operator or operator[0] not in _ASSIGNMENTS or not self._is_raw(left):
            return False
        return operator != ["="] or _contains(_words(right), target)

    def _is_raw(self, cursor: Cursor) -> bool:
        """Whether an expression is memory that threads share: reached by a pointer, or a global variable."""
        kinds = self.kinds
        cursor = self._stripped(cursor)
        children = list(cursor.get_children())
        if cursor.kind == kinds.ARRAY_SUBSCRIPT_EXPR and children:
            base = self._stripped(children[0])
            return base.type.get_canonical().kind == self.types.POINTER or self._is_raw(base)
        if cursor.kind == kinds.UNARY_OPERATOR and children:
            return (
                _words(cursor)[:1] == ["*"]
                and children[0].type.get_canonical().kind != self.types.CONSTANTARRAY
            )
        if cursor.kind == kinds.MEMBER_REF_EXPR and children:
            return children[0].type.get_canonical().kind == self.types.POINTER or self._is_raw(children[0])
        if cursor.kind == kinds.DECL_REF_EXPR and cursor.referenced is not None:
            return self._names_shared(cursor.referenced)
        return False

    def _names_shared(self, variable: Cursor) -> bool:
        if variable.kind != self.kinds.VAR_DECL:
            return False
        if variable.semantic_parent.kind in (self.kinds.TRANSLATION_UNIT, self.kinds.NAMESPACE):
            return not variable.type.is_const_qualified()
        if variable.type.kind == self.types.LVALUEREFERENCE:
            return any(self._is_raw(child) for child in variable.get_children())
        return False

    def _stripped(self, cursor: Cursor) -> Cursor:
        """An expression without the brackets and conversions around it."""
        around = (self.kinds.UNEXPOSED_EXPR, self.kinds.PAREN_EXPR)
        while cursor.kind in around and len(children := list(cursor.get_children())) == 1:
            cursor = children[0]
        return cursor

    # --- local arrays

    def _note_loop(self, loop: Cursor) -> None:
        parts = list(loop.get_children())
        if len(parts) < 3 or parts[0].kind != self.kinds.DECL_STMT:
            return
        own = {child.get_usr() for child in parts[0].get_children()}
        if all(usr in own for usr in self._variables(parts[1])):
            self.unrolled |= own

    def _slow_index(self, cursor: Cursor) -> str:
        """The name of the local array that an expression indexes at run time, "" if it does not."""
        base, *index = cursor.get_children()
        array = self._stripped(base).referenced
        if array is None or array.kind != self.kinds.VAR_DECL or array.type.kind != self.types.CONSTANTARRAY:
            return ""
        if array.semantic_parent.kind in (self.kinds.TRANSLATION_UNIT, self.kinds.NAMESPACE):
            return ""
        slow = any(usr not in self.unrolled for part in index for usr in self._variables(part))
        return array.spelling if slow else ""

    def _variables(self, cursor: Cursor) -> Iterator[str]:
        """USRs of the variables in an expression that are not constants."""
        found = cursor.referenced if cursor.kind == self.kinds.DECL_REF_EXPR else None
        kinds = (self.kinds.VAR_DECL, self.kinds.PARM_DECL)
        if found is not None and found.kind in kinds and not found.type.is_const_qualified():
            yield found.get_usr()
        for child in cursor.get_children():
            yield from self._variables(child)


# --- recursion ----------------------------------------------------------------------------------------------


def _recursion(function: Cursor, functions: list[Cursor]) -> Iterator[tuple[Cursor, str]]:
    """(cursor of the call, message) if the function can call itself through `functions`."""
    by_usr = {f.get_usr(): f for f in functions}
    start = function.get_usr()
    queue = [(call, [start]) for call in _calls(function)]
    seen = set()
    while queue:
        call, path = queue.pop(0)
        usr = call.referenced.get_usr()
        if usr == start:
            names = [qualified_name(by_usr[step]) for step in [*path, start]]
            yield function, _RECURSION.format(" calls ".join(names))
            return
        if usr in by_usr and usr not in seen:
            seen.add(usr)
            queue += [(further, [*path, usr]) for further in _calls(by_usr[usr])]


def _calls(function: Cursor) -> Iterator[Cursor]:
    """The calls in a function whose callee is known; those that depend on template parameters are not."""
    for cursor in function.walk_preorder():
        if cursor.kind == load().CursorKind.CALL_EXPR and cursor.referenced is not None:
            yield cursor


def _called(call: Cursor) -> str:
    return call.spelling or next(iter([w for w in _words(call) if w not in ("std", "::")]), "")


def _words(cursor: Cursor) -> list[str]:
    return [token.spelling for token in cursor.get_tokens()]


def _contains(words: list[str], part: list[str]) -> bool:
    return any(words[at : at + len(part)] == part for at in range(len(words) - len(part) + 1))
