"""Well-formed and ill-formed programs: the manual's rules against what compilers accept.

program_cases.py says what the programs are; test_nvidia.py asks NVIDIA's front end about them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ahead import begins, result
from compilers import COMPILERS, FOLDER, errors
from program_cases import NEGATIVE, POSITIVE, cases, programs, slip, text, wrong_and_right

from pycuda_tile import spec
from pycuda_tile.compilers import toolchain

OLDER = spec.API_VERSIONS[:-1]


def host_is_gcc() -> bool:
    """Whether the host's compiler is the one whose messages the cases contain."""
    return toolchain.find_compiler().kind == "gcc"


@begins(errors)
@pytest.mark.parametrize("compiler", ["host"])
@pytest.mark.parametrize("path", POSITIVE, ids=lambda path: path.stem)
def test_well_formed(path: Path, compiler: str):
    assert result(errors, path=path, compiler=compiler) == []


@begins(errors)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("compiler", [name for name in COMPILERS if name != "host"])
@pytest.mark.parametrize("path", POSITIVE, ids=lambda path: path.stem)
def test_well_formed_elsewhere(path: Path, compiler: str):
    assert result(errors, path=path, compiler=compiler) == []


@begins(wrong_and_right)
@pytest.mark.parametrize("compiler", ["host"])
@pytest.mark.parametrize("path", NEGATIVE, ids=lambda path: path.stem)
def test_ill_formed(path: Path, compiler: str):
    assert_refused(path, compiler, *result(wrong_and_right, path=path, compiler=compiler))


@begins(wrong_and_right)
@pytest.mark.sampled(4)
@pytest.mark.parametrize("compiler", ["clang", "simt-sm_90", "record"])
@pytest.mark.parametrize("path", NEGATIVE, ids=lambda path: path.stem)
def test_ill_formed_elsewhere(path: Path, compiler: str):
    assert_refused(path, compiler, *result(wrong_and_right, path=path, compiler=compiler))


def assert_refused(path: Path, compiler: str, wrong: dict[str, list], right: dict[str, list]) -> None:
    problems = [f"{name} must compile: {text(found)}" for name, found in right.items() if found]
    for case in cases(path):
        if case.name not in wrong:  # newer than the version that was asked
            continue
        found = wrong[case.name]
        if not found:
            problems.append(f"{case.name} [{case.section}] compiles: {case.wrong}")
        elif slip(case, found):
            problems.append(f"{case.name} is refused for another reason: {slip(case, found)}")
        elif compiler == "host" and host_is_gcc() and case.says not in text(found):
            problems.append(f"{case.name}: the error does not say {case.says}: {text(found)}")
    assert not problems, "\n".join(problems)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("compiler", ["host", "clang"])
@pytest.mark.parametrize("version", OLDER)
def test_what_older_versions_are(version: str, compiler: str):
    """What a later version changes or adds: versions/*.cu."""
    path = FOLDER / "versions" / f"static_{version.replace('.', '_')}.cu"
    assert errors(f"{compiler}-{version}", path) == []


@pytest.mark.sampled(16)
@pytest.mark.parametrize(
    "path, version",
    [(path, version) for version in OLDER for path in programs(version)],
    ids=lambda value: value if isinstance(value, str) else value.stem,
)
def test_well_formed_in_older_versions(path: Path, version: str):
    assert errors(f"host-{version}", path) == []


@pytest.mark.sampled(16)
@pytest.mark.parametrize("version", OLDER)
@pytest.mark.parametrize("path", NEGATIVE, ids=lambda path: path.stem)
def test_ill_formed_in_older_versions(path: Path, version: str):
    compiler = f"host-{version}"
    assert_refused(path, compiler, *wrong_and_right(path, compiler, version))


def test_names_of_cases():
    names = [case.name for path in NEGATIVE for case in cases(path)]
    assert sorted(set(names)) == sorted(names)
