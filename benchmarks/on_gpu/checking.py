"""The parts of a session that check: whether machine code loads, whether launches give what tests expect, and
what compute-sanitizer says."""

from __future__ import annotations

import json
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import sanitizer
from bundle import NVIDIAS, OURS
from watching import run, watch

if TYPE_CHECKING:
    from session import Session

_MOST_BROKEN, _FEW_BROKEN = 40, 4  # processes, after which a part ends
_SILENCE, _STARTING = 8, 40  # seconds without a word from a process that makes launches, or that starts
RIGHT, LOADED = "same", "loaded"
# In the sanitizer's lines.
_FINDINGS = ("Error:", "Invalid", "Uninitialized", "error detected", "hazard detected")
_START = '{"event": "start"'


class Part:
    """Processes of launches.py, one after the other until all is done, and what they said."""

    UNNAMED = ("the start of the process", "the device")  # what breaks there breaks every process

    def __init__(self, session: Session, end: float, **options: Any):
        self.session = session
        self.end = end
        self.options = options
        self.most_broken = _MOST_BROKEN
        self.results: dict[str, dict[str, Any]] = {}

    def run(self) -> dict[str, dict[str, Any]]:
        broken, after = 0, ""
        while time.time() < self.end:
            command = self.session.command("launches", after=after, until=self.end, **self.options)
            ended = watch(command, self.heard, self.silence, self.end, self.session.environment)
            if ended.late or not ended.why:
                break
            broken, after = broken + 1, ended.at
            self.results[ended.at] = {"said": "broke", "why": ended.why}
            if ended.at in self.UNNAMED or broken >= self.most_broken:
                break
        return self.results

    def silence(self, at: str) -> float:
        return self.session.patience(_STARTING if at in self.UNNAMED else _SILENCE)

    def heard(self, event: dict[str, Any]) -> None:
        kind = event.pop("event")
        if kind == "about":
            self.session.results["device"] = event
        elif kind == "result":
            self.results[event.pop("name")] = event


def counted(results: dict[str, dict[str, Any]]) -> str:
    """How many said what: "57 same, 1 broke"."""
    counts = Counter(result["said"] for result in results.values())
    return ", ".join(f"{count} {said}" for said, count in counts.most_common()) or "nothing was done"


def load(session: Session, end: float) -> dict[str, Any]:
    """Loads all kernels that are timed: ours, NVIDIA's, those of our Tile IR."""
    results = Part(session, end, stage="", load=True).run()
    session.say(", ".join(f"{key}: {value}" for key, value in session.results.get("device", {}).items()))
    for who in (OURS, *NVIDIAS):
        of_who = {name: result for name, result in results.items() if name.startswith(f"{who} / ")}
        session.say(f"machine code of {who}: {counted(of_who)}")
    for name, result in results.items():
        if result["said"] != LOADED:
            session.say(f"  {name}: {result.get('why', result['said'])}")
    return results


def peers(session: Session, end: float) -> dict[str, Any]:
    """Whether NVIDIA's code runs on this driver, with the launches of our tests: with one thread a block, as
    drivers that know tile kernels want it, or else with the threads that it was compiled for."""
    found: dict[str, Any] = {}
    right: dict[str, int] = {}
    each = (end - time.time()) / 4
    for who in NVIDIAS:
        for block in ("one", "all"):
            part = Part(session, min(end, time.time() + each), stage="models", who=who, block=block)
            part.most_broken = _FEW_BROKEN
            results = found[f"{who}, {block}"] = part.run()
            words = {"one": "one thread a block", "all": "the threads it was compiled for"}[block]
            session.say(f"code of {who}, launched with {words}: {counted(results)}")
            same = sum(result["said"] == RIGHT for result in results.values())
            right[block] = right.get(block, 0) + same
            if 2 * same > len(results):
                break
    session.block = max(right, key=lambda block: right[block])
    return found


def launches(session: Session, end: float, stage: str) -> dict[str, Any]:
    """A stage of the launches that tests make."""
    results = Part(session, end, stage=stage).run()
    known = {launch.name: launch for launch in session.bundle.launches}
    session.say(f"launches, {stage}: {counted(results)} of {len(list(session.bundle.stage(stage)))}")
    for name, result in results.items():
        if result["said"] == RIGHT:
            continue
        launch = known.get(name)
        place = f"{launch.kernel} in {launch.test}" if launch else name
        session.say(f"  {result['said']}: {place} {result.get('why', '')}".rstrip())
        if "contents" in result:
            session.keep_difference(name, result["contents"])
    return results


def sanitize(session: Session, end: float) -> dict[str, Any]:
    """All tools of compute-sanitizer at once, over the launches of models."""
    program = session.sanitizer or sanitizer.find()
    if program is None:
        session.say("compute-sanitizer is missing: pip install nvidia-cuda-sanitizer-api, or a CUDA toolkit")
        return {}

    def examine(tool: str) -> dict[str, str]:
        after, output = "", ""
        for _ in range(_MOST_BROKEN):
            watched = session.command(
                "launches", stage="models", exact=True, fresh=tool == "initcheck", after=after, until=end - 5
            )
            done = run(sanitizer.command(program, tool, watched), end, session.environment)
            output += done.output
            started = [
                json.loads(line)["name"] for line in done.output.splitlines() if line.startswith(_START)
            ]
            if done.status is None or '{"event": "end"}' in done.output or started[-1:] in ([], [after]):
                break
            after = started[-1]
            if after in Part.UNNAMED:
                break
        said, details = sanitizer.judge(done.status, output)
        made = sum(line.startswith('{"event": "result"') for line in output.splitlines())
        return {"said": said, "details": details, "launches": str(made), "at": at_findings(output)}

    with ThreadPoolExecutor(len(sanitizer.TOOLS)) as pool:
        found = dict(zip(sanitizer.TOOLS, pool.map(examine, sanitizer.TOOLS), strict=True))
    for tool, result in found.items():
        session.say(f"{tool}: {result['said']}, {result['launches']} launches {result['at']}".rstrip())
    return found


def at_findings(output: str) -> str:
    """The names of the launches in which something was found."""
    name, found = "", {}
    for line in output.splitlines():
        if line.startswith(_START):
            name = json.loads(line)["name"]
        elif line.startswith("=========") and any(word in line for word in _FINDINGS):
            found[name] = None
    return " ".join(found)
