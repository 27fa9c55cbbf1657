"""Generates headers and documentation from tables and the templates in ``templates/``."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from ... import spec
from ...errors import BuildValueError
from ...spec.element_types import ELEMENT_TYPES
from ...system.install import advice
from ...system.resources import include_dir, templates_dir
from ...tileir.grammar import ELEMENTS
from ...tileir.rows import rows as tileir_rows
from ..reference import examples, operations, pages


@dataclass(frozen=True)
class Output:
    """A generated file: its path in the repository, its tables, and the package that contains them.

    shared:  the path of a template that several files share; by default each file has its own
    values:  further variables of the template
    """

    path: str
    tables: tuple[str, ...]
    package: str = "spec"
    shared: str = ""
    values: dict[str, object] = field(default_factory=dict)

    @property
    def template(self) -> str:
        """The path below ``templates/``: of headers the part below ``include/cuda_tile/``."""
        return self.shared or self.path.removeprefix("include/cuda_tile/") + ".j2"

    def table(self, name: str) -> Sequence[Any]:
        """The rows of a table."""
        if name == "element_types":
            return list(ELEMENT_TYPES)
        return spec.load(name) if self.package == "spec" else tileir_rows(f"{name}.tsv")


def _small_float_headers() -> Iterator[Output]:
    """Our own cuda_fp16.h and similar headers, which share one template."""
    folder = "compatible/small_floats"
    types = sorted((e for e in ELEMENT_TYPES if e.header), key=lambda e: e.header)
    for header, group in groupby(types, key=lambda e: e.header):
        values = {"header": header, "types": list(group)}
        path, template = f"include/cuda_tile/{folder}/{header}", f"{folder}/small_floats.h.j2"
        yield Output(path, ("element_types",), shared=template, values=values)


def _reference_pages() -> Iterator[Output]:
    """The pages of the reference: one for a chapter of C++, one for a group of operations of Tile IR."""
    for chapter in spec.load("chapters"):
        path = f"docs/reference/cpp/{chapter.page}.md"
        values: dict[str, object] = {"chapter": chapter}
        yield Output(path, ("api", "signatures", "mma"), shared="docs/reference/cpp.md.j2", values=values)
    for group, members in operations.groups():
        path = f"docs/reference/tileir/{operations.page(group)}.md"
        values = {"group": group, "operations": members, "module": examples.module}
        yield Output(path, (), shared="docs/reference/tileir.md.j2", values=values)


_OF_KINDS: dict[str, object] = {"elements": ELEMENTS}
_OF_REFERENCE: dict[str, object] = {
    "head": examples.HEAD,
    "names": pages.names,
    "groups": operations.groups,
    "page": operations.page,
}
OUTPUTS = (
    Output("include/cuda_tile/core/constants.h", ("constant_families", "constants")),
    Output("include/cuda_tile/core/element_types.h", ("element_types",)),
    Output("include/cuda_tile/core/signature.h", ("element_types",)),
    Output("include/cuda_tile/platform/math.h", ("math",)),
    Output("include/cuda_tile/launch/violations.h", ("violations",)),
    Output("lib/runtime/violation_text.h", ("violations",)),
    Output("include/cuda_tile/platform/cuda_wgmma.h", ("mma",)),
    Output("include/cuda_tile/threads/mma/types.h", ("mma",)),
    Output("include/cuda_tile/tile/concepts.h", ("concepts",)),
    Output("include/cuda_tile/ops/arithmetic.h", ("arithmetic",)),
    Output("include/cuda_tile/ops/comparison.h", ("comparison",)),
    Output("include/cuda_tile/ops/bitwise.h", ("bitwise",)),
    Output("include/cuda_tile/core/math_elements.h", ("math",)),
    Output("include/cuda_tile/ops/math.h", ("math",)),
    Output("include/cuda_tile/ops/mma/types.h", ("mma",)),
    Output("include/cuda_tile/ops/reductions.h", ("reductions",)),
    Output("include/cuda_tile/ops/atomics.h", ("atomics",)),
    Output("include/cuda_tile/view/updates.h", ("atomics",)),
    *_small_float_headers(),
    Output("include/cuda_tile/compatible/nv_target/nv/target", ()),
    Output("docs/reference/index.md", ("chapters",), values=_OF_REFERENCE),
    *_reference_pages(),
    Output("docs/element_types.md", ("element_types",)),
    Output("docs/disagreements.md", ("disagreements",)),
    Output("docs/checked.md", ("violations",)),
    Output("docs/tileir.md", ("operations", "drafts", "kinds", "rules"), "tileir", values=_OF_KINDS),
)


def _environment() -> Any:
    import jinja2  # only generation needs it: importing the package does not

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    since = {row.id: row.since for row in spec.load("api")}
    later = {id for id, version in since.items() if version != spec.API_VERSIONS[0]}
    environment.globals.update(entry=spec.entry, summaries=spec.summaries, since=since, later=later)
    environment.globals.update(entries=pages.entries)
    return environment


def _format(text: str) -> str:
    """`text` in the project's C++ style, which long names would make hard to keep in templates."""
    import clang_format

    command = [
        clang_format.get_executable("clang-format"),
        "--assume-filename",
        str(include_dir() / "generated.h"),
    ]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def render(output: Output) -> str:
    """The text of one generated file."""
    comment = "<!-- {} -->" if output.path.endswith(".md") else "// {}"
    banner = (
        "Generated by `pycuda-tile regenerate`, do not edit.",
        f"Template: templates/{output.template}",
        *_table_line(output),
    )
    tables = {table: output.table(table) for table in output.tables}
    text = _environment().get_template(output.template).render(**tables, **output.values)
    text = "\n".join(map(comment.format, banner)) + "\n" + text
    return _format(text) if output.path.endswith(".h") else text


def _table_line(output: Output) -> list[str]:
    tables = [f"pycuda_tile/{output.package}/tables/{table}.tsv" for table in output.tables]
    return [f"Tables: {', '.join(tables)}"] if tables else []


def _review_marks() -> str:
    """The text of .gitattributes."""
    headers = sorted(output.path for output in OUTPUTS if output.path.endswith(".h"))
    lines = [f"{header} linguist-generated\n" for header in headers]
    return "# Generated by `pycuda-tile regenerate`: collapsed in reviews.\n" + "".join(lines)


def regenerate(check: bool = False, root: Path | None = None) -> int:
    """Write every generated file below ``root``, the checkout, or with ``check`` only compare.

    Returns 0, or 1 if ``check`` found a file that differs; its name goes to standard error. Raises
    BuildValueError outside of a checkout, or where packages of the extra ``dev`` are missing.
    """
    root = root or include_dir().parent
    if not (root / "pyproject.toml").exists():
        raise BuildValueError(
            f"generated files can only be written in a checkout of the project, not in '{root}'"
        )
    for package in ("jinja2", "clang_format"):
        if importlib.util.find_spec(package) is None:
            raise BuildValueError(
                f"writing generated files needs {package}, which is not installed: {advice('dev')}"
            )
    stale = []
    texts = {output.path: render(output) for output in OUTPUTS}
    for name, text in {**texts, ".gitattributes": _review_marks()}.items():
        path = root / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if check and stale:
        print("out of date, run `pycuda-tile regenerate`: " + ", ".join(stale), file=sys.stderr)
        return 1
    return 0
