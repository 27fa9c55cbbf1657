"""The runner of a page's code blocks finds what is wrong with a page, and passes what is right."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from page_blocks import blocks_of
from page_output import same_output
from page_shell import Shell, commands_of
from run_pages import HERE, Result, run_page_once


@pytest.fixture
def run(tmp_path: Path):
    """Runs a page, and returns its exit status and what the runner said. Pictures go to tmp_path/pictures."""

    def run(page: str) -> tuple[int, str]:
        path = tmp_path / "page.md"
        path.write_text(page, encoding="utf-8")
        folder = Path(tempfile.mkdtemp(dir=tmp_path))
        command = [sys.executable, HERE / "page_runner.py", path, folder, tmp_path / "pictures"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert not done.stderr
        return done.returncode, done.stdout

    return run


GOOD = """
# A page

```python
import inspect
from pathlib import Path
x = 3
def f():
    return "source"
print("x is", x)
```

prints

```text
x is …
```

```python
# module.py
ANSWER = 42
```

```python
import module
assert module.ANSWER == 42 and x == 3
assert 'return "source"' in inspect.getsource(f)
Path("made.svg").write_text("<svg/>")
Path("not_shown.svg").write_text("<svg/>")
```

![a picture](made.svg)

```console
$ mkdir inner && cd inner && export WORD=kept
$ echo $WORD; python -c 'print(1, \\
  2)'
kept
...
$ basename $PWD
inner
$ false  # exit status 1
```

- An item:

  ```python
  if x == 3:
      assert Path.cwd().name == "inner"
  ```

It is shown here.

```text
nothing that runs
```

<!-- not run: it would take a year -->
```console
$ sleep 30000000
```

<!-- compiled: needs a GPU -->
```python
launch_on_a_gpu(x)
```
"""


def test_a_page_that_is_right_passes_and_leaves_its_pictures(run, tmp_path):
    assert run(GOOD) == (0, "")
    assert [path.name for path in (tmp_path / "pictures").iterdir()] == ["made.svg"]


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("```python\n1 / 0\n```", ["page.md:2: ", "line 2", "ZeroDivisionError"]),
        ("```python\nraise SystemExit(0)\n```", ["SystemExit"]),
        ("```python\nprint(1)\n```\nprints:\n\n```text\n2\n```", ["says that it prints\n2", "printed\n1"]),
        ("<!-- compiled: needs a GPU -->\n```python\nx = = 1\n```", ["page.md:3: ", "SyntaxError"]),
        ("```console\n$ echo 1\n2\n```", ["`echo 1`: the page says that it prints\n2"]),
        ("```console\n$ exit 3\n```", ["`exit 3` ended with status 3"]),
        ("```\nx\n```", ["a block of no language cannot be run"]),
        ("```sh\nls\n```", ["a block of sh cannot be run", "<!-- not run: REASON -->"]),
        ("```cuda\n// lost.cu\n```", ["lost.cu is written, but no later block names it"]),
        ("```python\n# ../x.py\n```\n```python\nx.py\n```", ["../x.py is not below"]),
        ("![seen](nowhere.svg)", ["it shows nowhere.svg, which neither is there nor was made"]),
        ("```mlir\nentry @k() { %0 = iota : tle<8xi32> }\n```", ["expected a type, found 'tle'"]),
    ],
)
def test_a_page_that_is_wrong_fails_with_its_line(run, page, message):
    status, said = run(page)
    assert status == 1
    assert all(part in said for part in message), said


def test_kernels_without_a_file_are_compiled(run):
    page = "```cuda\n__tile_global__ void k(int* p) { ct::store(p, ct::load(p) + WRONG); }\n```"
    status, said = run(page)
    assert status == 1 and "WRONG" in said
    assert run(page.replace("WRONG", "1_ic").replace("```cuda", "\n```cuda")) == (0, "")


def test_what_a_machine_lacks_ends_a_page_without_failing(run):
    status, said = run("```python\nimport triton.nowhere\n```\n```python\n1 / 0\n```")
    assert status == 0 and "left out from here on" in said and "page.md:2" in said
    assert run("```python\nimport numpi\n```")[0] == 1
    status, said = run("<!-- needs: bash, gdbb -->\n```console\n$ false\n```")
    assert status == 0 and "gdbb is not installed" in said
    assert run("<!-- needs: bash, json -->\n```console\n$ false\n```")[0] == 1


def test_pages_that_passed_are_not_run_again_until_they_change(tmp_path, monkeypatch):
    monkeypatch.setattr("run_pages.PICTURES", tmp_path / "pictures")
    monkeypatch.setattr("run_pages.ROOT", tmp_path)
    page, runs = tmp_path / "page.md", tmp_path / "runs"
    page.write_text(f"```python\nopen({str(runs)!r}, 'a').write('x')\n```")
    assert run_page_once(page, "package").passed and run_page_once(page, "package") == Result(page, True)
    assert runs.read_text() == "x"
    assert run_page_once(page, "another package").passed and runs.read_text() == "xx"
    page.write_text("```python\n1 / 0\n```")
    assert not run_page_once(page, "package").passed
    assert not run_page_once(page, "package").passed, "a failure is never kept"


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb\n", "a  \nb\n\n", True),
        ("a\nb\n", "a\n", False),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...\nd", "a\nd\n", True),
        ("a\n...\n", "b\nc\n", False),
        ("took … ms", "took 3.5 ms", True),
        ("took … ms", "took 3.5\n ms", False),
        ("1+1 = 2", "11 = 2", False),
    ],
)
def test_outputs_are_compared(shown, printed, same):
    assert same_output(shown, printed) == same


def test_fences_keep_lines_indentation_and_longer_marks():
    first, second = blocks_of("text\n````md\n```python\n```\n````\n1. item\n   ```c\n     x\n   ```\n")
    assert (first.language, first.line, first.text) == ("md", 3, "```python\n```\n")
    assert (second.language, second.line, second.text) == ("c", 8, "  x\n")
    with pytest.raises(ValueError, match="line 1: the block that begins here has no end"):
        blocks_of("```python\nx")


def test_output_follows_its_block_with_one_line_between():
    (block,) = blocks_of("```python\nx\n```\n\nThis is text.\n\n```text\nno output\n```")
    assert block.output is None
    (block,) = blocks_of("```python\nx\n```\nwhich prints\n```text\nout\n```")
    assert block.output == "out\n"


def test_commands_begin_with_a_dollar():
    with pytest.raises(ValueError, match="'ls' stands before the first command"):
        commands_of("ls\n")


def test_shell_finds_this_environment_first(tmp_path):
    status, printed = Shell(tmp_path / "state", tmp_path).run("command -v python")
    assert status == 0 and os.path.dirname(printed.strip()) == os.path.dirname(sys.executable)
