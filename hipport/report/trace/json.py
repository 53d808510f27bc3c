"""A trace as JSON, schema hipport-trace/1: launches, kernels, findings."""

from __future__ import annotations

from typing import Any, TextIO

from hipport import __version__
from hipport.model import Report
from hipport.report.context import Context
from hipport.report.json import finding_object, write_parts
from hipport.report.trace.rows import Row, rows
from hipport.trace.model import Definition, Launch, Match, Size, Trace

SCHEMA = "hipport-trace/1"


def write(trace: Trace, report: Report, out: TextIO, context: Context) -> None:
    """Write one object; names are as they are stored, lines and columns count from 1."""
    kernels = trace.by_definition()
    parts: dict[str, Any] = {
        "schema": SCHEMA,
        "tool": {"name": "hipport", "version": __version__},
        "targets": list(trace.targets),
        "launches": (_match(trace, match) for match in trace.matches),
        "definitions": (
            {**_definition(each), "kernels": kernels.get(id(each), [])}
            for each in trace.definitions
        ),
        "others": (
            {"name": name, "targets": list(targets)} for name, targets in trace.others.items()
        ),
        "findings": (finding_object(each, context) for each in report.findings),
    }
    write_parts(parts, out)


def _match(trace: Trace, match: Match) -> dict[str, Any]:
    launch, definition = match.launch, match.definition
    return {
        **_place(launch),
        "form": launch.form,
        "kernel": launch.kernel,
        "grid": _size(launch.grid),
        "block": _size(launch.block),
        "dynamic_lds": _size(launch.lds),
        "stream": launch.stream,
        "in_loop": launch.in_loop,
        "is_query": launch.is_query,
        "certainty": str(match.certainty),
        "reason": match.reason,
        "definition": definition and {**_place(definition), "name": definition.shown},
        "kernels": [
            {
                "name": kernel,
                "readable": trace.readable.get(kernel, kernel),
                "targets": [_row(row) for row in rows(trace, match, kernel)],
            }
            for kernel in match.kernels
        ],
    }


def _place(each: Launch | Definition) -> dict[str, Any]:
    return {"path": each.path, "line": each.start.line, "column": each.start.column}


def _size(size: Size) -> dict[str, Any]:
    return {"text": size.text, "values": None if size.values is None else list(size.values)}


def _row(row: Row) -> dict[str, Any]:
    found = row.fit.occupancy if row.fit else None
    return {
        "target": row.kernel.target,
        "file": row.kernel.path,
        "bundle": row.kernel.bundle,
        **row.kernel.resources,
        "registered": row.kernel.registered,
        "declared": row.kernel.declared and row.kernel.declared._asdict(),
        "occupancy": found and {"waves": found.waves, "most": found.most, "limits": found.limits},
    }


def _definition(definition: Definition) -> dict[str, Any]:
    return {
        **_place(definition),
        "name": definition.shown,
        "parameters": list(definition.parameters),
        "template": definition.template is not None,
        "launch_bounds": definition.bounds,
    }
