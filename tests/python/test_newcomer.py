"""Beginners' mistakes: each command and public function says in one line what is wrong and what to do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import traceback
from itertools import pairwise
from pathlib import Path

import pytest

import pycuda_tile as pct
from pycuda_tile import tileir
from pycuda_tile.cli import main
from pycuda_tile.compilers import toolchain
from pycuda_tile.system import cache

KERNEL = '#include "cuda_tile.h"\n__tile_global__ void k(int* x) { x[0] = 1; }\n'


@pytest.fixture
def files(tmp_path: Path, monkeypatch) -> Path:
    """A working folder with one source and files that are not sources."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.cu").touch()
    (tmp_path / "folder.cu").mkdir()
    (tmp_path / "binary.cu").write_bytes(b"\xff\xfe\0")
    (tmp_path / "ok.cu").write_text(KERNEL)
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["compile", "-o", "out", "--target", "cpu"],
        ["kernels"],
        ["check"],
        ["tileir", "print"],
        ["tileir", "verify"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nosuch.cu", ("does not exist", "No such file")),
        ("folder.cu", ("Is a directory",)),
        ("binary.cu", ("is not UTF-8 text", "neither Tile IR bytecode nor text")),
        ("ok.cu/below", ("Not a directory",)),
    ],
)
def test_files_that_are_no_sources(files, capsys, words: list[str], name: str, said: tuple[str, ...]):
    assert main([*words, name]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("pycuda-tile: ") and name in line and any(words in line for words in said)


@pytest.mark.parametrize("words", [["kernels", "ok.cu"], ["cache", "info"], ["tileir", "print", "empty.cu"]])
def test_output_that_cannot_be_written(files, words: list[str]):
    environment = {**os.environ, "PYTHONPATH": str(Path(pct.__file__).parents[1])}
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pycuda_tile", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment,
        )
    assert done.returncode == 1
    assert done.stderr.decode() == "pycuda-tile: cannot write the output: No space left on device\n"


def test_many_errors_do_not_speak_of_python(files, capsys):
    Path("bad.cu").write_text("".join(f"int x{n} = nosuch{n};\n" for n in range(30)))
    assert main(["compile", "bad.cu", "-o", "out", "--target", "cpu"]) == 1
    error = capsys.readouterr().err
    assert "more errors" in error and ".diagnostics" not in error


@pytest.mark.parametrize("command", ['"', "/bin/ls", " ", "nosuch --flag"])
def test_a_wrong_compiler(monkeypatch, command: str):
    monkeypatch.setenv("PYCUDA_TILE_CXX", command)
    with pytest.raises(pct.TargetUnavailable, match=r"PYCUDA_TILE_CXX=.* is not a"):
        toolchain.find_compiler()


@pytest.mark.parametrize("value", ["-5", "much", ""])
def test_a_wrong_bound_of_the_cache(monkeypatch, cache_folder, value: str):
    monkeypatch.setenv("PYCUDA_TILE_CACHE_MEGABYTES", value)
    assert cache.info()["limit_bytes"] == 1024 << 20


def shown_help(capsys, *words: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_help_explains_each_command_and_argument(capsys):
    overview = shown_help(capsys)
    commands = re.findall(r"^    ([a-z]+)\b", overview, re.M)
    assert len(commands) == 12
    actions = [["tileir", action] for action in ("print", "verify", "run", "write")]
    for words in [*([command] for command in commands if command not in ("run", "nvcc", "tileir")), *actions]:
        text = shown_help(capsys, *words)
        before, *listed = re.split(r"\n\n(?:positional arguments|options):\n", text)
        assert len(before.split("\n\n")) >= 2, f"{words}: no description"
        lines = "\n".join(section.split("\n\n")[0] for section in listed).splitlines()
        for line, following in pairwise([*lines, ""]):
            is_entry = line.startswith("  ") and line[2] != " "
            is_explained = re.search(r"\S {2,}\S", line[2:]) or following.startswith(" " * 20)
            assert is_explained or not is_entry, f"{words}: {line}"


def test_tracebacks_end_at_what_was_called():
    wrong = KERNEL.replace("= 1", "= nosuch")
    template = "template <int N> " + KERNEL.partition("\n")[2]
    module = pct.build(KERNEL.partition("\n")[0] + "\n" + template, target="cpu")
    for call in (
        lambda: pct.build(wrong, target="cpu"),
        lambda: tileir.from_cpp(wrong),
        lambda: module["k<float>"],
        lambda: module["nosuch"],
        lambda: tileir.parse("entry @k() { %0 = iota : tle<8xi32> }"),
    ):
        with pytest.raises(pct.Error) as caught:
            call()
        error = caught.value
        frames = traceback.extract_tb(error.__traceback__)
        assert sum(f"{os.sep}pycuda_tile{os.sep}" in frame.filename for frame in frames) <= 2, error
        assert error.__cause__ is None and (error.__suppress_context__ or error.__context__ is None)


WRONG_TYPES = [
    (lambda: tileir.parse(b"entry"), "the text of a module must be a str, got bytes"),
    (lambda: tileir.read_bytecode("text"), "bytecode must be a bytes-like object, got str"),
    (lambda: tileir.read_bytecode(3), "bytecode must be a bytes-like object, got int"),
    (lambda: tileir.verify("text"), "expected a module of Tile IR, got str: tileir.parse reads text"),
    (lambda: tileir.build(b"x"), "expected a module of Tile IR, got bytes: tileir.read_bytecode reads bytes"),
    (lambda: tileir.interpret(3, "k", 1), "expected a module of Tile IR, got int"),
    (lambda: tileir.write_bytecode(3), "expected a module of Tile IR, got int"),
]


@pytest.mark.parametrize(("call", "said"), WRONG_TYPES)
def test_what_is_no_module(call, said: str):
    with pytest.raises(pct.Error) as caught:
        call()
    assert isinstance(caught.value, TypeError) and str(caught.value).endswith(said)
