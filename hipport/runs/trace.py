"""Joins the launches of sources with the kernels of binaries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from hipport.config import Configurations
from hipport.errors import HipportError
from hipport.fatbin.limits import Limits
from hipport.fatbin.reader import open_path
from hipport.fatbin.target_id import parse_target
from hipport.files import read
from hipport.model import FileReport, Finding, Report
from hipport.named_tuples import NamedTuple
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.runs.from_here import folder_of
from hipport.runs.given import AnyPath, texts
from hipport.runs.settings import Settings
from hipport.runs.targets import known_targets
from hipport.runs.trace_request import TraceRequest
from hipport.runs.watch import Faults, Watch
from hipport.source.options import Options
from hipport.source.tree.file_task import LARGEST_SOURCE, Task
from hipport.source.tree.source_lines import Lines, SourceFiles, SourceLines
from hipport.source.tree.task_list import Wishes, plan
from hipport.trace.binary_kernels import BinaryKernels, add_binary
from hipport.trace.comparison import worsened
from hipport.trace.exact_jobs import Jobs
from hipport.trace.exact_names import NO_NAMES, ExactNames, exact_names
from hipport.trace.join import join, wanted_names
from hipport.trace.launch_findings import Thresholds, findings
from hipport.trace.model import Trace
from hipport.trace.source_tree import Tree, read_tree
from hipport.trace.thresholds import DEFAULT_GROWTH
from hipport.verification.compile_commands import Database, find_database
from hipport.verification.compiler_facts import knowledge as compilers

_WORSE = "HP-TRACE-010"
_LANGUAGES = ("cuda", "cpp", "c")


class Traced(msgspec.Struct, frozen=True):
    """What a trace found."""

    trace: Trace
    report: Report
    """The files and the findings."""
    faults: tuple[str, ...]
    """What could not be read, or was read only in part."""
    notes: tuple[str, ...]
    """Why registration could not be read in some binaries."""
    lines: Lines
    """The lines of the sources, read again."""
    rules: Mapping[str, FindingRule]
    """The rules that name the findings, by code."""


def trace(request: TraceRequest, watch: Watch | None = None) -> Traced:
    """Join the sources and binaries of a request. Raises HipportError where one is missing."""
    faults = Faults(watch or Watch())
    settings = Settings(
        Configurations(request.config_file, is_isolated=request.isolated),
        Options(rocm=()),
        {"targets": known_targets(request.targets)},
        is_audit=True,
    )
    wishes = Wishes(writes=False, exclude=request.exclude, is_excluded=settings.is_excluded)
    tasks = _tasks(request.sources, wishes, faults)
    rules = load(is_audit=True)
    tree = read_tree(_contents(tasks, faults), rules)
    limits = Limits(max_size=request.max_size, max_seconds=request.timeout)
    binaries = kernels_of(request.binaries, tree, limits, faults)
    targets = {target for task in tasks for target in settings.options(task.source).targets}
    exact = _exact(request, tasks, tree, binaries, faults) if request.database else NO_NAMES
    joined = join(tree, binaries, sorted(targets), exact)
    report = Report("trace", [FileReport(task.name, task.language, "traced") for task in tasks])
    found = findings(joined, rules.findings, Thresholds(request.min_occupancy))
    if request.diff:
        old = join(tree, kernels_of((request.diff,), tree, limits, faults), exact=exact)
        found += worsened(old, joined, rules.findings[_WORSE], request.max_growth)
        found.sort(key=lambda each: (each.path, each.start, each.code))
    report.findings = settings.judged(found, SourceFiles(tasks).of)
    report.options = {"targets": ",".join(joined.targets)}
    return Traced(
        joined,
        report,
        tuple(faults.messages),
        tuple(binaries.notes),
        SourceLines(tasks),
        rules.findings,
    )


def _exact(
    request: TraceRequest, tasks: list[Task], tree: Tree, binaries: BinaryKernels, faults: Faults
) -> ExactNames:
    """What libclang says about the launches, in the units of the build."""
    path = find_database(request.database, ())
    assert path is not None
    target = next(iter(binaries.targets), compilers()["targets"][0])
    units = {each.path for each in tree.launches}
    units |= {each.name for each in tasks if each.language == "cuda"}
    return exact_names(
        {task.source: task.name for task in tasks},
        units,
        wanted_names(tree),
        Jobs(
            Database(path, None, None),
            parse_target(target).processor,
            request.rocm_path,
            request.cuda_path,
        ),
        lambda problem: faults.add(HipportError(problem)),
    )


class Sources(NamedTuple):
    """Sources that were read, without any binary."""

    tree: Tree
    lines: Lines


def read_sources(path: AnyPath) -> Sources:
    """A file or folder of CUDA or HIP; what cannot be read is left out. Raises HipportError where
    it is missing."""
    faults = Faults(Watch())
    tasks = _tasks(path, Wishes(writes=False), faults)
    tree = read_tree(_contents(tasks, faults), load(is_audit=True))
    return Sources(tree, SourceLines(tasks))


def _tasks(path: AnyPath, wishes: Wishes, faults: Faults) -> list[Task]:
    folder = folder_of((path,)) or ""
    return [
        each._replace(name=folder + each.name)
        for each in plan(texts((path,)), wishes, faults.add)
        if each.language in _LANGUAGES and not each.is_link
    ]


def findings_against(
    name: str, data: bytes, library: Path, rules: RuleSet, old: Path | None = None
) -> list[Finding]:
    """The findings about one source and one library, compared with an old one if there is one."""
    tree = read_tree([(name, data)], rules)
    faults = Faults(Watch())
    new, before = (
        join(tree, kernels_of((path,), tree, Limits(), faults)) if path else None
        for path in (library, old)
    )
    assert new is not None
    found = findings(new, rules.findings, Thresholds())
    if before is not None:
        found += worsened(before, new, rules.findings[_WORSE], DEFAULT_GROWTH)
    return found


def _contents(tasks: Iterable[Task], faults: Faults) -> Iterator[tuple[str, bytes]]:
    for task in tasks:
        try:
            yield task.name, read(task.source, LARGEST_SOURCE)
        except HipportError as error:
            faults.add(error)


def kernels_of(
    paths: Iterable[AnyPath], tree: Tree, limits: Limits, faults: Faults
) -> BinaryKernels:
    """The kernels of binaries; what cannot be read is a fault, and so is that there are none."""
    found = BinaryKernels()
    wanted = wanted_names(tree)
    for path in texts(paths):
        is_empty = True
        for binary in open_path(path, limits):
            is_empty = False
            add_binary(found, binary, wanted, limits)
            if binary.unopened:
                faults.add(HipportError(f"{binary.path}: {binary.unopened}"))
            for fault in binary.all_faults():
                faults.add(HipportError(str(fault)))
        if is_empty:
            faults.add(HipportError(f"{path}: no file with device code in it"))
    if not found.named and not found.others and not faults.messages:
        faults.add(HipportError(f"{', '.join(texts(paths))}: no kernels in it"))
    return found
