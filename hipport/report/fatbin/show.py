"""Writers for `hipport fatbin show`."""

from __future__ import annotations

import sys
from typing import Any

from hipport.fatbin.object.code_object import Kernel
from hipport.fatbin.object.disassembly import disassemble
from hipport.fatbin.object.kernel_descriptor import Descriptor
from hipport.fatbin.object.occupancy import needs_of, occupancy_of
from hipport.fatbin.questions.kernel_tables import KernelTable
from hipport.report.fatbin.text import safe


def kernel_object(
    path: str, table: KernelTable, kernel: Kernel, readable: str, group_size: int, code: bool
) -> dict[str, Any]:
    """Everything known about the kernel for one target, as JSON holds it."""
    code_object = kernel.code_object
    descriptor = kernel.descriptor
    processor = code_object.target.processor
    found: dict[str, Any] = {
        "file": path,
        "bundle": table.entry.bundle.index,
        "entry": table.entry.id,
        "target": str(code_object.target),
        "code_object_version": code_object.version,
        "name": kernel.name,
        "demangled": readable if readable != kernel.name else None,
        "metadata": {k: v for k, v in kernel.raw.items() if k not in (".name", ".args")},
        "arguments": kernel.arguments,
        "descriptor": _descriptor_object(descriptor, kernel) if descriptor is not None else None,
        "occupancy": None,
    }
    result = occupancy_of(kernel, processor, group_size)
    if result is not None:
        needs = needs_of(kernel, processor, group_size)
        found["occupancy"] = {
            "waves_per_simd": result.waves,
            "most": result.most,
            "limit": result.limit,
            "limits": result.limits,
            "allocated_vgprs": needs.vgprs,
            "allocated_sgprs": needs.sgprs,
            "group_size": needs.group_size,
        }
    if code:
        text, by, problem = disassemble(code_object, kernel.name)
        found["disassembly"] = {"by": by, "problem": problem, "text": text}
    return found


def _descriptor_object(descriptor: Descriptor, kernel: Kernel) -> dict[str, Any]:
    properties = [
        "vgpr_blocks",
        "sgpr_blocks",
        "wave32",
        "dynamic_stack",
        "workgroup_processor_mode",
        "user_sgprs",
        "preload_length",
        "preload_offset",
    ]
    if ".agpr_count" in kernel.raw:
        properties.append("accumulation_offset")
    return descriptor._asdict() | {name: getattr(descriptor, name) for name in properties}


def write(reports: list[dict[str, Any]], form: str) -> None:
    """One report for each target."""
    if form == "json":
        from hipport.report.fatbin.json import write as write_json

        write_json("show", {"kernels": reports})
        return
    for report in reports:
        if form == "rich":
            _write_rich(report)
        else:
            _write_text(report)


def _rows(report: dict[str, Any]) -> list[tuple[str, str]]:
    """What is shown above the arguments, one fact per row."""
    rows = [
        ("kernel", report["demangled"] or report["name"]),
        ("mangled", report["name"]),
        ("file", report["file"]),
        ("entry", f"{report['entry']} (bundle {report['bundle']})"),
        ("code object", f"version {report['code_object_version']}, {report['target']}"),
    ]
    rows += [(key.lstrip("."), str(value)) for key, value in report["metadata"].items()]
    occupancy = report["occupancy"]
    if occupancy is None:
        rows.append(("occupancy", "unknown for this processor"))
    else:
        limits = ", ".join(f"{name} {count}" for name, count in occupancy["limits"].items())
        rows.append(
            (
                "occupancy",
                f"{occupancy['waves_per_simd']} of {occupancy['most']} waves per SIMD, limited by "
                f"{occupancy['limit']} ({limits}) with {occupancy['group_size']} work-items",
            )
        )
        rows.append(
            (
                "allocated",
                f"{occupancy['allocated_vgprs']} VGPRs, {occupancy['allocated_sgprs']} SGPRs",
            )
        )
    descriptor = report["descriptor"]
    if descriptor is None:
        rows.append(("descriptor", "not found"))
    else:
        rows += [
            (f"descriptor {key}", f"{value:#x}" if key.startswith("rsrc") else str(value))
            for key, value in descriptor.items()
        ]
    return rows


def _argument(argument: dict[str, Any]) -> tuple[str, str, str, str]:
    kind = str(argument.get(".value_kind", ""))
    extra = " ".join(
        str(argument[key])
        for key in (".address_space", ".actual_access", ".type_name", ".name")
        if key in argument
    )
    return str(argument.get(".offset", "")), str(argument.get(".size", "")), kind, extra


def _code(report: dict[str, Any]) -> str:
    code = report.get("disassembly")
    if code is None:
        return ""
    return code["text"] or f"no disassembly: {code['problem']}"


def _write_text(report: dict[str, Any]) -> None:
    write = sys.stdout.write
    for key, value in _rows(report):
        write(f"{safe(key):<28} {safe(value)}\n")
    write("arguments (offset, bytes, kind)\n")
    for row in map(_argument, report["arguments"]):
        write(f"  {row[0]:>6} {row[1]:>6}  {safe(row[2])} {safe(row[3])}".rstrip() + "\n")
    for line in _code(report).splitlines():
        write(f"{safe(line.expandtabs())}\n")
    write("\n")


def _write_rich(report: dict[str, Any]) -> None:
    from hipport.report.fatbin.rich import write_table

    write_table(report["target"], ("what", "value"), _rows(report))
    write_table(
        "arguments",
        ("offset", "bytes", "kind", ""),
        [_argument(argument) for argument in report["arguments"]],
        right=(0, 1),
    )
    for line in _code(report).splitlines():
        sys.stdout.write(f"{safe(line.expandtabs())}\n")
