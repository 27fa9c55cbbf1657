"""Runs the PTX that NVRTC generates for a GPU on NumPy, to test kernels without a GPU.

    program.py       text -> functions of instructions
    types.py         PTX's types as NumPy's
    instructions.py  how an instruction becomes a function
    operands.py      registers, immediates and symbols as arrays over lanes; a lane is a thread
    machine.py       launch(): blocks and scheduling
    controls.py      branches, calls, barriers
    memory.py        global memory within bounds, shared and local memory; atomics
    shared.py        races in shared memory, and what the asynchronous proxy may read there
    arithmetic.py    integers, moves
    bits.py          the bits of integers
    comparisons.py   comparisons and selections
    floats.py        floating point, and its approximations
    rounding.py      operations rounded once (rounded.cpp), and values rounded to a format
    conversions.py   cvt
    warps.py         operations of a whole warp: shuffles, votes, ldmatrix, movmatrix
    matrices.py      mma.sync
    warp_groups.py   wgmma

Written from the PTX manual alone. It is stricter than a GPU and raises PtxError for an access outside of the
arguments' arrays, a misaligned access, two threads that access a byte of shared memory without a barrier
between them, lanes missing from an instruction that needs a whole warp, threads that wait forever, and an
unknown instruction.
"""

from .machine import launch, place
from .program import PtxError, parse

__all__ = ["PtxError", "launch", "parse", "place"]
