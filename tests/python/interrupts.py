"""Ctrl-C at a moment that the test chooses."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def interrupted_when(
    has_begun: Callable[[], bool], handler: Callable = signal.default_int_handler
) -> Iterator:
    """Sends SIGINT to this process once `has_begun` says so, with `handler` installed in the meantime."""
    before = signal.signal(signal.SIGINT, handler)

    def interrupt() -> None:
        while not has_begun():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        yield
    finally:
        thread.join()
        signal.signal(signal.SIGINT, before)
