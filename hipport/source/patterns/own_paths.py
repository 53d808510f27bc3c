"""Which files belong to the package that they name."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.lazy_regex import regex

_RELEASE = regex(r"_[\d.]+\w*")


def is_own(package: str, path: str) -> bool:
    """Whether a file belongs to the package it names: `mamba_ssm-2.3/mamba_ssm/ops.py`."""
    name = _name_of(package)
    *folders, _ = path.lower().replace("-", "_").split("/")
    return any(
        each == name or (each.startswith(name) and _RELEASE.fullmatch(each, len(name)))
        for each in folders
    )


@lru_cache(maxsize=1024)
def _name_of(package: str) -> str:
    """A package's name as folders are called, of what is in it or a variable of its own, too."""
    name = re.split(r"[^\w-]", package, maxsplit=1)[0].replace("-", "_").lower()
    # MAMBA_SSM_USE_CUDA
    return re.sub(r"_(?:use|with|enable|build)_\w+$", "", name)
