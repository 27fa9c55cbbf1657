"""What may mean something else to the open front end than to the host's compiler: its clang compiles for no
processor in particular, a long double has 8 bytes there, and the elements of a tuple have another order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ...frontend.tokens import without_comments

_PROCESSORS = (
    r"(?:x86_64|amd64|i[3-6]86|aarch64|AARCH64|ARM_|AVX|SSE|SSSE|znver|tune_|k8)\w*|arm(?:64)?__"
    r"|(?:ABM|ADX|AES|BMI2?|CLFLUSHOPT|CLWB|CLZERO|CRC32|F16C|FMA4?|FP_FAST_\w+|FSGSBASE|FXSR|GFNI|LAHF_SAHF"
    r"|LZCNT|MMX|MOVBE|PCLMUL|POPCNT|PRFCHW|RD(?:PID|RND|SEED)|SHA|SHSTK|VAES|VPCLMULQDQ|XSAVE\w*)__"
)
_COMPILERS = (
    r"(?:GNU[CG]|GXX|GCC_|GLIBC|clang|cpp_|has_|STDC|NVPTX|linux|gnu_linux|unix|EXCEPTIONS)\w*"
    r"|(?:ELF|OPTIMIZE|OPTIMIZE_SIZE|NO_INLINE|NO_TRAPPING_MATH|PIC|pic|PIE|pie|PTX|PRETTY_FUNCTION|VERSION"
    r"|llvm)__"
)
_TYPES = (
    r"(?:LDBL|DECIMAL|DEC\d+|FLT\d+X?|U?INT_FAST\d+|WCHAR|WINT)_\w+"
    r"|(?:BIGGEST_ALIGNMENT|CHAR_UNSIGNED|FLT_EVAL_METHOD|FLOAT_WORD_ORDER|LITTLE_ENDIAN|POINTER_WIDTH"
    r"|SIZEOF_(?:LONG_DOUBLE|FLOAT\d+)|U?INT(?:64|MAX)_(?:TYPE|C))__|float(?:80|128)\b"
)
_LONG_FLOAT = r"(?<![\w.])(?:0[xX][\da-fA-F.']+[pP][+-]?[\d']+|" + (
    r"(?:\d[\d']*\.[\d']*|\.\d[\d']*)(?:[eE][+-]?\d+)?|\d[\d']*[eE][+-]?\d+)[lL]\b"
)
_UNLIKE = re.compile(
    r"\blong\s+(?:(?:const|volatile)\s+)*double\b|\bdouble\s+(?:(?:const|volatile)\s+)*long\b"
    r"|^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+long(?=[ \t]*$)"  # of which another one may make a long double
    r"|\bLDBL_\w+|\b_(?:Float|Decimal)\d+\w*|\bmax_align_t\b|\bwchar_t\b|\btuple(?=\s*<)"
    rf"|{_LONG_FLOAT}|\b__(?:{_PROCESSORS}|{_COMPILERS}|{_TYPES})",
    re.MULTILINE,
)
#: Libraries differ in whether members of a derived class lie in the padding of these.
_PADDED = re.compile(r"\b(?:pair|optional)(?=\s*<)")
_USES_PADDING = re.compile(
    r"(?<!enum )\b(?:struct|class)(?:\s+alignas\s*\([^;{}]*\)|\s*\[\[[^;{}]*\]\])*\s+\w+(?:\s*<[^;{}]*>)?"
    r"(?:\s+final)?\s*:(?!:)|\bno_unique_address\b"
)


class Unlike(NamedTuple):
    """A word that may mean something else, and where it is."""

    file: str
    line: int
    word: str


def find_unlike(texts: Iterable[tuple[str, str]]) -> Unlike | None:
    """The first such word of a source and its headers, each with its name; None if there is none."""
    codes = [(file, without_comments(text)) for file, text in texts]
    patterns = [_UNLIKE, _PADDED] if any(_USES_PADDING.search(code) for _, code in codes) else [_UNLIKE]
    for pattern in patterns:
        for file, code in codes:
            if found := pattern.search(code):
                return Unlike(file, 1 + code.count("\n", 0, found.start()), " ".join(found[0].split()))
    return None
