"""The example kernels with two versions of this project: the working tree and a commit. One table, in turn.

speed = the commit's time / the working tree's (2: the working tree is twice as fast), for
  syntax  checking a kernel's file with the host's compiler, which is mostly reading the headers
  cpu     a build for the CPU (-O3) without the cache
  simt    a build for a GPU (NVRTC) without the cache; needs no GPU
  run     a launch on the CPU

Each version lies in a folder of its own and runs in a process of its own, with its own package, headers and
launcher; the kernels are those of the working tree.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MEASURES = ("syntax", "cpu", "simt", "run")
LAUNCHES = 20e-3  # seconds of launches at least that a process is asked for at a time


# ---- one version, in a process of its own


class Server:
    """Answers the requests of a `Version`, one in each line of its input, with the package of a folder."""

    def __init__(self, folder: Path):
        from example_problems import PROBLEMS  # of the working tree; the examples are those of the folder

        # An editable installation would find the package elsewhere.
        sys.meta_path[:] = [f for f in sys.meta_path if not f.__module__.lstrip("_").startswith("editable_")]
        sys.path[:0] = [str(folder), str(folder / "examples")]
        import pycuda_tile as pct

        if Path(pct.__file__).parents[1] != folder:
            raise SystemExit(f"this process found pycuda_tile in {pct.__file__}, not in {folder}")
        self.pct = pct
        self.arguments = PROBLEMS
        self.problems: dict[str, Any] = {}
        self.tasks: dict[str, Callable[[], object]] = {}

    def problem(self, name: str) -> Any:
        if name not in self.problems:
            self.problems[name] = importlib.import_module(name).problem(*self.arguments[name])
        return self.problems[name]

    def build(self, name: str, source: str, target: str, arch: str | None = None) -> Any:
        kernels = self.problem(name).kernels if "template <" in Path(source).read_text() else ()
        return self.pct.build(Path(source), target=target, arch=arch, kernels=kernels, cache=False)

    def task(self, name: str, source: str) -> Callable[[], object]:
        """A launch."""
        if name not in self.tasks:
            module = self.build(name, source, "cpu")
            self.tasks[name] = importlib.import_module("_common").Run(module, self.problem(name)).launch
        return self.tasks[name]

    def count(self, name: str, source: str) -> int:
        """How many launches take a while."""
        launch = self.task(name, source)
        launch()
        start = time.perf_counter()
        launch()
        return math.ceil(LAUNCHES / (time.perf_counter() - start))

    def run(self, name: str, source: str, count: int) -> None:
        launch = self.task(name, source)
        for _ in range(count):
            launch()

    def hello(self) -> None:
        pass

    def serve(self) -> None:
        answers = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # what examples print is no answer
        for line in sys.stdin:
            what, *arguments = json.loads(line)
            answer: dict[str, object] = {}
            try:
                value = getattr(self, what)(*arguments)
                answer = {"value": value if isinstance(value, int) else None}
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            print(json.dumps(answer), file=answers, flush=True)


class Failed(Exception):
    """What a version could not do."""


class Version:
    """The files of one version, and the process that uses them."""

    def __init__(self, folder: Path):
        self.folder = folder
        command = [sys.executable, __file__, "--serve", str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *request: object) -> Any:
        assert self.process.stdin and self.process.stdout
        with suppress(BrokenPipeError):  # if the process has ended, there is no answer either
            print(json.dumps(request), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        answer = json.loads(line) if line else {"error": "its process ended"}
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["value"]

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()

    def check_syntax(self, source: str) -> None:
        from pycuda_tile.compilers.toolchain import find_compiler

        include = self.folder / "include"
        (small_floats,) = (header.parent for header in include.rglob("cuda_fp16.h"))
        predefined = include / "cuda_tile" / "predefined.h"
        flags = ["-std=c++20", "-fsyntax-only", "-w", f"-I{include}", "-idirafter", str(small_floats)]
        done = find_compiler().run([*flags, "-include", str(predefined), "-x", "c++", source])
        if done.returncode:
            raise Failed(done.stdout.strip().splitlines()[0])


# ---- the versions' files


def git(*arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True)
    if done.returncode:
        raise Failed(f"git {' '.join(arguments)}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def check_out(commit: str, folder: Path) -> None:
    with tarfile.open(fileobj=BytesIO(git("archive", commit))) as files:
        # Python before 3.10.12 and 3.11.4 knows no filters.
        files.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def copy_working_tree(folder: Path) -> None:
    """What a commit would have now: also files that git does not know yet, but none that it ignores."""
    names = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").decode().split("\0")
    for name in filter(None, names):
        if (source := ROOT / name).exists():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())


# ---- the comparison


class Cell(NamedTuple):
    speed: float
    text: str


def measure(what: str, name: str, arch: str, new: Version, old: Version) -> Cell:
    from interleaved import compare

    source = str(new.folder / "examples" / f"{name}.cu")

    def work(version: Version) -> Callable[[], object]:
        if what == "syntax":
            return lambda: version.check_syntax(source)
        if what == "run":
            return lambda: version.ask("run", name, source, count)
        return lambda: version.ask("build", name, source, what, arch if what == "simt" else None)

    count = 1
    for side, version in (("this tree", new), ("the commit", old)):
        try:
            count = version.ask("count", name, source) if what == "run" and version is new else count
            work(version)()
        except Failed as failure:
            return Cell(math.nan, f"{side}: {str(failure)[:60]}")
    result = compare(work(new), work(old))
    doubt = "" if result.is_conclusive else " ?"
    return Cell(result.speed, f"{result.speed:.2f} ({result.low:.2f} to {result.high:.2f}){doubt}")


def rows(options: argparse.Namespace, new: Version, old: Version) -> Iterator[str]:
    yield f"{'kernel':<16}" + "".join(f"{what:<26}" for what in options.measures)
    speeds: dict[str, list[float]] = {what: [] for what in options.measures}
    for name in options.kernels:
        cells = []
        for what in options.measures:
            cell = measure(what, name, options.arch, new, old)
            cells.append(f"{cell.text:<26}")
            if not math.isnan(cell.speed):
                speeds[what].append(cell.speed)
        yield f"{name:<16}" + "".join(cells).rstrip()
    middles = (f"{median(speeds[what]):.2f}" if speeds[what] else "none" for what in options.measures)
    yield f"{'median':<16}" + "".join(f"{middle:<26}" for middle in middles).rstrip()


def run(options: argparse.Namespace) -> None:
    commit = git("rev-parse", "--verify", options.commit + "^{commit}").decode().strip()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        check_out(commit, folder / "old")
        copy_working_tree(folder / "new")
        versions = [Version(folder / name) for name in ("new", "old")]
        for version in versions:
            stack.callback(version.close)
        for version in versions:
            version.ask("hello")
        if options.dry_run:
            print(f"{title(commit)}\nkernels: {', '.join(options.kernels)}")
            print(f"measures: {', '.join(options.measures)}\nboth versions can be used")
            return
        from overhead import machine

        print(f"{machine()}\n{title(commit)}; with quartiles, ? where they are far apart")
        for line in rows(options, *versions):
            print(line, flush=True)


def title(commit: str) -> str:
    subject = git("log", "-1", "--format=%h, %s", commit).decode().strip()
    return f"speed of this tree compared with {subject}"


def parse(arguments: list[str]) -> argparse.Namespace:
    from example_problems import PROBLEMS

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("commit", help="the other version, as git names it: HEAD, v1.0, a hash")
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose name contains TEXT")
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=MEASURES, help="default: all")
    parser.add_argument("--arch", default="sm_90", help="the architecture of simt (default: sm_90)")
    parser.add_argument("--dry-run", action="store_true", help="check out both versions, measure nothing")
    options = parser.parse_args(arguments)
    options.kernels = [name for name in PROBLEMS if options.only in name]
    if not options.kernels:
        parser.error(f"no example's name contains {options.only!r}")
    return options


def main() -> None:
    if sys.argv[1:2] == ["--serve"]:
        return Server(Path(sys.argv[2])).serve()
    try:
        run(parse(sys.argv[1:]))
    except Failed as failure:
        sys.exit(f"compare.py: {failure}")


if __name__ == "__main__":
    main()
