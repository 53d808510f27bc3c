"""Compiles the headers of ROCm that many units include once, for all of them.

Most of the time for a unit goes into those headers. A unit gets a precompiled set of them only if
it would include each of them anyway, and nothing is defined before; what does not compile with it
is to be compiled again without.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from hipport.verification.model import Unit
from hipport.verification.toolchain import Toolchain

RUNTIME = "hip/hip_runtime.h"
SETS = (
    (RUNTIME, "hipcub/hipcub.hpp", "thrust/device_vector.h", "thrust/sort.h"),
    (RUNTIME, "thrust/device_vector.h", "thrust/host_vector.h", "thrust/sort.h", "thrust/reduce.h"),
    (RUNTIME, "thrust/device_vector.h", "thrust/sort.h"),
    (RUNTIME, "thrust/device_vector.h"),
    (RUNTIME, "hipcub/hipcub.hpp"),
    (RUNTIME,),
)
"""What is precompiled: the largest set first, of those that are chosen from."""
_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(include|define|undef)\b", re.MULTILINE)
_FOR_SERIALIZATION, _INCOMPLETE = 0x10, 0x02
_ERROR = 3
_MAKING = threading.Lock()


class Sharing(Toolchain, frozen=True):
    """A toolchain whose arguments name precompiled headers, where a unit may have them."""

    folder: Path = Path()

    @classmethod
    def of(cls, plain: Toolchain, folder: Path) -> Sharing:
        folder.mkdir(parents=True, exist_ok=True)
        return cls(plain.chosen, plain.version, plain.resources, plain.headers, folder)

    def arguments(self, unit: Unit, target: str) -> list[str]:
        plain = Toolchain.arguments(self, unit, target)
        if unit.language != "hip" or defines_first(unit.path.read_bytes()):
            return plain
        included = _included(self, unit)
        for headers in SETS:
            if included.issuperset(str(self.headers.folder / each) for each in headers):
                with _MAKING:
                    made = self._precompiled(headers, _without_folders(plain))
                return [*plain, "-include-pch", str(made)] if made else plain
        return plain

    def _precompiled(self, headers: tuple[str, ...], arguments: list[str]) -> Path | None:
        words = [*self.lines(), *headers, *arguments]
        name = hashlib.sha256("\0".join(words).encode()).hexdigest()
        made, source = self.folder / f"{name}.pch", self.folder / f"{name}.h"
        failed = self.folder / f"{name}.failed"
        if not made.is_file() and not failed.is_file():
            source.write_text("".join(f"#include <{each}>\n" for each in headers))
            command = [sys.executable, "-I", __file__, self.library, str(source), str(made)]
            done = subprocess.run([*command, *arguments], capture_output=True)
            if done.returncode or not made.is_file():
                failed.touch()
        return made if made.is_file() else None


def defines_first(data: bytes) -> bool:
    """Whether a macro is defined before the first header: it may change what the headers mean."""
    first = _DIRECTIVE.search(data)
    return first is not None and first[1] != b"include"


@cache
def _included(toolchain: Sharing, unit: Unit) -> frozenset[str]:
    """The paths of all that the preprocessor reads of a unit, for the host."""
    clang = toolchain.resources.folder.parents[2] / "bin" / "clang++"
    arguments = Toolchain.arguments(toolchain, unit, "")
    command = [str(clang), *arguments, "-M", "-MG", str(unit.path)]
    try:
        done = subprocess.run(command, cwd=unit.folder, capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    return frozenset(done.stdout.decode(errors="replace").replace("\\\n", " ").split())


def _without_folders(arguments: Iterable[str]) -> list[str]:
    return [each for each in arguments if not each.startswith("-I")]


def main(library: str, source: str, target: str, *arguments: str) -> int:
    """Precompile a header; run as a program, as libclang may crash."""
    from clang import cindex

    cindex.Config.set_library_file(library)
    cindex.Config.set_compatibility_check(False)
    options = _FOR_SERIALIZATION | _INCOMPLETE
    unit = cindex.Index.create().parse(source, args=list(arguments), options=options)
    if any(each.severity >= _ERROR for each in unit.diagnostics):
        return 1
    partial = Path(f"{target}.part")
    unit.save(str(partial))
    partial.replace(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
