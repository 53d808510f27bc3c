"""PTX texts as the comparison sees them: without what names the file that they were made from."""

from __future__ import annotations

import re

# PTX ISA, "Debugging Directives": .file and .loc name the source; // begins a comment.
_NOT_CODE = re.compile(r"//.*$|^\s*\.(?:file|loc)\b.*$", re.MULTILINE)
# What has internal linkage is named after its file, with hashes of that file's text and place.
_HASHES = re.compile(
    r"(?<=_INTERNAL_)[0-9a-f]{8}_|(?<=_GLOBAL__N__)[0-9a-f]{8}_|(?<=_cu_)[0-9a-f]{8}"
)


def comparable(ptx: str) -> str:
    """The code alone: no comments, places or blank lines, and file hashes all the same."""
    text = _HASHES.sub("", _NOT_CODE.sub("", ptx))
    return "\n".join(line for line in map(str.rstrip, text.splitlines()) if line)
