"""Loads pathlib without urllib.parse, which takes longer than all else that it loads."""

from __future__ import annotations

import sys
from types import SimpleNamespace


def load_pathlib() -> None:
    """Load it so; only a path's `as_uri` needs urllib.parse, and loads it then."""
    if "pathlib" in sys.modules or "urllib.parse" in sys.modules:
        return
    sys.modules["urllib.parse"] = SimpleNamespace(  # type: ignore[assignment]
        quote_from_bytes=_quote_from_bytes
    )
    try:
        import pathlib  # noqa: F401
    finally:
        del sys.modules["urllib.parse"]


def _quote_from_bytes(text: bytes) -> str:
    from urllib.parse import quote_from_bytes

    return quote_from_bytes(text)
