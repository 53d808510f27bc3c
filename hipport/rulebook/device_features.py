"""What AMD GPUs have, as rules/targets.toml says: features, and memory of a workgroup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain
from typing import Any

from hipport.rulebook.rules import RuleSet

_NAMED = r"(?<![A-Za-z])(?:gfx[0-9a-f]+|(?:[cr]dna|[CR]DNA)\d?(?![A-Za-z\d]))"


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


def targets_of_file(rules: RuleSet, path: str, data: bytes) -> tuple[str, ...]:
    """The processors that a file says it is for; none if it does not say, or says it otherwise.

    By its path, such as `kernels/gfx1100/`, `include/cdna4/` or `sum_gfx11.hip`, or by builtins for
    waves of 32, if nothing in it is for waves of 64.
    """
    if named := _named_in(path):
        return _targets_named(rules, named)
    if b"_w32" not in data:
        return ()
    for_32, for_64 = (target_table(rules)[f"only_wave{lanes}"].encode() for lanes in (32, 64))
    is_narrow = re.search(for_32, data) and not re.search(for_64, data)
    return _targets_with(rules, "wave32") if is_narrow else ()


def targets_of_path(rules: RuleSet, path: str) -> tuple[str, ...]:
    """The processors that the path of a file names, by themselves or by their architectures."""
    named = _named_in(path)
    return _targets_named(rules, named) if named else ()


def _named_in(path: str) -> tuple[str, ...]:
    return tuple(re.findall(_NAMED, path))


@lru_cache(maxsize=64)
def _targets_named(rules: RuleSet, names: tuple[str, ...]) -> tuple[str, ...]:
    """All processors that the names mean, or begin; none if one of them means nothing."""
    meant = [_processors_named(rules, name) for name in names]
    return tuple(dict.fromkeys(chain.from_iterable(meant))) if all(meant) else ()


def _processors_named(rules: RuleSet, name: str) -> list[str]:
    """Those that a name means as a whole, as an architecture, or as their beginning."""
    every, architectures = (target_table(rules)[each] for each in ("processor", "architecture"))
    if name in every:
        return [name]
    if shapes := architectures.get(name.lower()):
        return [each for each in every if any(fnmatchcase(each, shape) for shape in shapes)]
    return [each for each in every if each.startswith(name)]


@lru_cache(maxsize=4)
def _targets_with(rules: RuleSet, feature: str) -> tuple[str, ...]:
    every = target_table(rules)["processor"]
    return tuple(each for each in every if feature in features(rules, each))


def workgroup_memory(rules: RuleSet, targets: Iterable[str]) -> int:
    """Bytes of shared memory that a workgroup has on each of the targets; 0 without targets."""
    rows = [target_table(rules)["processor"][target] for target in targets]
    families = (target_table(rules)["family"][row["family"]] for row in rows)
    return min((family["workgroup_lds"] for family in families), default=0)
