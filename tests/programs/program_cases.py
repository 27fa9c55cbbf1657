"""The test programs of each version of the API, and what a compiler says of their statements.

positive/*.cu       static assertions; a comment `#name` marks one on which NVIDIA's front end disagrees
negative/*.toml     statements that must not compile, many per compiler run; see Case

The first line of a program says since which version of the API it is well-formed, if not since 13.3.
"""

from __future__ import annotations

import functools
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from compilers import FOLDER, errors

from pycuda_tile import spec

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10, where pytest needs the same under its old name
    import tomli as tomllib

POSITIVE = sorted(FOLDER.glob("positive/*.cu"))
NEGATIVE = [*sorted(FOLDER.glob("negative/*.toml")), FOLDER / "manual" / "ill_formed.toml"]
NEWEST = spec.API_VERSIONS[-1]

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
    since:   the first version of the API of which this holds
    """

    name: str
    section: str
    wrong: str
    right: str = ""
    says: str = ""
    unknown: bool = False
    since: str = "13.3"


def programs(version: str = NEWEST) -> list[Path]:
    """The well-formed programs of a version."""
    return [path for path in POSITIVE if _has(version, _since(path))]


def _since(path: Path) -> str:
    first = path.read_text().partition("\n")[0]
    found = re.search(r"Since (\d+\.\d+)", first)
    return found[1] if found else spec.API_VERSIONS[0]


def _has(version: str, since: str) -> bool:
    return spec.API_VERSIONS.index(since) <= spec.API_VERSIONS.index(version)


@functools.cache
def cases(path: Path, version: str = NEWEST) -> list[Case]:
    """The cases of a file that a version has."""
    table = tomllib.loads(path.read_text())
    every = [Case(name, **fields) for name, fields in table.items() if isinstance(fields, dict)]
    return [case for case in every if _has(version, case.since)]


def _program(path: Path, statements: dict[str, str], folder: str) -> tuple[Path, dict[str, range]]:
    """A program with each statement in its own function, and the lines of each."""
    table = tomllib.loads(path.read_text())
    lines = [f"#include <{header}>" for header in table.get("includes", [])]
    lines += [*PREAMBLE.splitlines(), *table.get("preamble", "").splitlines()]
    places = {}
    for number, (name, statement) in enumerate(statements.items()):
        lines.append(f"__tile__ void case_{number}() {{")
        body = statement.strip().splitlines()
        places[name] = range(len(lines) + 1, len(lines) + len(body) + 1)
        lines += [*body, "}"]
    source = Path(folder, f"{path.stem}.cu")
    source.write_text("\n".join(lines) + "\n")
    return source, places


def wrong_and_right(
    path: Path, compiler: str, version: str = NEWEST
) -> tuple[dict[str, list], dict[str, list]]:
    """The errors at each wrong statement and at each right one.

    Compilers report some errors in a header without saying where it was used. Such errors accompany an error
    in the statement, and a right statement must not cause them either.
    """
    wrong = {case.name: case.wrong for case in cases(path, version)}
    right = {f"{case.name}/right": case.right for case in cases(path, version) if case.right}
    return _at_each(path, compiler, wrong), _at_each(path, compiler, right, strict=True)


def _at_each(path: Path, compiler: str, statements: dict[str, str], strict: bool = False) -> dict[str, list]:
    """The errors at each statement; with `strict`, errors elsewhere are not allowed."""
    found = {name: [] for name in statements}
    if not statements:
        return found
    with tempfile.TemporaryDirectory() as folder:
        source, places = _program(path, statements, folder)
        for error in errors(compiler, source):
            at = [name for name, lines in places.items() if error.file == str(source) and error.line in lines]
            assert at or not strict, f"{compiler}: an error that is in none of the cases: {error}"
            for name in at:
                found[name].append(error)
    return found


def text(found: list) -> str:
    return "\n".join(line for error in found for line in (error.message, *error.notes))


def slip(case: Case, found: list) -> str:
    """The wrong reason for which a case is refused, if there is one; one proper error is enough."""
    slips = [error.message for error in found if SLIPS.search(error.message)]
    return slips[0] if found and len(slips) == len(found) and not case.unknown else ""
