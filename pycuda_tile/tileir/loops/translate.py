"""The back end that fuses: a module of Tile IR as C++ whose tiles are loops, as far as there are rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ...errors import Error
from ..ir import Block, Entry, Operation, Value, walk
from ..lower.expressions import expression
from ..lower.translate import Translator
from ..lower.types import NotLowered
from ..module import Module
from ..reading import operands_of, region
from . import rows
from .ahead import Ahead
from .emit import OF_TILES, emit
from .facts import STORES, data_of, has_tiles, is_small, is_tile, is_weak
from .fallback import DIVIDES, IN_REGISTERS, NOTHING, Fallback, place_of
from .folding import Folding
from .groups import Uses, ops_of, split
from .products import Products
from .shared_sums import SharedSum, SharedSums, write
from .simplify import computation, may_be_repeated, simplify
from .slices import may_have_slices, rows_of
from .stages import Nest
from .variables import Variables

FUSED, BY_OPERATION = "fused", "by operation"  # the attribute "path" of a kernel


class FusingTranslator(Translator):
    """Translates op by op what no nest takes.

    plain:       why nothing of an entry is to be fused, by its name
    insists:     whether a nest whose test fails ends the launch with an error, rather than run op by op
    nests:       the nests of loops of each entry, by its name
    reasons:     why something is not fused, by the name of its entry
    attributes:  both for users, by the name of the kernel in C++
    """

    def __init__(
        self, module: Module, plain: Mapping[str, str], insists: bool, find: Callable[[str], str] | None
    ):
        super().__init__(module, "cpu", find)
        self._plain, self._insists = plain, insists
        self.nests: dict[str, list[Nest]] = {}
        self.reasons: dict[str, list[Fallback]] = {}
        self.attributes: dict[str, dict[str, int | str]] = {}
        self._uses = Uses()
        self._variables = Variables(Block([], []))
        self._products = Products(self, self._uses, self._variables, Block([], []), self._plainly)
        self._ahead = Ahead(Block([], []))
        self._body = Block([], [])  # of the entry that is being translated
        self._sums = SharedSums(self._body, {})
        self._simple: list[Entry] = []  # kept, because values are known by their identity
        # Tiles that simplify.py repeats, by what computes them, as far as the present block has them; and the
        # first of equal ones, by the identity of the others.
        self._written: dict[Any, Value] = {}
        self._same: dict[int, int] = {}
        self._made: dict[int, Operation] = {}  # what is written there, by the results' identity
        self._folding = Folding()
        self.row = ""  # the position along the outermost axis of nests, if a loop around them has it
        self.entry_name = ""  # of the entry that is being translated
        self._fuses = True

    def text(self) -> str:
        self.line("namespace loops = cuda_tile::loops;")
        return super().text()

    def _entry(self, found: Entry) -> None:
        self.entry_name, self.function = found.name, found.expression or found.name
        self.nests[found.name], self.reasons[found.name] = [], []
        self._fuses = found.name not in self._plain
        if self._fuses:
            found = simplify(found, constants_of(self.module))
            self._simple.append(found)
            self._uses = Uses.of(found.body)
        body = self._body = found.body if self._fuses else Block([], [])
        self._variables = Variables(body)
        self.shared, self.declared = self._variables.shared(), {}
        self._products = Products(self, self._uses, self._variables, body, self._plainly)
        self._ahead = Ahead(body)
        self._sums = SharedSums(body, self._uses.users)
        super()._entry(found)
        # Else one block may wait for what another one stores.
        if all(is_weak(op) or self._sums.find(op) for op in walk(found.body)):
            kernel = self.kernel_names[found.name]
            self.line(f"template <> constexpr bool cuda_tile::are_independent<{kernel}> = true;")
        self.attributes[self.kernel_names[found.name]] = self._attributes(found)

    def _attributes(self, found: Entry) -> dict[str, int | str]:
        name = found.name
        fused = self.nests[name] or self._products.count or len(self._sums)
        otherwise = "" if fused else _why_needless(found.body)
        reason = self._plain.get(name) or next(map(str, self.reasons[name]), otherwise)
        path = BY_OPERATION if reason and not fused else FUSED
        return {"path": path, **({"reason": reason} if reason else {})}

    def block(self, block: Block) -> None:
        if block is self._body:
            self._sums.begin(self, self._products.take_shared)
        super().block(block)

    def operation(self, op: Operation) -> None:
        key = computation(op, self._same) if may_be_repeated(op) else None
        folded = self._folding.folded(op)
        if key in self._written:
            (result,) = op.results
            self._same[id(result)] = id(self._written[key])
            self.names.alias(result, self.names[self._written[key]])
        elif op.name in OF_TILES and is_tile(op.results[0]):
            names = [self.names[value] for value in operands_of(op)]
            self.define(op.results[0], expression(op, names).replace("tileir::", "loops::", 1))
        elif not rows.write(self, op, self._made):
            super().operation(folded or op)
        if key is not None:
            self._written.setdefault(key, op.results[0])
        self._made |= {id(value): op for value in op.results}

    @contextmanager
    def _scope(self) -> Iterator[None]:
        """What is written within it, nothing outside may use."""
        written, made = dict(self._written), dict(self._made)
        yield
        self._written, self._made = written, made

    def _operations(self, ops: list[Operation]) -> None:
        with self._scope():
            self._in_scope(ops)

    def _in_scope(self, ops: list[Operation]) -> None:
        if not self._fuses:
            super()._operations(ops)
            return
        done: set[int] = set()
        for item in split(self._sums.left(self._products.left(ops)), self._uses, self._note):
            done |= {id(op) for op in walk(Block([], ops_of(item)))}
            if isinstance(item, Operation):
                self._single(item)
            else:
                self.nests[self.entry_name].append(item)
                self._emit(item, self._in_place(item, ops, done))
                self._products.variables |= {id(value) for value in item.outputs}

    def _note(self, error: Fallback) -> None:
        error = self._products.reasons.get(id(error.op), error)
        if not (self._products.has_rule(error.op) or error.on_tiles):
            self.reasons[self.entry_name].append(error)

    def _single(self, op: Operation) -> None:
        """An operation that belongs to no nest."""
        if self._products.has_rule(op):
            self._products.write(op)
        elif (found := self._sums.find(op)) is not None:
            self._shared_sum(found)
        elif op.name == "for":
            self._products.begin(op)
            super()._operations([op])
            self._products.end(op)
        else:
            if op.name == "return":
                self._sums.end(self)
            super()._operations([op])

    @contextmanager
    def around_rounds(self, loop: Operation) -> Iterator[None]:
        """See slices.py."""
        if rows := self._slices(loop):
            self.row = self.fresh("row")
            with self.names.block(f"for (long long {self.row} = 0; {self.row} < {rows}; {self.row} += 1)"):
                yield
            self.row = ""
        else:
            yield

    def _slices(self, loop: Operation) -> int:
        ops = region(loop, 0).ops
        if not self._fuses or not may_have_slices(loop) or self._products.left(ops) != ops:
            return 0
        uses = Uses({key: set(users) for key, users in self._uses.users.items()})
        items, done, written = split(ops, uses, lambda error: None), set[int](), set[int]()
        for item in items:
            done |= {id(op) for op in walk(Block([], ops_of(item)))}
            if isinstance(item, Nest):
                written |= self._in_place(item, ops, done).keys()
        return rows_of(loop, items, written, self.views)

    def _shared_sum(self, found: SharedSum) -> None:
        condition = write(self, found)
        with self.names.block(f"if (!({condition})) [&]() __attribute__((noinline))", "}();"):
            self._plainly(found.alone)

    def _emit(self, nest: Nest, places: dict[int, str]) -> None:
        try:
            otherwise = self._refuse if self._insists else self._by_operation
            emit(self, nest, otherwise, places, self._ahead.distances(nest, self), self.row)
        except NotLowered:
            self._plainly(nest.all_ops)  # which says of which operation there is no translation
            raise

    def _in_place(self, nest: Nest, ops: list[Operation], done: set[int]) -> dict[int, str]:
        """The variables to which a block's terminator would assign a nest's outputs, where the nest may write
        them there itself. `done` has the operations, by identity, that are written once the nest is."""
        found: dict[int, str] = {}
        later = [op for op in ops if id(op) not in done]
        inputs = {id(value): value for op in nest.all_ops for value in data_of(op) if is_tile(value)}
        outputs = {id(value): value for value in nest.outputs}
        handed = [id(self._products.place_of(value)) for value in operands_of(ops[-1])]
        for key, variable in zip(handed, self._variables.assigned.get(id(ops[-1]), ()), strict=False):
            new = outputs.get(key)
            if new is None or handed.count(key) > 1 or len(self._uses.users[key]) > 1:
                continue
            olds = [inputs[old] for old in self._variables.members(variable) & inputs.keys()]
            left_alone = self._variables.is_left_alone(variable, later)
            if left_alone and all(nest.may_replace(old, new) for old in olds):
                found[key] = self.names[variable]
        return found

    def _by_operation(self, ops: list[Operation], results: dict[Value, str]) -> None:
        self._plainly(ops)
        for value, name in results.items():
            self.line(f"{name} = {self.names[value]};")

    def _plainly(self, ops: list[Operation]) -> None:
        self._fuses = False
        with self._scope():
            super()._operations(ops)
        self._fuses = True

    def _refuse(self, ops: list[Operation], results: dict[Value, str]) -> None:
        stores = next((op for op in reversed(ops) if op.name in STORES), ops[-1])
        place = json.dumps(place_of(stores).removesuffix(": "))
        self.line(f"loops::refuse({place});")


def fuse(
    module: Module,
    *,
    insists: bool = False,
    find: Callable[[str], str] | None = None,
    from_cxx: bool = False,
) -> tuple[str, list[Operation], dict[str, dict[str, int | str]]]:
    """The C++ text of a module for the cpu, its `assert`s by number, and attributes of its kernels: which way
    they were compiled, and why not all is fused. No fault of a pass is an error: the kernel is translated op
    by op.

    insists:  a launch whose arrays overlap such that loops may not be shared fails; else it runs op by op
    find:     the path of a file by the name that locations have: the text has its lines for line tables
    from_cxx: whether a failed assertion ends the launch as assert() of C++ does, and throws nothing
    """
    plain: dict[str, str] = {}
    while True:
        translator = FusingTranslator(module, plain, insists, find)
        translator.from_cxx = from_cxx
        try:
            return translator.text(), translator.assertions, translator.attributes
        except Exception as error:
            if translator.entry_name in ("", *plain):
                raise
            plain[translator.entry_name] = _why(error)


def _why(error: Exception) -> str:
    if isinstance(error, Error):
        return str(error)
    return f"a fault in the translation to loops ({type(error).__name__}: {error})"


def constants_of(module: Module) -> dict[str, int]:
    """The number of elements of each global that no kernel changes, by its name."""
    return {found.name: found.value.size for found in module.globals if found.constant}


def _why_needless(body: Block) -> str:
    """Why a kernel without loops that operations share is no faster than operation by operation; "" if it
    fits in registers."""
    if not all(is_small(op) for op in walk(body)):
        return NOTHING
    if any(op.name in ("for", "loop", "alloca") for op in walk(body)):
        return IN_REGISTERS
    divides = (op.name in ("divi", "remi") and not has_tiles(op) for op in walk(body))
    return DIVIDES if any(divides) else ""
