"""The back end that fuses: a module of Tile IR as C++ whose tiles are loops, as far as there are rules."""

from __future__ import annotations

from ..ir import Entry, Operation
from ..lower.translate import Translator
from ..module import Module
from .emit import emit
from .fallback import Fallback
from .groups import Uses, split
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
        self._name = ""
        self._fuses = True

    def text(self) -> str:
        self.line("namespace loops = cuda_tile::loops;")
        return super().text()

    def _entry(self, found: Entry) -> None:
        self._name, self._uses = found.name, Uses.of(found.body)
        self.nests[found.name], self.reasons[found.name] = [], []
        super()._entry(found)
        nests, reasons = self.nests[found.name], self.reasons[found.name]
        known: dict[str, int | str] = {"path": "fused" if nests else "by operation"}
        if reasons:
            known["reason"] = str(reasons[0])
        self.attributes[self.kernel_names[found.name]] = known

    def _operations(self, ops: list[Operation]) -> None:
        if not self._fuses:
            super()._operations(ops)
            return
        for item in split(ops, self._uses, self.reasons[self._name].append):
            if isinstance(item, Operation):
                super()._operations([item])
            else:
                self.nests[self._name].append(item)
                emit(self, item, self._by_operation)

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
