"""Dependency files, as make includes them and ninja and CMake read them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from hipport.config import Configurations
from hipport.errors import HipportError, UsageError
from hipport.files import write
from hipport.rulebook.edition import rules_folder
from hipport.runs.convert import Conversion
from hipport.runs.convert_request import ConvertRequest


def refuse_depfile(path: Path, request: ConvertRequest) -> None:
    """Raise UsageError where no dependency file can be written."""
    if path.suffix != ".d":
        raise UsageError(f"--depfile {path}: no dependency file", remedy="end it in .d")
    if "-" in request.paths or request.in_place or not request.writes:
        raise UsageError("--depfile needs a result in other files", remedy="name files, and -o")


def write_depfile(path: Path, done: Conversion, request: ConvertRequest) -> None:
    """Write the file that a build takes for the result, and beside it what it depends on.

    `path` is that of the dependency file, `FILE.d`; what a build takes for the result is `FILE`.
    """
    sources = [task.source for task in done.tasks]
    configurations = Configurations(request.config_file, is_isolated=request.isolated)
    files = {configurations.of(each.parent).file for each in sources}
    inputs = [*sources, *filter(None, files), rules_folder() / "edition.toml"]
    write(path, depfile(str(path.with_suffix("")), inputs))
    write(path.with_suffix(""), b"")


def depfile(target: str, inputs: Iterable[Path], *, is_for_make: bool = True) -> bytes:
    """A rule that says what `target` depends on.

    For make, each input also gets an empty rule, as from `gcc -MP`: make then runs the recipe,
    instead of failing, where one of them has been removed. CMake adds such rules itself, and
    CMake 3.21.0 cannot read them. Raises HipportError for a name with a line break, which make has
    no way to write.
    """
    names = sorted({_escaped(str(each)) for each in inputs})
    lines = [f"{_escaped(target)}:", *names]
    rules = "".join(f"\n{name}:\n" for name in names if is_for_make)
    return (" \\\n  ".join(lines) + "\n" + rules).encode("utf-8", "surrogateescape")


def _escaped(name: str) -> str:
    """The name as in a rule: GCC's `make_depend` and ninja's reader escape the same way."""
    if "\n" in name or "\r" in name:
        raise HipportError(f"{name!r}: a line break in a file name", remedy="rename the file")
    return re.sub(r"([ #])", r"\\\1", name).replace("$", "$$")
