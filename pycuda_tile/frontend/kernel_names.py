"""The expressions that name kernels: `ns::k`, `k<float, 4>`, and for overloads `k(float*, int)`."""

from __future__ import annotations

import functools
import re

from ..errors import BuildTypeError, KernelNotFound


def normalized(name: str) -> str:
    """The name with uniform spacing. Raises KernelNotFound if it cannot be a name."""
    if not isinstance(name, str):
        raise BuildTypeError(f"the name of a kernel must be a str, got {type(name).__name__}")
    return _normalized(name)


@functools.lru_cache(maxsize=1024)
def _normalized(name: str) -> str:
    words = " ".join(name.split())
    text = re.sub(r"(?<=\W) | (?=\W)", "", words)
    if not words.isprintable() or not _has_the_form(text):
        raise KernelNotFound(
            f"{name!r} is not the name of a kernel: expected a name such as 'k' or 'ns::k<float, 4>', "
            "or for overloads "
            "'k(float*)'"
        )
    return text


_LITERAL = re.compile(r"""'(?:\\.|[^'\\]){1,4}'|"(?:\\.|[^"\\])*"|(?<=[\da-fA-F])'(?=[\da-fA-F])""")
_COMPONENT = r"[^\W\d][\w$]*<?"
_FORM = re.compile(rf"(::)?{_COMPONENT}(::{_COMPONENT})*")


def _has_the_form(name: str) -> bool:
    """Whether brackets are balanced and only identifiers are outside of them. Compilers check the rest."""
    text = _LITERAL.sub(".", split_overload(name)[0])
    text = re.sub("->|<<|[<>]=", "", text)
    text = _folded(text, r"\([^][(){}]*\)|\[[^][(){}]*\]|\{[^][(){}]*\}", ".")
    text = _folded(text, "<[^<>\"']*>", "\0")
    if name.startswith("("):  # a cast, which chooses an overload
        text = text.removeprefix(".")
    return bool(_FORM.fullmatch(text.replace("<", ".").replace("\0", "<")))


def _folded(text: str, group: str, mark: str) -> str:
    """The text after replacing innermost groups by a mark until there are none."""
    count = 1
    while count:
        text, count = re.subn(group, mark, text)
    return text


def split_overload(name: str) -> tuple[str, str | None]:
    """`k(float*, int)`, which names one of several overloads, as its name and its parameters' types."""
    if not name.endswith(")"):
        return name, None
    depth = 0
    for at in range(len(name) - 1, 0, -1):
        depth += (name[at] == ")") - (name[at] == "(")
        if depth == 0:
            return name[:at].rstrip(), name[at + 1 : -1]
    return name, None


def base_name(name: str) -> str:
    """A kernel's name without template arguments and parameters, as in KernelInfo."""
    return split_overload(name)[0].split("<")[0].strip().removeprefix("::")


def cxx_expression(name: str) -> str:
    """A kernel's name as a C++ expression that stands for the function."""
    function, types = split_overload(name)
    return name if types is None else f"static_cast<void (*)({types})>({function})"


def from_cxx_expression(expression: str) -> str:
    """The name from which cxx_expression() made an expression."""
    found = re.fullmatch(r"static_cast<void \(\*\)\((.*)\)>\((.*)\)", expression)
    return f"{found[2]}({found[1]})" if found else expression


def in_namespace_of(name: str, declaration: str) -> str:
    """A declaration about a kernel in the kernel's namespace, where the types of its parameters are known."""
    namespace = base_name(name).rpartition("::")[0]
    return f"namespace {namespace} {{ {declaration} }}" if namespace else declaration
