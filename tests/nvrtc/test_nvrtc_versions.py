"""The header with NVRTC 12.0, 12.9, 13.0 and the installed one, for the architectures that each supports.

By default the tests ask for what the versions differ in. `pytest --wide` compiles the examples for all pairs
of version and architecture, the test programs, and each operation on all element types with each version.

NVRTC 12.0 does not deduce alias templates, so `ct::shape{4_ic}` must be written `ct::shape<4>{}` (as_12_0()
rewrites the sources), and it does not order overloads by concepts of two types.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import operation_kernels
import pytest
from nvrtc_versions import ARCHS, NEWEST, PACKAGES, Nvrtc, get

from pycuda_tile import targets
from pycuda_tile.diagnostics.compiler_log import compile_error
from pycuda_tile.diagnostics.places import Places
from pycuda_tile.launching.parameters import BOOL, FLOAT, FUNCTION, OTHER, SIGNED, UNSIGNED, VOID
from pycuda_tile.system import resources
from pycuda_tile.targets import nvrtc_kernels
from pycuda_tile.targets.simt import compiling as simt
from pycuda_tile.targets.target import Request

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.cu"))
PROGRAMS = sorted((ROOT / "tests" / "programs" / "positive").glob("*.cu"))

DEFAULT_PAIRS = [("12.0", 70), ("12.9", 90), ("13.0", 80), (NEWEST, 75), (NEWEST, 90), (NEWEST, 120)]
ALL_PAIRS = [(name, arch) for name, archs in ARCHS.items() for arch in archs]
NOT_ON_12_0 = {
    "static_conversions": "it orders overloads by concepts of two types",
    "static_extents": "it deduces shapes in all ways that the manual has",
    "block_scaled_matmul": "its scales are of e8m0, which the headers of 12.0 lack",
}


def _id(pair: tuple[str, int]) -> str:
    return f"{pair[0]}-sm_{pair[1]}"


def texts(paths: list[Path], name: str) -> dict[str, str]:
    """Those of the programs that the named NVRTC can compile."""
    left_out = NOT_ON_12_0 if name == "12.0" else {}
    return {path.stem: path.read_text() for path in paths if path.stem not in left_out}


@pytest.fixture(scope="session")
def get_nvrtc(pytestconfig: pytest.Config) -> Callable[[str], Nvrtc]:
    folder = Path(pytestconfig.cache.mkdir("nvrtc"))
    found: dict[str, Nvrtc] = {}

    def find(name: str) -> Nvrtc:
        if name not in found:
            found[name] = get(name, folder)
        return found[name]

    return find


def as_12_0(text: str) -> str:
    """The text without deduction of shapes from constants."""
    constants = r"\d+_ic(?:, \d+_ic)*|"
    return re.sub(
        rf"\bct::shape\{{({constants})\}}",
        lambda match: f"ct::shape<{match[1].replace('_ic', '')}>{{}}",
        text,
    )


def job(
    text: str, nvrtc: Nvrtc, arch: int, expressions: list[str] | None = None, options: tuple = ()
) -> dict:
    """A job for NVRTC with the options that the target simt passes."""
    if nvrtc.version < (12, 1):
        text = as_12_0(text)
    request = Request(
        targets.find("simt"),
        text,
        "job.cu",
        None,
        f"sm_{arch}",
        include_dirs=nvrtc.include_dirs,
        options=options,
    )
    settings = simt._settings(request, f"sm_{arch}")
    return {
        "source": text,
        "options": list(dict.fromkeys(settings.all_options)),
        "expressions": expressions or [],
    }


def check(nvrtc: Nvrtc, jobs: dict[str, dict]) -> None:
    """Each of the named jobs compiles, without warnings of the compiler itself."""
    results = dict(zip(jobs, nvrtc.compile(list(jobs.values())), strict=True))
    failed = [
        f"{name}:\n{result['log'][:3000]}" for name, result in results.items() if not result["cubin_bytes"]
    ]
    assert not failed, "\n\n".join(failed)
    for name, result in results.items():
        warnings = [line for line in result["log"].splitlines() if "warning" in line]
        assert all("Architectures prior to" in line for line in warnings), f"{name}: {warnings[:5]}"


@pytest.mark.wide
@pytest.mark.parametrize("pair", DEFAULT_PAIRS, ids=_id)
def test_each_operation_compiles(pair, get_nvrtc):
    nvrtc, arch = get_nvrtc(pair[0]), pair[1]
    text = operation_kernels.source_of_a_sample(DEFAULT_PAIRS.index(pair))
    check(nvrtc, {"operations": job(text, nvrtc, arch)})


@pytest.mark.wide  # tests of the examples compile them with the newest one
@pytest.mark.parametrize("pair", DEFAULT_PAIRS, ids=_id)
def test_examples_compile(pair, get_nvrtc):
    nvrtc, arch = get_nvrtc(pair[0]), pair[1]
    check(nvrtc, {stem: job(text, nvrtc, arch) for stem, text in texts(EXAMPLES, pair[0]).items()})


@pytest.mark.wide
@pytest.mark.parametrize("name", PACKAGES)
def test_programs_that_are_right_compile(name, get_nvrtc):
    nvrtc, arch = get_nvrtc(name), ARCHS[name][0]
    programs = texts(PROGRAMS, name)
    programs = {
        stem: text for stem, text in programs.items() if "cuda_tf32.h" not in text
    }  # in newer ones only
    assert len(programs) > 10
    options = (f"-I{PROGRAMS[0].parents[1]}",)
    check(nvrtc, {stem: job(text, nvrtc, arch, options=options) for stem, text in programs.items()})


@pytest.mark.wide
def test_nvrtc_12_0_does_not_deduce_shapes(get_nvrtc):
    """If this fails, the sentence about it in docs/differences.md can be removed."""
    text = '#include "cuda_tile.h"\nusing namespace cuda::tiles::literals;\n'
    text += "using four = decltype(cuda::tiles::shape{4_ic});\n"
    [old] = get_nvrtc("12.0").compile([job(text, get_nvrtc("12.0"), 80)])
    assert "argument list for alias template" in old["log"]
    check(get_nvrtc("12.9"), {"deduction": job(text, get_nvrtc("12.9"), 80)})


@pytest.mark.parametrize("statement", ["__nv_fp8_e8m0 x{}", "auto q = p + ct::iota<I>()"])
def test_a_header_that_is_too_old_is_named(get_nvrtc, statement: str):
    nvrtc = get_nvrtc("12.0")
    text = '#include <cuda_fp8.h>\n#include "cuda_tile.h"\nnamespace ct = cuda::tiles;\n'
    text += "using I = ct::tile<int, ct::shape<16>>;\n"
    text += f"__tile_global__ void k(__nv_fp8_e8m0* p) {{ {statement}; }}\n"
    [done] = nvrtc.compile([job(text, nvrtc, 80)])
    error = compile_error(done["log"], Places("job.cu", "job.cu", text, (str(resources.include_dir()),)))
    needs = "__nv_fp8_e8m0 needs a newer <cuda_fp8.h> than the one of CUDA that is installed"
    found = [(d.line, d.message) for d in error.diagnostics if d.severity == "error"]
    assert found == [(5, f"a header is missing: {needs}")]


KERNEL = """
#include "cuda_tile.h"
struct pair { int first, second; };
struct opaque;
extern "C" __tile_global__ void plain(const float* __restrict__ a, int n, double* out) {}
extern "C" __tile_global__ void callbacks(int (*f)(opaque*), opaque const* p, void (&g)(...)) {}
namespace inner {
template <typename E> __tile_global__ void generic(E* p, unsigned char c, bool b, pair x) {}
}
"""
# kernel: kind, pointer and size of its parameters, as in core/signature.h
PARAMETERS = {
    "plain": [(FLOAT, 2, 4), (SIGNED, 0, 4), (FLOAT, 1, 8)],
    "callbacks": [(FUNCTION, 1, 0), (VOID, 2, 0), (FUNCTION, 1, 0)],
    "inner::generic<__half>": [(FLOAT, 1, 2), (UNSIGNED, 0, 1), (BOOL, 0, 1), (OTHER, 0, 8)],
}


@pytest.mark.parametrize("name", ARCHS)
def test_kernels_tell_the_types_of_their_parameters(name, get_nvrtc):
    nvrtc = get_nvrtc(name)
    text = "#include <cuda_fp16.h>\n" + KERNEL
    expressions = {kernel: nvrtc_kernels._SIGNATURE.format(f"&{kernel}") for kernel in PARAMETERS}
    [result] = nvrtc.compile([job(text, nvrtc, 80, [*PARAMETERS, *expressions.values()])])
    assert result["names"].get("plain") == "plain", result["log"][:3000]
    for kernel, parameters in PARAMETERS.items():
        codes = nvrtc_kernels._codes(result["names"][expressions[kernel]])
        assert [(code & 255, code >> 8 & 255, code >> 16) for code in codes] == parameters


# --- pytest --wide ------------------------------------------------------------------------------------------


@pytest.mark.wide
@pytest.mark.parametrize("name", ARCHS)
@pytest.mark.parametrize("element", operation_kernels.ELEMENTS)
def test_all_operations_on_all_element_types_compile(element, name, get_nvrtc):
    """Each type with each version, on its architectures in turn."""
    nvrtc, archs = get_nvrtc(name), ARCHS[name]
    arch = archs[(operation_kernels.ELEMENTS.index(element) + list(ARCHS).index(name)) % len(archs)]
    check(nvrtc, {element: job(operation_kernels.source(element), nvrtc, arch)})


@pytest.mark.wide
@pytest.mark.parametrize("arch", ARCHS[NEWEST])
def test_tf32_compiles(arch, get_nvrtc):
    """The functions of its header do not say where they run, hence the option."""
    text = operation_kernels.source(operation_kernels.TF32)
    nvrtc = get_nvrtc(NEWEST)
    check(nvrtc, {"tf32": job(text, nvrtc, arch, options=("-default-device",))})


@pytest.mark.wide
@pytest.mark.parametrize("pair", [pair for pair in ALL_PAIRS if pair not in DEFAULT_PAIRS], ids=_id)
def test_examples_compile_everywhere(pair, get_nvrtc):
    test_examples_compile(pair, get_nvrtc)


@pytest.mark.wide
@pytest.mark.parametrize("name", PACKAGES)
def test_versions_support_the_architectures(name, get_nvrtc):
    """The table has all architectures that both the project and the version support."""
    known = set(ARCHS[NEWEST]) | {70}
    assert set(ARCHS[name]) == known & set(get_nvrtc(name).archs)
