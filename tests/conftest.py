"""What holds for all tests."""

from __future__ import annotations

import os
import signal


def pytest_configure() -> None:
    # A job in the background of a script ignores these, and so would all that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Python compiles what a test imports of a package; pip would compile all that it installs.
    # This is its option --no-compile: what it sets to false is the compiling.
    os.environ.setdefault("PIP_NO_COMPILE", "0")
