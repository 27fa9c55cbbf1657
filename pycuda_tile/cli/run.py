"""`pycuda-tile run`: runs examples and scripts, optionally in a debugger or with sanitizers."""

from __future__ import annotations

import importlib.util
import runpy
import sys
from pathlib import Path
from typing import Any

from .. import targets

_TOOLS = ("--debug", "--sanitize")
_HELP = """usage: pycuda-tile run [EXAMPLE | SCRIPT.py] [--debug | --sanitize] ...
       pycuda-tile run PROGRAM.cu [--debug | --sanitize] [OPTIONS of nvcc] [-- ARGUMENTS]

Runs an example, whose results are checked against NumPy, or a script of your own; or builds a whole CUDA
program for the CPU and runs it.

--debug     runs it in gdb, which stops in the example's kernels, compiled for the CPU without optimisation
--sanitize  checks kernels on the CPU with AddressSanitizer and UndefinedBehaviorSanitizer
Other options are passed to the example or script; `pycuda-tile run EXAMPLE --help` lists those of an example.

examples: {} (default: table)"""


def run(words: list[str]) -> int:
    from ..system import resources

    folder = resources.examples_dir()
    names = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    if words and words[0] in _TOOLS:  # it may stand before the name
        words = [*words[1:2], words[0], *words[2:]]
    if words and words[0].endswith(".cu"):
        from . import program

        return program.run(words)
    if words[:1] in (["-h"], ["--help"]):
        print(_HELP.format(", ".join(names)))
        return 0
    tools = [word for word in words if word in _TOOLS]
    words = [word for word in words if word not in tools]
    name = words[0] if words and not words[0].startswith("-") else "table"
    script = Path(name) if name.endswith(".py") else folder / f"{name}.py"
    if name.endswith(".py") and not script.is_file():
        print(f"pycuda-tile: there is no script {name}", file=sys.stderr)
        return 2
    if not name.endswith(".py") and name not in names:
        print(f"pycuda-tile: there is no example {name!r}; there are: {', '.join(names)}", file=sys.stderr)
        return 2
    if tools:
        return _run_with(tools[0], words, folder / f"{name}.cu")
    if name.endswith(".py"):
        sys.argv = words
        runpy.run_path(name, run_name="__main__")
        return 0
    sys.argv[:1] = [f"pycuda-tile run {name}"]  # the name in its usage message
    sys.path.insert(0, str(folder))  # examples may share helpers
    spec: Any = importlib.util.spec_from_file_location(f"pycuda_tile_example_{name}", script)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example.main(words[1:] if words[:1] == [name] else words) or 0


def _run_with(tool: str, words: list[str], source: Path) -> int:
    """Runs an example or a script under a debugger or with sanitizers for kernels on the cpu."""
    from ..debug import tools
    from ..frontend.scan import scan

    kernels = []
    if source.is_file():  # only examples have one
        kernels = [kernel.name for kernel in scan(source.read_text(), str(source), path=source)]
        watched = next(target.name for target in targets.every() if target.debug)
        words = words if "--target" in words else [*words, "--target", watched]
    return tools.run_in_gdb(words, kernels) if tool == "--debug" else tools.run_sanitized(words)
