"""What may mean something else to the open front end than to the host's compiler: its clang compiles for no
processor in particular, a long double has 8 bytes there, and the elements of a tuple have another order."""

from __future__ import annotations

import re

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
    # Libraries differ in whether members of a derived class lie in the padding of these.
    r"|\b(?:struct|class)\s+\w+(?:\s+final)?\s*:[^:;{}()][^;{}()]*?\b(?:pair|optional)(?=\s*<)"
    r"|\bLDBL_\w+|\b_(?:Float|Decimal)\d+\w*|\bmax_align_t\b|\bwchar_t\b|\btuple(?=\s*<)"
    rf"|{_LONG_FLOAT}|\b__(?:{_PROCESSORS}|{_COMPILERS}|{_TYPES})",
    re.MULTILINE,
)


def find_unlike(text: str) -> tuple[int, str] | None:
    """The first word of a source that may mean something else, behind the number of its line; None if there
    is none."""
    code = without_comments(text)
    found = _UNLIKE.search(code)
    return (1 + code.count("\n", 0, found.start()), " ".join(found[0].split())) if found else None
