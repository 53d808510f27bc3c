"""All opened files, and what has been read of them so far.

Worker threads read one at a time, and the user interface looks at any time: each addition
is complete.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Protocol

from hipport.errors import HipportError
from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.fatbin.host.registration import Registrations, registrations
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.object.demangle import demangle
from hipport.tui.kernelrows import KernelRow, part, read_rows
from hipport.tui.ondisk import Stamp, binaries_in, files_below, stamp
from hipport.tui.scope import Scope, file_name

if TYPE_CHECKING:
    from hipport.runs.trace import Sources
    from hipport.trace.binary_kernels import BinaryKernels
    from hipport.trace.source_places import Places, SourcePlaces


class Progress(Protocol):
    """Whether a long task goes on."""

    @property
    def cancelled(self) -> bool: ...
    def report(self, done: int, total: int, what: str) -> None:
        """`done` of `total` parts are ready; `what` is being read."""


class Library:
    """The opened files. `generation` counts additions, so that views know when to update."""

    def __init__(
        self, paths: tuple[str, ...], limits: Limits, sources: Sources | None = None
    ) -> None:
        self.paths = paths
        self.sources = sources
        self._places: SourcePlaces | None = None
        self._declared: BinaryKernels | None = None
        self.limits = limits
        self.binaries: list[Binary] = []
        self.problems: list[str] = []
        """Why files could not be opened."""
        self.stamps: dict[str, Stamp | None] = {}
        self.readable: dict[str, str] = {}
        """Mangled name -> demangled name."""
        self.generation = 0
        self._rows: dict[Bundle, list[KernelRow]] = {}
        self._registrations: dict[Binary, Registrations] = {}
        self._registered: dict[Binary, set[str]] = {}
        self._named: set[str] = set()
        """Names already passed to the demangler."""
        self._last: tuple[BundleEntry, CodeObject] | None = None
        self._lock = threading.RLock()
        self._registering = threading.Lock()

    def open(self, progress: Progress) -> Iterator[Binary]:
        """Open every path, headers only; what cannot be opened goes to `problems`."""
        for path in self.paths:
            try:
                for name in files_below(path, self.limits):
                    if progress.cancelled:
                        self.problems.append(f"{path}: cancelled before its end")
                        return
                    progress.report(len(self.binaries), 0, name)
                    self.stamps[name] = stamp(name)
                    yield from self._open_file(name, name == path)
            except HipportError as error:
                self.problems.append(str(error))

    def _open_file(self, name: str, named: bool) -> Iterator[Binary]:
        try:
            for binary in binaries_in(name, self.limits, named):
                self.binaries.append(binary)
                self.generation += 1
                yield binary
        except HipportError as error:
            if named:
                raise
            self.problems.append(str(error))

    def changed(self) -> dict[str, str]:
        """Files that have changed since they were opened, and what happened to them."""
        found = {}
        for path, known in self.stamps.items():
            now = stamp(path)
            if now != known:
                found[path] = "has disappeared" if now is None else "has changed"
        return found

    def bundles(self, scope: Scope) -> list[tuple[Binary, Bundle]]:
        """The bundles in the scope."""
        if scope.binary is not None and scope.bundle is not None:
            return [(scope.binary, scope.bundle)]
        binaries = [scope.binary] if scope.binary is not None else list(self.binaries)
        return [(binary, bundle) for binary in binaries for bundle in binary.bundles]

    def is_loaded(self, scope: Scope) -> bool:
        """Whether every kernel of the scope has been read."""
        return all(bundle in self._rows for _, bundle in self.bundles(scope))

    def rows(self, scope: Scope) -> list[KernelRow]:
        """The kernels of the scope read so far, in the order of the files."""
        found: list[KernelRow] = []
        for _, bundle in self.bundles(scope):
            rows = self._rows.get(bundle, [])
            found += rows if scope.entry is None else filter(scope.holds, rows)
        return found

    def load(self, scope: Scope, progress: Progress) -> Iterator[None]:
        """Read the scope's kernels, their readable names and what is registered; yields now and
        then so that callers can show what has been read."""
        with self._lock:
            bundles = [item for item in self.bundles(scope) if item[1] not in self._rows]
            for done, (binary, bundle) in enumerate(bundles):
                if progress.cancelled:
                    return
                progress.report(done, len(bundles), f"bundle {bundle.index}")
                self._rows[bundle] = read_rows(binary, bundle, self.limits)
                self._read_lines(binary, bundle)
                self.generation += 1
                yield
            progress.report(0, 0, "reading names")
            names = {row.name for row in self.rows(scope)} - self._named
            if names:
                self.readable |= demangle(names)
                self._named |= names
                if self.sources is not None and self._declared is not None:
                    from hipport.trace.source_places import SourcePlaces

                    progress.report(0, 0, "matching sources")
                    known = {name: self.readable.get(name, name) for name in self._named}
                    declared = chain.from_iterable(self._declared.named.values())
                    self._places = SourcePlaces(self.sources.tree, known, declared)
                self.generation += 1
        # Under a separate lock: a cancelled read cannot be stopped in the middle.
        for binary in dict.fromkeys(binary for binary, _ in self.bundles(scope)):
            if binary not in self._registrations and not progress.cancelled:
                progress.report(0, 0, f"reading registrations of {file_name(binary.path)}")
                with self._registering:
                    found = self._registrations.get(binary) or registrations(binary, self.limits)
                self._registered[binary] = found.names()
                self._registrations[binary] = found
                self.generation += 1
                yield

    def _read_lines(self, binary: Binary, bundle: Bundle) -> None:
        """Read where the kernels of a bundle are declared, if there are sources to show them in."""
        if self.sources is None:
            return
        from hipport.trace.binary_kernels import BinaryKernels, declared_kernels
        from hipport.trace.join import wanted_names

        self._declared = self._declared or BinaryKernels()
        wanted = wanted_names(self.sources.tree)
        declared_kernels(self._declared, part(binary, bundle), wanted, self.limits)

    def places(self, row: KernelRow) -> Places | None:
        """Where the sources define and launch a kernel; None if they do neither."""
        if self._places is None:
            return None
        return self._places.of(row.name, row.binary.path, row.entry.bundle.index, row.target)

    def registrations(self, binary: Binary) -> Registrations | None:
        """What the host code registers; None if that was not read yet."""
        return self._registrations.get(binary)

    def is_registered(self, binary: Binary, name: str) -> bool | None:
        """None if it is not known, or if the absence of a name proves nothing."""
        found = self._registrations.get(binary)
        if found is None:
            return None
        return True if name in self._registered[binary] else False if found.readable else None

    def code_object(self, entry: BundleEntry) -> CodeObject:
        """The code object of an entry; the last one stays decompressed."""
        with self._lock:
            if self._last is None or self._last[0] is not entry:
                self._last = None
                self._last = (entry, entry.code_object())
            return self._last[1]
