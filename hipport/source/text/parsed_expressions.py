"""What the parts of a regular expression say about its matches.

The parser of `re` is not public: where it changes, nothing is known, and searches take longer.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

_Known = TypeVar("_Known")


def known_of(
    pattern: str, flags: re.RegexFlag, judge: Callable[[Any], _Known], unknown: _Known
) -> _Known:
    """The result of `judge` for the parts of an expression; `unknown` for one that ignores case."""
    try:
        parsed = _parsed(pattern, flags)
        return unknown if parsed.state.flags & re.IGNORECASE else judge(parsed)
    except (ImportError, AttributeError, TypeError, ValueError):
        return unknown


@lru_cache(maxsize=8)
def _parsed(pattern: str, flags: re.RegexFlag) -> Any:
    """The parts, which are asked about several times in a row."""
    return importlib.import_module("re._parser").parse(pattern, flags)
