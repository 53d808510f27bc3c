"""Where the zstd module is found."""

from __future__ import annotations

import importlib
from typing import Any

from hipport.errors import HipportError

MAGIC = b"\x28\xb5\x2f\xfd"
"""What a frame begins with (RFC 8878, 3.1.1)."""


def zstd() -> Any:
    """The zstd module: in the standard library since Python 3.14."""
    try:
        module = importlib.import_module("compression.zstd")
    except ImportError:
        try:
            module = importlib.import_module("backports.zstd")
        except ImportError:
            raise HipportError(
                "zstd support is missing", remedy="pip install backports.zstd"
            ) from None
    return module
