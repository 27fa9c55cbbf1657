"""Rules of memory, views, tokens, assumptions and prints."""

from __future__ import annotations

from typing import Any

from ..elements import HALF_BYTE, bits_of
from ..grammar import ELEMENTS
from ..ir import Bounded, DivBy, SameElements, TensorView, Tile, TileView
from ..print_formats import count_expressions, unfinished
from .general import is_pointer
from .legal import is_power_of_two
from .place import Place, types

_UPDATES = {
    "addf": {"f16", "bf16", "f32", "f64"},
    "xchg": {"i32", "i64", "f32", "f64"},
}
#: Reductions of multimem operations by element type; integers have all. The reducing load has two more.
_REDUCED = {name: {"add"} for name in ELEMENTS["float"]}
_LOADED = {**_REDUCED, "f16": {"add", "min", "max"}, "bf16": {"add", "min", "max"}}


def one_type(place: Place) -> str | None:
    values = place.values(*place.words)
    return None if len({value.type for value in values}) <= 1 else types(values)


def global_exists(place: Place) -> str | None:
    name, pointee = place.attribute("name"), place.type("result").element.pointee
    found = place.globals.get(name)
    if found is None:
        return f"@{name}, and there are {', '.join('@' + n for n in place.globals) or 'none'}"
    return None if found.type.element == pointee else f"a pointer to {pointee} for @{name}: {found.type}"


def alloca_numbers(place: Place) -> str | None:
    count, alignment = place.attribute("num_elem"), place.attribute("alignment")
    element = place.type("result").element.pointee
    ok = 0 <= count < 1 << 63 and is_power_of_two(alignment) and alignment < 1 << 63
    if ok and 8 * alignment >= bits_of(str(element)):
        return None
    return f"num_elem {count} and alignment {alignment} for {element}"


def two_tokens(place: Place) -> str | None:
    count = len(place.values("tokens"))
    return None if count >= 2 else str(count)


def rmw_types(place: Place) -> str | None:
    mode, name = place.attribute("mode", "add"), "arg" if place.op.name == "atomic_rmw_tko" else "value"
    element = str(place.type(name).element)
    if mode == "xchg" and name == "value":
        return mode
    return None if element in _UPDATES.get(mode, {"i32", "i64"}) else f"{mode} of {element}"


def multimem_types(place: Place) -> str | None:
    element, reduction = str(place.type("view").tensor.element), place.attribute("reduction")
    known = _LOADED if place.op.name == "multimem_load_reduce_view_tko" else _REDUCED
    allowed = reduction is None or reduction in known.get(element, ())
    if element in ("i32", "i64") or (element in known and allowed):
        return None
    return f"{reduction} of {element}" if reduction else element


def multicast(place: Place) -> str | None:
    view = place.type("view")
    return None if view.tensor.attr == "multicast" else str(view)


def view_kind(place: Place) -> str | None:
    view = place.type("view")
    return None if view.kind in place.words else str(view)


def no_multicast(place: Place) -> str | None:
    (type_,) = (value.type for value in place.values(*place.words))
    found = type_.tensor.attr if isinstance(type_, TileView) else type_.element.attr
    return str(type_) if found == "multicast" else None


def result_per_axis(place: Place) -> str | None:
    src, count = place.type("src"), len(place.op.results)
    rank = len(src.shape if isinstance(src, TensorView) else src.tile)
    return None if count == rank else f"{count} results for {src}"


def view_index(place: Place) -> str | None:
    view, index = place.type("view"), place.values("index")
    if len(index) != len(view.tile):
        return f"{len(index)} indices for {view}"
    shapes = [(view.tile[d],) if d == view.sparse else () for d in range(len(index))]
    dense = {value.type for value in index if not value.type.shape}
    ok = all(value.type.shape == shape for value, shape in zip(index, shapes, strict=True))
    return None if ok and len(dense) <= 1 else types(index)


def view_tile(place: Place) -> str | None:
    view, (tile, *_) = place.type("view"), place.values("tile", "value", "reduced_values")
    wanted = Tile(view.tensor.element, tuple(view.tile))
    return None if tile.type == wanted else f"{tile.type}, where the view has {wanted}"


def packed_axis(place: Place) -> str | None:
    view = place.type("view")
    if str(view.tensor.element) != HALF_BYTE:
        return None
    ok = view.tensor.strides.count(1) == 1
    ok = ok and (view.sparse is None or view.tensor.strides[view.dim_map[view.sparse]] != 1)
    return None if ok else str(view)


def inbounds_length(place: Place) -> str | None:
    count, indices = len(place.attribute("inbounds") or ()), len(place.values("index"))
    return None if count in (0, indices) else f"{count} entries for {indices} indices"


def view_of_tensor(place: Place) -> str | None:
    tensor, view = place.type("tensor_view"), place.type("result")
    kind = place.op.name.removeprefix("make_")
    return None if view.tensor == tensor and view.kind == kind else f"{view} of {tensor}"


def partition(place: Place) -> str | None:
    view = place.type("result")
    rank = len(view.tensor.shape)
    ok = len(view.tile) == rank and sorted(view.dim_map) == list(range(rank))
    ok = ok and (view.sparse is None or 0 <= view.sparse < rank)
    floats = str(view.tensor.element) not in ELEMENTS["int"]
    return None if ok and (floats or view.padding in (None, "zero")) else str(view)


def dynamic_count(place: Place) -> str | None:
    view = place.type("result")
    counts = [len(place.values(name)) for name in ("dynamicShape", "dynamicStrides")]
    wanted = [view.shape.count(None), view.strides.count(None)]
    return None if counts == wanted else f"{counts[0]} extents and {counts[1]} strides for {view}"


def points_to_tensor(place: Place) -> str | None:
    base, view = place.type("base"), place.type("result")
    ok = base.element.pointee == view.element and base.element.attr == view.attr
    return None if ok else f"{base} for {view}"


def predicate_fits(place: Place) -> str | None:
    predicate, type_ = place.attribute("predicate"), place.type("value")
    ok = (
        (isinstance(predicate, Bounded) and _bounded(predicate, type_))
        or (isinstance(predicate, DivBy) and _div_by(predicate, type_))
        or (isinstance(predicate, SameElements) and _same_elements(predicate, type_))
    )
    return None if ok else f"{predicate} of {type_}"


def _is_integer(type_: Any) -> bool:
    return isinstance(type_, Tile) and str(type_.element) in ELEMENTS["anyint"]


def _bounded(predicate: Bounded, type_: Any) -> bool:
    if not _is_integer(type_):
        return False
    half = 1 << (bits_of(str(type_.element)) - 1)
    given = [bound for bound in (predicate.lower, predicate.upper) if bound is not None]
    return given == sorted(given) and all(-half <= bound < half for bound in given)


def _div_by(predicate: DivBy, type_: Any) -> bool:
    every, along = predicate.every, predicate.along
    if not is_power_of_two(predicate.divisor) or predicate.divisor >= 1 << 63:
        return False
    if (every is None) != (along is None):
        return False
    if isinstance(type_, TensorView):
        return every is None
    if not (_is_integer(type_) or is_pointer(type_)):
        return False
    if every is None or along is None:
        return True
    return 0 <= along < len(type_.shape) and 0 < every <= type_.shape[along]


def _same_elements(predicate: SameElements, type_: Any) -> bool:
    if not (_is_integer(type_) or is_pointer(type_)) or len(predicate.groups) != len(type_.shape):
        return False
    return all(0 < n <= extent for n, extent in zip(predicate.groups, type_.shape, strict=True))


def format_count(place: Place) -> str | None:
    values = place.values("args")
    count = count_expressions(place.attribute("str"))
    return None if count == len(values) else f"{count} expressions for {len(values)} operands"


def format_ends(place: Place) -> str | None:
    found = unfinished(place.attribute("str"))
    return f"{found!r}" if found else None
