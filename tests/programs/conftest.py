"""Lets the tests of this folder import the modules beside them, and starts their compilers early."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

import ahead


@pytest.fixture(scope="session", autouse=True)
def started(request: pytest.FixtureRequest):
    pool = ahead.start(request.session.items)
    yield
    pool.shutdown(cancel_futures=True)
