"""What an audit of a file has to know of the other files of its tree."""

from __future__ import annotations

from hipport.rulebook.load import load
from hipport.source.tree.angled_headers import angled_headers
from hipport.source.tree.header_numbers import asks_for_shared_memory, header_numbers
from hipport.source.tree.header_types import defines_atomics, header_types
from hipport.source.tree.named_kernels import named_kernels
from hipport.source.tree.own_names import functions_of_hip, names_built, own_names
from hipport.source.tree.shared_classes import has_shared_variables, shared_classes
from hipport.source.tree.twin_switches import switches_for_amd, twin_switches
from hipport.source.tree.unbuilt_sources import unbuilt_sources
from hipport.source.tree.version_switches import sets_by_version, version_switches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from hipport.source.text.tree_texts import Question
    from hipport.source.tree.file_task import Task
    from hipport.source.tree.surveyed_trees import SurveyedTrees

QUESTIONS: tuple[Question, ...] = (
    switches_for_amd,
    functions_of_hip,
    sets_by_version,
    has_shared_variables,
    asks_for_shared_memory,
    defines_atomics,
)
"""What these passes over a tree ask about each of its files."""


def audit_facts(of: SurveyedTrees) -> Callable[[Task], Task]:
    """A function that completes a task."""
    trees, texts, rules, audits = of.sources, of.texts, of.rules, load(is_audit=True)
    numbers = header_numbers(trees, texts, rules)
    types = header_types(trees, texts)
    names = own_names(trees, of.tasks, texts, audits)
    twins = twin_switches(trees, texts, rules)
    versions = version_switches(trees, of.tasks, texts, audits)
    shared = shared_classes(trees, texts, audits)
    kernels = named_kernels(trees, of.tasks, texts, audits)
    angled = angled_headers(trees, of.headers, texts)
    built = names_built(trees, of.tasks, texts, rules)
    unbuilt = unbuilt_sources(trees, of.tasks, texts, rules)

    def completed(task: Task) -> Task:
        name, root, nothing = task.source_path, task.root_path, frozenset[str]()
        return task._replace(
            warps=task.warps._replace(
                numbers=numbers.get(name, frozenset()), signed=types.get(name, nothing)
            ),
            is_unbuilt=name in unbuilt,
            own_names=names.get(root, nothing),
            twin_switches=twins.get(root, nothing),
            version_switches=versions.get(root, nothing),
            shared_classes=shared.get(name, ()),
            named_kernel=kernels.get(name),
            angled=angled.get(root, nothing),
            names_built=built.get(root, nothing),
        )

    return completed
