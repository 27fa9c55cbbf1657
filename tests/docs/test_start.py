"""The page Start, word by word, on a machine that is as new as possible: a new checkout, an empty home."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from page_blocks import blocks_of, read_page
from page_output import same_output
from page_shell import Shell, commands_of
from run_pages import ROOT

# What a shell has after logging in, and how pip finds its index.
KEPT = ("LANG", "TERM", "PIP_", "UV_", "http", "https", "HTTP", "HTTPS", "no_proxy", "NO_PROXY", "SSL_")


@pytest.mark.wide
def test_start_on_a_fresh_machine(tmp_path: Path):
    checkout, home = tmp_path / "checkout", tmp_path / "home"
    home.mkdir()
    if subprocess.run(["git", "clone", "--quiet", ROOT, checkout], check=False).returncode:
        pytest.skip("this is not a git checkout")
    shell = Shell(tmp_path / "state", checkout)
    python = Path(sys.base_prefix) / "bin"
    shell.environment = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    shell.environment |= {"HOME": str(home), "PATH": f"{python}{os.pathsep}/usr/local/bin:/usr/bin:/bin"}
    for block in blocks_of(read_page(ROOT / "docs" / "start.md")):
        if block.file_name:
            (shell.folder / block.file_name).write_text(block.text, encoding="utf-8")
        for command in commands_of(block.text) if block.language == "console" else ():
            status, printed = shell.run(command.text)
            assert status == command.status, f"{command.text}\n{printed}"
            assert not command.output.strip() or same_output(command.output, printed), printed
