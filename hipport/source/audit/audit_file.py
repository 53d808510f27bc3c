"""Audits one file: every finding, in every kind of file, with nothing changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache, partial
from operator import itemgetter

from msgspec.structs import replace

from hipport.errors import HipportError
from hipport.files import read
from hipport.model import FileReport, Finding
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.source.audit.build_fixes import marked_in_build_file
from hipport.source.audit.first_lines import kind_by_first_line
from hipport.source.audit.nets import unanswered, uncovered
from hipport.source.audit.read_in_part import why_in_part, why_in_part_of_notebook, why_unreadable
from hipport.source.buildfiles.build_kinds import Names, names_of
from hipport.source.convert.pipeline import Result, convert_source
from hipport.source.convert.suppressions import kept
from hipport.source.convert.verdicts import judged, specific
from hipport.source.layouts.usual_form import PYTHON, usual_form
from hipport.source.names.counterparts import Decisions
from hipport.source.patterns.line_files import cut_lines, line_findings
from hipport.source.text.long_lines import plain_ends
from hipport.source.tree.file_task import Outcome, Task, language_of, with_name
from hipport.source.tree.named_kernels import named_kernel_findings
from hipport.source.tree.own_modules import without_own_modules
from hipport.source.tree.own_names import gives_names_of_cuda, is_of_amd, is_own_name
from hipport.source.tree.own_packages import without_named_folders, without_own_packages
from hipport.source.tree.ported_projects import is_file_of_port, seen_from_port
from hipport.source.tree.ports_beside import port_around, port_of_file
from hipport.source.tree.shared_classes import shared_class_findings
from hipport.source.tree.size_limit import TO_AUDIT, why_too_large
from hipport.source.tree.stand_ins import without_stand_in
from hipport.source.tree.time_limit import OutOfTime, out_of_time, time_limit
from hipport.source.tree.twin_switches import without_twins
from hipport.source.tree.unbuilt_sources import unbuilt_finding
from hipport.source.tree.undefined_macros import undefined_findings
from hipport.source.tree.vendored import copy_findings
from hipport.source.tree.version_switches import without_lost_switches
from hipport.source.tree_warps import NO_WARPS, TreeWarps

_LARGEST = 16 << 20

NOTEBOOK = "notebook"
UNBUILT = "no build file names it"
IGNORED = "named in .gitignore, and not tracked by git"


def kind_of(name: str) -> str:
    """The kind of a file that is not source, by its path; "" for none that the audit reads."""
    return _kind_by_name(name) or ""


def _kind_by_name(name: str) -> str | None:
    """The same, and None where no shape says what the file is."""
    names, folders = _shapes()
    *above, last = name.split("/")
    if not (names.have(last) or any(map(folders.have, above))):
        return None
    parts = (*above, last)
    for shape, kind in load().file_kinds.other_files.items():
        # A shape with a folder in it is compared with as many of the path's last parts.
        if fnmatchcase("/".join(parts[-1 - shape.count("/") :]), shape):
            return kind
    return None


@cache
def _shapes() -> tuple[Names, Names]:
    """How files of any kind are called, and the folders of those that only a folder makes such."""
    shapes = load().file_kinds.other_files
    return (
        names_of(each for each in shapes if "/" not in each),
        names_of(each.partition("/")[0] for each in shapes if "/" in each),
    )


def handle(task: Task, decisions: Decisions) -> Outcome:
    """What the audit finds in one file; a file that cannot be read is skipped, with the reason."""
    named = task.language or _kind_by_name(task.name)
    script = kind_by_first_line(task.source_path) if named is None and not task.is_link else ""
    if script and script in load().file_kinds.languages.values():
        task = task._replace(language=script)
    kind = named or script
    outcome = Outcome(FileReport(task.name, kind, "skipped"))
    if task.copied:
        outcome.file.reason = f"in a copy of {task.copied.library}: {task.copied.folder}/"
        outcome.findings = copy_findings(task, decisions.rules)
    elif task.is_unbuilt and not decisions.options.reports_cuda:
        outcome.file.reason = UNBUILT
        outcome.findings = [unbuilt_finding(task, decisions.rules)]
    elif task.is_ignored and language_of(task.source_path):
        outcome.file.reason = IGNORED
    elif kind and not task.is_link and not task.is_left_alone:
        try:
            with time_limit(task.source_path):
                _audit_file(task, kind, decisions, outcome)
        except HipportError as error:
            if isinstance(error, OutOfTime):
                outcome.findings = [out_of_time(task.name, decisions.rules)]
            outcome.error = str(error)
            outcome.file.reason = outcome.error.removeprefix(f"{task.source_path}: ")
        except Exception as error:
            outcome = Outcome(FileReport(task.name, kind, "skipped"))
            fault = f"internal error ({type(error).__name__}: {error})"
            outcome.file.reason = fault
            outcome.error = f"{task.source_path}: {fault}, skipped (please report this)"
    return outcome


def _audit_file(task: Task, kind: str, decisions: Decisions, outcome: Outcome) -> None:
    if reason := _why_not_for_amd(task, kind):
        outcome.file.reason = reason
        return
    data = read(task.source_path, _LARGEST)
    reason = why_unreadable(data, is_parsed=bool(task.language)) or why_too_large(
        data, task.language, decisions, TO_AUDIT
    )
    if reason:
        outcome.file.reason = reason
        outcome.error = f"{task.source_path}: {reason}, skipped"
        return
    in_tree = partial(_in_tree, data, task, kind, decisions)
    is_ported = partial(is_file_of_port, task)
    marking = task.marking
    audit_bytes(data, task.language, decisions, outcome, task.warps, is_ported, in_tree, marking)
    if outcome.file.status == "partial":
        outcome.error = f"{task.source_path}: {outcome.file.reason}"


def audit_bytes(
    data: bytes,
    language: str,
    decisions: Decisions,
    outcome: Outcome,
    warps: TreeWarps = NO_WARPS,
    is_ported_above: Callable[[str], bool] = lambda _: False,
    in_tree: Callable[[list[Finding]], list[Finding]] | None = None,
    marking: frozenset[str] = frozenset(),
) -> None:
    """Add what the audit finds in a text to the outcome of its file, which says what kind it is.

    `is_ported_above` says whether a project around a build file has something for AMD already;
    `in_tree` makes of the file's findings what they are in its tree, `marking` are functions of its
    CMake files that have their sources compiled as HIP.
    """
    name, kind = outcome.file.path, outcome.file.language
    has_tree = in_tree is not None
    result = findings_in(data, name, kind, language, decisions, warps, has_tree=has_tree)
    found = in_tree(result.findings) if in_tree else result.findings
    if kind != NOTEBOOK:
        found = kept(data, found, name, kind, decisions.rules)
    found = marked_in_build_file(found, data, name, kind, decisions, is_ported_above, marking)
    outcome.findings = unanswered(found, decisions.rules)
    outcome.counts, outcome.declared = result.counts, result.declared
    if kind == NOTEBOOK:
        from hipport.source.audit.notebook_parts import parts_of

        parts, fault = parts_of(data, _kind_named)
        reason = fault or why_in_part_of_notebook(parts)
    else:
        reason = why_in_part(data, kind) or cut_lines(data, kind, decisions.rules)
    outcome.file.reason, outcome.file.status = reason, "partial" if reason else "audited"


def _in_tree(
    data: bytes, task: Task, kind: str, decisions: Decisions, found: list[Finding]
) -> list[Finding]:
    """The findings of a file without what its tree has, and with what no file of it defines."""
    found = [each for each in found if not _is_elsewhere(each, task, decisions.rules)]
    found = without_own_packages(found, task, decisions.rules)
    found = without_own_modules(found, data, task, decisions.rules)
    found = [each for each in found if not is_own_name(task, each, decisions.rules)]
    is_code = bool(found and task.language)
    if is_code and gives_names_of_cuda(data, decisions.rules):
        found = [each for each in found if is_of_amd(each.symbol)]
    if task.language:
        found = without_twins(found, data, task)
        found = without_lost_switches(found, data, task, decisions.rules)
        found = without_stand_in(found, data, task, decisions.rules)
    found = [_where_included(each, task, decisions.rules) for each in found]
    found = seen_from_port(found, task, kind, decisions.rules)
    if task.undefined or task.shared_classes or task.named_kernel:
        found += undefined_findings(data, task, decisions.rules)
        found += shared_class_findings(data, task, decisions.rules)
        found += named_kernel_findings(data, task, decisions.rules)
        found.sort(key=lambda each: (each.start, each.code))
    return found


def _is_elsewhere(finding: Finding, task: Task, rules: RuleSet) -> bool:
    """Whether a file is where the finding's rule is not about anything, or not about its symbol."""
    rule = rules.findings.get(finding.code)
    if rule is None or not rule.not_in:
        return False
    named = f"{task.below}:{finding.symbol}"
    return any(re.search(rule.not_in, each) for each in (task.below, named))


def _where_included(finding: Finding, task: Task, rules: RuleSet) -> Finding:
    """A note about a header's name as a finding, where an include may mean CUDA's header."""
    rule = rules.findings.get(finding.code)
    if rule and rule.of_angled and finding.symbol in task.angled:
        return replace(finding, severity=rule.severity)
    return finding


def _why_not_for_amd(task: Task, kind: str) -> str:
    """Why no AMD GPU runs what is in the file; "" if one may."""
    kinds = load().file_kinds
    *folders, name = task.below.split("/")
    for above in reversed(folders):
        if above in kinds.other_devices:
            return f"for another device: {above}"
    stem = name.rpartition(".")[0] or name
    last = re.split(r"[_.-]", stem)[-1]
    if last in kinds.other_devices and not re.search(kinds.port_words, stem):
        return f"for another device: {name}"
    if kind in kinds.builds and re.fullmatch(kinds.builds_without_gpu, name):
        return f"for machines without a GPU: {name}"
    if folder := port_around(task.root_path, task.below):
        return f"for NVIDIA; the port is in {folder}"
    port = port_of_file(task.source_path, kind)
    return f"for NVIDIA; the port is {with_name(task.below, port)}" if port else ""


def findings_in(
    data: bytes,
    name: str,
    kind: str,
    language: str,
    decisions: Decisions,
    warps: TreeWarps = NO_WARPS,
    *,
    has_tree: bool = False,
) -> Result:
    """What the audit finds in one file, before comments hide any; `language` is "" for no source.

    Of findings at one place the specific ones stay; targets and ROCm release judge them. Which
    package a file is in its tree decides, if it has one, or else the names of its folders.
    """
    if kind == NOTEBOOK:
        return Result(data, findings=_findings_in_notebook(data, name, decisions, warps))
    if language:
        result = convert_source(data, name, language, decisions, warps=warps)
    else:
        result = Result(data, findings=line_findings(data, name, kind, decisions.rules))
    if not has_tree:
        result.findings = without_named_folders(result.findings, decisions.rules)
    found = specific(result.findings, decisions.rules, result.wholes)
    # An element of a call has a line of its own, or has none, as a formatter wants.
    usual = usual_form(plain_ends(data), name, kind) if found and kind in PYTHON else None
    line_of = usual.new_line if usual else itemgetter(0)
    result.findings = uncovered(found, decisions.rules, line_of)
    result.findings = judged(result.findings, decisions.rules, decisions.options, data)
    return result


def _findings_in_notebook(
    data: bytes, name: str, decisions: Decisions, warps: TreeWarps
) -> list[Finding]:
    """What is found in each part of a notebook, where it is in the file, and no comment hides."""
    from hipport.source.audit.notebook_parts import parts_of

    languages = set(load().file_kinds.languages.values())
    found: list[Finding] = []
    for part in parts_of(data, _kind_named)[0]:
        language = part.kind if part.kind in languages else ""
        result = findings_in(part.text, name, part.kind, language, decisions, warps)
        shown = kept(part.text, result.findings, name, part.kind, decisions.rules)
        found += map(part.moved, shown)
    return sorted(found, key=lambda each: (each.start, each.code))


def _kind_named(name: str) -> str:
    return language_of(name) or kind_of(name)
