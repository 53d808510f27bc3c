"""What the patterns of a finding match, and the finding is not about."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.source.text.quick_search import search_of

_RELEASE = regex(r"_[\d.]+\w*")
_ITEM = regex(r"[ \t]*-[ \t]")
_LOOK_BACK = 400


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


def is_passed_over(rule: FindingRule, text: str, span: Span) -> bool:
    """Whether what is found at a place, by the line around it, is nothing to the rule."""
    start, end = text.rfind("\n", 0, span.end) + 1, text.find("\n", span.end)
    rest = text[span.end : end if end >= 0 else None].removesuffix("\r")
    line = f"{text[start : span.end]}\n{rest}"
    return search_of(rule.passing).expression.search(line) is not None


def is_listed(rule: FindingRule, text: str, span: Span) -> bool:
    """Whether what is found is an item of YAML under a key that the rule leaves out."""
    before = text[max(0, span.start - _LOOK_BACK) : span.start].split("\n")
    above = (line for line in reversed(before) if line.strip() and not _ITEM.match(line))
    key = next(above, "")
    is_item = _ITEM.match(before[-1]) is not None
    return is_item and re.match(rf"[ \t]*(?:-[ \t]+)?(?:{rule.unlisted}):", key) is not None
