"""emit: a nest of loops as C++.

The operations of a strip are written by the translation that works op by op (lower/expressions.py), on small
tiles in place of whole ones: so their results have the same bits.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from contextlib import AbstractContextManager

from ..ir import Operation, Value
from ..lower.expressions import expression
from ..lower.tiles import shared_value
from ..lower.translation import Translation
from ..lower.types import element, tile
from ..reading import attribute, operands_of, value_element, value_shape
from . import vectors
from .extrema import EXTREMA, keeps_no_payload, with_number
from .facts import FOLDS, LOADS, SHAPES, STORES, is_joint, is_tile, is_window, writes
from .folds import Folds
from .gathers import Gathers
from .places import Place, Places, scalar_name
from .rounding import is_rounded
from .stages import Nest

#: Rows of up to so many elements are prefetched, so many elements before they are needed, in whole rows.
_SHORT_ROW, _AHEAD, _ROWS_AHEAD = 2048, 256, range(2, 9)
#: So few floats are divided by instructions, of which the first one comes sooner than an inverse.
_FEW_QUOTIENTS = 256
#: Operations of which tiles and strips, or strips alone, have functions of their own (cuda_tile/loops/).
OF_TILES = frozenset({"ftoi", "itof"})
_DIVISIONS = frozenset({"divi", "remi"})
_FLOATS = {"f32": "float", "f64": "double"}
_OF_STRIPS = OF_TILES | _DIVISIONS | {"exti", "offset"}
#: Gets the operations of a nest, and the variables of the values that others use.
Otherwise = Callable[[list[Operation], dict[Value, str]], None]
#: Names in C++ of values, by their identity, and of what expressions make, by these.
Names = dict[int | str, str]


def emit(
    translator: Translation,
    nest: Nest,
    otherwise: Otherwise,
    places: dict[int, str],
    ahead: dict[int, str],
    row: str = "",
) -> None:
    """Writes a nest.

    otherwise:     writes what happens if a test before the loops fails
    places:        variables that outputs are to be written to, by the output's identity
    ahead:         how far ahead loads may ask for what comes next, by their identity
    row:           the position along the outermost axis, if loops around the nest have it
    """
    Emitter(translator, nest, places, ahead, row).write(otherwise)


class Emitter:
    """Writes a nest. `outer` has what stands for values outside of the stages' loops, `local` within the loop
    of the present stage, and `positions` where the loops are along each axis."""

    def __init__(
        self, translator: Translation, nest: Nest, places: dict[int, str], ahead: dict[int, str], row: str
    ):
        self.translator, self.nest, self.ahead, self.row = translator, nest, ahead, row
        self.line = translator.line
        self.given = places
        self.outputs = {id(v): places.get(id(v)) or translator.fresh("result") for v in nest.outputs}
        self.buffers = {key: translator.fresh("kept") for key in nest.buffers}
        self.places: dict[int, Place] = {}
        self.outer: Names = {}
        self.local: Names = {}
        self.positions: dict[int, str] = {}
        # Of what expressions make strips of half and bfloat16: the C++ name of the type, and floats.
        self.unrounded: dict[str, tuple[str, str]] = {}
        self.folds, self.gathers = Folds(self), Gathers(self)

    def _declare_outputs(self) -> None:
        """Declares what others use, since the nest is in braces."""
        for value in self.nest.outputs:
            if id(value) in self.given:
                continue
            kind = tile(value_element(value), value_shape(value))
            braces = "" if value_shape(value) else "{}"
            self.line(f"{kind} {self.outputs[id(value)]}{braces};")

    def write(self, otherwise: Otherwise) -> None:
        self._declare_outputs()
        with self.translator.names.block(""):
            found = Places(self.translator, self.nest)
            self.indices = found.indices
            for access in self.nest.effects.accesses:
                self.places[id(access.op)] = found.of(access)
            for op in filter(is_window, self.nest.ops):
                self.places[id(op)] = found.window(op)
            found.add_tests(self.places)
            found.add_streams(self.places)
            if found.tests:
                tests = " && ".join(f"loops::holds({test})" for test in found.tests)
                with self.translator.names.block(f"if ({tests})"):
                    self._loops()
                # Not inlined: compilers make worse loops in long functions.
                with self.translator.names.block("else [&]() __attribute__((noinline))", "}();"):
                    otherwise(
                        self.nest.all_ops, {value: self.outputs[id(value)] for value in self.nest.outputs}
                    )
            else:
                self._loops()
        for value in self.nest.outputs:
            self.translator.names.alias(value, self.outputs[id(value)])

    # --- loops ---

    def _loops(self) -> None:
        self.line(vectors.length(self.nest))
        if mask := vectors.mask(self.nest):
            self.line(mask)
        for op in self.nest.ops:
            if op.name in FOLDS:
                self.folds.combine(op)
        if self.row:
            self.positions[self.nest.outer[0]] = self.row
        self._outer(self.nest.outer[bool(self.row) :])

    def _outer(self, axes: list[int]) -> None:
        if not axes:
            self._stages()
            return
        with self._loop(axes[0]):
            self._outer(axes[1:])

    def _loop(self, axis: int) -> AbstractContextManager[None]:
        name = self.positions[axis] = self.translator.fresh(f"i{axis}")
        extent, step = self.nest.axes.extents[axis], vectors.LENGTH if axis == self.nest.vector else "1"
        if self.nest.backward and axis == self.nest.inner:
            head = f"for (long long {name} = {extent} - {step}; {name} >= 0; {name} -= {step})"
        else:
            head = f"for (long long {name} = 0; {name} < {extent}; {name} += {step})"
        return self.translator.names.block(head)

    def _stages(self) -> None:
        for key, value in self.nest.buffers.items():
            row = vectors.row(self.nest, value)
            self.line(f"alignas(64) {tile(value_element(value), row.shape)} {self.buffers[key]};")
        for stage in self.nest.stages:
            self._between(stage)
            self._stage(stage)

    def _between(self, stage: int) -> None:
        """What does not vary along the inner axis, before the loop of a stage."""
        self.local = {}
        for op in self.nest.ops:
            subject = self.nest.subject(op)
            if self.nest.is_inner(subject) or self.nest.level(op) != stage or not self.nest.uses(op):
                continue
            self.operation(op, self.outer)

    def _stage(self, stage: int) -> None:
        reductions = [op for op in self.nest.ops if op.name == "reduce" and self.nest.level(op) == stage + 1]
        stores = [
            op
            for op in self.nest.ops
            if writes(op) and self.nest.level(op) == stage and self.nest.is_inner(self.nest.subject(op))
        ]
        needed = self.nest.needed[stage]
        if not (reductions or stores or needed):
            return
        for op in reductions:
            self.folds.declare_sum(op)
        scans = [op for op in self.nest.ops if op.name == "scan" and self.nest.level(op) == stage]
        for op in scans:
            self.folds.declare_scan(op)
        self.gathers.declare_runs(needed)
        with self._loop(self.nest.inner):
            self.local = {}
            for op in self.nest.ops:
                if op in stores:
                    self.operation(op, self.local)
                elif op in reductions:
                    self.folds.add(op)
                elif op.name != "reduce" and not writes(op):
                    self._values(op, [value for value in op.results if id(value) in needed], stage)

    def _values(self, op: Operation, values: list[Value], stage: int) -> None:
        """Some of the values of an operation within the loop of a stage, which keeps those that later ones
        need."""
        buffered = [value for value in values if id(value) in self.nest.buffers]
        begins = self.nest.level(op) == stage
        if values and (begins or not buffered):
            self.operation(op, self.local)
        for value in buffered:
            if begins:
                self._keep(value)
            else:
                self._let(value, self._read(self._buffer(value), value), self.local)

    # --- operations ---

    def name(self, value: Value) -> str:
        """What stands for a value, or for the part of an array that the loops are at."""
        for names in (self.local, self.outer):
            if id(value) in names:
                return names[id(value)]
        if not is_tile(value):
            return scalar_name(self.translator, value)
        return self._read(self._array(self.translator.names[value], value), value)

    def type(self, value: Value) -> str:
        held = vectors.held(self.nest, value)
        return tile(str(held.element), held.shape)

    def _let(self, value: Value, text: str, names: Names) -> None:
        name = names[id(value)] = self.translator.fresh(value.name or "v")
        self.line(f"auto const {name} = {text};")

    def variable(self, text: str, names: Names, name: str = "v") -> str:
        """What holds what an expression makes. Arrays may have changed since they were read."""
        if text.isidentifier() or text in self.unrounded:
            return text
        if ".slots" in text or text not in names:
            names[text] = self.translator.fresh(name)
            self.line(f"auto const {names[text]} = {text};")
        return names[text]

    def _compute(self, value: Value, text: str, names: Names) -> None:
        """Defines what other values make. What they make already is not made again, for compilers' sake."""
        names[id(value)] = self.variable(text, names, value.name or "v")
        if id(value) in self.outputs:
            self._output(value, names[id(value)])

    def define(self, value: Value, text: str, names: Names) -> None:
        self._let(value, text, names)
        if id(value) in self.outputs:
            self._output(value, names[id(value)])

    def _keep(self, value: Value) -> None:
        self._write(self._buffer(value), value, self.name(value))

    def operation(self, op: Operation, names: Names) -> None:
        self.translator.at(op)
        if op.name in STORES:
            self._store(op)
        elif is_joint(op):
            self._join(op)
        elif is_window(op):
            self.define(op.results[0], self._read(self.places[id(op)], op.results[0]), names)
        elif op.name in LOADS:
            self.define(op.results[0], self._load(op, names), names)
        elif op.name in FOLDS:
            self.folds.define(op, names)
        elif op.name in SHAPES:
            self._shape(op, names)
        elif op.name == "iota":
            self._compute(op.results[0], self._iota(op.results[0]), names)
        elif self.nest.has_lanes(op.results[0]) and (is_rounded(op) or self._has_floats(op)):
            self._round(op, names)
        else:
            operands = [self.name(value) for value in operands_of(op)]
            of_floats = self._divides_floats(op)
            if of_floats or op.name in _DIVISIONS:
                operands[1] = self._divisor(op) or operands[1]
            text = self._extremum(op, operands, _FLOATS.get(value_element(op.results[0]), ""))
            text = text or expression(vectors.narrowed(self.nest, op), operands)
            if of_floats:
                text = text.replace("ct::", "loops::", 1)
            if op.name == "ftof" and value_element(op.results[0]) == "f32" and operands[0] in self.unrounded:
                text = "loops::through<{}>({})".format(*self.unrounded[operands[0]])
            if op.name in _OF_STRIPS and self.nest.has_lanes(op.results[0]):
                text = text.replace("tileir::", "loops::", 1)
            self._compute(op.results[0], text, names)

    def _round(self, op: Operation, names: Names) -> None:
        """Strips stay floats from one such operation to the next."""
        (result,) = op.results
        kind = element(value_element(result))
        if op.name == "ftof":
            floats = self.variable(self.name(operands_of(op)[0]), names)
        else:
            operands = [self._floats(value, names) for value in operands_of(op)]
            negates = op.name == "negf"
            text = f"-{operands[0]}" if negates else self._extremum(op, operands, "float")
            text = text or expression(vectors.narrowed(self.nest, op), operands)
            floats = self.variable(text, names)
            if negates or op.name in EXTREMA:  # which are rounded as they are
                names[f"loops::rounded<{kind}>({floats})"] = floats
        narrow = names[id(result)] = f"ct::element_cast<{kind}>({floats})"
        self.unrounded[narrow] = kind, floats
        if id(result) in self.outputs:
            self._output(result, narrow)

    def _has_floats(self, op: Operation) -> bool:
        """Whether an extremum of half or bfloat16, whose bits have an order, is one of floats already."""
        return keeps_no_payload(op) and any(self.name(value) in self.unrounded for value in operands_of(op))

    def _extremum(self, op: Operation, operands: list[str], kind: str) -> str:
        """That of a strip of floats, or of doubles, and one number; "" if it is no such thing."""
        if not kind or op.name not in EXTREMA or not self.nest.has_lanes(op.results[0]):
            return ""
        for x, other in zip(operands, operands_of(op)[::-1], strict=True):
            made = self._number(other)
            number = None if made is None else shared_value(made)
            if number is not None:
                return with_number(op, x, number, kind)
        return ""

    def _floats(self, value: Value, names: Names) -> str:
        """Floats that operations compute with, for which it does not matter what a NaN is."""
        name = self.name(value)
        text = f"loops::floats({name})"
        if name in self.unrounded:
            text = "loops::rounded<{}>({})".format(*self.unrounded[name])
        return self.variable(text, names)

    def _divides_floats(self, op: Operation) -> bool:
        """Whether an operation divides many floats, in no mode but the usual one."""
        return (
            op.name == "divf"
            and attribute(op, "rounding_mode", "nearest_even") == "nearest_even"
            and not attribute(op, "flush_to_zero", False)
            and value_element(op.results[0]) == "f32"
            and self.nest.has_lanes(operands_of(op)[0])
            and self.nest.axes.extents[self.nest.vector] > _FEW_QUOTIENTS
        )

    def _divisor(self, op: Operation) -> str:
        """The one number by which strips are divided; "" if there is none."""
        value, made = operands_of(op)[1], self._number(operands_of(op)[1])
        if made is not None:
            return expression(vectors.scalar(made), [])
        while self.nest.has_lanes(value):
            made = self.nest.analysis.definitions.get(id(value))
            if made is None or made.name not in SHAPES:
                return ""
            (value,) = operands_of(made)
        return self.name(value)

    def _number(self, value: Value) -> Operation | None:
        """The constant that all elements of a value are, if there is one."""
        made = self.nest.analysis.definitions.get(id(value))
        while made is not None and made.name in SHAPES:
            made = self.nest.analysis.definitions.get(id(operands_of(made)[0]))
        return made if made is not None and made.name == "constant" else None

    def _shape(self, op: Operation, names: Names) -> None:
        (source,), (result,) = operands_of(op), op.results
        text = self.name(source)
        if self.nest.has_lanes(result) and not self.nest.has_lanes(source):
            text = f"loops::splat<{self.type(result)}>({text})"
        self._compute(result, text, names)

    def _iota(self, value: Value) -> str:
        kind, axes = element(value_element(value)), self.nest.axes
        weights = axes.weights(axes.list_of(value))
        first = _sum(self.positions, weights)
        if self.nest.vector in weights:
            return f"loops::count_from<{kind}, {vectors.LENGTH}, {weights[self.nest.vector]}>({first})"
        return f"static_cast<{kind}>({first})"

    # --- memory ---

    def inside(self, place: Place, value: Value) -> str:
        """How many elements exist from the present position on, or between which."""
        vector, lanes = self.nest.vector, self.nest.has_lanes(value)
        conditions = [self.name(value) for value in place.conditions]
        left: dict[bool, list[str]] = {False: [], True: []}
        for factors, size, is_least in place.bounds:
            position = _sum(self.positions, factors)
            if not lanes or vector not in factors:
                conditions.append(f"{position} {'>=' if is_least else '<'} {size}")
            elif factors[vector] == 1:
                left[is_least].append(f"{size} - ({position})")
            else:
                room = factors[vector] - 1
                left[is_least].append(f"({size} - ({position}) + {room}) / {factors[vector]}")
        if not lanes:
            return " && ".join(conditions) or "1"
        count = functools.reduce("loops::least({}, {})".format, left[False] or [vectors.LENGTH])
        count = f"{' && '.join(conditions)} ? {count} : 0" if conditions else count
        if not left[True]:
            return count
        first = functools.reduce("loops::greatest({}, {})".format, left[True])
        return f"loops::between({first}, {count})"

    def _arguments(self, place: Place, value: Value) -> str:
        """The address, and the distance of a strip's elements unless they are neighbours."""
        at = place.at(self.positions)
        step = place.steps.get(self.nest.vector, "1") if self.nest.has_lanes(value) else "1"
        return at if step == "1" else f"{at}, {step}"

    def _load(self, op: Operation, names: Names) -> str:
        access = self.nest.access(op)
        if access.index is not None:
            return self.gathers.load(access, names)
        mask = access.mask
        self._prefetch(op)
        return self._read(self.places[id(op)], op.results[0], "" if mask is None else self.name(mask))

    def _prefetch(self, op: Operation) -> None:
        """Asks for a row that comes soon: processors foresee only that the present one goes on."""
        nest, place = self.nest, self.places[id(op)]
        if nest.inner != nest.vector or place.steps.get(nest.vector) != "1":
            return
        distance = "" if nest.outer else self.ahead.get(id(op), "")
        row = nest.axes.extents[nest.vector]
        if nest.outer and row <= _SHORT_ROW and not self.row:
            step = place.steps.get(nest.outer[-1], "0")
            rows = min(max(_AHEAD // row, _ROWS_AHEAD[0]), _ROWS_AHEAD[-1])
            distance = f"{rows} * {step}" if step != "0" else ""
        if distance:
            self.line(f"loops::prefetch<{vectors.LENGTH}>({place.at(self.positions)} + {distance});")

    def _read(self, place: Place, value: Value, mask: str = "") -> str:
        padding = place.padding or f"loops::any<{place.kind}>()"
        length = f"<{vectors.LENGTH}, {place.kind}>" if self.nest.has_lanes(value) else f"_one<{place.kind}>"
        given = f"{self._arguments(place, value)}, {mask or self.inside(place, value)}, {padding}"
        return f"loops::load{length}({given})"

    def _write(self, place: Place, value: Value, x: str, mask: str = "") -> None:
        length = f"<{place.kind}, {vectors.LENGTH}>" if self.nest.has_lanes(value) else f"_one<{place.kind}>"
        streams = f"{place.streams}, " if place.streams else ""
        given = f"{streams}{self._arguments(place, value)}, {x}, {mask or self.inside(place, value)}"
        self.line(f"loops::store{length}({given});")

    def _store(self, op: Operation) -> None:
        access = self.nest.access(op)
        if access.index is not None:
            self.gathers.store(access)
            return
        value, mask = self.nest.access(op).value, self.nest.access(op).mask
        self._write(self.places[id(op)], value, self.name(value), "" if mask is None else self.name(mask))

    def _join(self, op: Operation) -> None:
        """Writes strips of the parts to where these are in the joined tile."""
        (result,), parts, dim = op.results, operands_of(op), int(attribute(op, "dim"))
        steps = [math.prod(value_shape(result)[d + 1 :]) for d in range(len(value_shape(result)))]
        kind = element(value_element(result))
        for i, value in enumerate(parts):
            first = i * value_shape(value)[dim] * steps[dim]
            place = Place(f"{self.outputs[id(result)]}.slots + {first}", kind)
            for step, own in zip(steps, self.nest.axes.of(value), strict=True):
                weights = self.nest.axes.weights(own)
                place.steps |= {axis: str(weight * step) for axis, weight in weights.items()}
            self._write(place, value, self.name(value))

    def _array(self, name: str, value: Value) -> Place:
        """A tile that the nest takes or gives."""
        weights = self.nest.axes.weights(self.nest.axes.list_of(value))
        steps = {axis: str(weight) for axis, weight in weights.items()}
        return Place(f"{name}.slots", element(value_element(value)), steps)

    def _output(self, value: Value, name: str) -> None:
        result = self.outputs[id(value)]
        if is_tile(value):
            self._write(self._array(result, value), value, name)
        else:
            self.line(f"{result}{'.slots[0]' if value_shape(value) else ''} = {name};")

    def _buffer(self, value: Value) -> Place:
        """One strip, or one element, for each position along the inner axis."""
        across = self.nest.has_lanes(value) and self.nest.inner != self.nest.vector
        steps = {self.nest.inner: vectors.LENGTH if across else "1"}
        at = Place(f"{self.buffers[id(value)]}.slots", "", steps).at(self.positions)
        return Place(at, element(value_element(value)))


def _sum(positions: dict[int, str], factors: dict[int, int]) -> str:
    """The sum of positions times factors, in C++."""
    terms = [positions[axis] if n == 1 else f"{positions[axis]} * {n}" for axis, n in factors.items()]
    return " + ".join(terms) or "0"
