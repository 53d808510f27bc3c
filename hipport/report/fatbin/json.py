"""JSON for `hipport fatbin`. Entry IDs and kernel names are exactly as stored."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from hipport.fatbin.binary import Binary, Bundle
from hipport.fatbin.format_error import FormatError

if TYPE_CHECKING:
    from hipport.fatbin.questions.duplicates import Duplicates
    from hipport.fatbin.writing.extraction import Extracted

SCHEMA = 1


def write(command: str, content: dict[str, Any]) -> None:
    """One document on stdout, with the schema's number and the command that made it."""
    document = {"schema": SCHEMA, "command": f"fatbin {command}", **content}
    json.dump(document, sys.stdout, indent=1)
    sys.stdout.write("\n")


def write_parts(command: str, parts: Iterable[tuple[str, Iterable[str]]]) -> None:
    """The same with lists that are written element by element: `parts` are their names and their
    elements as text, see `element`."""
    out = sys.stdout.write
    out(f'{{\n "schema": {SCHEMA},\n "command": "fatbin {command}"')
    for name, elements in parts:
        out(f",\n {json.dumps(name)}: [")
        separator = "\n  "
        for text in elements:
            out(f"{separator}{text}")
            separator = ",\n  "
        out("]" if separator == "\n  " else "\n ]")
    out("\n}\n")


def element(content: object) -> str:
    """An element of a list, indented as far as `write_parts` needs."""
    return json.dumps(content, indent=1).replace("\n", "\n  ")


def write_list(binaries: Iterable[Binary]) -> None:
    write_parts("list", [("files", (element(binary_object(binary)) for binary in binaries))])


def binary_object(binary: Binary) -> dict[str, Any]:
    return {
        "path": binary.path,
        "kind": binary.kind,
        "size": binary.size,
        "remarks": binary.remarks,
        "not_opened": binary.unopened or None,
        "bundles": [bundle_object(bundle) for bundle in binary.bundles],
        "faults": [fault_object(fault) for fault in binary.all_faults()],
    }


def bundle_object(bundle: Bundle) -> dict[str, Any]:
    return {
        "index": bundle.index,
        "format": bundle.format,
        "version": bundle.version,
        "offset": bundle.place.offset,
        "size": bundle.size,
        "compression": bundle.compression or None,
        "uncompressed_size": bundle.uncompressed_size,
        "entries": [
            {
                "id": entry.id,
                "target": str(entry.target) if entry.target is not None else None,
                "image_kind": entry.image_kind or None,
                "offset": entry.offset,
                "size": entry.size,
            }
            for entry in bundle.entries
        ],
    }


def fault_object(fault: FormatError) -> dict[str, Any]:
    return {
        "place": fault.label,
        "offset": fault.offset,
        "problem": fault.problem,
        "remedy": fault.remedy or None,
    }


def write_extracted(written: Iterable[tuple[str, Extracted]]) -> None:
    write(
        "extract",
        {
            "files": [
                {
                    "source": path,
                    "bundle": item.entry.bundle.index,
                    "id": item.entry.id,
                    "file": str(item.path),
                    "size": item.size,
                }
                for path, item in written
            ]
        },
    )


def write_duplicates(facts: Duplicates) -> None:
    write(
        "dedupe",
        {
            "code_objects": facts.entries,
            "size": facts.size,
            "stored": facts.stored,
            "not_compressed": facts.uncompressed,
            "debug_sections": facts.debug,
            "copies": facts.wasted,
            "groups": [
                {
                    "sha256": digest,
                    "size": places[0][1].size,
                    "places": [
                        {"file": path, "bundle": entry.bundle.index, "id": entry.id}
                        for path, entry in places
                    ],
                }
                for digest, places in facts.groups.items()
            ],
        },
    )
