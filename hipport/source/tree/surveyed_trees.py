"""What a run knows of its trees before it looks at any file by itself."""

from __future__ import annotations

from hipport.named_tuples import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hipport.rulebook.rules import RuleSet
    from hipport.source.text.tree_texts import TreeTexts
    from hipport.source.tree.file_task import Task


class SurveyedTrees(NamedTuple):
    """All tasks of a run; of each tree its C and C++ sources, and its headers of CUDA's names."""

    tasks: Iterable[Task]
    sources: dict[str, list[str]]
    headers: dict[str, frozenset[str]]
    texts: TreeTexts
    rules: RuleSet
    is_ported: Callable[[Task], bool]
    """Whether a build file is of a project that supports AMD already."""
