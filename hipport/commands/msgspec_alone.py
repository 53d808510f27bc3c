"""Loads msgspec without what it, and what it loads, hardly needs: a quarter of a hook's time."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import SimpleNamespace


def load_msgspec() -> None:
    """Load it without typing_extensions, which takes half as long as all else that it loads, and
    of which it needs nothing that typing lacks."""
    if "msgspec" in sys.modules or "typing_extensions" in sys.modules:
        return
    _load_uuid()
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    try:
        import_module("msgspec")
    finally:
        del sys.modules["typing_extensions"]


def _load_uuid() -> None:
    """Load it without `platform`, all of whose expressions are compiled for the system's name."""
    if os.name != "posix" or "platform" in sys.modules:
        return
    name = os.uname().sysname
    sys.modules["platform"] = SimpleNamespace(system=lambda: name)  # type: ignore[assignment]
    try:
        import_module("uuid")
    except AttributeError:
        sys.modules.pop("uuid", None)  # It asks for more: it is loaded again, as always.
    finally:
        del sys.modules["platform"]
