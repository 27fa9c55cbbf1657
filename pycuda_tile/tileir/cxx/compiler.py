"""clang, which reads the source over the header in record mode and prints LLVM IR."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ...compilers import toolchain
from ...system import resources
from ...targets.target import Request

MACROS = {"__CUDA_ARCH__": "900"}  # as kernels see on a GPU, unless the user defines it otherwise
_LANGUAGE = [
    *("-std=c++20", "-nostdinc", "-DCUDA_TILE_RECORD=1", "-ferror-limit=20"),
    *("-Wno-undefined-internal", "-Wno-undefined-inline", "-Wno-unknown-attributes"),
    *("-Wno-pragma-once-outside-header", "-Wno-pragma-clang-attribute"),
    "-Wno-error=c++11-narrowing",  # a warning of other compilers, too
]
_FLAGS = [
    *("--target=nvptx64-nvidia-cuda", "-x", "c++", "-S", "-emit-llvm", "-g1"),
    # Values in SSA form and simple control flow, and loops as the source has them.
    *("-O1", "-fno-unroll-loops", "-fno-vectorize", "-fno-slp-vectorize"),
    *("-ffp-contract=off", "-fno-math-errno", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"),
    "-fno-optimize-sibling-calls",  # recursion stays visible
    "-fno-convergent-functions",  # which a GPU's are by default: LLVM would leave invariant calls in loops
    # LLVM would make other functions of powers of two.
    *("-fno-builtin-pow", "-fno-builtin-powf", "-fno-builtin-exp2", "-fno-builtin-exp2f"),
    *("-fno-builtin-printf", "-Werror=format-insufficient-args"),
    *("-fdiagnostics-color=never", "-fno-elide-type", "-ftabstop=1"),
]
# Loops keep their test in front, `i < n` does not become `i != n`, nor a sum a formula. These options are
# hidden ones of LLVM's; without them, rotation.py and counted.py restore loops.
_LOOPS = ["-rotation-max-header-size=0", "-disable-lftr", "-enable-loop-header-duplication=0"]
_LOOPS += ["-replexitval=never"]
_LOOP_FLAGS = [word for option in _LOOPS for word in ("-mllvm", option)]
#: Options of a host compiler on the code that it makes, which clang has not for a GPU.
_OF_MACHINE = re.compile(r"-m(?!llvm$).*|-f(openmp|sanitize|profile|coverage|instrument).*")
_LAYOUTS = ["-Xclang", "-fdump-record-layouts-canonical"]  # the types of members without `using`
_UNKNOWN_OPTION = re.compile(r"Unknown command line argument")


def flags(request: Request, macros: Mapping[str, str], folders: Iterable[Path]) -> list[str]:
    """Headers and macros, the user's options, and last what the translation depends on.

    macros:   are defined unless the user defines them
    folders:  where the user's headers are
    """
    own = resources.include_dir()
    # Our small floats also come before those of NVIDIA, whose arithmetic is assembler.
    words = [*_LANGUAGE, f"-I{own}", f"-I{resources.small_float_dir()}"]
    words += [*(f"-I{folder}" for folder in folders), f"-I{resources.nv_target_dir()}"]
    words += ["-idirafter", str(resources.standard_dir()), "-idirafter", str(resources.cuda_std_dir())]
    words += [f"-D{name}={value}" for name, value in {**macros, **request.defines}.items()]
    options = (option for option in request.options if not _OF_MACHINE.fullmatch(option))
    # First of all, since a header among the options may use its macros.
    return [*words, "-include", "cuda_tile/predefined.h", *options, *_FLAGS]


def to_llvm(
    compiler: toolchain.Compiler, words: list[str], unit: Path, output: Path, layouts: Path
) -> tuple[bool, str, bool]:
    """Compiles a file; whether that worked, what the compiler said at first, and whether it was read again.
    `layouts` is the file that gets the layouts of classes, as clang prints them.

    The second reading, with -fdelayed-template-parsing, leaves out templates that are never used and may be
    wrong. It also takes what is wrong in others: see lenient.py.
    """
    log = ""
    files = [*_LAYOUTS, str(unit), "-o", str(output)]
    for again, more in enumerate((_LOOP_FLAGS, [*_LOOP_FLAGS, "-fdelayed-template-parsing"])):
        done = compiler.run([*words, *more, *files], limit=toolchain.LONGEST, printed=layouts)
        if done.returncode and _UNKNOWN_OPTION.search(done.stdout):
            words_alone = [*words, *more[len(_LOOP_FLAGS) :]]
            done = compiler.run([*words_alone, *files], limit=toolchain.LONGEST, printed=layouts)
        log = log or done.stdout
        if not done.returncode:
            return True, log, bool(again)
    return False, log, True
