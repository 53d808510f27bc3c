"""Compiles units in memory and reports what the compiler says; `verify` and `convert` use it."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, groupby
from pathlib import Path
from types import MappingProxyType

from hipport.model import Finding, Report
from hipport.source.options import Options
from hipport.source.tree.run_tasks import most_jobs
from hipport.verification.compiler_facts import knowledge
from hipport.verification.compiler_findings import Causes, judge
from hipport.verification.known_files import Origin, UserFiles
from hipport.verification.model import Unit
from hipport.verification.parser import parse
from hipport.verification.parser_process import SECONDS
from hipport.verification.reported_findings import reporter
from hipport.verification.toolchain import Toolchain

Groups = dict[Options, list[Unit]]


def verify_units(
    groups: Mapping[Options, list[Unit]],
    origins: Mapping[Path, Origin],
    toolchain: Toolchain,
    jobs: int | None,
    seconds: int = SECONDS,
    known: Mapping[str, list[Finding]] = MappingProxyType({}),
) -> Report:
    """The report on all units, by what they were converted with; each error once, though several
    units may have it.

    `known` says what was reported about a file; what both commands would report is found out.
    """
    report = Report("verify")
    roots = [path.absolute() for path in _roots(origins)]
    jobs = jobs or most_jobs()
    causes = Causes(toolchain)
    every: dict[str, None] = {}
    seen: dict[Finding, None] = {}
    for options, units in groups.items():
        files = UserFiles(origins, _reporter(options, toolchain, known))
        targets = options.targets or tuple(knowledge()["targets"])
        every.update(dict.fromkeys(targets))
        parsed = parse(units, toolchain, targets, roots, jobs=jobs, seconds=seconds)
        for unit, passes in groupby(parsed, key=lambda each: each.unit):
            file, findings, verdicts = judge(unit, list(passes), files, toolchain)
            causes.add(verdicts, files, unit, options.rocm)
            report.files.append(file)
            seen.update(dict.fromkeys(findings))
    by_file: dict[str, list[Finding]] = defaultdict(list)
    for each in (*causes.findings(), *seen):
        by_file[each.path].append(each)
    report.findings = list(chain(*by_file.values()))
    report.options = {"targets": ",".join(every), "clang": toolchain.version}
    report.causes = causes.counts()
    return report


def grouped(units: Iterable[Unit], options_of: Callable[[Unit], Options]) -> Groups:
    """The units by their options, in their order."""
    groups: Groups = {}
    for unit in units:
        groups.setdefault(options_of(unit), []).append(unit)
    return groups


def _reporter(
    options: Options, toolchain: Toolchain, known: Mapping[str, list[Finding]]
) -> Callable[[Origin, bytes], Iterable[Finding]]:
    """What is reported of a file that is converted for the HIP of the headers."""
    audited = reporter(options._replace(rocm=min(options.rocm, toolchain.headers.version)))

    def reported(origin: Origin, data: bytes) -> Iterable[Finding]:
        return [*known.get(origin.name, ()), *audited(origin, data)]

    return reported


def _roots(paths: Iterable[Path]) -> list[Path]:
    """The folders of the files, those below another left out."""
    folders = sorted({Path(os.path.normpath(path.absolute())).parent for path in paths})
    kept: list[Path] = []
    for folder in folders:
        if not (kept and folder.is_relative_to(kept[-1])):
            kept.append(folder)
    return kept
