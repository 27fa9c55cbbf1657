"""The targets on which the header's semantics are tested."""

import pytest
from targets import ALL, TARGETS


@pytest.fixture(
    params=[n if n in TARGETS else pytest.param(n, marks=pytest.mark.wide) for n in ALL], scope="session"
)
def target(request):
    """The arguments of pct.build for one target that runs on this machine; others where there is time."""
    return ALL[request.param]
