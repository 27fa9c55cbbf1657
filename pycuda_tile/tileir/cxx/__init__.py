"""CUDA Tile C++ to Tile IR: clang reads the source over the header in record mode, and its LLVM IR is
translated.

from_cpp.py      the surface
compiler.py      clang and its flags
llvm.py          the model of LLVM IR
llvm_text.py     its text, read
names.py         what the mangled names of recorded calls say
builder.py       operations, each pure one once
types.py         the tiles that values stand for
instructions.py  a rule for each instruction
calls.py         a rule for each recorded call
memory.py        accesses, tokens, views
graph.py         the control flow graph
counted.py       loops that count
structure.py     if, for and loop
cleanup.py       what nobody needs
translate.py     an entry
"""

from .from_cpp import from_cpp

__all__ = ["from_cpp"]
