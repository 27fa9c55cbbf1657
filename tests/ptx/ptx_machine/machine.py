"""launch(): runs the blocks of a grid. Each instruction is executed at once for all lanes that have reached
it.

The lowest place in the program that any lanes have reached runs next, which reconverges the lanes of a
divergent branch; with a seed, the lowest place of a randomly drawn warp. Lanes that wait at a barrier are
skipped, and so are those at an instruction for a whole warp or warp group while other lanes may still arrive.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Sequence

import numpy as np

from . import arithmetic, controls, conversions, floats, matrices, memory, warp_groups, warps
from .operands import Operands, immediate
from .program import Function, Instruction, Program, PtxError, Variable
from .shared import WARP, Shared
from .types import NUMPY

_BUILDERS = (arithmetic, floats, conversions, memory, warps, matrices, warp_groups)
_LANES = 2048  # limit on those that run together
_MOST_ROUNDS = 300_000  # after these, a launch is considered endless
_PATIENCE = 50  # every so many rounds a drawn warp runs, so that one that others wait for makes progress


def launch(
    program: Program,
    name: str,
    grid: Sequence[int],
    threads: int,
    arguments: Sequence[bytes],
    globe: memory.Global,
    shared: int = 0,
    seed: int | None = None,
    notice=None,
    addresses: dict[str, int] | None = None,
    output: list[bytes] | None = None,
) -> None:
    """Runs the kernel `name` on `grid` (x, y, z), with blocks of `threads` threads.

    arguments:  the bytes of each
    globe:      the global memory that it may touch
    shared:     bytes of dynamic shared memory
    seed:       draws the order in which warps run
    notice:     called for each access of memory: (instruction, space, lanes, addresses, bytes)
    addresses:  of the program's variables, if they have been placed
    output:     is given what each call of printf prints
    """
    if name not in program.functions:
        raise PtxError(f"no function {name}")
    functions, variables = program.used_by(name)
    program = Program({function.name: function for function in functions}, {v.name: v for v in variables})
    count = grid[0] * grid[1] * grid[2]
    together = max(1, _LANES // threads)
    addresses = addresses or place(variables, globe)
    for first in range(0, count, together):
        blocks = np.arange(first, min(first + together, count))
        machine = Machine(program, grid, blocks, threads, addresses, globe, shared, seed)
        machine.notice = notice
        machine.output = [] if output is None else output
        machine.run(name, arguments)


def place(variables: Iterable[Variable], globe: memory.Global) -> dict[str, int]:
    """Gives global variables memory and their initial values, some of which are addresses of others."""
    wanted = [variable for variable in variables if variable.space in ("global", "const")]
    found = {variable.name: globe.add_bytes(bytes(variable.size), variable.alignment) for variable in wanted}
    for variable in wanted:
        content = _content(variable, found)
        ctypes.memmove(found[variable.name], content, len(content))
    return found


def _content(variable: Variable, addresses: dict[str, int]) -> bytes:
    dtype = NUMPY[variable.kind]
    values = np.zeros(variable.count, dtype)
    numbers = variable.values.strip("{}").split(",") if variable.values else []
    for i, number in enumerate(map(str.strip, numbers)):
        if pointer := re.fullmatch(r"generic\(([\w$]+)\)", number):
            values[i] = addresses[pointer[1]]
        else:
            values[i] = immediate(number, dtype)
    return values.tobytes()


def _aligned_only(at: int, alignment: int) -> int:
    """The next place that is a multiple of `alignment` but not of twice that."""
    place = -(-at // alignment) * alignment
    return place if place % (2 * alignment) else place + alignment


def _executed_by(name: str) -> int:
    """How many neighbouring lanes execute an instruction together; 0 if each executes it alone."""
    if name.startswith("wgmma"):
        return 4 * WARP
    return WARP if ".sync" in name and not re.match(r"bar(rier)?\.(?!warp)", name) else 0


class Machine:
    """Blocks that run together, until all their lanes have ended."""

    def __init__(self, program: Program, grid, blocks, threads: int, addresses, globe, shared: int, seed):
        self._program = program
        self.threads, self.blocks = threads, blocks
        self.lanes = len(blocks) * threads
        self.every_lane = np.arange(self.lanes)
        self.block_of = self.every_lane // threads
        if threads % WARP:
            raise PtxError(f"blocks of {threads} threads have warps that are not full")
        self.warp_of = self.every_lane // WARP
        self.first_lanes = self.every_lane[::WARP]
        self.random = np.random.default_rng(seed or 0)
        self.seed = seed
        self.notice = None
        self.output: list[bytes] = []
        self._special = self._special_registers(grid)
        self._symbols = {name: np.full(1, address, np.uint64) for name, address in addresses.items()}
        self.shared = Shared(len(blocks), self._place_shared(shared), threads, self.random)
        self.local = memory.Local(self.lanes, self._place_stacks(), self.random)
        self.spaces = {"global": globe, "shared": self.shared, "local": self.local}
        self.spaces["generic"] = memory.Generic(globe, self.shared, self.local)
        self.parameters: dict[str, memory.Local] = {}
        self.operands: Operands | None = None  # of the function whose code is being generated
        self.code: list[tuple] = []
        self._starts: dict[str, int] = {}
        uses_groups = any(i.name.startswith("wgmma") for f in program.functions.values() for i in f.code)
        self._unit_of = self.every_lane // (4 * WARP if uses_groups else WARP)
        # the state of each lane
        self.place = np.zeros(self.lanes, np.int64)
        self.ended = np.zeros(self.lanes, bool)
        self.waits = np.zeros(self.lanes, bool)
        self.held = np.zeros(self.lanes, bool)  # until the others of the warp or group are there
        self.barrier = np.full(self.lanes, -1)
        self.returns: list[list[int]] = [[] for _ in range(self.lanes)]
        self.carry = np.zeros(self.lanes, bool)

    def _special_registers(self, grid: Sequence[int]) -> dict[str, np.ndarray]:
        block = self.blocks[self.block_of]
        thread = self.every_lane % self.threads
        lane = thread % WARP
        ones = np.ones(self.lanes, np.int64)
        ctaid = (block % grid[0], block // grid[0] % grid[1], block // (grid[0] * grid[1]))
        found = {"%laneid": lane, "%warpid": thread // WARP, "%nwarpid": ones * 64, "%smid": 0 * ones}
        for i, axis in enumerate("xyz"):
            found[f"%ctaid.{axis}"] = ctaid[i]
            found[f"%nctaid.{axis}"] = ones * grid[i]
            found[f"%tid.{axis}"] = thread if i == 0 else 0 * ones
            found[f"%ntid.{axis}"] = ones * self.threads if i == 0 else ones
        below = (np.uint64(1) << lane.astype(np.uint64)) - np.uint64(1)
        masks = {"lt": below, "le": below * 2 + 1, "eq": below + 1, "ge": ~below, "gt": ~(below * 2 + 1)}
        found |= {f"%lanemask_{name}": (mask & 0xFFFFFFFF).astype(np.int64) for name, mask in masks.items()}
        return found | dict.fromkeys(("%clock", "%clock64", "%globaltimer"), 0 * ones)

    # --- where variables are --------------------------------------------------------------------------------

    def _place_shared(self, dynamic: int) -> int:
        """Places static variables first. Nothing is aligned better than it requires."""
        at = 0
        variables = [v for v in self._program.variables.values() if v.space == "shared"]
        variables += [v for f in self._program.functions.values() for v in f.variables.values()]
        variables = [v for v in variables if v.space == "shared"]
        for variable in sorted(variables, key=lambda v: v.count == 0):
            at = _aligned_only(at, variable.alignment)
            self._symbols[variable.name] = np.full(1, at, np.uint64)
            at += variable.size
        return at + dynamic

    def _place_stacks(self) -> int:
        at = 0
        for function in self._program.functions.values():
            for variable in function.variables.values():
                if variable.space == "local":
                    at = -(-at // variable.alignment) * variable.alignment
                    self._symbols[variable.name] = np.full(1, at, np.uint64)
                    at += variable.size
        return at

    # --- making code ----------------------------------------------------------------------------------------

    def function(self, name: str) -> Function:
        return self._program.functions[name]

    def start_of(self, name: str) -> int:
        """The place where a function's code begins; the code is generated when first needed."""
        if name not in self._starts:
            if name not in self._program.functions:
                raise PtxError(f"no function {name}")
            self._make_code(self._program.functions[name])
        return self._starts[name]

    def _make_code(self, function: Function) -> None:
        for variable in (*function.parameters, *function.results, *function.variables.values()):
            if variable.space == "param":
                self.parameters[variable.name] = memory.Local(self.lanes, variable.size)
                self._symbols[variable.name] = np.zeros(1, np.uint64)
        outer = self.operands
        self.operands = Operands(function, self.lanes, self._special, self._symbols, self.random)
        start = self._starts[function.name] = len(self.code)
        self.code += [None] * len(function.code)
        for i, instruction in enumerate(function.code):
            made = self._made(function, instruction, start)
            self.code[start + i] = (instruction, *made, _executed_by(instruction.name))
        self.operands = outer

    def _made(self, function: Function, instruction: Instruction, start: int):
        """A control function or None, a step or None, and the guard."""
        guard = self._guard(instruction)
        if (control := controls.build(self, function, instruction, start)) is not None:
            return control, None, guard
        for builder in _BUILDERS:
            if (step := builder.build(self, instruction)) is not None:
                return None, step, guard
        raise PtxError(f"unknown instruction {instruction}")

    def _guard(self, instruction: Instruction):
        if not instruction.guard:
            return None
        read = self.operands.read(instruction.guard, "pred")
        return (lambda: ~read()) if instruction.negated else read

    # --- running --------------------------------------------------------------------------------------------

    def run(self, name: str, arguments: Sequence[bytes]) -> None:
        self.place[:] = self.start_of(name)
        parameters = self._program.functions[name].parameters
        for variable, content in zip(parameters, arguments, strict=True):
            self.parameters[variable.name].bytes[:, : len(content)] = np.frombuffer(content, np.uint8)
        rounds = 0
        with np.errstate(all="ignore"):
            while not self.ended.all():
                rounds += 1
                self._run_some(self.seed is not None or rounds % _PATIENCE == 0)
                if rounds > _MOST_ROUNDS:
                    raise PtxError(f"{name} does not seem to end")
        if self.shared.open_groups():
            raise PtxError(f"{name} ends before it has waited for its wgmma groups")

    def _run_some(self, draws: bool) -> None:
        """Runs the lanes at the lowest place, of all warps or a drawn one, up to a branch or to a place that
        others have reached."""
        ready = ~(self.ended | self.waits | self.held)
        holds = bool(ready.any())
        if not holds:  # the lanes that held ones wait for never arrive; the instruction reports it
            ready, self.held = self.held, np.zeros(self.lanes, bool)
            if not ready.any():
                self._refuse_endless()
        if draws:
            ready &= self._unit_of == self.random.choice(np.unique(self._unit_of[ready]))
        places = self.place[ready]
        place = int(places.min())
        there = ready & (self.place == place)
        others = places[places > place]
        limit = int(others.min()) if len(others) else len(self.code)
        whole = bool(there.all())
        while place < limit:
            instruction, control, step, guard, together = self.code[place]
            if together and holds and not whole:
                there = self._gathered(there, place, together)
                if not there.any():
                    return
                whole = bool(there.all())
            mask = there if guard is None else there & guard()
            try:
                if control is not None:
                    self.place[there] = place + 1
                    control(place, mask)
                    return
                if mask.any():
                    step(None if whole and guard is None else mask)
            except PtxError as error:
                raise PtxError(f"{error}; at {instruction}") from None
            place += 1
        self.place[there] = place

    def _gathered(self, there: np.ndarray, place: int, together: int) -> np.ndarray:
        """The lanes that can execute an instruction for a number of neighbours; the others are held."""
        there = there | (self.held & (self.place == place))
        all_there = (there | self.ended).reshape(-1, together).all(1).repeat(together)
        self.held[there] = ~all_there[there]
        self.place[there] = place
        return there & all_there

    def _refuse_endless(self) -> None:
        places = self.place[self.waits & ~self.ended]
        listed = "; ".join(
            f"{(places == place).sum()} threads at {self.code[place][0]}" for place in np.unique(places)
        )
        raise PtxError(f"threads wait for others that do not come: {listed}")

    def note_access(self, instruction: Instruction, space, lanes, addresses, size: int) -> None:
        if self.notice is not None:
            self.notice(instruction, space, self.warp_of[lanes], addresses, size)

    def check_warps(self, mask: np.ndarray | None, members: np.ndarray | None = None) -> None:
        """That all lanes of the warps in `mask`, or those in a mask of bits a lane, are in it."""
        if mask is None and members is None:
            return
        here = ~self.ended if mask is None else mask
        wanted = np.ones(self.lanes, bool)
        if members is not None:
            bit = self.every_lane % self.threads % WARP
            named = (
                np.bitwise_or.reduceat(np.where(here, members, 0), self.first_lanes)[self.warp_of] >> bit
            ) & 1
            wanted = named.astype(bool)
        touched = np.isin(self.warp_of, self.warp_of[here])
        missing = touched & wanted & ~here
        if missing.any():
            raise PtxError(f"thread {missing.argmax()} is not with the others of its warp")
