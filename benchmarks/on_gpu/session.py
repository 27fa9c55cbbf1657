"""What a machine with a GPU is to show of us, in one run, from a bundle: whether our kernels give what their
tests expect, what compute-sanitizer says of them, and how fast they are. Needs the driver, NumPy and
cuda-python alone.

    python session.py --output DIR [--parts about load ...] [--minutes 9.5] [--only TEXT]
    python session.py --output DIR --dry-run      on a machine without a GPU, in a checkout

Parts run in the order of their value, each with a limit of its own, and write DIR/results.json as they go:

    about        the device, its driver, the versions of packages
    load         whether the driver loads our machine code and NVIDIA's, and what resources it needs
    peers        whether NVIDIA's code runs, with the launches of our tests
    mechanisms   a launch of each test of the header
    models       the manual's examples, and the kernels of models
    sanitizer    the same under compute-sanitizer's tools
    times        our kernels beside NVIDIA's, PyTorch's and copies
    launch       what a launch from Python costs, beside cuda.core's
    rest         all other launches of tests
    tests        the tests of the header, built and run there: needs a checkout, NVRTC and pytest
    profile      what Nsight Compute says of the kernels that were timed
    triton       our kernels beside Triton's

Results that differ from what tests expect are in DIR/differences.zip: `gpu.py --judge DIR` lets the tests
themselves decide about them, where the bundle was made."""

from __future__ import annotations

import argparse
import atexit
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import checking
import profiled
import timed
import watching
from bundle import DIFFERENCES, MANIFEST, Bundle

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
MINUTES = 9.5
_MOST_DIFFERENCES = 12 << 20  # bytes of the file with the results that differ
_PACKAGES = ("numpy", "cuda-bindings", "cuda-core", "torch", "triton", "nvidia-cublas", "nvidia-cudnn-cu13")


class Session:
    """One run. `block` says how NVIDIA's code is launched; see launches.py."""

    def __init__(self, bundle: Path, output: Path, is_dry: bool, only: str):
        self.bundle = Bundle(bundle)
        self.output = output
        self.is_dry = is_dry
        self.only = only
        self.block = "one"
        self.sanitizer: str | None = None
        self.profiler: str | None = None
        self.environment = dict(os.environ)
        self.results: dict[str, Any] = {"bundle": dict(self.bundle.about, texts=None)}
        # Few files lie in the output at any time.
        self.differences = Path(tempfile.mkdtemp(prefix="gpu_differences_"))
        atexit.register(shutil.rmtree, self.differences, ignore_errors=True)
        output.mkdir(parents=True, exist_ok=True)
        for name in ("log.txt", "differences.zip"):  # of an earlier run
            (output / name).unlink(missing_ok=True)
        if is_dry:
            self.pretend()

    def pretend(self) -> None:
        """Prepares a driver and a sanitizer that are none."""
        import pretend

        folder = (self.output / "driver").absolute()
        pretend.build(folder)
        self.environment["LD_LIBRARY_PATH"] = str(folder)
        self.sanitizer = _stand_in(folder / "compute-sanitizer", 'echo "========= ERROR SUMMARY: 0 errors"')
        self.profiler = _stand_in(folder / "ncu", ":")

    def command(self, program: str, **options: Any) -> list[str]:
        told = {
            "bundle": str(self.bundle.folder), "differences": str(self.differences), "pretend": self.is_dry,
            "only": self.only, **options,
        }  # fmt: skip
        return [sys.executable, str(HERE / f"{program}.py"), json.dumps(told)]

    def with_path(self, *folders: Path) -> dict[str, str]:
        """The environment in which Python also imports from some folders."""
        path = [*map(str, folders), self.environment.get("PYTHONPATH", "")]
        return {**self.environment, "PYTHONPATH": os.pathsep.join(filter(None, path))}

    def patience(self, seconds: float) -> float:
        """Longer where a processor does what a GPU would."""
        return 10 * seconds if self.is_dry else seconds

    def say(self, text: str) -> None:
        print(text, flush=True)
        with (self.output / "log.txt").open("a") as log:
            log.write(text + "\n")

    def keep_difference(self, name: str, contents: list[str]) -> None:
        with (self.differences / DIFFERENCES).open("a") as lines:
            lines.write(json.dumps({"name": name, "contents": contents}) + "\n")

    def save(self) -> None:
        place = self.output / "results.json"
        partial = place.with_suffix(".partial")
        partial.write_text(json.dumps(self.results, indent=1) + "\n")
        partial.replace(place)

    def pack_differences(self) -> None:
        """Puts them into one file, as many as fit."""
        lines = self.differences / DIFFERENCES
        if not lines.exists():
            return
        size = 0
        place = self.output / "differences.zip"
        with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as packed:
            kept = []
            for line in lines.read_text().splitlines():
                files = [self.differences / name for name in json.loads(line)["contents"]]
                size += sum(file.stat().st_size for file in files)
                if size > _MOST_DIFFERENCES:
                    self.say("there are more differences than differences.zip has")
                    break
                kept.append(line)
                for file in files:
                    if f"differences/{file.name}" not in packed.NameToInfo:
                        packed.write(file, f"differences/{file.name}")
            packed.writestr(lines.name, "".join(f"{line}\n" for line in kept))


def _stand_in(place: Path, end: str) -> str:
    """A program that runs the command after its options, which all have a value but --csv, and ends with
    another command."""
    place.write_text(f"""#!/bin/sh
while true; do case "$1" in --csv) shift ;; --*) shift 2 ;; *) break ;; esac; done
"$@" && {end}
""")
    place.chmod(0o755)
    return str(place)


# --- parts --------------------------------------------------------------------------------------------------


def about(session: Session, end: float) -> dict[str, Any]:
    found: dict[str, Any] = {"python": platform.python_version(), "machine": platform.machine()}
    installed = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
    found["versions"] = {name: installed[name] for name in _PACKAGES if name in installed}
    found["date"] = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    if shutil.which("nvidia-smi"):
        asked = "name,driver_version,memory.total,clocks.sm,clocks.mem,power.limit"
        told = watching.run(["nvidia-smi", f"--query-gpu={asked}", "--format=csv,noheader"], end)
        found["nvidia-smi"] = told.output.strip()
    session.say(", ".join(f"{key}: {value}" for key, value in found.items()))
    return found


def launch_cost(session: Session, end: float) -> dict[str, Any]:
    script = CHECKOUT / "benchmarks" / "launch_gpu.py"
    if not script.exists():
        session.say("launch: not done, since this is no checkout")
        return {}
    place = session.output.absolute() / "launch.json"
    command = [sys.executable, str(script), "--json", str(place)]
    if session.is_dry:
        command += ["--python-only", session.environment["LD_LIBRARY_PATH"]]
    done = watching.run(command, end, session.with_path(CHECKOUT))
    session.say(done.output[-3000:])
    return json.loads(place.read_text()) if place.exists() else {"why": done.output[-1000:]}


def tests(session: Session, end: float) -> dict[str, Any]:
    paths = [CHECKOUT / "tests" / "header", CHECKOUT / "tests" / "simt" / "test_launch_path.py"]
    if not paths[0].exists():
        session.say("tests: not done, since this is no checkout")
        return {}
    options = ["-v", "-k", "simt", "--wide", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    if importlib.util.find_spec("pytest_timeout"):
        options += ["--timeout=30", "--timeout-method=thread"]
    if session.is_dry:
        options.append("--collect-only")
    elif importlib.util.find_spec("xdist"):
        options += ["--numprocesses=auto", "-p", "guard"]
    command = [sys.executable, "-m", "pytest", *map(str, paths), *options]
    done = watching.run(
        command, end, session.with_path(CHECKOUT / "benchmarks" / "on_gpu", CHECKOUT), str(CHECKOUT)
    )
    (session.output / "tests.txt").write_text(done.output)
    session.say("\n".join(done.output.splitlines()[-25:]))
    return {"exit status": done.status}


Part = Callable[[Session, float], dict[str, Any]]


def _launches(stage: str) -> Part:
    return lambda session, end: checking.launches(session, end, stage)


# Each with the seconds that it may take.
PARTS: dict[str, tuple[float, Part]] = {
    "about": (15, about),
    "load": (30, checking.load),
    "peers": (40, checking.peers),
    "mechanisms": (40, _launches("mechanisms")),
    "models": (60, _launches("models")),
    "sanitizer": (120, checking.sanitize),
    "times": (300, timed.times),
    "launch": (40, launch_cost),
    "rest": (90, _launches("rest")),
    "tests": (150, tests),
    "profile": (180, profiled.profile),
    "triton": (300, timed.triton),
}


def run(session: Session, parts: list[str], end: float) -> None:
    for name in parts:
        seconds, part = PARTS[name]
        began = time.time()
        if began >= end:
            session.say(f"--- {name}: no time was left")
            continue
        session.say(f"--- {name}")
        try:
            session.results[name] = part(session, min(end, began + session.patience(seconds)))
        except Exception as problem:  # a part that fails must not end the others
            session.say(traceback.format_exc())
            session.results[name] = {"why": str(problem)}
        session.results[name]["seconds it took"] = round(time.time() - began, 1)
        session.pack_differences()
        session.save()


def default_bundle() -> Path:
    return HERE if (HERE / MANIFEST).exists() else CHECKOUT / "build" / "gpu_bundle"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bundle", type=Path, default=default_bundle(), metavar="DIR")
    parser.add_argument(
        "--output", type=Path, default=Path("build/gpu_results"), metavar="DIR", help="for results"
    )
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="after which the run ends")
    parser.add_argument("--only", default="", metavar="TEXT", help="of the times, work whose title has this")
    parser.add_argument("--dry-run", action="store_true", help="no GPU: a processor runs the kernels' PTX")


def main(given: argparse.Namespace) -> int:
    if not (given.bundle / MANIFEST).exists():
        print(f"there is no bundle in {given.bundle}: gpu.py --make-bundle makes one", file=sys.stderr)
        return 1
    session = Session(given.bundle, given.output, given.dry_run, given.only)
    minutes = session.patience(given.minutes)
    run(session, given.parts, time.time() + 60 * minutes)
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add_arguments(parser)
    sys.exit(main(parser.parse_args()))
