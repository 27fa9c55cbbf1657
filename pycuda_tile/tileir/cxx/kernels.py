"""The kernels of a source, translated: a module of Tile IR, and the parameters of each kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from ...compilers import nvrtc
from ...errors import CompileError, Diagnostic, NotAvailableYet
from ...frontend.kernel_info import KernelInfo
from ...frontend.kernel_names import base_name
from ...launching.parameters import BOOL, FUNCTION, SIGNED, UNSIGNED, VOID, Parameter, decode
from ...system import resources
from ...targets.kernels import param_names
from ...targets.target import Request
from ...version import VERSION
from ..ir import Entry, Pointer, Scalar, Tile
from ..module import Module
from .hints import StatementHints, hints_in_header, kernel_hints
from .llvm import Aggregate, Global, Number, Place
from .llvm_text import Text
from .recording import UNIT, options_of, record
from .refused import Refusal, Refused, host_variables
from .translate import NotTranslated, translate

_NO_OBJECTS = "a parameter of tile code is a number, a pointer or a reference: pass an object by reference"


class Kernels(NamedTuple):
    """The module has one entry for all name expressions of a kernel."""

    module: Module
    symbols: dict[str, str]  # of the entry that each expression means
    parameters: dict[str, tuple[Parameter, ...]]
    kernels: list[KernelInfo]  # all of the source
    layouts: str  # of classes, as clang prints them
    log: str
    files: list[str]  # that the translation depends on


def translate_kernels(
    request: Request,
    names: Sequence[str],
    macros: Mapping[str, str],
    *,
    plain: bool,
    known: list[KernelInfo] | None = None,
    failures: dict[str, str] | None = None,
) -> Kernels:
    """The arguments and errors are those of record(); CompileError also for what tile code must not have, and
    NotAvailableYet for a kernel without a translation.

    failures:  gets why there is no entry for an expression, instead of these two errors
    """
    recorded = record(request, names, macros, plain=plain, known=known)
    symbols: dict[str, str] = {}
    parameters: dict[str, tuple[Parameter, ...]] = {}
    entries: dict[str, Entry] = {}
    refused: list[Refusal] = []
    missing: dict[str, NotAvailableYet] = {}
    globals_: dict = {}
    llvm = Text(recorded.llvm)
    of_kernels, of_statements = kernel_hints(llvm), StatementHints(request, macros)
    of_host = host_variables(llvm, _user_texts(request, recorded.files))
    for number, expression in enumerate(recorded.expressions):
        symbol, parameters[expression] = _described(request, llvm, number, expression, recorded.kernels)
        symbols[expression] = symbol
        if symbol in entries:
            entries[symbol].others.append(expression)
            continue
        try:
            types = [_tile(request, parameter, recorded.kernels) for parameter in parameters[expression]]
            entry = _entry(request, llvm, expression, symbol, types, globals_, of_statements, of_host)
        except (Refused, NotAvailableYet) as error:
            if failures is not None:
                failures[expression] = str(error)
            elif isinstance(error, Refused):
                refused += error.refusals
            else:
                missing[expression] = error
            continue
        entry.others = _shorter(expression, recorded.kernels)
        entry.hints = of_kernels.get(symbol) or _hints_in_header(request, expression, recorded.kernels)
        entries[symbol] = entry
    if refused:
        raise _compile_error(request, refused)
    if missing:
        raise _not_available(missing, [entry.expression for entry in entries.values()])
    module = Module([*entries.values()], list(globals_.values()), producer=f"pycuda_tile {VERSION}")
    return Kernels(
        module, symbols, parameters, recorded.kernels, recorded.layouts, recorded.log, recorded.files
    )


def _user_texts(request: Request, files: Iterable[str]) -> Iterator[str]:
    """The source, the user's headers and macros."""
    yield request.text
    yield "\n".join(f"#define {name} {value}" for name, value in request.defines.items())
    own = str(resources.include_dir())
    for file in files:
        if not file.startswith(own):
            yield nvrtc.read_text(Path(file))


def _described(
    request: Request, llvm: Text, number: int, expression: str, kernels: list[KernelInfo]
) -> tuple[str, tuple[Parameter, ...]]:
    """The symbol and the parameters of a kernel, as record/entry.h describes them."""
    variable = llvm.variable(f"cuda_tile_kernel_{number}")
    if variable is None or not isinstance(variable.value, Aggregate):
        raise CompileError(
            f"{request.name}: clang made no LLVM IR of the kernel {expression}{options_of(request)}"
        )
    function, operand = variable.value.elements
    assert isinstance(function, Global) and isinstance(operand, Aggregate)
    codes = [int(code.value) if isinstance(code, Number) else 0 for code in operand.elements[:-1]]
    return function.name, decode(expression, codes, param_names(kernels, expression, len(codes)))


def _entry(
    request: Request,
    llvm: Text,
    expression: str,
    symbol: str,
    types: list[Tile],
    globals_: dict,
    hints: StatementHints,
    of_host: Set[str],
) -> Entry:
    own = str(resources.include_dir())

    def is_user_file(file: str) -> bool:
        return not file.startswith(own) and not file.endswith(UNIT)

    try:
        entry = translate(llvm, symbol, types, is_user_file, globals_, hints, of_host)
    except NotTranslated as error:
        place = f"{_file(request, error.place)}:{error.place.line}: " if error.place is not None else ""
        raise NotAvailableYet(
            f"{place}{expression}: there is no translation to Tile IR yet of {error.reason}"
        ) from error
    entry.expression = expression
    return entry


def _shorter(expression: str, kernels: Iterable[KernelInfo]) -> list[str]:
    """The name expression without inline namespaces, if there are any."""
    base = base_name(expression)
    return [
        info.short + expression.removeprefix("::").removeprefix(base)
        for info in kernels
        if info.name == base and info.short
    ]


def _hints_in_header(request: Request, expression: str, kernels: list[KernelInfo]) -> dict:
    """The hints of a kernel that is not in the source itself, which clang does not see."""
    fitting = [k for k in kernels if k.is_called(base_name(expression)) and k.file != request.name]
    return hints_in_header(fitting[0]) if len(fitting) == 1 else {}


def _not_available(missing: Mapping[str, NotAvailableYet], others: Sequence[str]) -> NotAvailableYet:
    """All that has no translation, and how to get the kernels that have one."""
    message = "\n".join(map(str, missing.values()))
    if others:
        listed = ", ".join(f'"{name}"' for name in others)
        message += f"\nThe other kernels can be translated: kernels=({listed}{',' * (len(others) == 1)})"
    return NotAvailableYet(message)


def _compile_error(request: Request, refused: list[Refusal]) -> CompileError:
    from ...diagnostics.compiler_log import compile_error
    from ...diagnostics.places import Places

    found = []
    for reason, place in refused:
        line, column = (place.line, place.column) if place else (0, 0)
        found.append(Diagnostic(_file(request, place), line, column, "error", reason))
    path = str(request.path or request.name)
    return compile_error("", Places(request.name, path, request.text, found=tuple(dict.fromkeys(found))))


def _file(request: Request, place: Place | None) -> str:
    """The name by which the user knows the file of a place."""
    is_source = place is None or place.file == str(request.path or request.name)
    return request.name if place is None or is_source else place.file


def _tile(request: Request, parameter: Parameter, kernels: list[KernelInfo]) -> Tile:
    """The type of a parameter in the entry: a bool is a byte."""
    if parameter.kind == BOOL or (parameter.kind in (VOID, FUNCTION) and parameter.pointer):
        element = Scalar("i8")
    elif parameter.element is not None and parameter.kind in (SIGNED, UNSIGNED):
        element = Scalar(f"i{8 * parameter.size}")
    elif parameter.element is not None:
        element = Scalar(parameter.element.tileir if parameter.element.bits > 4 else "i8")
    elif parameter.pointer:
        element = Scalar("i8")  # what it points to is more than a number
    else:
        raise Refused([Refusal(f"{parameter}: {_NO_OBJECTS}", _place_of(request, parameter, kernels))])
    return Tile(Pointer(element) if parameter.pointer else element, ())


def _place_of(request: Request, parameter: Parameter, kernels: list[KernelInfo]) -> Place | None:
    found = [k for k in kernels if k.is_called(base_name(parameter.kernel))]
    if not found:
        return None
    file = str(request.path or request.name) if found[0].file == request.name else found[0].file
    return Place(file, found[0].line, 0)
