"""The control flow graph of a function: order, dominators, loops."""

from __future__ import annotations

from dataclasses import dataclass, field

from .builder import Unsupported
from .llvm import Function, Instruction, Local


@dataclass(eq=False)
class Loop:
    """A natural loop: its header, its blocks, and the values of it that are used beyond it."""

    header: str
    body: set[str] = field(default_factory=set)
    leaving: list[str] = field(default_factory=list)


class Graph:
    """What control flow tells. Blocks that are never reached are left out."""

    def __init__(self, function: Function):
        self.blocks = function.blocks
        self.entry = next(iter(function.blocks))
        self.successors = {
            name: list(dict.fromkeys(block[-1].labels)) for name, block in function.blocks.items()
        }
        self.number = self._reverse_postorder()
        self.order = list(self.number)
        self.predecessors: dict[str, list[str]] = {name: [] for name in self.order}
        for name in self.order:
            for successor in self.successors[name]:
                self.predecessors[successor].append(name)
        self._dominator = self._immediate_dominators()
        self.block_of = {i.name: name for name in self.order for i in self.blocks[name] if i.name}
        self.loops = self._natural_loops()
        #: How many edges go into a block, without those that close a loop.
        self.forward = {
            name: sum(not self.dominates(name, p) for p in self.predecessors[name]) for name in self.order
        }
        self._find_leaving()

    def phis(self, block: str) -> list[Instruction]:
        return [i for i in self.blocks[block] if i.op == "phi"]

    def dominates(self, above: str, block: str) -> bool:
        while self.number[block] > self.number[above]:
            block = self._dominator[block]
        return block == above

    def dominator(self, block: str) -> str | None:
        """The nearest block that every way to this one leads through."""
        return self._dominator[block] if block != self.entry else None

    def _reverse_postorder(self) -> dict[str, int]:
        seen, finished = {self.entry}, []
        stack = [(self.entry, iter(self.successors[self.entry]))]
        while stack:
            block, left = stack[-1]
            following = next((s for s in left if s not in seen), None)
            if following is None:
                finished.append(block)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(self.successors[following])))
        return {block: number for number, block in enumerate(reversed(finished))}

    def _immediate_dominators(self) -> dict[str, str]:
        """By the algorithm of Cooper, Harvey and Kennedy."""
        known = {self.entry: self.entry}
        changed = True
        while changed:
            changed = False
            for block in self.order[1:]:
                candidates = [p for p in self.predecessors[block] if p in known]
                best = candidates[0]
                for other in candidates[1:]:
                    while best != other:
                        if self.number[best] > self.number[other]:
                            best = known[best]
                        else:
                            other = known[other]
                if known.get(block) != best:
                    known[block], changed = best, True
        return known

    def _natural_loops(self) -> dict[str, Loop]:
        loops: dict[str, Loop] = {}
        for block in self.order:
            for header in self.successors[block]:
                if self.dominates(header, block):
                    loop = loops.setdefault(header, Loop(header, {header}))
                    work = [block]
                    while work:
                        inner = work.pop()
                        if inner not in loop.body:
                            loop.body.add(inner)
                            work += self.predecessors[inner]
                elif self.number[header] <= self.number[block]:
                    raise Unsupported("a goto into a loop")
        return loops

    def _find_leaving(self) -> None:
        """Values that are defined in a loop and used beyond it, other than by phis on the way out."""
        for name in self.order:
            for i in self.blocks[name]:
                if i.op == "phi":
                    uses = list(zip(i.operands, i.labels, strict=True))
                else:
                    uses = [(operand, name) for operand in i.operands]
                for operand, where in uses:
                    if not isinstance(operand, Local) or operand.name not in self.block_of:
                        continue
                    home = self.block_of[operand.name]
                    for loop in self.loops.values():
                        if home in loop.body and where not in loop.body and operand.name not in loop.leaving:
                            loop.leaving.append(operand.name)
