"""What tests of benchmarks/on_gpu share."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

ON_GPU = Path(__file__).parents[2] / "benchmarks" / "on_gpu"


@pytest.fixture
def on_gpu(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """A function that imports a module of benchmarks/on_gpu."""
    monkeypatch.syspath_prepend(str(ON_GPU))
    return importlib.import_module
