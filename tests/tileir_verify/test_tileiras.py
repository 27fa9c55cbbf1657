"""The verdicts of verify() match those of NVIDIA's tileiras."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from broken_modules import CHANGES, changed_module
from broken_programs import BROKEN
from broken_programs import module as broken_module
from mutations import mutations
from nvidia_tools import disassembler
from verdicts import RIGHT, STRICTER, WRONG, module

from pycuda_tile import tileir
from pycuda_tile.tileir.ir import Scalar, Tile

#: Rules that only we have: the text of such a module would be incomplete, or a number is meaningless.
OURS = {"one_type", "view_index", "predicate_fits", "alignment_power"}


@pytest.fixture(scope="session")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Callable[[list[tileir.Module]], list[str]]:
    """For each module, the objection of the verifier of NVIDIA's tools, or nothing."""
    tool = disassembler()
    folder = tmp_path_factory.mktemp("verdicts")

    def ask(number: int, module: tileir.Module) -> str:
        path = folder / f"{number}.tileir"
        path.write_bytes(tileir.write_bytecode(module, module.version))
        done = subprocess.run([tool, path], capture_output=True, text=True)
        path.unlink()
        return done.stderr or "no reason given" if done.returncode else ""

    def ask_all(modules: list[tileir.Module]) -> list[str]:
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(ask, range(len(modules)), modules))

    return ask_all


def verdict(module: tileir.Module) -> str:
    """The rule that a module breaks, if any."""
    try:
        tileir.verify(module)
    except tileir.VerifyError as error:
        return error.rule
    return ""


def test_right() -> None:
    tileir.verify(module(*RIGHT))


@pytest.mark.parametrize("body, rule, part", WRONG)
def test_wrong(body: str, rule: str, part: str) -> None:
    with pytest.raises(tileir.VerifyError) as error:
        tileir.verify(module(body))
    assert error.value.rule == rule
    assert part in str(error.value)
    assert str(error.value).startswith(f"line {error.value.line}: {error.value.op}: ")


def test_tileiras_takes_what_is_right(refused) -> None:
    if refused([module(*RIGHT)]) != [""]:
        assert dict(zip(RIGHT, refused([module(body) for body in RIGHT]), strict=True)) == dict.fromkeys(
            RIGHT, ""
        )


def test_tileiras_refuses_what_is_wrong(refused) -> None:
    modules = _written([module(body) for body, *_ in WRONG])
    assert len(modules) >= len(WRONG) - 1  # constants of i4 cannot even be written
    assert [str(m) for m, said in zip(modules, refused(modules), strict=True) if not said] == []


def test_tileiras_takes_what_only_we_refuse(refused) -> None:
    """If it ever rejects this, docs/tileir.md should no longer list it."""
    modules = [module(body) for body, _ in STRICTER]
    assert [verdict(m) for m in modules] == [rule for _, rule in STRICTER]
    shapes = module("%r:2 = get_tensor_shape %tv : tensor_view<32x16xf32, strides=[16,1]> -> tile<i32>")
    shapes.entries[0].body.ops[-2].results[1].type = Tile(Scalar("i64"), ())
    assert verdict(shapes) == "one_type"
    assert refused([*modules, shapes]) == [""] * (len(modules) + 1)


def _written(programs: list[tileir.Module]) -> list[tileir.Module]:
    """The modules that can be written at all."""
    found = []
    for program in programs:
        try:
            tileir.write_bytecode(program, program.version)
        except tileir.BytecodeError:
            continue
        found.append(program)
    return found


def test_tileiras_refuses_the_programs_that_break_a_rule(refused) -> None:
    programs = [broken_module(body) for body, *_ in BROKEN]
    programs += [changed_module(change) for change, *_ in CHANGES]
    written = _written(programs)
    assert len(written) > 90
    taken = [verdict(program) for program, said in zip(written, refused(written), strict=True) if not said]
    not_in_a_file = {"defined_once", "attribute_value"}
    assert set(taken) <= OURS | not_in_a_file


@pytest.mark.parametrize(
    "count", [150, pytest.param(3000, marks=pytest.mark.wide)], ids=["some mutations", "many mutations"]
)
def test_mutations(count: int, refused) -> None:
    """Modules of one operation each, in which types, shapes, modes or operands were changed."""
    modules = _written([*mutations(count)])
    assert len(modules) > count // 2
    said = refused(modules)
    differ = []
    for m, theirs in zip(modules, said, strict=True):
        ours = verdict(m)
        if bool(ours) != bool(theirs) and ours not in OURS:
            differ.append(f"{m}\nours: {ours or 'right'}; theirs: {theirs or 'right'}")
    assert "\n".join(differ) == ""
