"""Whether two modules say the same."""

from __future__ import annotations

from typing import Any

import numpy as np

from .ir import Block, Constant, Entry, Global, Module, Operation, Tile, Value


def equal(a: Module, b: Module) -> bool:
    """Whether both have the same globals and the same entries: the same operations in the same order.

    Names of values, lines, the producer and the version that a module was read from do not count, nor does
    whether an attribute that is off is there.
    """
    if len(a.globals) != len(b.globals) or len(a.entries) != len(b.entries):
        return False
    return all(map(_same_global, a.globals, b.globals)) and all(map(_same_entry, a.entries, b.entries))


def _same_global(a: Global, b: Global) -> bool:
    names = ("name", "type", "alignment", "private", "constant")
    return all(getattr(a, n) == getattr(b, n) for n in names) and _same_bits(a.value, b.value, a.type)


def _same_entry(a: Entry, b: Entry) -> bool:
    return a.name == b.name and _plain(a.hints) == _plain(b.hints) and _same_block(a.body, b.body, {})


def _same_block(a: Block | None, b: Block | None, known: dict[Value, Value]) -> bool:
    """`known` has for each value of `a` that of `b`."""
    if a is None or b is None:
        return a is b
    if len(a.ops) != len(b.ops) or not _same_values(a.arguments, b.arguments, known):
        return False
    return all(_same_operation(x, y, known) for x, y in zip(a.ops, b.ops, strict=True))


def _same_values(a: list[Value], b: list[Value], known: dict[Value, Value]) -> bool:
    known.update(zip(a, b, strict=False))
    return [value.type for value in a] == [value.type for value in b]


def _same_operation(a: Operation, b: Operation, known: dict[Value, Value]) -> bool:
    if a.name != b.name or len(a.regions) != len(b.regions):
        return False
    x, y = ({name: found for name, found in op.operands.items() if found} for op in (a, b))
    if x.keys() != y.keys() or any([known.get(v) for v in x[name]] != y[name] for name in x):
        return False
    if not _same_attributes(a, b):
        return False
    if not all(_same_block(r, s, known) for r, s in zip(a.regions, b.regions, strict=True)):
        return False
    return _same_values(a.results, b.results, known)


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
    """Hints with bits of type i1 as bools: text does not tell them apart."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, Constant) and value.type.name == "i1":
        return bool(value.bits)
    return value


def _same_bits(a: Any, b: Any, type_: Tile) -> bool:
    """Elements have the same bits: NaNs count, too."""
    x, y = (np.asarray(value) for value in (a, b))
    if x.dtype != y.dtype:
        return False
    if not any(x.strides) and not any(y.strides):  # all elements are one
        return x.reshape(-1)[:1].tobytes() == y.reshape(-1)[:1].tobytes()
    x, y = (np.broadcast_to(value, type_.shape) for value in (x, y))
    return x.tobytes() == y.tobytes()
