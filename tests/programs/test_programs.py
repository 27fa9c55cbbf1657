"""Programs that are well-formed and programs that are not: what the manual says, and what compilers say.

positive/*.cu    programs of static assertions; a comment `#name` marks one on which NVIDIA's front end disagrees
negative/*.toml  statements that must not compile, many to a compiler run; see Case
disagreements.toml  why NVIDIA's front end disagrees, by name; the name of a negative case is its own, `name/right` is
                 that of the statement beside it which must compile
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from compilers import COMPILERS, FOLDER, errors

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest needs the same under its old name
    import tomli as tomllib

POSITIVE = sorted(FOLDER.glob("positive/*.cu"))
NEGATIVE = sorted(FOLDER.glob("negative/*.toml"))
DISAGREEMENTS = tomllib.loads((FOLDER / "disagreements.toml").read_text())

# A wrong program must not be refused for these, which are slips in the program itself.
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
  return ct::partition_view{ct::tensor_span{static_cast<E*>(nullptr), ct::extents{4, 8}}, ct::shape{2_ic, 4_ic}};
}
"""


@dataclass(frozen=True)
class Case:
    """A statement that must not compile.

    section: of the manual
    wrong:   the statement
    right:   a similar one which must compile
    says:    what the error must say, in one of its notes perhaps: mostly the concept that is not met
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


def program(path: Path, statements: dict[str, str], folder: Path) -> tuple[Path, dict[str, range]]:
    """A program with each statement in a function of its own, and the lines of each."""
    includes = tomllib.loads(path.read_text()).get("includes", [])
    lines = [f"#include <{header}>" for header in includes] + PREAMBLE.splitlines()
    places = {}
    for number, (name, statement) in enumerate(statements.items()):
        lines.append(f"__tile__ void case_{number}() {{")
        body = statement.strip().splitlines()
        places[name] = range(len(lines) + 1, len(lines) + len(body) + 1)
        lines += [*body, "}"]
    source = folder / f"{path.stem}.cu"
    source.write_text("\n".join(lines) + "\n")
    return source, places


def wrong_and_right(path: Path, folder: Path, compiler: str) -> tuple[dict[str, list], dict[str, list]]:
    """The errors at each wrong statement and at each right one.

    Compilers report some errors in a header without saying whence it was used; they come beside an error in the
    statement, and a right statement must not cause them either.
    """
    wrong = {case.name: case.wrong for case in cases(path)}
    right = {f"{case.name}/right": case.right for case in cases(path) if case.right}
    results = []
    for statements in (wrong, right):
        source, places = program(path, statements, folder)
        found = {name: [] for name in statements}
        for error in errors(compiler, source):
            at = [name for name, lines in places.items() if error.file == str(source) and error.line in lines]
            assert at or statements is wrong, f"{compiler}: an error that is in none of the cases: {error}"
            for name in at:
                found[name].append(error)
        results.append(found)
    return results[0], results[1]


def text(found: list) -> str:
    return "\n".join(line for error in found for line in (error.message, *error.notes))


def slip(case: Case, found: list) -> str:
    """What a case is refused for if that is none of its errors' business; one proper error is enough."""
    slips = [error.message for error in found if SLIPS.search(error.message)]
    return slips[0] if found and len(slips) == len(found) and not case.unknown else ""


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("path", POSITIVE, ids=lambda path: path.stem)
def test_well_formed(path: Path, compiler: str):
    assert errors(compiler, path) == []


@pytest.mark.parametrize("compiler", [name for name in COMPILERS if name not in ("host-32-threads", "simt-sm_75")])
@pytest.mark.parametrize("path", NEGATIVE, ids=lambda path: path.stem)
def test_ill_formed(path: Path, compiler: str, tmp_path: Path):
    wrong, right = wrong_and_right(path, tmp_path, compiler)
    problems = [f"{name} must compile: {text(found)}" for name, found in right.items() if found]
    for case in cases(path):
        found = wrong[case.name]
        if not found:
            problems.append(f"{case.name} [{case.section}] compiles: {case.wrong}")
        elif slip(case, found):
            problems.append(f"{case.name} is refused for another reason: {slip(case, found)}")
        elif compiler == "host" and case.says not in text(found):
            problems.append(f"{case.name}: the error does not say {case.says}: {text(found)}")
    assert not problems, "\n".join(problems)


def test_names_of_cases():
    names = [case.name for path in NEGATIVE for case in cases(path)]
    assert sorted(set(names)) == sorted(names)


def mark(path: Path, line: int) -> str:
    """The #name in the comments of the statement that begins at a line of a program, "" if it has none."""
    statement = re.match(r".*?;[ \t]*(//[^\n]*)?$", "\n".join(path.read_text().splitlines()[line - 1 :]), re.S | re.M)
    found = re.search(r"//.*#([a-z][a-z0-9-]+)", statement[0]) if statement else None
    return found[1] if found else ""


def nvidia_on_good_programs() -> tuple[dict[str, str], int]:
    """Where NVIDIA's front end refuses a static assertion, by the name of the disagreement, and how many there are."""
    found, count = {}, 0
    for path in POSITIVE:
        count += path.read_text().count("static_assert(")
        for error in errors("nvidia", path):
            name = mark(path, error.line) if error.file == str(path) else ""
            found[name or f"{path.name}:{error.line}"] = error.message
    return found, count


def nvidia_on_wrong_programs(folder: Path) -> tuple[dict[str, str], int]:
    found, count = {}, 0
    for path in NEGATIVE:
        wrong, right = wrong_and_right(path, folder, "nvidia")
        count += len(wrong) + len(right)
        for case in cases(path):
            if not wrong[case.name]:
                found[case.name] = "accepted"
            elif reason := slip(case, wrong[case.name]):
                found[case.name] = f"refused for another reason: {reason}"
        found |= {name: text(refusal) for name, refusal in right.items() if refusal}
    return found, count


def test_agreement_with_nvidia(tmp_path: Path, record_property):
    """NVIDIA's front end agrees but where disagreements.toml says why it does not."""
    good, good_count = nvidia_on_good_programs()
    wrong, wrong_count = nvidia_on_wrong_programs(tmp_path)
    found = good | wrong
    count = f"{good_count + wrong_count - len(found)} of {good_count + wrong_count}"
    record_property("agreement with NVIDIA's front end", count)
    print(f"NVIDIA's front end agrees on {count}")
    unlisted = {name: message for name, message in found.items() if name not in DISAGREEMENTS}
    assert not unlisted, "list these in disagreements.toml, or mend them:\n" + "\n".join(
        f"{name}: {message}" for name, message in unlisted.items()
    )
    gone = [name for name in DISAGREEMENTS if name not in found]
    assert not gone, f"no disagreement any more, remove from disagreements.toml: {gone}"


def test_disagreements_are_explained():
    for name, entry in DISAGREEMENTS.items():
        assert set(entry) == {"section", "right", "why"} and entry["right"] in ("manual", "nvidia", "open"), name
