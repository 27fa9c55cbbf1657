"""The launcher with its kernels: compiled once, launched with more workers than a small machine has cores."""

import pytest
from launcher_library import Launcher, build


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    # The usual warnings, and a check of jumps between stacks that some systems enable by default.
    options = ("-Wall", "-Wextra", "-Wshadow", "-Werror", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2")
    return build(tmp_path_factory.mktemp("launcher"), *options)


@pytest.fixture
def launch(built):
    launcher = Launcher(built)
    launcher.workers = 4  # more than a small machine has cores, so that threads are interrupted anywhere
    yield launcher
    launcher.workers = 0
