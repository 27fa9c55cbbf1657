"""What the source says about a kernel: names, parameters, hints."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..system import html


class TemplateParam(NamedTuple):
    """kind: "type", "value" or "template"; type: the type of a value, or the concept of a type; default:
    its text."""

    kind: str
    name: str
    default: str | None = None
    type: str = ""
    pack: bool = False


class Param(NamedTuple):
    """name is "" if the source gives none; type is the C++ text."""

    name: str
    type: str


class KernelInfo(NamedTuple):
    """One kernel of a source.

    name:             with its namespaces
    template_params:  tuple with the kind, name and default of each parameter of the template
    params:           tuple with the name and the C++ type of each parameter
    hints:            tuple of the texts inside `cutile::hint(...)`
    file, line:       where it is; line counts from 1
    short:            the name without inline namespaces; "" if it is in none
    """

    name: str
    template_params: tuple[TemplateParam, ...] = ()
    params: tuple[Param, ...] = ()
    hints: tuple[str, ...] = ()
    file: str = ""
    line: int = 0
    short: str = ""

    def is_called(self, name: str) -> bool:
        """Whether this is its name, without arguments of templates."""
        return name in (self.name, self.short)

    def __str__(self) -> str:
        template = (
            f"<{', '.join(_shown(param) for param in self.template_params)}>" if self.template_params else ""
        )
        params = ", ".join(f"{param.type} {param.name}".strip() for param in self.params)
        return f"{self.name}{template}({params})"

    def __repr__(self) -> str:
        place = f" at {self.file}:{self.line}" if self.line else ""
        return f"<pycuda_tile.KernelInfo {self}{place}>"

    def _repr_html_(self) -> str:
        row = (self, "; ".join(self.hints), f"{self.file}:{self.line}" if self.line else "")
        return html.table(("kernel", "hints", "place"), [row])

    @classmethod
    def from_json(cls, data: list[Any]) -> KernelInfo:
        """A KernelInfo from its JSON form."""
        name, template_params, params, hints, file, line, short = data
        templates = tuple(TemplateParam(*param) for param in template_params)
        return cls(name, templates, tuple(Param(*param) for param in params), tuple(hints), file, line, short)


def _shown(param: TemplateParam) -> str:
    head = param.type or {"type": "typename", "template": "template"}.get(param.kind, "auto")
    default = f" = {param.default}" if param.default is not None else ""
    return f"{head}{'...' if param.pack else ''} {param.name}".rstrip() + default
