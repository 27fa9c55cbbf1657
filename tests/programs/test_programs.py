"""Well-formed and ill-formed programs: the manual's rules against what compilers accept.

positive/*.cu       static assertions; a comment `#name` marks one on which NVIDIA's front end disagrees
negative/*.toml     statements that must not compile, many per compiler run; see Case

The table disagreements says why NVIDIA's front end disagrees, under that name or the name of the case;
`name/right` is the name of the statement next to a case that must compile.
"""

from __future__ import annotations

import functools
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import compilers
import pytest
from ahead import begins, result
from compilers import COMPILERS, FOLDER, errors

from pycuda_tile import spec
from pycuda_tile.compilers import nvrtc, toolchain
from pycuda_tile.errors import TargetUnavailable

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest needs the same under its old name
    import tomli as tomllib

POSITIVE = sorted(FOLDER.glob("positive/*.cu"))
NEGATIVE = [*sorted(FOLDER.glob("negative/*.toml")), FOLDER / "manual" / "ill_formed.toml"]
NEWER = ("static_additions", "static_small_floats", "static_strides", "static_views")
DISAGREEMENTS = {row.id: row for row in spec.load("disagreements")}

# These errors do not count as refusals of a wrong program, since they are slips in the program itself.
SLIPS = re.compile(
    r"not declared|undeclared|undefined|not a member|has no member|no member named|unknown type|host function"
    r"|(?<!namespace 'ct' )does not name a type|without a body|expected ('|an? )"
)
PREAMBLE = """
#include "programs.h"
struct object {};
enum class color { red };
template <typename T>
__tile__ T value() {
  return T();
}
template <typename E>
__tile__ auto view() {
  ct::tensor_span span{static_cast<E*>(nullptr), ct::extents{4, 8}};
  return ct::partition_view{span, ct::shape{2_ic, 4_ic}};
}
"""


@dataclass(frozen=True)
class Case:
    """A statement that must not compile.

    section: of the manual
    wrong:   the statement
    right:   a similar one that must compile
    says:    what the error or one of its notes must say, usually the concept that is not satisfied
    unknown: whether a name in it is meant to be unknown
    """

    name: str
    section: str
    wrong: str
    right: str = ""
    says: str = ""
    unknown: bool = False


@functools.cache
def cases(path: Path) -> list[Case]:
    table = tomllib.loads(path.read_text())
    return [Case(name, **fields) for name, fields in table.items() if isinstance(fields, dict)]


def program(path: Path, statements: dict[str, str], folder: str) -> tuple[Path, dict[str, range]]:
    """A program with each statement in its own function, and the lines of each."""
    includes = tomllib.loads(path.read_text()).get("includes", [])
    lines = [f"#include <{header}>" for header in includes] + PREAMBLE.splitlines()
    places = {}
    for number, (name, statement) in enumerate(statements.items()):
        lines.append(f"__tile__ void case_{number}() {{")
        body = statement.strip().splitlines()
        places[name] = range(len(lines) + 1, len(lines) + len(body) + 1)
        lines += [*body, "}"]
    source = Path(folder, f"{path.stem}.cu")
    source.write_text("\n".join(lines) + "\n")
    return source, places


def wrong_and_right(path: Path, compiler: str) -> tuple[dict[str, list], dict[str, list]]:
    """The errors at each wrong statement and at each right one.

    Compilers report some errors in a header without saying where it was used. Such errors accompany an error
    in the statement, and a right statement must not cause them either.
    """
    wrong = {case.name: case.wrong for case in cases(path)}
    right = {f"{case.name}/right": case.right for case in cases(path) if case.right}
    return at_each(path, compiler, wrong), at_each(path, compiler, right, strict=True)


def at_each(path: Path, compiler: str, statements: dict[str, str], strict: bool = False) -> dict[str, list]:
    """The errors at each statement; with `strict`, errors elsewhere are not allowed."""
    found = {name: [] for name in statements}
    with tempfile.TemporaryDirectory() as folder:
        source, places = program(path, statements, folder)
        for error in errors(compiler, source):
            at = [name for name, lines in places.items() if error.file == str(source) and error.line in lines]
            assert at or not strict, f"{compiler}: an error that is in none of the cases: {error}"
            for name in at:
                found[name].append(error)
    return found


def text(found: list) -> str:
    return "\n".join(line for error in found for line in (error.message, *error.notes))


def host_is_gcc() -> bool:
    """Whether the host's compiler is the one whose messages the cases contain."""
    return toolchain.find_compiler().kind == "gcc"


def slip(case: Case, found: list) -> str:
    """The wrong reason for which a case is refused, if there is one; one proper error is enough."""
    slips = [error.message for error in found if SLIPS.search(error.message)]
    return slips[0] if found and len(slips) == len(found) and not case.unknown else ""


@begins(errors)
@pytest.mark.parametrize("compiler", [name for name in COMPILERS if name != "record"])
@pytest.mark.parametrize("path", POSITIVE, ids=lambda path: path.stem)
def test_well_formed(path: Path, compiler: str):
    assert result(errors, path=path, compiler=compiler) == []


@begins(errors)
@pytest.mark.sampled(12)
@pytest.mark.parametrize("compiler", ["record"])
@pytest.mark.parametrize("path", POSITIVE, ids=lambda path: path.stem)
def test_well_formed_in_record_mode(path: Path, compiler: str):
    assert result(errors, path=path, compiler=compiler) == []


@begins(wrong_and_right)
@pytest.mark.parametrize("compiler", ["host", "clang", "simt-sm_90"])
@pytest.mark.parametrize("path", NEGATIVE, ids=lambda path: path.stem)
def test_ill_formed(path: Path, compiler: str):
    assert_refused(path, compiler)


@begins(wrong_and_right)
@pytest.mark.sampled(8)
@pytest.mark.parametrize("compiler", ["record"])
@pytest.mark.parametrize("path", NEGATIVE, ids=lambda path: path.stem)
def test_ill_formed_in_record_mode(path: Path, compiler: str):
    assert_refused(path, compiler)


def assert_refused(path: Path, compiler: str) -> None:
    wrong, right = result(wrong_and_right, path=path, compiler=compiler)
    problems = [f"{name} must compile: {text(found)}" for name, found in right.items() if found]
    for case in cases(path):
        found = wrong[case.name]
        if not found:
            problems.append(f"{case.name} [{case.section}] compiles: {case.wrong}")
        elif slip(case, found):
            problems.append(f"{case.name} is refused for another reason: {slip(case, found)}")
        elif compiler == "host" and host_is_gcc() and case.says not in text(found):
            problems.append(f"{case.name}: the error does not say {case.says}: {text(found)}")
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("compiler", ["host", "clang"])
def test_the_version_of_the_manual(compiler: str):
    path = FOLDER / "versions" / "static_13_3.cu"
    check = compilers.host if compiler == "host" else compilers.clang
    try:
        assert check(path, "-DCUDA_TILE_API_VERSION=1303") == []
    except TargetUnavailable as error:
        pytest.skip(str(error))


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    "path", [path for path in POSITIVE if path.stem not in NEWER], ids=lambda path: path.stem
)
def test_well_formed_in_the_version_of_the_manual(path: Path):
    assert compilers.host(path, "-DCUDA_TILE_API_VERSION=1303") == []


def test_names_of_cases():
    names = [case.name for path in NEGATIVE for case in cases(path)]
    assert sorted(set(names)) == sorted(names)


def marks(path: Path) -> dict[int, str]:
    """The #name of each statement of a program that has one in its comment, by its last line."""
    lines = enumerate(path.read_text().splitlines(), 1)
    return {
        number: found[1] for number, line in lines if (found := re.search(r"; *//.*#([a-z][a-z0-9-]+)", line))
    }


def last_line(path: Path, line: int) -> int:
    """The name of the statement that a line of a program belongs to."""
    lines = enumerate(path.read_text().splitlines(), 1)
    return next(number for number, text in lines if number >= line and re.search(r";( *//.*)?$", text))


def nvidias_programs() -> list[Path]:
    """The programs in the API that NVIDIA's compiler has: that of its own version."""
    try:
        is_newest = nvrtc.version("") >= (13, 5)
    except TargetUnavailable as error:
        pytest.skip(str(error))
    return [path for path in POSITIVE if is_newest or path.stem not in NEWER]


def nvidia_on_good_programs() -> tuple[dict[str, str], int]:
    found, count = {}, 0
    for path in nvidias_programs():
        count += path.read_text().count("static_assert(")
        expected = marks(path)
        for error in errors("nvidia", path):
            place = last_line(path, error.line) if error.file == str(path) else 0
            found[f"{path.name}:{place} #{expected.get(place, '')}"] = error.message
    return found, count


def nvidia_on_wrong_programs() -> tuple[dict[str, str], int]:
    found, count = {}, 0
    for path in NEGATIVE:
        wrong, right = wrong_and_right(path, "nvidia")
        count += len(wrong) + len(right)
        for case in cases(path):
            if not wrong[case.name]:
                found[case.name] = "accepted"
            elif reason := slip(case, wrong[case.name]):
                found[case.name] = f"refused for another reason: {reason}"
        found |= {name: text(refusal) for name, refusal in right.items() if refusal}
    return found, count


def nvidia_disagreements() -> tuple[dict[str, str], int]:
    """What NVIDIA's front end says if it disagrees, by name, and the number of questions.

    A case has its own name; a static assertion is named by its place and #name.
    """
    good, good_count = nvidia_on_good_programs()
    wrong, wrong_count = nvidia_on_wrong_programs()
    return good | wrong, good_count + wrong_count


@begins(nvidia_disagreements)
def test_agreement_with_nvidia(record_property):
    """NVIDIA's front end agrees, except where the table disagreements gives a reason."""
    found, questions = result(nvidia_disagreements)
    count = f"{questions - len(found)} of {questions}"
    record_property("agreement with NVIDIA's front end", count)
    print(f"NVIDIA's front end agrees on {count}")
    unlisted = [f"{name}: {said}" for name, said in found.items() if listed_name(name) not in DISAGREEMENTS]
    assert not unlisted, "list these in spec/tables/disagreements.tsv, or mend them:\n" + "\n".join(unlisted)
    marked = {
        f"{path.name}:{line} #{name}" for path in nvidias_programs() for line, name in marks(path).items()
    }
    named = {name for name in DISAGREEMENTS if name not in map(listed_name, marked)}
    gone = sorted((marked | named) - set(found))
    assert not gone, f"no disagreement any more, remove from programs and the table disagreements: {gone}"


def listed_name(name: str) -> str:
    """The name in the table disagreements for `name` from nvidia_disagreements()."""
    return name.partition("#")[2] if "#" in name else name
