"""What holds for all tests."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    # A job in the background of a script ignores these, and so would all that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
