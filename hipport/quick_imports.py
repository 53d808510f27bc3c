"""Imports of hipport's own modules, in half the time: a command loads up to 250 of them.

Python asks each of its finders for each module, tries several endings of its name, and finds out
twice where its bytecode would be. But a module of a package here is the file of its name in the
package's folder. Whatever is not as expected is left to Python.
"""

from __future__ import annotations

import marshal
import os
import sys
from _imp import _fix_co_filename  # type: ignore[attr-defined]
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER, cache_from_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

_BEFORE, _, _ENDING = cache_from_source("/folder/module.py").partition("module")
"""What the path of a module's bytecode has around the name of the module."""
_BELOW = "/__pycache__/"
_CHECKED = MAGIC_NUMBER + bytes(4)
"""How a file of bytecode begins that belongs to a source of a certain time and size."""


def import_quickly() -> None:
    """From now on; where bytecode is kept elsewhere, as always."""
    if os.name == "posix" and f"/folder{_BELOW}" == _BEFORE:
        sys.meta_path.insert(0, _Finder)


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, _: object = None) -> ModuleSpec | None:
        if not path or not name.startswith("hipport."):
            return None
        stem = name.rpartition(".")[2]
        source = f"{path[0]}/{stem}.py"
        try:
            written = os.stat(source)  # noqa: PTH116
        except OSError:
            return None  # A package, or one of another kind of files.
        bytecode = f"{path[0]}{_BELOW}{stem}{_ENDING}"
        loader = _Loader(name, source, bytecode, written)
        spec = ModuleSpec(name, loader, origin=source)
        spec.has_location, spec.cached = True, bytecode
        return spec


class _Loader(SourceFileLoader):
    def __init__(self, name: str, source: str, bytecode: str, written: os.stat_result) -> None:
        super().__init__(name, source)
        self._bytecode, self._written = bytecode, written

    def get_code(self, fullname: str) -> CodeType | None:
        return self._known_code() or super().get_code(fullname)

    def _known_code(self) -> CodeType | None:
        """What the bytecode of this very source says."""
        try:
            data = self.get_data(self._bytecode)
        except OSError:
            return None
        time, size = int(self._written.st_mtime), self._written.st_size
        if data[:16] != _CHECKED + _four_bytes(time) + _four_bytes(size):
            return None
        code: CodeType = marshal.loads(memoryview(data)[16:])
        if code.co_filename != self.path:
            _fix_co_filename(code, self.path)
        return code


def _four_bytes(number: int) -> bytes:
    return (number & 0xFFFFFFFF).to_bytes(4, "little")
