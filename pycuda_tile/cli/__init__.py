"""The command `pycuda-tile`: main() runs a subcommand, each of which is in a module of this folder."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from ..errors import CompileError, Error


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit code: 0 done, 1 failed, 2 wrong usage."""
    if argv is None and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files, where output is ascii
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if words[:1] == ["run"]:  # the options behind it are the example's
            from .run import run

            return run(words[1:])
        if words[:1] == ["tileir"]:
            from ..tileir import command

            code = command.main(words[1:])
        else:
            from .parser import make_parser

            arguments = make_parser().parse_args(words)
            code = arguments.run(arguments)
        sys.stdout.flush()  # a full disk shows here
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
    """What the system refused; without a file, it was to write the output."""
    if error.filename is None:
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # where Python would fail again
        return f"cannot write the output: {error.strerror or error}"
    return f"{error.filename}: {error.strerror or error}"
