"""The targets on which the header's semantics are tested."""

import pytest
from targets import ALL


@pytest.fixture(
    params=[*(n for n in ALL if n != "open"), pytest.param("open", marks=pytest.mark.wide)], scope="session"
)
def target(request):
    """The arguments of pct.build for one target that runs on this machine; as Tile IR where there is time."""
    return ALL[request.param]
