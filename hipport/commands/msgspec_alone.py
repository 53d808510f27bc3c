"""Loads msgspec without what it, and what it loads, hardly needs: a quarter of a hook's time."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import LazyLoader
from types import SimpleNamespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec

_LATE = {"msgspec.inspect", "msgspec.json", "msgspec.toml", "msgspec.yaml"}


def load_msgspec() -> None:
    """Load it without typing_extensions, which takes half as long as all else that it loads, and
    of which it needs nothing that typing lacks; its other formats when they are first used."""
    if "msgspec" in sys.modules or "typing_extensions" in sys.modules:
        return
    _load_uuid()
    typing = import_module("typing")
    reference = typing.ForwardRef
    # msgspec makes one to see how it is made, and the first text that Python compiles takes as
    # long as all else of typing: it makes Python ready to give out syntax trees.
    vars(typing)["ForwardRef"] = lambda *_, **__: None
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    sys.meta_path.insert(0, _Late)
    try:
        import_module("msgspec")
    finally:
        sys.meta_path.remove(_Late)
        del sys.modules["typing_extensions"]
        vars(typing)["ForwardRef"] = reference


class _Late:
    """Finds modules that are loaded when they are first used (importlib.util.LazyLoader)."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        found = PathFinder.find_spec(name, path) if name in _LATE else None
        if found and found.loader:
            found.loader = LazyLoader(found.loader)
        return found


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
