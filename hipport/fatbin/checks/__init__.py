"""Findings about a binary, one kind per file: ID, TITLE, and `find(survey)`.

The modules of this folder are found automatically; no list names them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Protocol, cast

from hipport.fatbin.questions.binary_survey import Survey
from hipport.model import Finding


class Check(Protocol):
    ID: str
    TITLE: str

    def find(self, survey: Survey) -> Iterator[Finding]: ...


@cache
def checks() -> dict[str, Check]:
    """ID -> check."""
    modules = [
        cast(Check, importlib.import_module(f"{__name__}.{info.name}"))
        for info in pkgutil.iter_modules(__path__)
    ]
    return {module.ID: module for module in modules}
