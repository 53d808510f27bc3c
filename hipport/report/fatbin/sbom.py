"""Writes `hipport fatbin sbom`: where code objects come from, as CycloneDX 1.6 or as text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import hipport
from hipport.fatbin.binary import Binary
from hipport.fatbin.digest import sha256
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.origins import Origin, Tools, origins, tools_of
from hipport.report.fatbin.text import safe


def write(binaries: Iterable[Binary], limits: Limits, form: str) -> None:
    """Write one document, or a paragraph for each file."""
    if form == "json":
        _write_json(binaries, limits)
        return
    for binary in binaries:
        rows = _rows(binary, limits)
        if form == "rich":
            from hipport.report.fatbin.rich import write_table

            write_table(binary.path, ("targets", "made by", "revealed"), rows)
            continue
        sys.stdout.write(f"{safe(binary.path)}: {safe(_made_by(_host_tools(binary)))}\n")
        for targets, tools, revealed in rows:
            sys.stdout.write(f"  {safe(targets)}\n    {safe(tools)}\n    {safe(revealed)}\n")


def _rows(binary: Binary, limits: Limits) -> list[tuple[str, str, str]]:
    """What is the same for several code objects is written once."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for origin in origins(binary, limits):
        revealed = ", ".join(f"{key} {value}" for key, value in origin.revealed.items())
        row = (_made_by(origin.tools), revealed or "no code object")
        target = origin.entry.target
        name = str(target) if target is not None else origin.entry.id
        found.setdefault(row, {})[name] = None
    return [(" ".join(names), *row) for row, names in found.items()]


def _made_by(tools: Tools) -> str:
    return "; ".join([*tools.compilers, *(f"linked by {name}" for name in tools.linkers)]) or (
        "no compiler named"
    )


def _host_tools(binary: Binary) -> Tools:
    if binary.elf is None:
        return Tools([], [])
    try:
        return tools_of(binary.elf)
    except FormatError as error:
        binary.faults.append(error)
        return Tools([], [])


def _write_json(binaries: Iterable[Binary], limits: Limits) -> None:
    """Component by component: a folder may hold a hundred thousand code objects."""
    tool = {"type": "application", "name": "hipport", "version": hipport.__version__}
    head = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"tools": {"components": [tool]}},
    }
    text = json.dumps(head, indent=1)
    sys.stdout.write(text[: -len("\n}")] + ',\n "components": [')
    separator = ""
    for number, binary in enumerate(binaries):
        component = json.dumps(_component(number, binary, limits), indent=1)
        sys.stdout.write(f"{separator}\n{component}")
        separator = ","
    sys.stdout.write("\n ]\n}\n")


def _component(number: int, binary: Binary, limits: Limits) -> dict[str, Any]:
    """A file, with its code objects as components of it."""
    properties = [("kind", binary.kind), ("size", str(binary.size)), *_named(_host_tools(binary))]
    return {
        "type": "file",
        "bom-ref": f"file-{number}",
        "name": binary.path,
        "hashes": [{"alg": "SHA-256", "content": sha256(binary.source)}],
        "properties": _properties(properties),
        "components": [
            _image(f"file-{number}-image-{index}", origin)
            for index, origin in enumerate(origins(binary, limits))
        ],
    }


def _image(reference: str, origin: Origin) -> dict[str, Any]:
    entry = origin.entry
    properties = [
        ("bundle", str(entry.bundle.index)),
        ("compression", entry.bundle.compression or "none"),
        ("size", str(entry.size)),
        *([("target", str(entry.target))] if entry.target is not None else []),
        *([("kernels", str(origin.kernels))] if origin.code_object is not None else []),
        *_named(origin.tools),
        *origin.revealed.items(),
    ]
    return {
        "type": "firmware",
        "bom-ref": reference,
        "name": entry.id,
        "hashes": [{"alg": "SHA-256", "content": origin.sha256}],
        "properties": _properties(properties),
    }


def _named(tools: Tools) -> Iterator[tuple[str, str]]:
    yield from (("compiler", name) for name in tools.compilers)
    yield from (("linker", name) for name in tools.linkers)


def _properties(found: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": f"hipport:{name}", "value": value} for name, value in found]
