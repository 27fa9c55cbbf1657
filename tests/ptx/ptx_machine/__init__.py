"""Runs the PTX that NVRTC made for a GPU, on NumPy: what a kernel means there, without the GPU.

    program.py       text -> functions of instructions
    types.py         PTX's types as NumPy's
    instructions.py  how an instruction becomes a function
    operands.py      registers, immediates and symbols as arrays over lanes; a lane is a thread
    machine.py       launch(): blocks, and the choice of what runs next
    controls.py      branches, calls, barriers
    memory.py        global memory within bounds, shared and local memory; atomics
    shared.py        races in shared memory, and what the asynchronous proxy may read there
    arithmetic.py    integers, moves
    bits.py          the bits of integers
    comparisons.py   comparisons, and selection by them
    floats.py        floating point, and its approximations
    rounding.py      each operation rounded once (rounded.cpp), and values rounded to a format
    conversions.py   cvt
    warps.py         what lanes of a warp do together: shuffles, votes, ldmatrix, movmatrix
    matrices.py      mma.sync
    warp_groups.py   wgmma

Written from the PTX manual alone. Stricter than a GPU, it raises PtxError for an access outside of the
arguments' arrays, a misaligned one, two threads that touch a byte of shared memory without a barrier between
them, lanes that miss from an instruction for all of a warp, threads that wait for ever, and an instruction
that it does not know.
"""

from .machine import launch, place
from .program import PtxError, parse

__all__ = ["PtxError", "launch", "parse", "place"]
