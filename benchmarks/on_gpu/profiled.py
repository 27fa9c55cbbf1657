"""The part of a session that profiles: Nsight Compute (ncu) over one call of each work, by our kernels and by
NVIDIA's, at the sizes that were fastest.

    python profiled.py '{"bundle": FOLDER, "calls": [["softmax", "ours", "1024, T = 128"], ...]}'

is the process that ncu watches; it makes these calls."""

from __future__ import annotations

import csv
import json
import shutil
import sys
import time
from typing import TYPE_CHECKING, Any

from watching import run

if TYPE_CHECKING:
    from session import Session
    from times import Worker
    from work import Work

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
    told = ["--csv", "--page", "details", "--clock-control", "none", "--print-kernel-base", "mangled"]
    told += ["--log-file", str(place), *sections]
    calls = chosen(session.results.get("times", {}).get("results", []), session.is_dry, session.only)
    # It writes when the process has ended, so this has to end in time.
    watched = session.command(
        "profiled", calls=calls, small=session.is_dry, block=session.block, until=end - 25
    )
    done = run([program, *told, *watched], end, session.environment)
    if done.status != 0:
        ended = "the time was over" if done.status is None else f"exit status {done.status}"
        session.say(f"ncu: {ended}: {done.output[-500:]}")
    found = read(place.read_text()) if place.exists() else []
    for kernel in found:
        metrics = ", ".join(f"{name} {kernel[name]}" for name in METRICS if name in kernel)
        session.say(f"{kernel['kernel']}: {metrics}")
    return {"calls": calls, "kernels": found}


def chosen(results: list[dict], is_dry: bool, only: str) -> list[list[str]]:
    """Title, who and label of the calls to profile: the fastest of those that were timed, which work. Without
    any, ours."""
    from work import works

    found = [
        [result["title"], who, label]
        for result in results
        for who, label in result.get("configurations", {}).items()
        if who in PROFILED and only in result["title"]
    ]
    return found or [[work.title, "ours", ""] for work in works(is_dry) if only in work.title]


def read(text: str) -> list[dict[str, str]]:
    """For each launch that ncu saw: its kernel, metrics with their units, and what ncu advises."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    kernels: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(lines):
        kernel = kernels.setdefault(row["ID"], {"kernel": row["Kernel Name"]})
        kernel |= {name: row[name] for name in ("Block Size", "Grid Size") if row.get(name)}
        if row.get("Metric Name"):
            kernel[row["Metric Name"]] = f"{row['Metric Value']} {row['Metric Unit']}".strip()
        if row.get("Rule Name") and row.get("Rule Description"):
            kernel[f"advice: {row['Rule Name']}"] = row["Rule Description"]
    return list(kernels.values())


def main(options: dict[str, Any]) -> None:
    import device
    from launches import emit, start
    from times import FRAMEWORKS, Worker
    from work import works

    worker = Worker(start(options), {**options, "skip": [], "without": list(FRAMEWORKS)})
    known = {work.title: work for work in works(options["small"])}
    for title, who, label in options["calls"]:
        if time.time() > options["until"]:
            break
        emit("start", name=f"{title} / {who} / {label}")
        try:
            make_call(worker, known[title], who, label)
        except Exception as problem:  # one call's; if the device is broken, the next one ends it all
            print(f"{title}, {who}: {problem}", flush=True)
            device.synchronize()


def make_call(worker: Worker, work: Work, who: str, label: str) -> None:
    import device
    from times import Sets

    sets = Sets(work, 1)
    for name, found, make in worker.candidates(work, sets):
        if name == who and label in ("", found):
            make()(0)
            device.synchronize()
            break
    sets.free()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
