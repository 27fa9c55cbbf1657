"""Lets the tests of this folder import the modules beside them, and starts their compilers early."""

import sys
from pathlib import Path

import pytest

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "nvrtc")]

import ahead
import compilers


@pytest.fixture(scope="session", autouse=True)
def started(request: pytest.FixtureRequest):
    compilers.fetched = Path(request.config.cache.mkdir("nvrtc"))
    pool = ahead.start(request.session.items)
    yield
    pool.shutdown(cancel_futures=True)
