"""Regular expressions that are compiled when they are first used.

Compiling one takes 0.1 ms, and a run uses a sixth of those in the modules that it loads.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def regex(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` returns, as far as its methods and attributes are asked for."""
    return cast("re.Pattern[AnyStr]", _Uncompiled(pattern, flags))


class _Uncompiled:
    def __init__(self, pattern: Any, flags: int) -> None:
        self.pattern, self._given = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # What is found here once is an attribute from then on, as fast as a compiled pattern's.
        found = self.__dict__[name] = getattr(re.compile(self.pattern, self._given), name)
        return found
