"""The command `pycuda-tile`."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import runpy
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .. import targets
from ..errors import CompileError, Error
from ..system.output_file import write_file
from ..version import VERSION


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code: 0 done, 1 failed, 2 wrong usage."""
    if argv is None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files, where output is ascii
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if words[:1] == ["run"]:  # the options behind it are the example's
            return _run(words[1:])
        if words[:1] == ["tileir"]:
            from ..tileir import command

            code = command.main(words[1:])
        else:
            arguments = _parser().parse_args(words)
            code = arguments.run(arguments)
        sys.stdout.flush()  # a full disk shows here
        return code
    except CompileError as error:
        from ..diagnostics.text import ALL_OF_IT

        print(f"pycuda-tile: {str(error).replace(ALL_OF_IT, '')}", file=sys.stderr)
    except Error as error:
        print(f"pycuda-tile: {error}", file=sys.stderr)
    except BrokenPipeError:  # pycuda-tile kernels x.cu | head -1
        sys.stderr.close()
    except OSError as error:
        if words[:1] == ["run"]:  # an example's, or a script's
            raise
        print(f"pycuda-tile: {_os_error(error)}", file=sys.stderr)
    except KeyboardInterrupt:
        print("pycuda-tile: interrupted", file=sys.stderr)
        return 130
    return 1


def _os_error(error: OSError) -> str:
    """What the system refused; without a file, it was to write the output."""
    if error.filename is None:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # where Python would fail again
        return f"cannot write the output: {error.strerror or error}"
    return f"{error.filename}: {error.strerror or error}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "pycuda-tile",
        description="CUDA Tile C++ kernels: compile, look at, run.",
        epilog="pycuda-tile COMMAND --help says more of a command. Begin with doctor, then run.",
    )
    parser.add_argument(
        "--version", action="version", version=f"pycuda-tile {VERSION}", help="show the version"
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, text: str, run: Callable[[argparse.Namespace], int] | None = None, more: str = ""):
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.{more}")
        command.set_defaults(run=run)
        return command

    add("run", "run an example or a script; without a name, the table of kernels")
    add("doctor", "say what can run on this machine, and what is missing", _doctor)
    compile_ = add(
        "compile",
        "compile a file and write what came out",
        _compile,
        " All kernels that are no templates are in it, and the instantiations that --kernel names.",
    )
    _add_build_arguments(compile_)
    compile_.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT", help="the file that is written"
    )
    compile_.add_argument(
        "--emit",
        choices=sorted({kind for target in targets.every() for kind in target.emits}),
        help="what to write; default: a cubin, on cpu a shared library",
    )
    _add_source_arguments(add("kernels", "list the kernels of a file, with their hints", _kernels))
    _add_build_arguments(
        add(
            "check",
            "say what is wrong in a file: errors, hints that are ignored, what is slow on GPUs",
            _check,
        )
    )
    add("tileir", "print, verify, run or write a module of Tile IR, text or bytecode")
    cache = add("cache", "look at or empty the cache of compiled kernels", _cache)
    cache.add_argument("action", choices=("info", "clear"), help="say where it is and how full; empty it")
    regenerate = add("regenerate", "make the generated files anew, in a checkout", _regenerate)
    regenerate.add_argument("--check", action="store_true", help="only say whether any differs")
    coverage = add("coverage", "say what of the API is documented, implemented and tested", _coverage)
    coverage.add_argument("--missing", action="store_true", help="only list what is missing")
    coverage.add_argument(
        "--part", action="store_true", help="only some tests ran: what they leave out is listed, and no fault"
    )
    return parser


def _add_source_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a .cu or .cuh file")
    parser.add_argument(
        "-I", dest="include_dirs", action="append", default=[], metavar="DIR", help="where headers are, too"
    )
    parser.add_argument(
        "-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="defines a macro"
    )


def _add_build_arguments(parser: argparse.ArgumentParser) -> None:
    threaded = ", ".join(target.name for target in targets.every() if target.threads)
    _add_source_arguments(parser)
    parser.add_argument(
        "--target", help=f"{', '.join(targets.NAMES)}; default: the best that can run on this machine"
    )
    parser.add_argument(
        "--arch", help="sm_90, ...: default the GPU at hand, else sm_80; on cpu as -march, default native"
    )
    parser.add_argument(
        "--kernel",
        dest="kernels",
        action="append",
        default=[],
        metavar="NAME",
        help="also instantiates this kernel, such as 'scale<float, 64>'; may be repeated",
    )
    parser.add_argument(
        "--num-threads",
        type=int,
        metavar="N",
        help=f"{threaded}: threads that share a block, a power of two",
    )


_RUN_HELP = """usage: pycuda-tile run [EXAMPLE | SCRIPT.py] [--debug | --sanitize] ...

Runs an example, checked against NumPy, or a script of yours.

--debug     runs it in gdb, which stops in the example's kernels, compiled for the CPU without optimisation
--sanitize  watches kernels on the CPU with AddressSanitizer and UndefinedBehaviorSanitizer
Other options go to the example or script; `pycuda-tile run EXAMPLE --help` lists an example's.

examples: {} (default: table)"""


def _run(words: list[str]) -> int:
    from ..launching import launcher
    from ..system import resources

    folder = resources.examples_dir()
    names = sorted(path.stem for path in folder.glob("*.py") if not path.stem.startswith("_"))
    if words[:1] in (["-h"], ["--help"]):
        print(_RUN_HELP.format(", ".join(names)))
        return 0
    tools = [word for word in words if word in ("--debug", "--sanitize")]
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
    if os.environ.get("PYCUDA_TILE_DEBUG"):
        launcher.set_num_workers(1)  # one block at a time, so that a debugger steps through it
    if name.endswith(".py"):
        sys.argv = words
        runpy.run_path(name, run_name="__main__")
        return 0
    sys.argv[:1] = [f"pycuda-tile run {name}"]  # as which it says what its usage is
    sys.path.insert(0, str(folder))  # examples may share helpers
    spec = importlib.util.spec_from_file_location(f"pycuda_tile_example_{name}", script)
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    return example.main(words[1:] if words[:1] == [name] else words) or 0


def _run_with(tool: str, words: list[str], source: Path) -> int:
    """Runs an example or a script with a tool that watches kernels on the cpu."""
    from ..debug import tools
    from ..frontend.scan import scan

    kernels = []
    if source.is_file():  # an example's
        kernels = [kernel.name for kernel in scan(source.read_text(), str(source), path=source)]
        watched = next(target.name for target in targets.every() if target.debug)
        words = words if "--target" in words else [*words, "--target", watched]
    return tools.run_in_gdb(words, kernels) if tool == "--debug" else tools.run_sanitized(words)


def _doctor(_: argparse.Namespace) -> int:
    from .doctor import report

    text, something_runs = report()
    print(text)
    return 0 if something_runs else 1


def _compile(arguments: argparse.Namespace) -> int:
    emit = arguments.emit
    emitters = {target.name: target.emits[emit] for target in targets.every() if emit in target.emits}
    target = arguments.target or next(iter(emitters), "auto")
    if emit and target not in emitters:
        of = " or ".join(emitters)
        print(f"pycuda-tile: --emit {emit} is of the target {of}, not {target}", file=sys.stderr)
        return 2
    module = _build_all(arguments, target)
    output = getattr(module, emitters.get(target, "binary"))
    data = output.encode() if isinstance(output, str) else output
    write_file(arguments.output, lambda file: file.write(data))
    names = ", ".join(module._compiled.executables)
    print(f"{arguments.output}: {len(data)} bytes for {module.target} ({module.arch}): {names}")
    return 0


def _build_all(arguments: argparse.Namespace, target: str):
    """A module with all kernels that are no templates, overloads among them, and with those asked for."""
    module = _build(arguments, target)
    plain = [kernel for kernel in module.kernels if not kernel.template_params]
    names = [kernel.name for kernel in plain]
    overloads = [
        f"{kernel.name}({', '.join(param.type for param in kernel.params)})"
        for kernel in plain
        if names.count(kernel.name) > 1
    ]
    asked = arguments.kernels
    if overloads:
        arguments.kernels = list(dict.fromkeys([*arguments.kernels, *overloads]))
        module = _build(arguments, target)
    templates = [str(kernel) for kernel in module.kernels if kernel.template_params]
    advice = "--kernel says which to instantiate, such as --kernel 'scale<float, 64>'"
    if not module._compiled.executables:
        if templates:
            raise Error(f"{arguments.file} has only templates of kernels: {'; '.join(templates)}: {advice}")
        raise Error(f"{arguments.file} has no kernels (functions declared __tile_global__)")
    if templates and not asked:
        print(f"note: templates are left out: {'; '.join(templates)}: {advice}", file=sys.stderr)
    return module


def _kernels(arguments: argparse.Namespace) -> int:
    from ..frontend import clang
    from ..frontend.kernels import NOTE, find
    from ..system.install import advice

    text, name, places = _source(arguments)
    kernels = find(text, name, thorough=True, **places)
    for kernel in kernels:
        print(f"{kernel.file}:{kernel.line}: {kernel}")
        for hint in kernel.hints:
            print(f"    hint({hint})")
    if not kernels:
        print(f"{name}: no kernels (functions declared __tile_global__)", file=sys.stderr)
    if clang.load() is None:
        print(f"note: {NOTE}: {advice(clang.EXTRA)}", file=sys.stderr)
    return 0


def _source(arguments: argparse.Namespace) -> tuple[str, str, dict]:
    """Text and name of the file that a command is about, and what the front end wants to know besides."""
    from ..building.builder import check_defines, check_include_dirs, read_source

    text, name, path = read_source(arguments.file)
    folders = (path.parent, *check_include_dirs(arguments.include_dirs))
    macros = {"__cplusplus": "202002L", "__CUDA_ARCH__": "900", **check_defines(arguments.defines)}
    return text, name, {"path": path, "include_dirs": folders, "macros": macros}


def _check(arguments: argparse.Namespace) -> int:
    from ..diagnostics.text import show
    from ..frontend.check import check

    text, name, places = _source(arguments)
    diagnostics, note = check(text, name, **places)
    compiled, where = _compile_diagnostics(arguments)
    diagnostics = compiled + [diagnostic for diagnostic in diagnostics if diagnostic not in compiled]
    for diagnostic in diagnostics:
        print(show(diagnostic))
    if note:
        print(f"note: {note}", file=sys.stderr)
    errors, warnings = (sum(d.severity == kind for d in diagnostics) for kind in ("error", "warning"))
    print(f"{name}: {where}, {errors} errors, {warnings} warnings")
    return 1 if errors else 0


def _compile_diagnostics(arguments: argparse.Namespace) -> tuple[list, str]:
    """The errors of the compiler, and in words what was done."""
    from ..errors import CompileError, TargetUnavailable

    try:
        module = _build(arguments, arguments.target or "auto")
    except CompileError as error:
        return error.diagnostics, "does not compile"
    except TargetUnavailable as error:
        return [], f"not compiled ({error})"
    return [], f"compiles for {module.target} ({module.arch})"


def _build(arguments: argparse.Namespace, target: str):
    from ..building.builder import build

    return build(
        arguments.file,
        target=target,
        arch=arguments.arch,
        kernels=arguments.kernels,
        include_dirs=arguments.include_dirs,
        defines=arguments.defines,
        num_threads=arguments.num_threads,
    )


def _cache(arguments: argparse.Namespace) -> int:
    from ..system import cache

    if arguments.action == "clear":
        print(f"removed {cache.clear()} entries")
        return 0
    info = cache.info()
    limit = info["limit_bytes"] / 1e6
    print(
        f"{info['folder']}: {info['entries']} entries, {info['bytes'] / 1e6:.1f} MB of at most {limit:.0f} MB"
    )
    return 0


def _regenerate(arguments: argparse.Namespace) -> int:
    from ..development.codegen import regenerate

    return regenerate(check=arguments.check)


def _coverage(arguments: argparse.Namespace) -> int:
    from ..development.coverage import report

    text, complete = report(arguments.missing, arguments.part)
    print(text)
    return 0 if complete else 1
