"""Audits a folder in a process of its own: progress and diagnostics as lines of JSON on stdout.

The server starts it as `python -m hipport.lsp.workspace_child FOLDER ENCODING REQUEST`, so that its
memory stays what open texts need, and an audit that is cancelled is ended.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import converters

from hipport.errors import HipportError
from hipport.lsp.diagnostics import diagnostic
from hipport.lsp.text_map import TextMap
from hipport.model import NOWHERE, Finding
from hipport.runs.audit import Audit, audit
from hipport.runs.audit_request import AuditRequest
from hipport.runs.watch import Watch

_Item = TypeVar("_Item")
_STEP = 20


class _Progress(Watch):
    """Writes how many files are done."""

    def progress(self, items: Iterator[_Item], total: int, what: str) -> Iterator[_Item]:
        for number, each in enumerate(items):
            if number % _STEP == 0:
                _write({"done": number, "total": total})
            yield each


def _write(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _files(done: Audit, encoding: str) -> Iterator[dict[str, Any]]:
    unstructure = converters.get_converter().unstructure
    for name, found in groupby(done.report.findings, lambda each: each.path):
        findings = list(found)
        try:
            # As the file would be shown: UTF-8, else one byte a character.
            data = Path(name).read_bytes() if any(map(_is_in_text, findings)) else b""
        except OSError:
            continue  # It went meanwhile.
        try:
            shown = data.decode("utf-8")
        except UnicodeDecodeError:
            shown = data.decode("latin-1")
        text = TextMap(shown.removeprefix("\ufeff"), encoding)
        made = [diagnostic(each, text, done.rules[each.code].links) for each in findings]
        yield {"path": os.path.abspath(name), "diagnostics": unstructure(made)}  # noqa: PTH100


def _is_in_text(finding: Finding) -> bool:
    return finding.start != NOWHERE


def main(folder: str, encoding: str, request: str) -> None:
    """Audit a folder; `request` holds fields of AuditRequest as JSON."""
    os.chdir(folder)
    fields = json.loads(request)
    if fields.get("config_file"):
        fields["config_file"] = Path(fields["config_file"])
    try:
        done = audit(AuditRequest((".",), **fields), _Progress())
    except HipportError as error:
        _write({"error": str(error)})
        return
    for each in _files(done, encoding):
        _write(each)
    _write({"files": len(done.report.files), "findings": len(done.report.findings)})


if __name__ == "__main__":
    main(*sys.argv[1:])
