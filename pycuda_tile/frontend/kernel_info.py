"""What is known of a kernel from its source: names, parameters, hints."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class TemplateParam:
    """kind: "type", "value" or "template"; type: the type of a value, or the concept of a type; default:
    its text."""

    kind: str
    name: str
    default: str | None = None
    type: str = ""
    pack: bool = False


@dataclass(frozen=True)
class Param:
    """name is "" where the source gives none; type is the C++ text."""

    name: str
    type: str


@dataclass(frozen=True)
class KernelInfo:
    """One kernel of a source; name has its namespaces, hints hold the text inside `cutile::hint(...)`."""

    name: str
    template_params: tuple[TemplateParam, ...] = ()
    params: tuple[Param, ...] = ()
    hints: tuple[str, ...] = ()
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        template = (
            f"<{', '.join(_shown(param) for param in self.template_params)}>" if self.template_params else ""
        )
        params = ", ".join(f"{param.type} {param.name}".strip() for param in self.params)
        return f"{self.name}{template}({params})"

    def to_json(self) -> dict:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict) -> KernelInfo:
        templates = tuple(TemplateParam(**param) for param in data["template_params"])
        params = tuple(Param(**param) for param in data["params"])
        return cls(data["name"], templates, params, tuple(data["hints"]), data["file"], data["line"])


def _shown(param: TemplateParam) -> str:
    head = param.type or {"type": "typename", "template": "template"}.get(param.kind, "auto")
    default = f" = {param.default}" if param.default is not None else ""
    return f"{head}{'...' if param.pack else ''} {param.name}".rstrip() + default
