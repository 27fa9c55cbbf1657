"""Compares two modules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np

from .ir import Block, Constant, Entry, Global, Operation, Tile, Value
from .module import Module, check_module

_END = "end"


def equal(a: Module, b: Module) -> bool:
    """Whether modules a and b have the same globals and entries: the same operations in the same order.

    Names of values, lines, the producer and the version that a module was read from are ignored. An absent
    attribute equals one that is off.
    """
    check_module(a)
    check_module(b)
    if len(a.globals) != len(b.globals) or len(a.entries) != len(b.entries):
        return False
    return all(map(_same_global, a.globals, b.globals)) and all(map(_same_entry, a.entries, b.entries))


def _same_global(a: Global, b: Global) -> bool:
    names = ("name", "type", "alignment", "private", "constant")
    return all(getattr(a, n) == getattr(b, n) for n in names) and _same_bits(a.value, b.value, a.type)


def _same_entry(a: Entry, b: Entry) -> bool:
    return a.name == b.name and _plain(a.hints) == _plain(b.hints) and _same_steps(a.body, b.body)


def _same_steps(a: Block, b: Block) -> bool:
    """Iterative, because regions may nest deeper than Python's calls."""
    known: dict[Value, Value] = {}  # from values of `a` to those of `b`
    for x, y in zip_longest(_steps(a), _steps(b)):
        if isinstance(x, Operation) and isinstance(y, Operation):
            same = _same_operation(x, y, known)
        elif isinstance(x, list) and isinstance(y, list):
            known.update(zip(x, y, strict=False))
            same = [value.type for value in x] == [value.type for value in y]
        else:
            same = x is y
        if not same:
            return False
    return True


def _steps(block: Block) -> Iterator[Operation | list[Value] | str]:
    """The contents of a block in order: its arguments, its operations, each followed by the contents of its
    regions and then by its results, and the end of the block."""
    yield block.arguments
    left: list[Iterator[Operation | Block | list[Value] | None]] = [iter(block.ops)]
    while left:
        step = next(left[-1], _END)
        if step is _END:
            left.pop()
            yield _END
        elif isinstance(step, Operation):
            yield step
            left.append(iter([*step.regions, step.results]))
        elif isinstance(step, Block):
            yield step.arguments
            left.append(iter(step.ops))
        elif step is not None:
            yield step


def _same_operation(a: Operation, b: Operation, known: dict[Value, Value]) -> bool:
    """Whether two operations are the same apart from regions and results."""
    if a.name != b.name or [r is None for r in a.regions] != [r is None for r in b.regions]:
        return False
    x, y = ({name: found for name, found in op.operands.items() if found} for op in (a, b))
    if x.keys() != y.keys() or any([known.get(v) for v in x[name]] != y[name] for name in x):
        return False
    return _same_attributes(a, b)


def _is_off(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return not any(value)
    return value is None or value is False or value == {} if not isinstance(value, np.ndarray) else False


def _same_attributes(a: Operation, b: Operation) -> bool:
    x, y = ({n: v for n, v in op.attributes.items() if not _is_off(v)} for op in (a, b))
    return x.keys() == y.keys() and all(_same(x[n], y[n], a) for n in x)


def _same(a: Any, b: Any, op: Operation) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return _same_bits(a, b, op.results[0].type)
    if isinstance(a, (list, tuple)):
        return list(a) == list(b)
    return _plain(a) == _plain(b)


def _plain(value: Any) -> Any:
    """Hints with i1 bits as bools, because the text does not distinguish the two."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, Constant) and value.type.name == "i1":
        return bool(value.bits)
    return value


def _same_bits(a: Any, b: Any, type_: Tile) -> bool:
    """Whether elements have the same bits, NaNs included."""
    x, y = (np.asarray(value) for value in (a, b))
    if x.dtype != y.dtype:
        return False
    if not any(x.strides) and not any(y.strides):  # both broadcast a single element
        return x.reshape(-1)[:1].tobytes() == y.reshape(-1)[:1].tobytes()
    x, y = (np.broadcast_to(value, type_.shape) for value in (x, y))
    return x.tobytes() == y.tobytes()
