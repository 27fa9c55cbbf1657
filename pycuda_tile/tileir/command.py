"""The command `pycuda-tile tileir`: prints, verifies, runs and writes modules, as text or bytecode."""

from __future__ import annotations

import argparse
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pycuda_tile.errors import Error
from pycuda_tile.system.output_file import write_file

from . import BytecodeError, interpret, parse, read_bytecode, verify, write_bytecode
from .elements import DTYPES
from .ir import Entry, Value, walk
from .module import Module
from .reading import pointee, value_element

_MAGIC = b"\x7fTileIR"
_NUMBERS = {"true": True, "false": False, "null": None}
_FILLS = ("zeros", "ones", "arange", "random")
_ARGUMENTS = f"""an ARGUMENT is
  a number, true, false or null   for a parameter that is a number, or a null pointer
  FILE.npy                        an array that numpy.save wrote
  FILL:TYPE:SHAPE                 an array, such as zeros:f32:64x1024; FILL is one of
                                  {", ".join(_FILLS)}; random is from 0 to 1, or 0 to 7 if whole

Arrays are changed in memory. Without --out those that changed are printed."""


def main(words: Sequence[str]) -> int:
    """Runs `pycuda-tile tileir WORDS` and returns its exit code: 0 for success, 1 for failure. Wrong usage
    exits with 2."""
    parser = argparse.ArgumentParser("pycuda-tile tileir", description="Tile IR, as text or bytecode.")
    actions = {"print": _print, "verify": _verify, "run": _run, "write": _write}
    parser.add_argument(
        "action",
        choices=actions,
        help="print as text, check against the rules, run an entry, or write as bytecode",
    )
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    found = parser.parse_args(words)
    return actions[found.action](found.rest)


def read(path: Path) -> Module:
    """The module in a file of bytecode or text. Raises Error, which names the file."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror}") from error
    try:
        return read_bytecode(data) if data.startswith(_MAGIC) else parse(data.decode())
    except UnicodeDecodeError as error:
        raise Error(f"{path}: neither Tile IR bytecode nor text") from error
    except Error as error:
        raise Error(f"{path}: {error}") from error


def _parser(action: str, description: str, **more: Any) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(f"pycuda-tile tileir {action}", description=description, **more)
    parser.add_argument("file", type=Path, metavar="FILE", help="text or bytecode")
    return parser


def _print(words: Sequence[str]) -> int:
    parser = _parser("print", "Print a module as text.")
    parser.add_argument(
        "-g", dest="locations", action="store_true", help="also print the locations of operations"
    )
    arguments = parser.parse_args(words)
    print(read(arguments.file).text(arguments.locations).rstrip("\n"))
    return 0


def _verify(words: Sequence[str]) -> int:
    path = _parser("verify", "Check a module against the rules of Tile IR.").parse_args(words).file
    module = read(path)
    _check(path, module)
    operations = sum(1 for entry in module.entries for _ in walk(entry.body))
    entries = ", ".join(entry.signature for entry in module.entries) or "no entries"
    print(f"{path}: follows the rules, {operations} operations: {entries}")
    return 0


def _write(words: Sequence[str]) -> int:
    parser = _parser("write", "Write a module as bytecode.")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT", help="the file to write")
    parser.add_argument("--version", help="such as 13.1; default: the lowest that can hold the module")
    given = parser.parse_args(words)
    try:
        data = write_bytecode(read(given.file), given.version)
    except BytecodeError as error:
        raise Error(f"{given.file}: {error}") from error
    write_file(given.output, lambda file: file.write(data))
    print(f"{given.output}: {len(data)} bytes, version {data[8]}.{data[9]}")
    return 0


def _check(path: Path, module: Module) -> None:
    try:
        verify(module)
    except Error as error:
        raise Error(f"{path}: {error}") from error


# --- run ---


def _run(words: Sequence[str]) -> int:
    parser = _parser(
        "run",
        "Run an entry of a module on NumPy arrays.",
        epilog=_ARGUMENTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "arguments", nargs="*", metavar="ARGUMENT", help="one for each parameter of the entry"
    )
    parser.add_argument("--entry", metavar="NAME", help="the entry to run; default: the only one")
    parser.add_argument("--grid", default="1", metavar="X[xYxZ]", help="the grid, in tile blocks; default: 1")
    parser.add_argument(
        "--out",
        action="append",
        default=[],
        metavar="N=FILE.npy",
        help="save array argument N, counted from 1",
    )
    parser.add_argument(
        "--on-ub",
        choices=("raise", "continue"),
        default="raise",
        help="what undefined behaviour does: raise an error (default), or continue with the documented value",
    )
    parser.add_argument("--seed", type=int, help="shuffle the memory operations that no token orders")
    given = parser.parse_intermixed_args(words)
    module = read(given.file)
    _check(given.file, module)
    entry = _entry(parser, module, given.entry)
    grid = _extents(parser, "--grid", given.grid)
    if len(given.arguments) != len(entry.params):
        count = f"{len(entry.params)} argument{'' if len(entry.params) == 1 else 's'}"
        parser.error(f"{entry.signature} takes {count}, got {len(given.arguments)}")
    values = [_argument(parser, *pair) for pair in zip(given.arguments, entry.params, strict=True)]
    outputs = [_output(parser, text, values) for text in given.out]
    before = [np.array(value) for value in values]
    interpret(module, entry.name, grid, *values, on_ub=given.on_ub, seed=given.seed)
    for number, path in outputs:
        write_file(path, functools.partial(np.save, arr=values[number - 1]))
    if not outputs:
        _show(entry, values, before)
    return 0


def _entry(parser: argparse.ArgumentParser, module: Module, name: str | None) -> Entry:
    found = [entry for entry in module.entries if name in (None, entry.name)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(entry.name for entry in module.entries) or "none"
    parser.error(f"--entry: the module has {names}" + (f", not {name}" if name else ""))


def _extents(parser: argparse.ArgumentParser, what: str, text: str) -> tuple[int, ...]:
    """(64, 32) of "64x32"; () of ""."""
    words = text.split("x") if text else []
    if not all(word.isdecimal() and word.isascii() and len(word) < 19 for word in words):
        parser.error(f"{what}: expected extents such as 64 or 64x32, got {text!r:.60}")
    return tuple(map(int, words))


def _argument(parser: argparse.ArgumentParser, text: str, parameter: Value) -> Any:
    if text.lower() in _NUMBERS:
        return _NUMBERS[text.lower()]
    for number in (lambda: int(text, 0), lambda: float(text)):
        try:
            return number()
        except ValueError:
            pass
    if text.endswith(".npy"):
        return _load(Path(text), pointee(value_element(parameter)))
    words = text.split(":")
    if len(words) not in (2, 3) or words[0] not in _FILLS or words[1] not in DTYPES:
        parser.error(
            f"{text!r:.60}: expected a number, a file .npy, or an array such as zeros:f32:1024, with one of "
            f"{', '.join(_FILLS)} and of {', '.join(DTYPES)}"
        )
    try:
        return _fill(words[0], DTYPES[words[1]], _extents(parser, text, "".join(words[2:])))
    except (MemoryError, ValueError) as error:
        raise Error(f"{text}: {error}") from error


def _fill(kind: str, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    if kind == "zeros":
        return np.zeros(shape, dtype)
    if kind == "ones":
        return np.ones(shape, dtype)
    if kind == "arange":
        return np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
    chance = np.random.default_rng(0)
    whole = dtype.kind in "biu" or dtype == DTYPES["i4"]
    return (chance.integers(0, 8, shape) if whole else chance.random(shape)).astype(dtype)


def _load(path: Path, element: str) -> np.ndarray:
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, EOFError, MemoryError) as error:
        raise Error(f"{path} is not an array that numpy.save wrote: {error}") from error
    # numpy.save keeps only the bytes of types that NumPy itself does not have.
    dtype = DTYPES.get(element)
    if array.dtype.kind == "V" and dtype is not None and array.dtype.itemsize == dtype.itemsize:
        array = array.view(dtype)
    return array


def _output(parser: argparse.ArgumentParser, text: str, values: list[Any]) -> tuple[int, Path]:
    number, equals, path = text.partition("=")
    arrays = [str(i) for i, value in enumerate(values, 1) if isinstance(value, np.ndarray)]
    if not equals or not path or number not in arrays:
        expected = ", ".join(arrays) or "none of the arguments is an array"
        parser.error(f"--out {text}: expected N=FILE.npy, where argument N is an array: {expected}")
    return int(number), Path(path)


def _show(entry: Entry, values: list[Any], before: list[np.ndarray]) -> None:
    for number, (parameter, value, old) in enumerate(zip(entry.params, values, before, strict=True), 1):
        if isinstance(value, np.ndarray) and value.tobytes() != old.tobytes():
            name = f" {parameter.name}" if parameter.name else ""
            print(f"argument {number}{name}: {value.dtype.name}{list(value.shape)}\n{value}")
