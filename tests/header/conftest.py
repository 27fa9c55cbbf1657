"""The targets on which the header's semantics are tested."""

import pytest
from targets import TARGETS


@pytest.fixture(params=TARGETS, scope="session")
def target(request):
    """The arguments of pct.build for one target that runs on this machine."""
    return TARGETS[request.param]
