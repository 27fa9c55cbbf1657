"""The part of a session that profiles: Nsight Compute (ncu) over one call of each work, by our kernels and by
NVIDIA's, at the sizes that were fastest.

    python profiled.py '{"bundle": FOLDER, "calls": [["softmax", "ours", "1024, T = 128"], ...]}'

is the process that ncu watches; it makes these calls."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from watching import run

if TYPE_CHECKING:
    from session import Session

SECTIONS = (
    "SpeedOfLight", "LaunchStats", "Occupancy", "MemoryWorkloadAnalysis", "MemoryWorkloadAnalysis_Tables",
    "SchedulerStats", "WarpStateStats", "SourceCounters",
)  # fmt: skip
# What the summary shows of them, by ncu's names.
METRICS = (
    "Duration", "DRAM Throughput", "Compute (SM) Throughput", "Registers Per Thread", "Achieved Occupancy",
    "L2 Hit Rate", "Warp Cycles Per Issued Instruction",
)  # fmt: skip
PROFILED = ("ours", "nvidia")


def profile(session: Session, end: float) -> dict[str, Any]:
    """All that ncu says in profile.csv, and some of it in the results."""
    program = session.profiler or shutil.which("ncu")
    if program is None:
        session.say("ncu is missing: it comes with a CUDA toolkit")
        return {}
    place = session.output / "profile.csv"
    sections = [word for section in SECTIONS for word in ("--section", section)]
    told = ["--csv", "--page", "details", "--clock-control", "none", "--log-file", str(place), *sections]
    calls = chosen(session.results.get("times", {}).get("results", []), session.is_dry, session.only)
    watched = session.command("profiled", calls=calls, small=session.is_dry, block=session.block)
    done = run([program, *told, *watched], end, session.environment)
    if done.status != 0:
        ended = "the time was over" if done.status is None else f"exit status {done.status}"
        session.say(f"ncu: {ended}: {done.output[-500:]}")
    found = read(place.read_text()) if place.exists() else []
    for kernel in found:
        metrics = ", ".join(f"{name} {kernel[name]}" for name in METRICS if name in kernel)
        session.say(f"{kernel['kernel']}: {metrics}")
    return {"calls": calls, "kernels": found}


def chosen(results: list[dict], small: bool, only: str) -> list[list[str]]:
    """Title, who and label of the calls to profile: the fastest, or the first where none was timed."""
    from work import works

    timed = {result["title"]: result.get("configurations", {}) for result in results}
    return [
        [work.title, who, timed.get(work.title, {}).get(who, "")]
        for work in works(small)
        if only in work.title
        for who in (PROFILED[:1] if small else PROFILED)
    ]


def read(text: str) -> list[dict[str, str]]:
    """For each launch that ncu saw: its kernel, metrics with their units, and what ncu advises."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    kernels: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(lines):
        kernel = kernels.setdefault(row["ID"], {"kernel": row["Kernel Name"]})
        if row.get("Metric Name"):
            kernel[row["Metric Name"]] = f"{row['Metric Value']} {row['Metric Unit']}".strip()
        if row.get("Rule Name") and row.get("Rule Description"):
            kernel[f"advice: {row['Rule Name']}"] = row["Rule Description"]
    return list(kernels.values())


def main(options: dict[str, Any]) -> None:
    if options["pretend"]:
        import pretend

        pretend.install(Path(options["bundle"]))
    import device
    from bundle import Bundle
    from times import FRAMEWORKS, Sets, Worker
    from work import works

    device.open_device()
    worker = Worker(Bundle(Path(options["bundle"])), {**options, "skip": [], "without": list(FRAMEWORKS)})
    known = {work.title: work for work in works(options["small"])}
    for title, who, label in options["calls"]:
        sets = Sets(known[title], 1)
        for name, found, make in worker.candidates(known[title], sets):
            if name == who and label in ("", found):
                make()(0)
                device.synchronize()
                break
        sets.free()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
