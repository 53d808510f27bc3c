"""JSON files that describe the code object beside them, from Triton and PyTorch's Inductor.

Triton keeps `kernel.hsaco` and `kernel.json` in one folder of its cache (triton/compiler/
compiler.py); Inductor copies both.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LARGEST = 1 << 20
_SHOWN = ("name", "num_warps", "num_ctas", "num_stages", "waves_per_eu", "shared", "triton_version")


def described(path: str) -> str:
    """One line for `kernel.hsaco` if `kernel.json` describes a kernel; else ""."""
    stem, ending = os.path.splitext(path)  # noqa: PTH122
    if ending != ".hsaco":
        return ""
    content = _read(f"{stem}.json")
    target = content.get("target")
    if not isinstance(target, dict) or not isinstance(content.get("name"), str):
        return ""
    what = [f"{key} {content[key]}" for key in _SHOWN if _is_plain(content.get(key))]
    if _is_plain(target.get("arch")):
        what.append(f"arch {target['arch']}")
    return f"made by Triton: {', '.join(what)}"


def _is_plain(value: object) -> bool:
    return isinstance(value, (str, int)) and len(str(value)) <= 256


def _read(path: str) -> dict[str, Any]:
    """The object in a JSON file; an empty one if the file has none of a reasonable size."""
    import json

    from hipport.fatbin.byte_source import FileSource

    try:
        source = FileSource(path)
        content = json.loads(source.head(0, _LARGEST)) if source.size <= _LARGEST else None
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
