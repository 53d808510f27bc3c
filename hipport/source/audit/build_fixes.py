"""Which findings in a build file `hipport convert` fixes."""

from __future__ import annotations

from collections.abc import Callable

from hipport.model import Finding, Span
from hipport.source.buildfiles.build_kinds import EDITED, build_kind
from hipport.source.convert.fixed_findings import marked
from hipport.source.names.counterparts import Decisions
from hipport.source.text.source_text import Code


def marked_in_build_file(
    found: list[Finding],
    data: bytes,
    path: str,
    kind: str,
    decisions: Decisions,
    is_ported_above: Callable[[str], bool],
    marking: frozenset[str] = frozenset(),
) -> list[Finding]:
    """The findings, those at places that the conversion of build files edits marked as fixed.

    `is_ported_above` says whether a project around the file has something for AMD already,
    `marking` are functions of the tree that have their sources compiled as HIP.
    """
    rules, options = decisions.rules, decisions.options
    if not (build_kind(path, EDITED) and any(each.needs_person for each in found)):
        return found
    from hipport.rulebook.nvcc_flags import Choices
    from hipport.source.buildfiles.build_conversion import convert_build

    choices = Choices(options.targets, options.libs)
    is_ported = is_ported_above(kind)
    result = convert_build(data, path, kind, rules, choices, options.endings, is_ported, marking)
    edited = [*(Span(*each.span) for each in result.made), *result.answered]
    return marked(found, edited, Code.of_lines(data, "").position, result.findings)
