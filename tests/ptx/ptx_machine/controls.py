"""Branches, calls, ends and barriers. A control function takes its place in the code and the mask of lanes
that execute it; all lanes there have already been advanced to the next place."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .program import Function, Instruction, PtxError

Control = Callable[[int, np.ndarray], None]


def build(machine, function: Function, instruction: Instruction, start: int) -> Control | None:
    """`start` is the place where the function's code begins."""
    base, *words = instruction.name.split(".")
    if base == "bra":
        target = start + function.labels[instruction.operands[0]]
        return lambda place, mask: machine.place.__setitem__(mask, target)
    if base in ("bar", "barrier"):
        return None if "warp" in words else _barrier(machine, instruction, words)
    builders = {"call": _call, "ret": _ret, "exit": _exit, "trap": _trap, "brkpt": _trap}
    return builders[base](machine, instruction) if base in builders else None


def _call(machine, instruction: Instruction) -> Control:
    """call (results), name, (arguments): copies them between the places where caller and callee keep them."""
    operands = list(instruction.operands)
    results = operands.pop(0)[1:-1].split(",") if operands[0].startswith("(") else []
    name, *rest = operands
    arguments = rest[0][1:-1].split(",") if rest and rest[0] != "()" else []
    if name == "vprintf":
        return _vprintf(machine, *(argument.strip() for argument in arguments))
    target = machine.start_of(name)
    called = machine.function(name)
    given = [(a.strip(), variable.name) for a, variable in zip(arguments, called.parameters, strict=True)]
    taken = [(variable.name, r.strip()) for r, variable in zip(results, called.results, strict=True)]

    def copy(pairs: list[tuple[str, str]], mask: np.ndarray) -> None:
        for source, to in pairs:
            machine.parameters[to].bytes[mask] = machine.parameters[source].bytes[mask]

    def control(place: int, mask: np.ndarray) -> None:
        copy(given, mask)
        for lane in np.flatnonzero(mask):
            machine.returns[lane].append((place + 1, lambda lanes: copy(taken, lanes)))
        machine.place[mask] = target

    return control


def _vprintf(machine, format_parameter: str, values_parameter: str) -> Control:
    """Adds each lane's text to the machine's output."""

    def pointer(parameter: str, lane: int) -> int:
        return int(machine.parameters[parameter].bytes[lane, :8].view("u8")[0])

    def read(lane: int, address: int, size: int) -> bytes:
        at = np.array([address], np.uint64)
        return machine.spaces["generic"].load(np.array([lane]), at, size, 1).tobytes()

    def string(lane: int, address: int) -> bytes:
        text = b""
        while (byte := read(lane, address + len(text), 1)) != b"\0":
            text += byte
        return text

    def control(place: int, mask: np.ndarray) -> None:
        for lane in np.flatnonzero(mask):
            text = string(lane, pointer(format_parameter, lane))
            if text != b"%s":
                raise PtxError(f"the machine prints by the format %s only, got {text}")
            values = pointer(values_parameter, lane)
            machine.output.append(string(lane, int.from_bytes(read(lane, values, 8), "little")))

    return control


def _ret(machine, instruction: Instruction) -> Control:
    def control(place: int, mask: np.ndarray) -> None:
        for lane in np.flatnonzero(mask):
            if machine.returns[lane]:
                machine.place[lane], take_results = machine.returns[lane].pop()
                take_results(np.array([lane]))
            else:
                machine.ended[lane] = True
        release(machine)

    return control


def _exit(machine, instruction: Instruction) -> Control:
    def control(place: int, mask: np.ndarray) -> None:
        machine.ended |= mask
        release(machine)

    return control


def _trap(machine, instruction: Instruction) -> Control:
    def control(place: int, mask: np.ndarray) -> None:
        if mask.any():
            raise PtxError(f"thread {mask.argmax()} stops the program")

    return control


def _barrier(machine, instruction: Instruction, words: list[str]) -> Control:
    if "sync" not in words or len(instruction.operands) > 1:
        raise PtxError(f"unknown instruction {instruction}")
    number = machine.operands.read(instruction.operands[0], "u32")

    def control(place: int, mask: np.ndarray) -> None:
        machine.waits |= mask
        machine.barrier[mask] = number()[mask]
        release(machine)

    return control


def release(machine) -> None:
    """Lets a block continue if all of its lanes that have not ended wait at one barrier."""
    if not machine.waits.any():
        return
    shape = (-1, machine.threads)
    ended, waits = machine.ended.reshape(shape), machine.waits.reshape(shape)
    numbers = np.where(waits, machine.barrier.reshape(shape), -1)
    highest = numbers.max(1, keepdims=True)
    whole = waits.any(1) & (ended | (numbers == highest)).all(1)
    lanes = machine.every_lane[np.repeat(whole, machine.threads)]
    if len(lanes):
        machine.shared.barrier(lanes)
        machine.waits[lanes] = False
