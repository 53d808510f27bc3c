"""Metadata of code object version 2: YAML instead of MessagePack (LLVM, AMDGPUUsage, "Code
Object V2 Metadata"). Only what the compiler writes is read: block maps and lists, flow lists,
plain and quoted scalars. The keys are turned into those of version 3.
"""

from __future__ import annotations

import re
from typing import Any

from hipport.fatbin.byte_source import Source
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.object.metadata import Metadata, Raw
from hipport.lazy_regex import regex

_LINE = regex(r"^( *)(- +)?(?:([A-Za-z][A-Za-z0-9_]*):(?: +(.*))?|(.*))$")
_MAX_DEPTH = 16
_KEYS = {
    "KernargSegmentSize": ".kernarg_segment_size",
    "KernargSegmentAlign": ".kernarg_segment_align",
    "GroupSegmentFixedSize": ".group_segment_fixed_size",
    "PrivateSegmentFixedSize": ".private_segment_fixed_size",
    "WavefrontSize": ".wavefront_size",
    "NumSGPRs": ".sgpr_count",
    "NumVGPRs": ".vgpr_count",
    "NumSpilledSGPRs": ".sgpr_spill_count",
    "NumSpilledVGPRs": ".vgpr_spill_count",
    "MaxFlatWorkGroupSize": ".max_flat_workgroup_size",
    "IsDynamicCallStack": ".uses_dynamic_stack",
}
_ARGUMENT_KEYS = {
    "Name": ".name",
    "TypeName": ".type_name",
    "Size": ".size",
    "ValueKind": ".value_kind",
    "AddrSpaceQual": ".address_space",
    "AccQual": ".access",
    "ActualAccQual": ".actual_access",
}


def decode(source: Source) -> Metadata:
    """The note's content with the keys of version 3."""
    text = source.read(0, source.size).decode("utf-8", "backslashreplace").rstrip("\0\n")
    lines = [line for line in text.splitlines() if line.strip() not in ("", "---", "...")]
    position = [0]
    tree = _block(lines, position, 0, source, 0)
    if position[0] < len(lines):
        raise _unreadable(lines, position, source)
    if not isinstance(tree, dict):
        raise source.fault(0, "version 2 metadata that is not a map")
    top = {"amdhsa.version": tree.get("Version", [])}
    if isinstance(tree.get("Printf"), list):
        top["amdhsa.printf"] = tree["Printf"]
    kernels = tree.get("Kernels")
    records: list[Raw] = [
        _kernel(kernel)
        for kernel in (kernels if isinstance(kernels, list) else [])
        if isinstance(kernel, dict)
    ]
    return Metadata(top, records, b"")


def _kernel(kernel: Raw) -> Raw:
    raw: Raw = {".name": str(kernel.get("Name", ""))}
    symbol = str(kernel.get("SymbolName", "")).removesuffix("@kd")
    raw[".symbol"] = f"{symbol}.kd" if symbol else ""
    code = kernel.get("CodeProps")
    if isinstance(code, dict):
        raw |= {ours: code[theirs] for theirs, ours in _KEYS.items() if theirs in code}
    attributes = kernel.get("Attrs")
    if isinstance(attributes, dict) and "ReqdWorkGroupSize" in attributes:
        raw[".reqd_workgroup_size"] = attributes["ReqdWorkGroupSize"]
    arguments = kernel.get("Args")
    raw[".args"] = [
        {ours: argument[theirs] for theirs, ours in _ARGUMENT_KEYS.items() if theirs in argument}
        for argument in (arguments if isinstance(arguments, list) else [])
        if isinstance(argument, dict)
    ]
    for argument in raw[".args"]:
        kind = str(argument.get(".value_kind", ""))
        argument[".value_kind"] = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).lower()
    return raw


def _block(lines: list[str], position: list[int], indent: int, source: Source, depth: int) -> Any:
    """The map or list whose lines are indented by `indent` or more."""
    if depth > _MAX_DEPTH:
        raise source.fault(0, f"version 2 metadata nested deeper than {_MAX_DEPTH}")
    items: list[Any] = []
    fields: Raw = {}
    while position[0] < len(lines):
        line = lines[position[0]]
        match = _LINE.match(line)
        if match is None:
            raise source.fault(0, f"version 2 metadata: cannot read the line {line[:80]!r}")
        spaces, dash, key, value, plain = match.groups()
        if len(spaces) < indent:
            break
        if dash:
            if fields:
                break
            # What follows the dash is the first line of a block indented by as much.
            lines[position[0]] = spaces + " " * len(dash) + line[len(spaces) + len(dash) :]
            if key is None:
                position[0] += 1
                items.append(_scalar(plain))
            else:
                items.append(_block(lines, position, len(spaces) + len(dash), source, depth + 1))
            continue
        if items or key is None:
            break
        position[0] += 1
        if value:
            fields[key] = _scalar(value)
        else:
            deeper = _indent(lines, position[0])
            below = deeper > len(spaces) or (deeper == len(spaces) and _dashed(lines, position[0]))
            fields[key] = _block(lines, position, deeper, source, depth + 1) if below else ""
    else:
        return items or fields
    if not items and not fields:
        raise _unreadable(lines, position, source)
    return items or fields


def _unreadable(lines: list[str], position: list[int], source: Source) -> FormatError:
    return source.fault(0, f"version 2 metadata: cannot read {lines[position[0]][:80]!r}")


def _indent(lines: list[str], index: int) -> int:
    return len(lines[index]) - len(lines[index].lstrip(" ")) if index < len(lines) else -1


def _dashed(lines: list[str], index: int) -> bool:
    return lines[index].lstrip(" ").startswith("- ")


def _scalar(text: str) -> Any:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(part) for part in text[1:-1].split(",") if part.strip()]
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1].replace("''", "'")
    if text in ("true", "false"):
        return text == "true"
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else text
