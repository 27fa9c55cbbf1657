"""The command `pycuda-tile`: main() runs a subcommand. The modules of this folder hold the subcommands."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from ..errors import CompileError, Error


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code: 0 done, 1 failed, 2 wrong usage."""
    if argv is None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # for file names, if output is ASCII
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if words[:1] == ["run"]:  # the options after it belong to the example
            from .run import run

            return run(words[1:])
        if words[:1] == ["nvcc"]:
            from ..programs import driver

            return driver.main(words[1:])
        if words[:1] == ["tileir"]:
            from ..tileir import command

            code = command.main(words[1:])
        else:
            from .parser import make_parser

            arguments = make_parser().parse_args(words)
            code = arguments.run(arguments)
        sys.stdout.flush()  # reports a full disk
        return code
    except CompileError as error:
        from ..diagnostics.text import ALL_OF_IT

        print(f"pycuda-tile: {str(error).replace(ALL_OF_IT, '')}", file=sys.stderr)
    except Error as error:
        print(f"pycuda-tile: {error}", file=sys.stderr)
    except BrokenPipeError:  # pycuda-tile kernels x.cu | head -1
        sys.stderr.close()
    except OSError as error:
        if words[:1] == ["run"]:  # an example's, or a script's
            raise
        print(f"pycuda-tile: {_os_error(error)}", file=sys.stderr)
    except KeyboardInterrupt:
        print("pycuda-tile: interrupted", file=sys.stderr)
        return 130
    return 1


def _os_error(error: OSError) -> str:
    """A message for an error of the system; if it names no file, writing the output failed."""
    if error.filename is None:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python fails again at exit
        return f"cannot write the output: {error.strerror or error}"
    return f"{error.filename}: {error.strerror or error}"
