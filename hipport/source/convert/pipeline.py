"""Converts one file: scan, names, launches, includes and checks. The only entry point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import lru_cache, partial

import msgspec

from hipport.model import Edit, Finding, Position, Span
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.words import PythonCompiler
from hipport.source.convert.fixed_findings import marked
from hipport.source.convert.include_lines import rewrite_includes
from hipport.source.convert.runtime_include import needs_runtime
from hipport.source.flow.device_code import is_of_no_build_for_amd
from hipport.source.names.counterparts import Decisions
from hipport.source.names.hip_branches import is_for_nvidia_gpus
from hipport.source.names.scanned_declarations import Attributeless
from hipport.source.names.semantics import Semantics
from hipport.source.names.uses import find_uses, names_of_interest
from hipport.source.options import Options
from hipport.source.patterns.run_patterns import find_patterns, fix_patterns
from hipport.source.source_file import Unit
from hipport.source.text.brackets import LAUNCH
from hipport.source.text.edit_list import EditList
from hipport.source.text.edits import apply
from hipport.source.text.source_text import Code
from hipport.source.text.span_set import SpanSet
from hipport.source.text.tree_texts import code_of
from hipport.source.tree_warps import NO_WARPS, TreeWarps
from hipport.source.warps.kept_warps import is_left_out_of_hip_code, is_native, uses_tensor_cores
from hipport.source.warps.ported_warps import is_hip


class Result(msgspec.Struct):
    """A converted file. `data` is the input itself where nothing changed."""

    data: bytes
    edits: int = 0
    findings: list[Finding] = msgspec.field(default_factory=list)
    counts: Counter[tuple[str, bool]] = msgspec.field(default_factory=Counter)
    """(library, mapped) -> uses of its API."""
    declared: set[str] = msgspec.field(default_factory=set)
    """CUDA-looking names that this file declares itself."""
    wholes: dict[Position, Position] = msgspec.field(default_factory=dict)
    """Place of a finding about a part of a statement -> where the statement begins."""
    made: list[Edit] = msgspec.field(default_factory=list)
    """The edits themselves."""
    helpers: frozenset[str] = frozenset()
    """The headers of helpers that the text includes."""
    answered: list[Span] = msgspec.field(default_factory=list)
    """Places in a build file that an edit elsewhere answers."""


def default_options(rules: RuleSet) -> Options:
    return Options(rocm=rules.rocm)


def _nothing(_: str) -> bool:
    return False


def convert_source(
    data: bytes,
    path: str,
    language: str,
    decisions: Decisions | None = None,
    is_beside: Callable[[str], bool] = _nothing,
    semantics: Semantics | None = None,
    in_tree: frozenset[str] = frozenset(),
    warps: TreeWarps = NO_WARPS,
    up: str | None = "",
    *,
    runtime_first: bool = False,
    own_api: tuple[tuple[str, str], ...] = (),
    brought: tuple[str, ...] = (),
    attributeless: tuple[Attributeless, ...] = (),
) -> Result:
    """Convert one source file; `language` is `cuda`, `cpp`, `c` or `python`.

    `is_beside` says whether a quoted include names a file in the tree; `semantics` is what a
    compiler found out about the names; `in_tree` are headers that the tree has in some folder;
    `warps` are the tree's names for warps; `up` leads from the file's folder to that of the helper
    headers, None for a text that has no folder; `runtime_first` says that headers it includes need
    the runtime header before them;
    `own_api` are the libraries whose names the tree declares, each with the header that does;
    `brought` are CUDA headers that it has through headers of the tree, and would not have in HIP;
    `attributeless` are definitions that lack attributes of their declarations in headers.
    """
    decisions = decisions or Decisions(load(), default_options(load()))
    if language == "python":
        return _convert_python(data, path, decisions)
    code = code_of(data, warps.constants)
    names = names_of_interest(code, decisions, is_cuda=language == "cuda")
    # nvcc also includes headers in a file that has nothing else of CUDA.
    is_plain = language != "cuda" or code.words.isdisjoint(decisions.host_functions)
    if names is None and is_plain and not (runtime_first or brought or attributeless):
        return Result(data)
    unit = Unit(
        path,
        language,
        code,
        decisions,
        is_beside,
        in_tree,
        semantics=semantics,
        warps=warps,
        up=up,
        runtime_first=runtime_first,
        own_api=dict(own_api),
        brought=brought,
        attributeless=attributeless,
    )
    _convert(unit, names or set(), decisions)
    if semantics and semantics.problem:
        unit.report("HP-SEM-001", Span(0, 0), "", {"reason": semantics.problem})
    _convert_kernel_strings(unit)
    # An audit judges its findings when it knows which of them stay.
    if not unit.rules.is_audit:
        _read_back(unit)
        _judge(unit)
    return _result(unit)


def _convert_python(data: bytes, path: str, decisions: Decisions) -> Result:
    """A Python file: its findings, and the kernels in its strings."""
    from hipport.source.patterns.python_files import python_findings

    findings = python_findings(data, path, decisions.rules)
    compilers = _python_compilers(data, decisions)
    if compilers is None:
        return Result(data, findings=findings)
    unit = Unit(path, "python", Code.of_lines(data, ""), decisions, _nothing, findings=findings)
    _convert_python_kernels(unit, compilers, decisions)
    return _result(unit)


def with_kernels(result: Result, data: bytes, path: str, decisions: Decisions) -> Result:
    """The result for a build file in Python, with the kernels in its strings converted too."""
    compilers = _python_compilers(data, decisions)
    if compilers is None:
        return result
    unit = Unit(path, "python", Code.of_lines(data, ""), decisions, _nothing)
    _convert_python_kernels(unit, compilers, decisions)
    # What is converted as a kernel is no flag of the build.
    taken = SpanSet(edit.span for edit in unit.edits)
    unit.edits.extend(each for each in result.made if not taken.overlap(each.span))
    unit.findings += result.findings
    unit.counts += result.counts
    return _result(unit)


def _result(unit: Unit) -> Result:
    unit.findings.sort(key=lambda each: (each.start, each.code))
    _forget_callbacks(unit)
    data = unit.code.data
    converted = apply(data, unit.edits) if unit.edits else data
    return Result(
        converted,
        len(unit.edits),
        unit.findings,
        unit.counts,
        unit.declared,
        unit.wholes,
        list(unit.edits),
        frozenset() if unit.contains_helpers else frozenset(unit.helpers),
    )


def _forget_callbacks(unit: Unit) -> None:
    """They hold the unit: without them it is freed at once, and not when garbage is collected."""
    unit.keeps_warps = unit.changes_warps = unit.passes_over = unit.leaves_out = None


def _is_settled(unit: Unit, offset: int) -> bool:
    """Whether nothing is to be done at an offset; code for HIP leaves NVIDIA's GPUs out itself."""
    return (
        is_of_no_build_for_amd(unit, offset)
        or (is_for_nvidia_gpus(unit.code, unit.rules, offset) and is_hip(unit.code, unit.rules))
        or is_left_out_of_hip_code(unit, offset)
    )


def _read_back(unit: Unit) -> None:
    """Withdraw what would not parse."""
    if not unit.edits:
        return
    from hipport.source.languages.cuda_read_back import errors_in_statement, statement_of
    from hipport.source.text.sound_edits import UNREADABLE, sound_within

    window = partial(statement_of, unit.code)
    errors = partial(errors_in_statement, opaque=unit.rules.spellings.kernel_name_macro)
    made, withdrawn = sound_within(unit.code.data, unit.edits, window, errors)
    unit.edits = EditList(made)
    for each in withdrawn:
        unit.report(UNREADABLE, each.span, unit.code.slice(each.span))


def _convert(unit: Unit, names: set[str], decisions: Decisions) -> None:
    """Collect the edits and findings of a unit; a kernel in a string needs no runtime header."""
    # These load the parser: only a file that mentions something of interest needs it.
    from hipport.source.convert.launches import join_chevrons, rewrite_launches
    from hipport.source.convert.renaming import find_declared, rename, withheld

    unit.hints = decisions.hints(unit.code)
    for use in find_uses(unit.code, names, unit.rules):
        unit.uses.setdefault(use.name, []).append(use)
    unit.is_native |= unit.options.reports_cuda
    unit.keeps_warps = lambda offset: not is_native(unit, offset)
    if unit.rules.is_audit:
        unit.changes_warps = partial(uses_tensor_cores, unit)
        unit.passes_over = partial(_is_settled, unit)
        unit.leaves_out = partial(is_left_out_of_hip_code, unit)
    find_declared(unit, decisions)
    unit.withheld = withheld(unit, decisions)
    launches = LAUNCH.search(unit.code.code) is not None
    # Includes first: what is inserted at the beginning of a file comes before all else there.
    needed = not unit.is_embedded and needs_runtime(unit, decisions, has_launch=launches)
    rewrite_includes(unit, decisions, needs_runtime=needed)
    rename(unit, decisions)
    if launches:
        (rewrite_launches if decisions.options.launch == "ggl" else join_chevrons)(unit)
    if not unit.rules.is_audit:
        fix_patterns(unit)
    if unit.attributeless:
        from hipport.source.patterns.functions.missing_attributes import fix_those_of_headers

        fix_those_of_headers(unit)
    if unit.helpers:
        from hipport.source.convert.called_helpers import include_helpers, write_helpers

        (write_helpers if unit.is_embedded else include_helpers)(unit)
    find_patterns(unit)
    if not unit.rules.is_audit and any(each.code in unit.rules.specifics for each in unit.findings):
        from hipport.source.convert.specific_codes import say_more

        say_more(unit)
    if unit.rules.is_audit and unit.findings:
        # Only now: an audit also reports what a conversion fixes.
        found, unit.findings = unit.findings, []
        fix_patterns(unit)
        removed = (each.span for each in unit.edits if not each.new)
        unit.findings = marked(found, (*unit.answered, *removed), unit.code.position)
        if "if" in unit.code.words:
            from hipport.source.convert.repeated_places import without_repeats

            unit.findings = without_repeats(unit)
    if decisions.options.reports_cuda:
        from hipport.source.convert.cuda_uses import report_cuda_uses

        report_cuda_uses(unit)


def _convert_kernel_strings(unit: Unit) -> None:
    if _may_hold_kernels(unit):
        from hipport.source.convert import kernel_strings

        is_audit = unit.rules.is_audit
        of_strings = (
            kernel_strings.find_in_kernel_strings
            if is_audit
            else kernel_strings.convert_kernel_strings
        )
        of_strings(unit, lambda code: _convert_embedded(unit, code, unit.decisions))


def _judge(unit: Unit) -> None:
    """Give each finding the verdict of its rule."""
    if any(unit.rules.finding(each.code).verdict for each in unit.findings):
        from hipport.source.convert.verdicts import judged

        unit.findings = judged(unit.findings, unit.rules, unit.options, unit.code.data)


def _convert_python_kernels(
    unit: Unit, compilers: Mapping[str, PythonCompiler], decisions: Decisions
) -> None:
    from hipport.source.convert import python_kernels

    is_audit = unit.rules.is_audit
    of_kernels = (
        python_kernels.find_in_python_kernels if is_audit else python_kernels.convert_python_kernels
    )
    of_kernels(unit, compilers, lambda text: _convert_embedded(unit, text, decisions))
    if not is_audit:
        _judge(unit)


def _python_compilers(data: bytes, decisions: Decisions) -> dict[str, PythonCompiler] | None:
    """The functions that a Python file may call to compile kernels; None if it has no kernels."""
    # Most trees to convert have no file that is searched line by line.
    from hipport.source.patterns.line_files import as_written

    code, rules = as_written(data), decisions.rules
    found = {
        name: compiler
        for package, functions in _functions_by_package(rules).items()
        if code.mentions((package,))
        for name, compiler in functions.items()
        if code.mentions((name.rpartition(".")[2],))
    }
    keywords = (*rules.device_code.function_keywords, *decisions.options.kernel_strings)
    has_kernels = code.mentions(each.encode().decode("latin-1") for each in keywords)
    return found if found or has_kernels else None


@lru_cache(maxsize=2)
def _functions_by_package(rules: RuleSet) -> dict[str, dict[str, PythonCompiler]]:
    """Package -> its functions that compile kernels, by full name."""
    found: dict[str, dict[str, PythonCompiler]] = {}
    for compiler in rules.kernel_strings.python.compilers:
        for name in compiler.functions:
            found.setdefault(name.partition(".")[0], {})[name] = compiler
    return found


def _may_hold_kernels(unit: Unit) -> bool:
    """Whether the file compiles kernels at run time, or has device code in a literal."""
    keywords = unit.rules.device_code.function_keywords
    compilers = unit.rules.kernel_strings.compilers
    if unit.options.kernel_strings or not unit.uses.keys().isdisjoint(compilers):
        return True
    return any(
        unit.code.mentions((word,)) and unit.code.text.count(word) > unit.code.code.count(word)
        for word in keywords
    )


def _convert_embedded(outer: Unit, code: Code, decisions: Decisions) -> Unit:
    """The text of a kernel, converted as a separate CUDA file."""
    unit = Unit(outer.path, "cuda", code, outer.decisions, outer.is_beside, outer.in_tree)
    unit.warps, unit.is_embedded = outer.warps, True
    unit.is_native = outer.is_native or is_hip(outer.code, outer.rules)
    names = names_of_interest(code, decisions, is_cuda=True)
    if names is not None:
        _convert(unit, names, decisions)
        if not unit.rules.is_audit:
            _read_back(unit)
    _forget_callbacks(unit)
    return unit
