"""The functions that `import hipport` offers; docs/python-api.md has the whole of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, overload

import msgspec

from hipport.model import Explanation, Finding
from hipport.runs.audit_request import AuditRequest
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.given import AnyPath
from hipport.runs.verify_request import VerifyRequest

if TYPE_CHECKING:
    from hipport.fatbin.binary import Binary
    from hipport.runs.audit import Audit
    from hipport.runs.convert import Conversion
    from hipport.runs.verify import Verification


class ConvertedText(msgspec.Struct, frozen=True):
    """A text that was converted in memory."""

    data: bytes
    """The converted text; the original where nothing changed."""
    edits: int
    """How many edits were made."""
    findings: tuple[Finding, ...]
    """What is left for a person."""
    explanations: tuple[Explanation, ...] = ()
    """Why each edit was made, if the request asks for it."""


@overload
def convert(
    source: bytes, name: str = "source.cu", request: ConvertRequest | None = None
) -> ConvertedText: ...


@overload
def convert(source: AnyPath | ConvertRequest) -> Conversion: ...


def convert(
    source: bytes | AnyPath | ConvertRequest,
    name: str = "source.cu",
    request: ConvertRequest | None = None,
) -> ConvertedText | Conversion:
    """Convert CUDA to HIP: a text in memory, a path, or what a request asks for.

    A text has a name, whose ending decides its language; of the request, what concerns one text
    counts. A path is converted as `hipport convert PATH` does: into a copy. Raises HipportError
    where nothing can be done; faults of single files are in the outcome.
    """
    if isinstance(source, bytes):
        from hipport.runs.convert_text import convert_text

        done = convert_text(source, name, request or ConvertRequest())
        report = done.report
        edits = sum(file.edits for file in report.files)
        return ConvertedText(done.data, edits, tuple(report.findings), tuple(report.edits))
    from hipport.runs.convert import convert as run

    return run(source if isinstance(source, ConvertRequest) else ConvertRequest((source,)))


def audit(source: AnyPath | AuditRequest) -> Audit:
    """Find everything in a file or tree that a port must fix; nothing is changed."""
    from hipport.runs.audit import audit as run

    return run(source if isinstance(source, AuditRequest) else AuditRequest((source,)))


def verify(source: AnyPath | VerifyRequest) -> Verification:
    """Compile converted code in memory, as HIP; needs HIP's headers and neither ROCm nor a GPU."""
    from hipport.runs.verify import verify as run

    return run(source if isinstance(source, VerifyRequest) else VerifyRequest((source,)))


def open_binary(path: AnyPath, *, max_size: int | None = None) -> Iterator[Binary]:
    """The binaries in a file, package or folder, one after the other, headers only.

    A bundle or package member that is larger than `max_size` bytes when it is decompressed is a
    fault of its binary. Raises HipportError for a path that cannot be read at all.
    """
    from hipport.fatbin.limits import Limits
    from hipport.fatbin.reader import open_path

    limits = Limits() if max_size is None else Limits(max_size=max_size)
    return open_path(os.fspath(path), limits)
