"""Times of kernels on a GPU: our header, NVIDIA's tile compiler on the same source, cuBLAS, cuDNN and
PyTorch's own kernels, Triton, and copies. One run makes one table and results/gpu.json, in less than
8 minutes.

    python benchmarks/gpu.py --make-peers DIR     first, with NVIDIA's tile compiler; needs no GPU
    python benchmarks/gpu.py --peers DIR          on a machine with a GPU; DIR is build/gpu_peers if not given
    python benchmarks/gpu.py --dry-run            tests the benchmark at small sizes on the CPU, without times

Needs PyTorch and pycuda-tile[gpu]; Triton and cuda-core for those columns. First everything is built, by all
processors at once; another process (gpu_worker.py) then checks and times, and if a kernel breaks it, the next
process goes on with the next candidate."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import importlib.util
import json
import os
import platform
import queue
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path

import pycuda_tile as pct
from pycuda_tile.launching import gpu
from pycuda_tile.system import install

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "gpu.json"
PEERS = HERE.parent / "build" / "gpu_peers"
WHO = ("ours", "nvidia", "torch", "triton")
MINUTES = 7.5  # after which the run ends with what it has
BUILDING = 150  # seconds for all builds at once; later ones are built when their turn comes
SILENCE = 120  # seconds without a line from the worker, after which it is assumed to hang
PATIENCE = 3  # processes that one peer may crash


def requirements() -> str | None:
    """A message that says what is missing for a run on this machine."""
    if gpu.compute_capability() is None:
        return "there is no CUDA GPU that a driver shows here; --make-peers and --dry-run need none"
    if not gpu.has_cuda_python():
        return f"cuda-python is missing: {install.advice(gpu.EXTRA)}"
    if importlib.util.find_spec("torch") is None:
        return "PyTorch is missing: pip install torch"
    return None


# --- builds -------------------------------------------------------------------------------------------------


def build_all(only: str, jobs: int, seconds: float) -> list[str]:
    """Fills the cache with our kernels, several at once. What does not build is no matter here: the worker
    says so. Returns what was not built in time."""
    from gpu_work import works

    tasks = []
    pool = ProcessPoolExecutor(jobs, get_context("spawn"))
    for work in works("meta"):
        if only in work.title:
            for label, launches in work.candidates.items():
                kernels = [launch.kernel for launch in launches]
                for threads in work.threads:
                    task = pool.submit(build_one, work.path, kernels, threads)
                    tasks.append((f"{work.title} {label}, T = {threads}", task))
    late = wait([task for _, task in tasks], timeout=seconds).not_done
    children = list(getattr(pool, "_processes", {}).values()) if late else []
    pool.shutdown(wait=not late, cancel_futures=True)
    for process in children:  # a compiler that takes minutes would take them from the measurements
        process.terminate()
    return [name for name, task in tasks if task in late]


def build_one(path: Path, kernels: list[str], threads: int) -> None:
    """As gpu_worker.our_call does, so that it finds the result in the cache; without importing PyTorch."""
    pct.build(path, target="simt", kernels=kernels, num_threads=threads)


# --- the worker, watched ------------------------------------------------------------------------------------


class Run:
    """One run: starts workers until all work is done, and keeps what they say."""

    def __init__(self, device: str, peers: Path | None, only: str, output: Path, end: float):
        self.options = {"device": device, "peers": str(peers) if peers else "", "only": only, "deadline": end}
        self.end = end
        self.output = output
        self.broken: list[str] = []
        self.without: list[str] = []
        self.report: dict = {"results": [], "notes": []}

    def go(self) -> None:
        while time.time() < self.end:
            current, why = self.watch()
            if not why:
                break
            if current in self.broken or len(self.broken) > 25:
                self.note("all", "all", f"the worker cannot go on: {current}: {why}")
                break
            self.broken.append(current)
            self.drop()
            title, who, label = [*current.split(" / "), "", ""][:3]
            self.note(title, who, f"{label}: it ended its process ({why})")
            if who == "all" and title != "about":
                self.report["results"].append({"title": title, "seconds": {}})
        self.save()

    def drop(self) -> None:
        """Excludes a peer that has crashed several processes, since each new process takes seconds."""
        broke = [name.split(" / ")[1] for name in self.broken if not name.startswith("peers")]
        for who in WHO[1:]:
            if broke.count(who) == PATIENCE:
                self.without.append(who)
                self.note("all", who, f"left out from here on, since it ended {PATIENCE} processes")

    def watch(self) -> tuple[str, str]:
        """One worker, to its end: the candidate it was at, and why it ended if that was too early."""
        done = [result["title"] for result in self.report["results"]]
        options = json.dumps({**self.options, "skip": self.broken, "without": self.without, "done": done})
        command = [sys.executable, str(HERE / "gpu_worker.py"), options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines: queue.Queue[str | None] = queue.Queue()
        errors: list[str] = []
        readers = [
            threading.Thread(target=lambda: [*map(lines.put, process.stdout), lines.put(None)], daemon=True),
            threading.Thread(target=lambda: errors.extend(process.stderr), daemon=True),
        ]
        for reader in readers:
            reader.start()
        current = "about / the worker / start"
        try:
            while True:
                left = self.end - time.time()
                line = lines.get(timeout=max(0.1, min(SILENCE, left)))
                if line is None:
                    break
                if not line.startswith('{"event"'):
                    continue
                event = json.loads(line)
                if event["event"] == "end":
                    return current, ""
                if event["event"] == "start":
                    current = event["name"]
                else:
                    self.heard(event)
        except queue.Empty:
            if time.time() >= self.end:
                self.note("all", "all", f"the time was over at: {current}")
                return current, ""
            return current, f"no word for {SILENCE} s"
        finally:
            process.kill()
            process.wait()
        readers[1].join(5)
        return current, (errors[-1].strip() if errors else f"exit status {process.returncode}")[:200]

    def heard(self, event: dict) -> None:
        kind = event.pop("event")
        if kind == "about" and "device" not in self.report:
            self.report = {**event, **versions(), **self.report}
            print(f"{event['device']}, copies {event['copy'] / 1e9:.0f} GB/s; times are microseconds\n")
        elif kind == "note":
            self.note(event["title"], event["who"], event["text"])
        elif kind == "result":
            if not self.report["results"]:
                print(heading())
            self.report["results"].append(event)
            print(row(event, self.report.get("copy", 0.0)), flush=True)
            self.save()

    def note(self, title: str, who: str, text: str) -> None:
        self.report["notes"].append({"title": title, "who": who, "text": text})
        if title in ("peers", "about", "all"):
            print(f"{title}, {who}: {text}", flush=True)

    def save(self) -> None:
        self.output.parent.mkdir(parents=True, exist_ok=True)
        partial = self.output.with_suffix(".partial")
        partial.write_text(json.dumps(self.report, indent=1) + "\n")
        partial.replace(self.output)


# --- the table ----------------------------------------------------------------------------------------------


def heading() -> str:
    titles = ["work", *WHO, "ours", "ours / nvidia", "ours / copy", "wanted", "reached"]
    return "| " + " | ".join(titles) + " |\n|" + " --- |" + " ---: |" * (len(titles) - 1)


def ratios(result: dict, copy: float) -> dict[str, float]:
    """Our speed relative to NVIDIA's tile compiler and to a copy of as many bytes, as far as known."""
    seconds, found = result["seconds"], {}
    if "ours" in seconds:
        if "nvidia" in seconds:
            found["nvidia"] = seconds["nvidia"] / seconds["ours"]
        if not result.get("flops") and copy > 0:
            found["copy"] = result["bytes"] / seconds["ours"] / copy
    return found


def reached(result: dict, copy: float) -> str:
    """Whether our speed is what is wanted: of NVIDIA's, or for work like a copy of the better of that and 0.9
    of a copy."""
    if not result.get("wanted"):
        return ""
    found = ratios(result, copy)
    wanted = [found["nvidia"] >= result["wanted"]] if "nvidia" in found else []
    if result["like_a_copy"] and "copy" in found:
        wanted.append(found["copy"] >= 0.9 * result["wanted"])
        if "nvidia" not in found and wanted[0]:
            return "of a copy"
    elif "nvidia" not in found:
        return "not known"
    return "yes" if wanted and all(wanted) else "no"


def row(result: dict, copy: float) -> str:
    seconds = result["seconds"]
    cells = [f"{seconds[name] * 1e6:.1f}" if name in seconds else "-" for name in WHO]
    found, ours = ratios(result, copy), seconds.get("ours")
    speed = "-"
    if ours:
        amount, unit = (
            (result["flops"] / 1e12, "TFLOP/s") if result["flops"] else (result["bytes"] / 1e9, "GB/s")
        )
        speed = f"{amount / ours:.0f} {unit}" if amount / ours >= 10 else f"{amount / ours:.2g} {unit}"
    cells += [speed, *(f"{found[name]:.2f}" if name in found else "-" for name in ("nvidia", "copy"))]
    wanted = f"{result['wanted']:g}" if result.get("wanted") else "-"
    return "| " + " | ".join([result["title"], *cells, wanted, reached(result, copy)]) + " |"


def versions() -> dict:
    packages = ("torch", "triton", "cuda-core", "cuda-bindings", "nvidia-cuda-nvrtc", "nvidia-cublas",
                "nvidia-cudnn-cu13", "numpy")  # fmt: skip
    found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
    try:
        driver = Path("/proc/driver/nvidia/version").read_text().splitlines()[0]
    except OSError:
        driver = None
    try:
        commit = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True
        ).stdout.strip()
    except OSError:
        commit = ""
    return {
        "driver": driver,
        "cuda": gpu.driver_version(),
        "python": platform.python_version(),
        "versions": {name: found[name] for name in packages if name in found},
        "commit": commit,
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
    }


def configurations(report: dict) -> str:
    lines = []
    for result in report["results"]:
        chosen = ", ".join(f"{who}: {label}" for who, label in result.get("configurations", {}).items())
        lines.append(f"{result['title']}: {chosen}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="work whose title contains this")
    parser.add_argument("--peers", type=Path, default=PEERS, metavar="DIR", help="cubins of --make-peers")
    parser.add_argument("--make-peers", type=Path, metavar="DIR", help="only make cubins; needs no GPU")
    parser.add_argument("--arch", default="sm_90", help="of --make-peers")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="builds at once")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the JSON file to write")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="after which the run ends")
    parser.add_argument("--dry-run", action="store_true", help="small sizes on the processor, no GPU")
    given = parser.parse_args()
    if given.make_peers:
        make_peers(given)
        return
    if not given.dry_run and (missing := requirements()):
        sys.exit(f"gpu.py cannot run here: {missing}")
    end = time.time() + 60 * given.minutes
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])
    if given.dry_run:
        os.environ.setdefault("TRITON_INTERPRET", "1")
        if given.output == RESULTS:
            given.output = HERE.parent / "build" / "gpu_dry_run.json"
        run = Run("cpu", None, given.only, given.output, end)
    else:
        run = Run("cuda", given.peers, given.only, given.output, end)
        late = build_all(given.only, given.jobs, min(BUILDING, 20 * given.minutes))
        print(f"built in {given.minutes * 60 - (end - time.time()):.0f} s; late: {', '.join(late) or 'none'}")
    run.go()
    for note in run.report["notes"]:
        print(f"{note['title']}, {note['who']}: {note['text']}")
    print(configurations(run.report))


def make_peers(given: argparse.Namespace) -> None:
    import gpu_peers
    from gpu_work import works

    kernels = {
        (work.path, launch.kernel): None
        for work in works("meta")
        if given.only in work.title
        for launches in work.candidates.values()
        for launch in launches
    }
    gpu_peers.make(given.make_peers, given.arch, kernels, given.jobs)


if __name__ == "__main__":
    main()
