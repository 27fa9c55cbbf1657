"""Commands of `console` blocks, run by one shell after the other that keep folder and variables."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LIMIT = 600  # seconds a command may take
# After the command: its status, and what the next shell begins with.
SCRIPT = """. "{state}"
{command}
status=$?
{{ export -p; echo "cd '$PWD'"; }} > "{state}"
exit $status
"""


@dataclass
class Command:
    text: str
    output: str  # as the page shows it; "" if it shows none
    status: int = 0


def commands_of(block: str) -> list[Command]:
    """The commands of a block: lines that begin with `$ `, each with the output below it. A line that ends in
    a backslash goes on in the next one; a comment `# exit status 2` at the end says how the command ends."""
    commands: list[Command] = []
    lines = iter(block.split("\n"))
    for line in lines:
        if line.startswith("$ "):
            while line.endswith("\\"):
                line += "\n" + next(lines)
            status = re.search(r"# exit status (\d+)$", line)
            commands.append(Command(line[2:], "", int(status[1]) if status else 0))
        elif commands:
            commands[-1].output += line + "\n"
        elif line.strip():
            raise ValueError(f"{line!r} stands before the first command: lines of commands begin with '$ '")
    return commands


class Shell:
    """Runs commands with this Python's programs first on PATH."""

    def __init__(self, state: Path, folder: Path) -> None:
        self.state = state
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
        self.environment = {**os.environ, "PATH": path, "PYTHONUNBUFFERED": "1"}
        state.write_text(f"cd '{folder}'\n")

    @property
    def folder(self) -> Path:
        """Where the next command runs."""
        last = self.state.read_text().rstrip("\n").rpartition("\n")[2]
        return Path(last.removeprefix("cd '").removesuffix("'"))

    def run(self, command: str) -> tuple[int, str]:
        """Exit status and output, of both streams, of a command."""
        done = subprocess.run(
            ["bash", "-c", SCRIPT.format(state=self.state, command=command)],
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        return done.returncode, done.stdout
