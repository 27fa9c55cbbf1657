"""What to do about the mistakes that everybody makes once, by what compilers say of them.

    advice(message, notes, line) -> a sentence, or "" for an error that nothing is known of

Each compiler has words of its own for a mistake, so a row looks for the few that they share, and for what
stands in the line of source.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .. import spec
from ..frontend import shared_variables, thread_names
from .spelling import suggestion

_LARGEST_TILE = 2**24  # elements [2.1.4.6]
_SIMT_NAMES = f"(?:{thread_names.PATTERN.pattern})"
_DYNAMIC = 2**64 - 1  # dynamic_extent
# Before the operands' types; NVRTC may name another concept.
_OPERANDS = "(?:arithmetic_tile_convertible|operand types are:)"


class _Row(NamedTuple):
    """A mistake: the words of compilers, what stands in the source, and the advice or what makes it."""

    said: str
    source: str
    advice: str | Callable[[re.Match[str], re.Match[str]], str]


def _shape(said: re.Match[str], source: re.Match[str]) -> str:
    extents = [int(n) for n in re.findall(r"\d+", said["extents"])]
    if _DYNAMIC in extents:
        return ""  # of a span, not of a tile
    for n in extents:
        if n < 1 or n & (n - 1):
            above = 1 << n.bit_length()
            return (
                f"each length of a tile is a power of two, and {n} is not one: take {above}, and masks or a "
                "partition_view, which leave out what is too much"
            )
    if math.prod(extents) > _LARGEST_TILE:
        return f"a tile has at most 2^24 = {_LARGEST_TILE} elements: share the work among more blocks"
    return ""


def _indices(said: re.Match[str], source: re.Match[str]) -> str:
    rank = len(re.findall(r"\w+", said["extents"] or ""))
    what = f"this view takes {rank} {'index' if rank == 1 else 'indices'}"
    after = "any padding" if "load" in source[1] else "the value"
    return f"{source[1]} of {what if rank else 'a view takes an index for each dimension'}, after {after}"


def _indices_given(said: re.Match[str], source: re.Match[str]) -> str:
    """NVIDIA's front end says what was given and not what is required."""
    given = _types(said["given"])
    rank = len(re.findall(r"\w+", said["extents"]))
    if "load" in source[1]:
        right = len(given) - ("view_padding" in given[0]) == rank
        right = right and not any("view_padding" in type_ for type_ in given[1:])
    else:
        right = len(given) == rank + 1 and re.search(r"\btile<|\bT\b", given[0]) is not None
    return "" if right else _indices(said, source)


def _types(listed: str) -> list[str]:
    """The types of a list, whose commas may also be within <>."""
    while (shorter := re.sub(r"<[^<>]*>", "[]", listed)) != listed:
        listed = shorter
    return listed.replace("[]", "<>").split(", ")


def _order(said: re.Match[str], source: re.Match[str]) -> str:
    return (
        f"{source[1]} needs a memory order, though the manual writes = {{}}: after the values, write "
        "ct::memory_order_relaxed_t{}"
    )


def _double(said: re.Match[str], source: re.Match[str]) -> str:
    operand = re.search(rf"{_OPERANDS}.*?\btile<([\w ]+)", said.string)
    if operand and re.search(r"bool|char|short|int|long", operand[1]):
        return "a tile of integers computes in integers: ct::element_cast<float>(t) converts it"
    number = source[1].rstrip(".") + (".0f" if source[1].endswith(".") else "f")
    element = "float"
    if operand and operand[1] in ("__half", "__nv_bfloat16"):  # there are no literals of these
        element, number = operand[1], f"{operand[1]}({number})"
    return f"{source[1]} is a double: write {number} for a tile of {element}"


def _shapes(text: str) -> list[tuple[int, ...]]:
    """The shapes of the tiles that a message names, in its order."""
    listed = re.findall(r"\b(?:shape<|extents<(?:unsigned int|(?:\w+::)*uint32_t), )([\dUL, ]+)>", text)
    return [tuple(int(n) for n in re.findall(r"\d+", lengths)) for lengths in listed]


def _broadcast(said: re.Match[str], source: re.Match[str]) -> str:
    rule = "counted from the last dimension, two lengths are equal or one of them is 1"
    for left, right in itertools.pairwise(_shapes(said.string)):
        if any(m != n and 1 not in (m, n) for m, n in zip(left[::-1], right[::-1], strict=False)):
            return f"the shapes {_by(left)} and {_by(right)} do not broadcast: {rule}"
    return f"where tiles broadcast, {rule}"


def _product(said: re.Match[str], source: re.Match[str]) -> str:
    for left, right, sum_ in zip(*(_shapes(said.string)[i:] for i in range(3)), strict=False):
        if len(left) == len(right) == len(sum_) > 1:
            if left[-1] == right[-2] and sum_[-2:] == (left[-2], right[-1]):
                return ""  # it is the element types
            return (
                f"a product of M x K by K x N is added to M x N: {_by(left)}, {_by(right)} and {_by(sum_)} "
                "do not fit"
            )
    return ""


def _by(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))


def _pointers_first(said: re.Match[str], source: re.Match[str]) -> str:
    name = source[1]
    others = ["values"] if "store" in name else []
    others += ["mask"] if "masked" in name else []
    others += ["padding"] if "load_masked" in name else []
    return f"the pointers come first: ct::{name}({', '.join(['pointers', *others])})"


@functools.cache
def _rows() -> tuple[_Row, ...]:
    reductions = "|".join(sorted({row.name for row in spec.load("reductions")}, key=len, reverse=True))
    return (
        _Row(
            r"\bdouble\b(?!.*\bintegral or enum\b)",
            r"(?<![\w.])(\d+\.\d*|\.\d+)(?![\w.])",
            _double,
        ),
        _Row(
            rf"{_OPERANDS}.*?\btile<(?P<type>__half|__nv_bfloat16)",
            r"(?<![\w.])(\d+\.\d*f|\.\d+f)",
            lambda said, source: (
                f"{source[1]} is a float: write {said['type']}({source[1]}) for a tile of {said['type']}"
            ),
        ),
        _Row(
            r"integral_constant<\w+>' (?:and|against) '\w+|failed deduction",
            rf"\b({reductions})\(.*?, *(\d)\)",
            lambda said, source: (
                f"the dimension is a constant: ct::{source[1]}(t, {source[2]}_ic), after "
                "`using namespace ct::literals`"
            ),
        ),
        _Row(
            rf"\b(?:{reductions})\b.*(?:template (?:parameter|argument) 'D'|failed deduction)",
            rf"\b({reductions})\(",
            lambda said, source: (
                f"{source[1]} takes the dimension: ct::{source[1]}(t, 0_ic), after "
                "`using namespace ct::literals`"
            ),
        ),
        _Row(
            r"atomic_\w+.*(?:template (?:parameter|argument) 'Order'|failed deduction)",
            r"\b(atomic_\w+)\(",
            _order,
        ),
        _Row(r"pointer_tile", r"\bct::((?:load|store)(?:_masked)?)\(", _pointers_first),
        _Row(
            r"non_narrowing_scalar_convertible_to.*\b(?:__nv_)?bool\b",
            r"\bct::store_masked\(",
            "the mask comes last: ct::store_masked(pointers, values, mask)",
        ),
        _Row(
            r"\bsame_shape\b",
            r"\bct::(store(?:_masked)?|atomic_\w+)\(",
            lambda said, source: (
                f"{source[1]} takes a value for each pointer: ct::full<ct::tile<E, S>>(x) makes a scalar x a "
                "tile, and ct::reshape(x, ct::shape<>{}) a tile of one element a scalar"
            ),
        ),
        _Row(
            r"shape_broadcastable_to",
            r"\bct::load_masked\(",
            "the mask has more elements than there are pointers: make a tile of pointers, "
            "p + ct::iota<ct::tile<int, S>>()",
        ),
        _Row(
            r"\bintegral_constant\b.*(?:tile_like|arithmetic_tile)|tile_like.*\bintegral_constant\b",
            r"\b(max|min)\(",
            lambda said, source: (
                f"{source[1]} compares two tiles element by element: ct::reduce_{source[1]}(t, 0_ic) is the "
                f"{source[1]}imum along a dimension"
            ),
        ),
        _Row(
            r"literal operator",
            r"\d_ic\b",
            "literals such as 1_ic need `using namespace cuda::tiles::literals;`",
        ),
        _Row(
            r"(?:tile_shape|constraint).*?\b(?:shape|extents)<(?:unsigned int, |(?:\w+::)*uint32_t, )?"
            r"(?P<extents>[\dUL, ]+)>",
            "",
            _shape,
        ),
        _Row(  # NVIDIA's front end names the types only
            r"update_of_views|== memory_order::relaxed|"
            r"_view<.*::atomic_\w+.*argument types are: [^;]*_(?:acquire|release|acq_rel)_t\b",
            r"\b(atomic_\w+)\(",
            lambda said, source: (
                f"{source[1]} of a view is relaxed, within a block or the device: write "
                "ct::memory_order_relaxed_t{} and ct::thread_scope_device_t{}"
            ),
        ),
        _Row(
            r"view_indices(?:.*?tensor_span<[^<]*, (?:cuda::tiles::)?extents<(?:unsigned )?\w+"
            r"(?P<extents>[^<>]*)>)?",
            r"\b((?:atomic_)?(?:load|store)\w*)\(",
            _indices,
        ),
        _Row(
            r"_view<Span, TileShape>::.*TileShape=(?:\w+::)*(?:extents<[^,<>]*|shape<)(?P<extents>[\w, ]*)>"
            r".*argument types are: \((?P<given>.*?)\); object type",
            r"\b((?:atomic_)?(?:load|store)\w*)\(",
            _indices_given,
        ),
        _Row(
            rf"\b{_SIMT_NAMES}\b",
            rf"\b({_SIMT_NAMES})\b",
            lambda said, source: thread_names.hint(source[1]),
        ),
        _Row(
            r"__shared__ variables",
            r"\b__shared__\b",
            shared_variables.HINT.removeprefix("hint: "),
        ),
        _Row(
            r"(?:to|have|requires?)\b.*\bbool\b",
            r"\b(?:if|while)\s*\(|\?|&&|\|\|",
            "a condition is one value for a whole tile: ct::select(mask, a, b) chooses element by element, "
            "and & and | combine masks",
        ),
        _Row(
            r"\bselect\b.*(?:deduced conflicting types|failed deduction)",
            r"\bselect\(",
            "both values of select are tiles of one type: write ct::full<decltype(t)>(x) for a scalar x",
        ),
        _Row(
            r"non-'constexpr' function '.*\btile\b|must have a constant value|constant expression",
            r"\bconstexpr\b.*\{\s*\{",
            "a tile is not a constant expression: write const instead of constexpr",
        ),
        _Row(
            r"deduce.*\bauto\b|overloaded function",
            r"=\s*&?\s*(?:std)?(?:::)?\b((?:f|s|sn)?printf)\b(?!\s*\()",
            lambda said, source: (
                f"{source[1]} has overloads, which refuse tiles: call it, or name the pointer's type"
            ),
        ),
        _Row(
            r"no (?:matching|instance of).*\b(exp|tanh)\b",
            r"\bct::(exp|tanh)<(?!.*rounding_mode)",
            lambda said, source: (
                f"since 13.4 a rounding mode is the first template argument of {source[1]}: write "
                f'ct::{source[1]}(x), or build with api="13.3"'
            ),
        ),
        _Row(r"broadcast_compatible", r"", _broadcast),
        _Row(r"mma_compatible", r"\bmma\(", _product),
        _Row(
            r"\b(?:in|not) a constant expression|narrowing conversion .*size_t|must have a constant value",
            r"\b(?:shape|extents)<",
            "the lengths of a tile are constants: a number, a constexpr variable, or a parameter of the "
            "template, template <int N>",
        ),
        _Row(  # last, since a block's index stands in many lines that are wrong for another reason
            r"\b(?:unsigned int|uint3)\b",
            r"(?<!\bint\()(?<!\bint\(ct::)\b(bid|num_blocks)\(\)",
            lambda said, source: f"{source[1]}() has unsigned members: write int(ct::{source[1]}().x)",
        ),
    )


def advice(message: str, notes: Sequence[str], line: str) -> str:
    """A sentence that says what to write instead; "" where none is known."""
    text = " ".join([message, *notes])
    for row in _rows():
        said, source = re.search(row.said, text), re.search(row.source, line)
        if (
            said
            and source
            and (found := row.advice if isinstance(row.advice, str) else row.advice(said, source))
        ):
            return found
    return suggestion(message)
