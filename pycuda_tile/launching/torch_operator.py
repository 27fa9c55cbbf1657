"""Wraps a kernel as a PyTorch operator, which works under torch.compile. Only this module imports torch."""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import BuildTypeError, BuildValueError, TargetUnavailable
from .kernel import Kernel
from .parameters import BOOL, FUNCTION, OTHER, SIGNED, UNSIGNED, VOID, Parameter

_INTEGERS = (SIGNED, UNSIGNED)


def torch_op(
    name: str,
    kernel: Kernel,
    grid: Any,
    *,
    outputs: Mapping[str, Callable[..., Any]] | None = None,
    derived: Mapping[str, Callable[..., Any]] | None = None,
) -> Callable[..., Any]:
    """Registers a kernel as the custom operator `name` ("namespace::name") of PyTorch and returns it.

        add = pct.torch_op("my::add", kernel, lambda a, b: -(-a.numel() // 256),
                           outputs={"out": torch.empty_like}, derived={"n": lambda a, b: a.numel()})
        y = add(a, b)        # also torch.ops.my.add, and within torch.compile

    grid:     an integer, a tuple, or a function of the operator's arguments that returns one
    outputs:  the kernel's parameters that the operator allocates and returns: from a parameter's name to a
              function of the operator's arguments that makes an empty tensor (made contiguous if it is not);
              it also serves as the fake (meta) implementation
    derived:  parameters whose value follows from the arguments: from a name to a function of these

    The operator's arguments are the kernel's other parameters, with the same names (`in_` for `in`, which is
    a keyword of Python) and order: tensors for pointers, numbers for numbers. Tensors for pointers to const
    are made contiguous; others are modified in place. A grid without blocks launches nothing. To add
    derivatives, call `.register_autograd` on the operator.

    The functions of grid, outputs and derived get the operator's arguments by position, not by name: a
    function of one parameter gets the first argument, whatever it calls it.

    Raises BuildValueError if a name is not one of the kernel's parameters, or if a function calls an argument
    by the name of another; TargetUnavailable without PyTorch.
    """
    try:
        import torch
    except ImportError as error:
        raise TargetUnavailable(
            f"torch_op needs PyTorch 2.4 or newer ({error}): pip install torch"
        ) from error
    outputs, derived = (_functions("outputs", outputs), _functions("derived", derived))
    parameters = _check(name, kernel, outputs, derived)
    inputs = [_without_keyword(p) for p in parameters if p.name not in outputs and p.name not in derived]
    _check_positions({"grid": grid}, "", inputs)
    _check_positions(outputs, "outputs", inputs)
    _check_positions(derived, "derived", inputs)
    mutated = tuple(p.name for p in inputs if p.pointer and not p.const)

    def make_outputs(*arguments: object) -> Any:
        made = [_tensor(p.name, _call(outputs[p.name], arguments)) for p in parameters if p.name in outputs]
        return tuple(made) if len(made) > 1 else made[0] if made else None

    def run(*arguments: object) -> Any:
        made = make_outputs(*arguments)
        made_iterator = iter(made if isinstance(made, tuple) else (made,))
        given = iter(arguments)
        values = []
        for parameter in parameters:
            if parameter.name in outputs:
                values.append(next(made_iterator))
            elif parameter.name in derived:
                values.append(_call(derived[parameter.name], arguments))
            else:
                value: Any = next(given)
                values.append(value.contiguous() if parameter.pointer and parameter.const else value)
        blocks = _call(grid, arguments) if callable(grid) else grid
        if 0 not in (blocks if isinstance(blocks, (tuple, list)) else (blocks,)):
            kernel[blocks](*values)
        return made

    schema = _schema(inputs, outputs)
    operator = torch.library.custom_op(name, run, mutates_args=mutated, schema=schema)
    operator.register_fake(make_outputs)
    return operator


def _without_keyword(parameter: Parameter) -> Parameter:
    """With a name that Python and the schemas of operators allow."""
    return parameter._replace(name=f"{parameter.name}{'_' * keyword.iskeyword(parameter.name)}")


def _tensor(name: str, made: Any) -> Any:
    """What a function of outputs made, contiguous."""
    if not hasattr(made, "contiguous"):
        raise BuildTypeError(f"torch_op: outputs[{name!r}] must return a tensor, got {type(made).__name__}")
    return made.contiguous()


def _functions(what: str, given: Mapping[str, Callable[..., Any]] | None) -> dict[str, Callable[..., Any]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(map(callable, given.values())):
        raise BuildTypeError(
            f"torch_op: {what} must be a dict from parameter names to functions, got {given!r}"
        )
    return dict(given)


def _check(
    name: str, kernel: Kernel, outputs: Mapping[str, object], derived: Mapping[str, object]
) -> tuple[Parameter, ...]:
    if not isinstance(kernel, Kernel):
        raise BuildTypeError(
            f"torch_op expects a kernel, such as module.kernel('k'), got {type(kernel).__name__}"
        )
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_]\w*::[A-Za-z_]\w*", name):
        raise BuildValueError(f"the name of an operator has the form 'namespace::name', got {name!r}")
    parameters = kernel.parameters
    names = [parameter.name for parameter in parameters]
    if not all(names):
        raise BuildValueError(
            f"{kernel.name}: the kernel's parameters need names to become arguments of {name}"
        )
    for given in (*outputs, *derived):
        if given not in names:
            raise BuildValueError(f"{kernel.name} has no parameter {given!r}; it has {', '.join(names)}")
    if both := [given for given in outputs if given in derived]:
        raise BuildValueError(f"{kernel.name}: {', '.join(both)} cannot be both an output and derived")
    for parameter in parameters:
        if parameter.name in outputs and (not parameter.pointer or parameter.const):
            raise BuildValueError(
                f"{parameter} cannot be an output: it is not a pointer that the kernel writes to"
            )
    return parameters


def _check_positions(functions: Mapping[str, object], what: str, inputs: Sequence[Parameter]) -> None:
    """Refuses functions whose parameters have the names of arguments at other positions."""
    names = [parameter.name for parameter in inputs]
    for key, function in functions.items():
        whose = f"{what}[{key!r}]" if what else key
        for position, name in enumerate(_taken(function)):
            if name in names[:position] + names[position + 1 :]:
                at = names.index(name)
                raise BuildValueError(
                    f"torch_op: {whose} names its parameter {position + 1} {name!r}, which is argument "
                    f"{at + 1} of the operator: arguments come by position, so write "
                    f"lambda {', '.join(names[: at + 1])}: ..."
                )


def _taken(function: object) -> list[str]:
    """The names of the parameters that _call passes."""
    if not callable(function):
        return []
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a builtin without a signature
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in signature.parameters.values() if p.kind in kinds and p.default is p.empty]


def _schema(inputs: Sequence[Parameter], outputs: Mapping[str, object]) -> str:
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    words = []
    for parameter in inputs:
        if parameter.pointer and parameter.kind != FUNCTION:
            kind = "Tensor" if parameter.const else f"Tensor({next(letters)}!)"
        elif parameter.kind == BOOL:
            kind = "bool"
        elif parameter.kind in _INTEGERS:
            kind = "SymInt"
        elif parameter.kind not in (OTHER, VOID, FUNCTION):
            kind = "float"
        else:
            raise BuildValueError(
                f"{parameter} cannot be an argument of a PyTorch operator: pass a function for it in derived="
            )
        words.append(f"{kind} {parameter.name}")
    count = len(outputs)
    result = "()" if not count else "Tensor" if count == 1 else f"({', '.join(['Tensor'] * count)})"
    return f"({', '.join(words)}) -> {result}"


def _call(function: Callable[..., Any], arguments: tuple[object, ...]) -> Any:
    """Calls a function with as many of the arguments as it takes."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a builtin without a signature
        return function(*arguments[:1])
    takes_all = any(p.kind == p.VAR_POSITIONAL for p in signature.parameters.values())
    return function(*(arguments if takes_all else arguments[: max(1, len(_taken(function)))]))
