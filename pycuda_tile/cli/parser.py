"""The command line: subcommands, their arguments, and the function that carries out each."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from .. import targets
from ..spec import API_VERSIONS
from ..version import VERSION
from . import files


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "pycuda-tile",
        description="Compile, inspect and run CUDA Tile C++ kernels.",
        epilog="`pycuda-tile COMMAND --help` explains a command. Start with doctor, then run.",
    )
    parser.add_argument(
        "--version", action="version", version=f"pycuda-tile {VERSION}", help="show the version"
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(
        name: str, text: str, run: Callable[[argparse.Namespace], int] | None = None, more: str = ""
    ) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.{more}")
        command.set_defaults(run=run)
        return command

    add("run", "run an example or a script; without a name, the example `table`")
    add("nvcc", "compile whole CUDA programs for the CPU; takes the options of NVIDIA's nvcc")
    add("doctor", "report what works on this machine, and how to install what is missing", _doctor)
    compile_ = add(
        "compile",
        "compile a file and write the result",
        files.compile_file,
        " The result contains all kernels that are not templates, and the instances that --kernel names.",
    )
    _add_build_arguments(compile_)
    compile_.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="OUT",
        help="the file that is written; Tile IR is text in a file .mlir; it and loops are printed without -o",
    )
    compile_.add_argument(
        "--emit",
        choices=sorted({kind for target in targets.every() for kind in target.emits}),
        help="what to write; default: a cubin, or a shared library for cpu; loops: what each step makes of "
        "kernels on their way to fused code",
    )
    _add_source_arguments(add("kernels", "list the kernels of a file, with their hints", files.list_kernels))
    _add_build_arguments(
        add(
            "check",
            "report errors in a file, hints that are ignored, and code that is slow on GPUs",
            files.check_file,
        )
    )
    add("tileir", "print, verify, run or write a module of Tile IR, given as text or bytecode")
    cache = add("cache", "show or empty the cache of compiled kernels", _cache)
    cache.add_argument("action", choices=("info", "clear"), help="show its folder and size, or empty it")
    regenerate = add("regenerate", "write the generated files of a checkout again", _regenerate)
    regenerate.add_argument("--check", action="store_true", help="only report those that are out of date")
    flags = add("flags", "print what a compiler or an editor needs to read kernels", _flags)
    form = flags.add_mutually_exclusive_group()
    form.add_argument("--clangd", action="store_true", help="as a file .clangd")
    form.add_argument("--cmake", action="store_true", help="the folder that cuda_tile_DIR names to CMake")
    init = add("init", "write a folder to start from: a kernel, its use from Python and C++, a test", _init)
    init.add_argument("folder", type=Path, metavar="FOLDER", help="a folder that is new or empty")
    coverage = add(
        "coverage", "report which parts of the API are implemented, documented and tested", _coverage
    )
    coverage.add_argument("--missing", action="store_true", help="list only what is missing")
    coverage.add_argument(
        "--part",
        action="store_true",
        help="only some of the tests ran: list what they leave out, but do not count it as missing",
    )
    return parser


def _add_source_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a .cu or .cuh file")
    parser.add_argument(
        "-I",
        dest="include_dirs",
        action="append",
        default=[],
        metavar="DIR",
        help="a further folder of headers",
    )
    parser.add_argument(
        "-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="define a macro"
    )


def _add_build_arguments(parser: argparse.ArgumentParser) -> None:
    threaded = ", ".join(target.name for target in targets.every() if target.threads)
    _add_source_arguments(parser)
    parser.add_argument(
        "--target", help=f"{', '.join(targets.NAMES)}; default: the best that runs on this machine"
    )
    parser.add_argument(
        "--arch",
        help="sm_90, ... (default: this machine's GPU, else sm_80); on cpu the value of -march "
        "(default: native)",
    )
    parser.add_argument(
        "--kernel",
        dest="kernels",
        action="append",
        default=[],
        metavar="NAME",
        help="also instantiate this kernel, such as 'scale<float, 64>'; may be repeated",
    )
    parser.add_argument(
        "--num-threads",
        type=int,
        metavar="N",
        help=f"{threaded}: number of threads that share a block, a power of two",
    )
    parser.add_argument(
        "--front-end",
        choices=sorted({front_end for target in targets.every() for front_end in target.front_ends}),
        help="tile: what reads the source, ours or NVIDIA's; default: open for --emit tileir, else nvidia",
    )
    parser.add_argument("--api", choices=API_VERSIONS, help=f"version of the API; default {API_VERSIONS[-1]}")


def _doctor(_: argparse.Namespace) -> int:
    from .doctor import report

    text, something_runs = report()
    print(text)
    return 0 if something_runs else 1


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


def _flags(arguments: argparse.Namespace) -> int:
    from .. import starter
    from ..system import resources

    if arguments.cmake:
        print(resources.cmake_package())
    elif arguments.clangd:
        print(starter.as_clangd(), end="")
    else:
        print(starter.as_text())
    return 0


def _init(arguments: argparse.Namespace) -> int:
    from .. import starter

    for path in starter.write(arguments.folder):
        print(path)
    return 0


def _regenerate(arguments: argparse.Namespace) -> int:
    from ..development.codegen import regenerate

    return regenerate(check=arguments.check)


def _coverage(arguments: argparse.Namespace) -> int:
    from ..development.coverage import report

    text, complete = report(arguments.missing, arguments.part)
    print(text)
    return 0 if complete else 1
