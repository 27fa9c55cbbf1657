"""The targets on which the header's semantics are tested."""

import pytest

TARGETS = {
    "cpu": {"target": "cpu"},
    "emulated-4": {"target": "emulated", "num_threads": 4},
    "emulated-32": {"target": "emulated", "num_threads": 32},
}


@pytest.fixture(params=TARGETS, scope="session")
def target(request):
    """Arguments of pct.build for one target that runs here."""
    return TARGETS[request.param]
