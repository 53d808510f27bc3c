"""Whether a kernel works by warps, as far as its own text says."""

from __future__ import annotations

from functools import lru_cache

from hipport.rulebook.rules import RuleSet
from hipport.source.text.required_texts import is_found


@lru_cache(maxsize=256)
def may_work_by_warps(body: str, rules: RuleSet) -> bool:
    """Whether anything in a kernel's body may depend on which threads are in a warp."""
    words = rules.lanes.by_warps
    is_unguarded = is_found(words.shared, body) and not is_found(words.barrier, body)
    return is_unguarded or is_found(words.words, body)
