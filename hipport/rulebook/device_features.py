"""What AMD GPUs have, as rules/targets.toml says: features, and memory of a workgroup."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from hipport.rulebook.rules import RuleSet


@lru_cache(maxsize=4)
def target_table(rules: RuleSet) -> dict[str, Any]:
    """rules/targets.toml, parsed."""
    import tomllib  # Takes long to load, and only runs with targets need it.

    return tomllib.loads((rules.folder / "targets.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=64)
def features(rules: RuleSet, target: str) -> frozenset[str]:
    """The features of a processor; of a generic one, those that all it covers have."""
    covered = target_table(rules)["processor"][target].get("covers")
    if covered:
        return common(features(rules, each) for each in covered)
    return frozenset(
        feature
        for feature, patterns in target_table(rules)["feature"].items()
        if any(fnmatchcase(target, pattern) for pattern in patterns)
    )


def common(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    """The elements that all of the sets have."""
    first, *others = [*sets] or [frozenset[str]()]
    return first.intersection(*others)


def workgroup_memory(rules: RuleSet, targets: Iterable[str]) -> int:
    """Bytes of shared memory that a workgroup has on each of the targets; 0 without targets."""
    rows = [target_table(rules)["processor"][target] for target in targets]
    families = (target_table(rules)["family"][row["family"]] for row in rows)
    return min((family["workgroup_lds"] for family in families), default=0)
