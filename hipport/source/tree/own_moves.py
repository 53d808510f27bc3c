"""Names that moved in HIP or its libraries and that a tree declares itself: they stay for it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hipport.model import Finding
from hipport.rulebook.rules import RuleSet
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task

_HINTS = (b"hip", b"roc")
# Macros, namespaces, classes, and values of an enumeration: nothing else has a value at the
# beginning of a line.
_DECLARED = re.compile(
    r"^[ \t]*(?:(?:#[ \t]*define|namespace|class|struct)[ \t]+(\w+)|(\w+)[ \t]*=[ \t]*[\w-]+,?)",
    re.MULTILINE,
)


def own_moves(
    trees: Mapping[str, list[str]], texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[str]]:
    """Tree -> the names in rules/hip_moves.tsv that its headers define.

    `trees` has the C and C++ sources of each tree.
    """
    found: dict[str, set[str]] = {}
    shape: re.Pattern[str] | None = None
    for root, path in ((root, path) for root, sources in trees.items() for path in sources):
        if path.endswith(rules.file_kinds.translation_units):
            continue
        data = texts.read(path)
        if any(hint in data for hint in _HINTS):
            shape = shape or _parts_of_moved_names(rules)
            names = set(filter(shape.fullmatch, _declared_in(data.decode("latin-1"))))
            if names:  # Seldom: most headers need not be blanked to know that they have none.
                names.intersection_update(_declared_in(texts.code(path).code))
                found.setdefault(root, set()).update(names)
    return {root: frozenset(names) for root, names in found.items()}


def _declared_in(text: str) -> set[str]:
    return {one or other for one, other in _DECLARED.findall(text)}


def _parts_of_moved_names(rules: RuleSet) -> re.Pattern[str]:
    """What matches a name that moved, or the namespace or the name of a qualified one."""
    names = (each.name for each in rules.moves if not each.name.startswith("<"))
    return re.compile("|".join(dict.fromkeys(part for name in names for part in name.split("::"))))


def is_own_name(task: Task, finding: Finding, rules: RuleSet) -> bool:
    """Whether a finding says that a name has moved which the tree defines."""
    parts = finding.symbol.split("::")
    return task.own_moves.issuperset(parts) and rules.findings[finding.code].check == "moved_name"
