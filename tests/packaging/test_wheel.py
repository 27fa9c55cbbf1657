"""The package as users get it: sdist and wheel installed into fresh environments, and editable installs."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from pycuda_tile.compilers.toolchain import find_compiler
from pycuda_tile.version import VERSION

pytest.importorskip(
    "scikit_build_core", reason="building the package needs scikit-build-core: run.py installs it"
)

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = {f"pycuda_tile/lib/libcuda_tile_{name}.so" for name in ("launcher", "python")}
FOR_PROGRAMS = "pycuda_tile/lib/libcuda_tile_program.a"
# The wheel of a release for this machine, if the tests are to use it instead of one that they make.
WHEELS = os.environ.get("PYCUDA_TILE_WHEELS", "").split(os.pathsep)
RELEASED = [Path(wheel) for wheel in WHEELS if wheel.endswith(f"{os.uname().machine}.whl")]
FOLDERS = ("include", "templates", "lib", "examples")
LAUNCH = """
import numpy as np, pycuda_tile as pct
from pycuda_tile.system import resources
a = np.arange(1000, dtype=np.float32)
out = np.empty_like(a)
kernel = pct.build(resources.examples_dir() / "vector_add.cu", target="cpu").kernel("vector_add")
kernel[1](a, a, out, 1000)
assert (out == 2 * a).all()
"""


def run(*command, **environment) -> str:
    """The output of a command, which is shown if it fails. The checkout is not on its path."""
    environment = {**os.environ, "PYTHONPATH": "", **environment}
    command = [str(word) for word in command]
    result = subprocess.run(command, env=environment, check=False, capture_output=True, text=True, cwd="/")
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def build(kind: str, source: Path, output: Path, **environment) -> Path:
    """An sdist or a wheel of the tree `source`, built by the build backend in a separate process."""
    call = f"build_{kind}({str(output)!r}, {{'build-dir': {str(output / 'build')!r}}})"
    output.mkdir()
    program = f"import os; os.chdir({str(source)!r}); from scikit_build_core.build import *; {call}"
    run(sys.executable, "-c", program, **environment)
    (package,) = output.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return package


def make_environment(folder: Path) -> Path:
    """A virtual environment that also sees the packages of the tests' own, except its pycuda_tile."""
    venv.create(folder, symlinks=True)
    (site_packages,) = folder.glob("lib/python*/site-packages")
    # Only the folder is searched; the .pth files in it, so an editable install, are not read.
    (site_packages / "tests_environment.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python"


def install(python: Path, *what) -> None:
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
    ]
    run(*pip, "--ignore-installed", "--disable-pip-version-check", *what)


@pytest.fixture(scope="session")
def sdist(tmp_path_factory) -> Path:
    return build("sdist", ROOT, tmp_path_factory.mktemp("packages") / "sdist")


@pytest.fixture(scope="session")
def unpacked(sdist, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("a path with blanks and ü")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder)
    return folder / f"pycuda_tile-{VERSION}"


@pytest.fixture(scope="session")
def compiler_environment() -> dict[str, str]:
    """Tells CMake of the tests' compiler if the system has none of its own."""
    compiler = find_compiler()
    return {"CXX": " ".join(compiler.command)} if compiler.kind == "zig" else {}


@pytest.fixture(scope="session")
def wheel(unpacked, compiler_environment, tmp_path_factory) -> Path:
    """Built from the sdist, which shows that nothing is missing there; or one of a release (run.py wheel)."""
    if RELEASED:
        return RELEASED[0]
    return build("wheel", unpacked, tmp_path_factory.mktemp("packages") / "wheel", **compiler_environment)


@pytest.fixture(scope="session")
def bare_wheel(unpacked, tmp_path_factory) -> Path:
    """Built where there is no compiler, so without libraries, which takes a tenth of the time."""
    folder = tmp_path_factory.mktemp("packages") / "bare"
    return build("wheel", unpacked, folder, CXX="/there/is/no/compiler")


@pytest.fixture(params=["bare_wheel", *(["wheel"] if RELEASED else [])])
def either_wheel(request) -> Path:
    return request.getfixturevalue(request.param)


def names(wheel: Path) -> set[str]:
    return {info.filename for info in zipfile.ZipFile(wheel).infolist() if not info.is_dir()}


def files(folder: Path) -> set[str]:
    """The files of a folder of the checkout, relative to the checkout."""
    found = {path.relative_to(ROOT).as_posix() for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if "__pycache__" not in name}


@pytest.mark.wide
def test_sdist_holds_what_is_needed_to_build_and_to_test(sdist):
    with tarfile.open(sdist) as archive:
        inside = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    single = {"pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE", "CHANGELOG.md", "run.py"}
    for folder in (*FOLDERS, "pycuda_tile", "tests", "cmake", "docs"):
        single |= files(ROOT / folder)
    assert single <= inside
    assert not [name for name in inside if re.search(r"__pycache__|\.venv|^build/|\.so$", name)]


@pytest.mark.wide
def test_wheel_holds_headers_templates_sources_and_examples(bare_wheel):
    assert_complete(bare_wheel, set())


def assert_complete(wheel: Path, libraries: set[str]) -> None:
    expected = files(ROOT / "pycuda_tile")
    for folder in FOLDERS:
        expected |= {f"pycuda_tile/{name}" for name in files(ROOT / folder)}
    expected |= {f"pycuda_tile/{name}" for name in files(ROOT / "cmake" / "nvcc")}
    inside = names(wheel)
    extra = {name for name in inside if ".dist-info/" in name or "/lib/cmake/" in name}
    assert inside - extra == expected | libraries
    assert "pycuda_tile/py.typed" in inside


@pytest.mark.wide
def test_wheel_serves_every_python_of_its_platform(either_wheel):
    assert re.fullmatch(rf"pycuda_tile-{re.escape(VERSION)}-py3-none-[\w.]+\.whl", either_wheel.name)
    assert "none-any" not in either_wheel.name


def test_metadata(either_wheel):
    info = f"pycuda_tile-{VERSION}.dist-info"
    archive = zipfile.ZipFile(either_wheel)
    metadata = archive.read(f"{info}/METADATA").decode()
    assert f"\nVersion: {VERSION}\n" in metadata
    required = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra)", metadata, re.MULTILINE)
    assert sorted(required) == ["ml_dtypes", "numpy"]
    extras = re.findall(r"^Provides-Extra: (.+)$", metadata, re.MULTILINE)
    assert {"compiler", "gpu", "tile", "frontend", "examples", "test", "dev"} <= set(extras)
    assert f"{info}/licenses/LICENSE" in names(either_wheel)


@pytest.mark.wide
def test_installed_wheel(wheel, compiler_environment, tmp_path):
    """One test, since making the wheel takes most of the time."""
    made_by_zig = RELEASED or find_compiler().kind == "zig"
    assert_complete(wheel, LIBRARIES | (set() if made_by_zig else {FOR_PROGRAMS}))
    installed = make_environment(tmp_path / "installed with blanks ü" / "venv")
    install(installed, wheel)
    is_complete(installed, tmp_path)
    has_the_command(installed)
    launches_with_its_own_launcher(installed, tmp_path / "cache")
    serves_cmake_projects(installed, compiler_environment, tmp_path)


def is_complete(installed: Path, tmp_path: Path) -> None:
    program = """
from pycuda_tile.system import resources
for path in (
    resources.include_dir() / "cuda_tile.h",
    resources.templates_dir(),
    resources.launcher_source_dir(),
    resources.examples_dir(),
    resources.launcher_library(),
    resources.installed_library("libcuda_tile_python.so"),
):
    assert path.exists()
    print(path)
"""
    paths = run(installed, "-c", program, HOME=str(tmp_path)).splitlines()
    package = next(installed.parent.parent.glob("lib/python*/site-packages")) / "pycuda_tile"
    assert len(paths) == 6
    assert all(Path(path).is_relative_to(package) for path in paths)


def launches_with_its_own_launcher(installed: Path, cache: Path) -> None:
    run(installed, "-c", LAUNCH, PYCUDA_TILE_CACHE_DIR=str(cache))
    assert not list(cache.rglob("libcuda_tile_*.so"))


def has_the_command(installed: Path) -> None:
    assert run(installed.parent / "pycuda-tile", "--version") == f"pycuda-tile {VERSION}\n"


def serves_cmake_projects(installed: Path, compiler_environment: dict[str, str], tmp_path: Path) -> None:
    package = next(installed.parent.parent.glob("lib/python*/site-packages")) / "pycuda_tile"
    cmake = [sys.executable, "-c", CMAKE]
    project = ["-S", package / "examples" / "cpp_project", "-B", tmp_path / "build"]
    environment = {**compiler_environment, "CUDACXX": "/there/is/no/nvcc"}
    found = run(installed.parent / "pycuda-tile", "flags", "--cmake").strip()
    options = ["-G", "Ninja", f"-Dcuda_tile_DIR={found}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
    assert "FetchContent" not in run(*cmake, *options, *project, **environment)
    run(*cmake, "--build", tmp_path / "build")
    assert run(tmp_path / "build" / "axpy_cpu") == "1000 elements are right\n"
    commands = json.loads((tmp_path / "build" / "compile_commands.json").read_text())
    words = shlex.split(commands[0]["command"])
    (folder,) = (word[10:] for word in words if word.startswith("-idirafter"))  # of our own cuda_fp16.h
    assert Path(folder, "cuda_fp16.h").exists() and Path(folder).is_relative_to(package)
    assert not (tmp_path / "build" / "_deps").exists()  # found, not fetched


# Where the build backend finds CMake: in the environment or on the system.
CMAKE = """
import shutil, subprocess, sys, sysconfig
from pathlib import Path
scripts = Path(sysconfig.get_path("scripts"))
cmake = shutil.which("cmake", path=scripts) or shutil.which("cmake")
ninja = shutil.which("ninja", path=scripts) or shutil.which("ninja")
program = [f"-DCMAKE_MAKE_PROGRAM={ninja}"] if "-S" in sys.argv else []
sys.exit(subprocess.call([cmake, *program, *sys.argv[1:]]))
"""


@pytest.mark.wide
def test_wheel_without_a_compiler_builds_the_launcher_on_first_use(bare_wheel, tmp_path):
    python = make_environment(tmp_path / "venv")
    install(python, bare_wheel)
    run(python, "-c", LAUNCH, PYCUDA_TILE_CACHE_DIR=str(tmp_path / "cache"))
    compiled = sorted(path.name for path in (tmp_path / "cache").rglob("libcuda_tile_*.so"))
    assert compiled == sorted(Path(name).name for name in LIBRARIES)


@pytest.mark.wide  # the tests themselves use an editable installation
def test_editable_install_uses_the_checkout(compiler_environment, tmp_path, monkeypatch):
    for name, value in compiler_environment.items():
        monkeypatch.setenv(name, value)
    python = make_environment(tmp_path / "venv")
    install(python, f"--config-settings=build-dir={tmp_path / 'build'}", "--editable", ROOT)
    program = """
import pycuda_tile
from pycuda_tile.system import resources
print(pycuda_tile.__file__, resources.include_dir(), resources.launcher_library(), sep="\\n")
"""
    module, include, launcher = run(python, "-c", program).splitlines()
    assert Path(module) == ROOT / "pycuda_tile" / "__init__.py"
    assert Path(include) == ROOT / "include"
    assert Path(launcher).is_relative_to(tmp_path / "venv")
    run(python, "-c", LAUNCH, PYCUDA_TILE_CACHE_DIR=str(tmp_path / "cache"))
