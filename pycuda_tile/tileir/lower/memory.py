"""Operations on memory in C++: loads, stores and atomics through pointers and views.

Tokens have no counterpart: operations run in the order of the text, which always satisfies the tokens.
"""

from __future__ import annotations

from collections.abc import Callable

from ..elements import HALF_BYTE
from ..ir import Block, Operation, Value, walk
from ..modes import PADDINGS, header_pads
from ..reading import (
    attribute,
    group,
    operand,
    optional_operand,
    pointee,
    result_element,
    result_shape,
    tensor_facts,
    tile_facts,
    update_of,
    value_element,
    value_shape,
)
from .places import check_weak, outside, places
from .translation import Translation
from .types import Tensor, Tiles, element, pointee_type, shape

_ORDERS = {"relaxed": "relaxed", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel"}
_SCOPES = {"tl_blk": "block", "device": "device", "sys": "system"}
_UPDATES = {
    "and": "and",
    "or": "or",
    "xor": "xor",
    "add": "add",
    "addf": "add",
    "max": "max",
    "min": "min",
    "umax": "max",
    "umin": "min",
    "xchg": "xchg",
}


def order_and_scope(op: Operation) -> list[str]:
    """Constants for a strong access; none for a weak one."""
    order = attribute(op, "memory_ordering_semantics", "weak")
    if order == "weak":
        return []
    scope = attribute(op, "memory_scope", None) or "sys"
    return [f"ct::memory_order_{_ORDERS[order]}_t{{}}", f"ct::thread_scope_{_SCOPES[scope]}_t{{}}"]


def load_ptr(translator: Translation, op: Operation) -> None:
    names = translator.names
    arguments = [names[operand(op, "source")]]
    mask, padding = optional_operand(op, "mask"), optional_operand(op, "paddingValue")
    modes = order_and_scope(op)
    function = "atomic_load" if modes else "load"
    if mask is not None:
        function += "_masked"
        arguments.append(names[mask])
        if padding is not None:
            arguments.append(names[padding])
    translator.define(op.results[0], f"ct::{function}({', '.join(arguments + modes)})")


def store_ptr(translator: Translation, op: Operation) -> None:
    names = translator.names
    arguments = [names[operand(op, "destination")], names[operand(op, "value")]]
    mask, modes = optional_operand(op, "mask"), order_and_scope(op)
    function = "atomic_store" if modes else "store"
    if mask is not None:
        function += "_masked"
        arguments.append(names[mask])
    translator.line(f"ct::{function}({', '.join(arguments + modes)});")


def atomic_rmw(translator: Translation, op: Operation) -> None:
    pointers, arg, mask = operand(op, "pointers"), operand(op, "arg"), optional_operand(op, "mask")
    masked, update = None if mask is None else translator.names[mask], (attribute(op, "mode", "add"), arg)
    translator.define(op.results[0], _update(translator, op, update, translator.names[pointers], masked))


def _update(
    translator: Translation, op: Operation, update: tuple[str, Value], pointers: str, mask: str | None
) -> str:
    """Writes an atomic update, a mode and an operand; returns the name of the previous contents of memory."""
    mode, arg = update
    value = translator.names[arg]
    is_unsigned = mode in ("umax", "umin") or (mode == "add" and translator.checked)  # so that sums wrap
    if is_unsigned:
        unsigned = {"i32": "unsigned", "i64": "unsigned long long"}[value_element(arg)]
        extents = value_shape(arg)
        kind = f"ct::tile<{unsigned}*, {shape(extents)}>" if extents else f"{unsigned}*"
        pointers = f"tileir::address_cast<{kind}>({pointers})"
        value = f"ct::element_bitcast<{unsigned}>({value})"
    arguments = [pointers, value, *([] if mask is None else [mask]), *order_and_scope(op)]
    masked = "" if mask is None else "_masked"
    text, name = f"ct::atomic_{_UPDATES[mode]}{masked}({', '.join(arguments)})", translator.fresh("before")
    if is_unsigned:
        text = f"ct::element_bitcast<{element(value_element(arg))}>({text})"
    translator.line(f"[[maybe_unused]] auto const {name} = {text};")
    return name


def atomic_cas(translator: Translation, op: Operation) -> None:
    arguments = [translator.names[operand(op, name)] for name in ("pointers", "cmp", "val")]
    mask = optional_operand(op, "mask")
    function = "ct::atomic_compare_exchange"
    if mask is not None:
        function += "_masked"
        arguments.append(translator.names[mask])
    translator.define(op.results[0], f"{function}({', '.join(arguments + order_and_scope(op))})")


def unsigned_scalar(translator: Translation, value: Value) -> str:
    """A zero-dimensional integer, read as unsigned."""
    kinds = {"i8": "unsigned char", "i16": "unsigned short", "i32": "unsigned", "i64": "unsigned long long"}
    kind = kinds.get(value_element(value), "unsigned")
    return f"static_cast<{kind}>({translator.names[value]})"


def make_tensor_view(translator: Translation, op: Operation) -> None:
    kind = tensor_facts(op.results[0].type)
    name = translator.fresh("tensor")

    def all_of(known: tuple[int | None, ...], given: list[Value], what: str) -> tuple[str, ...]:
        left, texts = iter(given), []
        for d, n in enumerate(known):
            if n is None:
                variable = translator.fresh(f"{name}_{what}{d}")
                value = unsigned_scalar(translator, next(left))
                translator.line(f"auto const {variable} = static_cast<long long>({value});")
                texts.append(variable)
            else:
                texts.append(str(n))
        return tuple(texts)

    extents = all_of(kind.shape, group(op, "dynamicShape"), "extent")
    strides = all_of(kind.strides, group(op, "dynamicStrides"), "stride")
    base = operand(op, "base")
    translator.tensors[id(op.results[0])] = Tensor(
        translator.names[base],
        pointee_type(kind.element),
        id(base) in translator.changed,
        extents,
        strides,
        kind.shape,
        kind.strides,
    )


def changed_bases(body: Block) -> set[int]:
    """The base pointers, by identity, of views that a kernel does more with than weak loads."""
    ops = list(walk(body))
    made = {id(value): op for op in ops for value in op.results}
    changing = (
        op for op in ops if "view" in op.operands and (op.name != "load_view_tko" or order_and_scope(op))
    )
    tensors = (operand(made[id(operand(op, "view"))], "tensor_view") for op in changing)
    return {id(operand(made[id(tensor)], "base")) for tensor in tensors}


def make_partition_view(translator: Translation, op: Operation) -> None:
    """A span with the tensor's axes in the order of the tile's axes, divided into tiles."""
    kind = tile_facts(op.results[0].type)
    tensor = translator.tensors[id(operand(op, "tensor_view"))]
    name = value_element(op.results[0])
    plain = name != HALF_BYTE and header_pads(op.results[0].type.padding or "zero", name)
    if not plain or kind.steps != kind.tile or kind.sparse is not None:
        translator.views[id(op.results[0])] = Tiles("", tensor, kind)
        return
    extents = [tensor.extents[axis] for axis in kind.axes]
    name = translator.fresh("view")
    known = ", ".join(_static(tensor.known_extents[axis]) for axis in kind.axes)
    steps = ", ".join(_static(tensor.known_strides[axis]) for axis in kind.axes)
    strided = "tileir::overlapping_mapping" if translator.checked else "ct::layout_strided_mapping"
    mapping = f"{strided}<ct::extents<long long, {known}>, ct::extents<long long, {steps}>>"
    given_extents = ", ".join(extents)
    given_strides = ", ".join(tensor.strides[axis] for axis in kind.axes)
    base = tensor.base if tensor.changes else f"static_cast<{tensor.element} const*>({tensor.base})"
    translator.line(f"using {name}_mapping = {mapping};")
    translator.line(
        f"ct::partition_view {name}{{ct::tensor_span{{{base}, {name}_mapping{{"
        f"typename {name}_mapping::extents_type{{{given_extents}}}, "
        f"ct::extents<long long, {steps}>{{{given_strides}}}}}}}, {shape(kind.tile)}{{}}}};"
    )
    translator.views[id(op.results[0])] = Tiles(name, tensor, kind)


def _static(n: int | None) -> str:
    return "ct::dynamic_extent" if n is None else str(n)


def _indices(translator: Translation, op: Operation) -> list[str]:
    return [unsigned_scalar(translator, value) for value in group(op, "index")]


def _whole(op: Operation) -> bool:
    """Whether the whole tile is promised to lie in the tensor."""
    promised = attribute(op, "inbounds", None) or ()
    return bool(promised) and all(promised)


def load_view(translator: Translation, op: Operation) -> None:
    view = translator.views[id(operand(op, "view"))]
    modes, arguments = order_and_scope(op), []
    function = "atomic_load" if modes else "load"
    if not view.name:
        found = places(translator, op, view)
        if found.high:
            check_weak(op)
            function, arguments = (
                "tileir::load_halves",
                [found.pointers, found.inside, found.high, outside(op)],
            )
        else:
            function, arguments = (
                f"ct::{function}_masked",
                [found.pointers, found.inside, outside(op), *modes],
            )
        translator.define(op.results[0], f"{function}({', '.join(arguments)})")
        return
    if not _whole(op):
        function += "_masked"
        padding = operand(op, "view").type.padding
        if padding not in (None, "zero"):
            arguments.append(f"ct::view_padding_{PADDINGS[padding].name}_t{{}}")
        elif modes:
            arguments.append("ct::view_padding_zero_t{}")
    arguments += modes + _indices(translator, op)
    text = f"{view.name}.{function}({', '.join(arguments)})"
    if not result_shape(op):
        text = f"tileir::element_of({text})"
    translator.define(op.results[0], text)


def store_view(translator: Translation, op: Operation) -> None:
    view = translator.views[id(operand(op, "view"))]
    modes = order_and_scope(op)
    function = ("atomic_store" if modes else "store") + ("" if _whole(op) and view.name else "_masked")
    if not view.name:
        found = places(translator, op, view)
        arguments = [found.pointers, translator.names[operand(op, "tile")], found.inside, *modes]
        if found.high:
            check_weak(op)
            function, arguments = "tileir::store_halves", [*arguments[:3], found.high]
        else:
            function = f"ct::{function}"
        translator.line(f"{function}({', '.join(arguments)});")
        return
    arguments = [translator.names[operand(op, "tile")], *modes, *_indices(translator, op)]
    translator.line(f"{view.name}.{function}({', '.join(arguments)});")


def atomic_red_view(translator: Translation, op: Operation) -> None:
    found = places(translator, op, translator.views[id(operand(op, "view"))])
    _update(translator, op, update_of(op), found.pointers, found.inside)


def tensor_shape(translator: Translation, op: Operation) -> None:
    view = translator.tensors[id(operand(op, "src"))]
    kind = element(result_element(op))
    for value, extent in zip(op.results, view.extents, strict=True):
        translator.define(value, f"static_cast<{kind}>({extent})")


def index_space_shape(translator: Translation, op: Operation) -> None:
    view = translator.views[id(operand(op, "src"))]
    kind = element(result_element(op))
    for value, axis, step in zip(op.results, view.kind.axes, view.kind.steps, strict=True):
        extent = view.tensor.extents[axis]
        translator.define(value, f"static_cast<{kind}>(({extent} + {step - 1}) / {step})")


def get_global(translator: Translation, op: Operation) -> None:
    translator.define(op.results[0], translator.globals[attribute(op, "name")])


def alloca(translator: Translation, op: Operation) -> None:
    name, kind = translator.fresh("buffer"), pointee_type(pointee(result_element(op)))
    alignment, count = int(attribute(op, "alignment", 1)), int(attribute(op, "num_elem"))
    if pointee(result_element(op)) == HALF_BYTE:
        count = -(-count // 2)
    buffer = f"{kind} {name}[{max(count, 1)}]"
    if translator.target.threads is None:
        buffer += " = {}"
    else:  # shared by the threads of a block, which on a host are fibers of one thread
        buffer = f"{'__shared__' if translator.target.on_gpu else 'static thread_local'} {buffer}"
    translator.line(f"alignas({kind}) alignas({alignment}) {buffer};")
    translator.define(op.results[0], f"&{name}[0]")


MEMORY: dict[str, Callable[[Translation, Operation], None]] = {
    "load_ptr_tko": load_ptr,
    "store_ptr_tko": store_ptr,
    "atomic_rmw_tko": atomic_rmw,
    "atomic_cas_tko": atomic_cas,
    "make_tensor_view": make_tensor_view,
    "make_partition_view": make_partition_view,
    "make_strided_view": make_partition_view,
    "make_gather_scatter_view": make_partition_view,
    "atomic_red_view_tko": atomic_red_view,
    "load_view_tko": load_view,
    "store_view_tko": store_view,
    # There is one device, whose memory a multicast pointer reaches.
    "multimem_load_reduce_view_tko": load_view,
    "multimem_store_view_tko": store_view,
    "multimem_reduce_view_tko": atomic_red_view,
    "get_tensor_shape": tensor_shape,
    "get_index_space_shape": index_space_shape,
    "get_global": get_global,
    "alloca": alloca,
}
