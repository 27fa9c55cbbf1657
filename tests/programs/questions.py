"""Questions about the API: whether an expression is well-formed for some types and constants.

A family of questions is a requirement with parameters: T and U are element types, E those of a span, M a
rounding mode, S a saturation mode, P a padding, O a memory order, W a thread scope, D an axis, N an extent,
and I the type of an index.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from typing import NamedTuple

ELEMENTS = """bool|char|signed char|unsigned char|short|unsigned short|int|unsigned|long|long long
    |unsigned long long|__half|__nv_bfloat16|float|double|__nv_tf32|__nv_fp8_e4m3|__nv_fp8_e5m2|int*"""
NEWER_ELEMENTS = ["__nv_fp8_e8m0", "__nv_fp4_e2m1"]  # since 13.5
INDICES = """bool|char|int|unsigned|long long|float|__half|int*|color|scoped|object|number|tile<int>
    |tile<int, 1>|tile<int, 2>|tile<bool, 2>|decltype(0_ic)"""
NUMBERS = {"M": range(7), "S": range(2), "P": range(5), "O": range(4), "W": range(3), "D": range(-1, 3)}
NUMBERS["N"] = (1, 2, 4, 8, 16, 32)

_HEAD = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>
#include "programs.h"

enum color { red };
enum class scoped { value };
struct object {};
struct number { __tile__ operator int() const; };
template <int M> using rounding = ct::rounding_mode_constant<ct::rounding_mode(M)>;
template <int P> using padding = ct::view_padding_constant<ct::view_padding(P)>;
template <int O> using order = ct::memory_order_constant<ct::memory_order(O)>;
template <int W> using scope = ct::thread_scope_constant<ct::thread_scope(W)>;
template <typename E> using span = ct::tensor_span<E, ct::extents<int, 16, 16>>;
template <typename E> using part = ct::partition_view<span<E>, ct::shape<2, 4>>;
#if CUDA_TILE_API_VERSION >= 1304
template <typename E> using strided = ct::strided_view<span<E>, ct::shape<2, 4>, ct::strides<int, 3, 5>>;
template <typename E> using gathered = ct::gather_scatter_view<span<E>, ct::shape<2, 4>, 0>;
#endif
#if CUDA_TILE_API_VERSION >= 1305
template <int S> using saturation = ct::saturation_mode_constant<ct::saturation_mode(S)>;
#endif
template <int, unsigned long long> struct answers;
"""

# The version that has what a requirement names, and the requirement.
_FAMILIES = """
13.3 requires(T* p, U x) { ct::store(p, x); }
13.3 requires(U x) { ct::element_cast<T>(x); }
13.3 requires(tile<U, 4> x) { ct::element_cast<T>(x); }
13.3 requires(U x) { ct::element_bitcast<T>(x); }
13.3 requires(tile<U, 4> x, void (&f)(tile<T, 4>)) { f(x); }
13.3 requires(tile<U, 4> x) { tile<T, 4>(x); }
13.3 requires(U x) { tile<T, 4>(x); }
13.3 requires(tile<T, 4> x, tile<U, 4> y) { x + y; }
13.3 requires(tile<T, 4> x, tile<U, 4> y) { x == y; }
13.3 requires(tile<T, 4> x, tile<U, 4> y) { x << y; }
13.3 requires(tile<T, 4> x, U y) { x % y; }
13.3 requires(tile<bool, 4> c, tile<T, 4> x, tile<U, 4> y) { ct::select(c, x, y); }
13.3 requires(tile<T, 4> x, tile<U, 1> y) { ct::pow(x, y); }
13.3 requires(tile<T, 4> x, tile<U, 4> y) { ct::mulhi(x, y); }
13.3 requires(tile<T, 4> x) { ~x; }
13.3 requires(tile<T, 4> x) { !x; }
13.3 requires(tile<T, 4> x) { -x; }
13.3 requires(tile<T, 4> x) { ct::isnan(x); }
13.3 requires { ct::zeros<tile<T, 4>>(); }
13.3 requires(U x) { ct::full<tile<T, 4>>(x); }
13.3 requires { ct::iota<tile<T, 4>>(); }
13.3 requires(tile<T, 4> x) { ct::sum<D>(x); }
13.3 requires(tile<T, 4, 2> x) { ct::reduce_max<D>(x); }
13.3 requires(tile<T, N> x) { ct::reshape<ct::shape<2, 4>>(x); }
13.3 requires(tile<T, N> x) { ct::broadcast<ct::shape<4, 8>>(x); }
13.3 requires(tile<T, N> x, tile<T, 4> y) { ct::cat<D>(x, y); }
13.3 requires(tile<T, 8> x, I i) { ct::extract<ct::shape<4>>(x, i); }
13.3 requires(tile<T, 4, 2> x) { ct::permute<1, D>(x); }
13.3 requires(T* p) { ct::load(p); }
13.3 requires(tile<T*, 4> p, tile<bool, N> m, T v) { ct::load_masked(p, m, v); }
13.3 requires(T* p, order<O> o, scope<W> s) { ct::atomic_load(p, o, s); }
13.3 requires(T* p, U v, order<O> o) { ct::atomic_store(p, v, o); }
13.3 requires(T* p, U v) { ct::atomic_add(p, v, ct::memory_order_relaxed_t{}); }
13.3 requires(T* p, T v, order<O> o, scope<W> s) { ct::atomic_max(p, v, o, s); }
13.3 requires(T x, rounding<M> m) { ct::add(x, x, m); }
13.3 requires(tile<T, 4> x, rounding<M> m) { ct::div(x, x, m); }
13.3 requires(tile<T, 4> x, rounding<M> m) { ct::sqrt(x, m); }
13.3 requires(tile<T, 4> x, rounding<M> m) { ct::fma(x, x, x, m); }
13.3 requires(part<E> const& v, padding<P> p) { v.load_masked(p, 0, 0); }
13.3 requires(part<E> const& v, I i) { v.load(i, 0); }
13.3 requires(part<E> const& v, tile<U, 2, 4> x) { v.store(x, 0, 0); }
13.3 requires(part<E> const& v, tile<U, 2, 4> x, I i) { v.store_masked(x, i, 0); }
13.3 ct::integral_scalar<T>
13.3 ct::arithmetic_scalar<T>
13.3 ct::numeric_scalar<T>
13.4 requires(tile<T, 4, 2> x) { ct::max_element<D>(x); }
13.4 requires(tile<T, 4> x, rounding<M> m) { ct::exp(x, m); }
13.4 requires(tile<T, 4> x, rounding<M> m) { ct::tanh(x, m); }
13.4 requires(part<E> const& v, tile<U, 2, 4> x, order<O> o) { v.atomic_add(x, o, 0, 0); }
13.4 requires(strided<E> const& v, padding<P> p, I i) { v.load_masked(p, i, 0); }
13.4 requires(strided<E> const& v, tile<U, 2, 4> x) { v.store(x, 0, 0); }
13.4 requires(strided<E> const& v, tile<T, 2, 4> x, order<O> o, scope<W> s) { v.atomic_and(x, o, s, 0, 0); }
13.4 requires(gathered<E> const& v, tile<U, N> i) { v.load(i, 0); }
13.4 requires(gathered<E> const& v, tile<int, 2> i, padding<P> p) { v.load_masked(p, i, 0); }
13.4 requires(gathered<E> const& v, tile<int, 2> i, tile<U, 2, 4> x) { v.store(x, i, 0); }
13.5 requires(tile<T, 4> x, rounding<M> m) { ct::element_cast<U>(x, m); }
13.5 requires(tile<T, 4> x, saturation<S> m) { ct::element_cast<U>(x, m); }
13.5 requires(tile<T, N> x) { ct::repack<U, 0>(x); }
13.5 requires(tile<T, 1> x, tile<U, 4> y) { ct::powi(x, y); }
13.5 requires(tile<T, 8> x, tile<T, N> y, I i) { ct::insert(x, y, i); }
13.5 requires(tile<T, 8> x, tile<U, 4> y) { ct::insert(x, y, 1); }
13.5 requires(tile<T, 16, 64> x, tile<U, 16, N> s, tile<T, 64, 8> y, tile<U, N, 8> t, tile<float, 16, 8> z) \
{ ct::scaled_mma(x, s, y, t, z); }
"""


class Question(NamedTuple):
    concept: str
    arguments: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.concept}<{', '.join(self.arguments)}>"


def families(version: str) -> dict[str, str]:
    """The requirements that a version of the API may be asked about, by the names of their concepts."""
    since = [line.split(" ", 1) for line in _FAMILIES.replace("\\\n", "").strip().splitlines()]
    return {f"question_{i}": text for i, (first, text) in enumerate(since) if first <= version}


def some_questions(version: str, count: int, seed: int) -> list[Question]:
    """Questions chosen by chance, as many of each family as of another."""
    chance = random.Random(seed)
    elements = _words(ELEMENTS) + (NEWER_ELEMENTS if version >= "13.5" else [])
    values: dict[str, Sequence[object]] = {
        "T": elements,
        "U": elements,
        "E": [*elements, "int const"],
        "I": _words(INDICES),
    }
    values |= NUMBERS
    named = {name: _parameters(requirement) for name, requirement in families(version).items()}
    return [
        Question(name, tuple(str(chance.choice(values[each])) for each in named[name]))
        for name in itertools.islice(itertools.cycle(named), count)
    ]


def source(version: str, questions: Sequence[Question]) -> str:
    """A program whose errors, one for each 32 questions, say which of them are true."""
    lines = [_HEAD]
    for name, requirement in families(version).items():
        parameters = ", ".join(
            f"{'int' if each in NUMBERS else 'typename'} {each}" for each in _parameters(requirement)
        )
        lines.append(f"template <{parameters}> concept {name} = {requirement};")
    for start in range(0, len(questions), 32):
        asked = enumerate(questions[start : start + 32])
        bits = " | ".join(f"((unsigned long long)({each}) << {i})" for i, each in asked)
        lines.append(f"static_assert(answers<{start // 32}, ({bits})>::value);")
    return "\n".join(lines) + "\n"


def read_answers(messages: Sequence[str], count: int) -> list[bool]:
    """The answers that the errors of such a program give."""
    found = [re.search(r"answers<\s*(\d+),\s*(?:\(unsigned long long\))?(\d+)", text) for text in messages]
    assert all(found), next(text for text, each in zip(messages, found, strict=True) if not each)
    blocks = {int(each[1]): int(each[2]) for each in found if each}
    return [bool(blocks[i // 32] >> i % 32 & 1) for i in range(count)]


def _parameters(requirement: str) -> list[str]:
    return sorted(set(re.findall(r"\b[TUEMSPOWDNI]\b", requirement)))


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split("|")]
