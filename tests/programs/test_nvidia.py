"""NVIDIA's front end is asked about the test programs: the installed version, and each other with --wide.

A comment `#name` in a program, or the name of a case, says why it disagrees, under that name in the table
`disagreements`; `name/right` is the name of the statement next to a case that must compile.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ahead import begins, result
from compilers import FOLDER, errors, installed_nvidia
from program_cases import NEGATIVE, cases, programs, slip, text, wrong_and_right

from pycuda_tile import spec

VERSIONS = [
    pytest.param(version, marks=[] if version == installed_nvidia() else pytest.mark.wide)
    for version in spec.API_VERSIONS
]
DISAGREEMENTS = spec.load("disagreements")


def marks(path: Path) -> dict[int, str]:
    """The #name of each statement of a program that has one in its comment, by its last line."""
    lines = enumerate(path.read_text().splitlines(), 1)
    return {
        number: found[1] for number, line in lines if (found := re.search(r"; *//.*#([a-z][a-z0-9-]+)", line))
    }


def last_line(path: Path, line: int) -> int:
    """The last line of the statement that a line of a program belongs to."""
    lines = enumerate(path.read_text().splitlines(), 1)
    return next(number for number, text in lines if number >= line and re.search(r";( *//.*)?$", text))


def on_good_programs(version: str) -> tuple[dict[str, str], int]:
    found, count = {}, 0
    for path in nvidias_programs(version):
        count += path.read_text().count("static_assert(")
        expected = marks(path)
        for error in errors(f"nvidia-{version}", path):
            place = last_line(path, error.line) if error.file == str(path) else 0
            found[f"{path.name}:{place} #{expected.get(place, '')}"] = error.message
    return found, count


def nvidias_programs(version: str) -> list[Path]:
    return [*programs(version), *FOLDER.glob(f"versions/*{version.replace('.', '_')}.cu")]


def on_wrong_programs(version: str) -> tuple[dict[str, str], int]:
    found, count = {}, 0
    for path in NEGATIVE:
        wrong, right = wrong_and_right(path, f"nvidia-{version}", version)
        count += len(wrong) + len(right)
        for case in cases(path, version):
            if not wrong[case.name]:
                found[case.name] = "accepted"
            elif reason := slip(case, wrong[case.name]):
                found[case.name] = f"refused for another reason: {reason}"
        found |= {name: text(refusal) for name, refusal in right.items() if refusal}
    return found, count


def answers(version: str) -> tuple[dict[str, str], int]:
    """What NVIDIA's front end says where it disagrees, by name, and the number of questions.

    A case has its own name; a static assertion is named by its place and #name.
    """
    (good, good_count), (wrong, wrong_count) = on_good_programs(version), on_wrong_programs(version)
    return good | wrong, good_count + wrong_count


@begins(answers)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.wide
def test_agreement_with_nvidia(version: str, record_property):
    """NVIDIA's front end agrees, except where the table disagreements gives a reason."""
    found, questions = result(answers, version=version)
    count = f"{questions - len(found)} of {questions}"
    record_property(f"agreement with NVIDIA's front end {version}", count)
    print(f"NVIDIA's front end {version} agrees on {count}")
    listed = {row.id for row in DISAGREEMENTS if version in row.versions.split()}
    unlisted = [f"{name}: {said}" for name, said in found.items() if listed_name(name) not in listed]
    assert not unlisted, f"list these in spec/tables/disagreements.tsv for {version}, or mend them:\n" + (
        "\n".join(unlisted)
    )
    marked = {
        f"{path.name}:{line} #{name}"
        for path in nvidias_programs(version)
        for line, name in marks(path).items()
        if name in listed
    }
    named = {name for name in listed if name not in map(listed_name, marked)}
    gone = sorted((marked | named) - set(found))
    assert not gone, f"no disagreement of {version} any more, remove from the table disagreements: {gone}"


def listed_name(name: str) -> str:
    """The name in the table disagreements of what was found."""
    return name.partition("#")[2] if "#" in name else name
