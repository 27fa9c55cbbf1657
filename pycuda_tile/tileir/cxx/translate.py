"""A function of LLVM IR becomes an entry of Tile IR."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from ..ir import Block, Entry, Global, Pointer, Tile, Value
from ..locations import CompileUnit, File, Location, Subprogram
from .builder import I8, Unsupported
from .cleanup import clean
from .globals import global_of
from .hints import StatementHints
from .llvm import Function, Instruction, Local, Place, Variable
from .llvm_text import Text, UnknownText
from .loops import Loops
from .refused import Refused, place_of, refusals

#: Code that nobody has thought of shows as one of these; the user is told which line it is.
_FAULTS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class NotTranslated(Exception):
    """Why a kernel has no translation, and where in the source that is."""

    def __init__(self, reason: str, place: Place | None):
        super().__init__(reason)
        self.reason, self.place = reason, place


class Translator(Loops):
    """Translates one kernel. `is_user_file` tells the user's files from those of this package."""

    def __init__(
        self,
        text: Text,
        function: Function,
        types: list[Tile],
        is_user_file: Any,
        globals_: dict,
        hints: StatementHints,
    ):
        names = [argument.name for argument in function.arguments]
        self._text, self._is_user_file, self._globals = text, is_user_file, globals_
        self._hints = hints
        self._in_memory = _in_memory(function)
        known = dict(zip(names, types, strict=True))
        known |= {name: Tile(Pointer(known[name].element), ()) for name in self._in_memory}
        super().__init__(function, known)
        self._types_of_parameters = types
        self._places: dict[int, Location | None] = {}
        self._kernel = text.place(function.debug)
        self._scope = _scope(function.name, self._kernel) if self._kernel else None
        self.last: Instruction | None = None

    def entry(self) -> Entry:
        parameters = [Value(type_) for type_ in self._types_of_parameters]
        for argument, value in zip(self.function_text.arguments, parameters, strict=True):
            self.values[argument.name] = value
            if argument.type == "i1":  # a bool is a byte outside
                zero = self.constant(Tile(I8, ()), 0)
                sign = {"signedness": "signed"}
                self.values[argument.name] = self.compare("cmpi", "not_equal", value, zero, sign)
            if argument.name in self._in_memory:
                self.values[argument.name] = self.variable_of(argument.name, value)
        flow = self.run(self.graph.entry)
        assert flow is None, "control goes nowhere"
        body = Block(parameters, self.scopes[0].ops)
        clean(body)
        return Entry(self.function_text.name, body, {}, self._location(self._kernel))

    # --- places in the source ---

    def at(self, i: Instruction) -> None:
        """What is made from now on comes from this instruction."""
        self.last = i
        if i.debug not in self._places:
            place = self.user_place(i.debug)
            self._places[i.debug] = self._location(place)
        self.location = self._places[i.debug]

    def _location(self, place: Place | None) -> Location | None:
        return Location(place.file, place.line, place.column, self._scope) if place else None

    def user_place(self, debug: int) -> Place | None:
        """Where in the user's files an instruction comes from: what was inlined there, it is."""
        return user_place(self._text, debug, self._is_user_file)

    def note_hints(self, number: int, values: list[int]) -> None:
        self._hints.note(number, values)

    def hints_at(self, i: Instruction, is_view: bool) -> dict[str, Any]:
        return self._hints.at(self.user_place(i.debug), is_view)

    def readable(self, symbol: str) -> str:
        from ...compilers.demangle import demangled

        return demangled(symbol)

    # --- global variables ---

    def address_of_global(self, name: str) -> Value:
        if name not in self._globals:
            self._globals[name] = self._global(name)
        found = self._globals[name]
        return self.pure("get_global", {}, Tile(Pointer(found.type.element), ()), {"name": found.name})

    def variable(self, name: str) -> Variable | None:
        return self._text.variable(name)

    def _global(self, name: str) -> Global:
        variable = self.variable(name)
        if variable is None:
            raise Unsupported(f"the address of {self.readable(name)}, which is not a variable")
        if self._text.is_set_at_start(name):
            raise Unsupported(
                f"the global variable {self.readable(name)}, whose initial value is not a constant"
            )
        return global_of(variable, self.readable(name))


def _scope(name: str, place: Place) -> Subprogram:
    """The kernel as what its operations are in."""
    directory, _, file = place.file.rpartition("/")
    where = File(file, directory)
    return Subprogram(where, place.line, name, name, CompileUnit(where), place.line)


def _in_memory(function: Function) -> set[str]:
    """The parameters passed by value that the kernel does more with than read them."""
    found = set()
    for block in function.blocks.values():
        for i in block:
            names = {operand.name for operand in i.operands if isinstance(operand, Local)}
            found |= names & function.by_value if i.op != "load" else set()
    return found


def user_place(text: Text, debug: int, is_user_file: Any) -> Place | None:
    place = text.place(debug)
    while place is not None and not is_user_file(place.file) and place.caller is not None:
        place = place.caller
    return place


def translate(
    text: Text,
    symbol: str,
    types: list[Tile],
    is_user_file: Any,
    globals_: dict,
    hints: StatementHints,
    of_host: Set[str] = frozenset(),
) -> Entry:
    """An entry for a function; of_host: variables that it must not use. Refused if it is no tile code,
    NotTranslated if there is no translation."""
    if wrong := refusals(text, symbol, of_host):
        raise Refused([place_of(why, user_place(text, debug, is_user_file)) for why, debug in wrong])
    try:
        function = text.function(symbol)
    except UnknownText as error:
        place = user_place(text, error.debug, is_user_file)
        raise NotTranslated(f"LLVM IR that this package does not know: {error}", place) from error
    translator = None
    try:
        translator = Translator(text, function, types, is_user_file, globals_, hints)
        return translator.entry()
    except (Unsupported, *_FAULTS) as error:
        last = translator.last if translator else None
        debug = last.debug if last and last.debug else function.debug
        reason = str(error)
        if isinstance(error, RecursionError):
            reason = "statements that are nested as deeply as here"
        elif not isinstance(error, Unsupported):
            reason = f"this code, because of a fault in the translator ({type(error).__name__}: {error})"
        raise NotTranslated(reason, user_place(text, debug, is_user_file)) from error
