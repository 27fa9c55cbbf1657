"""What to write for a name that the API does not have: a word of another library's, or one misspelt."""

from __future__ import annotations

import difflib
import re

from .. import spec

_UNKNOWN = re.compile(  # how g++, clang and NVRTC say that there is no such name
    r"""'(?P<gnu>\w+)' is not a member of '(?:ct|(?:\w+::)*tiles)'|"""
    r"""no member named '(?P<clang>\w+)' in '?(?:namespace '(?:\w+::)*tiles|.*(?:_view|tensor_span|tile)<)|"""
    r"""namespace "(?:\w+::)*tiles(?:::__1)?" has no member "(?P<nvrtc>\w+)"|"""
    r"""class ".*(?:_view|tensor_span|tile)<.*" has no member "(?P<member>\w+)\"|"""
    r"""(?:struct|class) .*(?:_view|tensor_span|tile)<.*'\}? has no member named '(?P<gnu_member>\w+)'"""
)
# Words of NumPy, Triton, CUDA and cuTile Python; t, a and b are tiles, p a pointer.
_IOTA = "ct::iota<ct::tile<int, ct::shape<16>>>()"
_CAST = "ct::element_cast<float>(t)"
_BITCAST = "ct::element_bitcast<int>(t)"
_CAT = "ct::cat(a, b, 0_ic)"
_MMA = "ct::mma(a, b, sums), or ct::matmul(a, b)"
_RESHAPE = "ct::reshape(t, ct::shape<16, 1>{})"
_PRINT = 'cuda_tile::print("t", t)'
WORDS = {
    "absolute": "ct::abs(t)",
    "all": "ct::all_of(t > 0.0f, 0_ic)",
    "allclose": "ct::all_of(ct::abs(a - b) < 1e-5f, 0_ic)",
    "amax": "ct::reduce_max(t, 0_ic)",
    "amin": "ct::reduce_min(t, 0_ic)",
    "any": "ct::any_of(t > 0.0f, 0_ic)",
    "arange": _IOTA,
    "argmax": "ct::max_element(t, 0_ic)",
    "argmin": "ct::min_element(t, 0_ic)",
    "as_type": _CAST,
    "astype": _CAST,
    "bitcast": _BITCAST,
    "block_idx": "ct::bid()",
    "broadcast_to": "ct::broadcast(t, ct::shape<4, 16>{})",
    "cast": _CAST,
    "cdiv": "ct::ceildiv(n, 4)",
    "clamp": "ct::max(ct::min(t, 1.0f), 0.0f)",
    "clip": "ct::max(ct::min(t, 1.0f), 0.0f)",
    "concat": _CAT,
    "concatenate": _CAT,
    "cumprod": "ct::partial_prod(t, 0_ic)",
    "cumsum": "ct::partial_sum(t, 0_ic)",
    "device_print": _PRINT,
    "divide": "a / b",
    "dot": _MMA,
    "empty": "ct::zeros<decltype(t)>()",
    "expand_dims": _RESHAPE,
    "fabs": "ct::abs(t)",
    "flatten": _RESHAPE,
    "floor_divide": "ct::floordiv(n, 4)",
    "full_like": "ct::full<decltype(t)>(1.0f)",
    "gather": "ct::load(p + indices)",
    "gemm": _MMA,
    "if_else": "ct::select(t > 0.0f, a, b)",
    "inclusive_scan": "ct::partial_sum(t, 0_ic)",
    "linspace": f"{_IOTA}, times a step",
    "logical_and": "(a > 0.0f) & (b > 0.0f)",
    "logical_not": "!(a > 0.0f)",
    "logical_or": "(a > 0.0f) | (b > 0.0f)",
    "maximum": "ct::max(a, b)",
    "mean": "ct::sum(t, 0_ic) / 16.0f",
    "minimum": "ct::min(a, b)",
    "multiply": "a * b",
    "num_programs": "ct::num_blocks()",
    "ones_like": "ct::ones<decltype(t)>()",
    "power": "ct::pow(a, b)",
    "print": _PRINT,
    "program_id": "ct::bid()",
    "ravel": _RESHAPE,
    "reduce_sum": "ct::sum(t, 0_ic)",
    "scatter": "ct::store(p + indices, t)",
    "sigmoid": "1.0f / (1.0f + ct::exp(-t))",
    "softmax": "ct::exp(t - ct::reduce_max(t, 0_ic)), and divide by its ct::sum",
    "squeeze": _RESHAPE,
    "subtract": "a - b",
    "swapaxes": "ct::transpose(t)",
    "trans": "ct::transpose(t)",
    "where": "ct::select(t > 0.0f, a, b)",
    "zeros_like": "ct::zeros<decltype(t)>()",
}
_CLOSE = 0.8  # of difflib's ratio: a letter or two are wrong


def suggestion(message: str) -> str:
    """ "for where, write ct::select(...)" or "did you mean load_masked?"; "" if the error is another one,
    has a suggestion or no name is near."""
    found = _UNKNOWN.search(message)
    if not found:
        return ""
    name = next(group for group in found.groups() if group)
    if name in WORDS:
        return f"for {name}, write {WORDS[name]}"
    if "did you mean" in message:
        return ""
    names = {row.name.rpartition("::")[2] for row in spec.load("api") if row.exposition == "no"}
    near = difflib.get_close_matches(name, names, 1, _CLOSE)
    return f"did you mean {near[0]}?" if near else ""
