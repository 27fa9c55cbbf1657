"""pct.autotune: it chooses the fastest configuration and caches it; its errors are readable."""

from __future__ import annotations

import functools
import subprocess
import time

import numpy as np
import pytest

import pycuda_tile as pct
from pycuda_tile import targets
from pycuda_tile.compilers import toolchain
from pycuda_tile.launching import autotuner
from pycuda_tile.launching.kernel import Kernel, Launch
from pycuda_tile.targets.target import Request

SCALE = """
#include "cuda_tile.h"
namespace ct = cuda::tiles;
template <int tile>
__tile_global__ void scale(const float* in, float* out, int n) {
  ct::partition_view in_view{ct::tensor_span{in, ct::extents{n}}, ct::shape<tile>{}};
  ct::partition_view out_view{ct::tensor_span{out, ct::extents{n}}, ct::shape<tile>{}};
  auto block = ct::bid().x;
  out_view.store_masked(in_view.load_masked(block) * 2.0f, block);
}
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PYCUDA_TILE_CACHE_DIR", str(tmp_path / "cache"))


class Sleepers:
    """Stands in for kernels: configuration s sleeps s seconds; `launches` counts."""

    def __init__(self):
        self.launches = 0

    def make(self, config):
        def launch(*_):
            self.launches += 1
            time.sleep(config["seconds"])

        return launch


CONFIGS = [{"seconds": 0.05}, {"seconds": 0.001}, {"seconds": 0.02}]


def test_fastest_is_chosen():
    assert pct.autotune(Sleepers().make, CONFIGS, args=(), key="sleep") is CONFIGS[1]


def test_choice_is_remembered():
    first, again = Sleepers(), Sleepers()
    chosen = pct.autotune(first.make, CONFIGS, args=(), key=["sleep", 1])
    assert pct.autotune(again.make, CONFIGS, args=(), key=["sleep", 1]) == chosen
    assert first.launches > 0 and again.launches == 0


@pytest.mark.parametrize(("configs", "key"), [(CONFIGS, "other"), (CONFIGS[:2], "sleep")])
def test_other_key_or_configs_are_timed(configs, key):
    pct.autotune(Sleepers().make, CONFIGS, args=(), key="sleep")
    again = Sleepers()
    pct.autotune(again.make, configs, args=(), key=key)
    assert again.launches > 0


def test_a_choice_is_timed_again_if_kernels_are_compiled_otherwise(monkeypatch):
    monkeypatch.setenv("PYCUDA_TILE_OPTIMIZE", "1")
    pct.autotune(Sleepers().make, CONFIGS[1:], args=(), key="sleep")
    monkeypatch.setenv("PYCUDA_TILE_OPTIMIZE", "0")
    again = Sleepers()
    pct.autotune(again.make, CONFIGS[1:], args=(), key="sleep")
    assert again.launches > 0


def tuned(monkeypatch) -> list[object]:
    """Gets one element for each time that configurations are timed."""
    found: list[object] = []
    fastest = autotuner._fastest
    monkeypatch.setattr(autotuner, "_fastest", lambda *given: found.append(1) or fastest(*given))
    return found


@pytest.mark.parametrize("how", ["the launch", "a function that binds it", "a function that names it"])
def test_a_choice_belongs_to_how_its_kernel_is_built(how: str, monkeypatch):
    timed = tuned(monkeypatch)

    def tune(**arguments) -> int:
        kernel = Kernel("k", Request(targets.find("cpu"), "", "", None, **arguments), None)
        kernel._bound[1] = launch = Launch(lambda *_: None, kernel, (1, 1, 1))
        ways = [launch, functools.partial(lambda _, x: kernel[1](x), 0), lambda x: kernel[1](x)]
        made = dict(
            zip(["the launch", "a function that binds it", "a function that names it"], ways, strict=True)
        )
        timed.clear()
        pct.autotune(lambda _: made[how], [64], args=(0,), key="k")
        return len(timed)

    ways = [
        {"optimize": "auto"},
        {"optimize": True},
        {"api": "13.4"},
        {"options": ("-O2",)},
        {"arch": "native"},
    ]
    for expected in (1, 0):
        assert [tune(**each) for each in ({}, *ways)] == [expected] * (1 + len(ways))
    for find in ("find_compiler", "find_clang"):
        newer = getattr(toolchain, find)()._replace(version="99.1.2")
        monkeypatch.setattr(toolchain, find, lambda newer=newer: newer)
        assert [tune(), tune()] == [1, 0]


def test_a_choice_of_kernels_that_are_built_within(monkeypatch):
    """What is known starts no process."""
    timed = tuned(monkeypatch)
    x, out = np.ones(64, np.float32), np.zeros(64, np.float32)

    def tune(**arguments) -> int:
        def make(tile):
            module = pct.build(SCALE, target="cpu", options=("-O2",), **{"optimize": False, **arguments})
            return module[f"scale<{tile}>"][1]

        timed.clear()
        assert pct.autotune(make, [64], args=(x, out, 64), key="scale") == 64
        return len(timed)

    assert tune() == 1
    with monkeypatch.context() as patch:
        patch.setattr(subprocess, "Popen", None)
        assert tune() == 0
    with pytest.raises(pct.CompileError, match="none"):
        tune(arch="none")


def test_choice_goes_with_the_cache():
    pct.autotune(Sleepers().make, CONFIGS, args=(), key="sleep")
    from pycuda_tile.system import cache

    assert cache.clear() == 1
    again = Sleepers()
    pct.autotune(again.make, CONFIGS, args=(), key="sleep")
    assert again.launches > 0


def test_kernel():
    module = pct.build(SCALE, target="cpu")
    x, out = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
    configs = [64, 1024]
    chosen = pct.autotune(
        lambda tile: module[f"scale<{tile}>"][-(-1000 // tile)], configs, args=(x, out, 1000), key="scale"
    )
    assert chosen in configs
    assert np.array_equal(out, 2 * x)


def test_configuration_that_does_not_compile_is_passed_over():
    module = pct.build(SCALE, target="cpu")
    x, out = np.ones(64, np.float32), np.zeros(64, np.float32)
    make = lambda tile: module[f"scale<{tile}>"][1]  # noqa: E731
    assert pct.autotune(make, [63, 64], args=(x, out, 64), key="scale") == 64  # 63 is not a power of two


def test_error_where_none_works():
    def make(_):
        raise pct.LaunchError("does not work")

    with pytest.raises(pct.LaunchError, match="does not work"):
        pct.autotune(make, [1, 2], args=(), key="none")


def test_errors_of_the_program_are_not_hidden():
    def make(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        pct.autotune(make, [1, 2], args=(), key="bug")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"args": None}, "args must be a tuple of the arguments, got NoneType"),
        ({"args": np.zeros(1)}, "args must be a tuple of the arguments, got ndarray"),  # not (array,)
        ({"configs": None}, "configs must be a sequence of configurations, got NoneType"),
        ({"configs": "fast"}, "configs must be a sequence of configurations, got str"),
    ],
)
def test_what_is_no_sequence(given: dict, words: str):
    with pytest.raises(pct.Error, match=words) as caught:
        pct.autotune(lambda config: print, **{"configs": [1], "args": (), "key": "k", **given})
    assert isinstance(caught.value, TypeError)


def test_no_configuration():
    with pytest.raises(pct.Error, match="configs is empty"):
        pct.autotune(Sleepers().make, [], args=(), key="sleep")


@pytest.mark.parametrize(("configs", "key", "name"), [([object()], "k", "configs"), ([1], object(), "key")])
def test_what_json_cannot_write(configs, key, name):
    with pytest.raises(pct.Error, match=f"{name} must be serializable as JSON"):
        pct.autotune(Sleepers().make, configs, args=(), key=key)


def test_what_makes_no_kernels():
    for wrong, words in ((3, "make_kernel must be a function, got int"), (lambda c: None, "'a'.* gave None")):
        with pytest.raises(TypeError, match=words) as caught:
            pct.autotune(wrong, ["a"], args=(), key="k")
        assert isinstance(caught.value, pct.Error)
