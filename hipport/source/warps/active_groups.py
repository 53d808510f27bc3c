"""Groups of the active lanes, which HIP makes of a wavefront: no conversion keeps them at 32."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.rulebook.rules import RuleSet
from hipport.source.text.source_text import Code


@lru_cache(maxsize=1)
def set_of_active_group(code: Code, rules: RuleSet) -> re.Pattern[str] | None:
    """What gives a set of the lanes of such a group, up to its parentheses; None without groups."""
    words = rules.lanes.active_groups
    if not code.mentions(words.hints):
        return None
    names = {match["name"] or match["auto"] for match in re.finditer(words.made, code.code)}
    if not names:
        return None
    return re.compile(rf"(?<![\w.>])(?:{'|'.join(sorted(names))})\s*\.\s*(?:{words.sets})\s*\(")
