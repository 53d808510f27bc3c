"""Files that stand in for CUDA on the CPU: to them, what marks device code is nothing."""

from __future__ import annotations

from hipport.model import Finding
from hipport.rulebook.rules import RuleSet
from hipport.source.text.include_directives import include_guard
from hipport.source.text.source_text import Code
from hipport.source.tree.file_task import Task


def without_stand_in(
    found: list[Finding], data: bytes, task: Task, rules: RuleSet
) -> list[Finding]:
    """The findings of a file, or one note where it defines a mark of device code as nothing.

    No compiler for a GPU takes such a file, unless a condition leaves the definition out.
    """
    words = rules.branches.stand_in
    asking = [each for each in found if each.asks]
    if not asking or words.mark.encode() not in data:
        return found
    code = Code(data)
    outside = ((), include_guard(code))
    for each in code.directives:
        is_definition = each.keyword == "define" and each.branch in outside
        if is_definition and code.code[slice(*each.body)].strip() == words.mark:
            start, end = code.position(each.body.start), code.position(each.body.end)
            number = {"number": str(len(asking))}
            note = rules.findings[words.note].finding(task.name, words.mark, start, end, number)
            return [note, *(each for each in found if not each.asks)]
    return found
