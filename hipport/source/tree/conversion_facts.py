"""What a conversion of a file has to know of the other files of its tree."""

from __future__ import annotations

from hipport.source.tree.brought_headers import brought_headers
from hipport.source.tree.cpp_headers import cpp_headers
from hipport.source.tree.declared_attributes import (
    macros_defined,
    mentions_devices,
    missing_attributes,
)
from hipport.source.tree.host_headers import untold_compilers
from hipport.source.tree.old_standards import old_standards
from hipport.source.tree.own_api import loads, own_api
from hipport.source.tree.runtime_order import needs_runtime_first
from hipport.source.tree.sources_read_as_texts import sources_read_as_texts
from hipport.source.warps.sized_structures import names_size, sized_structures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hipport.source.text.tree_texts import Question
    from hipport.source.tree.file_task import Task
    from hipport.source.tree.surveyed_trees import SurveyedTrees

QUESTIONS: tuple[Question, ...] = (loads, macros_defined, mentions_devices, names_size)
"""What these passes over a tree ask about each of its files."""


def conversion_facts(of: SurveyedTrees) -> Callable[[Task], Task]:
    """A function that completes a task."""
    trees, texts, rules = of.sources, of.texts, of.rules
    sized = sized_structures(trees, texts, rules)
    runtime_first = needs_runtime_first(trees, texts, rules)
    own = own_api(trees, texts, rules)
    attributeless = missing_attributes(trees, texts, rules)
    of_cpp = cpp_headers(trees, texts, rules)
    brought = brought_headers(trees, texts, rules)
    old = old_standards(trees, of.tasks, texts, rules)
    as_texts = sources_read_as_texts(trees, of.tasks, texts, rules)
    untold = untold_compilers(trees, of.tasks, texts, rules, of.is_ported)

    def completed(task: Task) -> Task:
        name = task.source_path
        return task._replace(
            untold=untold.get(name),
            warps=task.warps._replace(sized=sized.get(name, frozenset())),
            runtime_first=name in runtime_first,
            is_read_as_text=name in as_texts,
            has_old_standard=name in old,
            own_api=tuple(own.get(name, {}).items()),
            cpp_headers=of_cpp.get(name, ()),
            brought=brought.get(name, ()),
            attributeless=attributeless.get(name, ()),
        )

    return completed
