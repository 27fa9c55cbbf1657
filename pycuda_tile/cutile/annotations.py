"""The parameters of a kernel of cuTile Python, with what their annotations say."""

from __future__ import annotations

import inspect
import types
import typing
from typing import Any, NamedTuple

import cuda.tile as ct

from ..errors import ArgumentTypeError


class ArrayNote(NamedTuple):
    """What is said of an array.

    index_dtype:  the type of its extents and strides
    static_shape_dims, static_stride_dims:  the axes whose extents and strides are constants
    """

    index_dtype: str = "int32"
    static_shape_dims: tuple[int, ...] = ()
    static_stride_dims: tuple[int, ...] = ()


class Annotation(NamedTuple):
    """What is said of a parameter, or of an item of a tuple.

    constant:  it is a constant of the kernel
    array:     of an array, or of the arrays of a list
    scalar:    the name of a number's type, or ""
    items:     of the items of a tuple; None if nothing is said of them
    rest:      of the items of a tuple of any length
    """

    constant: bool = False
    array: ArrayNote = ArrayNote()
    scalar: str = ""
    items: tuple[Annotation, ...] | None = None
    rest: Annotation | None = None

    def of_items(self, count: int, where: str) -> list[Annotation]:
        """What is said of the items of a tuple of this length."""
        if self.items is None:
            return [self.rest or Annotation()] * count
        if len(self.items) != count:
            raise ArgumentTypeError(
                f"Invalid {where}: Received a tuple of length {count} for a parameter annotated as a tuple "
                f"of length {len(self.items)}"
            )
        return list(self.items)


class Parameter(NamedTuple):
    """A kernel's parameter. `where` names its argument in errors."""

    where: str
    annotation: Annotation


def parameters_of(kernel: Any) -> list[Parameter]:
    function = kernel._pyfunc
    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception:  # an annotation may name what is not there: cuda.tile ignores it then, too
        hints = dict(function.__annotations__)
    names = inspect.signature(function).parameters
    return [Parameter(f"kernel argument #{i}", _read(hints.get(name))) for i, name in enumerate(names)]


def _read(hint: Any) -> Annotation:
    notes = {type(note).__name__: note for note in getattr(hint, "__metadata__", ())}
    array = notes.get("ArrayAnnotation")
    if (listed := notes.get("ListAnnotation")) is not None:
        array = listed.element
        if not isinstance(array, ct.ArrayAnnotation):
            array = next(each for each in array.__metadata__ if isinstance(each, ct.ArrayAnnotation))
    scalar = notes.get("ScalarAnnotation")
    constant = "ConstantAnnotation" in notes
    note = ArrayNote()
    if array is not None:
        note = ArrayNote(array.index_dtype.name, array.static_shape_dims, array.static_stride_dims)
    made = Annotation(constant, note, scalar.dtype.name if scalar else "")
    inner = hint.__origin__ if notes else hint
    if typing.get_origin(inner) is not tuple or not isinstance(inner, types.GenericAlias):
        return made
    arguments = typing.get_args(inner)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return made._replace(rest=_read(arguments[0]))
    return made._replace(items=tuple(map(_read, arguments)))
