"""Ways that are never taken: LLVM says so by a block that is `unreachable` and nothing else."""

from __future__ import annotations

from .llvm import Function, Instruction


def drop_unreachable(function: Function) -> None:
    """Branches and switches no longer name such blocks, so that no way seems to leave a loop there."""
    never = {name for name, block in function.blocks.items() if [i.op for i in block] == ["unreachable"]}
    for block in function.blocks.values():
        end = block[-1]
        left = [label for label in end.labels if label not in never]
        if not left or len(left) == len(end.labels):
            continue
        if end.op == "br":
            end.operands, end.labels = (), (left[0],)
        elif end.op == "switch":
            _drop_cases(end, never)


def _drop_cases(end: Instruction, never: set[str]) -> None:
    """The last case is the default where that is never taken."""
    value, *numbers = end.operands
    default, *labels = end.labels
    cases = [(n, label) for n, label in zip(numbers, labels, strict=True) if label not in never]
    if default in never:
        default = cases[-1][1]
        cases = [(n, label) for n, label in cases if label != default]
    end.operands = (value, *(n for n, _ in cases))
    end.labels = (default, *(label for _, label in cases))
