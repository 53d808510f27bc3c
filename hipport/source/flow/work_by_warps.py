"""Whether a kernel works by warps, as far as its own text says."""

from __future__ import annotations

import re

from hipport.rulebook.rules import RuleSet


def may_work_by_warps(body: str, rules: RuleSet) -> bool:
    """Whether anything in a kernel's body may depend on which threads are in a warp."""
    words = rules.lanes.by_warps
    unguarded = re.search(words.shared, body) and not re.search(words.barrier, body)
    return bool(unguarded or re.search(words.words, body))
