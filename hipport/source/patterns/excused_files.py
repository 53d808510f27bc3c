"""Which files a rule is not about, by what is in them somewhere."""

from __future__ import annotations

from hipport.rulebook.finding_rules import FindingRule
from hipport.source.text.required_texts import is_found


def is_excused(rule: FindingRule, text: str) -> bool:
    """Whether a text without comments lacks what the rule's `only_if` names, or has what its
    `unless` does: a branch for AMD, say."""
    if rule.only_if and not is_found(rule.only_if, text):
        return True
    return rule.unless != "" and is_found(rule.unless, text)
