"""The Metadata tab: the metadata note as it is stored, and the arguments of a kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hipport.fatbin.binary import BundleEntry
from hipport.fatbin.object.notes import notes
from hipport.tui.content.kernel import find_kernel
from hipport.tui.kernelrows import KernelRow
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope
from hipport.tui.spans import Line, fact, heading, line
from hipport.tui.view_settings import Settings

_ARGUMENT = (".offset", ".size", ".value_kind")
_LONGEST = 4096
_WIDTH = 30
CHOOSE = "Choose a target or a kernel."


def prepare(
    library: Library, scope: Scope, progress: Progress, settings: Settings
) -> Iterator[list[Line]]:
    """The note of the code object, or the kernel's part of it."""
    if scope.kernel is not None:
        yield _kernel(library, scope.kernel)
    elif scope.entry is not None:
        yield _code_object(library, scope.entry)
    else:
        yield [line((CHOOSE, "dim"))]


def _code_object(library: Library, entry: BundleEntry) -> list[Line]:
    code_object = library.code_object(entry)
    lines = [heading("Notes")]
    for note in notes(code_object.elf, library.limits):
        name = note.name.decode("latin-1")
        lines.append(line(f"  {name:<12} type {note.type}, {note.content.size} bytes"))
    metadata = code_object.metadata
    lines += [line(), heading("Metadata")]
    lines += [fact(str(key), _value(value), width=_WIDTH) for key, value in metadata.top.items()]
    return [*lines, fact("amdhsa.kernels", str(len(metadata.kernels)), width=_WIDTH)]


def _kernel(library: Library, row: KernelRow) -> list[Line]:
    kernel = find_kernel(library, row)
    lines = [heading("Kernel metadata")]
    lines += [
        fact(str(key), _value(value), width=_WIDTH)
        for key, value in kernel.raw.items()
        if key not in ("args", ".args")
    ]
    arguments = kernel.arguments
    lines += [line(), heading(f"Arguments ({len(arguments)}): offset, bytes, kind")]
    return [*lines, *map(_argument, arguments)]


def _argument(argument: dict[str, Any]) -> Line:
    offset, size, kind = (_value(argument.get(key, "")) for key in _ARGUMENT)
    rest = " ".join(f"{k}={_value(v)}" for k, v in argument.items() if k not in _ARGUMENT)
    hidden = kind.startswith("hidden")
    return line(
        f"  {offset:>5} {size:>5}  ", (f"{kind:<24}", "dim" if hidden else "label"), f" {rest}"
    )


def _value(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
