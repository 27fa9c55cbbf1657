"""CUDA Tile C++ to Tile IR: clang reads the source over the header in record mode, and its LLVM IR is
translated.

from_cpp.py      the surface
kernels.py       the kernels of a source, translated
recording.py     their LLVM IR, by clang or from the cache
compiler.py      clang and its flags
llvm.py          the model of LLVM IR
llvm_text.py     reads a file of its text: functions, variables, locations
llvm_operands.py and llvm_instructions.py read one line
names.py         what the mangled names of recorded calls say
builder.py       operations, each pure one once
types.py         the tiles that values stand for
instructions.py  a rule for each instruction on numbers
addresses.py     pointers, loads and stores
intrinsics.py    a rule for each of LLVM's own functions
packing.py       floats of 4 bits, and repack
calls.py         a rule for each recorded call
memory.py        accesses, tokens, views
local_arrays.py  local arrays that hold tiles
graph.py         the control flow graph
unreachable.py   ways that are never taken
comparisons.py   what one comparison of integers says about another
induction.py     the indices of loops, and tests of them
rotation.py      loops that LLVM has rotated get their test in front again
counted.py       loops that count
structure.py     blocks and if
loops.py         for and loop
joins.py         what blocks that meet must yield
cleanup.py       what nobody needs
lenient.py       templates that are wrong and never used
messages.py      clang's errors in the words of tile code
refused.py       what tile code must not have
translate.py     an entry
"""

from .from_cpp import from_cpp

__all__ = ["from_cpp"]
