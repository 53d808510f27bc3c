"""What `python -m hipport.torch install` has every Python of an environment do when it starts.

A file hipport-torch.pth imports this module (site, "*.pth"). It imports nothing heavy: it waits
until PyTorch's extension builds are imported, and replaces their hipify step then.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

_BUILDS = "torch.utils.cpp_extension"


class _Finder(MetaPathFinder):
    """Finds the module as always, with a loader that replaces the step once it is loaded."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != _BUILDS:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        if spec and spec.loader:
            spec.loader = _Loader(spec.loader)
        return spec


class _Loader(Loader):
    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        from hipport.torch.replacement import replace

        replace()


def wait() -> None:
    """Replace the step as soon as it is imported."""
    sys.meta_path.insert(0, _Finder())
