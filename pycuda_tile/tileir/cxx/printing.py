"""printf, cuda_tile::print and assert."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable

from ...spec.element_types import ELEMENT_TYPES
from ..ir import Pointer, Scalar, Tile, Value
from ..print_formats import Expression, pieces
from .aliasing import OUTPUT
from .builder import I1, I8, I32, Unsupported, is_float, width
from .globals import text_at
from .llvm import Instruction, Number, Operand
from .memory import Memory
from .names import Name, name_of

_F32 = Scalar("f32")
#: The types whose names cuda_tile::print knows, by their names in mangled symbols.
_KNOWN = {"void": "void"} | {e.cxx: e.cxx for e in ELEMENT_TYPES if e.cxx} | {"unsigned int": "unsigned"}


class Printing(Memory):
    """Calls that print or stop."""

    @abstractmethod
    def note_hints(self, number: int, values: list[int]) -> None: ...

    def call_asserted(self, i: Instruction) -> None:
        condition, message = i.operands
        value = self.of_type(condition, Tile(I1, ()))
        self.emit(
            "assert",
            {"condition": value},
            (),
            {"message": self._known_text(message, "the message of assert")},
        )

    def call_hints(self, i: Instruction) -> None:
        """The hints of the statement that follows, whose number comes first."""
        numbers = [int(operand.value) for operand in i.operands if isinstance(operand, Number)]
        if len(numbers) == len(i.operands):
            self.note_hints(numbers[0], numbers[1:])

    def call_formatted(self, i: Instruction) -> Value:
        return self.printf(i)

    def printf(self, i: Instruction) -> Value:
        """Prints; yields how many arguments there were, as CUDA does."""
        template = self._known_text(i.operands[0], "the format of printf")
        arguments = list(i.operands[1:])
        text, values = "", []
        for piece in pieces(template):
            if isinstance(piece, str):
                text += _literal(piece)
                continue
            if not arguments:
                raise Unsupported("a call of printf with fewer arguments than its format has")
            piece = self._with_width(piece, arguments)
            found, value = self._argument(piece, arguments.pop(0))
            text += found
            values += [value] if value is not None else []
        self._print(text, values)
        return self.constant(Tile(I32, ()), len(i.operands) - 1)

    def _with_width(self, expression: Expression, arguments: list[Operand]) -> Expression:
        """A width or precision that is an argument stands in the format."""
        text = expression.text
        while "*" in text:
            width = arguments.pop(0) if arguments else None
            if not isinstance(width, Number):
                raise Unsupported(
                    "a width in a format of printf that is not known when the kernel is compiled"
                )
            text = text.replace("*", str(width.value), 1)
        found = next(iter(pieces(text)))
        assert isinstance(found, Expression)
        return found

    def _argument(self, expression: Expression, operand: Operand) -> tuple[str, Value | None]:
        """What stands in the format for an argument, and the argument; literals become part of the format."""
        if expression.kind == "s" and (known := text_at(self.variable, operand)) is not None:
            return _literal(f"%{expression.form}s" % known), None
        return expression.text, self.value(operand)

    def _known_text(self, operand: Operand, what: str) -> str:
        found = text_at(self.variable, operand)
        if found is None:
            raise Unsupported(f"{what}, which must be a literal")
        return found

    def _print(self, template: str, values: list[Value]) -> None:
        """Prints after what has been printed before. The text ends as strings of C do, which devices need."""
        self.emit_in_order(OUTPUT, "print_tko", {"args": values}, {"str": template + "\0"})

    # --- cuda_tile::print ---

    def call_print(self, i: Instruction, type_: Name) -> None:
        """A line with the label, the type and the block, then the elements in brackets."""
        label, operand = i.operands
        tile = type_.tile
        heading = (
            ""
            if isinstance(label, Number)
            else self._known_text(label, "the label of cuda_tile::print") + ": "
        )
        heading += _name_of(type_)
        value = self.of_type(operand, tile)
        element = name_of(type_.arguments[0]) if type_.name == "tile" else type_
        if element.packed:
            value = self.convert_half_bytes(value, Name("float"), element)
        elif tile.element == I1:
            value = self.convert(value, I32, signed_from=False)
        elif is_float(tile.element) and width(tile.element) < 32:
            value = self.convert(value, _F32)
        index = self.pure_op("get_tile_block_id", {}, [Tile(I32, ())] * 3, hoist=True).results
        text = f"{_literal(heading)} in block (%u, %u, %u)\n{_conversion(element)}\n"
        self._print(text, [*index, value])


def _literal(text: str) -> str:
    return text.replace("%", "%%")


def _name_of(type_: Name) -> str:
    """As `tile<float, shape<2, 4>>`, or `float` for a scalar."""
    if type_.name != "tile":
        return _element_name(type_)
    element, *lengths = type_.arguments
    return f"tile<{_element_name(name_of(element))}, shape<{_joined(lengths)}>>"


def _element_name(name: Name) -> str:
    if name.name == "*" and isinstance(pointee := name.arguments[0], Name):
        return f"{pointee.qualifiers}{_KNOWN.get(pointee.name, '?')}*"
    return _KNOWN.get(name.name, "?")


def _joined(numbers: Iterable[object]) -> str:
    return ", ".join(map(str, numbers))


def _conversion(name: Name) -> str:
    """How an element is printed: floats with as many digits as elsewhere (core/element_text.h)."""
    element = name.packed or name.element
    if isinstance(element, Pointer):
        return "%p"
    if is_float(element):
        return {"f64": "%.8g", "f32": "%.7g"}.get(element.name, "%.5g")
    if element in (I1, I8):
        return "%d" if element == I1 or name.is_signed else "%u"
    size = "ll" if width(element) == 64 else ""
    return f"%{size}{'d' if name.is_signed else 'u'}"
