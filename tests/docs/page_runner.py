"""Runs the code blocks of one page in order: `python page_runner.py PAGE FOLDER PICTURES`.

All blocks share FOLDER and, if they are Python, a namespace. Pictures that the page shows are copied to
PICTURES. CONTRIBUTING.md has the rules for writers. What fails is printed with its line in the page; the exit
status is then 1. A module that this machine lacks ends the page without being a failure: the output says so.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import shutil
import sys
import traceback
from pathlib import Path

from page_blocks import Block, blocks_of, pictures_of, read_page
from page_output import same_output
from page_shell import Shell, commands_of

# What a page may need that not every machine has.
OPTIONAL_MODULES = frozenset("torch jax cupy triton matplotlib PIL dask ray cuda".split())  # noqa: SIM905
KERNELS = frozenset(["cuda", "cpp"])
KERNEL_START = ("#include", "__tile_global__", "__tile__", "template", "namespace ct")
PREFIX = '#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\nusing namespace ct::literals;\n'
PICTURES = ("*.svg", "*.png")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"  # pages use them as in a checkout


class Failure(Exception):
    """A block does not do what its page says."""


class Missing(Exception):
    """This machine lacks what the rest of the page needs."""


class Page:
    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.text = read_page(path)
        self.blocks = blocks_of(self.text)
        self.folder = folder / "page"
        self.folder.mkdir(parents=True)
        (self.folder / "examples").symlink_to(EXAMPLES)
        self.shell = Shell(folder / "shell_state", self.folder)
        self.names: dict[str, object] = {"__name__": "__main__"}

    def run(self) -> list[str]:
        """Runs the blocks up to the first that fails, and returns what is wrong, a text each."""
        failures: list[str] = []
        for index, block in enumerate(self.blocks):
            os.chdir(self.shell.folder)
            try:
                self.run_block(block, self.blocks[index + 1 :])
            except Failure as failure:
                failures.append(f"{self.path}:{block.line}: {failure}")
                break  # what follows may depend on it
        else:
            failures += self.missing_pictures()
        return failures

    def run_block(self, block: Block, later: list[Block]) -> None:
        if block.remark == "needs":
            self.check_present(block)
        if block.file_name and block.remark in ("", "needs"):
            self.write(block, later)
        elif block.remark == "not run":
            return
        elif block.language == "python":
            self.run_python(block)
        elif block.language == "console":
            self.run_console(block)
        elif block.language in KERNELS and (block.remark or block.text.startswith(KERNEL_START)):
            self.compile_kernels(block)
        elif block.language == "mlir":
            self.verify_module(block)
        else:
            raise Failure(
                f"a block of {block.language or 'no language'} cannot be run. Name the file that it is "
                "in its first line, write <!-- not run: REASON --> before it, or call it text"
            )

    def check_present(self, block: Block) -> None:
        """Ends the page if this machine lacks a module or a program that the block needs."""
        for name in block.reason.replace(",", " ").split():
            if importlib.util.find_spec(name) is None and shutil.which(name) is None:
                raise Missing(f"{self.path}:{block.line}: {name} is not installed")

    def write(self, block: Block, later: list[Block]) -> None:
        name = block.file_name
        path = Path(name)
        if path.is_absolute() or ".." in path.parts:
            raise Failure(f"{name} is not below the page's folder")
        if not any(path.name in other.text or other.language == "console" for other in later):
            raise Failure(f"{name} is written, but no later block names it")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def run_python(self, block: Block) -> None:
        # The code has the lines of the page, so that tracebacks and inspect.getsource find them.
        printed = io.StringIO()
        source = "\n" * (block.line - 1) + block.text
        try:
            code = compile(source, str(self.path), "exec")
            if block.remark == "compiled":
                return
            with contextlib.redirect_stdout(printed):
                exec(code, self.names)
        except (Exception, SystemExit) as error:
            if is_missing(error):
                raise Missing(f"{self.path}:{block.line}: {error}") from None
            raise Failure(f"{printed.getvalue()}{self.traceback(error)}") from None
        if block.output is not None:
            self.compare(block.output, printed.getvalue())

    def traceback(self, error: BaseException) -> str:
        """The error, and the lines of the page that led to it."""
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename == str(self.path)]
        lines = [f"line {frame.lineno}: {frame.line}\n" for frame in frames]
        return "".join(lines + traceback.format_exception_only(error))

    def compare(self, shown: str, printed: str, command: str = "") -> None:
        if not same_output(shown, printed):
            raise Failure(f"{command}the page says that it prints\n{shown}\nbut it printed\n{printed}")

    def run_console(self, block: Block) -> None:
        for command in commands_of(block.text):
            status, printed = self.shell.run(command.text)
            if status != command.status:
                raise Failure(f"`{command.text}` ended with status {status}:\n{printed}")
            if command.output.strip():
                self.compare(command.output, printed, f"`{command.text}`: ")

    def compile_kernels(self, block: Block) -> None:
        """Builds all kernels that are not templates: for the CPU, or as the page says, for a GPU."""
        import pycuda_tile as pct

        source = block.text if "#include" in block.text else PREFIX + block.text
        try:
            pct.build(source, target="simt" if block.remark == "compiled" else "cpu")
        except pct.TargetUnavailable as error:
            raise Missing(f"{self.path}:{block.line}: {error}") from None
        except pct.CompileError as error:
            raise Failure(str(error)) from None

    def verify_module(self, block: Block) -> None:
        from pycuda_tile import tileir

        try:
            tileir.verify(tileir.parse(block.text))
        except (tileir.ParseError, tileir.VerifyError) as error:
            raise Failure(str(error)) from None

    def missing_pictures(self) -> list[str]:
        return [
            f"{self.path}: it shows {name}, which neither is there nor was made"
            for name in pictures_of(self.text)
            if not (self.path.parent / name).exists() and not (self.folder / name).exists()
        ]

    def collect_pictures(self, destination: Path) -> None:
        """Copies the pictures that the page made and shows."""
        shown = set(pictures_of(self.text))
        for pattern in PICTURES:
            for picture in sorted(self.folder.glob(pattern)):
                if picture.name in shown:
                    destination.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(picture, destination / picture.name)


def is_missing(error: BaseException) -> bool:
    if isinstance(error, ModuleNotFoundError):
        return (error.name or "").partition(".")[0] in OPTIONAL_MODULES
    return type(error).__name__ == "TargetUnavailable"


def main(page: str, folder: str, pictures: str) -> int:
    pictures_folder = Path(pictures).resolve()
    running = Page(Path(page).resolve(), Path(folder).resolve())
    sys.path[0] = ""  # modules come from the page's folder, as where Python is typed in, and not from here
    try:
        failures = running.run()
    except Missing as missing:
        print(f"left out from here on: {missing}")
        failures = []
    running.collect_pictures(pictures_folder)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
