"""Our kernels on a GPU: whether they are right, and how fast they are beside NVIDIA's tile compiler on the
same source, cuBLAS, cuDNN and PyTorch's own kernels, Triton, and copies.

    python benchmarks/gpu.py --make-bundle     first, where there need be no GPU: all that runs there
    python benchmarks/gpu.py --make-peers      the same, with NVIDIA's code
    python benchmarks/gpu.py --output DIR      on the GPU, in ten minutes: see on_gpu/session.py
    python benchmarks/gpu.py --dry-run         the whole run without a GPU, at small sizes
    python benchmarks/gpu.py --judge DIR       tests decide about results that differ from what they had

A bundle is a folder, build/gpu_bundle if --bundle does not say otherwise. The machine with the GPU needs it
alone: there, `python BUNDLE/session.py` does what --output does here."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "on_gpu"))
import session


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    session.add_arguments(parser)
    parser.add_argument("--make-bundle", action="store_true", help="launches of tests, and our kernels")
    parser.add_argument("--make-peers", action="store_true", help="and NVIDIA's code; minutes of compilers")
    parser.add_argument("--without-tests", action="store_true", help="of --make-...: only what is timed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    parser.add_argument("--judge", type=Path, metavar="DIR", help="the --output of a run")
    given = parser.parse_args()
    if given.make_bundle or given.make_peers:
        import make

        make.make(given.bundle, given.only, not given.without_tests, given.make_peers, given.jobs)
        return 0
    if given.judge:
        import judge

        return judge.judge(given.judge.absolute(), given.bundle)
    return session.main(given)


if __name__ == "__main__":
    sys.exit(main())
