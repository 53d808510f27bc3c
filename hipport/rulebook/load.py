"""Loads the rules: once in a process, for conversions and for audits."""

from __future__ import annotations

from functools import cache

from hipport.rulebook.rules import RuleSet


def load(*, is_audit: bool = False, extend: tuple[str, ...] = ()) -> RuleSet:
    """The installed rules; `extend` names folders with user rules.

    The same call always gives the same rules, loaded once.
    """
    return _load(is_audit, extend)


@cache
def _load(is_audit: bool, extend: tuple[str, ...]) -> RuleSet:
    if extend:
        from hipport.rulebook.extended_rules import ExtendedRules

        return ExtendedRules(load(is_audit=is_audit), extend)
    return RuleSet(is_audit=is_audit, like=load() if is_audit else None)
