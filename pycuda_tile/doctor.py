"""What `pycuda-tile doctor` finds out: for each target what is there, what is missing, and what installs
it."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from dataclasses import dataclass

from . import cache, gpu, nvrtc, resources, toolchain
from .errors import Error, TargetUnavailable
from .version import VERSION


@dataclass
class Finding:
    """compiles, runs: what the target can do here; notes: what was found or is missing, a line each."""

    target: str
    compiles: bool
    runs: bool
    notes: list[str]


def examine() -> list[Finding]:
    """One finding a target."""
    return [_host("cpu"), _host("emulated"), _simt(), _tile()]


def report() -> tuple[str, bool]:
    """The text for people, and whether at least one target runs here."""
    info = cache.info()
    lines = [
        f"pycuda_tile {VERSION}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}",
        f"headers  {resources.include_dir()}",
        f"cache    {info['folder']}: {info['entries']} entries, {info['bytes'] / 1e6:.1f} MB",
        "",
    ]
    if (platform.system(), platform.machine()) not in (("Linux", "x86_64"), ("Linux", "aarch64")):
        lines.insert(1, "this platform is untested: Linux on x86-64 and aarch64 are supported")
    findings = examine()
    for finding in findings:
        state = (
            "runs here"
            if finding.runs
            else "compiles, cannot run here"
            if finding.compiles
            else "not available"
        )
        lines.append(f"{finding.target:9} {state}")
        lines += [f"          {note}" for note in finding.notes]
    return "\n".join(lines), any(finding.runs for finding in findings)


def _host(target: str) -> Finding:
    notes: list[str] = []
    found = _try(notes, lambda: f"compiler: {toolchain.find_compiler()}")
    launcher = resources.launcher_library()
    notes.append(f"launcher: {launcher or 'is compiled when it is first used'}")
    notes.append(
        f"cores: {len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()}"
    )
    return Finding(target, found, found, notes)


def _simt() -> Finding:
    notes: list[str] = []
    found = _try(notes, lambda: f"NVRTC {_version(gpu.INSTALL)}")
    return Finding("simt", found, found and _device(notes), notes)


def _tile() -> Finding:
    from .targets import tile

    notes: list[str] = []
    found = _try(notes, lambda: f"NVRTC {_version(tile.INSTALL)}, headers {tile.check_available()}")
    assembles = _try(notes, lambda: f"tileiras: {tile.find_tileiras()}")
    return Finding("tile", found, found and assembles and _device(notes), notes)


def _version(install: str) -> str:
    return ".".join(map(str, nvrtc.version(install)))


def _device(notes: list[str]) -> bool:
    capability = gpu.compute_capability()
    if capability is None:
        notes.append("no CUDA GPU, or no driver for it")
        return False
    notes.append(f"CUDA GPU of compute capability {capability[0]}.{capability[1]}")
    if not gpu.has_cuda_python():
        notes.append(f"launching needs cuda-python: {gpu.INSTALL}")
    return gpu.is_usable()


def _try(notes: list[str], find: Callable[[], str]) -> bool:
    try:
        notes.append(find())
        return True
    except TargetUnavailable as error:
        notes.append(f"missing: {error}")
    except Error as error:
        notes.append(f"failed: {error}")
    return False
