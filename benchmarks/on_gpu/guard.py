"""A plugin of pytest for tests on a GPU: after an error from which a process's device does not recover, the
process ends, so that its other tests run in a new one (pytest-xdist)."""

from __future__ import annotations

import os

import pytest


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed and "PYTEST_XDIST_WORKER" in os.environ:
        from cuda.bindings import driver

        if int(driver.cuCtxSynchronize()[0]):
            os._exit(3)
