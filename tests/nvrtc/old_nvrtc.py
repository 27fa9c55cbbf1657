"""Compiles programs with a given NVRTC, in a process of its own since a process can load only one.

    python old_nvrtc.py LIBRARY < jobs.json > results.json

LIBRARY is the path of a libnvrtc. A job has `source`, `options` and `expressions` (names to instantiate), and
may have the `name` of the source's file. Its result has `compiles`, `log`, `names` (lowered names by
expression) and `cubin_bytes`, which is 0 if it does not compile, or if the job says `front_end_only`.
The results are in the order of the jobs, with the library's `version` and the `archs` that it supports.
"""

from __future__ import annotations

import ctypes
import json
import sys


class Nvrtc:
    """The functions of one libnvrtc; failed calls raise, except for a program that does not compile."""

    def __init__(self, path: str):
        self.library = ctypes.CDLL(path)
        self.library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(self, function: str, *arguments) -> None:
        status = getattr(self.library, function)(*arguments)
        if status:
            raise RuntimeError(f"{function}: {self.library.nvrtcGetErrorString(status).decode()}")

    def version(self) -> list[int]:
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
        return [major.value, minor.value]

    def archs(self) -> list[int]:
        count = ctypes.c_int()
        self.call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
        archs = (ctypes.c_int * count.value)()
        self.call("nvrtcGetSupportedArchs", archs)
        return list(archs)

    def compile(self, job: dict) -> dict:
        program = ctypes.c_void_p()
        self.call(
            "nvrtcCreateProgram",
            ctypes.byref(program),
            job["source"].encode(),
            job.get("name", "job.cu").encode(),
            0,
            None,
            None,
        )
        try:
            for expression in job["expressions"]:
                self.call("nvrtcAddNameExpression", program, expression.encode())
            options = [option.encode() for option in job["options"]]
            status = self.library.nvrtcCompileProgram(
                program, len(options), (ctypes.c_char_p * len(options))(*options)
            )
            log = self.text("nvrtcGetProgramLog", program)
            if status or job.get("front_end_only"):
                log = log or f"status {status}"
                return {"compiles": not status, "log": log, "names": {}, "cubin_bytes": 0}
            size = ctypes.c_size_t()
            self.call("nvrtcGetCUBINSize", program, ctypes.byref(size))
            names = {expression: self.lowered(program, expression) for expression in job["expressions"]}
            return {"compiles": True, "log": log, "names": names, "cubin_bytes": size.value}
        finally:
            self.call("nvrtcDestroyProgram", ctypes.byref(program))

    def text(self, function: str, program: ctypes.c_void_p) -> str:
        size = ctypes.c_size_t()
        self.call(f"{function}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value + 1)
        self.call(function, program, text)
        return text.value.decode(errors="replace").strip()

    def lowered(self, program: ctypes.c_void_p, expression: str) -> str:
        name = ctypes.c_char_p()
        self.call("nvrtcGetLoweredName", program, expression.encode(), ctypes.byref(name))
        return name.value.decode()


def main() -> None:
    nvrtc = Nvrtc(sys.argv[1])
    results = [nvrtc.compile(job) for job in json.load(sys.stdin)]
    json.dump({"version": nvrtc.version(), "archs": nvrtc.archs(), "results": results}, sys.stdout)


if __name__ == "__main__":
    main()
