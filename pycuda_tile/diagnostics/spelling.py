"""The name of the API that somebody probably meant, where the compiler suggests none."""

from __future__ import annotations

import difflib
import re

from .. import spec

_UNKNOWN = re.compile(  # how g++, clang and NVRTC say that there is no such name
    r"""'(?P<gnu>\w+)' is not a member of '(?:ct|(?:\w+::)*tiles)'|"""
    r"""no member named '(?P<clang>\w+)' in '?(?:namespace '(?:\w+::)*tiles|.*(?:_view|tensor_span|tile)<)|"""
    r"""namespace "(?:\w+::)*tiles(?:::__1)?" has no member "(?P<nvrtc>\w+)"|"""
    r"""class ".*(?:_view|tensor_span|tile)<.*" has no member "(?P<member>\w+)\""""
)
_CLOSE = 0.8  # of difflib's ratio: a letter or two are wrong


def suggestion(message: str) -> str:
    """ "did you mean load_masked?"; "" if the error is another one, has a suggestion or no name is near."""
    found = _UNKNOWN.search(message)
    if not found or "did you mean" in message:
        return ""
    name = next(group for group in found.groups() if group)
    names = {row.name.rpartition("::")[2] for row in spec.load("api") if row.exposition == "no"}
    near = difflib.get_close_matches(name, names, 1, _CLOSE)
    return f"did you mean {near[0]}?" if near else ""
