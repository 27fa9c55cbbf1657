"""`pycuda-tile coverage`: which parts of the API [spec/tables/api.tsv] exist.

documented     the entity has a line in docs/reference/cpp/
implemented    the header that its row names declares it, and cuda_tile.h includes that header: `declarations`
tested         a source that the tests gave to the target's compiler uses it: `sources`, `uses`

All three compare text by name and form; their modules say what they cannot see. In particular, a source that
uses an entity need not check all of it: this finds what no test touches, but does not show that the rest is
tested well. Without a checkout, as in an installed package, it cannot know what is documented and tested.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, SimpleNamespace

from ... import spec, targets
from ...compilers import nvrtc
from ...errors import TargetUnavailable
from ...system.resources import include_dir
from .declarations import Headers
from .sources import VARIABLE, Sources

_RUN_TESTS = "run `python3 run.py test`"


@dataclass(frozen=True)
class Status:
    """Which of these hold for an entity; None means unknown."""

    row: SimpleNamespace
    implemented: bool
    documented: bool | None
    tested: dict[str, bool | None]

    def missing(self, on: Sequence[str] = targets.NAMES) -> str:
        """What is missing, including tests on these targets, as text; "" if nothing is."""
        untested = [target for target in on if self.tested[target] is False]
        faults = [
            f"not declared in {self.row.header}" if not self.implemented else "",
            "not in docs/reference/cpp" if self.documented is False else "",
            f"not tested on {', '.join(untested)}" if untested else "",
        ]
        return "; ".join(filter(None, faults))

    def is_complete(self, on: Sequence[str] = targets.NAMES) -> bool:
        """Whether nothing is missing, including tests on these targets."""
        return (
            self.implemented
            and self.documented is not False
            and all(self.tested[target] is not False for target in on)
        )


def checkout() -> Path | None:
    """The repository that this package is used from, or None if it was installed."""
    root = Path(__file__).resolve().parents[3]
    return root if (root / "tests/programs/positive").is_dir() else None


def built_folder(root: Path) -> Path:
    """The folder in which the tests of a checkout leave the sources that they built."""
    return Path(os.environ.get(VARIABLE) or root / "build" / "tested")


def statuses(
    rows: Sequence[SimpleNamespace],
    include: Path,
    reference: str | None,
    sources: Sources | None,
    versions: Mapping[str, str] = MappingProxyType({}),
) -> list[Status]:
    """The status of each row, from the headers in `include`, the reference's text and the tests' sources.

    versions: of targets with a compiler that has another API than this project's header; what is newer
        cannot be tested on them
    """
    absent = Headers(include).missing(rows)
    undocumented = _undocumented(rows, reference) if reference is not None else set()
    return [
        Status(
            row,
            row.id not in absent,
            None if reference is None else row.id not in undocumented,
            {
                target: _is_tested(row, target, sources) if _has(versions.get(target), row) else None
                for target in targets.NAMES
            },
        )
        for row in rows
    ]


def _is_tested(row: SimpleNamespace, target: str, sources: Sources | None) -> bool | None:
    if row.exposition == "yes":
        return True
    return sources.test(row, target) if sources else None


def _has(version: str | None, row: SimpleNamespace) -> bool:
    """Whether a version of the API has an entity; None is the newest."""
    order = spec.API_VERSIONS
    return version not in order or order.index(row.since) <= order.index(version)


def _nvidias_version() -> dict[str, str]:
    try:
        return {"tile": ".".join(map(str, nvrtc.version("")))}
    except TargetUnavailable:
        return {}


def _undocumented(rows: Sequence[SimpleNamespace], reference: str) -> set[str]:
    """The ids of the rows that have fewer lines in the reference than there are such rows.

    Those for exposition only need none.
    """
    rows = [row for row in rows if row.exposition == "no"]
    lines = [line.split(" | ")[0] for line in reference.splitlines() if line.startswith("| ")]
    found = Counter(line.replace("\\|", "|") for line in lines)
    wanted = Counter(map(_line, rows))
    return {row.id for row in rows if found[_line(row)] < wanted[_line(row)]}


def _line(row: SimpleNamespace) -> str:
    return f"| `{spec.entry(row)}`"


def reference_text(root: Path) -> str:
    """The pages of the C++ reference in a checkout, one after the other."""
    pages = sorted((root / "docs/reference/cpp").glob("*.md"))
    return "\n".join(page.read_text(encoding="utf-8") for page in pages)


def report(missing_only: bool = False, part: bool = False) -> tuple[str, bool]:
    """The text that `pycuda-tile coverage` prints, and whether nothing is missing that must be there.

    part: only some of the tests ran, so what they leave out is listed but not counted as missing
    """
    root = checkout()
    text = reference_text(root) if root else None
    sources = Sources(root, built_folder(root)) if root else None
    built = {name: sources.count(name) if sources else 0 for name in targets.NAMES}
    ran = any(built.values())
    found = statuses(spec.load("api"), include_dir(), text, sources if ran else None, _nvidias_version())
    # Not every machine can build for GPUs: a target for which nothing was built is not judged.
    judged = [each.name for each in targets.every() if ran and (not each.on_gpu or built[each.name])]
    needed = [] if part else judged
    lines = [] if missing_only else [*_table(found), ""]
    faults = [(status.row.id, status.missing(targets.NAMES if not part else ())) for status in found]
    lines += [f"{entity}: {fault}" for entity, fault in faults if fault]
    if part:
        lines += _left_to_other_tests(found, judged)
    if root is None:
        lines.append("documented, tested: unknown (run this in a checkout)")
    elif not ran:
        lines.append(
            f"tested: unknown, because no test has left a source in {built_folder(root)}: {_RUN_TESTS}"
        )
    complete = all(status.is_complete(needed) for status in found) and (ran or root is None)
    return "\n".join(lines or ["nothing is missing"]), complete


def _left_to_other_tests(found: Sequence[Status], on: Sequence[str]) -> Iterator[str]:
    """One line per target: what the tests that ran leave out."""
    for target in on:
        if left := [status.row.id for status in found if status.tested[target] is False]:
            yield f"{target}: {len(left)} are tested only by `python3 run.py test --all`: {', '.join(left)}"


def _table(found: Sequence[Status]) -> Iterator[str]:
    """Counts per chapter and per version, without the entities for exposition only, which need no
    implementation."""
    found = [status for status in found if status.row.exposition == "no"]
    heads = ["rows", "documented", "implemented", *targets.NAMES]
    yield " " * 45 + "".join(f"{head:>13}" for head in heads)
    for chapter in spec.load("chapters"):
        of_chapter = [status for status in found if f"{status.row.section}.".startswith(f"{chapter.id}.")]
        yield _table_line(f"{chapter.id} {chapter.title}", of_chapter)
    for version in spec.API_VERSIONS:
        yield _table_line(f"the API of {version}", [status for status in found if _has(version, status.row)])


def _table_line(title: str, found: Sequence[Status]) -> str:
    columns: list[list[bool | None]] = [
        [status.documented for status in found],
        [status.implemented for status in found],
        *([status.tested[target] for status in found] for target in targets.NAMES),
    ]
    unknown = [bool(column) and column.count(None) == len(column) for column in columns]
    counts = [
        "unknown" if none else str(column.count(True)) for none, column in zip(unknown, columns, strict=True)
    ]
    return f"{title:<45}" + "".join(f"{count:>13}" for count in [str(len(found)), *counts])
