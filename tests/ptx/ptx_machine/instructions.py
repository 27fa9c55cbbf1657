"""How instructions become functions. A builder takes the machine and an instruction, and returns a function
of a mask of lanes (None: all) that executes it. A builder that does not know the instruction returns None."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from .program import Instruction
from .types import types_in

Step = Callable[["np.ndarray | None"], None]


def apply(machine, instruction: Instruction, compute: Callable, result: str, sources: Sequence[str]) -> Step:
    """Sets the first operand to `compute` of the others, which are read as the types `sources`."""
    write = machine.operands.write(instruction.operands[0], result)
    operands = zip(instruction.operands[1:], sources, strict=True)
    reads = [machine.operands.read(text, kind) for text, kind in operands]
    return lambda mask: write(compute(*[read() for read in reads]), mask)


def elementwise(function: Callable[[Instruction, str], Callable | None]):
    """The builder of instructions whose operands all have the last type in the name. function(instruction,
    type) returns what they compute."""

    def build(machine, instruction: Instruction) -> Step | None:
        kinds = types_in(instruction.name)
        if not kinds or (compute := function(instruction, kinds[-1])) is None:
            return None
        sources = [kinds[-1]] * (len(instruction.operands) - 1)
        return apply(machine, instruction, compute, kinds[-1], sources)

    return build
