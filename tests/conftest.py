"""What holds for all tests."""

from __future__ import annotations

import os
import signal

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "long: takes most of a minute or more, and begins first")
    # A job in the background of a script ignores these, and so would all that tests start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Python compiles what a test imports of a package; pip would compile all that it installs.
    # This is its option --no-compile: what it sets to false is the compiling.
    os.environ.setdefault("PIP_NO_COMPILE", "0")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    # Of two processes, one would wait at the end for the other's long test.
    items.sort(key=lambda item: item.get_closest_marker("long") is None)
