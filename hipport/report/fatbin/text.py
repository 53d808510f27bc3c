"""Plain text for `hipport fatbin`: stable columns, one thing per line."""

from __future__ import annotations

import sys

from hipport.fatbin.format_error import printable as safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from hipport.fatbin.binary import Binary, Bundle

__all__ = ["describe", "safe", "targets_of", "write_list", "write_targets"]


def write_list(binaries: Iterable[Binary]) -> None:
    """File, then its bundles, then their entries with size and offset within the bundle."""
    write = sys.stdout.write
    for binary in binaries:
        count = len(binary.bundles)
        nothing = "not opened" if binary.unopened else "no device code"
        found = f"{count} bundle{'s' * (count != 1)}" if count else nothing
        write(f"{safe(binary.path)}: {binary.kind}, {binary.size} bytes, {found}\n")
        for remark in binary.remarks:
            write(f"  note: {safe(remark)}\n")
        for bundle in binary.bundles:
            write(f"  [{bundle.index}] {describe(bundle)}\n")
            for entry in bundle.entries:
                kind = f"  {safe(entry.image_kind)}" if entry.image_kind else ""
                write(f"    {entry.size:>12}  {entry.offset:#10x}  {safe(entry.id)}{kind}\n")


def write_targets(binaries: Iterable[Binary]) -> None:
    """One line per file: path, then its targets in order of appearance."""
    for binary in binaries:
        sys.stdout.write(f"{safe(binary.path)}: {' '.join(targets_of(binary)) or '-'}\n")


def targets_of(binary: Binary) -> list[str]:
    """Target IDs of the entries with content, each once, in order of appearance."""
    return list(
        dict.fromkeys(
            str(entry.target)
            for bundle in binary.bundles
            for entry in bundle.entries
            if entry.size and entry.target is not None
        )
    )


def describe(bundle: Bundle) -> str:
    """One line about a bundle: where, what, how large."""
    version = f" v{bundle.version}" if bundle.version else ""
    line = f"{bundle.format}{version} at {bundle.place.offset:#x}, {bundle.size} bytes"
    if bundle.compression and bundle.uncompressed_size != bundle.size:
        line += f" {bundle.compression}, {bundle.uncompressed_size} uncompressed"
    return line
