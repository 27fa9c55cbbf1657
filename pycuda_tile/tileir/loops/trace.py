"""What each pass makes of a kernel, as text for people: `pycuda-tile compile FILE --emit loops`."""

from __future__ import annotations

from ..ir import Entry
from ..module import Module
from .simplify import simplify
from .translate import FUSED, FusingTranslator, constants_of, fuse

_WIDTH = 100


def trace(module: Module) -> str:
    """The stages of each kernel of a module, one after the other."""
    return "\n".join(_stages(module, entry) for entry in module.entries)


def _stages(module: Module, entry: Entry) -> str:
    alone = Module([entry], module.globals, module.version)
    text, _, attributes = fuse(alone)
    (found,) = attributes.values()
    name = entry.expression or entry.name
    parts = [_part(f"{name}: Tile IR", alone.text(locations=False))]
    if found["path"] == FUSED:
        translator = FusingTranslator(alone, {}, False, None)
        translator.from_cxx = True
        translator.text()
        simple = Module([simplify(entry, constants_of(module))], module.globals, module.version)
        parts.append(_part(f"{name}: simplify", simple.text(locations=False)))
        for number, nest in enumerate(translator.nests[entry.name], 1):
            parts.append(_part(f"{name}: groups, axes, effects and stages of nest {number}", f"{nest}\n"))
        reasons = dict.fromkeys(map(str, translator.reasons[entry.name]))
        if reasons:
            parts.append(_part(f"{name}: by operation", "".join(f"{reason}\n" for reason in reasons)))
    else:
        parts.append(_part(f"{name}: by operation", f"{found['reason']}\n"))
    parts.append(_part(f"{name}: C++", text))
    return "\n".join(parts)


def _part(title: str, text: str) -> str:
    return f"{f'// ---- {title} ':-<{_WIDTH}}\n{text}"
