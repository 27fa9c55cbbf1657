"""The back end that fuses: a module of Tile IR as C++ whose tiles are loops, as far as there are rules."""

from __future__ import annotations

from ..ir import Block, Entry, Operation
from ..lower.translate import Translator
from ..lower.types import NotLowered
from ..module import Module
from ..reading import operands_of
from .emit import emit
from .facts import data_of, is_tile
from .fallback import Fallback
from .groups import Uses, split
from .products import Products
from .simplify import simplify
from .stages import Nest


class FusingTranslator(Translator):
    """Translates op by op what no nest takes.

    nests:       the nests of loops of each entry, by its name
    reasons:     why something is not fused, by the name of its entry
    attributes:  both for users, by the name of the kernel in C++
    """

    def __init__(self, module: Module, target: str):
        simple = [simplify(entry) for entry in module.entries]
        copied = Module(simple, module.globals, module.version, module.producer, module.name)
        super().__init__(copied, target)
        self.nests: dict[str, list[Nest]] = {}
        self.reasons: dict[str, list[Fallback]] = {}
        self.attributes: dict[str, dict[str, int | str]] = {}
        self._uses = Uses()
        self._products = Products(self, self._uses, Block([], []))
        self._block = Block([], [])
        self._name = ""
        self._fuses = True

    def text(self) -> str:
        self.line("namespace loops = cuda_tile::loops;")
        return super().text()

    def _entry(self, found: Entry) -> None:
        self._name, self._uses = found.name, Uses.of(found.body)
        self._products = Products(self, self._uses, found.body)
        self.nests[found.name], self.reasons[found.name] = [], []
        super()._entry(found)
        nests, reasons = self.nests[found.name], self.reasons[found.name]
        fused = nests or self._products.count or not reasons
        known: dict[str, int | str] = {"path": "fused" if fused else "by operation"}
        if reasons:
            known["reason"] = str(reasons[0])
        self.attributes[self.kernel_names[found.name]] = known

    def block(self, block: Block) -> None:
        if self._fuses:
            self._products.enter(block)
        outside, self._block = self._block, block
        super().block(block)
        self._block = outside

    def _operations(self, ops: list[Operation]) -> None:
        if not self._fuses:
            super()._operations(ops)
            return
        for item in split(self._products.left(ops), self._uses, self._note):
            if isinstance(item, Operation):
                self._single(item)
            else:
                self.nests[self._name].append(item)
                self._emit(item, self._in_place(item, ops[-1]))
                self._products.variables |= {id(value) for value in item.outputs}

    def _note(self, error: Fallback) -> None:
        if not self._products.has_rule(error.op):
            self.reasons[self._name].append(self._products.reasons.get(id(error.op), error))

    def _single(self, op: Operation) -> None:
        """An operation that belongs to no nest."""
        if self._products.has_rule(op):
            self._products.write(op)
        elif op.name == "for":
            carried = self._products.begin(op, self._block)
            super()._operations([op])
            self._products.end(op, carried)
        else:
            super()._operations([op])

    def _emit(self, nest: Nest, places: dict[int, str]) -> None:
        try:
            emit(self, nest, self._by_operation, places)
        except NotLowered:
            self._by_operation(nest.ops)  # which says of which operation there is no translation
            raise

    def _in_place(self, nest: Nest, last: Operation) -> dict[int, str]:
        """The variables of a loop's carried tiles that a nest may replace by their next values."""
        found: dict[int, str] = {}
        if last.name != "continue":
            return found
        own = {id(op) for op in nest.ops}
        inputs = {id(value): value for op in nest.ops for value in data_of(op) if is_tile(value)}
        inside = {id(value) for op in nest.ops for value in op.results}
        carried = {self.names[value]: value for key, value in inputs.items() if key not in inside}
        handed = [id(self._products.place_of(value)) for value in operands_of(last)]
        outputs = {id(value): value for value in nest.outputs}
        for key, variable in zip(handed, self.loops[-1][0], strict=True):
            new, old = outputs.get(key), carried.get(variable)
            if new is None or old is None or handed.count(key) > 1:
                continue
            alone = len(self._uses.users[key]) == 1 and self._uses.users[id(old)] <= own
            if alone and nest.may_replace(old, new):
                found[key] = variable
        return found

    def _by_operation(self, ops: list[Operation]) -> None:
        self._fuses = False
        super()._operations(ops)
        self._fuses = True


def fuse(module: Module) -> tuple[str, list[Operation], dict[str, dict[str, int | str]]]:
    """The C++ text of a module for the cpu, its `assert`s by number, and attributes of its kernels: which way
    they were compiled, and why not all is fused."""
    translator = FusingTranslator(module, "cpu")
    text = translator.text()
    return text, translator.assertions, translator.attributes
