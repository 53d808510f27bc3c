"""Audits the folders of a workspace in the background, file by file, with progress."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

from hipport.runs.audit_request import AuditRequest

_LONGEST_LINE = 64 << 20


async def audited(
    folder: Path, encoding: str, request: AuditRequest
) -> AsyncGenerator[dict[str, Any]]:
    """What workspace_child.py writes about a folder, line by line; ended when it is not wanted."""
    fields = {
        "reports_cuda": request.reports_cuda,
        "isolated": request.isolated,
        "config_file": str(request.config_file.absolute()) if request.config_file else None,
    }
    module = "hipport.lsp.workspace_child"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", module, str(folder), encoding, json.dumps(fields)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        limit=_LONGEST_LINE,
        start_new_session=True,
    )
    assert process.stdout
    try:
        while line := await process.stdout.readline():
            yield json.loads(line)
        if await process.wait():
            yield {"error": f"the audit of {folder} ended with code {process.returncode}"}
    finally:
        if process.returncode is None:
            _end(process.pid)
            await process.wait()


def _end(leader: int) -> None:
    """End a process and those that it started to share its work."""
    with suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(leader, 9)
        else:
            os.kill(leader, 15)
