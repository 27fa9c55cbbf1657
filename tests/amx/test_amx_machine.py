"""Products with real AMX instructions, on a machine emulated by Bochs.

The machine's only software is products.cpp (rom.S starts it instead of a BIOS). Its output must equal that of
the same program with the header's model of AMX. Bochs 3.0 multiplies signed bytes as if they were unsigned,
so the integer products use only unsigned ones.
"""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from pycuda_tile.system import resources

HERE = Path(__file__).parent
MODEL = "sapphire_rapids"
FLAGS = ["-std=c++20", "-O2", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math", "-Wno-attributes"]
INCLUDES = [f"-I{resources.include_dir()}", "-idirafter", str(resources.small_float_dir())]
ALONE = ["-ffreestanding", "-fno-pie", "-fno-pic", "-mno-red-zone", "-fno-exceptions", "-fno-rtti"]
ALONE += ["-fno-threadsafe-statics", "-fno-stack-protector", "-fno-asynchronous-unwind-tables"]
CONFIGURATION = f"""
cpu: model={MODEL}
megs: 512
romimage: file=rom.bin
vgaromimage: file=rom.bin
display_library: rfb, options="timeout=0"
com1: enabled=1, mode=file, dev=serial.txt
log: log.txt
panic: action=fatal
"""
NEEDED = ["bochs", "g++", "ld", "objcopy"]


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def make_rom(folder: Path) -> None:
    source = str(HERE / "products.cpp")
    run(
        "g++",
        *FLAGS,
        *INCLUDES,
        *ALONE,
        "-march=sapphirerapids",
        "-c",
        source,
        "-o",
        "products.o",
        cwd=folder,
    )
    run("g++", "-c", str(HERE / "rom.S"), "-o", "rom.o", cwd=folder)
    run("ld", "-T", str(HERE / "rom.ld"), "rom.o", "products.o", "-o", "rom.elf", cwd=folder)
    run("objcopy", "-O", "binary", "-j", ".rom", "-j", ".reset", "rom.elf", "rom.bin", cwd=folder)


def run_machine(folder: Path) -> list[str]:
    """The machine's output. Bochs reports a machine that switched itself off as a panic."""
    (folder / "bochsrc").write_text(CONFIGURATION)
    command = ["bochs", "-q", "-f", "bochsrc"]
    subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
    log = (folder / "log.txt").read_text(errors="replace")
    assert "shutdown requested" in log, log[-2000:]
    return (folder / "serial.txt").read_text().splitlines()


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="AMX is of x86-64")
def test_instructions_give_what_the_model_gives(tmp_path):
    if missing := [name for name in NEEDED if shutil.which(name) is None]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    models = subprocess.run(["bochs", "--help", "cpu"], capture_output=True, text=True, timeout=60)
    if MODEL not in models.stdout + models.stderr:
        pytest.skip(f"this Bochs has no {MODEL}, version 3.0 has")
    run(
        "g++",
        *FLAGS,
        *INCLUDES,
        "-DCUDA_TILE_EMULATE_AMX=1",
        str(HERE / "products.cpp"),
        "-o",
        "model",
        cwd=tmp_path,
    )
    wanted = run("./model", cwd=tmp_path).splitlines()
    assert wanted[0] == "with tiles" and len(wanted) == 1 + 6 * 5
    make_rom(tmp_path)
    assert run_machine(tmp_path) == wanted
