"""The Overview tab of one kernel: full name, resources, occupancy, other targets."""

from __future__ import annotations

from hipport.fatbin.format_error import FormatError
from hipport.fatbin.object.code_object import Kernel
from hipport.fatbin.object.occupancy import Occupancy, needs_of, occupancy_of
from hipport.tui.kernelrows import KernelRow
from hipport.tui.ondisk import reason
from hipport.tui.opened_files import Library
from hipport.tui.scope import Scope
from hipport.tui.spans import Line, bar, count, fact, heading, line, wrapped
from hipport.tui.view_settings import Settings

_WORDS = {True: "yes", False: "no", None: "unknown"}
_MOST_LINES, _MOST_LAUNCHES = 20, 20
_GROUP_SIZES = (64, 128, 256, 512, 1024)


def find_kernel(library: Library, row: KernelRow) -> Kernel:
    """The kernel of that row; raises FormatError if it cannot be read any more."""
    code_object = library.code_object(row.entry)
    for kernel in code_object.kernels():
        if kernel.name == row.name:
            return kernel
    raise code_object.source.fault(0, f"the metadata no longer has kernel {row.name}")


def kernel_lines(library: Library, row: KernelRow, settings: Settings) -> list[Line]:
    """Everything about the kernel that fits on a page."""
    lines = [
        fact("kernel", library.readable.get(row.name, row.name), "accent"),
        fact("mangled", row.name),
        fact("target", row.target),
        fact("registered", _WORDS[library.is_registered(row.binary, row.name)]),
        line(),
        heading("Needs"),
        fact("  VGPRs", f"{row.vgpr}, of these {row.agpr} accumulation"),
        fact("  SGPRs", str(row.sgpr)),
        fact("  LDS", settings.size(row.lds)),
        fact("  scratch", settings.size(row.scratch), "warn" if row.scratch else ""),
        fact(
            "  spills",
            f"{row.vspill} VGPRs, {row.sspill} SGPRs",
            "bad" if row.spills else "",
        ),
        fact("  code", settings.size(row.code) if row.code >= 0 else "unknown"),
    ]
    try:
        kernel = find_kernel(library, row)
        lines += _occupancy(kernel)
    except FormatError as error:
        lines += wrapped(reason(error), "bad")
    return lines + _elsewhere(library, row) + _source(library, row)


def _source(library: Library, row: KernelRow) -> list[Line]:
    """Where the sources define the kernel, its first lines, and where they launch it."""
    places = library.places(row)
    if library.sources is None or places is None:
        return []
    found: list[Line] = []
    if places.definition is not None:
        path, first = places.definition.path, places.definition.start.line
        found += [line(), heading(f"Source: {path}:{first}")]
        for number in range(first, first + _MOST_LINES):
            text = library.sources.lines.at(path, number)
            found.append(line((f"{number:>6} ", "dim"), text.expandtabs(4)))
            if text.startswith("}") or (text.rstrip().endswith("}") and number == first):
                break
    if places.elsewhere:
        text = f"Compiled from {places.elsewhere}, but these sources do not define it there"
        found += [line(), *wrapped(text, "warn")]
    if places.launches:
        found += [line(), heading(f"Launched at {count(len(places.launches), 'place')}")]
    for each in places.launches[:_MOST_LAUNCHES]:
        text = f"{each.kernel}, grid {each.grid.text or '?'}, block {each.block.text or '?'}"
        found.append(line((f"  {each.path}:{each.start.line} ", "label"), text))
    return found


def _occupancy(kernel: Kernel) -> list[Line]:
    """Waves per SIMD for the usual sizes of a work-group, and what limits them."""
    processor = kernel.code_object.target.processor
    found = occupancy_of(kernel, processor)
    if found is None:
        return [line(), line((f"Occupancy: the registers of {processor} are unknown", "dim"))]
    needs = needs_of(kernel, processor)
    lines = [
        line(),
        heading(f"Occupancy: waves per SIMD of {processor}, wave{needs.wave_size}"),
        fact("  allocated", f"{needs.vgprs} VGPRs, {needs.sgprs} SGPRs"),
    ]
    for resource, waves in found.limits.items():
        limiting = resource == found.limit and waves < found.most
        lines.append(
            line(
                (f"  {resource:<15} ", "label"),
                f"{bar(waves / found.most, found.most)} {waves:>2} of {found.most}",
                ("  limits" if limiting else "", "warn"),
            )
        )
    most = kernel.max_workgroup_size or max(_GROUP_SIZES)
    for size in (size for size in _GROUP_SIZES if size <= most):
        by_size = occupancy_of(kernel, processor, size)
        if by_size is not None:
            lines.append(
                fact(f"  {size} work-items", f"{by_size.waves:>2} waves{_limit(by_size)}", width=17)
            )
    return lines


def _limit(found: Occupancy) -> str:
    return "" if found.waves == found.most else f", limited by {found.limit}"


def _elsewhere(library: Library, row: KernelRow) -> list[Line]:
    """The same kernel for the other targets of the file, as far as they are read."""
    same = [other for other in library.rows(Scope(row.binary)) if other.name == row.name]
    lines = [
        line(),
        heading(f"For {count(len(same), 'target')}: vgpr agpr sgpr lds scratch spills waves"),
    ]
    for other in same:
        lines.append(
            line(
                (f"  {other.target:<15} ", "label" if other != row else "accent"),
                f"{other.vgpr:>4} {other.agpr:>4} {other.sgpr:>4} {other.lds:>6} "
                f"{other.scratch:>7} ",
                (f"{other.spills:>6}", "bad" if other.spills else ""),
                f" {other.waves if other.waves >= 0 else '?':>5}",
            )
        )
    return lines
