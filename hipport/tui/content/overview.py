"""The Overview tab: what a file, bundle, or code object is, its size, and what it registers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hipport.errors import printable
from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.fatbin.elf_file import SHT_NOBITS
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.host.registration import compare
from hipport.tui.content.kernel import kernel_lines
from hipport.tui.content.matrix import targets
from hipport.tui.ondisk import reason
from hipport.tui.opened_files import Library, Progress
from hipport.tui.scope import Scope, entry_name, file_name
from hipport.tui.spans import Line, bar, count, fact, heading, line, wrapped
from hipport.tui.view_settings import Settings

_BAR = 20
_MOST = 20


def prepare(
    library: Library, scope: Scope, progress: Progress, settings: Settings
) -> Iterator[list[Line]]:
    """The facts from headers at once, those from kernels once these are read."""
    if scope.kernel is not None:
        yield kernel_lines(library, scope.kernel, settings)
        return
    yield describe(library, scope, settings)
    for _ in library.load(scope, progress):
        pass
    yield describe(library, scope, settings)


def describe(library: Library, scope: Scope, settings: Settings) -> list[Line]:
    """What is known about the selection so far."""
    if scope.entry is not None:
        lines = _entry(library, scope.entry, settings)
    elif scope.bundle is not None:
        lines = _bundle(scope.bundle, settings)
    elif scope.binary is not None:
        lines = _binary(library, scope.binary, settings)
    else:
        lines = _everything(library, settings)
    lines += _kernels(library, scope)
    if scope.binary is not None and scope.bundle is None:
        lines += _registered(library, scope.binary)
    return lines


def faults(found: list[FormatError]) -> list[Line]:
    """What could not be read, one fault per line."""
    if not found:
        return []
    lines = [line(), line((f"Damage ({len(found)}): what follows could not be read", "bad"))]
    for fault in found[:_MOST]:
        lines += wrapped(f"at {fault.offset:#x}: {fault.problem}", "warn", "  ")
        lines += wrapped(fault.remedy, "dim", "    ")
    if len(found) > _MOST:
        lines.append(line(f"  … {len(found) - _MOST} more"))
    return lines


def _everything(library: Library, settings: Settings) -> list[Line]:
    lines = [heading(count(len(library.binaries), "file")), line()]
    names = Counter(file_name(binary.path) for binary in library.binaries)
    for binary in library.binaries:
        name = file_name(binary.path)
        broken = sum(1 for _ in binary.all_faults())
        found = targets(library, Scope(binary))
        lines.append(
            line(
                f"{settings.size(binary.size):>12}  ",
                (name if names[name] == 1 else printable(binary.path), "label"),
                f"  {count(len(binary.bundles), 'bundle')}, {count(len(found), 'target')}",
                (f"  {count(broken, 'fault')}" if broken else "", "bad"),
            )
        )
    for problem in library.problems:
        lines += wrapped(problem, "bad")
    return lines + _targets(library, Scope(), settings)


def _targets(library: Library, scope: Scope, settings: Settings) -> list[Line]:
    """The targets of all bundles, each with the bytes of its code."""
    found = targets(library, scope)
    most = max((each.size for each in found.values()), default=1)
    lines = [line(), heading(f"Targets ({len(found)})")]
    for name, code in found.items():
        lines.append(
            line(
                f"  {settings.size(code.size):>12} {bar(code.size / most, 10)} ",
                (name, "label"),
                f"  {count(code.objects, 'code object')}",
            )
        )
    return lines if found else []


def _binary(library: Library, binary: Binary, settings: Settings) -> list[Line]:
    lines = [
        fact("file", binary.path),
        fact("kind", binary.kind),
        fact("size", settings.size(binary.size)),
    ]
    lines += [fact("note", remark, "warn") for remark in binary.remarks]
    stored = sum(bundle.size for bundle in binary.bundles)
    unpacked = sum(bundle.uncompressed_size for bundle in binary.bundles)
    if binary.size:
        lines.append(
            fact(
                "device code",
                f"{bar(stored / binary.size, _BAR)} {settings.size(stored)} of the file",
            )
        )
        lines.append(fact("unpacked", settings.size(unpacked)))
    lines += _targets(library, Scope(binary), settings)
    lines += [line(), heading(f"Bundles ({len(binary.bundles)})")]
    lines += [line(f"  [{bundle.index}] {_summary(bundle, settings)}") for bundle in binary.bundles]
    if not binary.bundles:
        lines.append(line(("  no device code was found", "warn")))
    return lines + faults(list(binary.all_faults()))


def _summary(bundle: Bundle, settings: Settings) -> str:
    version = f" v{bundle.version}" if bundle.version else ""
    text = f"{bundle.format}{version} at {bundle.place.offset:#x}, {settings.size(bundle.size)}"
    if bundle.compression:
        text += f" {bundle.compression}, {settings.size(bundle.uncompressed_size)} unpacked"
    return f"{text}, {count(len(bundle.device_entries), 'target')}"


def _bundle(bundle: Bundle, settings: Settings) -> list[Line]:
    version = f" version {bundle.version}" if bundle.version else ""
    lines = [
        fact("container", f"{bundle.format}{version}"),
        fact("offset", f"{bundle.place.offset:#x} in {bundle.place.label}"),
        fact("size", settings.size(bundle.size)),
    ]
    if bundle.compression:
        part = bundle.size / (bundle.uncompressed_size or 1)
        lines.append(
            fact(
                "compression",
                f"{bundle.compression} {bar(part, _BAR)} {100 * part:.0f} % of "
                f"{settings.size(bundle.uncompressed_size)}",
            )
        )
    else:
        lines.append(fact("compression", "none"))
    lines += [line(), heading(f"Entries ({len(bundle.entries)})")]
    largest = max((entry.size for entry in bundle.entries), default=0) or 1
    for entry in bundle.entries:
        lines.append(
            line(
                f"  {settings.size(entry.size):>12} {bar(entry.size / largest, 10)} ",
                (entry_name(entry), "label" if entry.size else "dim"),
                f" {entry.image_kind}" if entry.image_kind else "",
            )
        )
    return lines + faults(bundle.faults)


def _entry(library: Library, entry: BundleEntry, settings: Settings) -> list[Line]:
    lines = [
        fact("entry", entry.id),
        fact("size", settings.size(entry.size)),
        fact("offset", f"{entry.offset:#x} in the bundle"),
    ]
    if entry.image_kind:
        lines.append(fact("image", entry.image_kind))
    if not entry.size:
        return [*lines, line(), line(("empty: this target has no code here", "warn"))]
    try:
        code_object = library.code_object(entry)
        lines.append(fact("code object", f"version {code_object.version}"))
        lines.append(fact("target of flags", str(code_object.target)))
        lines.append(fact("metadata target", code_object.metadata_target or "none"))
        sections = [s for s in code_object.elf.sections if s.size and s.type != SHT_NOBITS]
        largest = max((section.size for section in sections), default=1)
        lines += [line(), heading("Sections")]
        for section in sorted(sections, key=lambda s: -s.size)[:_MOST]:
            lines.append(
                line(
                    f"  {settings.size(section.size):>12} {bar(section.size / largest, 10)} ",
                    (section.name, "label"),
                )
            )
    except FormatError as error:
        lines += wrapped(reason(error), "bad")
    return lines + faults(entry.bundle.faults)


def _kernels(library: Library, scope: Scope) -> list[Line]:
    if not library.is_loaded(scope):
        return [line(), line(("Kernels: not read yet", "dim"))]
    rows = library.rows(scope)
    spilling = sum(1 for row in rows if row.spills)
    scratch = sum(1 for row in rows if row.scratch)
    found = len({row.target for row in rows})
    return [
        line(),
        heading("Kernels"),
        fact("  distinct", str(len({(row.binary, row.name) for row in rows}))),
        fact("  in total", f"{len(rows)} for {count(found, 'target')}"),
        fact("  spilling", str(spilling), "bad" if spilling else ""),
        fact("  with scratch", str(scratch), "warn" if scratch else ""),
    ]


def _registered(library: Library, binary: Binary) -> list[Line]:
    found = library.registrations(binary)
    if found is None:
        return []
    lines = [line(), heading("Registered and present")]
    for problem in found.problems:
        lines += wrapped(problem, "warn", "  ")
    names: dict[tuple[int, str], set[str]] = {}
    for row in library.rows(Scope(binary)):
        names.setdefault((row.entry.bundle.index, row.target), set()).add(row.name)
    compared = compare(found, [(*key, held) for key, held in names.items()])
    alike: dict[tuple[int, int, int, int], list[str]] = {}
    for item in compared:
        key = (item.bundle, item.both, len(item.registered_only), len(item.present_only))
        alike.setdefault(key, []).append(item.target)
    for (bundle, both, missing, extra), found_for in alike.items():
        lines.append(
            line(
                f"  [{bundle}] {both} registered and present",
                (f", {missing} registered only" if missing else "", "bad"),
                (f", {extra} present only" if extra else "", "warn"),
                (f"  for {' '.join(found_for)}", "dim"),
            )
        )
    if not compared and not found.problems:
        lines.append(line(("  the host code registers nothing", "dim")))
    return lines
